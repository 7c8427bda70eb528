import BLEAdapter
import BLEHost
import BLEHostAdapter
import BLEStore
import BLEWire
import Dispatch

/// A host with its sessions and a scripted controller, without a thread: calls run where they are made.
final class RuntimeScenario: Scenario, @unchecked Sendable {
    let adapter: HostAdapter
    let session: any CentralSession
    let observer: Observer
    private let executor: InlineExecutor
    private let packets: [[UInt8]]

    /// The events of the sessions.
    final class Observer: CentralObserver, @unchecked Sendable {
        var isOn = false
        var calls = 0
        func adapterStateChanged(_ state: AdapterState) { isOn = state == .poweredOn }
        func discovered(_ discovery: Discovery) { calls += 1 }
        func connected(_ peer: PeerRecord) {}
        func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) {}
        func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {}
        func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {
        }
        func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) { calls += 1 }
        func readyForWriteCommands(to peer: PeerIdentifier) {}
        func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {}
        func nameChanged(_ name: String?, of peer: PeerIdentifier) {}
    }

    init(scan: ScanRequest, _ packets: [[UInt8]]) {
        self.packets = packets
        executor = InlineExecutor()
        adapter = HostAdapter(
            executor: executor, configuration: HostConfiguration(), store: DeviceStore(key: StoreKey(high: 1, low: 2)),
            random: SeededRandom(seed: 1))
        observer = Observer()
        let controller = ScriptedController()
        executor.controller = controller
        adapter.onExecutor.attach(controller)
        session = adapter.openCentral(observer: observer)
        // The first state follows some milliseconds after the session was opened.
        executor.now = executor.now + .milliseconds(10)
        adapter.onExecutor.handleTimeout()
        adapter.onExecutor.flush()
        guard observer.isOn else { fail("the host is not on") }
        session.startScan(scan)
    }

    func round() {
        for packet in packets { adapter.onExecutor.receive(packet.span) }
        adapter.onExecutor.flush()
    }
}

/// Has its answers fetched.
private final class ScriptedController: ControllerLink {
    private var answers: [[UInt8]] = []
    func send(_ packets: Span<UInt8>) {
        answers += Packets.answers(to: [UInt8](packets), fragment: 251, buffers: 64)
    }
    func answer(_ core: HostDriver) {
        while !answers.isEmpty {
            let answer = answers.removeFirst()
            core.receive(answer.span)
            core.flush()
        }
    }
    func close() {}
}

/// Runs calls at once, on the calling thread. Time passes only when it is set.
private final class InlineExecutor: AdapterExecutor, @unchecked Sendable {
    var controller: ScriptedController?
    var now = Instant(nanoseconds: 1_000_000_000)
    func submit(to core: ExecutorIsolated<HostDriver>, _ call: @escaping @Sendable (HostDriver) -> Void) {
        call(core.object)
        core.object.flush()
        controller?.answer(core.object)
    }
    func scheduleCallback(_ block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue) {
        queue.async(execute: block)
    }
    func startCallback(_ start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void) { start(nil) }
    func schedule(_ core: HostDriver, at deadline: Instant?) {}
}
