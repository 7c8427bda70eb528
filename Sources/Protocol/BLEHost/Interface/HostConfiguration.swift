import BLEAttribute
import BLELink
import BLEWire

/// The configuration of a host, which does not change after `init`.
package struct HostConfiguration: Sendable {
    /// The identity address of this host, a static random address (Vol 6, Part B, 1.3.2.1). If nil, the host uses the
    /// controller's public address. If that is zero, the host draws a static random address from the random source.
    package var identityAddress: DeviceAddress?
    /// The GAP device name as UTF-8 (Vol 3, Part C, 12.1).
    package var deviceName: [UInt8] = []
    /// The GAP appearance (Vol 3, Part C, 12.2).
    package var appearance: UInt16 = 0
    /// The ATT_MTU that the host offers, 23 to 517 octets (Vol 3, Part F, 3.2.8).
    package var localMTU: UInt16 = ATTBearer.preferredMTU
    /// As central, exchange the ATT_MTU on each new link (Vol 3, Part G, 4.3.1). Otherwise it is 23 octets until the peer exchanges it.
    package var exchangesMTU = true
    /// The limit of enhanced ATT bearers on a link, 0 to 5 (Vol 3, Part F, 3.2.11). They exist on encrypted links to peers that
    /// support them. The default is 0: most programs have one operation at a time and gain nothing, and the characteristic that
    /// announces them would change the database of each bonded client.
    package var enhancedBearers = 0
    /// Whether an operation waits for `resumeOperation`, and a credit-based channel for `resumeChannel`, after the peer
    /// refuses it for insufficient security. Otherwise it fails.
    package var suspendsForSecurity = false
    /// The connection parameters that a central requests when it connects.
    package var connectionParameters = RequestedConnectionParameters(
        intervalMinimum: 24, intervalMaximum: 24, latency: 0, timeout: 200)
    /// The connection parameters that this host grants its peripherals as central.
    package var parameterPolicy = ParameterPolicy.reachable
    /// As central, request link-layer data PDUs of 251 octets (Vol 6, Part B, 5.1.9) if the controller supports them.
    package var usesDataLengthExtension = true
    /// As central, request the 2M PHY (Vol 6, Part B, 5.1.10) if both sides support it.
    package var uses2MPHY = true
    /// The subrates that this host accepts of its peripherals as central (Vol 4, Part E, 7.8.123); nil to use no subrating on any link.
    package var acceptedSubrates: RequestedSubrate?
    /// Use the commands of extended advertising, scanning and connecting if the controller has them.
    package var usesExtendedAdvertising = true
    /// Whether sessions scan on the Coded PHY as well, and connect on it to peers that were not heard. Such a scan has less time for 1M.
    package var scansCodedPHY = false
    /// The number of octets queued for one link from which on it takes no values (`takesValues`). `transmitQueueDrained` follows at half
    /// of it.
    package var transmitQueueOctets = 8_192
    /// The number of octets queued for one link above which values are dropped.
    package var transmitQueueLimit = 1 << 20
    /// The parameters that the host offers on credit-based channels (Vol 3, Part A, 4.22 and 4.23).
    package var creditBased = CreditBasedConfiguration()
    /// The use of private addresses.
    package var privacy = PrivacyConfiguration()
    /// The time that the controller has to answer a command.
    package var commandTimeout = TimeSpan.seconds(2)
    /// The number of start-up attempts before the host fails. A failure `recoveryPeriod` after the one before, or later, counts as
    /// the first again.
    package var startAttempts = 3
    package var recoveryPeriod = TimeSpan.seconds(60)

    package init() {}
}

/// The use of private addresses (Vol 3, Part C, 10.7). A host with bonds resolves its peers' addresses in any case.
package struct PrivacyConfiguration: Hashable, Sendable {
    /// Whether this host uses resolvable private addresses in place of its identity address. It needs
    /// `PairingSettings.identityKey` and cryptography.
    package var usesPrivateAddress = false
    /// The lifetime of a private address, 1 s to 1 h.
    package var addressLifetime = ResolvingList.defaultInterval
    /// The treatment of the identity addresses of bonded peers. Many devices have an IRK and use their identity address,
    /// so the default is device privacy mode.
    package var mode = PrivacyMode.device

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

/// The current parameters of a link (Vol 6, Part B, 4.5.1 and 4.5.2).
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

    /// The connection interval. At most 4 s, the longest that the specification allows (Vol 4, Part E, 7.7.65.1),
    /// because the host computes deadlines from values that a controller may get wrong.
    var intervalSpan: TimeSpan { .microseconds(1250 * Int(min(interval, 3200))) }

    /// The supervision timeout. At most 32 s, for the same reason.
    var supervisionSpan: TimeSpan { .milliseconds(10 * Int(min(timeout, 3200))) }
}

/// The parameters of a scan (Vol 4, Part E, 7.8.10 and 7.8.11).
package struct ScanParameters: Hashable, Sendable {
    /// Whether the controller requests scan responses from scannable advertisers (Vol 6, Part B, 4.4.3.2).
    package var isActive: Bool
    /// In units of 0.625 ms, 4 to 16384. The window is at most the interval.
    package var interval: UInt16
    package var window: UInt16
    /// Whether the controller drops repeated reports of the same device.
    package var filtersDuplicates: Bool
    /// The PHYs of the primary channels, 1M and Coded. Those that the controller does not scan are left out.
    package var phys: HCI.PHYMask

    package init(
        isActive: Bool = true, interval: UInt16 = 64, window: UInt16 = 64, filtersDuplicates: Bool = false,
        phys: HCI.PHYMask = .le1M
    ) {
        self.isActive = isActive
        self.interval = interval
        self.window = window
        self.filtersDuplicates = filtersDuplicates
        self.phys = phys
    }
}

/// The handle of an advertising set, 0x00 to 0xEF (Vol 4, Part E, 7.8.53). A set has its own parameters, data and
/// state.
package struct AdvertisingSet: Hashable, Sendable {
    package let handle: UInt8
    package init(handle: UInt8) { self.handle = handle }

    /// The largest handle of a set.
    package static let maximumHandle: UInt8 = 0xEF

    /// The set that the legacy advertising commands control, and the only one of a controller without extended advertising.
    package static let legacy = AdvertisingSet(handle: 0)
}

/// The data and the parameters of advertising (Vol 4, Part E, 7.8.5, 7.8.7, 7.8.8, and 7.8.53 to 7.8.55).
package struct AdvertisingParameters: Hashable, Sendable {
    /// The packets that carry the data.
    package enum PDUs: Hashable, Sendable {
        case legacy
        case extended(ExtendedAdvertising)
    }

    /// AD structures: at most 31 octets in legacy PDUs, otherwise as many as the controller takes. Empty if extended PDUs are scannable.
    package var data: [UInt8]
    /// The same. Empty if extended PDUs are connectable.
    package var scanResponse: [UInt8]
    /// True for connectable advertising; legacy PDUs are then scannable as well. Otherwise a scan response makes the set scannable, and without
    /// one it is neither, as a beacon.
    package var isConnectable: Bool
    /// In units of 0.625 ms, 32 to 16384.
    package var intervalMinimum: UInt16
    package var intervalMaximum: UInt16
    package var pdus = PDUs.legacy

    /// The default interval is 30 ms, the shortest that GAP recommends for fast advertising (Vol 3, Part C, 9.3.11).
    package init(
        data: [UInt8], scanResponse: [UInt8] = [], isConnectable: Bool = true, intervalMinimum: UInt16 = 48,
        intervalMaximum: UInt16 = 48, pdus: PDUs = .legacy
    ) {
        self.data = data
        self.scanResponse = scanResponse
        self.isConnectable = isConnectable
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
        self.pdus = pdus
    }
}

/// The properties of advertising with extended PDUs (Vol 4, Part E, 7.8.53).
package struct ExtendedAdvertising: Hashable, Sendable {
    /// 1M or Coded.
    package var primaryPHY: HCI.PHY
    /// 1M, 2M or Coded.
    package var secondaryPHY: HCI.PHY
    /// The Advertising SID, 0 to 15. It tells the sets of a device apart.
    package var sid: UInt8
    /// Whether the packets have no address. An anonymous set is neither connectable nor scannable.
    package var isAnonymous: Bool
    /// Whether the packets have the transmit power.
    package var includesTransmitPower: Bool

    package init(
        primaryPHY: HCI.PHY = .le1M, secondaryPHY: HCI.PHY = .le1M, sid: UInt8 = 0, isAnonymous: Bool = false,
        includesTransmitPower: Bool = false
    ) {
        self.primaryPHY = primaryPHY
        self.secondaryPHY = secondaryPHY
        self.sid = sid
        self.isAnonymous = isAnonymous
        self.includesTransmitPower = includesTransmitPower
    }
}
