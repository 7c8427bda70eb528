import BLEAdapter
import BLEWire
import SystemBus
import TestConditions
import Testing

@testable import BLEBlueZAdapter

@Suite struct PeripheralServicesTests {
    private typealias Bench = PeripheralBench

    @Test func stateFollows() {
        let bench = Bench(isOn: false)
        #expect(bench.events == [], "an unknown state is none")
        bench.begin()
        #expect(bench.events == ["state poweredOn"])
        bench.role.end(.resetting)
        #expect(bench.events == ["state resetting"])
        let late = PeripheralRecorder()
        let session = bench.role.open(observer: late)
        bench.scheduler.run(for: .milliseconds(9))
        #expect(late.take() == [])
        bench.begin()
        bench.scheduler.run(for: .milliseconds(1))
        #expect(late.take() == ["state poweredOn"])
        withExtendedLifetime(session) {}
    }

    @Test func bluetoothdReadsServicesInOrder() {
        let bench = Bench()
        bench.addLamp()
        let objects = bench.managers.applications.values.first?.objects ?? []
        let root = "/corebluetooth/hci0/application1"
        let characteristic = "\(root)/service0/characteristic0"
        #expect(
            objects.map(\.path) == [
                "\(root)/service0", characteristic, "\(characteristic)/descriptor0", "\(root)/service0/characteristic1",
                "\(root)/service0/characteristic2",
            ])
        #expect(objects[0].properties == ["UUID": .string("1234"), "Primary": .bool(true)])
        #expect(
            objects[1].properties == [
                "UUID": .string("2A01"), "Service": .path("\(root)/service0"), "NotifyAcquired": .bool(false),
                "Flags": .array("s", [.string("read"), .string("write"), .string("notify")]),
            ])
        #expect(
            objects[2].properties == [
                "UUID": .string("2901"), "Characteristic": .path(characteristic),
                "Flags": .array("s", [.string("read")]),
            ])
        // The same by the calls of the standard.
        let get = bench.call("Get", "2A01", [.string(BlueZ.characteristic), .string("UUID")], BlueZ.characteristic)
        #expect(get.text == "UnknownMethod")
        for (member, arguments, expected) in [
            ("GetAll", [.string(BlueZ.characteristic)], "ok"),
            ("Get", [.string(BlueZ.characteristic), .string("UUID")], "ok"),
            ("Get", [.string("org.bluez.Other"), .string("UUID")], "InvalidArgs"), ("Get", [], "InvalidArgs"),
            ("Set", [.string(BlueZ.characteristic), .string("Handle"), .variant(.uint16(1))], "PropertyReadOnly"),
        ] as [(String, [BusValue], String)] {
            let answer = Bench.Answer()
            bench.managers.call(characteristic, BlueZ.properties, member, arguments) { answer.result = $0 }
            bench.scheduler.run()
            #expect(answer.text == expected, "\(member)")
        }
    }

    @Test func eachServiceIsAnApplicationUnlessOneIncludesAnother() {
        let bench = Bench()
        bench.session.add(Bench.service(0xA001), token: 1)
        bench.session.add(Bench.service(0xA002), token: 2)
        #expect(bench.events == ["added 1", "added 2"])
        bench.session.add(Bench.service(0xA003, included: [1]), token: 3)
        #expect(bench.events == ["added 3"])
        #expect(
            bench.managers.calls == [
                "RegisterApplication application1", "RegisterApplication application2",
                "UnregisterApplication application1", "RegisterApplication application3",
            ])
        let union = bench.managers.applications["/corebluetooth/hci0/application3"]?.objects ?? []
        #expect(union.map { $0.properties["UUID"]?.text } == ["A001", "A003"])
        #expect(
            union[1].properties["Includes"]
                == .array("o", [.path("/corebluetooth/hci0/application3/service0")]))
        bench.session.add(Bench.service(0xA004, included: [9]), token: 4)
        #expect(bench.events == ["added 4 unknownIncludedService"])
        // The rest of a group goes on without the service that is removed.
        bench.managers.calls = []
        bench.session.remove(token: 3)
        #expect(bench.events == [])
        #expect(
            bench.managers.calls == ["UnregisterApplication application3", "RegisterApplication application4"])
        bench.session.removeAll()
        _ = bench.events
        #expect(bench.managers.applications.isEmpty)
    }

    @Test func aServiceOfAnotherSessionCannotBeIncluded() {
        let bench = Bench()
        let other = PeripheralRecorder()
        let session = bench.role.open(observer: other)
        bench.session.add(Bench.service(0xA001), token: 1)
        session.add(Bench.service(0xA002, included: [1]), token: 2)
        #expect(bench.events == ["added 1"])
        #expect(other.take() == ["added 2 unknownIncludedService"])
    }

    @Test(arguments: [
        ("org.bluez.Error.AlreadyExists", "", "registered twice"),
        ("org.bluez.Error.InvalidArguments", "", "bluetoothctl --version"),
        ("org.bluez.Error.Failed", "No object received", "could not read this program's objects"),
        ("org.bluez.Error.Failed", "No valid service object found", "its version cannot read"),
        ("org.bluez.Error.Failed", "Failed to create entry in database", "database is full"),
        ("org.freedesktop.DBus.Error.AccessDenied", "", "usermod -aG bluetooth"),
        ("org.freedesktop.DBus.Error.UnknownMethod", "", "no local services in bluetoothd"),
        ("org.bluez.Error.Other", "words", "org.bluez.Error.Other: words"),
    ])
    func refusalsAreSentences(name: String, text: String, part: String) {
        let bench = Bench()
        bench.managers.refusals = [(name, text)]
        bench.session.add(Bench.lamp, token: 1)
        #expect(bench.events == ["added 1 outOfSpace"])
        #expect(bench.log.count == 1 && bench.log[0].contains(part) && bench.log[0].contains("the services 1234"))
        // The service is not there, so its token is free.
        bench.addLamp()
    }

    @Test func theOthersOfAGroupStayIfTheNewOneIsRefused() {
        let bench = Bench()
        bench.session.add(Bench.service(0xA001), token: 1)
        _ = bench.events
        bench.managers.refusals = [(BlueZ.Failure.failed, "Failed to create entry in database")]
        bench.session.add(Bench.service(0xA002, included: [1]), token: 2)
        #expect(bench.events == ["added 2 outOfSpace"])
        #expect(bench.managers.applications.values.flatMap(\.objects).map { $0.properties["UUID"]?.text } == ["A001"])
    }

    @Test func anAnswerThatNeverComesIsARefusal() {
        let bench = Bench()
        bench.managers.isSilent = true
        bench.session.add(Bench.lamp, token: 1)
        #expect(bench.events == [])
        bench.scheduler.run(for: .seconds(25))
        #expect(bench.events == ["added 1 outOfSpace"])
        // bluetoothd may have it.
        #expect(bench.managers.calls.last == "UnregisterApplication application1")
        bench.managers.answerLate()
        #expect(bench.events == [])
    }

    @Test func olderVersionsGetNoFlagsThatTheyDoNotKnow() {
        let bench = Bench()
        bench.managers.refusals = [(BlueZ.Failure.failed, "No valid service object found")]
        bench.session.add(Bench.service(0xA001, [Bench.characteristic(0x2A01, 0x100 | 0x200, 0)]), token: 1)
        #expect(bench.events == ["added 1"])
        let flags = bench.managers.applications.values.first?.objects.last?.properties["Flags"]
        #expect(flags == .array("s", [.string("notify"), .string("indicate")]))
        #expect(bench.log.count == 1 && bench.log[0].contains("Install BlueZ 5.62"))
    }

    @Test(arguments: [
        (0x02, 1, ["read"]), (0x02, 4, ["encrypt-read"]), (0x08, 2, ["write"]), (0x08, 8, ["encrypt-write"]),
        (0x04, 2, ["write-without-response"]), (0x04, 8, ["write-without-response", "encrypt-write"]),
        (0x30, 0, ["notify", "indicate"]), (0x300, 0, ["encrypt-notify", "encrypt-indicate"]),
        (0x01, 0, ["broadcast"]), (0x40, 0, ["authenticated-signed-writes"]), (0, 0, ["authorize"]),
    ])
    func flagsFollowTheDefinition(properties: UInt, permissions: UInt, expected: [String]) {
        let flags = PublishedFlags(Bench.characteristic(0x2A01, properties, permissions))
        #expect(flags.names(knowsEncryptedUpdates: true) == expected)
    }

    @Test func extendedPropertiesAreFlags() {
        let extended = DescriptorDefinition(uuid: BluetoothUUID(0x2900 as UInt16), value: [3, 0])
        let configuration = DescriptorDefinition(uuid: BluetoothUUID(0x2902 as UInt16), value: [0, 0])
        let definition = Bench.characteristic(0x2A01, 0x08, 2, descriptors: [extended, configuration])
        #expect(
            PublishedFlags(definition).names(knowsEncryptedUpdates: true) == [
                "write", "reliable-write", "writable-auxiliaries",
            ])
        let application = PublishedApplication(
            number: 1,
            members: [.init(key: .init(session: 1, token: 1), definition: Bench.service(0xA001, [definition]))])
        // bluetoothd makes these descriptors.
        #expect(application.objects(below: "/a", knowsEncryptedUpdates: true).count == 2)
        #expect(application.path(of: .init(session: 1, token: 1), characteristic: 1, below: "/a") == nil)
        #expect(application.path(of: .init(session: 1, token: 2), characteristic: 0, below: "/a") == nil)
    }

    @Test func otherRefusalsSayNothingAboutFlags() {
        let bench = Bench()
        bench.managers.refusals = [(BlueZ.Failure.failed, "Failed to create entry in database")]
        bench.session.add(Bench.service(0xA001, [Bench.characteristic(0x2A01, 0x100, 0)]), token: 1)
        #expect(bench.events == ["added 1 outOfSpace"])
    }

    @Test func aRemovedServiceHasNoObjects() {
        let bench = Bench()
        bench.connect(Bench.phone)
        bench.addLamp()
        let path = bench.path("2A01")
        bench.session.removeAll()
        _ = bench.events
        let answer = Bench.Answer()
        bench.managers.call(path, BlueZ.characteristic, "ReadValue", [Bench.options()]) { answer.result = $0 }
        bench.scheduler.run()
        #expect(answer.text == "UnknownObject")
        bench.session.remove(token: 1)
        #expect(bench.events == [])
    }

    @Test func servicesStayWhileTheAdapterIsOff() {
        let bench = Bench()
        bench.addLamp()
        bench.role.end(.poweredOff)
        #expect(bench.events == ["state poweredOff"])
        #expect(bench.managers.applications.isEmpty)
        bench.session.add(Bench.service(0xA002), token: 2)
        #expect(bench.events == ["added 2"])
        bench.begin()
        #expect(bench.events == ["state poweredOn"])
        #expect(bench.managers.applications.count == 2)
    }

    @Test func aGroupIsRegisteredOnceWhenTheAdapterIsOn() {
        let bench = Bench()
        bench.session.add(Bench.service(0xA001), token: 1)
        bench.session.add(Bench.service(0xA002, included: [1]), token: 2)
        bench.session.add(Bench.service(0xA003), token: 3)
        bench.role.end(.poweredOff)
        _ = bench.events
        bench.managers.calls = []
        bench.begin()
        _ = bench.events
        #expect(bench.managers.calls.count == 2)
        #expect(bench.managers.applications.values.map(\.objects.count).sorted() == [1, 2])
    }

    @Test func aServiceThatIsNotTakenAgainIsInTheLog() {
        let bench = Bench()
        bench.addLamp()
        bench.role.end(.poweredOff)
        bench.managers.refusals = [(BlueZ.Failure.failed, "Failed to create entry in database")]
        bench.begin()
        #expect(bench.events == ["state poweredOff", "state poweredOn"])
        #expect(bench.log.last == "warning The service 1234 is not offered any more.")
        bench.managers.calls = []
        bench.session.remove(token: 1)
        _ = bench.events
        #expect(bench.managers.calls == [])
    }

    @Test(arguments: [0x10, 0x20, 0x100, 0x200] as [UInt]) func eachKindOfUpdatesHasSubscribers(property: UInt) {
        let bench = Bench()
        bench.session.add(Bench.service(0xA001, [Bench.characteristic(0x2A01, property, 0)]), token: 1)
        _ = bench.events
        let properties = bench.managers.applications.values.first?.objects.last?.properties
        #expect(properties?["NotifyAcquired"] == .bool(false))
    }

    @Test func servicesAreLostWithTheAdapter() {
        let bench = Bench()
        bench.addLamp()
        bench.managers.isSilent = true
        bench.session.add(Bench.service(0xA002), token: 2)
        _ = bench.events
        bench.role.end(.resetting)
        #expect(bench.events == ["added 2 notPoweredOn", "state resetting"])
        bench.session.add(Bench.service(0xA003), token: 3)
        #expect(bench.events == ["added 3 notPoweredOn"])
        bench.managers.isSilent = false
        bench.begin()
        #expect(bench.events == ["state poweredOn"])
        #expect(bench.managers.applications.isEmpty)
    }

    @Test func theEndOfTheBusIsNoRefusal() {
        let bench = Bench()
        bench.managers.isSilent = true
        bench.session.add(Bench.lamp, token: 1)
        bench.session.startAdvertising(Advertisement(localName: nil, services: []))
        _ = bench.events
        bench.broker.end()
        #expect(bench.events == [])
        bench.role.end(.resetting)
        #expect(bench.events == ["added 1 notPoweredOn", "advertising notPoweredOn", "state resetting"])
        #expect(bench.log == [])
    }

    @Test func theEndOfASessionRemovesItsServices() {
        let bench = Bench()
        var session: (any PeripheralSession)? = bench.role.open(observer: bench.observer)
        session?.add(Bench.service(0xA001), token: 1)
        session?.startAdvertising(Advertisement(localName: "a", services: []))
        #expect(bench.events == ["added 1", "advertising"])
        withExtendedLifetime(session) {}
        session = nil
        _ = bench.events
        #expect(bench.managers.applications.isEmpty && bench.managers.advertisements.isEmpty)
        #expect(bench.role.sessions.count == 1)
    }

    @Test func theNumberOfServicesIsBounded() {
        var services = PublishedServices()
        for token in 0..<PublishedServices.limit {
            _ = services.add(Bench.service(0xA001), .init(session: 1, token: token))
        }
        let steps = services.add(Bench.service(0xA001), .init(session: 1, token: -1))
        guard case .added(_, .outOfSpace)? = steps.first else { return #expect(Bool(false)) }
    }
}
