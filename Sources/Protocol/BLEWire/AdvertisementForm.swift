/// How an advertisement was sent (Vol 4, Part E, 7.7.65.13).
package struct AdvertisementForm: Hashable, Sendable {
    /// Whether the packets are legacy ones: ADV_IND, ADV_DIRECT_IND, ADV_NONCONN_IND, ADV_SCAN_IND or SCAN_RSP.
    package var isLegacy: Bool
    /// The PHY of the primary channel. 1: 1M, 3: Coded.
    package var primaryPHY: UInt8
    /// 1: 1M, 2: 2M, 3: Coded; 0 if all came on a primary channel.
    package var secondaryPHY: UInt8
    /// The Advertising SID, 0 to 15; 255 means none.
    package var sid: UInt8
    /// The transmit power in the header, in dBm; 127 means not available.
    package var transmitPower: Int8
    /// The interval of the set's periodic advertising in units of 1.25 ms; 0 means that it has none.
    package var periodicInterval: UInt16 = 0

    package init(isLegacy: Bool, primaryPHY: UInt8, secondaryPHY: UInt8, sid: UInt8, transmitPower: Int8) {
        self.isLegacy = isLegacy
        self.primaryPHY = primaryPHY
        self.secondaryPHY = secondaryPHY
        self.sid = sid
        self.transmitPower = transmitPower
    }

    /// A legacy packet on 1M.
    @inlinable package static var legacy: AdvertisementForm {
        AdvertisementForm(isLegacy: true, primaryPHY: 1, secondaryPHY: 0, sid: 0xFF, transmitPower: 127)
    }

    /// `transmitPower` in dBm; nil if it is not available.
    package var advertisedPower: Int? { transmitPower == 127 ? nil : Int(transmitPower) }

    /// Tells the sets of a device apart: 0 for legacy packets, 1 to 16 for the sets with a SID, 17 for packets without one.
    package var setNumber: UInt8 { isLegacy ? 0 : 1 + min(sid, 16) }
    /// The largest `setNumber`.
    package static let lastSetNumber: UInt8 = 17
}
