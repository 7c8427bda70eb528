/// AD structures of ACAD, which controllers exchange in periodic advertising (Vol 6, Part B, 2.3.4.8).
extension AD {
    /// Changes the channel map of a train (Core Specification Supplement, Part A, 1.20; Vol 6, Part B, 4.4.2.12).
    package struct ChannelMapUpdate: ADContent, FieldPDU, Hashable {
        package static var type: StructureType { .channelMapUpdate }
        package var channelMap: LL.ChannelMap
        /// The periodic event counter at which the change takes effect.
        package var instant: UInt16
    }

    /// The subevents and response slots of a train (Core Specification Supplement, Part A, 1.24).
    package struct PeriodicResponseTiming: ADContent, FieldPDU, Hashable {
        package static var type: StructureType { .periodicResponseTiming }
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
