extension LL {
    /// AdvA of a PDU that has its type in another field.
    package typealias AdvertiserAddress = UInt64

    /// The octet with SID, AType and SCA of LL_PERIODIC_SYNC_IND (Vol 6, Part B, 2.4.2.27).
    package struct PeriodicAdvertiserInfo: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Uses 4 bits of `setID` and 3 bits of `sleepClockAccuracy`.
        package init(setID: UInt8, isRandom: Bool, sleepClockAccuracy: UInt8) {
            rawValue = setID & 0x0F | (isRandom ? 0x10 : 0) | (sleepClockAccuracy & 7) << 5
        }

        /// The advertising set, 0 to 15.
        package var setID: UInt8 { rawValue & 0x0F }
        /// Whether the advertiser's address is random.
        package var isRandom: Bool { rawValue & 0x10 != 0 }
        /// The clock of the device that sends the PDU: 0 (251 to 500 ppm) to 7 (0 to 20 ppm).
        package var sleepClockAccuracy: UInt8 { rawValue >> 5 }
    }

    /// Tells the peer where a train of periodic advertising is (Vol 6, Part B, 2.4.2.27).
    package struct PeriodicSyncInd: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .periodicSyncInd }
        /// A value of the sender's host.
        package var identifier: UInt16
        /// Its offset counts from the anchor of `connectionEvent`.
        package var syncInfo: SyncInfo
        package var connectionEvent: UInt16
        /// The last periodic event that the sender received or sent.
        package var lastPeriodicEvent: UInt16
        package var advertiserInfo: PeriodicAdvertiserInfo
        /// One PHY.
        package var phy: PHYSet
        package var advertiser: AdvertiserAddress
        /// The connection event during which the sender made this PDU.
        package var syncConnectionEvent: UInt16
    }

    /// The same of a train with responses (Vol 6, Part B, 2.4.2.43).
    package struct PeriodicSyncWRInd: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .periodicSyncWRInd }
        /// A value of the sender's host.
        package var identifier: UInt16
        /// Its offset counts from the anchor of `connectionEvent`.
        package var syncInfo: SyncInfo
        package var connectionEvent: UInt16
        /// The last periodic event that the sender received or sent.
        package var lastPeriodicEvent: UInt16
        package var advertiserInfo: PeriodicAdvertiserInfo
        /// One PHY.
        package var phy: PHYSet
        package var advertiser: AdvertiserAddress
        /// The connection event during which the sender made this PDU.
        package var syncConnectionEvent: UInt16
        /// The access address of responses.
        package var responseAccessAddress: UInt32
        /// 1 to 128.
        package var subeventCount: UInt8
        /// In units of 1.25 ms, 6 to 255.
        package var subeventInterval: UInt8
        /// In units of 1.25 ms; 0 means no response slots.
        package var responseSlotDelay: UInt8
        /// In units of 0.125 ms; 0 means no response slots.
        package var responseSlotSpacing: UInt8
    }
}
