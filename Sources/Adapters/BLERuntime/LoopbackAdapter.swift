import BLEAdapter
import BLETransport
import BLEController
import BLEHostAdapter
import BLEStore
import BLEVirtualRadio
import BLEWire

/// `BLUETOOTH_CONTROLLER=virtual`: a radio inside this process, in real time, with two devices one metre apart. Central
/// managers use the device "central" and peripheral managers the device "peripheral", so that a program with both can
/// connect to itself. Callbacks do not stop the radio's time, as with hardware. The radio exists as long as the
/// process.
final class LoopbackAdapter: BluetoothAdapter {
    private let runtime: VirtualRadioRuntime
    private let central: HostAdapter
    private let peripheral: HostAdapter

    /// - Parameters:
    ///   - name: The GAP device name of both devices.
    ///   - seed: The source of the radio's random numbers.
    ///   - store: The persistent data of both devices. Their addresses are derived from it and from the name, so each recognises the other in the
    ///     next run of the program, and does not take it for a device of another program.
    ///   - privateAddressInterval: The lifetime of the devices' private addresses; nil if they use their identity addresses.
    init(named name: String, seed: UInt64, store: DeviceStore, privateAddressInterval: TimeSpan? = nil) {
        runtime = VirtualRadioRuntime(
            seed: seed, configuration: RadioConfiguration(), pace: .multiple(1), freezesDuringCallbacks: false)
        central =
            runtime.addHost(
                named: name, seed: Self.seed(of: "central", named: name, store), at: .origin, store: store,
                privateAddressInterval: privateAddressInterval
            ).adapter
        peripheral =
            runtime.addHost(
                named: name, seed: Self.seed(of: "peripheral", named: name, store), at: RadioPosition(x: 1),
                store: store,
                privateAddressInterval: privateAddressInterval
            ).adapter
        if let capture = ProcessCapture.make(format: .monitor) {
            runtime.record(capture, clock: .wall(at: runtime.engine.currentTime))
        }
        runtime.engine.start()
    }

    /// The source of a device's address.
    static func seed(of device: String, named name: String, _ store: DeviceStore) -> UInt64 {
        store.seed(for: "\(device) \(name)")
    }

    func openCentral(observer: any CentralObserver) -> any CentralSession { central.openCentral(observer: observer) }

    func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession {
        peripheral.openPeripheral(observer: observer)
    }

    /// The device "central" has the agents and the bonds that a program sees. The device "peripheral" accepts every
    /// pairing without an agent.
    func openPairing(observer: any PairingObserver) -> any PairingSession { central.openPairing(observer: observer) }

    func openPeriodic(_ role: PeriodicRole, observer: any PeriodicObserver) -> any PeriodicSession {
        (role == .advertiser ? peripheral : central).openPeriodic(role, observer: observer)
    }

    var restorationStore: (any RestorationStore)? { central.restorationStore }
    var peerIdentification: (any PeerIdentification)? { central.peerIdentification }
    var supportsExtendedAdvertising: Bool { central.supportsExtendedAdvertising }

    func rename(_ name: String) {
        central.rename(name)
        peripheral.rename(name)
    }

    func describeLink(to peer: PeerIdentifier, _ receive: @escaping @Sendable (LinkDescription?) -> Void) {
        central.describeLink(to: peer, receive)
    }
}
