import BLEHost
import BLETransport
import BLEWire
import Dispatch
import Logging

/// A controller behind a socket that speaks H4, and the host on top of it.
///
/// If the first attempt to connect fails, or the controller does not start, the adapter is `.unsupported` and stays so. If
/// a controller that worked goes away, the adapter is `.resetting`, and the socket is opened again after 1 s, 2 s, 4 s and so on
/// up to 30 s, until it works.
///
/// `@unchecked Sendable`: everything that changes is touched on the executor's queue alone.
package final class SocketController: @unchecked Sendable {
    private static let longestDelay = 30

    package let adapter: HostAdapter
    private let address: TransportAddress
    private let executor: RealTimeExecutor
    private let log = Logger(label: "bluetooth")
    private var delay = 1
    private var timesReady = 0
    private let capture: HCICapture?

    /// - Parameters:
    ///   - store: what is remembered of peers and of restorable managers.
    ///   - capture: records what host and controller say to each other.
    package init(
        address: TransportAddress, seed: UInt64, configuration: HostConfiguration, store: DeviceStore,
        capture: HCICapture? = nil
    ) {
        self.address = address
        self.capture = capture
        var random = SeededRandom(seed: seed)
        executor = RealTimeExecutor(label: "bluetooth.\(address)")
        adapter = HostAdapter(
            executor: executor, configuration: configuration, store: store,
            random: random.fork())
        adapter.submit { [self] core in
            // The core keeps this object.
            core.onFailure = { [self] failure in failed(failure) }
            open(core)
        }
    }

    private func open(_ core: HostCore) {
        StreamConnector.connect(to: address, queue: executor.queue) { [self] result in
            let core = adapter.onExecutor
            switch result {
            case .success(let stream): attach(stream, to: core)
            case .failure(let error) where core.state == .resetting:
                log.debug("\(error)")
                openLater()
            case .failure(let error):
                log.error("\(error)")
                core.setState(.unsupported)
            }
            core.flush()
        }
    }

    private func attach(_ stream: ByteStream, to core: HostCore) {
        var framer = H4Framer(reader: .host)
        let tap = capture.map { HCITap($0, clock: .wall(at: executor.now), executor: executor) }
        stream.onReceive = { [unowned core] octets in
            framer.receive(octets) { packet in
                tap?.received(packet)
                core.receive(packet)
            }
            core.flush()
        }
        stream.onClose = { [self, unowned core] reason in
            log.debug("\(stream.name): \(reason).")
            core.detach()
            core.flush()
        }
        stream.start()
        core.attach(StreamLink(stream, tap: tap))
    }

    private func failed(_ failure: HostFailure) {
        let core = adapter.onExecutor
        guard core.state == .resetting else { return core.detach() }
        if core.timesReady != timesReady { delay = 1 }
        timesReady = core.timesReady
        openLater()
    }

    private func openLater() {
        let delay = self.delay
        self.delay = min(2 * delay, Self.longestDelay)
        executor.queue.asyncAfter(deadline: .now() + .seconds(delay)) { [self] in open(adapter.onExecutor) }
    }
}

/// A host's way to its controller through a stream.
final class StreamLink: ControllerLink {
    private let stream: ByteStream
    private let tap: HCITap?

    init(_ stream: ByteStream, tap: HCITap? = nil) {
        self.stream = stream
        self.tap = tap
    }

    func send(_ packets: Span<UInt8>) {
        tap?.sent(packets)
        // What cannot be sent is missed by the host as an answer that does not come.
        stream.send(packets)
    }

    func close() { stream.close() }
}
