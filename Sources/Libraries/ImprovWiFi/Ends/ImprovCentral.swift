internal import BLEAdapter
import CoreBluetooth

/// Why a client of the Improv service ends, or a command fails.
public enum ImprovClientError: Error, Hashable, Sendable {
    /// No device was found in time.
    case noDevice
    /// The device has no Improv service, or it lacks characteristics.
    case noService
    /// The link ended.
    case linkLost
    /// The device did not answer in time.
    case noAnswer
    /// The device shows an error.
    case refused(ImprovError)
    /// The device sent octets that are no valid answer.
    case invalidAnswer
    /// Bluetooth is not available.
    case notPoweredOn
}

/// A client that finds a device with the Improv service and gives it the credentials of a network.
///
/// Commands run one after another. The object uses a central manager of its own. May be used from any thread.
public final class ImprovCentral: Sendable {
    /// The device that the client looks for.
    public enum Peer: Hashable, Sendable {
        /// The first device with the service.
        case any
        /// A device that advertises this name.
        case named(String)
    }

    /// What happens.
    public enum Event: Hashable, Sendable {
        /// The device is connected and takes commands.
        case ready(ImprovState, ImprovCapabilities)
        /// The state of the device is another one.
        case state(ImprovState)
        /// The device was told to show which one it is.
        case identified
        /// What the device says about itself.
        case information(ImprovDeviceInformation)
        /// The networks that the device sees.
        case networks([VisibleNetwork])
        /// The device has joined the network; the user can open the addresses.
        case provisioned([String])
        /// A command failed. The link stays.
        case commandFailed(ImprovClientError)
        /// The client has ended.
        case ended(ImprovClientError?)
    }

    private let session: ImprovCentralSession
    private let source: EventSource<Event>

    /// Prepares a client.
    ///
    /// - Parameters:
    ///   - peer: The device.
    ///   - timing: The time limits.
    ///   - queue: The serial queue of the events.
    ///   - clock: The clock of the time limits.
    ///   - onEvent: Receives the events on `queue`. The last one is `ended`.
    public init(
        peer: Peer, timing: ImprovTiming = ImprovTiming(), queue: DispatchQueue = .main,
        clock: any Clock<Duration> = ContinuousClock(), onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        let source = EventSource(onEvent) { event in if case .ended = event { true } else { false } }
        self.source = source
        session = ImprovCentralSession(
            peer: peer, timing: timing, queue: queue, clock: clock, onEvent: source.report)
    }

    /// The events from now on. The stream ends after the event `ended`. It keeps the latest 1,024 events that were not taken.
    public var events: AsyncStream<Event> { source.stream() }

    /// Looks for the device and connects. Call it once, and keep a reference to the object until the event `ended`.
    public func start() { session.start() }

    /// Tells the device to show which one it is.
    public func identify() { session.submit(ImprovPacket(ImprovPacket.Command.identify)) }
    /// Asks what the device says about itself.
    public func requestInformation() { session.submit(ImprovPacket(ImprovPacket.Command.deviceInformation)) }
    /// Asks for the networks that the device sees.
    public func requestNetworks() { session.submit(ImprovPacket(ImprovPacket.Command.networkScan)) }
    /// Gives the device the credentials of a network.
    public func provision(_ credentials: WiFiCredentials) { session.submit(.join(credentials)) }

    /// Ends the link.
    public func disconnect() { session.disconnect() }
}
