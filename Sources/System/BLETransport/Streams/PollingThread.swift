import BLEWire
import Synchronization

/// A thread that waits for a stream, for a time, or for `wake`, and calls its body after each wait.
package final class PollingThread: Sendable {
    /// The conditions of the thread's next wait.
    package struct WaitRequest {
        // Retained, so that its number belongs to the same stream until the wait is over.
        fileprivate let descriptor: Descriptor?
        /// Whether the wait also ends when the stream is writable.
        package let awaitsWriting: Bool
        fileprivate let deadline: Instant?
        fileprivate let waits: Bool

        /// - Parameters:
        ///   - stream: The stream to wait for. The thread waits for no stream if it is nil or closed.
        ///   - deadline: A time of the monotonic clock; nil for no deadline.
        ///   - waits: False only looks at the stream.
        package init(stream: PolledStream?, deadline: Instant?, waits: Bool = true) {
            descriptor = stream?.descriptor
            awaitsWriting = stream?.awaitsWriting ?? false
            self.deadline = deadline
            self.waits = waits
        }
    }

    /// The operations that the stream of the last request supports without waiting.
    package struct Readiness: Sendable {
        package var isReadable = false
        package var isWritable = false

        package init(isReadable: Bool = false, isWritable: Bool = false) {
            self.isReadable = isReadable
            self.isWritable = isWritable
        }
    }

    /// Called on the thread, at once and after each wait. A nil result ends the thread.
    package typealias Body = @Sendable (Readiness) -> WaitRequest?

    private let wakeup: WakeupPipe

    /// The time in microseconds that the threads of this process give further octets to arrive before they read. A program that
    /// receives many packets and answers none, such as a scanner, saves most of its system calls with some milliseconds. 0 reads at
    /// once.
    package static let readDelay = Atomic<UInt32>(0)

    /// Starts the thread. Fails if the system has no descriptor or no thread left.
    package init(body: @escaping Body) throws(TransportError) {
        let wakeup = try WakeupPipe()
        self.wakeup = wakeup
        let loop = Unmanaged.passRetained(WaitLoop(wakeup: wakeup, body: body))
        var thread = pthread_t()
        let result = pthread_create(&thread, nil, runWaitLoop, loop.toOpaque())
        guard result == 0 else {
            loop.release()
            throw .outOfThreads(result)
        }
        pthread_detach(thread)
    }

    /// Ends the current wait, or the next one. May be called on any thread.
    package func wake() { wakeup.signal() }
}

private final class WaitLoop: Sendable {
    private let wakeup: WakeupPipe
    private let body: PollingThread.Body

    init(wakeup: WakeupPipe, body: @escaping PollingThread.Body) {
        self.wakeup = wakeup
        self.body = body
    }

    func run() {
        var readiness = PollingThread.Readiness()
        while let request = body(readiness) {
            readiness = wait(request)
        }
    }

    private func wait(_ request: PollingThread.WaitRequest) -> PollingThread.Readiness {
        var entries: [2 of pollfd] = [
            pollfd(fd: wakeup.number, events: Int16(POLLIN), revents: 0),
            pollfd(
                fd: request.descriptor?.number ?? -1,
                events: Int16(POLLIN) | (request.awaitsWriting ? Int16(POLLOUT) : 0), revents: 0),
        ]
        let count = withUnsafeMutablePointer(to: &entries) {
            $0.withMemoryRebound(to: pollfd.self, capacity: 2) {
                request.waits ? systemPoll($0, 2, until: request.deadline) : poll($0, 2, 0)
            }
        }
        guard count > 0 else { return PollingThread.Readiness() }
        if entries[0].revents != 0 { wakeup.drain() }
        let delay = PollingThread.readDelay.load(ordering: .relaxed)
        if delay > 0, request.waits, entries[1].revents & Int16(POLLIN) != 0 { usleep(delay) }
        // A read reports errors and the end of the stream.
        return PollingThread.Readiness(
            isReadable: entries[1].revents & ~Int16(POLLOUT) != 0,
            isWritable: entries[1].revents & Int16(POLLOUT) != 0)
    }
}

private func runWaitLoop(_ loop: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let loop { Unmanaged<WaitLoop>.fromOpaque(loop).takeRetainedValue().run() }
    return nil
}

/// Calls `poll` until a time of the monotonic clock, in whole milliseconds rounded up, so that the thread does not wake
/// before it.
private func systemPoll(_ entries: UnsafeMutablePointer<pollfd>, _ count: Int, until deadline: Instant?) -> Int32 {
    guard let deadline else { return poll(entries, nfds_t(count), -1) }
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let left = deadline.nanoseconds - (Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))
    return poll(entries, nfds_t(count), Int32(clamping: max(0, left) / 1_000_000 + 1))
}
