import BLEHost
import BLEHostAdapter
import BLEWire

/// What the Bluetooth host of a phone or a computer decides by itself, and what its controller can do.
///
/// A firmware or an app that works with one host can fail with another: because the ATT_MTU is 23 octets until an app requests more, because the host
/// refuses an interval, or because its address changes. Give a device of a ``World`` the values of a host:
///
/// ```swift
/// let phone = world.addDevice("phone", platform: .iPhone)
/// var pixel = Platform.pixel
/// pixel.exchangesMaximumTransmissionUnit = true   // an app that calls requestMtu
/// let other = world.addDevice("other", platform: pixel)
/// ```
///
/// The presets have values of published sources, which their descriptions name. A real device may differ: a manufacturer may change each value, and a
/// host adapts intervals to its other links. The initial values of this type are those of a device without a platform.
public struct Platform: Hashable, Sendable {
    /// What the host, as central, does with connection parameters that a peripheral requests (Vol 3, Part A, 4.20).
    public enum ParameterRules: Hashable, Sendable {
        /// It sets all valid parameters with which it reaches the peripheral at least once in 4 s.
        case permissive
        /// The same, but it raises intervals below this one. A platform has it as a connection interval, rounded down to a multiple of 1.25 ms, 7.5 ms
        /// to 4 s: 12 ms reads back as 11.25 ms.
        case raising(to: Duration)
        /// It refuses what does not comply with Apple's rules for accessories: an interval minimum of at least 15 ms and a multiple of it; a maximum
        /// of at least 15 ms more, or both 15 ms; a latency of at most 30; at most 2 s between two events that the peripheral must not skip; a
        /// supervision timeout of 2 to 6 s, longer than three times that.
        ///
        /// Source: Technical Q&A QA1931, https://developer.apple.com/library/archive/qa/qa1931/
        case apple
    }

    /// What changes while the programs of the device are in the background.
    public enum BackgroundRules: Hashable, Sendable {
        /// Nothing.
        case unrestricted
        /// A scan without services reports nothing, and one with services reports each device once, whatever its options. Advertising has no name, and
        /// its services are in the overflow area: manufacturer data that other systems do not decode.
        ///
        /// Sources: "Core Bluetooth Background Processing for iOS Apps" in Apple's Core Bluetooth Programming Guide, and the measurements at
        /// http://www.davidgyoungtech.com/2020/05/07/hacking-the-overflow-area
        case apple
    }

    /// The ATT_MTU that the host offers in both roles, 23 to 517 octets (Vol 3, Part F, 3.4.2). A value beyond becomes the nearest limit. The initial
    /// value is 498, which fills two data packets of 251 octets.
    public var maximumTransmissionUnit: Int {
        get { values.maximumTransmissionUnit }
        set { values.maximumTransmissionUnit = newValue }
    }

    /// Whether the host, as central, exchanges the ATT_MTU on each new link. If not, it is 23 octets until the peripheral exchanges it.
    public var exchangesMaximumTransmissionUnit: Bool {
        get { values.exchangesMaximumTransmissionUnit }
        set { values.exchangesMaximumTransmissionUnit = newValue }
    }

    /// The connection intervals that the host allows its controller for a new link, 7.5 ms to 4 s.
    public var connectionInterval: ClosedRange<Duration> {
        get { values.connectionInterval }
        set { values.connectionInterval = newValue }
    }

    /// The supervision timeout of a new link, 100 ms to 32 s.
    public var supervisionTimeout: Duration {
        get { values.supervisionTimeout }
        set { values.supervisionTimeout = newValue }
    }

    /// What the host does with the parameters that a peripheral requests.
    public var parameterRules: ParameterRules {
        get {
            switch values.parameterPolicy {
            case .reachable: .permissive
            case .raised(let minimum): .raising(to: .microseconds(1_250 * Int(minimum)))
            case .apple: .apple
            }
        }
        set {
            values.parameterPolicy =
                switch newValue {
                case .permissive: .reachable
                case .raising(let interval): .raised(minimum: interval.connectionUnits)
                case .apple: .apple
                }
        }
    }

    /// The longest payload of a link-layer data packet in both directions, 27 to 251 octets (Vol 6, Part B, 4.5.10).
    public var maximumDataLength: Int {
        get { values.maximumDataLength }
        set { values.maximumDataLength = newValue }
    }

    /// Whether the controller has the 2M PHY and the host, as central, requests it.
    public var uses2MPHY: Bool {
        get { values.uses2MPHY }
        set { values.uses2MPHY = newValue }
    }

    /// The largest number of links, 1 to 64.
    public var linkLimit: Int {
        get { values.linkLimit }
        set { values.linkLimit = newValue }
    }

    /// The lifetime of the resolvable private address, 1 s to 1 h; nil if the host uses its identity address.
    public var privateAddressInterval: Duration? {
        get { values.privateAddressInterval }
        set { values.privateAddressInterval = newValue }
    }

    /// The largest number of enhanced ATT bearers of an encrypted link, 0 to 5 (Vol 3, Part F, 3.2.11).
    public var enhancedBearers: Int {
        get { values.enhancedBearers }
        set { values.enhancedBearers = newValue }
    }

    /// Whether `canSendWriteWithoutResponse` is true when a connection begins. If not, it becomes true after the first write.
    public var connectsReadyToWrite: Bool {
        get { values.callbackRules.connectsReadyToWrite }
        set { values.callbackRules.connectsReadyToWrite = newValue }
    }

    /// Whether `centralManager(_:didDisconnectPeripheral:timestamp:isReconnecting:error:)` exists, as since iOS 17. If not, the manager calls only the
    /// method without a time stamp, and `CBConnectPeripheralOptionEnableAutoReconnect` has no effect. If it exists, a delegate with both methods still
    /// gets only the one without a time stamp.
    ///
    /// Sources: https://developer.apple.com/documentation/corebluetooth/cbconnectperipheraloptionenableautoreconnect,
    /// https://github.com/nordicsemi/IOS-CoreBluetooth-Mock/pull/127 and https://github.com/manolofdez/AsyncBluetooth/pull/88
    public var hasTimedDisconnections: Bool {
        get { values.callbackRules.hasTimedDisconnections }
        set { values.callbackRules.hasTimedDisconnections = newValue }
    }

    /// What changes in the background; see ``VirtualDevice/enterBackground()``.
    public var backgroundRules: BackgroundRules {
        get { values.limitsBackground ? .apple : .unrestricted }
        set { values.limitsBackground = newValue == .apple }
    }

    /// The values in the form that hosts and controllers take.
    package var values: HostPlatform

    init(_ values: HostPlatform) { self.values = values }

    /// Creates the values of a device without a platform.
    public init() { values = HostPlatform() }
}
