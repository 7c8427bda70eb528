import BLEWire

/// Joins the pieces of extended advertising reports: an event has at most 229 octets of data, an advertisement up to 1,650 (Vol 4, Part E,
/// 7.7.65.13). Reports name no advertisement, so pieces belong together by address, SID, and whether they are of a scan response.
///
/// An advertisement whose pieces may be incomplete, or of two devices, is reported as truncated. A piece that looks like a first one, that differs in its
/// properties from the one before, or that comes too late for its chain begins a new advertisement. Anonymous pieces are not joined: two devices
/// may have sent them.
struct ReportAssembler: Sendable {
    /// The most octets of an advertisement.
    static let maximumData = 1650
    /// The most advertisements of which pieces are missing. Another one takes the place of the one that has waited longest. A controller with one
    /// radio follows one or two at a time.
    static let maximumUnfinished = 8
    /// The time from one piece to the next: an AuxPtr points at most 2.46 s ahead (Vol 6, Part B, 2.3.4.5).
    static let patience = TimeSpan.milliseconds(2_500)

    /// What a piece completes.
    enum Result: Hashable, Sendable {
        case nothing
        /// The report has all of the data, or all that there will be.
        case alone(isTruncated: Bool)
        /// `joined` has the data.
        case joined(isTruncated: Bool)
    }

    fileprivate struct Key: Hashable {
        let address: DeviceAddress
        let sid: UInt8
        let isScanResponse: Bool
    }

    fileprivate struct Unfinished {
        let key: Key
        /// Of all pieces: properties, PHYs.
        let form: UInt32
        var octets: [UInt8] = []
        /// The octets of the first piece.
        var firstCount = 0
        /// Whether octets are missing, or may be of another advertisement.
        var isDoubtful = false
        var latest: Instant
    }

    private var unfinished: [Unfinished] = []
    /// The last time that an advertisement lost its place. Pieces of it may still come.
    private var evicted: Instant?
    /// The data of the last `Result.joined`.
    private(set) var joined: [UInt8] = []

    /// The number of advertisements of which pieces are missing.
    var count: Int { unfinished.count }

    mutating func receive(_ report: HCI.ExtendedAdvertisingReport, at now: Instant) -> Result {
        let status = report.eventType.dataStatus
        let isLast = status != .moreToCome
        let isTruncated = isLast && status != .complete
        guard report.address.kind != .anonymous else {
            return status == .complete ? .alone(isTruncated: false) : .nothing
        }
        let key = Key(
            address: report.address, sid: report.advertisingSID,
            isScanResponse: report.eventType.contains(.scanResponse))
        guard var entry = take(key) else {
            // This may be the rest of an advertisement that lost its place. Legacy and connectable packets have no rest (Vol 6, Part B, 2.3.1.6).
            let isDoubtful =
                evicted.map { now - $0 <= Self.patience } ?? false
                && report.eventType.isDisjoint(with: [.legacy, .connectable])
            if isLast { return .alone(isTruncated: isTruncated || isDoubtful) }
            keep(Self.begin(key, report, isDoubtful: isDoubtful, at: now))
            return .nothing
        }
        if entry.continues(report, at: now) {
            entry.append(report.data, at: now)
        } else {
            // The end of the old one is lost, so this one may lack its begin.
            entry = Self.begin(key, report, isDoubtful: true, at: now)
        }
        if !isLast {
            keep(entry)
            return .nothing
        }
        joined = entry.octets
        return .joined(isTruncated: isTruncated || entry.isDoubtful)
    }

    private mutating func take(_ key: Key) -> Unfinished? {
        unfinished.firstIndex { $0.key == key }.map { unfinished.remove(at: $0) }
    }

    /// Keeps an advertisement as the latest.
    private mutating func keep(_ entry: Unfinished) {
        if unfinished.count == Self.maximumUnfinished {
            // What was to come of one that has waited too long would begin anew.
            if entry.latest - unfinished.removeFirst().latest <= Self.patience { evicted = entry.latest }
        }
        unfinished.append(entry)
    }

    private static func begin(
        _ key: Key, _ report: HCI.ExtendedAdvertisingReport, isDoubtful: Bool, at now: Instant
    ) -> Unfinished {
        var entry = Unfinished(key: key, form: form(report), isDoubtful: isDoubtful, latest: now)
        entry.append(report.data, at: now)
        entry.firstCount = entry.octets.count
        return entry
    }

    fileprivate static func form(_ report: HCI.ExtendedAdvertisingReport) -> UInt32 {
        UInt32(report.eventType.rawValue & ~0x60) << 16 | UInt32(report.primaryPHY) << 8 | UInt32(report.secondaryPHY)
    }
}

extension ReportAssembler.Unfinished {
    /// Whether a report can be the next piece.
    fileprivate func continues(_ report: HCI.ExtendedAdvertisingReport, at now: Instant) -> Bool {
        guard now - latest <= ReportAssembler.patience, form == ReportAssembler.form(report) else { return false }
        // The same octets as those of the first piece: the advertisement is repeated.
        return firstCount == 0 || !octets.span.extracting(0..<firstCount).elementsEqual(report.data)
    }

    fileprivate mutating func append(_ data: Span<UInt8>, at now: Instant) {
        latest = now
        let room = ReportAssembler.maximumData - octets.count
        if data.count > room { isDoubtful = true }
        octets.append(data.extracting(first: min(room, data.count)))
    }
}
