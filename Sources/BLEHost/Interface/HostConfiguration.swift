import BLEAttribute
import BLELink
import BLEWire

/// The configuration of a host, which does not change after `init`.
package struct HostConfiguration: Sendable {
    /// The address this host is known by, a static random one. Nil: the controller's public address, or, where that is zero, a
    /// static random one drawn from the random source.
    package var identityAddress: DeviceAddress?
    /// UTF-8 octets of the GAP device name.
    package var deviceName: [UInt8] = []
    /// The GAP appearance.
    package var appearance: UInt16 = 0
    /// The ATT_MTU offered, 23 to 517 octets.
    package var localMTU: UInt16 = ATTBearer.preferredMTU
    /// Whether an operation that the peer refuses for lack of security waits for `resumeOperation` instead of failing.
    package var suspendsForSecurity = false
    /// What a central asks for when it connects.
    package var connectionParameters = RequestedConnectionParameters(
        intervalMinimum: 24, intervalMaximum: 24, latency: 0, timeout: 200)
    /// As central, ask for link-layer data PDUs of 251 octets, if the controller can.
    package var usesDataLengthExtension = true
    /// As central, ask for the 2M PHY where both sides have it.
    package var uses2MPHY = true
    /// Octets waiting for one link from which on `freeSlots` is 0; `transmitQueueDrained` comes at half of it.
    package var transmitQueueOctets = 8_192
    /// Octets waiting for one link beyond which values are dropped.
    package var transmitQueueLimit = 1 << 20
    /// What is offered on credit-based channels.
    package var creditBased = CreditBasedConfiguration()
    /// How long the controller may take for the answer to a command.
    package var commandTimeout = TimeSpan.seconds(2)
    /// How often the start-up is tried before the host gives up; a failure after `recoveryPeriod` counts as the first again.
    package var startAttempts = 3
    package var recoveryPeriod = TimeSpan.seconds(60)

    package init() {}
}

/// Connection parameters that one asks for (Vol 4, Part E, 7.8.12 and 7.8.18).
package struct RequestedConnectionParameters: Hashable, Sendable {
    /// 1.25 ms units, 6 to 3200.
    package var intervalMinimum: UInt16
    package var intervalMaximum: UInt16
    /// Connection events the peripheral may skip, 0 to 499.
    package var latency: UInt16
    /// Supervision timeout in 10 ms units, 10 to 3200.
    package var timeout: UInt16

    package init(intervalMinimum: UInt16, intervalMaximum: UInt16, latency: UInt16, timeout: UInt16) {
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
        self.latency = latency
        self.timeout = timeout
    }

    /// Whether every field is in its range and the timeout leaves room for the latency:
    /// timeout > (1 + latency) x interval x 2 (Vol 6, Part B, 4.5.2).
    package var isValid: Bool {
        guard (6...3200).contains(intervalMinimum), (intervalMinimum...3200).contains(intervalMaximum),
            latency <= 499, (10...3200).contains(timeout)
        else { return false }
        // 10 ms units against 1.25 ms units, twice: timeout * 8 > (1 + latency) * interval * 2.
        return Int(timeout) * 4 > (1 + Int(latency)) * Int(intervalMaximum)
    }
}

/// The parameters that a link has.
package struct ConnectionParameters: Hashable, Sendable {
    /// 1.25 ms units.
    package var interval: UInt16
    /// Connection events the peripheral may skip.
    package var latency: UInt16
    /// Supervision timeout in 10 ms units.
    package var timeout: UInt16

    package init(interval: UInt16, latency: UInt16, timeout: UInt16) {
        self.interval = interval
        self.latency = latency
        self.timeout = timeout
    }
}

/// How to scan.
package struct ScanParameters: Hashable, Sendable {
    /// Ask scannable advertisers for their scan response.
    package var isActive: Bool
    /// 0.625 ms units, 4 to 16384; the window is at most the interval.
    package var interval: UInt16
    package var window: UInt16
    /// Let the controller leave out reports of devices it has reported already.
    package var filtersDuplicates: Bool

    package init(isActive: Bool = true, interval: UInt16 = 64, window: UInt16 = 64, filtersDuplicates: Bool = false) {
        self.isActive = isActive
        self.interval = interval
        self.window = window
        self.filtersDuplicates = filtersDuplicates
    }
}

/// The handle of an advertising set, 0x00 to 0xEF (Vol 4, Part E, 7.8.53). A set has its own parameters, data and state.
package struct AdvertisingSet: Hashable, Sendable {
    package let handle: UInt8
    package init(handle: UInt8) { self.handle = handle }

    /// The set that the legacy advertising commands control, the only one so far.
    package static let legacy = AdvertisingSet(handle: 0)
}

/// What to advertise, and how.
package struct AdvertisingParameters: Hashable, Sendable {
    /// AD structures, at most 31 octets.
    package var data: [UInt8]
    package var scanResponse: [UInt8]
    /// Connectable and scannable, or neither (a beacon).
    package var isConnectable: Bool
    /// 0.625 ms units, 32 to 16384.
    package var intervalMinimum: UInt16
    package var intervalMaximum: UInt16

    /// The default interval is 30 ms.
    package init(
        data: [UInt8], scanResponse: [UInt8] = [], isConnectable: Bool = true, intervalMinimum: UInt16 = 48,
        intervalMaximum: UInt16 = 48
    ) {
        self.data = data
        self.scanResponse = scanResponse
        self.isConnectable = isConnectable
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
    }
}
