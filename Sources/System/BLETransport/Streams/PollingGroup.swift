import BLEAdapter
import CLinuxBluetooth
import Dispatch
import Synchronization

/// A thread that waits for many streams, for a time and for `wake`, and runs a step on a serial queue after each wait.
///
/// A wait costs one system call, and the step runs on the waiting thread. Dispatch sources and timers cost several calls and a
/// change of threads for each event. This suits an owner with many streams and frequent deadlines, such as a radio in real time.
package final class PollingGroup: Sendable {
    /// The time at which a wait ends by itself.
    package enum Wait: Sendable {
        /// Runs the next step at once.
        case none
        /// A time of the monotonic clock, in nanoseconds.
        case until(UInt64)
        case unlimited
    }

    /// Runs on the queue, on the thread of the group. It calls `serveStreams` once, which reads and writes the ready streams. A nil
    /// result ends the thread.
    package typealias Step = @Sendable (_ serveStreams: () -> Void) -> Wait?

    private let loop: GroupLoop

    /// Starts the thread. Fails if the system has no descriptor or no thread left.
    package init(queue: DispatchQueue, step: @escaping Step) throws(TransportError) {
        let loop = try GroupLoop(queue: queue, step: step)
        self.loop = loop
        let retained = Unmanaged.passRetained(loop)
        var thread = pthread_t()
        let result = pthread_create(&thread, nil, runGroupLoop, retained.toOpaque())
        guard result == 0 else {
            retained.release()
            throw .outOfThreads(result)
        }
        pthread_detach(thread)
    }

    /// Ends the thread. The streams of a group retain it.
    deinit { loop.end() }

    /// Ends the current wait, or the next one. May be called on any thread.
    package func wake() { loop.wakeup.signal() }

    /// Watches a socket. The watch is used by one thread at a time, and calls on the queue.
    package func watch(
        _ descriptor: Descriptor, onReadable: @escaping () -> Void, onWritable: @escaping () -> Void
    ) -> any StreamWatch {
        GroupWatch(descriptor, loop, onReadable: onReadable, onWritable: onWritable)
    }
}

/// The thread of a group, with the set of its descriptors.
///
/// `@unchecked Sendable`: `ready` and `readyCount` are used only on the thread.
private final class GroupLoop: @unchecked Sendable {
    private static let capacity = 64
    /// The tag of the pipe that ends a wait. A stream has its index plus 1.
    private static let wakeupTag: UInt64 = 0

    let set: Descriptor
    let wakeup: WakeupPipe
    private let queue: DispatchQueue
    private let step: PollingGroup.Step
    private struct Table {
        var watches: [GroupWatch?] = []
        var freeIndices: [Int] = []
    }
    /// Any thread may release a stream.
    private let table = Lock(Table())
    private var ready = [clb_readiness](repeating: clb_readiness(), count: capacity)
    private var readyCount = 0
    private let isEnded = Atomic(false)

    init(queue: DispatchQueue, step: @escaping PollingGroup.Step) throws(TransportError) {
        self.queue = queue
        self.step = step
        wakeup = try WakeupPipe()
        let number = clb_open_set()
        guard number >= 0 else { throw .outOfDescriptors(for: "Bluetooth", -number) }
        set = Descriptor(number, kind: .file)
        let result = clb_add_to_set(number, wakeup.number, Self.wakeupTag, 1, 0)
        guard result == 0 else { throw .outOfDescriptors(for: "Bluetooth", -result) }
    }

    /// Returns the tag for a watch.
    func insert(_ watch: GroupWatch) -> UInt64 {
        table.withLock { table in
            if let index = table.freeIndices.popLast() {
                table.watches[index] = watch
                return UInt64(index) + 1
            }
            table.watches.append(watch)
            return UInt64(table.watches.count)
        }
    }

    func remove(_ tag: UInt64) {
        table.withLock { table in
            table.watches[Int(tag) - 1] = nil
            table.freeIndices.append(Int(tag) - 1)
        }
    }

    func end() {
        isEnded.store(true, ordering: .relaxed)
        wakeup.signal()
    }

    func run() {
        while !isEnded.load(ordering: .relaxed) {
            var wait: PollingGroup.Wait?
            // A closure without a result: the generic form of `sync` costs more.
            queue.sync { wait = step { serve() } }
            guard let wait else { return }
            readyCount = Int(max(0, clb_wait_for_set(set.number, Self.length(of: wait), &ready, Int32(Self.capacity))))
        }
    }

    private func serve() {
        for index in 0..<readyCount {
            let entry = ready[index]
            if entry.tag == Self.wakeupTag {
                wakeup.drain()
            } else if let watch = table.withLock({ $0.watches[Int(entry.tag) - 1] }) {
                // A watch that took the tag meanwhile finds nothing to read or write.
                if entry.is_writable != 0 { watch.onWritable() }
                if entry.is_readable != 0 { watch.onReadable() }
            }
        }
        readyCount = 0
    }

    /// The length of a wait in nanoseconds; negative for no limit.
    private static func length(of wait: PollingGroup.Wait) -> Int64 {
        switch wait {
        case .none: 0
        case .until(let time):
            Int64(clamping: time) - Int64(clamping: min(time, DispatchTime.now().uptimeNanoseconds))
        case .unlimited: -1
        }
    }
}

private func runGroupLoop(_ loop: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let loop { Unmanaged<GroupLoop>.fromOpaque(loop).takeRetainedValue().run() }
    return nil
}

/// One socket of a group, which one thread uses at a time.
private final class GroupWatch: StreamWatch {
    let repeatsHangUps = true
    let onReadable: () -> Void
    let onWritable: () -> Void
    // Retained as long as the set has it.
    private let descriptor: Descriptor
    private let loop: GroupLoop
    private var tag: UInt64?
    private var isReading = false
    private var isWriting = false
    private var isInSet = false

    init(
        _ descriptor: Descriptor, _ loop: GroupLoop, onReadable: @escaping () -> Void,
        onWritable: @escaping () -> Void
    ) {
        self.descriptor = descriptor
        self.loop = loop
        self.onReadable = onReadable
        self.onWritable = onWritable
    }

    func watchReading(_ isWatching: Bool) {
        guard isWatching != isReading else { return }
        isReading = isWatching
        update()
    }

    func watchWriting(_ isWatching: Bool) {
        guard isWatching != isWriting else { return }
        isWriting = isWatching
        update()
    }

    func cancel() {
        isReading = false
        isWriting = false
        update()
        if let tag { loop.remove(tag) }
        tag = nil
    }

    /// The set reports hang-ups and errors of all its descriptors, so a watch that waits for nothing is not in it.
    private func update() {
        let (set, number) = (loop.set.number, descriptor.number)
        guard isReading || isWriting else {
            if isInSet { _ = clb_remove_from_set(set, number) }
            isInSet = false
            return
        }
        let tag = self.tag ?? loop.insert(self)
        self.tag = tag
        let change = isInSet ? clb_change_in_set : clb_add_to_set
        _ = change(set, number, tag, isReading ? 1 : 0, isWriting ? 1 : 0)
        isInSet = true
    }
}
