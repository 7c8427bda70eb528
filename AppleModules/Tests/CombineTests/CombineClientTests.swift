import BLESimulator
import Combine
import CoreBluetooth
import Synchronization
import Testing

/// A lamp: its level can be written, and every write is told to those who listen.
private final class Lamp: NSObject, CBPeripheralManagerDelegate {
    static let service = CBUUID(string: "5B1D1000-6F2E-4C0A-9B6A-2F1C0E4D7A10")
    static let level = CBUUID(string: "5B1D1001-6F2E-4C0A-9B6A-2F1C0E4D7A10")

    private var value = Data([0])
    private(set) var subscribers = 0
    private var manager: CBPeripheralManager!
    private let characteristic = CBMutableCharacteristic(
        type: level, properties: [.read, .write, .notify], value: nil, permissions: [.readable, .writeable])

    init(queue: DispatchQueue) {
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: queue)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: Self.service, primary: true)
        service.characteristics = [characteristic]
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        request.value = value
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let new = requests.first?.value, new.count == 1 else {
            return peripheral.respond(to: requests[0], withResult: .invalidAttributeValueLength)
        }
        value = new
        peripheral.respond(to: requests[0], withResult: .success)
        _ = peripheral.updateValue(value, for: characteristic, onSubscribedCentrals: nil)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) { subscribers += 1 }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) { subscribers -= 1 }
}

@Suite struct CombineClientTests {
    private let world = World(seed: 5)
    private let phoneQueue = DispatchQueue(label: "phone")
    private let lampQueue = DispatchQueue(label: "lamp")

    private func devices() -> (CombineClient, Lamp, VirtualDevice) {
        let device = world.addDevice("Lamp", at: Position(x: 1))
        let lamp = device.run { Lamp(queue: lampQueue) }
        return (world.addDevice("Phone").run { CombineClient(queue: phoneQueue) }, lamp, device)
    }

    private func level(_ client: CombineClient) -> AnyPublisher<CBCharacteristic, any Error> {
        client.ready
            .flatMap { client.find(Lamp.service) }
            .flatMap { client.connect($0) }
            .flatMap { client.characteristic(Lamp.level, of: Lamp.service, on: $0) }
            .eraseToAnyPublisher()
    }

    @Test func aChainOfPublishersConnectsWritesAndReads() async {
        let (client, lamp, _) = devices()
        defer { withExtendedLifetime(lamp) {} }
        let recorder = Recorder<Data, any Error>()
        level(client)
            .flatMap { client.write(Data([7]), to: $0) }
            .flatMap { client.read($0) }
            .subscribe(recorder)
        await world.run(timeout: .seconds(20)) { recorder.completion != nil }
        #expect(recorder.values == [Data([7])])
        #expect(!client.manager.isScanning)
    }

    @Test func listenersShareOneSubscriptionAndTheLastEndsIt() async throws {
        let (client, lamp, _) = devices()
        let found = Recorder<CBCharacteristic, any Error>()
        level(client).subscribe(found)
        await world.run(timeout: .seconds(20)) { found.completion != nil }
        let characteristic = try #require(found.values.first)
        let levels = client.notifications(of: characteristic)
        let first = Recorder<Data, Never>()
        let second = Recorder<Data, Never>()
        levels.subscribe(first)
        levels.subscribe(second)
        await world.run(for: .seconds(1))
        #expect(lampQueue.sync { lamp.subscribers } == 1)
        let written = Recorder<CBCharacteristic, any Error>()
        Publishers.MergeMany((1...3).map { client.write(Data([$0]), to: characteristic) }).subscribe(written)
        await world.run(for: .seconds(2))
        #expect(first.values == [Data([1]), Data([2]), Data([3])])
        #expect(second.values == first.values)
        first.cancel()
        await world.run(for: .seconds(1))
        #expect(lampQueue.sync { lamp.subscribers } == 1)
        second.cancel()
        await world.run(for: .seconds(1))
        #expect(lampQueue.sync { lamp.subscribers } == 0)
    }

    @Test func anErrorOfThePeerEndsTheChain() async {
        let (client, lamp, _) = devices()
        defer { withExtendedLifetime(lamp) {} }
        let recorder = Recorder<CBCharacteristic, any Error>()
        level(client).flatMap { client.write(Data([1, 2, 3]), to: $0) }.subscribe(recorder)
        await world.run(timeout: .seconds(20)) { recorder.completion != nil }
        guard case .failure(let error as CBATTError) = recorder.completion else {
            Issue.record("\(String(describing: recorder.completion))")
            return
        }
        #expect(error.code == .invalidAttributeValueLength)
    }

    @Test func aLostLampIsSeenInThePublishedState() async throws {
        let (client, lamp, device) = devices()
        defer { withExtendedLifetime(lamp) {} }
        let found = Recorder<CBCharacteristic, any Error>()
        level(client).subscribe(found)
        await world.run(timeout: .seconds(20)) { found.completion != nil }
        let peripheral = try #require(found.values.first?.service?.peripheral)
        let states = Recorder<CBPeripheralState, Never>()
        peripheral.publisher(for: \.state).removeDuplicates().subscribe(states)
        device.remove()
        await world.run(timeout: .seconds(30)) { states.values.count == 2 }
        #expect(states.values == [.connected, .disconnected])
    }

    @Test func cancellingTheSearchStopsTheScan() async {
        let client = world.addDevice("Phone").run { CombineClient(queue: phoneQueue) }
        let recorder = Recorder<CBPeripheral, any Error>()
        client.ready.flatMap { client.find(Lamp.service) }.subscribe(recorder)
        await world.run(timeout: .seconds(5)) { client.manager.isScanning }
        #expect(client.manager.isScanning)
        recorder.cancel()
        #expect(!client.manager.isScanning)
    }
}
