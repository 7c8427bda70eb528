import BLEAdapter
import BLEVirtualRadio
import BLEWire

/// The advertisement of a ``VirtualAdvertiser``: the type of its PDU and its octets.
public struct RawAdvertisement: Hashable, Sendable {
    /// The kinds of advertising events, with their legacy PDUs (Core Specification, Vol 6, Part B, 2.3.1). Extended events have ADV_EXT_IND and
    /// AUX_ADV_IND, and connectable ones are not scannable.
    public enum Packet: Hashable, Sendable {
        /// ADV_IND: connectable and scannable. The advertiser has no host, so it terminates the link of a central at once, and the
        /// central's manager reports `didFailToConnect`.
        case connectable
        /// ADV_SCAN_IND: scannable.
        case scannable
        /// ADV_NONCONN_IND: neither connectable nor scannable. Beacons use it.
        case nonConnectable
        /// ADV_DIRECT_IND, low duty cycle: connectable by one device, without data. The advertiser terminates the link as with
        /// `connectable`.
        case directed(to: RadioAddress)
    }

    /// Extended advertising: data on the secondary channels, and other PHYs (Vol 6, Part B, 2.3.4).
    public struct Extended: Hashable, Sendable {
        /// The PHY of the primary channels, 1M or Coded.
        public var primaryPHY: RadioPacket.PHY
        /// The PHY of the secondary channels.
        public var secondaryPHY: RadioPacket.PHY
        /// The Advertising SID, 0 to 15, which tells the sets of a device apart.
        public var sid: Int
        /// Whether the packets have no address. Only `nonConnectable` ones can.
        public var isAnonymous: Bool

        /// Creates extended advertising. See the properties for their limits.
        public init(
            primaryPHY: RadioPacket.PHY = .oneM, secondaryPHY: RadioPacket.PHY = .oneM, sid: Int = 0,
            isAnonymous: Bool = false
        ) {
            self.primaryPHY = primaryPHY
            self.secondaryPHY = secondaryPHY
            self.sid = sid
            self.isAnonymous = isAnonymous
        }
    }

    /// The type of the PDU.
    public var packet: Packet
    /// The advertising data, at most 31 octets. It may be malformed. Extended events have up to 1,650 octets; connectable ones up to 245, and up to 239 if
    /// they are directed; scannable ones have none.
    public var data: [UInt8]
    /// The scan response of connectable and scannable PDUs, at most 31 octets. Scannable extended events have 1 to 1,650 octets, the others none.
    public var scanResponse: [UInt8]
    /// Extended PDUs in place of legacy ones, if not nil.
    public var extended: Extended?
    /// The advertising interval, 20 ms to 10.24 s, in steps of 0.625 ms. Each event adds a random delay of up to 10 ms (Vol 6, Part
    /// B, 4.4.2.2).
    public var interval: Duration

    /// Creates an advertisement from octets. See the properties for their limits.
    public init(
        _ packet: Packet = .nonConnectable, data: [UInt8] = [], scanResponse: [UInt8] = [],
        interval: Duration = .milliseconds(100), extended: Extended? = nil
    ) {
        self.extended = extended
        self.packet = packet
        self.data = data
        self.scanResponse = scanResponse
        self.interval = interval
    }

    /// Creates an advertisement from AD structures. Those of legacy PDUs have at most 31 octets together.
    public init(
        _ packet: Packet = .nonConnectable, structures: [AdvertisingStructure],
        scanResponse: [AdvertisingStructure] = [], interval: Duration = .milliseconds(100), extended: Extended? = nil
    ) {
        self.init(
            packet, data: structures.flatMap(\.octets), scanResponse: scanResponse.flatMap(\.octets),
            interval: interval, extended: extended)
    }

    /// The reason why an advertisement is not possible.
    public struct ParameterError: Error, Hashable, Sendable, CustomStringConvertible {
        /// A sentence with the fault and its remedy.
        public let description: String
    }

    /// Throws if the advertisement is not possible.
    package func check() throws(ParameterError) { _ = try encoded() }

    func encoded() throws(ParameterError) -> RawAdvertising {
        if let extended { return try encoded(extended) }
        guard let data = HCI.AdvertisingData(data.span), let response = HCI.AdvertisingData(scanResponse.span) else {
            throw ParameterError(
                description:
                    "The advertising data has \(self.data.count) octets and the scan response \(scanResponse.count): each has at most 31."
            )
        }
        var advertising = RawAdvertising(
            type: .nonconnectableUndirected, interval: try intervalUnits(), data: data, response: response)
        switch packet {
        case .connectable: advertising.type = .connectableUndirected
        case .scannable: advertising.type = .scannableUndirected
        case .nonConnectable:
            guard scanResponse.isEmpty else {
                throw ParameterError(description: "A non-connectable packet has no scan response: use .scannable.")
            }
        case .directed(let target):
            guard self.data.isEmpty, scanResponse.isEmpty else {
                throw ParameterError(
                    description: "A directed packet carries no data: leave data and scan response empty.")
            }
            advertising.type = .connectableDirectedLowDutyCycle
            advertising.target = target.value
        }
        return advertising
    }

    /// The interval in units of 0.625 ms.
    private func intervalUnits() throws(ParameterError) -> UInt16 {
        guard (.milliseconds(20) ... .milliseconds(10_240)).contains(interval) else {
            throw ParameterError(
                description: "An advertising interval of \(interval) is not possible: use 20 ms to 10.24 s.")
        }
        return UInt16(clamping: TimeSpan(interval).nanoseconds / 625_000)
    }

    private func encoded(_ extended: Extended) throws(ParameterError) -> RawAdvertising {
        guard extended.primaryPHY != .twoM else {
            throw ParameterError(description: "The primary channels have no 2M: use oneM or coded.")
        }
        guard let sid = UInt8(exactly: extended.sid), sid < 16 else {
            throw ParameterError(description: "An Advertising SID of \(extended.sid) is not possible: use 0 to 15.")
        }
        var advertising = RawAdvertising(type: .nonconnectableUndirected, interval: try intervalUnits())
        // The octets of AUX_ADV_IND (Vol 6, Part B, 2.3.1.6).
        var (longest, longestResponse) = (1650, 0)
        switch packet {
        case .connectable: (advertising.type, longest) = (.connectableUndirected, 245)
        case .scannable: (advertising.type, longest, longestResponse) = (.scannableUndirected, 0, 1650)
        case .nonConnectable: break
        case .directed(let target):
            (advertising.type, longest) = (.connectableDirectedLowDutyCycle, 239)
            advertising.target = target.value
        }
        guard data.count <= longest, scanResponse.count <= longestResponse else {
            throw ParameterError(
                description:
                    "The advertising data has \(data.count) octets and the scan response \(scanResponse.count): such an extended event has at most \(longest) and \(longestResponse)."
            )
        }
        guard longestResponse == 0 || !scanResponse.isEmpty else {
            throw ParameterError(description: "A scannable extended event needs a scan response: use .nonConnectable.")
        }
        guard !extended.isAnonymous || packet == .nonConnectable else {
            throw ParameterError(description: "Only a non-connectable event can be anonymous.")
        }
        advertising.extended = RawAdvertising.Extended(
            primaryPHY: HCI.PHY(extended.primaryPHY), secondaryPHY: HCI.PHY(extended.secondaryPHY), sid: sid,
            isAnonymous: extended.isAnonymous, data: data, response: scanResponse)
        return advertising
    }
}

extension HCI.PHY {
    fileprivate init(_ phy: RadioPacket.PHY) {
        switch phy {
        case .oneM: self = .le1M
        case .twoM: self = .le2M
        case .coded: self = .leCoded
        }
    }
}
