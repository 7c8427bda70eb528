import BLEAdapter
import BLEController
import BLEHost
import BLETransport
import BLEWire
import Dispatch
import Glibc
import Logging

/// The adapter of this process, chosen once, by `BLUETOOTH_CONTROLLER`.
package enum ProcessAdapter {
    static let shared: any BluetoothAdapter = make(
        ControllerChoice(getenv("BLUETOOTH_CONTROLLER").map { String(cString: $0) }))

    /// - Parameter store: what the adapter remembers; asked for only by an adapter that works.
    package static func make(
        _ choice: ControllerChoice, store: @autoclosure () -> DeviceStore = ProcessStore.shared
    ) -> any BluetoothAdapter {
        var random = SystemRandomNumberGenerator()
        let seed = random.next()
        var configuration = HostConfiguration()
        let name = DeviceName.own(on: choice)
        configuration.deviceName = Array(name.utf8)
        let sentence: String
        do throws(TransportError) {
            switch choice {
            case .virtual: return LoopbackAdapter(named: name, seed: seed, store: store())
            case .socket(let address):
                return try SocketController.adapter(
                    address: address, seed: seed, configuration: configuration, store: store(),
                    capture: ProcessCapture.make(format: .h4))
            case .adapter(let index):
                return try LocalController.adapter(
                    KernelAdapter(index: index), seed: seed, configuration: configuration, store: store(),
                    capture: ProcessCapture.make(format: .h4))
            case .radio(let place):
                return try SocketController.adapter(
                    radio: place, seed: seed, configuration: configuration, store: store(),
                    capture: ProcessCapture.make(format: .h4))
            case .none(let reason): sentence = reason
            }
        } catch {
            sentence = error.description
        }
        LibraryLog.logger().error("\(sentence)")
        return UnavailableAdapter()
    }
}

extension AdapterBinding {
    /// The adapter for a manager that is created now: the scope's, else the process's own, which `BLUETOOTH_CONTROLLER` chooses. Never
    /// fails: where no controller is usable, this is an adapter whose state is `.unsupported`, and a line in the log says
    /// what to do.
    package static func current() -> any BluetoothAdapter { scoped ?? ProcessAdapter.shared }
}

/// Stands where there is no usable controller: every session hears that Bluetooth is unsupported here.
final class UnavailableAdapter: BluetoothAdapter {
    private let queue = DispatchQueue(label: "bluetooth.unavailable")

    func openCentral(observer: any CentralObserver) -> any CentralSession {
        tellState { [weak observer] in observer?.adapterStateChanged(.unsupported) }
        return UnavailableSession()
    }

    func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession {
        tellState { [weak observer] in observer?.adapterStateChanged(.unsupported) }
        return UnavailableSession()
    }

    private func tellState(_ body: @escaping @Sendable () -> Void) {
        let delay = DispatchTimeInterval.nanoseconds(Int(HostCore.firstStateDelay.nanoseconds))
        queue.asyncAfter(deadline: .now() + delay, execute: body)
    }

    func deliver(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}

/// `BLUETOOTH_CONTROLLER=virtual`: a radio inside this process, in real time, with two devices a metre apart. All central
/// managers are on the device "central", all peripheral managers on the device "peripheral", so that a program that has both
/// can talk to itself. Callbacks run beside the radio, as they would beside hardware. The radio stays as long as the process.
final class LoopbackAdapter: BluetoothAdapter {
    private let stage: VirtualStage
    private let central: HostAdapter
    private let peripheral: HostAdapter

    /// - Parameters:
    ///   - name: the GAP device name of both devices: they are one program's.
    ///   - seed: decides what happens on the radio.
    ///   - store: what both devices remember. Their addresses come from it, so that they know each other in the next run.
    init(named name: String, seed: UInt64, store: DeviceStore) {
        stage = VirtualStage(
            seed: seed, configuration: RadioConfiguration(), pace: .multiple(1), freezesDuringCallbacks: false)
        central = stage.addDevice(named: name, seed: store.seed(for: "central"), at: .origin, store: store).adapter
        peripheral =
            stage.addDevice(named: name, seed: store.seed(for: "peripheral"), at: RadioPosition(x: 1), store: store)
            .adapter
        if let capture = ProcessCapture.make(format: .monitor) {
            stage.record(capture, clock: .wall(at: stage.engine.currentTime))
        }
        stage.engine.start()
    }

    func openCentral(observer: any CentralObserver) -> any CentralSession { central.openCentral(observer: observer) }

    func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession {
        peripheral.openPeripheral(observer: observer)
    }

    var restorationStore: (any RestorationStore)? { central.restorationStore }

    func rename(_ name: String) {
        central.rename(name)
        peripheral.rename(name)
    }

    func deliver(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) { central.deliver(on: queue, body) }
    func deliver(block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue) {
        central.deliver(block: block, on: queue)
    }
    func deliver(handing start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void) {
        central.deliver(handing: start)
    }
}
