import BLEAttribute
import BLELink
import BLEWire

/// The configuration of a host, which does not change after `init`.
package struct HostConfiguration: Sendable {
    /// The identity address of this host, a static random address. If nil, the host uses the controller's public
    /// address. If that is zero, the host draws a static random address from the random source.
    package var identityAddress: DeviceAddress?
    /// The GAP device name as UTF-8.
    package var deviceName: [UInt8] = []
    /// The GAP appearance.
    package var appearance: UInt16 = 0
    /// The ATT_MTU that the host offers, 23 to 517 octets.
    package var localMTU: UInt16 = ATTBearer.preferredMTU
    /// Whether an operation waits for `resumeOperation`, and a credit-based channel for `resumeChannel`, after the peer
    /// refuses it for insufficient security. Otherwise it fails.
    package var suspendsForSecurity = false
    /// The connection parameters that a central requests when it connects.
    package var connectionParameters = RequestedConnectionParameters(
        intervalMinimum: 24, intervalMaximum: 24, latency: 0, timeout: 200)
    /// As central, request link-layer data PDUs of 251 octets if the controller supports them.
    package var usesDataLengthExtension = true
    /// As central, request the 2M PHY if both sides support it.
    package var uses2MPHY = true
    /// The number of octets queued for one link from which on `freeSlots` is 0. `transmitQueueDrained` follows at half
    /// of it.
    package var transmitQueueOctets = 8_192
    /// The number of octets queued for one link above which values are dropped.
    package var transmitQueueLimit = 1 << 20
    /// The parameters that the host offers on credit-based channels.
    package var creditBased = CreditBasedConfiguration()
    /// The time that the controller has to answer a command.
    package var commandTimeout = TimeSpan.seconds(2)
    /// The number of start-up attempts before the host fails. A failure later than `recoveryPeriod` counts as the first
    /// again.
    package var startAttempts = 3
    package var recoveryPeriod = TimeSpan.seconds(60)

    package init() {}
}

/// Requested connection parameters (Vol 4, Part E, 7.8.12 and 7.8.18).
package struct RequestedConnectionParameters: Hashable, Sendable {
    /// In units of 1.25 ms, 6 to 3200.
    package var intervalMinimum: UInt16
    package var intervalMaximum: UInt16
    /// The number of connection events that the peripheral may skip, 0 to 499.
    package var latency: UInt16
    /// The supervision timeout in units of 10 ms, 10 to 3200.
    package var timeout: UInt16

    package init(intervalMinimum: UInt16, intervalMaximum: UInt16, latency: UInt16, timeout: UInt16) {
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
        self.latency = latency
        self.timeout = timeout
    }

    /// Whether every field is in its range and the timeout is long enough for the latency: timeout > (1 + latency) x
    /// interval x 2 (Vol 6, Part B, 4.5.2).
    package var isValid: Bool {
        guard (6...3200).contains(intervalMinimum), (intervalMinimum...3200).contains(intervalMaximum),
            latency <= 499, (10...3200).contains(timeout)
        else { return false }
        // Units of 10 ms against 1.25 ms, doubled: timeout * 8 > (1 + latency) * interval * 2.
        return Int(timeout) * 4 > (1 + Int(latency)) * Int(intervalMaximum)
    }
}

/// The current parameters of a link.
package struct ConnectionParameters: Hashable, Sendable {
    /// In units of 1.25 ms.
    package var interval: UInt16
    /// The number of connection events that the peripheral may skip.
    package var latency: UInt16
    /// The supervision timeout in units of 10 ms.
    package var timeout: UInt16

    package init(interval: UInt16, latency: UInt16, timeout: UInt16) {
        self.interval = interval
        self.latency = latency
        self.timeout = timeout
    }
}

/// The parameters of a scan.
package struct ScanParameters: Hashable, Sendable {
    /// Whether the controller requests scan responses from scannable advertisers.
    package var isActive: Bool
    /// In units of 0.625 ms, 4 to 16384. The window is at most the interval.
    package var interval: UInt16
    package var window: UInt16
    /// Whether the controller drops repeated reports of the same device.
    package var filtersDuplicates: Bool

    package init(isActive: Bool = true, interval: UInt16 = 64, window: UInt16 = 64, filtersDuplicates: Bool = false) {
        self.isActive = isActive
        self.interval = interval
        self.window = window
        self.filtersDuplicates = filtersDuplicates
    }
}

/// The handle of an advertising set, 0x00 to 0xEF (Vol 4, Part E, 7.8.53). A set has its own parameters, data and
/// state.
package struct AdvertisingSet: Hashable, Sendable {
    package let handle: UInt8
    package init(handle: UInt8) { self.handle = handle }

    /// The set that the legacy advertising commands control, the only one so far.
    package static let legacy = AdvertisingSet(handle: 0)
}

/// The data and the parameters of advertising.
package struct AdvertisingParameters: Hashable, Sendable {
    /// AD structures, at most 31 octets.
    package var data: [UInt8]
    package var scanResponse: [UInt8]
    /// True for connectable and scannable advertising. False for neither, as in a beacon.
    package var isConnectable: Bool
    /// In units of 0.625 ms, 32 to 16384.
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
