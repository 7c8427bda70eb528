import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth
import Testing

@Suite struct AttributeDiscoveryTests {
    @Test func row063_everythingIsNilUntilDiscovered() throws {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        #expect(peripheral.services == nil)
        peripheral.discoverServices(nil)
        bench.answer(.success(.services([DiscoveredService(0x180F, 1, 5)])))
        let service = try #require(peripheral.services?.first)
        #expect(service.characteristics == nil && service.includedServices == nil && service.isPrimary)
        peripheral.discoverCharacteristics(nil, for: service)
        bench.answer(.success(.characteristics([DiscoveredCharacteristic(0x2A19, .read, value: 3, end: 5)])))
        let characteristic = try #require(service.characteristics?.first)
        #expect(characteristic.descriptors == nil && characteristic.value == nil && !characteristic.isNotifying)
        #expect(characteristic.properties == .read && !characteristic.isBroadcasted)
        peripheral.discoverDescriptors(for: characteristic)
        bench.answer(.success(.descriptors([DiscoveredDescriptor(uuid: short(0x2902), handle: 4)])))
        #expect(characteristic.descriptors?.first?.value == nil)
        #expect(
            bench.newEvents() == [
                "services [\"180F\"]", "characteristics [\"2A19\"]", "descriptors [\"2902\"]",
            ])
    }

    @Test func row064_row067_uuidListsReachTheAdapterAndAnEmptyListMeansAll() throws {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        peripheral.discoverServices(nil)
        peripheral.discoverServices([])
        peripheral.discoverServices([CBUUID(string: "180F")])
        bench.answer(.success(.services([DiscoveredService(0x180F, 1, 5)])))
        let service = try #require(peripheral.services?.first)
        peripheral.discoverCharacteristics([], for: service)
        peripheral.discoverCharacteristics([CBUUID(string: "2A19")], for: service)
        peripheral.discoverIncludedServices(nil, for: service)
        let range = HandleRange(start: 1, end: 5)
        #expect(
            bench.newCommands()
                == [
                    GATTOperation.discoverServices(nil), .discoverServices(nil), .discoverServices([short(0x180F)]),
                    .discoverCharacteristics(service: range, nil),
                    .discoverCharacteristics(service: range, [short(0x2A19)]),
                    .discoverIncludedServices(service: range, nil),
                ].map { .submit($0, CentralBench.peer) })
    }

    @Test func row064_eachCallHasOneCallback() {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        for _ in 0..<2 {
            peripheral.discoverServices(nil)
            bench.answer(.success(.services([DiscoveredService(0x180F, 1, 5)])))
        }
        #expect(bench.newEvents() == ["services [\"180F\"]", "services [\"180F\"]"])
    }

    @Test func row065_discoveryAccumulatesInTheOrderOfTheHandles() throws {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        peripheral.discoverServices([CBUUID(string: "180F")])
        bench.answer(.success(.services([DiscoveredService(0x180F, 10, 15)])))
        peripheral.discoverServices([CBUUID(string: "180D")])
        bench.answer(.success(.services([DiscoveredService(0x180D, 1, 5)])))
        #expect(peripheral.services?.map(\.uuid.uuidString) == ["180D", "180F"])
        let service = try #require(peripheral.services?.last)
        peripheral.discoverCharacteristics([CBUUID(string: "2A19")], for: service)
        bench.answer(.success(.characteristics([DiscoveredCharacteristic(0x2A19, .read, value: 12, end: 12)])))
        peripheral.discoverCharacteristics([CBUUID(string: "2A1A")], for: service)
        bench.answer(.success(.characteristics([DiscoveredCharacteristic(0x2A1A, .read, value: 14, end: 15)])))
        #expect(service.characteristics?.count == 2)
    }

    @Test func row066_noMatchIsNoError() {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        peripheral.discoverServices([CBUUID(string: "FFFF")])
        bench.answer(.success(.services([])))
        #expect(bench.newEvents() == ["services []"])
        #expect(peripheral.services?.isEmpty == true)
    }

    @Test func row068_repeatedDiscoveryGivesTheSameObjects() throws {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        var objects: [[NSObject]] = []
        for _ in 0..<2 {
            peripheral.discoverServices(nil)
            bench.answer(.success(.services([DiscoveredService(0x180F, 1, 5)])))
            let service = try #require(peripheral.services?.first)
            peripheral.discoverCharacteristics(nil, for: service)
            bench.answer(.success(.characteristics([DiscoveredCharacteristic(0x2A19, .read, value: 3, end: 5)])))
            let characteristic = try #require(service.characteristics?.first)
            peripheral.discoverDescriptors(for: characteristic)
            bench.answer(.success(.descriptors([DiscoveredDescriptor(uuid: short(0x2901), handle: 4)])))
            let descriptor = try #require(characteristic.descriptors?.first)
            objects.append([service, characteristic, descriptor])
        }
        #expect(zip(objects[0], objects[1]).allSatisfy { $0 === $1 })
    }

    @Test func row070_aSecondaryServiceIsReachedByInclusion() throws {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        peripheral.discoverServices(nil)
        bench.answer(.success(.services([DiscoveredService(0x180F, 1, 5)])))
        let service = try #require(peripheral.services?.first)
        peripheral.discoverIncludedServices(nil, for: service)
        bench.answer(.success(.services([DiscoveredService(0xFEE7, 8, 12, isPrimary: false)])))
        let included = try #require(service.includedServices?.first)
        #expect(!included.isPrimary && included.peripheral === peripheral)
        #expect(peripheral.services?.count == 1)
        #expect(bench.newEvents().last == "included [\"FEE7\"]")
        _ = bench.newCommands()
        peripheral.discoverCharacteristics(nil, for: included)
        #expect(bench.newCommands().count == 1)
    }

    @Test func row071_backReferencesAreWeak() throws {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        peripheral.discoverServices(nil)
        bench.answer(.success(.services([DiscoveredService(0x180F, 1, 5)])))
        var service = peripheral.services?.first
        peripheral.discoverCharacteristics(nil, for: try #require(service))
        bench.answer(.success(.characteristics([DiscoveredCharacteristic(0x2A19, .read, value: 3, end: 5)])))
        var characteristic = service?.characteristics?.first
        peripheral.discoverDescriptors(for: try #require(characteristic))
        bench.answer(.success(.descriptors([DiscoveredDescriptor(uuid: short(0x2901), handle: 4)])))
        let descriptor = try #require(characteristic?.descriptors?.first)
        #expect(descriptor.characteristic === characteristic && characteristic?.service === service)
        bench.emit { $0.disconnected(CentralBench.peer, .failed(.endedByPeer), isReconnecting: false) }
        service = nil
        #expect(characteristic?.service == nil)
        characteristic = nil
        #expect(descriptor.characteristic == nil)
    }

    @Test func row072_changedServicesBecomeInvalidAndOthersStayValid() throws {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        peripheral.discoverServices(nil)
        bench.answer(.success(.services([DiscoveredService(0x180F, 1, 5), DiscoveredService(0x180D, 6, 9)])))
        let services = try #require(peripheral.services)
        peripheral.discoverCharacteristics(nil, for: services[1])
        bench.answer(.success(.characteristics([DiscoveredCharacteristic(0x2A37, [.notify], value: 8, end: 9)])))
        let characteristic = try #require(services[1].characteristics?.first)
        peripheral.setNotifyValue(true, for: characteristic)
        bench.answer(.success(.done))
        _ = bench.newEvents()
        bench.emit { $0.servicesChanged(HandleRange(start: 9, end: 20), of: CentralBench.peer) }
        #expect(bench.newEvents() == ["modified [\"180D\"]"])
        #expect(bench.recorder.invalidated.value.first === services[1])
        #expect(peripheral.services?.count == 1 && peripheral.services?.first === services[0])
        #expect(!characteristic.isNotifying)
        _ = bench.newCommands()
        bench.notify([1], handle: 8)
        #expect(bench.newEvents().isEmpty)
        peripheral.discoverServices(nil)
        bench.answer(.success(.services([DiscoveredService(0x180F, 1, 5), DiscoveredService(0x180D, 6, 9)])))
        #expect(peripheral.services?.first === services[0] && peripheral.services?.last !== services[1])
    }

    @Test func row072_pendingResultsAreDeliveredAfterAnInvalidation() throws {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        peripheral.discoverServices(nil)
        bench.answer(.success(.services([DiscoveredService(0x180D, 6, 9)])))
        let service = try #require(peripheral.services?.first)
        peripheral.discoverCharacteristics(nil, for: service)
        bench.emit { $0.servicesChanged(HandleRange(start: 1, end: 0xFFFF), of: CentralBench.peer) }
        bench.answer(.success(.characteristics([])))
        #expect(
            bench.newEvents() == ["services [\"180D\"]", "modified [\"180D\"]", "characteristics []"])
    }

    @Test func aDiscoveryThatRunsDuringAChangeIsCarriedOutAgain() throws {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        let old = [DiscoveredService(0x180F, 1, 5), DiscoveredService(0x180D, 6, 9)]
        let new = [DiscoveredService(0x180F, 1, 5), DiscoveredService(0x1810, 6, 12)]
        peripheral.discoverServices(nil)
        bench.emit { $0.servicesChanged(HandleRange(start: 6, end: 20), of: CentralBench.peer) }
        // The first answer can be outdated. The delegate hears of the second one.
        bench.answer(.success(.services(old)))
        bench.answer(.success(.services(new)))
        #expect(bench.newEvents().suffix(2) == ["modified []", "services [\"180F\", \"1810\"]"])
        // A discovery that the program asks for after the change needs no repetition.
        peripheral.discoverServices(nil)
        bench.emit { $0.servicesChanged(HandleRange(start: 6, end: 20), of: CentralBench.peer) }
        peripheral.discoverServices(nil)
        bench.answer(.success(.services(old)))
        bench.answer(.success(.services(new)))
        #expect(bench.newEvents().suffix(2) == ["modified [\"1810\"]", "services [\"180F\", \"1810\"]"])
        bench.answer(.success(.services(new)))
        #expect(bench.newEvents() == ["services [\"180F\", \"1810\"]"])
        // A failure is reported, also after two changes.
        peripheral.discoverServices(nil)
        bench.emit { $0.servicesChanged(HandleRange(start: 1, end: 2), of: CentralBench.peer) }
        bench.emit { $0.servicesChanged(HandleRange(start: 30, end: 40), of: CentralBench.peer) }
        bench.answer(.failure(.notConnected))
        peripheral.discoverServices(nil)
        bench.answer(.success(.services(new)))
        #expect(bench.newEvents().last == "services [\"180F\", \"1810\"]")
    }

    @Test func row073_commandsWithoutAConnectionAreDroppedAndLogged() throws {
        let bench = CentralBench()
        let peripheral = try #require(bench.discover())
        peripheral.delegate = bench.recorder
        _ = bench.newEvents()
        _ = bench.newCommands()
        let lines = misuses {
            peripheral.discoverServices(nil)
            peripheral.readRSSI()
            peripheral.openL2CAPChannel(0x80)
        }
        bench.settle()
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.hasPrefix("API MISUSE: ") && $0.hasSuffix("while in the connected state") })
        #expect(bench.newEvents().isEmpty && bench.newCommands().isEmpty)
    }

    @Test func row074_aDiscoveryWithoutADelegateIsLogged() {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        peripheral.delegate = nil
        let lines = misuses { peripheral.discoverServices(nil) }
        #expect(lines.count == 1 && lines[0].contains("while delegate is either nil"))
        #expect(bench.newCommands().count == 1)
    }

    @Test func aPeerThatReportsOneHandleTwiceIsTolerated() throws {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        peripheral.discoverServices(nil)
        bench.answer(
            .success(
                .services([
                    DiscoveredService(0x180D, 6, 9), DiscoveredService(0x180F, 6, 9), DiscoveredService(0x1810, 9, 6),
                ])))
        for service in try #require(peripheral.services) {
            peripheral.discoverCharacteristics(nil, for: service)
            bench.answer(.success(.characteristics([DiscoveredCharacteristic(0x2A37, .notify, value: 6, end: 2)])))
            for characteristic in service.characteristics ?? [] {
                peripheral.discoverDescriptors(for: characteristic)
                bench.answer(.success(.descriptors([DiscoveredDescriptor(uuid: short(0x2901), handle: 6)])))
                peripheral.setNotifyValue(true, for: characteristic)
            }
        }
        bench.notify([1], handle: 6)
        bench.emit { $0.servicesChanged(HandleRange(start: 0xFFFF, end: 0), of: CentralBench.peer) }
        // A result of the wrong kind for the operation.
        bench.complete(.discoverServices(nil), .success(.rssi(3)))
        bench.complete(.read(handle: 77), .success(.value([])))
        #expect(bench.newEvents().last == "services [\"180D\", \"180F\", \"1810\"]")
    }
}
