import BLESimulator
import CoreBluetooth
import Testing

@Suite struct WorldValueTests {
    @Test func row069_theGAPAndGATTServicesAreHidden() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        peripheral.discoverServices(nil)
        try await scene.wait("services")
        #expect(peripheral.services?.map(\.uuid) == [Gadget.service])
    }

    @Test func row066_anAbsentServiceIsNoError() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        peripheral.discoverServices([CBUUID(string: "ABCD")])
        try await scene.wait("services []")
    }

    @Test func row072_row124_aRemovedServiceIsReportedAsModified() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        _ = try await scene.characteristics(of: peripheral)
        let old = peripheral.services
        // The host subscribes to Service Changed when the program pauses.
        await scene.world.run(for: .seconds(1))
        scene.gadget.manager.remove(scene.gadget.tree)
        try await scene.wait("modified [\"FEE7\"]")
        #expect(peripheral.services?.isEmpty == true)
        scene.gadget.manager.add(scene.gadget.tree)
        try await scene.wait("modified")
        peripheral.discoverServices(nil)
        try await scene.wait("services [\"FEE7\"]")
        #expect(peripheral.services?.first !== old?.first)
    }

    @Test func row078_row121_permissionErrorsReachTheClientWithoutAServerCallback() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        peripheral.writeValue(Data([1]), for: characteristics[5], type: .withResponse)
        try await scene.wait("write CBATTErrorDomain 3")
        peripheral.readValue(for: characteristics[3])
        try await scene.wait("value [] CBATTErrorDomain 2")
        #expect(scene.gadget.recorder.writes.value.isEmpty && scene.gadget.recorder.reads.value.isEmpty)
    }

    @Test func row087_aWriteOf513OctetsFails() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        peripheral.writeValue(Data(count: 513), for: characteristics[0], type: .withResponse)
        try await scene.wait("write CBATTErrorDomain 13")
    }

    @Test func row085_row146_bothSidesReportTheMTU() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        peripheral.setNotifyValue(true, for: characteristics[1])
        try await scene.wait("notifying true")
        await scene.gadgetHasSubscriber()
        let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
        // Two data PDUs of 251 octets, less the headers of L2CAP and ATT.
        #expect(length == 2 * 251 - 4 - 3)
        #expect(scene.gadget.recorder.centrals.value.first?.maximumUpdateValueLength == length)
    }

    @Test func row089_writeCommandsArriveCompletelyAndInOrder() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        let total = 300
        let sent = Locked(0)
        let box = Unsendable(value: (peripheral, characteristics[3]))
        let send: @Sendable () -> Void = {
            // In real time, the test and a callback may send at the same time.
            sent { count in
                while box.value.0.canSendWriteWithoutResponse, count < total {
                    box.value.0.writeValue(Data([UInt8(count & 0xFF)]), for: box.value.1, type: .withoutResponse)
                    count += 1
                }
            }
        }
        scene.phone.recorder.onEvent { $0 = { if $0.hasPrefix("ready") { send() } } }
        send()
        #expect(sent.value < total, "the buffer has an end")
        let gadget = scene.gadget
        #expect(await scene.world.run(timeout: .seconds(60)) { gadget.drained.value.count == total })
        #expect(gadget.drained.value == (0..<total).map(UInt8.init(truncatingIfNeeded:)))
        scene.phone.recorder.onEvent { $0 = nil }
    }

    @Test func onIOS11APeripheralIsReadyAfterItsFirstWrite() async throws {
        let scene = try await Scene(platform: .iPhoneIOS11)
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        #expect(!peripheral.canSendWriteWithoutResponse)
        peripheral.writeValue(Data([7]), for: characteristics[3], type: .withoutResponse)
        try await scene.wait("ready true")
        #expect(peripheral.canSendWriteWithoutResponse)
    }

    @Test func row090_readsAndWritesInterleaveInTheOrderOfTheCalls() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        for number in 0..<10 as Range<UInt8> {
            peripheral.writeValue(Data([number]), for: characteristics[0], type: .withResponse)
            peripheral.readValue(for: characteristics[0])
        }
        try await scene.wait("value [9]")
        let events = scene.gadget.events.filter { $0.hasPrefix("read") || $0.hasPrefix("write") }
        #expect(events == (0..<10).flatMap { ["write AA01+0=[\($0)]", "read AA01 0 -1"] })
    }

    @Test func row093_aSecondSubscriptionSendsNoPacket() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        for _ in 0..<2 {
            peripheral.setNotifyValue(true, for: characteristics[1])
            try await scene.wait("notifying true")
        }
        await scene.gadgetHasSubscriber()
        #expect(scene.gadget.events.filter { $0.hasPrefix("subscribe") }.count == 1)
    }

    @Test func row143_updatesResumeAfterAFullQueueWithoutLoss() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        peripheral.setNotifyValue(true, for: characteristics[1])
        try await scene.wait("notifying true")
        await scene.gadgetHasSubscriber()
        let received = Locked<[String]>([])
        scene.phone.recorder.onEvent { $0 = { event in if event.hasPrefix("value") { received { $0.append(event) } } } }
        scene.gadget.send((0..<300).map { Data([UInt8($0 & 0xFF), UInt8($0 >> 8)]) })
        #expect(await scene.world.run(timeout: .seconds(60)) { received.value.count == 300 })
        #expect(received.value == (0..<300).map { "value [\($0 & 0xFF), \($0 >> 8)]" })
        #expect(scene.gadget.events.contains("ready"))
        scene.phone.recorder.onEvent { $0 = nil }
    }

    @Test func row139_row144_twoCentralsShareOnePeripheral() async throws {
        let scene = try await Scene()
        let second = Phone(scene.world.addDevice("Second", at: Position(x: 2)))
        try await scene.wait("state 5", on: second)
        let phones = [scene.phone, second]
        var peripherals: [CBPeripheral] = []
        for phone in phones {
            let peripheral = try await scene.connect(on: phone)
            let characteristics = try await scene.characteristics(of: peripheral, on: phone)
            peripheral.setNotifyValue(true, for: characteristics[1])
            try await scene.wait("notifying true", on: phone)
            peripherals.append(peripheral)
        }
        let centrals = try #require(scene.gadget.stream.subscribedCentrals)
        #expect(centrals.count == 2 && centrals[0].identifier != centrals[1].identifier)
        scene.gadget.send([Data([1])])
        for phone in phones { try await scene.wait("value [1]", on: phone) }
        #expect(
            scene.gadget.manager.updateValue(
                Data([2]), for: scene.gadget.stream, onSubscribedCentrals: [centrals[1]]))
        try await scene.wait("value [2]", on: second)
        await scene.world.run(for: .seconds(2))
        #expect(scene.phone.newEvents().allSatisfy { $0.hasPrefix("name ") })
        #expect(peripherals.allSatisfy { $0.state == .connected })
    }

    @Test func row142_aConnectionAloneHasNoPeripheralCallback() async throws {
        let scene = try await Scene()
        let before = scene.gadget.events
        let peripheral = try await scene.connect()
        await scene.world.run(for: .seconds(2))
        scene.phone.manager.cancelPeripheralConnection(peripheral)
        try await scene.wait("disconnect")
        await scene.world.run(for: .seconds(2))
        #expect(scene.gadget.events == before)
    }

    @Test func row009_advertisingResumesAfterAPowerCycle() async throws {
        let scene = try await Scene()
        scene.gadgetDevice.powerOff()
        await scene.world.run(for: .seconds(2))
        scene.gadgetDevice.powerOn()
        await scene.world.run(for: .seconds(2))
        let peripheral = try await scene.connect()
        _ = try await scene.characteristics(of: peripheral)
        #expect(scene.gadget.events.filter { $0.hasPrefix("advertising") }.count == 1)
    }
}
