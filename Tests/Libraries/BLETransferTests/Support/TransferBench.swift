import BLESimulator
import BLETransfer
import CoreBluetooth
import Testing
import WorldClock

/// A world with a central and a peripheral that transfer.
final class TransferBench {
    let world: World
    let clock: WorldClock
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
        seed: UInt64 = 1, loss: Double = 0, timing: TransferTiming = TransferTiming()
    ) throws {
        world = World(seed: seed, environment: RadioEnvironment(packetLoss: loss))
        clock = WorldClock(world)
        device = world.addDevice("Device")
        phone = world.addDevice("Phone", at: Position(x: 1))
        let (send, receive) = (TransferTask.send(source), TransferTask.receive(into: store))
        peripheral = try device.run {
            let peripheral = try TransferPeripheral(
                direction == .toPeripheral ? receive : send, name: "Device", timing: timing, queue: peripheralQueue,
                clock: clock, onEvent: peripheralLog.report)
            peripheral.start()
            return peripheral
        }
        central = try phone.run {
            let central = try TransferCentral(
                direction == .toPeripheral ? send : receive, peer: .named("Device"), carrier: carrier, timing: timing,
                queue: centralQueue, clock: clock, onEvent: centralLog.report)
            central.start()
            return central
        }
    }

    /// Runs the world until the condition holds, and the timers that become due.
    @discardableResult
    func run(_ limit: Duration, step: Duration = .milliseconds(50), until condition: @escaping () -> Bool) async -> Bool
    {
        let end = world.now + limit
        while !condition(), world.now < end {
            await world.run(timeout: step) { condition() }
            clock.fire()
        }
        return condition()
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
