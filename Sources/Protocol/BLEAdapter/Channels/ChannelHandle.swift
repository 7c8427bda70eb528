import BLEWire

/// The program's end of an L2CAP channel: octets received and not read, octets written and not sent.
///
/// Any thread may read and write. Both directions are bounded. The handle reports the octets that the program reads to
/// the host, which then gives the peer credits (Vol 3, Part A, 10.1). A program that does not read stops its peer. If
/// the peer does not read, the program finds no space.
///
/// Received octets keep their order, but not their SDU boundaries. Each write that fits the peer's MTU is sent as one
/// SDU.
///
/// The executor takes SDUs under the lock and sends them outside it, so threads of the program never wait for the host.
package final class ChannelHandle: Sendable {
    /// The number of unsent octets from which on there is no space.
    static let outboxLimit = 16_384
    /// The longest SDU that this side sends, in octets.
    static let longestSDU = 8_192

    struct Content {
        var inbox = OctetQueue()
        /// The number of read octets that are not reported to the host.
        var unreported = 0
        /// The program has stopped reading: received octets are dropped.
        var isReadingOver = false

        var outbox = SDUQueue()
        /// The number of written octets that the host has not accepted: those in `outbox`, and those that the executor
        /// has taken from it.
        var unsent = 0
        /// A call that takes the content of `outbox` is queued on the executor and has not begun.
        var isPumpScheduled = false
        /// There was no space, and the observer has not been called since.
        var wasFull = false

        var end: ChannelEnd?
        weak var observer: (any ChannelObserver)?
    }

    /// The number of the service.
    package let psm: UInt16
    /// The longest SDU to send, in octets.
    let sduLimit: Int
    /// The number of read octets after which the handle reports them to the host.
    private let reportThreshold: Int
    private let driver: any ChannelDriver
    let content = Lock(Content())

    package init(psm: UInt16, sendMTU: Int, receiveWindow: Int, driver: any ChannelDriver) {
        self.psm = psm
        sduLimit = max(1, min(sendMTU, Self.longestSDU))
        reportThreshold = max(1, receiveWindow / 8)
        self.driver = driver
    }

    /// Sets the object that receives the changes. The reference is weak.
    package func observe(_ observer: (any ChannelObserver)?) { content.withLock { $0.observer = observer } }

    /// The operations that are possible now. After there was no space, there is none until the observer is called.
    package var status: ChannelStatus {
        content.withLock {
            let hasSpace = !$0.wasFull && $0.unsent < Self.outboxLimit
            return ChannelStatus(readable: $0.inbox.count, hasSpace: hasSpace, end: $0.end)
        }
    }

    /// Reads up to `buffer.count` octets. Returns their number; 0 if none are available.
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

    /// Queues octets. Returns the number of accepted octets; 0 if there is no space or the channel has ended.
    package func write(_ octets: UnsafeBufferPointer<UInt8>) -> Int {
        let (count, mustPump) = content.withLock { content in
            guard content.end == nil else { return (0, false) }
            var count = 0
            while count < octets.count, content.unsent < Self.outboxLimit {
                let length = min(sduLimit, octets.count - count)
                content.outbox.append(UnsafeBufferPointer(rebasing: octets[count..<count + length]))
                content.unsent += length
                count += length
            }
            if content.unsent >= Self.outboxLimit { content.wasFull = true }
            let mustPump = count > 0 && !content.isPumpScheduled
            if mustPump { content.isPumpScheduled = true }
            return (count, mustPump)
        }
        if mustPump { driver.pump() }
        return count
    }

    /// Ends reading. The handle drops received and future octets, so that the peer is not stopped.
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

    /// Closes the channel after the written octets have been sent.
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
    /// Takes octets from the peer.
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

    /// Moves the written SDUs to `queue`, if that is empty. The buffers are exchanged, and no octet is copied.
    package func takeSDUs(into queue: inout SDUQueue) {
        content.withLock { content in
            content.isPumpScheduled = false
            if queue.isEmpty { swap(&content.outbox, &queue) }
        }
    }

    /// Records that the host has accepted `count` octets of the SDUs that were taken.
    package func sent(_ count: Int) {
        let observer = content.withLock { content in
            content.unsent -= count
            guard content.wasFull, content.unsent <= Self.outboxLimit / 2 else {
                return nil as (any ChannelObserver)?
            }
            content.wasFull = false
            return content.observer
        }
        observer?.channelChanged()
    }

    package var hasUnsent: Bool { content.withLock { $0.unsent > 0 } }

    /// Takes the end of the channel.
    package func finish(_ end: ChannelEnd) {
        let observer = content.withLock { content in
            if content.end == nil { content.end = end }
            return content.observer
        }
        observer?.channelChanged()
    }
}
