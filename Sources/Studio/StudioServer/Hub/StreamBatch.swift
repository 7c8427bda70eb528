/// Items of a stream.
package struct StreamBatch: Sendable {
    /// The items as JSON, without the brackets of the array.
    package var items: [JSONText]
    /// The position after the last item.
    package var next: Int
    /// The number of items before the first one that the page did not get, because they are no longer kept.
    package var missed: Int
    /// The first position whose items the page drops, because the stream began again there. `StudioHub.resetStream` reports the
    /// same for pages that read the stream only later.
    package var reset: Int?

    package init(items: [JSONText], next: Int, missed: Int = 0, reset: Int? = nil) {
        self.items = items
        self.next = next
        self.missed = missed
        self.reset = reset
    }
}

/// The position of a page in a stream.
struct StreamPosition: Hashable, Sendable {
    /// The position of the next item.
    var next: Int
    /// The number of resets that the page knows.
    var resets: Int
}

/// The resets of a stream, so that a page that slept through several of them drops the right items.
struct StreamResets: Hashable, Sendable {
    /// The number of resets that are kept. A page that missed more of them drops all items.
    static let limit = 64

    private(set) var count = 0
    private var latest: [Int] = []

    mutating func append(_ position: Int) {
        count += 1
        latest.append(max(0, position))
        if latest.count > Self.limit { latest.removeFirst() }
    }

    /// The lowest position of the resets after the first `known`; nil if there was none.
    func lowest(after known: Int) -> Int? {
        guard known < count else { return nil }
        return count - known > latest.count ? 0 : latest.suffix(count - known).min()
    }
}
