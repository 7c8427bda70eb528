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
/// A shared radio is waited for instead: while nobody serves it the adapter is `.poweredOff`, and the socket is tried every
/// second.
///
/// `@unchecked Sendable`: everything that changes is touched on the executor's queue alone.
package final class SocketController: @unchecked Sendable {
    private let longestDelay: Int
    package let adapter: HostAdapter
    private let address: TransportAddress
    private let executor: RealTimeExecutor
    private let log = Logger(label: "bluetooth")
    private var delay = 1
    private var timesReady = 0
    private let capture: HCICapture?
    /// The shared radio behind the address.
    private let radio: RadioPlace?
    private var isWaitingForRadio = false

    /// The controller that a shared radio has for this program.
    package convenience init(
        radio place: RadioPlace, seed: UInt64, configuration: HostConfiguration, store: DeviceStore,
        capture: HCICapture? = nil
    ) {
        self.init(
            address: place.address, radio: place, seed: seed, configuration: configuration, store: store,
            capture: capture)
    }

    /// - Parameters:
    ///   - radio: the shared radio that is at this address.
    ///   - store: what is remembered of peers and of restorable managers.
    ///   - capture: records what host and controller say to each other.
    package init(
        address: TransportAddress, radio: RadioPlace? = nil, seed: UInt64, configuration: HostConfiguration,
        store: DeviceStore, capture: HCICapture? = nil
    ) {
        self.address = address
        self.radio = radio
        longestDelay = radio == nil ? 30 : 1
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
        if let radio {
            do throws(RadioPlace.Failure) {
                try radio.check()
            } catch {
                return wait(for: radio, core, "\(error)")
            }
        }
        StreamConnector.connect(to: address, queue: executor.queue) { [self] result in
            let core = adapter.onExecutor
            switch result {
            case .success(let stream):
                isWaitingForRadio = false
                core.attach(stream, capture: capture, executor: executor)
            case .failure(let error):
                if let radio {
                    log.debug("\(error)")
                    wait(
                        for: radio, core,
                        "No virtual radio runs at \(address): start it with \(radio.command), and this program goes on."
                    )
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
    }

    /// Says once what is missing, and tries again.
    private func wait(for radio: RadioPlace, _ core: HostCore, _ sentence: String) {
        if !isWaitingForRadio { log.error("\(sentence)") }
        isWaitingForRadio = true
        core.setState(.poweredOff)
        core.flush()
        openLater()
    }

    private func failed(_ failure: HostFailure) {
        let core = adapter.onExecutor
        // A radio that ends while it greets is one that may be started again.
        let mayComeBack = core.state == .resetting || radio != nil && failure == .transportClosed
        guard mayComeBack else { return core.detach() }
        if core.timesReady != timesReady { delay = 1 }
        timesReady = core.timesReady
        openLater()
    }

    private func openLater() {
        let delay = self.delay
        self.delay = min(2 * delay, longestDelay)
        executor.queue.asyncAfter(deadline: .now() + .seconds(delay)) { [self] in open(adapter.onExecutor) }
    }
}
