#if !canImport(Darwin)
import BLEAdapter
import CoreFoundation
import Foundation

/// A stream's place on a run loop: a source that another thread signals and whose work is done on the loop's thread.
///
/// Foundation on Linux does not show the CFRunLoop of a RunLoop. That of the calling thread and that of the main thread are
/// known; another one is asked for by a block that it runs itself.
final class RunLoopPlace: @unchecked Sendable {
    let runLoop: RunLoop
    private weak let machine: StreamMachine?

    private struct State {
        var source: CFRunLoopSource?
        var loop: CFRunLoop?
        var modes: [RunLoop.Mode] = []
        var isSignalled = false
    }

    private let guarded = Lock(State())

    init(_ runLoop: RunLoop, machine: StreamMachine) {
        self.runLoop = runLoop
        self.machine = machine
    }

    func add(_ mode: RunLoop.Mode) {
        let isNew = guarded.withLock { state in
            guard !state.modes.contains(mode) else { return false }
            state.modes.append(mode)
            return true
        }
        guard isNew else { return }
        if runLoop === RunLoop.current {
            attach(CFRunLoopGetCurrent(), mode)
        } else if runLoop === RunLoop.main {
            attach(CFRunLoopGetMain(), mode)
        } else {
            runLoop.perform(inModes: [mode]) { [weak self] in self?.attach(CFRunLoopGetCurrent(), mode) }
        }
    }

    /// Whether this was the last mode.
    func remove(_ mode: RunLoop.Mode) -> Bool {
        let (source, loop, isLast) = guarded.withLock { state in
            state.modes.removeAll { $0 == mode }
            return (state.source, state.loop, state.modes.isEmpty)
        }
        if let source, let loop { CFRunLoopRemoveSource(loop, source, mode.cfString) }
        return isLast
    }

    /// Has the work done on the loop's thread.
    func signal() {
        let (source, loop) = guarded.withLock { state in
            state.isSignalled = true
            return (state.source, state.loop)
        }
        guard let source, let loop else { return }
        CFRunLoopSourceSignal(source)
        CFRunLoopWakeUp(loop)
    }

    private func attach(_ loop: CFRunLoop?, _ mode: RunLoop.Mode) {
        guard let loop else { return }
        let (source, isSignalled) = guarded.withLock { state -> (CFRunLoopSource?, Bool) in
            guard state.modes.contains(mode) else { return (nil, false) }
            if state.source == nil { state.source = makeSource() }
            state.loop = loop
            return (state.source, state.isSignalled)
        }
        guard let source else { return }
        CFRunLoopAddSource(loop, source, mode.cfString)
        if isSignalled {
            CFRunLoopSourceSignal(source)
            CFRunLoopWakeUp(loop)
        }
    }

    /// The source keeps the link below, not the place, so that a stream that is gone leaves its run loops.
    private func makeSource() -> CFRunLoopSource? {
        let info = Unmanaged.passRetained(Link(self))
        defer { info.release() }
        var context = CFRunLoopSourceContext()
        context.info = info.toOpaque()
        context.retain = { pointer in
            guard let pointer else { return nil }
            return UnsafeRawPointer(Unmanaged<Link>.fromOpaque(pointer).retain().toOpaque())
        }
        context.release = { pointer in
            if let pointer { Unmanaged<Link>.fromOpaque(pointer).release() }
        }
        context.perform = { pointer in
            if let pointer { Unmanaged<Link>.fromOpaque(pointer).takeUnretainedValue().place?.perform() }
        }
        context.cancel = { pointer, _, _ in
            if let pointer { Unmanaged<Link>.fromOpaque(pointer).takeUnretainedValue().place?.cancelled() }
        }
        return CFRunLoopSourceCreate(nil, 0, &context)
    }

    private final class Link {
        private(set) weak var place: RunLoopPlace?
        init(_ place: RunLoopPlace) { self.place = place }
    }

    private func perform() {
        guarded.withLock { $0.isSignalled = false }
        machine?.fire()
    }

    /// Taken off a mode; with modes left, by the end of the loop's thread.
    private func cancelled() {
        let isOver = guarded.withLock { state in
            guard !state.modes.isEmpty, let source = state.source else { return false }
            return !CFRunLoopSourceIsValid(source) || state.modes.count == 1
        }
        if isOver { machine?.lost(self) }
    }

    deinit {
        let source = guarded.withLock { $0.source }
        if let source { CFRunLoopSourceInvalidate(source) }
    }
}

extension RunLoop.Mode {
    fileprivate var cfString: CFString? {
        CFStringCreateWithCString(nil, rawValue, CFStringBuiltInEncodings.UTF8.rawValue)
    }
}
#endif
