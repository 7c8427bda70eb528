import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth
import Testing

/// Values of different lengths, which take different ways.
@Suite struct ValueLengthTests {
    private typealias Device = ValueTests.Device

    /// The adapter gives the value of a read as a span. The waiting value is a copy of it.
    @Test(arguments: [0, 1, 14, 15, 22, 23, 512]) func readsOfEachLengthAreDelivered(count: Int) throws {
        let device = try Device()
        let values = (1...2).map { [UInt8](repeating: $0, count: count) }
        device.bench.queue.suspend()
        func read(_ value: [UInt8], handle: UInt16) {
            device.bench.adapter.executor.sync {
                device.bench.session.observer?.read(value.span, of: handle, from: CentralBench.peer)
            }
        }
        for value in values { read(value, handle: 3) }
        device.bench.queue.resume()
        device.bench.settle()
        #expect(device.bench.newEvents() == values.map { "value \($0)" })
        #expect(device.both.value == Data(values[1]))
        read([1, 0], handle: 4)
        device.bench.settle()
        #expect(device.descriptors[0].value as? NSNumber == 1)
        #expect(device.bench.newEvents().allSatisfy { $0.hasPrefix("descriptorValue") })
    }

    @Test func row088_theLimitIsThatOfTheConnection() throws {
        let device = try Device()
        let bench = device.bench
        func writes(_ characteristic: CBCharacteristic) -> [Int] {
            _ = bench.newCommands()
            for count in [600, 600, 21, 20] {
                device.peripheral.writeValue(Data(count: count), for: characteristic, type: .withoutResponse)
            }
            return bench.newCommands().map { if case .write(let value, 26, _) = $0 { value.count } else { -1 } }
        }
        bench.session.record.mtu { $0 = 185 }
        #expect(writes(device.writable) == [182, 182, 21, 20])
        bench.emit { $0.disconnected(CentralBench.peer, .failed(.endedByPeer), isReconnecting: false) }
        bench.manager.connect(device.peripheral)
        bench.emit { $0.connected(PeerRecord(identifier: CentralBench.peer, name: nil)) }
        bench.session.record.mtu { $0 = 50 }
        device.peripheral.discoverServices(nil)
        bench.answer(.success(.services([DiscoveredService(0xFEE7, 1, 40)])))
        let service = try #require(device.peripheral.services?.first)
        device.peripheral.discoverCharacteristics(nil, for: service)
        bench.answer(
            .success(.characteristics([DiscoveredCharacteristic(0xAA04, [.writeWithoutResponse], value: 26, end: 26)])))
        #expect(writes(try #require(service.characteristics?.first)) == [47, 47, 21, 20])
    }
}
