import BLEAdapter
import BLEExecution
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
/// A shared radio is waited for instead: while nobody serves it, or it does not answer, the adapter is `.poweredOff`, and the
/// socket is tried again after a second.
///
/// It lives as long as its adapter.
///
/// `@unchecked Sendable`: everything that changes is touched on the executor's queue alone.
package final class SocketController: @unchecked Sendable {
    private let longestDelay: Int
    private let address: TransportAddress
    private let executor: RealTimeExecutor<HostCore>
    /// It keeps this object, and not the other way round.
    private weak var core: HostCore?
    private let log = LibraryLog.logger()
    private var delay = 1
    private var timesReady = 0
    private let capture: HCICapture?
    /// The shared radio behind the address.
    private let radio: SharedRadioEndpoint?
    /// The last sentence in the log about the radio: it is not said again at each attempt.
    private var complaint = ""

    private init(
        _ address: TransportAddress, _ radio: SharedRadioEndpoint?, _ executor: RealTimeExecutor<HostCore>,
        _ capture: HCICapture?
    ) {
        self.address = address
        self.radio = radio
        self.executor = executor
        self.capture = capture
        longestDelay = radio == nil ? 30 : 1
    }

    /// The adapter with the controller that a shared radio has for this program.
    package static func adapter(
        radio place: SharedRadioEndpoint, seed: UInt64, configuration: HostConfiguration, store: DeviceStore,
        capture: HCICapture? = nil
    ) throws(TransportError) -> HostAdapter {
        try adapter(
            address: place.address, radio: place, seed: seed, configuration: configuration, store: store,
            capture: capture)
    }

    /// The adapter with the controller at `address`. Fails when the system has no descriptor or no thread left.
    ///
    /// - Parameters:
    ///   - radio: the shared radio that is at this address.
    ///   - store: what is remembered of peers and of restorable managers.
    ///   - capture: records what host and controller say to each other.
    package static func adapter(
        address: TransportAddress, radio: SharedRadioEndpoint? = nil, seed: UInt64, configuration: HostConfiguration,
        store: DeviceStore, capture: HCICapture? = nil
    ) throws(TransportError) -> HostAdapter {
        let executor = try RealTimeExecutor<HostCore>(label: "bluetooth.\(address)")
        var random = SeededRandom(seed: seed)
        let adapter = HostAdapter(
            executor: executor, configuration: configuration, store: store, random: random.fork())
        let controller = SocketController(address, radio, executor, capture)
        adapter.submit { core in
            controller.core = core
            core.onFailure = { controller.failed($0) }
            if radio != nil { core.stateOfFailure = .poweredOff }
            controller.open()
        }
        return adapter
    }

    private func open() {
        guard let core else { return }
        if let radio {
            do throws(SharedRadioEndpoint.Failure) {
                try radio.check()
            } catch {
                return wait(for: radio, core, "\(error)")
            }
        }
        StreamConnector.connect(to: address, queue: executor.queue) { [weak self] result in
            self?.opened(result)
        }
    }

    private func opened(_ result: Result<ByteStream, TransportError>) {
        guard let core else { return }
        switch result {
        case .success(let stream):
            complaint = ""
            core.attach(stream, capture: capture, executor: executor)
        case .failure(let error):
            if let radio {
                log.debug("\(error)")
                wait(for: radio, core, radio.sentence(for: error, afterStart: ", and this program goes on"))
                break
            }
            guard core.state == .resetting else {
                log.error("\(error)")
                core.setState(.unsupported)
                break
            }
            log.debug("\(error)")
            openLater()
        }
        core.flush()
    }

    /// Says once what is missing, and tries again.
    private func wait(for radio: SharedRadioEndpoint, _ core: HostCore, _ sentence: String) {
        if sentence != complaint { log.error("\(sentence)") }
        complaint = sentence
        core.setState(.poweredOff)
        core.flush()
        openLater()
    }

    private func failed(_ failure: HostFailure) {
        guard let core else { return }
        let mayComeBack = core.state == .resetting || radio != nil
        core.detach()
        guard mayComeBack else { return }
        if core.timesReady != timesReady { delay = 1 }
        timesReady = core.timesReady
        openLater()
    }

    private func openLater() {
        let delay = self.delay
        self.delay = min(2 * delay, longestDelay)
        executor.queue.asyncAfter(deadline: .now() + .seconds(delay)) { [weak self] in self?.open() }
    }
}
