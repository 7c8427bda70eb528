import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth
import Testing

@Suite struct DatabaseTests {
    @Test func row105_didAddIsCalledOnceAndAPublishedServiceIsImmutable() throws {
        let bench = PeripheralBench()
        let value = characteristic("AA01")
        let tree = service("FEE7", [value])
        #expect(value.service === tree && tree.peripheral == nil)
        bench.manager.add(tree)
        value.properties = .read
        tree.characteristics = []
        guard case .add(let definition, let token) = bench.session.commands.last else {
            Issue.record("nothing was added")
            return
        }
        bench.emit { $0.serviceAdded(token: token, nil) }
        #expect(bench.newEvents() == ["add FEE7"])
        #expect(
            definition
                == ServiceDefinition(
                    uuid: short(0xFEE7), isPrimary: true, includedServices: [],
                    characteristics: [
                        CharacteristicDefinition(
                            uuid: short(0xAA01), properties: 0x1A, permissions: 3, value: nil, descriptors: [])
                    ]))
    }

    @Test func row106_includedServicesComeFirst() {
        let bench = PeripheralBench()
        let inner = service("FEE8", primary: false)
        let outer = service("FEE7")
        outer.includedServices = [inner]
        bench.manager.add(outer)
        bench.settle()
        #expect(bench.newEvents() == ["add FEE7 CBErrorDomain 1"] && bench.newCommands().isEmpty)
        let token = bench.publish(inner)
        bench.publish(outer)
        #expect(bench.definitions.last?.includedServices == [token])
        #expect(bench.definitions.first?.isPrimary == false)
        _ = bench.newCommands()
        #expect(misuses { bench.manager.remove(inner) }.count == 1)
        #expect(bench.newCommands().isEmpty)
        bench.manager.remove(outer)
        bench.manager.remove(inner)
        #expect(bench.newCommands().count == 2)
    }

    @Test func row107_addingTwiceThrowsInTheValidatingForm() throws {
        let bench = PeripheralBench()
        let tree = service("FEE7")
        try bench.manager.add(validating: tree)
        #expect(throws: CBError.self) { try bench.manager.add(validating: tree) }
        bench.manager.remove(tree)
        bench.manager.add(tree)
        #expect(bench.definitions.count == 2)
    }

    @Test func row107_addingTwiceEndsTheProgram() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let bench = PeripheralBench()
            let tree = service("FEE7")
            bench.manager.add(tree)
            bench.manager.add(tree)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Services cannot be added more than once"))
    }

    @Test(arguments: ["1800", "1801", "1805", "180A", "180F", "1812", "181E"])
    func row108_row109_systemServicesAreRefusedInTheir16BitForm(_ uuid: String) {
        let bench = PeripheralBench()
        bench.manager.add(service(uuid))
        bench.settle()
        #expect(bench.newEvents() == ["add \(uuid) CBErrorDomain 8"] && bench.newCommands().isEmpty)
        #expect(
            bench.recorder.errors.value.last?.localizedDescription
                == "The specified UUID is not allowed for this operation.")
        let long = "0000\(uuid)-0000-1000-8000-00805F9B34FB"
        bench.publish(service(long))
        #expect(bench.newEvents() == ["add \(long)"])
    }

    @Test func row110_anyCharacteristicUUIDIsAccepted() {
        let bench = PeripheralBench()
        bench.publish(service("FEE7", [characteristic("2A19", .read, .readable)]))
        #expect(bench.newEvents() == ["add FEE7"])
    }

    @Test func row111_row113_staticValuesReachTheAdapter() {
        let bench = PeripheralBench()
        bench.publish(
            service(
                "FEE7",
                [
                    characteristic("AA01", .read, .readable, value: Data([1, 2])),
                    characteristic("AA02", .read, .readEncryptionRequired, value: Data()),
                ]))
        #expect(bench.definitions.last?.characteristics.map(\.value) == [[1, 2], []])
        #expect(bench.definitions.last?.characteristics.map(\.permissions) == [1, 4])
    }

    @Test func row112_aStaticValueMustBeReadOnly() {
        let bench = PeripheralBench()
        for (properties, permissions) in [
            ([.read, .write], .readable), (.read, [.readable, .writeable]), ([.read, .notify], .readable),
        ] as [(CBCharacteristicProperties, CBAttributePermissions)] {
            #expect(throws: CBError.self) {
                try bench.manager.add(
                    validating: service("FEE7", [characteristic("AA01", properties, permissions, value: Data([1]))]))
            }
        }
        bench.settle()
        #expect(bench.newCommands().isEmpty && bench.newEvents().isEmpty)
    }

    @Test func row112_aWritableStaticValueEndsTheProgram() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let bench = PeripheralBench()
            bench.manager.add(service("FEE7", [characteristic("AA01", value: Data([1]))]))
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Characteristics with cached values must be read-only"))
    }

    @Test(arguments: [CBCharacteristicProperties.broadcast, .extendedProperties])
    func row115_systemPropertiesAreRefused(_ property: CBCharacteristicProperties) {
        let bench = PeripheralBench()
        bench.manager.add(service("FEE7", [characteristic("AA01", [.read, property])]))
        bench.settle()
        #expect(bench.newEvents() == ["add FEE7 CBErrorDomain 1"] && bench.newCommands().isEmpty)
    }

    @Test(arguments: ["2900", "2902", "2903"])
    func row117_systemDescriptorsAreRefused(_ uuid: String) {
        let bench = PeripheralBench()
        let value = characteristic("AA01")
        value.descriptors = [CBMutableDescriptor(type: CBUUID(string: uuid), value: Data([1, 0]))]
        bench.manager.add(service("FEE7", [value]))
        bench.settle()
        #expect(bench.newEvents() == ["add FEE7 CBErrorDomain 1"] && bench.newCommands().isEmpty)
    }

    @Test func row118_otherDescriptorsAreAccepted() {
        let bench = PeripheralBench()
        let value = characteristic("AA01")
        let descriptors = [
            CBMutableDescriptor(type: CBUUID(string: "2901"), value: "名前"),
            CBMutableDescriptor(type: CBUUID(string: "2904"), value: Data([4, 0, 1, 0, 0, 0, 0])),
            CBMutableDescriptor(type: CBUUID(string: "2908"), value: Data([1, 1])),
            CBMutableDescriptor(type: CBUUID(string: "2908"), value: nil),
        ]
        value.descriptors = descriptors
        #expect(descriptors[0].characteristic === value && descriptors[0].value as? String == "名前")
        bench.publish(service("FEE7", [value]))
        #expect(
            bench.definitions.last?.characteristics[0].descriptors == [
                DescriptorDefinition(uuid: short(0x2901), value: Array("名前".utf8)),
                DescriptorDefinition(uuid: short(0x2904), value: [4, 0, 1, 0, 0, 0, 0]),
                DescriptorDefinition(uuid: short(0x2908), value: [1, 1]),
                DescriptorDefinition(uuid: short(0x2908), value: []),
            ])
    }

    @Test func row119_descriptorValuesHaveTheirType() throws {
        #expect(throws: CBError.self) { try CBMutableDescriptor(validating: CBUUID(string: "2901"), value: Data()) }
        #expect(throws: CBError.self) { try CBMutableDescriptor(validating: CBUUID(string: "2904"), value: "text") }
        #expect(throws: CBError.self) { try CBMutableDescriptor(validating: CBUUID(string: "2901"), value: nil) }
        #expect(try CBMutableDescriptor(validating: CBUUID(string: "2901"), value: "text").value as? String == "text")
    }

    @Test func row119_aWrongTypeEndsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            _ = CBMutableDescriptor(type: CBUUID(string: "2901"), value: Data())
        }
    }

    @Test func row124_removedServicesLeaveTheDatabase() {
        let bench = PeripheralBench()
        let value = characteristic("AA01")
        let tree = service("FEE7", [value])
        let token = bench.publish(tree)
        bench.emit {
            $0.subscribed(PeripheralBench.client, to: CharacteristicReference(service: token, index: 0))
        }
        _ = bench.newCommands()
        bench.manager.remove(tree)
        bench.manager.remove(tree)
        #expect(bench.newCommands() == [.remove(token: token)])
        #expect(value.subscribedCentrals == nil)
        let lines = misuses {
            #expect(!bench.manager.updateValue(Data([1]), for: value, onSubscribedCentrals: nil))
        }
        #expect(lines.count == 1)
        bench.publish(tree)
        bench.manager.removeAllServices()
        #expect(bench.newCommands().last == .removeAll)
        bench.publish(tree)
        #expect(bench.newEvents().last == "add FEE7")
    }

    @Test(arguments: [(PublishingError.outOfSpace, 4), (.unknownIncludedService, 1), (.notPoweredOn, 0)])
    func aServiceThatTheAdapterRefusesCanBeAddedAgain(_ failure: PublishingError, _ code: Int) {
        let bench = PeripheralBench()
        let tree = service("FEE7")
        bench.publish(tree, failure)
        bench.publish(tree)
        #expect(bench.newEvents() == ["add FEE7 CBErrorDomain \(code)", "add FEE7"])
    }

    @Test func row009_belowPoweredOffTheDatabaseIsCleared() {
        let bench = PeripheralBench()
        let tree = service("FEE7")
        bench.publish(tree)
        bench.manager.startAdvertising(nil)
        bench.emit { $0.advertisingStarted(nil) }
        _ = bench.newEvents()
        bench.emit { $0.adapterStateChanged(.poweredOff) }
        bench.emit { $0.adapterStateChanged(.poweredOn) }
        #expect(bench.newEvents() == ["state 4 true", "state 5 true"], "advertising only pauses")
        bench.emit { $0.adapterStateChanged(.resetting) }
        bench.emit { $0.adapterStateChanged(.poweredOn) }
        #expect(bench.newEvents() == ["state 1 false", "state 5 false"])
        bench.publish(tree)
        #expect(bench.newEvents() == ["add FEE7"], "it is not there any more")
    }
}
