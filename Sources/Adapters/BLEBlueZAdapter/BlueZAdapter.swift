import BLEAdapter
import BLETransport
import BLEWire
import SystemBus

/// The adapter over bluetoothd, the Bluetooth service of most Linux systems. It needs no rights, and other programs use the same radio meanwhile.
///
/// Threads: everything runs on the scheduler, on which the adapter also calls its observers. `snapshot` has what other threads read.
package final class BlueZAdapter: BluetoothAdapter, RemoteAdapter, @unchecked Sendable {
    package let snapshot: RemoteSnapshot
    private let scheduler: any SerialScheduler
    private let callbacks: (any CallbackScheduling)?
    /// Receives each new reason why the adapter cannot be used, and nil when it can.
    private let report: (@Sendable (BlueZError?) -> Void)?
    private let log = LibraryLog.logger()
    private let numbers = Lock(0)
    private let uplink: BlueZUplink
    private let central: CentralRole
    private let peripheral: PeripheralRole
    private let pairing: PairingRole
    private let channels: BlueZChannels
    private let watchSwitches: (@escaping () -> Void) -> AnyObject?
    private var switchWatcher: AnyObject?
    /// The path of the adapter that the roles use; nil while none is powered on.
    private var used: String?

    /// What the adapter reaches bluetoothd with.
    struct Surroundings {
        /// Makes a connection to the bus, with callbacks on the scheduler.
        var makeBus: () -> any Bus
        /// Makes a socket of values from a descriptor.
        var makeSocket: (Descriptor) -> any ValueSocket
        /// The L2CAP channels of the system.
        var channels: any ChannelSystem
        /// What rfkill says of an adapter.
        var blocks: (UInt16) -> AdapterWatch.Block?
        /// The links that the kernel has; nil if it does not tell.
        var links: (UInt16) -> RadioLinks? = { _ in nil }
        /// Calls back on the scheduler when a switch of a radio has changed, as long as the result is retained.
        var watchSwitches: (@escaping () -> Void) -> AnyObject? = { _ in nil }
    }

    /// - Parameters:
    ///   - name: The name of the adapter, such as `hci1`; nil for the first one.
    ///   - identification: The identifiers of devices on this host.
    ///   - callbacks: Runs callbacks in step with the scheduler's clock; nil for the clock of the machine.
    ///   - report: Receives each new reason why the adapter cannot be used, and nil when it can, before the state changes. Without it, reasons are
    ///     lines of the log.
    init(
        adapter name: String?, identification: any PeerIdentification, scheduler: any SerialScheduler,
        surroundings: Surroundings, callbacks: (any CallbackScheduling)? = nil,
        report: (@Sendable (BlueZError?) -> Void)? = nil
    ) {
        self.scheduler = scheduler
        self.callbacks = callbacks
        self.report = report
        snapshot = RemoteSnapshot(identification)
        watchSwitches = surroundings.watchSwitches
        uplink = BlueZUplink(
            adapter: name, scheduler: scheduler, blocks: surroundings.blocks, links: surroundings.links,
            makeBus: surroundings.makeBus)
        let channels = BlueZChannels(scheduler, surroundings.channels)
        self.channels = channels
        central = CentralRole(uplink, snapshot, scheduler: scheduler, makeSocket: surroundings.makeSocket) {
            psm, address, completion in
            channels.openChannel(psm, to: address, completion: completion)
        }
        peripheral = PeripheralRole(scheduler: scheduler, snapshot: snapshot, log: log) {
            PacketSocket.pair().map { (surroundings.makeSocket($0), $1) }
        }
        peripheral.channels = channels
        pairing = PairingRole(scheduler, snapshot, log)
        scheduler.submit { [weak self] in self?.begin() }
    }

    /// The last reference may go on any thread, while a callback of the bus runs: the parts end on the scheduler.
    deinit {
        scheduler.submit { [uplink, central, peripheral, pairing, channels] in
            withExtendedLifetime((uplink, central, peripheral, pairing, channels)) {}
        }
    }

    package var peerIdentification: (any PeerIdentification)? { snapshot.identification }
    package var restorationStore: (any RestorationStore)? { snapshot.identification as? any RestorationStore }
    package var callbackScheduler: (any CallbackScheduling)? { callbacks }

    /// The parts that act on bluetoothd's objects.
    private var roles: [any BlueZRole] { [pairing, channels, central, peripheral] }

    private func begin() {
        uplink.onState = { [weak self] in self?.stateChanged() }
        uplink.onChange = { [weak self] change in
            guard let self, used != nil else { return }
            for role in roles { role.apply(change, uplink.objects) }
        }
        uplink.onValue = { [weak self] path, value in self?.central.received(path, value) }
        uplink.onDrain = { [weak self] in self?.peripheral.drained() }
        // Devices may begin pairings with a program that has links or services.
        central.onLinks = { [weak self] in self?.updateServing() }
        peripheral.onServices = { [weak self] in self?.updateServing() }
        uplink.onReason = { [weak self] path, reason in self?.central.ended(path, reason) }
        uplink.start()
        switchWatcher = watchSwitches { [weak self] in self?.uplink.update() }
    }

    private func updateServing() { pairing.isServing = central.hasLinks || peripheral.hasServices }

    private func stateChanged() {
        let watch = uplink.watch
        let path = watch.state == .poweredOn ? watch.path : nil
        tell(watch.failure)
        if let used, used != path {
            self.used = nil
            for role in roles { role.end(watch.state == .poweredOn ? .resetting : watch.state) }
        } else if path == nil {
            for role in roles { role.end(watch.state) }
        }
        if used == nil, let path, let bus = uplink.bus {
            used = path
            for role in roles { role.begin(on: bus, adapter: path, uplink.objects) }
        }
    }

    private func tell(_ failure: BlueZError?) {
        if let report {
            report(failure)
        } else if let failure {
            log.error("Bluetooth does not work over bluetoothd: \(failure)")
        }
    }

    // MARK: Sessions

    private func nextNumber() -> Int {
        numbers.withLock {
            $0 += 1
            return $0
        }
    }

    package func submit(_ body: @escaping @Sendable (inout RemoteCentral, Instant) -> Void) {
        scheduler.submit { [self] in central.run(body) }
    }

    package func openCentral(observer: any CentralObserver) -> any CentralSession {
        RemoteCentralSession(of: self, number: nextNumber(), observer: observer)
    }

    package func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession {
        peripheral.open(observer: observer)
    }

    package func openPairing(observer: any PairingObserver) -> any PairingSession {
        pairing.open(observer: observer)
    }
}
