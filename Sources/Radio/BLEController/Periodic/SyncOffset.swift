import BLEWire

/// The time to AUX_SYNC_IND in the units of SyncInfo (Vol 6, Part B, 2.3.4.6). It is rounded down, so that the PDU starts within one unit after it.
struct SyncOffset {
    /// 0 to 0x1FFF; 0 if the time is too long or too short.
    let units: UInt16
    let usesLongUnits: Bool
    /// Whether `adjustment` is added.
    let isAdjusted: Bool

    static let adjustment = TimeSpan.microseconds(2_457_600)

    /// - Parameter mayAdjust: False in an advertising PDU, whose Offset Adjust is 0.
    init(_ time: TimeSpan, mayAdjust: Bool) {
        let isAdjusted = mayAdjust && time >= Self.adjustment
        let offset = LL.PacketOffset(time, without: isAdjusted ? Self.adjustment : .zero)
        units = offset?.count ?? 0
        usesLongUnits = offset?.usesLongUnits ?? (time > .zero)
        self.isAdjusted = isAdjusted && offset != nil
    }
}

extension LL.SyncInfo {
    /// From the reference to the earliest start of AUX_SYNC_IND; nil if the field names none.
    ///
    /// - Parameter mayAdjust: False for an advertising PDU, in which Offset Adjust has no meaning.
    func offsetSpan(mayAdjust: Bool) -> TimeSpan? {
        let isAdjusted = mayAdjust && adjustsOffset
        guard offset > 0 || isAdjusted else { return nil }
        return packetOffset.span + (isAdjusted ? SyncOffset.adjustment : .zero)
    }

    /// AUX_SYNC_IND starts at most this long after `offsetSpan`.
    var offsetUnit: TimeSpan { packetOffset.unit }

    private var packetOffset: LL.PacketOffset { LL.PacketOffset(count: offset, usesLongUnits: usesLongUnits) }
}
