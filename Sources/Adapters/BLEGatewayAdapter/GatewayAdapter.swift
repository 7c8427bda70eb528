import BLEAdapter
import BLESecurity
import BLETransport
import BLEWire
import ESPHomeAPI
import NoiseChannel

/// The adapter over a radio that is somewhere else: a gateway that speaks ESPHome's native API, such as `bluelab gateway` or an ESP32
/// with a Bluetooth proxy.
///
/// It has the central role and pairing. The protocol carries no peripheral role, no L2CAP channels and no signal strength of links.
///
/// Threads: everything runs on the scheduler, on which the adapter also calls its observers. `snapshot` has what other threads read.
package final class GatewayAdapter: BluetoothAdapter, RemoteAdapter, @unchecked Sendable {
    struct WeakObserver { weak var observer: (any PairingObserver)? }

    let scheduler: any SerialScheduler
    package let snapshot: RemoteSnapshot
    let network: any GatewayNetwork
    let uplink: GatewayUplink
    let log = LibraryLog.logger()
    /// Receives each new reason why the gateway cannot be used, and nil when it can.
    let report: (@Sendable (GatewayConnectionError?) -> Void)?
    private let callbacks: (any CallbackScheduling)?
    private let numbers = Lock(0)

    var central: RemoteCentral
    /// The links of `central`, and their peers by address.
    var links: [PeerIdentifier: GatewayLink] = [:]
    var peers: [UInt64: PeerIdentifier] = [:]
    var pairingObservers: [Int: WeakObserver] = [:]
    var pairings = RemotePairings()
    private var plan = DeadlinePlan()

    /// - Parameters:
    ///   - key: The gateway's key; nil for a gateway without encryption.
    ///   - identification: The identifiers of devices on this host.
    ///   - callbacks: Runs callbacks in step with the scheduler's clock; nil for the clock of the machine.
    ///   - report: Receives each new reason why the gateway cannot be used, and nil when it can, before the state changes. Without it, reasons
    ///     are lines of the log.
    package init(
        _ network: any GatewayNetwork, key: PreSharedKey?, identification: any PeerIdentification,
        scheduler: any SerialScheduler, callbacks: (any CallbackScheduling)? = nil,
        report: (@Sendable (GatewayConnectionError?) -> Void)? = nil
    ) {
        self.network = network
        self.scheduler = scheduler
        self.callbacks = callbacks
        self.report = report
        snapshot = RemoteSnapshot(identification)
        central = RemoteCentral(snapshot)
        uplink = GatewayUplink(network, key: key, scheduler: scheduler)
        scheduler.submit { [weak self] in self?.begin() }
    }

    package var peerIdentification: (any PeerIdentification)? { snapshot.identification }
    package var callbackScheduler: (any CallbackScheduling)? { callbacks }

    // MARK: Sessions

    package func openCentral(observer: any CentralObserver) -> any CentralSession {
        RemoteCentralSession(of: self, number: nextNumber(), observer: observer)
    }

    package func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession {
        tell(.noPeripheralRole)
        scheduler.submit(after: RemoteCentral.firstStateDelay) { [weak observer] in
            observer?.adapterStateChanged(.unsupported)
        }
        return UnavailableSession()
    }

    package func openPairing(observer: any PairingObserver) -> any PairingSession {
        let session = GatewayPairingSession(adapter: self, number: nextNumber())
        let number = session.number
        scheduler.submit { [self, weak observer] in pairingObservers[number] = WeakObserver(observer: observer) }
        return session
    }

    private func nextNumber() -> Int {
        numbers.withLock {
            $0 += 1
            return $0
        }
    }

    // MARK: The central role

    package func submit(_ body: @escaping @Sendable (inout RemoteCentral, Instant) -> Void) {
        scheduler.submit { [self] in
            body(&central, scheduler.now)
            settle()
        }
    }

    /// Carries out the requests of the central, sends their messages, and plans the next deadline.
    func settle() {
        while case let requests = central.takeRequests(), !requests.isEmpty {
            for request in requests { carryOut(request) }
        }
        uplink.flush()
        releaseWriters()
        let deadline = [central.deadline, pairings.deadline].lazy.compactMap(\.self).min()
        plan.advance(to: deadline, on: scheduler) { [weak self] moment in self?.handleTimeout(moment) }
    }

    private func handleTimeout(_ moment: Instant) {
        plan.fired(moment)
        endLatePairings(at: scheduler.now)
        central.handleTimeout(at: scheduler.now)
        settle()
    }

    /// Tells sessions that had to wait that the buffer is empty.
    private func releaseWriters() {
        if uplink.queuedOctets == 0 { central.releaseWriters() }
    }

    // MARK: The gateway

    private func begin() {
        uplink.onMessage = { [weak self] (message: IncomingMessage) throws(APIError) in try self?.handle(message) }
        uplink.onLoss = { [weak self] loss in self?.lose(loss) }
        uplink.onEmpty = { [weak self] in self?.releaseWriters() }
        uplink.start()
    }

    /// Ends all links and scans without the gateway.
    private func lose(_ loss: GatewayConnectionError) {
        for peer in pairings.peers { endPairing(peer) }
        let new: AdapterState = loss.isOfKey ? .unauthorized : .resetting
        if uplink.attempts == 0 || new != central.state { tell(loss) }
        central.set(new)
        settle()
    }

    private func tell(_ loss: GatewayConnectionError) {
        if let report {
            report(loss)
        } else {
            log.error("Bluetooth does not work over \(network): \(loss)")
        }
    }
}
