import BLEWire
import CLinuxBluetooth

/// A thread that waits for a stream, for a moment, or to be woken, and calls its body after each wait.
///
/// It costs one system call for each wait, where a dispatch source costs several and a second thread: for an owner whose
/// stream is busy, or who answers what it reads.
package final class PollingThread: @unchecked Sendable {
    /// What the thread waits for next.
    package struct Wish {
        // Held, so that its number means the same stream until the wait is over.
        fileprivate let descriptor: Descriptor?
        fileprivate let awaitsWriting: Bool
        fileprivate let deadline: Instant?

        /// - Parameters:
        ///   - stream: one that was started with `startPolled`; nil or closed: none.
        ///   - deadline: nil: no moment.
        package init(stream: ByteStream?, deadline: Instant?) {
            descriptor = stream?.pollDescriptor
            awaitsWriting = stream?.awaitsWriting ?? false
            self.deadline = deadline
        }
    }

    package struct Readiness: Sendable {
        package var isReadable = false
        package var isWritable = false

        package init(isReadable: Bool = false, isWritable: Bool = false) {
            self.isReadable = isReadable
            self.isWritable = isWritable
        }
    }

    /// Called on the thread after each wait; nil ends the thread. In `Readiness` is what holds for the stream of the last wish.
    package typealias Body = @Sendable (Readiness) -> Wish?

    private let alarm: Alarm

    /// Starts the thread; its first call of `body` comes at once. Fails when the system has no descriptor or no thread left.
    package init(body: @escaping Body) throws(TransportError) {
        let alarm = try Alarm()
        self.alarm = alarm
        let start = Unmanaged.passRetained(Start(alarm: alarm, body: body))
        var thread = pthread_t()
        let result = pthread_create(&thread, nil, threadMain, start.toOpaque())
        guard result == 0 else {
            start.release()
            throw TransportError(
                .system,
                "No thread can be started for Bluetooth (\(systemText(result))): end some programs, or raise their limit with ulimit -u."
            )
        }
        pthread_detach(thread)
    }

    /// Ends the wait under way, or the next one. From any thread.
    package func wake() { alarm.ring() }
}

/// What wakes a waiting thread: a pipe, which has no more to say than that.
private final class Alarm: Sendable {
    private let reading: Descriptor
    private let writing: Descriptor

    init() throws(TransportError) {
        var numbers: [2 of Int32] = [-1, -1]
        let result = withUnsafeMutablePointer(to: &numbers) {
            $0.withMemoryRebound(to: Int32.self, capacity: 2) { clb_open_pipe($0) }
        }
        guard result == 0 else {
            throw .outOfDescriptors(for: "Bluetooth", -result)
        }
        reading = Descriptor(numbers[0], kind: .file)
        writing = Descriptor(numbers[1], kind: .file)
    }

    var number: Int32 { reading.number }

    func ring() {
        var octet: UInt8 = 0
        // A full pipe wakes as well.
        _ = systemWrite(writing.number, &octet, 1)
    }

    func quieten() {
        var octets: [64 of UInt8] = .init(repeating: 0)
        while withUnsafeMutableBytes(of: &octets, { systemRead(reading.number, $0.baseAddress, $0.count) }) == 64 {}
    }
}

private final class Start: Sendable {
    let alarm: Alarm
    let body: PollingThread.Body

    init(alarm: Alarm, body: @escaping PollingThread.Body) {
        self.alarm = alarm
        self.body = body
    }

    func run() {
        var readiness = PollingThread.Readiness()
        while let wish = body(readiness) {
            readiness = wait(wish)
        }
    }

    private func wait(_ wish: PollingThread.Wish) -> PollingThread.Readiness {
        var entries: [2 of pollfd] = [
            pollfd(fd: alarm.number, events: Int16(POLLIN), revents: 0),
            pollfd(
                fd: wish.descriptor?.number ?? -1,
                events: Int16(POLLIN) | (wish.awaitsWriting ? Int16(POLLOUT) : 0), revents: 0),
        ]
        let count = withUnsafeMutablePointer(to: &entries) {
            $0.withMemoryRebound(to: pollfd.self, capacity: 2) { systemPoll($0, 2, until: wish.deadline) }
        }
        guard count > 0 else { return PollingThread.Readiness() }
        if entries[0].revents != 0 { alarm.quieten() }
        // Errors and ends show when one reads.
        return PollingThread.Readiness(
            isReadable: entries[1].revents & ~Int16(POLLOUT) != 0,
            isWritable: entries[1].revents & Int16(POLLOUT) != 0)
    }
}

private func threadMain(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let start { Unmanaged<Start>.fromOpaque(start).takeRetainedValue().run() }
    return nil
}

/// `poll` until a moment of the monotonic clock, in whole milliseconds, rounded up: to wake too early would be for nothing.
private func systemPoll(_ entries: UnsafeMutablePointer<pollfd>, _ count: Int, until deadline: Instant?) -> Int32 {
    guard let deadline else { return poll(entries, nfds_t(count), -1) }
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let left = deadline.nanoseconds - (Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))
    return poll(entries, nfds_t(count), Int32(clamping: max(0, left) / 1_000_000 + 1))
}
