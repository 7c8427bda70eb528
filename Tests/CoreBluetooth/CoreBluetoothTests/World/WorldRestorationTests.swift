import BLESimulator
import CoreBluetooth
import Testing

/// State restoration: what a program that was started anew gets back.
@Suite struct WorldRestorationTests {
    @Test func row163_row164_scanAndConnectionsAreRestoredFirst() async throws {
        let scene = try await RestartScene()
        let before = try await scene.connectedProgram()
        before.central?.scanForPeripherals(
            withServices: [Gadget.service], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        let identifier = try #require(before.recorder.peripherals.value.first?.identifier)
        // Time to read the GAP device name.
        await scene.world.run(for: .seconds(2))
        await scene.crash()

        let program = RestoredProgram()
        scene.start(program) { $0.makeCentral() }
        try await scene.wait("connect 2", program)
        let state = try #require(program.centralState.value)
        let restored = try #require(state[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral])
        #expect(restored.map(\.identifier) == [identifier] && restored[0].name == "Gadget GAP")
        #expect(program.restoredLinks.value == [.connecting])
        #expect(state[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID] == [Gadget.service])
        let options = try #require(state[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any])
        #expect(options[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool == true)
        #expect(program.central?.isScanning == true)
        #expect(restored[0].state == .connected)

        // The link is a real one.
        restored[0].discoverServices([Gadget.service])
        try await scene.wait("services [\"FEE7\"]", program)
        withExtendedLifetime(before) {}
    }

    @Test func row163_willRestoreStateIsTheVeryFirstCallback() async throws {
        let scene = try await RestartScene()
        let before = try await scene.connectedProgram()
        await scene.crash()
        let program = RestoredProgram()
        scene.start(program) { $0.makeCentral() }
        let recorder = program.recorder
        await scene.world.run(timeout: .seconds(5)) { recorder.events.value.count >= 2 }
        #expect(program.events.prefix(2) == ["willRestoreState", "state 5"])
        withExtendedLifetime(before) {}
    }

    @Test func row163_withoutTheOptionNothingIsStoredOrRestored() async throws {
        let scene = try await RestartScene()
        let before = try await scene.connectedProgram(nil)
        await scene.crash()
        let program = RestoredProgram()
        scene.start(program) { $0.makeCentral() }
        try await scene.wait("state 5", program)
        await scene.world.run(for: .seconds(5))
        #expect(program.centralState.value == nil && program.events.isEmpty)
        #expect(program.central?.isScanning == false)
        withExtendedLifetime(before) {}
    }

    @Test func row163_anotherIdentifierRestoresNothing() async throws {
        let scene = try await RestartScene()
        let before = try await scene.connectedProgram("one")
        await scene.crash()
        let program = RestoredProgram()
        scene.start(program) { $0.makeCentral("two") }
        try await scene.wait("state 5", program)
        #expect(program.centralState.value == nil)
        withExtendedLifetime(before) {}
    }

    @Test func row163_endedScansAndConnectionsAreNotRestored() async throws {
        let scene = try await RestartScene()
        let before = try await scene.connectedProgram()
        before.central?.stopScan()
        before.central?.cancelPeripheralConnection(before.recorder.peripherals.value[0])
        try await scene.wait("disconnect 0", before)
        await scene.crash()
        let program = RestoredProgram()
        scene.start(program) { $0.makeCentral() }
        try await scene.wait("state 5", program)
        #expect(program.centralState.value == nil)
    }

    @Test func row163_aReleasedManagerIsNotRestored() async throws {
        let scene = try await RestartScene()
        let before = try await scene.connectedProgram()
        before.releaseManagers()
        await scene.world.run(for: .seconds(1))
        await scene.crash()
        let program = RestoredProgram()
        scene.start(program) { $0.makeCentral() }
        try await scene.wait("state 5", program)
        #expect(program.centralState.value == nil)
    }

    @Test func row163_aLostLinkIsNotRestoredUnlessItReconnects() async throws {
        for reconnects in [false, true] {
            let scene = try await RestartScene()
            let before = try await scene.connectedProgram(
                options: [CBConnectPeripheralOptionEnableAutoReconnect: reconnects])
            before.central?.stopScan()
            scene.gadgetDevice.move(to: Position(x: 100_000))
            try await scene.wait("disconnect", before)
            await scene.crash()
            let program = RestoredProgram()
            scene.start(program) { $0.makeCentral() }
            try await scene.wait("state 5", program)
            #expect((program.centralState.value != nil) == reconnects)
            guard reconnects else { continue }
            scene.gadgetDevice.move(to: .origin)
            try await scene.wait("connect 2", program)
            scene.gadgetDevice.move(to: Position(x: 100_000))
            try await scene.wait("disconnect 1 reconnecting", program)
        }
    }

    @Test func row164_aPendingAttemptContinuesAfterTheRestart() async throws {
        let scene = try await RestartScene()
        let before = try await scene.connectedProgram()
        before.central?.stopScan()
        let peripheral = try #require(before.recorder.peripherals.value.first)
        before.central?.cancelPeripheralConnection(peripheral)
        try await scene.wait("disconnect 0", before)
        scene.gadgetDevice.move(to: Position(x: 100_000))
        before.central?.connect(peripheral)
        await scene.world.run(for: .seconds(5))
        await scene.crash()
        let program = RestoredProgram()
        scene.start(program) { $0.makeCentral() }
        await scene.world.run(for: .seconds(60))
        #expect(program.recorder.peripherals.value.map(\.state) == [.connecting])
        scene.gadgetDevice.move(to: .origin)
        try await scene.wait("connect 2", program)
        #expect(program.centralState.value?[CBCentralManagerRestoredStateScanServicesKey] == nil)
    }

    @Test func row164_aRestoredPeripheralWithoutReferencesIsNotConnected() async throws {
        let scene = try await RestartScene()
        let before = try await scene.connectedProgram()
        before.central?.stopScan()
        await scene.crash()
        let program = RestoredProgram(keepsPeripherals: false)
        scene.start(program) { $0.makeCentral() }
        try await scene.wait("state 5", program)
        program.centralState { $0 = nil }
        await scene.world.run(for: .seconds(10))
        #expect(!program.events.contains { $0.hasPrefix("connect") })
    }

    @Test func row164_restorationWaitsForPoweredOn() async throws {
        let scene = try await RestartScene()
        let before = try await scene.connectedProgram()
        await scene.crash(powered: false)
        let program = RestoredProgram()
        scene.start(program) { $0.makeCentral() }
        try await scene.wait("state 4", program)
        #expect(program.centralState.value != nil && program.restoredLinks.value == [.connecting])
        #expect(program.central?.isScanning == false)
        await scene.crash()
        let third = RestoredProgram()
        scene.start(third) { $0.makeCentral() }
        try await scene.wait("connect 2", third)
        #expect(third.central?.isScanning == true, "nothing was lost by a run that never had power")
        withExtendedLifetime((before, program)) {}
    }

    @Test func row164_servicesAndAdvertisingAreRestored() async throws {
        let scene = try await RestartScene()
        let before = RestoredProgram()
        scene.start(before) { $0.makePeripheral() }
        try await scene.wait("state 5", before)
        let inner = service("AB00", [characteristic("AB01", .read, .readable, value: Data([7]))], primary: false)
        let live = characteristic("AC01", [.read, .notify], .readable)
        live.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Puls")
        ]
        let gone = service("AD00")
        let outer = service("AC00", [live])
        outer.includedServices = [inner]
        for item in [inner, gone, outer] { before.peripheral?.add(item) }
        try await scene.wait("add AC00", before)
        before.peripheral?.remove(gone)
        before.peripheral?.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Machine", CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "AC00")],
        ])
        try await scene.wait("advertising true", before)
        await scene.crash()

        let program = RestoredProgram()
        scene.start(program) { $0.makePeripheral() }
        try await scene.wait("state 5", program)
        let state = try #require(program.peripheralState.value)
        let services = try #require(state[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService])
        #expect(services.map(\.uuid.uuidString) == ["AB00", "AC00"] && services.map(\.isPrimary) == [false, true])
        #expect(services[1].includedServices?.first === services[0])
        let restored = try #require(services[1].characteristics?.first as? CBMutableCharacteristic)
        #expect(restored.properties == [.read, .notify] && restored.permissions == .readable)
        #expect(restored.descriptors?.first?.value as? String == "Puls")
        #expect(services[0].characteristics?.first?.value == Data([7]))
        let advertised = try #require(
            state[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any])
        #expect(advertised[CBAdvertisementDataLocalNameKey] as? String == "Machine")
        #expect(advertised[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "AC00")])
        #expect(program.peripheral?.isAdvertising == true)

        // A phone discovers it, reads from it and receives updates of the restored objects.
        let phone = Phone(scene.world.addDevice("phone", at: Position(x: 2)))
        let recorder = phone.recorder
        let world = scene.world
        func wait(_ event: String) async throws {
            try #require(
                await world.run(timeout: .seconds(20)) { recorder.events.value.contains { $0.hasPrefix(event) } },
                "no \(event) in \(recorder.events.value)")
        }
        try await wait("state 5")
        phone.manager.scanForPeripherals(withServices: [CBUUID(string: "AC00")])
        try await wait("discover Machine")
        let peripheral = try #require(recorder.peripherals.value.first)
        peripheral.delegate = recorder
        phone.manager.connect(peripheral)
        try await wait("connect 2")
        peripheral.discoverServices([CBUUID(string: "AC00")])
        try await wait("services")
        peripheral.discoverCharacteristics(nil, for: try #require(peripheral.services?.first))
        try await wait("characteristics [\"AC01\"]")
        let remote = try #require(peripheral.services?.first?.characteristics?.first)
        peripheral.readValue(for: remote)
        try await wait("value [1, 2, 3]")
        peripheral.setNotifyValue(true, for: remote)
        try await wait("notifying true")
        #expect(program.peripheral?.updateValue(Data([9]), for: restored, onSubscribedCentrals: nil) == true)
        try await wait("value [9]")
        #expect(
            program.publisher.events.value.prefix(2) == ["willRestoreState", "state 5 true"]
                && !program.publisher.events.value.contains { $0.hasPrefix("add") || $0.hasPrefix("advertising") })
        withExtendedLifetime(before) {}
    }

    @Test func row164_aThirdRunRestoresTheStateOfTheSecond() async throws {
        let scene = try await RestartScene()
        let first = RestoredProgram()
        scene.start(first) { $0.makePeripheral() }
        try await scene.wait("state 5", first)
        for uuid in ["AC00", "AD00"] { first.peripheral?.add(service(uuid)) }
        try await scene.wait("add AD00", first)
        await scene.crash()
        let second = RestoredProgram()
        scene.start(second) { $0.makePeripheral() }
        try await scene.wait("state 5", second)
        let key = CBPeripheralManagerRestoredStateServicesKey
        let services = try #require(second.peripheralState.value?[key] as? [CBMutableService])
        #expect(second.peripheralState.value?[CBPeripheralManagerRestoredStateAdvertisementDataKey] == nil)
        second.peripheral?.remove(services[0])
        second.peripheral?.add(service("AE00"))
        try await scene.wait("add AE00", second)
        await scene.crash()
        let third = RestoredProgram()
        scene.start(third) { $0.makePeripheral() }
        try await scene.wait("state 5", third)
        let left = try #require(third.peripheralState.value?[key] as? [CBMutableService])
        #expect(left.map(\.uuid.uuidString) == ["AD00", "AE00"])
        third.peripheral?.removeAllServices()
        await scene.crash()
        let fourth = RestoredProgram()
        scene.start(fourth) { $0.makePeripheral() }
        try await scene.wait("state 5", fourth)
        #expect(fourth.peripheralState.value == nil)
        withExtendedLifetime((first, second, third)) {}
    }
}
