import BLEWire

/// The place of an advertising PDU in its event. PDUs of one type have different names by it (Vol 6, Part B, 2.3).
package enum AdvertisingPlace: UInt8, Hashable, Sendable {
    /// On a primary channel.
    case primary
    /// On a secondary channel: the PDU that those on the primary channels name, and requests to its sender.
    case auxiliary
    /// The continuation of the data of a PDU on a secondary channel.
    case chain
    /// The answer to a scan request on a secondary channel.
    case scanResponse
    /// The first PDU of an event of periodic advertising.
    case periodic
    /// The same in a subevent of a train with responses.
    case subevent
    /// The answer in a response slot of such a train.
    case subeventResponse
}

/// The PDUs on secondary channels that earlier PDUs announced. Without them, AUX_ADV_IND, AUX_CHAIN_IND and AUX_SCAN_RSP look alike.
struct AuxiliaryPackets: Hashable, Sendable {
    /// The most announcements that are remembered. Beyond it, all are forgotten.
    static let limit = 4096

    private struct Key: Hashable {
        /// Of the train or of all other advertising.
        var accessAddress: UInt32
        var channel: UInt8
        /// Chained PDUs repeat the ADI.
        var info: UInt16?
    }

    private struct Announcement: Hashable {
        var place: AdvertisingPlace
        var conversation: Int
        /// The earliest and the latest start in nanoseconds.
        var times: ClosedRange<Int64>
    }

    private var announcements: [Key: Announcement] = [:]
    /// The last scan request on each secondary channel.
    private var requests: [UInt8: Announcement] = [:]

    var count: Int { announcements.count }

    /// The place of a PDU, and the conversation of the PDU that announced it.
    func place(of frame: AirFrame, _ type: LL.AdvertisingPDUType, _ info: LL.AdvertisingDataInfo?, hasAddress: Bool)
        -> (AdvertisingPlace, conversation: Int?)
    {
        guard frame.channel < 37 else { return (.primary, nil) }
        guard type == .extended else { return (.auxiliary, nil) }
        if let request = requests[frame.channel], request.times.contains(frame.start) {
            return (request.place, request.conversation)
        }
        if let announcement = announcement(of: frame, info) { return (announcement.place, announcement.conversation) }
        return (hasAddress ? .auxiliary : .chain, nil)
    }

    /// Whether a PDU of a train continues one before it.
    func isChained(_ frame: AirFrame, _ info: LL.AdvertisingDataInfo?) -> Bool { announcement(of: frame, info) != nil }

    private func announcement(of frame: AirFrame, _ info: LL.AdvertisingDataInfo?) -> Announcement? {
        let key = Key(accessAddress: frame.accessAddress, channel: frame.channel, info: info?.rawValue)
        guard let announcement = announcements[key], announcement.times.contains(frame.start) else { return nil }
        return announcement
    }

    /// Remembers what a PDU announces.
    mutating func add(_ frame: AirFrame, _ pdu: borrowing LL.ExtendedAdvertisement, conversation: Int) {
        guard let pointer = pdu.pointer, pointer.offset > 0, let span = frame.start.advanced(by: pointer.span) else {
            return
        }
        if announcements.count >= Self.limit { announcements.removeAll() }
        let slack: Int64 = 16_000
        let key = Key(
            accessAddress: frame.accessAddress, channel: pointer.channel, info: pdu.dataInfo?.rawValue)
        announcements[key] = Announcement(
            place: frame.channel >= 37 ? .auxiliary : .chain, conversation: conversation,
            times: span - slack...span + pointer.unit.nanoseconds + slack)
    }

    /// Remembers a scan request on a secondary channel.
    mutating func addRequest(_ frame: AirFrame, conversation: Int) {
        guard frame.channel < 37, let end = frame.start.advanced(by: TimeSpan(nanoseconds: frame.airTime)),
            let answer = end.advanced(by: LL.interFrameSpace)
        else { return }
        // An active clock deviates by at most 2 µs (Vol 6, Part B, 4.2.1).
        requests[frame.channel] = Announcement(
            place: .scanResponse, conversation: conversation, times: answer - 4_000...answer + 4_000)
    }
}

extension Int64 {
    /// The time a span later; nil if times of a strange capture do not add up, or come near the end of the number.
    fileprivate func advanced(by span: TimeSpan) -> Int64? {
        let (sum, overflows) = addingReportingOverflow(span.nanoseconds)
        return overflows || sum < .min / 2 || sum > .max / 2 ? nil : sum
    }
}
