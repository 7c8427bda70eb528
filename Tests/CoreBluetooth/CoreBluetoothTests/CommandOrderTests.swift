import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth
import Testing

/// The results of the GATT commands of a peripheral come in the order of the calls, also of those that are refused without the peer.
@Suite struct CommandOrderTests {
    /// A command that is refused at once, and its callback.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let event: String
        let call: @Sendable (ValueTests.Device, Stale) -> Void
        var testDescription: String { event }
    }

    /// Objects of an earlier connection.
    struct Stale {
        let service: CBService
        let characteristic: CBCharacteristic
        let descriptor: CBDescriptor

        init() throws {
            let device = try ValueTests.Device()
            characteristic = device.both
            service = try #require(device.both.service)
            descriptor = try #require(device.descriptors.first)
            device.bench.emit { $0.disconnected(CentralBench.peer, .failed(.endedByPeer), isReconnecting: false) }
        }
    }

    static let refusals = [
        Refusal(event: "notifying false CBATTErrorDomain 6") {
            $0.peripheral.setNotifyValue(true, for: $0.plain); _ = $1
        },
        Refusal(event: "notifying false") {
            $0.peripheral.setNotifyValue(false, for: $0.both); _ = $1
        },
        Refusal(event: "notifying false CBErrorDomain 2") {
            $0.peripheral.setNotifyValue(true, for: $1.characteristic)
        },
        Refusal(event: "included [\"nil\"] CBErrorDomain 2") {
            $0.peripheral.discoverIncludedServices(nil, for: $1.service)
        },
        Refusal(event: "characteristics [\"AA01\", \"AA02\", \"AA03\", \"AA04\"] CBErrorDomain 2") {
            $0.peripheral.discoverCharacteristics(nil, for: $1.service)
        },
        Refusal(event: "descriptors [\"2900\", \"2901\", \"2902\", \"2903\", \"2904\", \"2908\"] CBErrorDomain 2") {
            $0.peripheral.discoverDescriptors(for: $1.characteristic)
        },
        Refusal(event: "value [] CBErrorDomain 2") { $0.peripheral.readValue(for: $1.characteristic) },
        Refusal(event: "write CBErrorDomain 2") {
            $0.peripheral.writeValue(Data([1]), for: $1.characteristic, type: .withResponse)
        },
        Refusal(event: "descriptorValue nil CBErrorDomain 2") { $0.peripheral.readValue(for: $1.descriptor) },
        Refusal(event: "descriptorWrite CBErrorDomain 2") { $0.peripheral.writeValue(Data([1]), for: $1.descriptor) },
    ]

    /// Commands that go to the peer, with their operation, a result and its callback.
    static let commands:
        [(call: @Sendable (ValueTests.Device) -> Void, result: Result<GATTResult, GATTError>, event: String)] = [
            ({ $0.peripheral.discoverServices(nil) }, .success(.services([])), "services [\"FEE7\"]"),
            ({ $0.peripheral.readValue(for: $0.both) }, .success(.value([7])), "value [7]"),
            ({ $0.peripheral.writeValue(Data([1]), for: $0.plain, type: .withResponse) }, .success(.done), "write"),
            ({ $0.peripheral.setNotifyValue(true, for: $0.indicating) }, .success(.done), "notifying true"),
            ({ $0.peripheral.readRSSI() }, .success(.rssi(-40)), "rssi -40"),
            (
                { $0.peripheral.readValue(for: $0.descriptors[1]) }, .failure(.attribute(2)),
                "descriptorValue nil CBATTErrorDomain 2"
            ),
        ]

    /// Each refusal between two commands of each kind; a second one directly behind it; and one when nothing is outstanding.
    @Test(arguments: refusals.indices, commands.indices)
    func aRefusalWaitsForTheResultsBeforeIt(refusal: Int, command: Int) throws {
        let device = try ValueTests.Device()
        let stale = try Stale()
        let (refusal, command) = (Self.refusals[refusal], Self.commands[command])
        let bench = device.bench
        for _ in 0..<2 {
            command.call(device)
            refusal.call(device, stale)
            refusal.call(device, stale)
            device.peripheral.readValue(for: device.plain)
            refusal.call(device, stale)
            bench.settle()
            #expect(bench.newEvents().isEmpty)
            let submitted = bench.newCommands().compactMap { command -> GATTOperation? in
                if case .submit(let operation, _) = command { operation } else { nil }
            }
            try #require(submitted.count == 2)
            bench.complete(submitted[0], command.result)
            #expect(bench.newEvents() == [command.event, refusal.event, refusal.event])
            bench.complete(submitted[1], .success(.value([9])))
            #expect(bench.newEvents() == ["value [9]", refusal.event])
            refusal.call(device, stale)
            bench.settle()
            #expect(bench.newEvents() == [refusal.event])
            // The second round begins without the subscription of the first.
            if command.event == "notifying true" {
                device.peripheral.setNotifyValue(false, for: device.indicating)
                bench.answer(.success(.done))
                _ = bench.newEvents()
                _ = bench.newCommands()
            }
        }
    }

    /// The end of the link ends all commands, and the next link begins without those of the last one.
    @Test func theEndOfTheLinkDropsWhatWaits() throws {
        let device = try ValueTests.Device()
        let bench = device.bench
        device.peripheral.readValue(for: device.both)
        device.peripheral.setNotifyValue(true, for: device.plain)
        bench.emit { $0.disconnected(CentralBench.peer, .failed(.endedByPeer), isReconnecting: false) }
        bench.manager.connect(device.peripheral)
        bench.emit { $0.connected(PeerRecord(identifier: CentralBench.peer, name: nil)) }
        _ = bench.newEvents()
        device.peripheral.readValue(for: device.both)
        bench.settle()
        #expect(bench.newEvents() == ["value [] CBErrorDomain 2"], "at once, because nothing precedes it")
    }

    @Test func aSubscriptionIsComparedWithTheLastRequest() throws {
        let device = try ValueTests.Device()
        let bench = device.bench
        for _ in 0..<2 {
            device.peripheral.setNotifyValue(true, for: device.both)
            device.peripheral.setNotifyValue(false, for: device.both)
            let modes: [GATTOperation.NotifyMode] = [.notification, .off]
            #expect(
                bench.newCommands()
                    == modes.map { .submit(.setNotify(valueHandle: 3, end: 19, mode: $0), CentralBench.peer) })
            for mode in modes { bench.complete(.setNotify(valueHandle: 3, end: 19, mode: mode), .success(.done)) }
            #expect(bench.newEvents() == ["notifying true", "notifying false"])
            #expect(!device.both.isNotifying)
            // Nothing is on its way now.
            device.peripheral.setNotifyValue(false, for: device.both)
            bench.settle()
            #expect(bench.newCommands().isEmpty && bench.newEvents() == ["notifying false"])
        }
    }

    @Test func aTruncatedWriteWithoutResponseIsLogged() throws {
        let device = try ValueTests.Device()
        let limit = device.peripheral.maximumWriteValueLength(for: .withoutResponse)
        func lines(_ count: Int) -> [String] {
            misuses {
                device.peripheral.writeValue(
                    Data(repeating: 1, count: count), for: device.writable, type: .withoutResponse)
            }
        }
        #expect(lines(limit).isEmpty)
        #expect(lines(limit + 1).count == 1)
        let lengths = device.bench.newCommands().compactMap { command -> Int? in
            if case .write(let value, _, _) = command { value.count } else { nil }
        }
        #expect(lengths == [limit, limit])
    }

    @Test func row038_aChangedAdvertisedNameIsReported() throws {
        let bench = CentralBench()
        let peripheral = try #require(bench.discover("Old"))
        peripheral.delegate = bench.recorder
        _ = bench.newEvents()
        bench.discover("New")
        bench.discover("New")
        bench.discover(nil)
        #expect(bench.newEvents().filter { $0.hasPrefix("name") } == ["name New"])
        #expect(peripheral.name == "New")
    }
}
