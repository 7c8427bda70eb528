import BLESimulator
import CoreBluetooth
import Testing

/// The answers of Documentation/Questions.md, by their number there.
@Suite struct QuestionTests {
    @Test func question01_aScanBeforePoweredOnFindsNothing() async throws {
        let world = World(seed: 11)
        let gadget = world.addDevice("Gadget").run { Gadget(name: "Gadget") }
        let phone = Phone(world.addDevice("Phone", at: Position(x: 1)))
        // The state is still .unknown: the manager drops the command.
        phone.manager.scanForPeripherals(withServices: nil)
        let recorder = phone.recorder
        #expect(await world.run(timeout: .seconds(5)) { recorder.events.value.contains("state 5") })
        await world.run(for: .seconds(5))
        #expect(recorder.advertisements.value.isEmpty && !phone.manager.isScanning)
        phone.manager.scanForPeripherals(withServices: nil)
        #expect(await world.run(timeout: .seconds(1)) { !recorder.advertisements.value.isEmpty })
        withExtendedLifetime(gadget) {}
    }

    @Test func question02_aRenamedDeviceIsFoundByItsAdvertisedName() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        if peripheral.name != "Gadget GAP" { try await scene.wait("name Gadget GAP") }
        scene.phone.manager.cancelPeripheralConnection(peripheral)
        try await scene.wait("disconnect 0")
        scene.gadget.manager.stopAdvertising()
        scene.gadget.manager.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Renamed", CBAdvertisementDataServiceUUIDsKey: [Gadget.service],
        ])
        await scene.world.run(for: .seconds(1))
        #expect(try await scene.discover() === peripheral)
        // The device name that was read from the device hides the advertised one.
        #expect(peripheral.name == "Gadget GAP")
        let advertisement = try #require(scene.phone.recorder.advertisements.value.last)
        #expect(advertisement[CBAdvertisementDataLocalNameKey] as? String == "Renamed")
    }

    @Test func question03_aCancellationEndsTheLinkAtOnceUnlessAnotherManagerUsesIt() async throws {
        let scene = try await Scene()
        let gadget = scene.gadget
        func subscribed() async throws -> CBPeripheral {
            let peripheral = try await scene.connect()
            let characteristics = try await scene.characteristics(of: peripheral)
            peripheral.setNotifyValue(true, for: characteristics[1])
            try await scene.wait("notifying true")
            return peripheral
        }
        let alone = try await subscribed()
        let start = scene.world.now
        scene.phone.manager.cancelPeripheralConnection(alone)
        #expect(await scene.world.run(timeout: .seconds(5)) { gadget.events.last == "unsubscribe AA02 0" })
        #expect(scene.world.now - start < .milliseconds(200))
        try await scene.wait("disconnect 0")

        let shared = try await subscribed()
        let second = Phone(beside: scene.phone)
        try await scene.wait("state 5", on: second)
        let other = try #require(
            second.manager.retrieveConnectedPeripherals(withServices: [Gadget.service]).first)
        other.delegate = second.recorder
        second.manager.connect(other)
        try await scene.wait("connect 2", on: second)
        let characteristics = try await scene.characteristics(of: other, on: second)
        other.setNotifyValue(true, for: characteristics[1])
        try await scene.wait("notifying true", on: second)
        scene.phone.manager.cancelPeripheralConnection(shared)
        try await scene.wait("disconnect 0")
        await scene.world.run(for: .seconds(10))
        // The device still has its link, and the other manager uses it.
        #expect(gadget.events.count { $0 == "unsubscribe AA02 0" } == 1)
        gadget.send([Data([7])])
        try await scene.wait("value [7]", on: second)
        second.manager.cancelPeripheralConnection(other)
        #expect(
            await scene.world.run(timeout: .seconds(1)) { gadget.events.count { $0 == "unsubscribe AA02 0" } == 2 })
    }

    @Test func question04_aScanWithoutServicesGoesOnUnattended() async throws {
        let world = World(seed: 12)
        let phone = Phone(world.addDevice("Phone", at: Position(x: 1)))
        let recorder = phone.recorder
        #expect(await world.run(timeout: .seconds(5)) { recorder.events.value.contains("state 5") })
        phone.manager.scanForPeripherals(withServices: nil)
        // An hour without a device shows that nothing ends or filters the scan.
        await world.run(for: .seconds(3600))
        let gadget = world.addDevice("Gadget").run { Gadget(name: "Gadget") }
        #expect(await world.run(timeout: .seconds(2)) { !recorder.advertisements.value.isEmpty })
        withExtendedLifetime(gadget) {}
    }

    /// The largest distance in metres at which a phone finds the device within ten seconds.
    private func range(in environment: RadioEnvironment) async throws -> Int {
        var (near, far) = (1, 4096)
        while far - near > 1 {
            let middle = (near + far) / 2
            let scene = try await Scene(seed: 13)
            scene.world.setEnvironment(environment)
            scene.gadgetDevice.move(to: Position(x: Double(middle) + 1))
            scene.phone.manager.scanForPeripherals(withServices: [Gadget.service])
            let recorder = scene.phone.recorder
            let found = await scene.world.run(timeout: .seconds(10)) { !recorder.peripherals.value.isEmpty }
            if found { near = middle } else { far = middle }
        }
        return near
    }

    @Test func question05_theRangeFollowsFromPowerSensitivityAndWalls() async throws {
        // 0 dBm, 40 dB over the first metre, -95 dBm sensitivity: 55 dB remain for the distance, which makes 562, 158 and 24 m.
        // A few dB below the sensitivity some packets still arrive.
        let free = try await range(in: RadioEnvironment(pathLossExponent: 2))
        let indoors = try await range(in: RadioEnvironment(pathLossExponent: 2.5))
        let obstructed = try await range(in: RadioEnvironment(pathLossExponent: 4))
        #expect((562...900).contains(free), "\(free) m")
        #expect((158...230).contains(indoors), "\(indoors) m")
        #expect((24...30).contains(obstructed), "\(obstructed) m")
    }

    @Test func question06_aConnectionTakesAboutOneAdvertisingInterval() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.discover()
        var times: [Duration] = []
        for _ in 0..<20 {
            let start = scene.world.now
            scene.phone.manager.connect(peripheral)
            try await scene.wait("connect 2")
            times.append(scene.world.now - start)
            scene.phone.manager.cancelPeripheralConnection(peripheral)
            try await scene.wait("disconnect 0")
            await scene.world.run(for: .milliseconds(137))
        }
        // Advertising every 30 ms plus a random delay of up to 10 ms, then a few connection events.
        #expect(times.max()! < .milliseconds(400), "\(times)")
        #expect(times.sorted()[10] < .milliseconds(150), "\(times)")
    }

    @Test func question07_twentyDevicesSendAtTheSameTime() async throws {
        let world = World(seed: 15)
        let gadgets = (0..<20).map { number in
            world.addDevice("Gadget \(number)", at: Position(x: Double(number % 5), y: Double(number / 5)))
                .run { Gadget(name: "G\(number)") }
        }
        let phone = Phone(world.addDevice("Phone", at: Position(x: 2, y: 2)))
        let recorder = phone.recorder
        #expect(await world.run(timeout: .seconds(5)) { recorder.events.value.contains("state 5") })
        phone.manager.scanForPeripherals(withServices: [Gadget.service])
        #expect(await world.run(timeout: .seconds(30)) { recorder.peripherals.value.count == 20 })
        phone.manager.stopScan()
        let peripherals = recorder.peripherals.value
        for peripheral in peripherals {
            peripheral.delegate = recorder
            phone.manager.connect(peripheral)
        }
        #expect(await world.run(timeout: .seconds(60)) { peripherals.allSatisfy { $0.state == .connected } })
        for peripheral in peripherals { peripheral.discoverServices([Gadget.service]) }
        #expect(await world.run(timeout: .seconds(60)) { peripherals.allSatisfy { $0.services?.count == 1 } })
        for peripheral in peripherals {
            peripheral.discoverCharacteristics([CBUUID(string: "AA02")], for: try #require(peripheral.services?.first))
        }
        #expect(
            await world.run(timeout: .seconds(60)) {
                peripherals.allSatisfy { $0.services?.first?.characteristics?.count == 1 }
            })
        for peripheral in peripherals {
            peripheral.setNotifyValue(true, for: try #require(peripheral.services?.first?.characteristics?.first))
        }
        #expect(
            await world.run(timeout: .seconds(60)) {
                peripherals.allSatisfy { $0.services?.first?.characteristics?.first?.isNotifying == true }
            })
        for (number, gadget) in gadgets.enumerated() { gadget.send((0..<10).map { Data([UInt8(number), $0]) }) }
        let all = await world.run(timeout: .seconds(60)) {
            recorder.events.value.count { $0.hasPrefix("value [") } == 200
        }
        #expect(all)
        #expect(!recorder.events.value.contains { $0.hasPrefix("disconnect") })
    }

    @Test func question09_aKnownDeviceReconnectsInThreeWays() async throws {
        let scene = try await Scene()
        let manager = scene.phone.manager
        let identifier = try await scene.connect().identifier
        // The device is connected by another manager of this system.
        let second = Phone(beside: scene.phone)
        try await scene.wait("state 5", on: second)
        let shared = try #require(
            second.manager.retrieveConnectedPeripherals(withServices: [Gadget.service]).first)
        #expect(shared.identifier == identifier)
        second.manager.connect(shared)
        try await scene.wait("connect 2", on: second)
        second.manager.cancelPeripheralConnection(shared)
        let first = try #require(manager.retrievePeripherals(withIdentifiers: [identifier]).first)
        manager.cancelPeripheralConnection(first)
        try await scene.wait("disconnect 0")
        #expect(manager.retrieveConnectedPeripherals(withServices: [Gadget.service]).isEmpty)

        // The identifier from an earlier run, without a scan. The attempt waits until the device is in range.
        scene.gadgetDevice.move(to: Position(x: 100_000))
        let known = try #require(manager.retrievePeripherals(withIdentifiers: [identifier]).first)
        manager.connect(known)
        await scene.world.run(for: .seconds(120))
        #expect(known.state == .connecting)
        scene.gadgetDevice.move(to: .origin)
        try await scene.wait("connect 2")
        manager.cancelPeripheralConnection(known)
        try await scene.wait("disconnect 0")

        // A new scan.
        #expect(try await scene.connect().identifier == identifier)
    }

    @Test func question13_twoCentralsDoNotSeeEachOther() async throws {
        let world = World(seed: 16)
        let phones = ["One", "Two"].map { Phone(world.addDevice($0, at: Position(x: $0 == "One" ? 0 : 1))) }
        let recorders = phones.map(\.recorder)
        #expect(
            await world.run(timeout: .seconds(5)) { recorders.allSatisfy { $0.events.value.contains("state 5") } })
        for phone in phones { phone.manager.scanForPeripherals(withServices: nil) }
        await world.run(for: .seconds(60))
        #expect(recorders.allSatisfy { $0.advertisements.value.isEmpty })
        // One of them takes the peripheral role as well.
        let gadget = phones[0].device.run { Gadget(name: "One") }
        #expect(await world.run(timeout: .seconds(5)) { !recorders[1].advertisements.value.isEmpty })
        #expect(recorders[0].advertisements.value.isEmpty)
        withExtendedLifetime(gadget) {}
    }

    @Test func question14_flowControlLosesNothingAndIsFasterThanPauses() async throws {
        /// Seconds until `count` values of `length` octets have arrived, in bursts of 12 with 100 ms between them or as fast
        /// as `canSendWriteWithoutResponse` allows.
        func time(pauses: Bool, count: Int, length: Int) async throws -> Double {
            let scene = try await Scene(seed: 17)
            let peripheral = try await scene.connect()
            let characteristics = try await scene.characteristics(of: peripheral)
            let drain = characteristics[3]
            let values = (0..<count).map { number in Data((0..<length).map { UInt8(truncatingIfNeeded: number + $0) }) }
            let wanted = values.reduce([], +)
            let gadget = scene.gadget
            let start = scene.world.now
            var next = 0
            while next < count {
                if pauses {
                    for value in values[next..<min(next + 12, count)] {
                        peripheral.writeValue(value, for: drain, type: .withoutResponse)
                    }
                    next += 12
                    await scene.world.run(for: .milliseconds(100))
                } else {
                    while next < count, peripheral.canSendWriteWithoutResponse {
                        peripheral.writeValue(values[next], for: drain, type: .withoutResponse)
                        next += 1
                    }
                    #expect(await scene.world.run(timeout: .seconds(30)) { peripheral.canSendWriteWithoutResponse })
                }
            }
            #expect(await scene.world.run(timeout: .seconds(60)) { gadget.drained.value.count >= wanted.count })
            #expect(gadget.drained.value == wanted)
            return (scene.world.now - start) / .seconds(1)
        }
        let paused = try await time(pauses: true, count: 1200, length: 20)
        let controlled = try await time(pauses: false, count: 1200, length: 20)
        #expect(controlled * 4 < paused, "\(controlled) s and \(paused) s")

        // Without flow control, values beyond the queue are lost.
        let scene = try await Scene(seed: 18)
        let peripheral = try await scene.connect()
        let drain = try await scene.characteristics(of: peripheral)[3]
        for _ in 0..<20_000 {
            peripheral.writeValue(Data(count: 20), for: drain, type: .withoutResponse)
        }
        await scene.world.run(for: .seconds(60))
        #expect(scene.gadget.drained.value.count < 20_000 * 20)
    }
}
