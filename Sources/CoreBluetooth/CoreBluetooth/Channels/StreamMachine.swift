internal import BLERuntime
import BLEAdapter
import CoreFoundation
import Foundation

/// The state machine of one stream of a channel: its status, its pending events, and the run loops or the queue on which the stream
/// calls its delegate.
///
/// The adapter delivers each event, so that virtual time stands still until the delegate has returned. If no thread runs the stream's
/// run loop, virtual time continues after `standstillLimit` of real time.
final class StreamMachine: @unchecked Sendable {
    private static let standstillLimit = DispatchTimeInterval.seconds(2)

    fileprivate struct State {
        var status = Stream.Status.notOpen
        var error: (any Error)?
        weak var delegate: (any StreamDelegate)?
        var pending: Stream.Event = []
        /// Whether the next octets or the next space cause an event. Each read or write sets it again.
        var isArmed = true
        /// Whether a delivery is in progress.
        var isDelivering = false
        /// Lets virtual time continue.
        var done: (@Sendable () -> Void)?
        /// Counts the standstills of virtual time.
        var standstill = 0
        var sources: [RunLoopSource] = []
        var queue: DispatchQueue?

        var hasTarget: Bool { queue != nil || !sources.isEmpty }
    }

    let pipe: ChannelPipe
    private let direction: ChannelPipe.Direction
    private let guarded = Lock(State())
    private let owner = Lock<(() -> Stream?)?>(nil)

    init(_ direction: ChannelPipe.Direction, pipe: ChannelPipe) {
        self.direction = direction
        self.pipe = pipe
        pipe.attach(self, direction)
    }

    /// Sets the stream that the delegate's method receives. A released stream has no events.
    func attach(_ stream: Stream) { owner.withLock { $0 = { [weak stream] in stream } } }

    deinit { guarded.withLock { $0.done }?() }

    var status: Stream.Status { guarded.withLock { $0.status } }
    var error: (any Error)? { guarded.withLock { $0.error } }

    /// A new delegate receives events for the octets and the space that exist already.
    var delegate: (any StreamDelegate)? {
        get { guarded.withLock { $0.delegate } }
        set {
            guarded.withLock { state in
                state.delegate = newValue
                state.isArmed = true
            }
            evaluate()
        }
    }

    func open() {
        let isChanged = guarded.withLock { state in
            guard state.status == .notOpen else { return false }
            state.status = .open
            state.pending.insert(.openCompleted)
            return true
        }
        if isChanged { evaluate() }
    }

    /// Closes the stream and its direction of the channel. Only the first call has an effect.
    func close() {
        let (isChanged, done) = guarded.withLock { state in
            guard state.status != .closed else { return (false, nil as (@Sendable () -> Void)?) }
            state.status = .closed
            state.pending = []
            state.isDelivering = false
            defer { state.done = nil }
            return (true, state.done)
        }
        done?()
        if isChanged { pipe.close(direction) }
    }

    // MARK: Transfers

    /// Whether a read or a write transfers octets without blocking.
    var canTransfer: Bool {
        guard status == .open else { return false }
        let channel = pipe.handle.status
        return direction == .input ? channel.readable > 0 : channel.hasSpace && channel.end == nil
    }

    /// Blocks until octets are available and reads them, as streams over sockets do.
    ///
    /// - Returns: The number of octets; 0 at the end of the stream. -1 after an error, and at once in a callback during which virtual
    ///   time stands still, because no octets can arrive there. The stream stays open then.
    func read(_ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        switch status {
        case .open: break
        case .atEnd: return 0
        default: return -1
        }
        guard buffer.count > 0 else { return 0 }
        var count = 0
        var end: ChannelEnd?
        let isDone = pipe.wait {
            // The end is read first, so that octets that arrived before it are not missed.
            end = pipe.handle.status.end
            count = pipe.handle.read(into: buffer)
            return count > 0 || end != nil || status != .open
        }
        guard isDone else { return -1 }
        rearm()
        if count > 0 { return count }
        return end == nil || end?.error != nil ? -1 : 0
    }

    /// Blocks until the channel has space and writes as many octets as fit.
    ///
    /// - Returns: The number of octets; -1 as for ``read(_:)``.
    func write(_ buffer: UnsafeBufferPointer<UInt8>) -> Int {
        guard status == .open else { return -1 }
        guard buffer.count > 0 else { return 0 }
        var count = 0
        let isDone = pipe.wait {
            count = pipe.handle.write(buffer)
            return count > 0 || pipe.handle.status.end != nil || status != .open
        }
        guard isDone else { return -1 }
        rearm()
        return count > 0 ? count : -1
    }

    // MARK: Events

    /// Allows the next event after a read or a write.
    private func rearm() {
        guarded.withLock { $0.isArmed = true }
        evaluate()
    }

    /// Compares the channel's status with the stream's and delivers the resulting events.
    func evaluate() {
        let channel = pipe.handle.status
        let mustDeliver = guarded.withLock { state in
            guard state.status == .open else { return false }
            if direction == .input, channel.readable > 0 {
                if state.isArmed { state.note(.hasBytesAvailable) }
            } else if let end = channel.end {
                if let error = end.error {
                    state.status = .error
                    state.error = error
                    state.pending.insert(.errorOccurred)
                } else {
                    state.status = .atEnd
                    state.pending.insert(.endEncountered)
                }
                state.pending.remove(.hasSpaceAvailable)
            } else if direction == .output, channel.hasSpace, state.isArmed {
                state.note(.hasSpaceAvailable)
            }
            return state.mustDeliver()
        }
        if mustDeliver { deliver() }
    }

    // MARK: Delivery

    func setQueue(_ queue: DispatchQueue?) {
        let (mustDeliver, old) = guarded.withLock { state in
            let old = state.queue
            state.queue = queue
            return (state.mustDeliver(), old)
        }
        withExtendedLifetime(old) {}
        if mustDeliver { deliver() }
        endStandstillWithoutTarget()
    }

    func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        let (source, isNew) = guarded.withLock { state -> (RunLoopSource, Bool) in
            if let known = state.sources.first(where: { $0.runLoop === runLoop }) { return (known, false) }
            let source = RunLoopSource(runLoop, machine: self)
            state.sources.append(source)
            return (source, true)
        }
        source.add(mode)
        guard isNew, guarded.withLock({ $0.mustDeliver() }) else { return }
        deliver()
    }

    func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        guard let source = guarded.withLock({ $0.sources.first { $0.runLoop === runLoop } }) else { return }
        if source.remove(mode) { removed(source) }
    }

    /// The stream was removed from a run loop, or the run loop ended.
    func removed(_ source: RunLoopSource) {
        let old = guarded.withLock { state in
            let old = state.sources
            state.sources.removeAll { $0 === source }
            return old
        }
        withExtendedLifetime(old) {}
        endStandstillWithoutTarget()
    }

    private func endStandstillWithoutTarget() {
        let done = guarded.withLock { state in
            guard !state.hasTarget else { return nil as (@Sendable () -> Void)? }
            state.isDelivering = false
            defer { state.done = nil }
            return state.done
        }
        done?()
    }

    private func deliver() {
        pipe.dispatcher.start { [weak self] done in
            if let self { start(done) } else { done?() }
        }
    }

    private func start(_ done: (@Sendable () -> Void)?) {
        let (queue, sources, standstill) = guarded.withLock { state in
            guard state.isDelivering, state.hasTarget else {
                state.isDelivering = false
                return (nil as DispatchQueue?, [RunLoopSource](), nil as Int?)
            }
            state.done = done
            state.standstill += 1
            return (state.queue, state.sources, state.standstill)
        }
        guard let standstill else {
            done?()
            return
        }
        if let queue {
            queue.async { [self] in callDelegate() }
        } else {
            for source in sources { source.signal() }
            guard done != nil else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.standstillLimit) { [weak self] in
                self?.endStandstill(standstill)
            }
        }
    }

    private func endStandstill(_ standstill: Int) {
        let done = guarded.withLock { state in
            guard state.standstill == standstill else { return nil as (@Sendable () -> Void)? }
            defer { state.done = nil }
            return state.done
        }
        done?()
    }

    /// Calls the delegate. Runs on the thread of the run loop, or on the queue.
    func callDelegate() {
        let (events, delegate, done) = guarded.withLock { state in
            guard state.isDelivering else {
                return (Stream.Event(), nil as (any StreamDelegate)?, nil as (@Sendable () -> Void)?)
            }
            defer {
                state.isDelivering = false
                state.pending = []
                state.done = nil
            }
            // A later delegate receives the events.
            if state.delegate == nil { state.isArmed = true }
            return (state.pending, state.delegate, state.done)
        }
        if let stream = owner.withLock({ $0 })?(), let delegate {
            if done != nil {
                CallbackScope.run(holding: pipe.dispatcher.clock) { send(events, of: stream, to: delegate) }
            } else {
                send(events, of: stream, to: delegate)
            }
        }
        done?()
    }

    private func send(_ events: Stream.Event, of stream: Stream, to delegate: any StreamDelegate) {
        let order: [Stream.Event] = [
            .openCompleted, .hasBytesAvailable, .hasSpaceAvailable, .errorOccurred, .endEncountered,
        ]
        for event in order where events.contains(event) && status != .closed { delegate.stream(stream, handle: event) }
    }
}

extension StreamMachine.State {
    fileprivate mutating func note(_ event: Stream.Event) {
        isArmed = false
        pending.insert(event)
    }

    /// Whether a delivery must begin. If so, marks it as begun.
    fileprivate mutating func mustDeliver() -> Bool {
        guard !pending.isEmpty, hasTarget, !isDelivering else { return false }
        isDelivering = true
        return true
    }
}
