import BLEAdapter
import BLECrypto
import BLEHost
import BLESecurity
import BLEStore
import BLEWire
import Synchronization

/// A Bluetooth adapter on the library's own host: one host stack on one serial executor, shared by all sessions.
package final class HostAdapter: BluetoothAdapter {
    let executor: any AdapterExecutor<HostDriver>
    package let store: DeviceStore
    let snapshot: AdapterSnapshot
    let admission: TransmitAdmission
    package let callbackRules: CallbackRules
    private let driver: ExecutorIsolated<HostDriver>
    private let sessionCount = Atomic(0)
    /// Changes with each call.
    private let order = Atomic(0)

    /// - Parameters:
    ///   - store: The persistent data of the host.
    ///   - random: The source of every random number of the host except those of keys.
    ///   - crypto: The cryptography of pairings, with the source of keys.
    package init(
        executor: any AdapterExecutor<HostDriver>, configuration: HostConfiguration, store: DeviceStore,
        random: SeededRandom, crypto: any CryptoProvider = SwiftCryptoProvider(),
        callbackRules: CallbackRules = CallbackRules()
    ) {
        var configuration = configuration
        configuration.suspendsForSecurity = true
        var crypto = crypto
        if store.bonds.localIdentityKey == nil {
            store.bonds.localIdentityKey = IdentityResolvingKey(value: crypto.random())
        }
        self.executor = executor
        self.store = store
        self.callbackRules = callbackRules
        admission = TransmitAdmission(beginsFull: !callbackRules.connectsReadyToWrite)
        snapshot = AdapterSnapshot(knownNames: store.knownNames, identification: store)
        driver = ExecutorIsolated(
            HostDriver(
                executor: executor, host: HostStack(configuration: configuration, random: random, crypto: crypto),
                store: store, bonds: store.bonds, log: store.log, snapshot: snapshot, admission: admission))
        driver.object.adapter = self
        executor.adopt(driver)
    }

    deinit { executor.retire() }

    package var restorationStore: (any RestorationStore)? { store }
    package var peerIdentification: (any PeerIdentification)? { store }
    package var callbackScheduler: (any CallbackScheduling)? { executor }
    package var supportsExtendedAdvertising: Bool { snapshot.usesExtendedAdvertising }

    package func openCentral(observer: any CentralObserver) -> any CentralSession {
        let number = sessionCount.add(1, ordering: .relaxed).newValue
        submit { [weak observer] driver in
            if let observer { driver.openCentral(number, observer) }
        }
        return CentralHostSession(adapter: self, number: number)
    }

    package func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession {
        let number = sessionCount.add(1, ordering: .relaxed).newValue
        submit { [weak observer] driver in
            if let observer { driver.openPeripheral(number, observer) }
        }
        return PeripheralHostSession(adapter: self, number: number)
    }

    package func openPairing(observer: any PairingObserver) -> any PairingSession {
        let number = sessionCount.add(1, ordering: .relaxed).newValue
        submit { [weak observer] driver in
            if let observer { driver.openPairing(number, observer) }
        }
        return PairingHostSession(adapter: self, number: number)
    }

    package func openPeriodic(_ role: PeriodicRole, observer: any PeriodicObserver) -> any PeriodicSession {
        let number = sessionCount.add(1, ordering: .relaxed).newValue
        submit { [weak observer] driver in
            if let observer { driver.openPeriodic(number, observer) }
        }
        return PeriodicHostSession(adapter: self, number: number)
    }

    /// Turns Bluetooth off. The host disconnects its links first.
    package func powerOff() { submit { $0.sessions.powerOff(at: $0.now) } }

    /// Turns Bluetooth on again.
    package func powerOn() { submit { $0.sessions.powerOn(at: $0.now) } }

    /// Changes the GAP device name of this host.
    package func rename(_ name: String) {
        let octets = Array(name.utf8)
        submit { $0.sessions.rename(octets, at: $0.now) }
    }

    /// Requests parameters of all links to centrals, as a firmware does.
    package func requestParameters(_ requested: RequestedConnectionParameters) {
        submit { $0.sessions.requestParameters(requested, at: $0.now) }
    }

    /// Moves the programs to the background of a phone or back.
    package func setBackground(_ isInBackground: Bool) {
        submit { $0.sessions.setBackground(isInBackground, at: $0.now) }
    }

    /// Changes the ATT_MTU that this host offers on later links: 23 to 517 octets (Vol 3, Part F, 3.2.8). Other values are clamped.
    package func offerMTU(_ octets: UInt16) { submit { $0.sessions.host.offerMTU(octets) } }

    /// Calls `receive` on the executor with the properties of a link as central.
    package func describeLink(to peer: PeerIdentifier, _ receive: @escaping @Sendable (LinkDescription?) -> Void) {
        submit { receive($0.sessions.linkDescription(of: peer)) }
    }

    /// The ATT_MTU in octets of the link with a connection handle; nil without such a link. For code on the executor.
    package func mtu(ofHandle handle: UInt16) -> Int? { onExecutor.sessions.host.mtu(ofHandle: handle) }

    /// The address of the peer of the link with a connection handle. For code on the executor.
    package func peer(ofHandle handle: UInt16) -> DeviceAddress? { onExecutor.sessions.host.peer(ofHandle: handle) }

    /// The handle of the peer's Service Changed on the link with a connection handle, if this host is subscribed. For code on the executor.
    package func serviceChangedHandle(ofHandle handle: UInt16) -> UInt16? {
        onExecutor.sessions.host.serviceChangedHandle(ofHandle: handle)
    }

    /// Forgets all bonds, and ends their links.
    package func forgetBonds() {
        submit { driver in
            for bond in driver.sessions.bondRecords { driver.sessions.unpair(bond.peer.identifier, at: driver.now) }
        }
    }

    /// Runs `call` on the executor, then handles the resulting events and packets.
    package func submit(_ call: @escaping @Sendable (HostDriver) -> Void) {
        order.add(1, ordering: .relaxed)
        executor.submit(to: driver, call)
    }

    /// Runs `call` as `submit` does, but on the calling thread, which must hold no lock, and without an allocation. Returns false, without
    /// effect, if the caller has to submit the call.
    func runAtOnce(_ call: (HostDriver) -> Void) -> Bool {
        order.add(1, ordering: .relaxed)
        return executor.runAtOnce(call)
    }

    /// Sends a Write Command after the calls before. Write Commands without another call between them share one call on the executor.
    func write(
        _ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier, session: Int
    ) -> TransmitAdmission.Admission {
        admission.admitCommand(
            value, handle: handle, to: peer, session: session, order: order.load(ordering: .relaxed)
        ) { executor.submit(to: driver) { $0.sendWriteCommands() } }
    }

    /// The driver, for code on the executor.
    package var onExecutor: HostDriver { driver.object }
}
