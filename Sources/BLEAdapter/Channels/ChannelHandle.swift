import BLEWire

/// One L2CAP channel as the program holds it: what came in and was not read, what was written and not sent.
///
/// Any thread may read and write; both ends are bounded. What is read is told to the host, which then gives the peer credits,
/// so a program that does not read stops its peer; a program whose peer does not read finds no space.
///
/// What comes in keeps its order, not its SDU boundaries; each write that fits the peer's MTU goes out as one SDU.
package final class ChannelHandle: Sendable {
    /// Octets written and not sent from which on there is no space.
    static let outboxLimit = 16_384
    /// The longest SDU this side makes.
    static let longestSDU = 8_192

    struct Content {
        var inbox = OctetQueue()
        /// Octets read that the host has not been told of.
        var unreported = 0
        /// The program does not read any more: what comes is thrown away.
        var isReadingOver = false

        var outbox = OctetQueue()
        /// The SDUs in `outbox`.
        var lengths: [Int] = []
        var firstLength = 0
        /// The core has been asked to take what is in `outbox`, and has not yet begun.
        var isPumpOnItsWay = false
        /// There was no space, and the observer has not heard of space since.
        var wasFull = false

        var end: ChannelEnd?
        weak var observer: (any ChannelObserver)?
    }

    /// The number of the service.
    package let psm: UInt16
    /// The longest SDU that is sent, octets.
    let sduLimit: Int
    /// Octets read after which the host is told.
    private let reportThreshold: Int
    private let driver: any ChannelDriver
    let content = Lock(Content())

    package init(psm: UInt16, sendMTU: Int, receiveWindow: Int, driver: any ChannelDriver) {
        self.psm = psm
        sduLimit = max(1, min(sendMTU, Self.longestSDU))
        reportThreshold = max(1, receiveWindow / 8)
        self.driver = driver
    }

    /// Who is told of changes; held weakly.
    package func observe(_ observer: (any ChannelObserver)?) { content.withLock { $0.observer = observer } }

    /// What can be done now. Once there was no space, there is none until the observer hears of it.
    package var status: ChannelStatus {
        content.withLock {
            let hasSpace = !$0.wasFull && $0.outbox.count < Self.outboxLimit
            return ChannelStatus(readable: $0.inbox.count, hasSpace: hasSpace, end: $0.end)
        }
    }

    /// Takes up to `buffer.count` octets; gives how many. 0: nothing is there.
    package func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let (count, report) = content.withLock { content in
            let count = content.inbox.take(into: buffer)
            content.unreported += count
            guard content.unreported >= reportThreshold, content.end == nil else { return (count, 0) }
            defer { content.unreported = 0 }
            return (count, content.unreported)
        }
        if report > 0 { driver.consumed(report) }
        return count
    }

    /// Queues octets; gives how many were taken, 0 when there is no space or the channel is over.
    package func write(_ octets: UnsafeBufferPointer<UInt8>) -> Int {
        let (count, mustPump) = content.withLock { content in
            guard content.end == nil else { return (0, false) }
            var count = 0
            while count < octets.count, content.outbox.count < Self.outboxLimit {
                let length = min(sduLimit, octets.count - count)
                content.outbox.append(UnsafeBufferPointer(rebasing: octets[count..<count + length]))
                content.lengths.append(length)
                count += length
            }
            if content.outbox.count >= Self.outboxLimit { content.wasFull = true }
            let mustPump = count > 0 && !content.isPumpOnItsWay
            if mustPump { content.isPumpOnItsWay = true }
            return (count, mustPump)
        }
        if mustPump { driver.pump() }
        return count
    }

    /// The program reads no more: what came and what will come is thrown away, so that the peer is not stopped.
    package func endReading() {
        let report = content.withLock { content in
            content.isReadingOver = true
            defer {
                content.inbox.removeAll()
                content.unreported = 0
            }
            return content.end == nil ? content.inbox.count + content.unreported : 0
        }
        if report > 0 { driver.consumed(report) }
    }

    /// Closes the channel once what was written has been sent.
    package func close() {
        let isNews = content.withLock { content in
            guard content.end == nil else { return false }
            content.end = .local
            return true
        }
        if isNews { driver.close() }
    }

    deinit {
        if content.withLock({ $0.end }) == nil { driver.close() }
    }
}

// Called on the executor.
extension ChannelHandle {
    /// Octets from the peer.
    package func deliver(_ octets: Span<UInt8>) {
        let (observer, report) = content.withLock { content in
            guard !content.isReadingOver else { return (nil as (any ChannelObserver)?, octets.count) }
            let wasEmpty = content.inbox.count == 0
            octets.withUnsafeBufferPointer { content.inbox.append($0) }
            return (wasEmpty ? content.observer : nil, 0)
        }
        if report > 0 { driver.consumed(report) }
        observer?.channelChanged()
    }

    /// Hands out SDUs until `send` takes no more.
    package func takeSDUs(_ send: (Span<UInt8>) -> Bool) {
        let observer = content.withLock { content in
            content.isPumpOnItsWay = false
            while content.firstLength < content.lengths.count {
                let length = content.lengths[content.firstLength]
                guard send(content.outbox.first(length)) else { break }
                content.outbox.removeFirst(length)
                content.firstLength += 1
            }
            if content.firstLength == content.lengths.count || content.firstLength >= 64 {
                content.lengths.removeFirst(content.firstLength)
                content.firstLength = 0
            }
            guard content.wasFull, content.outbox.count <= Self.outboxLimit / 2 else {
                return nil as (any ChannelObserver)?
            }
            content.wasFull = false
            return content.observer
        }
        observer?.channelChanged()
    }

    package var hasUnsent: Bool { content.withLock { $0.outbox.count > 0 } }

    /// The channel is over.
    package func finish(_ end: ChannelEnd) {
        let observer = content.withLock { content in
            if content.end == nil { content.end = end }
            return content.observer
        }
        observer?.channelChanged()
    }
}
