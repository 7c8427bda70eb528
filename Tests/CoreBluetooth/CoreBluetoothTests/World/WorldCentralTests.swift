import BLESimulator
import CoreBluetooth
import Testing

/// Both roles end to end, over two hosts, two controllers and the air.
@Suite struct WorldCentralTests {
    @Test func aWholeSessionFromScanToDisconnect() async throws {
        let scene = try await Scene()
        let phone = scene.phone
        let gadget = scene.gadget

        let peripheral = try await scene.discover()
        let advertisement = try #require(phone.recorder.advertisements.value.first)
        #expect(advertisement[CBAdvertisementDataLocalNameKey] as? String == "Gadget")
        #expect(advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [Gadget.service])
        #expect(advertisement[CBAdvertisementDataIsConnectable] as? Bool == true)

        phone.manager.connect(peripheral)
        try await scene.wait("connect 2")

        peripheral.discoverServices(nil)
        try await scene.wait("services [\"FEE7\"]")
        let service = try #require(peripheral.services?.first)
        peripheral.discoverCharacteristics(nil, for: service)
        try await scene.wait("characteristics [\"AA01\", \"AA02\", \"AA03\", \"AA04\", \"AA05\", \"AA06\"]")
        let all = try #require(service.characteristics)
        #expect(all.map(\.properties) == gadget.tree.characteristics?.map(\.properties))

        peripheral.readValue(for: all[2])
        try await scene.wait("value [104, 101, 108, 108, 111]")
        #expect(gadget.recorder.reads.value.isEmpty, "a static value is served without asking")

        let long = Data((0..<512).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        peripheral.writeValue(long, for: all[0], type: .withResponse)
        try await scene.wait("write")
        #expect(gadget.storeContent.value == long)
        #expect(gadget.recorder.writes.value.count == 1, "one array for one long write")
        peripheral.readValue(for: all[0])
        try await scene.wait("value")
        #expect(all[0].value == long)
        #expect((gadget.recorder.reads.value.last?.offset ?? 0) > 0, "a long read goes in parts")

        peripheral.writeValue(Data([1, 2, 3]), for: all[3], type: .withoutResponse)
        peripheral.setNotifyValue(true, for: all[1])
        try await scene.wait("notifying true")
        #expect(gadget.drained.value == [1, 2, 3])
        gadget.send([Data([42])])
        try await scene.wait("value [42]")

        peripheral.setNotifyValue(true, for: all[4])
        try await scene.wait("notifying true")
        #expect(gadget.manager.updateValue(Data([7]), for: gadget.alarm, onSubscribedCentrals: nil))
        try await scene.wait("value [7]")

        peripheral.discoverDescriptors(for: all[0])
        try await scene.wait("descriptors [\"2901\"]")
        peripheral.discoverDescriptors(for: all[1])
        try await scene.wait("descriptors [\"2902\"]")
        let label = try #require(all[0].descriptors?.first)
        peripheral.readValue(for: label)
        try await scene.wait("descriptorValue Store")
        let configuration = try #require(all[1].descriptors?.first)
        peripheral.readValue(for: configuration)
        try await scene.wait("descriptorValue 1")

        peripheral.readRSSI()
        try await scene.wait("rssi -")

        peripheral.setNotifyValue(false, for: all[1])
        try await scene.wait("notifying false")
        phone.manager.cancelPeripheralConnection(peripheral)
        try await scene.wait("disconnect 0")
        #expect(phone.newEvents().isEmpty && peripheral.services == nil)
        await scene.world.run(for: .seconds(1))
        #expect(gadget.events.contains("unsubscribe AA02 0") && gadget.events.last == "unsubscribe AA05 0")
    }

    @Test func row021_row024_aDeviceIsReportedOnceForEachScan() async throws {
        let scene = try await Scene()
        let manager = scene.phone.manager
        for _ in 0..<2 {
            manager.scanForPeripherals(withServices: [Gadget.service])
            await scene.rest(for: .seconds(10))
            manager.stopScan()
            let found = scene.phone.newEvents().filter { $0.hasPrefix("discover") }.count
            // Once, and once more when the scan response brought something new.
            #expect((1...2).contains(found))
        }
        #expect(scene.phone.recorder.peripherals.value.count == 1)
    }

    @Test func row036_theIdentifierIsTheSameForAnotherManager() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.discover()
        let second = Phone(beside: scene.phone)
        try await scene.wait("state 5", on: second)
        let found = try #require(
            second.manager.retrievePeripherals(withIdentifiers: [peripheral.identifier]).first)
        #expect(found !== peripheral && found.name == "Gadget")
    }

    @Test func row037_row038_afterConnectingTheGAPNameReplacesTheAdvertisedOne() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.discover()
        #expect(peripheral.name == "Gadget")
        scene.phone.manager.connect(peripheral)
        try await scene.wait("connect")
        if peripheral.name != "Gadget GAP" { try await scene.wait("name Gadget GAP") }
        #expect(peripheral.name == "Gadget GAP")
    }

    @Test func row040_anAttemptWaitsMinutesForItsDevice() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.discover()
        scene.gadgetDevice.move(to: Position(x: 100_000))
        scene.phone.manager.connect(peripheral)
        await scene.rest(for: .seconds(300))
        #expect(peripheral.state == .connecting && scene.phone.newEvents().isEmpty)
        scene.gadgetDevice.move(to: .origin)
        try await scene.wait("connect 2")
    }

    @Test func row044_aCancelledAttemptEndsInDidDisconnect() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.discover()
        scene.gadgetDevice.move(to: Position(x: 100_000))
        scene.phone.manager.connect(peripheral)
        await scene.rest(for: .seconds(10))
        scene.phone.manager.cancelPeripheralConnection(peripheral)
        try await scene.wait("disconnect 0")
        scene.gadgetDevice.move(to: .origin)
        await scene.rest(for: .seconds(10))
        #expect(scene.phone.newEvents().isEmpty)
    }

    @Test func row045_connectingRightAfterACancellationWorksOnTheAir() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        scene.phone.manager.cancelPeripheralConnection(peripheral)
        scene.phone.manager.connect(peripheral)
        try await scene.wait("disconnect 1")
        try await scene.wait("connect 2")
        await scene.world.run(for: .seconds(5))
        #expect(peripheral.state == .connected)
        #expect(!scene.phone.newEvents().contains { $0.hasPrefix("disconnect") || $0.hasPrefix("connect") })
    }

    @Test func row046_aDeviceThatPowersOffDisconnects() async throws {
        let scene = try await Scene()
        _ = try await scene.connect()
        scene.gadgetDevice.powerOff()
        try await scene.wait("disconnect 0 CBErrorDomain 7")
    }

    @Test func row047_aDeviceWithoutPowerCausesASupervisionTimeout() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        scene.gadgetDevice.remove()
        peripheral.readValue(for: characteristics[0])
        try await scene.wait("disconnect 0 CBErrorDomain \(PhonePath.lossCode)")
        await scene.rest(for: .seconds(60))
        #expect(scene.phone.newEvents().isEmpty, "row 104: a request under way ends without a callback")
    }

    @Test func row051_row052_aDeviceThatReturnsIntoRangeReconnects() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect(options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        scene.gadgetDevice.move(to: Position(x: 100_000))
        try await scene.wait("disconnect 1 reconnecting CBErrorDomain \(PhonePath.lossCode)")
        #expect(peripheral.state == .connecting)
        scene.gadgetDevice.move(to: .origin)
        try await scene.wait("connect 2")
        scene.gadgetDevice.move(to: Position(x: 100_000))
        try await scene.wait("disconnect 1 reconnecting")
        scene.phone.manager.cancelPeripheralConnection(peripheral)
        try await scene.wait("disconnect 0")
        scene.gadgetDevice.move(to: .origin)
        await scene.rest(for: .seconds(10))
        #expect(scene.phone.newEvents().isEmpty)
    }

    @Test func row006_row007_powerOffIsReportedByTheStateAlone() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        scene.phone.manager.scanForPeripherals(withServices: nil)
        _ = scene.phone.newEvents()
        scene.phone.device.powerOff()
        try await scene.wait("state 4")
        await scene.rest(for: .seconds(30))
        #expect(scene.phone.newEvents().isEmpty)
        #expect(peripheral.state == .disconnected && !scene.phone.manager.isScanning)
        scene.phone.device.powerOn()
        try await scene.wait("state 5")
        scene.phone.manager.connect(peripheral)
        try await scene.wait("connect 2")
    }

    @Test func row041_releasingAPeripheralEndsItsConnection() async throws {
        let scene = try await Scene()
        var peripheral: CBPeripheral? = try await scene.connect()
        let characteristics = try await scene.characteristics(of: try #require(peripheral))
        peripheral?.setNotifyValue(true, for: characteristics[1])
        try await scene.wait("notifying true")
        scene.phone.recorder.peripherals { $0 = [] }
        peripheral = nil
        let gadget = scene.gadget
        #expect(await scene.world.run(timeout: .seconds(10)) { gadget.events.last == "unsubscribe AA02 0" })
    }

    @Test func row055_row059_theLinkStaysForAnotherManager() async throws {
        let scene = try await Scene()
        let first = try await scene.connect()
        let characteristics = try await scene.characteristics(of: first)
        let second = Phone(beside: scene.phone)
        try await scene.wait("state 5", on: second)
        let other = try #require(
            second.manager.retrieveConnectedPeripherals(withServices: [Gadget.service]).first)
        #expect(other.state == .disconnected)
        other.delegate = second.recorder
        second.manager.connect(other)
        try await scene.wait("connect 2", on: second)
        second.manager.cancelPeripheralConnection(other)
        try await scene.wait("disconnect 0", on: second)
        first.readValue(for: characteristics[2])
        try await scene.wait("value [104")
        #expect(first.state == .connected)
    }

    @Test func row056_theAttemptStartsAfterItsDelay() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.discover()
        scene.phone.manager.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: 20])
        await scene.world.run(for: .seconds(19))
        #expect(peripheral.state == .connecting)
        try await scene.wait("connect 2", within: .seconds(10))
    }

    @Test func row012_releasingTheManagerEndsTheLink() async throws {
        let scene = try await Scene()
        let second = Phone(scene.world.addDevice("Second", at: Position(x: 2)))
        try await scene.wait("state 5", on: second)
        do {
            let third = Phone(second.device)
            try await scene.wait("state 5", on: third)
            let peripheral = try await scene.connect(on: third)
            let characteristics = try await scene.characteristics(of: peripheral, on: third)
            peripheral.setNotifyValue(true, for: characteristics[1])
            try await scene.wait("notifying true", on: third)
        }
        let gadget = scene.gadget
        #expect(await scene.world.run(timeout: .seconds(10)) { gadget.events.last == "unsubscribe AA02 0" })
    }
}
