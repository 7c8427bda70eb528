import BLEWire

/// A behavior of a device or its radio that programs do not expect. The specification allows it, or users have reported it.
///
/// ```swift
/// let report = gateway.inject(.earlyNotification)
/// await world.run(for: .seconds(30))
/// print(report)      // 4.210 s  gateway: a notification overtakes the answer to its subscription
/// ```
///
/// The faults of answers and notifications are those of the unenhanced ATT bearer.
///
/// A device has each fault from the call on, at most once of each kind; the last one counts. ``VirtualDevice/removeFaults()`` ends them.
public enum Fault: Hashable, Sendable {
    /// The controller answers HCI Reset late, so managers are `.poweredOn` late: at the first start, if the device gets the fault before the world
    /// runs, and after each restart. At most 1.9 s; the host gives the controller 2 s.
    case lateStart(by: Duration)
    /// The controller reports no completed packets for a time, so the host sends nothing more when the controller's buffers are full, and
    /// `peripheralIsReady` and `peripheralManagerIsReady` come late. At most 40 s; the host ends the links of a controller that stalls for 45 s. The
    /// end of a link ends the stall.
    ///
    /// Report: https://github.com/zephyrproject-rtos/zephyr/issues/14899
    case stalledCompletions(after: Duration, lasting: Duration)
    /// As client, the device does not notice Service Changed (Vol 3, Part G, 7.1), although it confirms the indications.
    ///
    /// Report: https://github.com/nordicsemi/Android-DFU-Library/issues/46
    case lostServiceChanged
    /// The device forgets its bonds after a time. Its links to these peers end, and the peers keep their keys.
    case forgottenBonds(after: Duration)
    /// As client, the device always reads the first Database Hash of a peer (Vol 3, Part G, 7.3), so the attributes that it keeps with a bond seem
    /// to be valid after a change of the server. A program notices that if the device also has ``lostServiceChanged``.
    ///
    /// Report: https://github.com/dotnet-bluetooth-le/dotnet-bluetooth-le/issues/973
    case staleCache
    /// As client, the device receives the answer to a subscription after the first notification or indication of the link, but at most 1 s late.
    ///
    /// Report: https://github.com/dotintent/react-native-ble-plx/pull/195
    case earlyNotification
    /// After the first end of a link, the device offers a smaller ATT_MTU on new links: 23 to 517 octets.
    ///
    /// Reports of programs that rely on the former one: https://github.com/Bluetooth-Devices/bleak-esphome/pull/411 and
    /// https://github.com/chipweinberger/flutter_blue_plus/issues/806
    case shrinkingMTU(to: Int)
    /// As server, the device takes this time for each answer. A client waits 30 s for one (Vol 3, Part F, 3.3.3). At most 60 s, as for the other
    /// faults of a slow device.
    ///
    /// Reports: https://github.com/Bluetooth-Devices/bleak-esphome/pull/264 and https://github.com/capacitor-community/bluetooth-le/issues/271
    case slowAnswers(Duration)
    /// As server, the device takes this time for each answer that discovers services, characteristics or descriptors, and reads and writes as usual.
    ///
    /// Reports: https://github.com/weliem/blessed-bluez/issues/11 and https://github.com/dotintent/react-native-ble-plx/issues/566
    case slowDiscovery(Duration)
    /// As server, the device takes this time for each answer to a write, subscriptions included.
    ///
    /// Reports: https://github.com/esphome/aioesphomeapi/pull/298 and https://github.com/esphome/esphome/issues/17084
    case slowWrites(Duration)
    /// As server, and in pairings, the device answers nothing in this time after the start of each link.
    ///
    /// Reports: https://github.com/don/cordova-plugin-ble-central/issues/234 and https://github.com/h2zero/NimBLE-Arduino/issues/1182
    case slowAtFirst(for: Duration)
    /// As server, the device sends a notification or an indication late by this time, and the next ones up to then together with it.
    ///
    /// Reports: https://github.com/h2zero/NimBLE-Arduino/issues/414 and https://github.com/nkolban/esp32-snippets/issues/731
    case lateUpdates(Duration)
    /// The device takes this time for each packet of a pairing. A pairing fails after 30 s without one (Vol 3, Part H, 3.4).
    ///
    /// Report: https://github.com/philips-software/amp-hal-st/pull/874
    case slowPairing(Duration)
    /// As central, the device does not answer requests for other connection parameters (Vol 3, Part A, 4.20).
    ///
    /// Reports: https://github.com/zephyrproject-rtos/zephyr/issues/20450 and https://github.com/TorstenRobitzki/bluetoe/issues/110
    case ignoredParameterRequests

    /// The kinds of faults, with their names in world files.
    package enum Kind: String, CaseIterable, Sendable {
        case lateStart = "late-start"
        case stalledCompletions = "stalled-completions"
        case lostServiceChanged = "lost-service-changed"
        case forgottenBonds = "forgotten-bonds"
        case staleCache = "stale-cache"
        case earlyNotification = "early-notification"
        case shrinkingMTU = "shrinking-mtu"
        case slowAnswers = "slow-answers"
        case slowDiscovery = "slow-discovery"
        case slowWrites = "slow-writes"
        case slowAtFirst = "slow-at-first"
        case lateUpdates = "late-updates"
        case slowPairing = "slow-pairing"
        case ignoredParameterRequests = "ignored-parameter-requests"
    }

    /// The ranges of the values. A value beyond becomes the nearest limit.
    package enum Limit {
        /// The delay of `lateStart`.
        package static let start: ClosedRange<Duration> = .zero ... .milliseconds(1_900)
        /// The time before a stall or the loss of bonds.
        package static let onset: ClosedRange<Duration> = .zero ... .seconds(86_400)
        /// The length of a stall.
        package static let stall: ClosedRange<Duration> = .zero ... .seconds(40)
        /// The delay of an answer, an update or a packet of a pairing.
        package static let answer: ClosedRange<Duration> = .zero ... .seconds(60)
        /// The ATT_MTU in octets.
        package static let mtu = 23...517
    }

    package var kind: Kind {
        switch self {
        case .lateStart: .lateStart
        case .stalledCompletions: .stalledCompletions
        case .lostServiceChanged: .lostServiceChanged
        case .forgottenBonds: .forgottenBonds
        case .staleCache: .staleCache
        case .earlyNotification: .earlyNotification
        case .shrinkingMTU: .shrinkingMTU
        case .slowAnswers: .slowAnswers
        case .slowDiscovery: .slowDiscovery
        case .slowWrites: .slowWrites
        case .slowAtFirst: .slowAtFirst
        case .lateUpdates: .lateUpdates
        case .slowPairing: .slowPairing
        case .ignoredParameterRequests: .ignoredParameterRequests
        }
    }
}

extension Fault: CustomStringConvertible {
    /// A phrase with the values, such as "answers late by 2.5 s".
    public var description: String {
        switch self {
        case .lateStart(let delay): "starts late by \(delay.inSeconds)"
        case .stalledCompletions(let start, let length):
            "reports no completed packets for \(length.inSeconds) after \(start.inSeconds)"
        case .lostServiceChanged: "loses Service Changed"
        case .forgottenBonds(let time): "forgets its bonds after \(time.inSeconds)"
        case .staleCache: "reads a stale Database Hash"
        case .earlyNotification: "gets a notification before the answer to its subscription"
        case .shrinkingMTU(let octets): "offers an ATT_MTU of \(octets) octets after its first link"
        case .slowAnswers(let delay): "answers late by \(delay.inSeconds)"
        case .slowDiscovery(let delay): "answers discoveries late by \(delay.inSeconds)"
        case .slowWrites(let delay): "answers writes late by \(delay.inSeconds)"
        case .slowAtFirst(let time): "answers nothing in the first \(time.inSeconds) of a link"
        case .lateUpdates(let delay): "sends updates late by \(delay.inSeconds)"
        case .slowPairing(let delay): "sends packets of a pairing late by \(delay.inSeconds)"
        case .ignoredParameterRequests: "ignores requests for connection parameters"
        }
    }
}

extension Duration {
    /// Seconds with milliseconds, such as "2.500 s"; "0.000 s" for a negative time.
    var inSeconds: String {
        let milliseconds = max(0, TimeSpan(self).nanoseconds / 1_000_000)
        let (whole, rest) = (milliseconds / 1000, milliseconds % 1000)
        return "\(whole)." + "00\(rest)".suffix(3) + " s"
    }
}
