import BLEWire

/// Joins the pieces of reports of one train: an event has at most 247 octets of data, a train up to 1,650 (Vol 4, Part E, 7.7.65.15).
struct PeriodicReportAssembler: Hashable, Sendable {
    struct Whole: Hashable, Sendable {
        let data: [UInt8]
        let isTruncated: Bool
    }

    private var octets: [UInt8] = []
    /// Whether there were more octets than data can have.
    private var isExcessive = false

    mutating func receive(_ report: HCI.LEPeriodicAdvertisingReport) -> Whole? {
        let room = LL.maximumExtendedAdvertisingData - octets.count
        if report.data.count > room { isExcessive = true }
        octets.append(report.data.extracting(first: min(room, report.data.count)))
        guard report.dataStatus != .moreToCome else { return nil }
        defer { self = PeriodicReportAssembler() }
        return Whole(data: octets, isTruncated: isExcessive || report.dataStatus != .complete)
    }
}
