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
    /// As server, the device takes this time for each answer. A client waits 30 s for one (Vol 3, Part F, 3.3.3). At most 60 s.
    case slowAnswers(Duration)

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
    }

    /// The ranges of the values. A value beyond becomes the nearest limit.
    package enum Limit {
        /// The delay of `lateStart`.
        package static let start: ClosedRange<Duration> = .zero ... .milliseconds(1_900)
        /// The time before a stall or the loss of bonds.
        package static let onset: ClosedRange<Duration> = .zero ... .seconds(86_400)
        /// The length of a stall.
        package static let stall: ClosedRange<Duration> = .zero ... .seconds(40)
        /// The delay of an answer.
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
