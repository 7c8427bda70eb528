import BLEAdapter
import BLEWire

/// Who scans, and what each has been told. What is known of the advertisers is in the board's `AdvertiserTable`.
///
/// A scannable advertiser is reported once its scan response has come, so that a session that wants each device once gets
/// one report with everything in it. A response may get lost: then the advertiser is reported without it after
/// `responsePatience`, and again, as changed, when the response comes after all.
struct Scanner {
    /// How long a scannable advertiser waits for its scan response.
    static let responsePatience = TimeSpan.milliseconds(250)

    struct Session {
        var number: Int
        var request: ScanRequest
        /// The version last reported of the advertiser at each place.
        private var reported: [Int] = []

        init(number: Int, request: ScanRequest) {
            self.number = number
            self.request = request
        }

        func hasReported(_ version: Int, at place: Int) -> Bool { place < reported.count && reported[place] == version }

        mutating func report(_ version: Int, at place: Int) {
            while reported.count <= place { reported.append(0) }
            reported[place] = version
        }
    }

    /// Sessions that scan, in the order in which they began.
    var sessions: [Session] = []
    /// Advertisers whose scan response is waited for.
    var holds = HoldQueue()
    /// The sessions to tell of an advertiser; kept for its capacity.
    private var told: [Int] = []

    /// Decides who is to be told of the advertiser at `place` now (`chosen`), and notes that they are.
    ///
    /// - Parameter isPacket: whether it was heard just now.
    mutating func choose(_ advertisers: borrowing AdvertiserTable, _ place: Int, isPacket: Bool) {
        told.empty()
        for index in sessions.indices {
            if sessions[index].request.allowDuplicates {
                guard isPacket else { continue }
            } else {
                guard advertisers.entries[place].hold == nil,
                    !sessions[index].hasReported(advertisers.entries[place].version, at: place)
                else { continue }
            }
            let data = advertisers.entries[place].data
            let scanResponse = advertisers.entries[place].scanResponse
            guard sessions[index].request.matches(data.span, scanResponse.span) else { continue }
            sessions[index].report(advertisers.entries[place].version, at: place)
            told.append(sessions[index].number)
        }
    }

    var hasChosen: Bool { !told.isEmpty }
    var chosen: [Int] { told }
}

/// What waits for the same length of time each: first in, first out.
struct HoldQueue {
    private var items: [(at: Instant, place: Int)] = []
    private var head = 0
    /// The ticket of the item at `head`.
    private var first = 0

    private static let released = -1

    var next: Instant? { head < items.count ? items[head].at : nil }

    /// Returns the ticket with which it is released.
    mutating func add(_ place: Int, until time: Instant) -> Int {
        items.append((time, place))
        return first + items.count - head - 1
    }

    /// Ends a wait before its time.
    mutating func release(_ ticket: Int) {
        let index = head + ticket - first
        guard ticket >= first, index < items.count else { return }
        items[index].place = Self.released
        trim()
    }

    /// The place whose time is over.
    mutating func take(dueAt now: Instant) -> Int? {
        guard head < items.count, items[head].at <= now else { return nil }
        let place = items[head].place
        items[head].place = Self.released
        trim()
        return place
    }

    private mutating func trim() {
        while head < items.count, items[head].place == Self.released {
            head += 1
            first += 1
        }
        if head == items.count {
            items.empty()
            head = 0
        } else if head >= 256, head >= items.count / 2 {
            items.removeFirst(head)
            head = 0
        }
    }
}

extension ScanRequest {
    /// Whether this request is about a device that says such things.
    fileprivate func matches(_ data: Span<UInt8>, _ scanResponse: Span<UInt8>) -> Bool {
        if services.isEmpty, solicitedServices.isEmpty { return true }
        for service in services {
            if AD.contains(service: service, in: data) || AD.contains(service: service, in: scanResponse) {
                return true
            }
        }
        for service in solicitedServices {
            if AD.solicits(service: service, in: data) || AD.solicits(service: service, in: scanResponse) {
                return true
            }
        }
        return false
    }
}
