import BLESimulator
import BLETransfer
import CoreBluetooth
import Testing

/// A world with a central and a peripheral that transfer.
final class TransferBench {
    let world: World
    let phone: VirtualDevice
    let device: VirtualDevice
    let centralLog = EventLog()
    let peripheralLog = EventLog()
    let store = MemoryStore()
    private(set) var central: TransferCentral!
    private(set) var peripheral: TransferPeripheral!
    private let centralQueue = DispatchQueue(label: "central")
    private let peripheralQueue = DispatchQueue(label: "peripheral")

    enum Direction: CaseIterable { case toPeripheral, toCentral }

    init(
        _ source: any TransferSource, _ direction: Direction = .toPeripheral, carrier: TransferCarrier = .attributes,
        seed: UInt64 = 1, loss: Double = 0, timing: TransferTiming = TransferTiming(), startsCentral: Bool = true
    ) throws {
        world = World(seed: seed, environment: RadioEnvironment(packetLoss: loss))
        device = world.addDevice("Device")
        phone = world.addDevice("Phone", at: Position(x: 1))
        let (send, receive) = (Transfer.send(source), Transfer.receive(into: store))
        peripheral = try device.run {
            let peripheral = try TransferPeripheral(
                direction == .toPeripheral ? receive : send, name: "Device", timing: timing, queue: peripheralQueue,
                clock: world.clock, onEvent: peripheralLog.report)
            peripheral.start()
            return peripheral
        }
        central = try phone.run {
            let central = try TransferCentral(
                direction == .toPeripheral ? send : receive, peer: .named("Device"), carrier: carrier, timing: timing,
                queue: centralQueue, clock: world.clock, onEvent: centralLog.report)
            if startsCentral { central.start() }
            return central
        }
    }

    /// Runs the world until the condition holds.
    @discardableResult
    func run(_ limit: Duration, until condition: @escaping () -> Bool) async -> Bool {
        await world.run(timeout: limit, until: condition)
    }

    /// Runs until both ends report an end.
    func runToTheEnd(_ limit: Duration = .seconds(120)) async {
        let (central, peripheral) = (centralLog, peripheralLog)
        await run(limit) { !central.ends.isEmpty && !peripheral.ends.isEmpty }
    }

    func cancel(_ direction: Direction) {
        switch direction {
        case .toPeripheral:
            central.cancel()
            centralQueue.sync {}
        case .toCentral:
            peripheral.cancel()
            peripheralQueue.sync {}
        }
    }

    /// Stops the peripheral and waits for it.
    func stopPeripheral() async -> Bool {
        let log = EventLog()
        peripheral.stop { log.report(.linkLost) }
        peripheralQueue.sync {}
        return await run(.seconds(10)) { log.lostLinks == 1 }
    }
}
