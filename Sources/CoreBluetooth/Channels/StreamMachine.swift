#if !canImport(Darwin)
internal import BLERuntime
import BLEAdapter
import CoreFoundation
import Foundation

/// The life of one stream of a channel: its status, the events that its delegate has not had, and where it gets them: on a
/// run loop's thread, on a queue, or nowhere.
///
/// An event is delivered through the adapter, so that in a world time stands still until the delegate has had it. A run loop
/// that nobody runs must not stop the world for good: after `patience` of real time it goes on.
final class StreamMachine: @unchecked Sendable {
    enum Direction { case input, output }

    private static let patience = DispatchTimeInterval.seconds(2)

    fileprivate struct State {
        var status = Stream.Status.notOpen
        var error: (any Error)?
        weak var delegate: (any StreamDelegate)?
        var pending: Stream.Event = []
        /// Whether the delegate is to hear of octets or of space: again after each read or write.
        var isArmed = true
        /// An event is on its way.
        var isUnderWay = false
        /// Ends the standstill of virtual time.
        var done: (@Sendable () -> Void)?
        /// Counts standstills.
        var standstill = 0
        var places: [RunLoopPlace] = []
        var queue: DispatchQueue?

        var hasTarget: Bool { queue != nil || !places.isEmpty }
    }

    let pipe: ChannelPipe
    private let direction: Direction
    private let guarded = Lock(State())
    private let owner = Lock<(() -> Stream?)?>(nil)

    init(_ direction: Direction, pipe: ChannelPipe) {
        self.direction = direction
        self.pipe = pipe
    }

    /// Tells which stream this is; a stream that is gone has no events.
    func attach(_ stream: Stream) { owner.withLock { $0 = { [weak stream] in stream } } }

    deinit { guarded.withLock { $0.done }?() }

    var status: Stream.Status { guarded.withLock { $0.status } }
    var error: (any Error)? { guarded.withLock { $0.error } }

    /// A delegate that comes late hears of octets and space that are there.
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
        let isNews = guarded.withLock { state in
            guard state.status == .notOpen else { return false }
            state.status = .open
            state.pending.insert(.openCompleted)
            return true
        }
        if isNews { evaluate() }
    }

    /// True the first time.
    func close() -> Bool {
        let (isNews, done) = guarded.withLock { state in
            guard state.status != .closed else { return (false, nil as (@Sendable () -> Void)?) }
            state.status = .closed
            state.pending = []
            state.isUnderWay = false
            defer { state.done = nil }
            return (true, state.done)
        }
        done?()
        return isNews
    }

    /// The program read or wrote: it wants to hear of more.
    func rearm() {
        guarded.withLock { $0.isArmed = true }
        evaluate()
    }

    /// Looks at the channel and says what is new.
    func evaluate() {
        let channel = pipe.handle.status
        let mustAnnounce = guarded.withLock { state in
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
            return state.mustAnnounce()
        }
        if mustAnnounce { announce() }
    }

    // MARK: Where events go

    func setQueue(_ queue: DispatchQueue?) {
        let mustAnnounce = guarded.withLock { state in
            state.queue = queue
            return state.mustAnnounce()
        }
        if mustAnnounce { announce() }
        releaseIfUnwatched()
    }

    func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        let (place, isNew) = guarded.withLock { state -> (RunLoopPlace, Bool) in
            if let known = state.places.first(where: { $0.runLoop === runLoop }) { return (known, false) }
            let place = RunLoopPlace(runLoop, machine: self)
            state.places.append(place)
            return (place, true)
        }
        place.add(mode)
        guard isNew, guarded.withLock({ $0.mustAnnounce() }) else { return }
        announce()
    }

    func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        guard let place = guarded.withLock({ $0.places.first { $0.runLoop === runLoop } }) else { return }
        if place.remove(mode) { lost(place) }
    }

    /// The stream is on this run loop no more, or the run loop is gone.
    func lost(_ place: RunLoopPlace) {
        let old = guarded.withLock { state in
            let old = state.places
            state.places.removeAll { $0 === place }
            return old
        }
        withExtendedLifetime(old) {}
        releaseIfUnwatched()
    }

    private func releaseIfUnwatched() {
        let done = guarded.withLock { state in
            guard !state.hasTarget else { return nil as (@Sendable () -> Void)? }
            state.isUnderWay = false
            defer { state.done = nil }
            return state.done
        }
        done?()
    }

    private func announce() {
        pipe.delivery.start { [weak self] done in
            if let self { start(done) } else { done?() }
        }
    }

    private func start(_ done: (@Sendable () -> Void)?) {
        let (queue, places, standstill) = guarded.withLock { state in
            guard state.isUnderWay, state.hasTarget else {
                state.isUnderWay = false
                return (nil as DispatchQueue?, [RunLoopPlace](), nil as Int?)
            }
            state.done = done
            state.standstill += 1
            return (state.queue, state.places, state.standstill)
        }
        guard let standstill else {
            done?()
            return
        }
        if let queue {
            queue.async { [self] in fire() }
        } else {
            for place in places { place.signal() }
            guard done != nil else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [weak self] in
                self?.loosePatience(standstill)
            }
        }
    }

    private func loosePatience(_ standstill: Int) {
        let done = guarded.withLock { state in
            guard state.standstill == standstill else { return nil as (@Sendable () -> Void)? }
            defer { state.done = nil }
            return state.done
        }
        done?()
    }

    /// Calls the delegate, on its thread.
    func fire() {
        let (events, delegate, done) = guarded.withLock { state in
            guard state.isUnderWay else {
                return (Stream.Event(), nil as (any StreamDelegate)?, nil as (@Sendable () -> Void)?)
            }
            defer {
                state.isUnderWay = false
                state.pending = []
                state.done = nil
            }
            // Who is not there now hears of it when it comes.
            if state.delegate == nil { state.isArmed = true }
            return (state.pending, state.delegate, state.done)
        }
        if let stream = owner.withLock({ $0 })?(), let delegate {
            if done != nil {
                CallbackScope.run { tell(events, of: stream, to: delegate) }
            } else {
                tell(events, of: stream, to: delegate)
            }
        }
        done?()
    }

    private func tell(_ events: Stream.Event, of stream: Stream, to delegate: any StreamDelegate) {
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

    /// Whether there is something to deliver that is not on its way; from now on it is.
    fileprivate mutating func mustAnnounce() -> Bool {
        guard !pending.isEmpty, hasTarget, !isUnderWay else { return false }
        isUnderWay = true
        return true
    }
}
#endif
