import BLEAdapter
import CoreFoundation
import Foundation

/// The registration of a stream with a run loop: a source that other threads signal, and whose work runs on the loop's thread.
///
/// Foundation on Linux does not expose the CFRunLoop of a RunLoop. CoreFoundation provides those of the calling thread and of the
/// main thread; another one is obtained in a block that the run loop itself performs.
final class RunLoopSource: @unchecked Sendable {
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

    /// Removes a mode. Returns whether it was the last one.
    func remove(_ mode: RunLoop.Mode) -> Bool {
        let (source, loop, isLast) = guarded.withLock { state in
            state.modes.removeAll { $0 == mode }
            return (state.source, state.loop, state.modes.isEmpty)
        }
        if let source, let loop { CFRunLoopRemoveSource(loop, source, mode.cfString) }
        return isLast
    }

    /// Schedules the work on the loop's thread.
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
        let new = makeSource()
        let (source, isSignalled) = guarded.withLock { state -> (CFRunLoopSource?, Bool) in
            guard state.modes.contains(mode) else { return (nil, false) }
            if state.source == nil { state.source = new }
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

    /// Makes a source that keeps a weak reference to this object, so that a released stream leaves its run loops.
    private func makeSource() -> CFRunLoopSource? {
        let info = Unmanaged.passRetained(WeakReference(self))
        defer { info.release() }
        var context = CFRunLoopSourceContext()
        context.info = info.toOpaque()
        context.retain = { pointer in
            guard let pointer else { return nil }
            return UnsafeRawPointer(Unmanaged<WeakReference>.fromOpaque(pointer).retain().toOpaque())
        }
        context.release = { pointer in
            if let pointer { Unmanaged<WeakReference>.fromOpaque(pointer).release() }
        }
        context.perform = { pointer in
            if let pointer { Unmanaged<WeakReference>.fromOpaque(pointer).takeUnretainedValue().source?.perform() }
        }
        context.cancel = { pointer, _, _ in
            if let pointer { Unmanaged<WeakReference>.fromOpaque(pointer).takeUnretainedValue().source?.cancelled() }
        }
        return CFRunLoopSourceCreate(nil, 0, &context)
    }

    private final class WeakReference {
        private(set) weak var source: RunLoopSource?
        init(_ source: RunLoopSource) { self.source = source }
    }

    private func perform() {
        guarded.withLock { $0.isSignalled = false }
        machine?.callDelegate()
    }

    /// CoreFoundation removed the source from a mode. If modes remain, the loop's thread has ended.
    private func cancelled() {
        let isOver = guarded.withLock { state in
            guard !state.modes.isEmpty, let source = state.source else { return false }
            return !CFRunLoopSourceIsValid(source) || state.modes.count == 1
        }
        if isOver { machine?.removed(self) }
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
