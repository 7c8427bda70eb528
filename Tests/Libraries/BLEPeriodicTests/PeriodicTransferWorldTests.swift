import BLEAdapter
import BLEPeriodic
import BLESimulator
import CoreBluetooth
import Foundation
import TestConditions
import Testing

/// Three programs on the virtual radio: a sensor sends a train, and a helper tells a watch of it, which does not scan.
struct PeriodicTransferWorldTests {
    private let world = World(seed: 11)
    private let queue = DispatchQueue(label: "managers")

    private static var service: CBUUID { CBUUID(string: "181A") }
    private static var place: CBUUID { CBUUID(string: "2A6E") }

    /// The peripheral side of the link. `@unchecked Sendable`: callbacks change it on their queue, and the test reads it while time stands still.
    private final class Helper: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
        private(set) var central: UUID?
        private var manager: CBPeripheralManager?

        func start(_ queue: DispatchQueue) { manager = CBPeripheralManager(delegate: self, queue: queue) }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            guard peripheral.state == .poweredOn else { return }
            let service = CBMutableService(type: PeriodicTransferWorldTests.service, primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: PeriodicTransferWorldTests.place, properties: .read, value: nil, permissions: .readable)
            ]
            peripheral.add(service)
            peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [PeriodicTransferWorldTests.service]])
        }

        func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
            central = request.central.identifier
            request.value = Data([1])
            peripheral.respond(to: request, withResult: .success)
        }
    }

    /// The central side. `@unchecked Sendable` as above.
    private final class Watch: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
        private(set) var hasRead = false
        private(set) var helper: CBPeripheral?
        private var manager: CBCentralManager?

        func start(_ queue: DispatchQueue) { manager = CBCentralManager(delegate: self, queue: queue) }
        func disconnect() { if let helper { manager?.cancelPeripheralConnection(helper) } }

        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            guard central.state == .poweredOn else { return }
            central.scanForPeripherals(withServices: [PeriodicTransferWorldTests.service])
        }

        func centralManager(
            _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) {
            central.stopScan()
            helper = peripheral
            peripheral.delegate = self
            central.connect(peripheral)
        }

        func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
            peripheral.discoverServices([PeriodicTransferWorldTests.service])
        }

        func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
            for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
        }

        func peripheral(
            _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
        ) {
            for characteristic in service.characteristics ?? [] { peripheral.readValue(for: characteristic) }
        }

        func peripheral(
            _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
        ) { hasRead = true }
    }

    private final class Outcome<Value: Sendable>: Sendable {
        private let value = Lock<Result<Value, any Error>?>(nil)
        var isKnown: Bool { value.withLock { $0 != nil } }
        func set(_ result: Result<Value, any Error>) { value.withLock { $0 = result } }
        func get() throws -> Value { try #require(value.withLock { $0 }).get() }
    }

    private func begin<Value: Sendable>(
        _ call: @escaping @Sendable () async throws -> Value
    ) -> Outcome<Value> {
        let outcome = Outcome<Value>()
        Task {
            do { outcome.set(.success(try await call())) } catch { outcome.set(.failure(error)) }
        }
        return outcome
    }

    /// Lets time pass until a call has ended.
    private func finish<Value: Sendable>(_ outcome: Outcome<Value>) async throws -> Value {
        let hasEnded = await eventually {
            await world.run(for: .milliseconds(20))
            return outcome.isKnown
        }
        try #require(hasEnded, "the call has not ended")
        return try outcome.get()
    }

    private func finish<Value: Sendable>(_ call: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await finish(begin(call))
    }

    /// The first report of a train that has arrived.
    private func report(_ sync: PeriodicSync) async throws -> PeriodicReport? {
        for try await report in sync { return report }
        return nil
    }

    @Test(.timeLimit(.minutes(10))) func aTrainIsPassedOnOverALink() async throws {
        let sensor = world.addDevice("sensor")
        let (phone, wrist) = (
            world.addDevice("helper", at: Position(x: 1)), world.addDevice("watch", at: Position(x: 2))
        )
        let advertiser = try sensor.run {
            try PeriodicAdvertiser(name: "sensor", set: 4, interval: .milliseconds(100))
        }
        let own = try phone.run { try PeriodicAdvertiser(name: "own", set: 9, interval: .milliseconds(200)) }
        let (finder, receiver) = (phone.run { PeriodicScanner() }, wrist.run { PeriodicScanner() })
        let (helper, watch) = (Helper(), Watch())
        phone.run { helper.start(queue) }
        wrist.run { watch.start(queue) }
        #expect(await world.run(timeout: .seconds(20)) { watch.hasRead && helper.central != nil })
        let (central, peripheral) = (try #require(helper.central), try #require(watch.helper?.identifier))

        // There is nothing to tell, and nobody to tell it.
        await #expect(throws: PeriodicError.noTrain) { try await finish { try await own.transfer(to: central) } }
        let stranger = UUID()
        try await finish { try await own.start(Data([2, 0xFF, 9])) }
        await #expect(throws: PeriodicError.notConnected) { try await finish { try await own.transfer(to: stranger) } }
        await #expect(throws: PeriodicError.notConnected) {
            try await finish { try await receiver.receiveTransfer(from: stranger) }
        }

        let data = Data([3, 0xFF, 1, 2])
        try await finish { try await advertiser.start(data) }
        let found = try await finish { try await finder.synchronize(with: .named("sensor", set: 4)) }
        // Each device has an identifier of its own for the same advertiser.
        let heard = try await finish { try await receiver.synchronize(with: .named("sensor", set: 4)) }
        heard.end()
        for round in 1...2 as ClosedRange<UInt16> {
            let awaited = begin { try await receiver.receiveTransfer(from: peripheral) }
            await world.run(for: .milliseconds(500))
            #expect(!awaited.isKnown)
            try await finish { try await found.transfer(to: central, value: round) }
            let sync = try await finish(awaited)
            #expect(sync.set == 4 && sync.interval == .milliseconds(100) && sync.transferValue == round)
            #expect(sync.device == heard.device)
            await world.run(for: .seconds(1))
            #expect(try await report(sync)?.data == data)
            // The reception of the helper goes on.
            #expect(try await report(found)?.data == data)
            sync.end()
            await world.run(for: .seconds(1))
        }
        // The train that the helper sends itself.
        let awaited = begin { try await receiver.receiveTransfer(from: peripheral) }
        await world.run(for: .milliseconds(500))
        try await finish { try await own.transfer(to: central, value: 7) }
        let sync = try await finish(awaited)
        #expect(sync.set == 9 && sync.interval == .milliseconds(200) && sync.transferValue == 7)
        await world.run(for: .seconds(1))
        #expect(try await report(sync)?.data == Data([2, 0xFF, 9]))

        // Nobody waits: the watch ignores the train. The end of the link ends a wait, and not the reception.
        try await finish { try await found.transfer(to: central) }
        await world.run(for: .seconds(1))
        let last = begin { try await receiver.receiveTransfer(from: peripheral) }
        await world.run(for: .seconds(1))
        #expect(!last.isKnown)
        watch.disconnect()
        await #expect(throws: PeriodicError.notConnected) { try await finish(last) }
        try await finish { try await own.update(Data([2, 0xFF, 8])) }
        await world.run(for: .seconds(1))
        var latest = try await report(sync)
        while let next = latest, next.data != Data([2, 0xFF, 8]), next.number < 100 { latest = try await report(sync) }
        #expect(latest?.data == Data([2, 0xFF, 8]))
    }
}
