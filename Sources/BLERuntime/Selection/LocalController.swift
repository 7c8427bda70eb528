import BLEAdapter
import BLEExecution
import BLEHost
import BLETransport
import BLEWire
import Dispatch
import Logging

/// An adapter of the machine, as `LocalController` uses it; in tests, a stand-in.
package protocol MachineAdapter: Sendable {
    var name: String { get }
    /// Opens it. The completion is called on `queue`, later.
    func open(on queue: DispatchQueue, _ completion: @escaping (Result<ByteStream, TransportError>) -> Void)
    /// Whether its radio is switched off.
    func isBlocked() -> Bool
    /// Calls `changed` on `queue` when a radio switch was thrown, or an adapter came or went, as long as the result lives. Nil if
    /// nobody tells.
    func watch(on queue: DispatchQueue, _ changed: @escaping () -> Void) -> AnyObject?
}

/// An adapter of this machine, through the kernel.
package struct KernelAdapter: MachineAdapter {
    let index: UInt16
    package var name: String { "hci\(index)" }

    package init(index: UInt16) { self.index = index }

    package func open(on queue: DispatchQueue, _ completion: @escaping (Result<ByteStream, TransportError>) -> Void) {
        // The kernel may have firmware to load, and gives up by itself when an adapter does not answer.
        StreamConnector.connect(
            to: .adapter(index: index), queue: queue, timeout: .seconds(60), completion: completion)
    }

    package func isBlocked() -> Bool { Machine.this.isBlocked(index) }

    package func watch(on queue: DispatchQueue, _ changed: @escaping () -> Void) -> AnyObject? {
        RadioSwitchWatcher(queue: queue, changed)
    }
}

/// An adapter of this machine, taken from the kernel for this program alone, and the host on top of it.
///
/// Whatever takes the adapter away, it is opened again by itself when it can be: after 0.5 s, 1 s, 2 s and so on up to 30 s,
/// and at once when the kernel tells of a switch or an adapter. Meanwhile the adapter is `.poweredOff` (the radio is switched off),
/// `.unauthorized` (no right to it; this is final), `.resetting` (it was there a moment ago) or `.unsupported` (all else).
///
/// It lives as long as its adapter.
///
/// `@unchecked Sendable`: everything that changes is touched on the executor's queue alone.
package final class LocalController: @unchecked Sendable {
    private let machine: any MachineAdapter
    private let executor: RealTimeExecutor<HostCore>
    /// It keeps this object, and not the other way round.
    private weak var core: HostCore?
    private let log = LibraryLog.logger()
    private let capture: HCICapture?
    private var recovery = AdapterRecovery()
    private var timesReady = 0
    private var watcher: AnyObject?
    /// The last sentence in the log: it is not said again at each attempt.
    private var complaint = ""
    private var attempt = 0

    private init(_ machine: any MachineAdapter, _ executor: RealTimeExecutor<HostCore>, _ capture: HCICapture?) {
        self.machine = machine
        self.executor = executor
        self.capture = capture
    }

    /// The adapter for `machine`. Fails when the system has no descriptor or no thread left.
    ///
    /// - Parameters:
    ///   - store: what is remembered of peers and of restorable managers.
    ///   - capture: records what host and controller say to each other.
    package static func adapter(
        _ machine: any MachineAdapter, seed: UInt64, configuration: HostConfiguration, store: DeviceStore,
        capture: HCICapture? = nil
    ) throws(TransportError) -> HostAdapter {
        let executor = try RealTimeExecutor<HostCore>(label: "bluetooth.\(machine.name)")
        var random = SeededRandom(seed: seed)
        let adapter = HostAdapter(
            executor: executor, configuration: configuration, store: store, random: random.fork())
        let controller = LocalController(machine, executor, capture)
        adapter.submit { core in
            controller.core = core
            core.onFailure = { _ in controller.failed() }
            controller.watch()
            controller.open()
        }
        return adapter
    }

    private func watch() {
        watcher = machine.watch(on: executor.queue) { [weak self] in self?.somethingChanged() }
    }

    private func open() {
        recovery.attemptStarted()
        machine.open(on: executor.queue) { [weak self] result in self?.opened(result) }
    }

    private func opened(_ result: Result<ByteStream, TransportError>) {
        guard let core else { return }
        switch result {
        case .success(let stream):
            complaint = ""
            core.attach(stream, capture: capture, executor: executor) { [weak self] in self?.switchedOff() ?? false }
        case .failure(let error):
            complain(error.description)
            // An adapter whose radio is off may not even be there.
            let kind = error.kind == .notFound && machine.isBlocked() ? .blocked : error.kind
            core.setState(recovery.failed(kind, at: executor.now))
            wait()
        }
        core.flush()
    }

    private func complain(_ sentence: String) {
        guard sentence != complaint else { return }
        complaint = sentence
        log.error("\(sentence)")
    }

    /// The host has given up: the channel has ended, or the controller does not do what it should.
    private func failed() {
        guard let core else { return }
        core.detach()
        recovery.lost(at: executor.now, workedAgain: core.timesReady != timesReady)
        timesReady = core.timesReady
        wait()
    }

    /// Whether the radio is off. Then that is no failure: the host is powered off until it is on again.
    private func switchedOff() -> Bool {
        guard let core, machine.isBlocked() else { return false }
        complain("The radio of \(machine.name) was switched off.")
        core.block()
        recovery.blocked(at: executor.now)
        wait()
        return true
    }

    private func somethingChanged() {
        guard let core else { return }
        if core.isAttached {
            if switchedOff() { core.flush() }
        } else {
            recovery.somethingChanged(at: executor.now)
            wait()
        }
    }

    /// Opens when it is time; an older call of this has no effect any more.
    private func wait() {
        attempt += 1
        guard let instant = recovery.nextAttempt else { return }
        let number = attempt
        let delay = max(0, (instant - executor.now).nanoseconds)
        executor.queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay))) { [weak self] in
            guard let self, number == attempt, recovery.nextAttempt != nil else { return }
            open()
        }
    }
}
