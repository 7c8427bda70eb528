import BLEAdapter
import BLETransport
import BLEWire
import BlueZBench
import BusBench
import Logging
import SystemBus
import TestConditions
import TestDoubles
import Testing

@testable import BLEBlueZAdapter

/// The role with the double of bluetoothd, and sockets of the system.
@Suite struct PeripheralScriptedRealTimeTests {
    private struct Identification: PeerIdentification {
        func identifier(for address: DeviceAddress) -> PeerIdentifier {
            PeerIdentifier(high: 1, low: address.value & 0xFF)
        }
        func address(of identifier: PeerIdentifier) -> DeviceAddress? { nil }
    }

    /// A role whose adapter mirrors the objects of the double.
    private final class World {
        let scheduler = ManualScheduler()
        let bluez: ScriptedBlueZ
        let role: PeripheralRole
        let observer = PeripheralRecorder()
        let session: any PeripheralSession
        private let bus: BusConnection
        private var objects = BlueZObjects()

        init(isRecent: Bool) {
            let broker = MemoryBroker(scheduler)
            bluez = ScriptedBlueZ(broker)
            bluez.start()
            // From 5.71 on.
            let adapter = bluez.addAdapter(properties: isRecent ? ["Manufacturer": .uint16(2)] : [:])
            bus = broker.connect()
            role = PeripheralRole(
                scheduler: scheduler, snapshot: RemoteSnapshot(Identification()),
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            session = role.open(observer: observer)
            bus.onDrain = { [role] in role.drained() }
            for interface in ["org.freedesktop.DBus.ObjectManager", "org.freedesktop.DBus.Properties"] {
                bus.subscribe(BusMatch(sender: "org.bluez", interface: interface), completion: nil) { [unowned self] in
                    guard let change = BusObjectChange($0) else { return }
                    for change in objects.apply(change) { role.apply(change, objects) }
                }
            }
            bus.call("org.bluez", "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects") {
                [unowned self] result in
                objects.replace((try? result.get())?.body.first?.managedObjects ?? [:])
                role.begin(on: bus, adapter: adapter, objects)
            }
            scheduler.run(for: .seconds(1))
            session.add(PeripheralBench.lamp, token: 1)
            session.startAdvertising(Advertisement(localName: "Lamp", services: [BluetoothUUID(0x1234 as UInt16)]))
            scheduler.run(for: .seconds(1))
        }

        func events() -> [String] {
            scheduler.run(for: .milliseconds(20))
            return observer.take()
        }

        func update(_ value: [UInt8]) -> Bool {
            session.update(value.span, of: CharacteristicReference(service: 1, index: 0), centrals: nil)
        }
    }

    @Test(arguments: [true, false])
    func centralsUseAService(isRecent: Bool) async throws {
        let world = World(isRecent: isRecent)
        #expect(world.observer.take() == ["state poweredOn", "added 1", "advertising"])
        #expect(world.bluez.advertisements.first?.properties["LocalName"] == .string("Lamp"))
        let application = try #require(world.bluez.applications.first)
        let characteristic = try #require(application.attribute("2A01"))
        // From 5.83 on.
        for number in isRecent ? [1, 2] : [] {
            var device = ScriptedDevice("F0:00:00:00:00:0\(number)")
            device.properties = ["CablePairing": .bool(false)]
            _ = world.bluez.addDevice(device)
        }
        let first = world.bluez.connectCentral(to: application, mtu: 100)
        let second = world.bluez.connectCentral("F0:00:00:00:00:02", to: application)
        _ = world.events()

        let value = Collected<[UInt8]?>()
        first.read(characteristic, offset: 5) { value.add((try? $0.get())?.body.first?.bytes) }
        #expect(world.events() == ["length 1/97", "1/97 reads 1.0 from 5"])
        world.session.respond(to: try #require(world.observer.request), error: 0, value: [6])
        _ = world.events()
        #expect(value.all == [[6]])

        first.subscribe(characteristic)
        second.subscribe(characteristic)
        #expect(world.events() == ["1/97 subscribed 1.0", "length 2/514", "2/514 subscribed 1.0"])
        for number in 0..<100 {
            while !world.update([UInt8(number)]) { _ = world.events() }
        }
        _ = world.events()
        for central in [first, second] {
            central.readSockets()
            #expect(central.received.map(\.value) == (0..<100).map { [UInt8($0)] })
        }
        // A socket of the system closes on a thread of its own.
        var events: [String] = []
        world.bluez.dropLink(second.path, .remote)
        first.unsubscribe(characteristic)
        let hasEnded = await eventually(within: .seconds(60)) {
            events += world.events()
            return events.filter { $0.contains("unsubscribed") }.count == 2
        }
        #expect(hasEnded, "\(events)")
    }

    @Test func aReleasedAdvertisementIsRegisteredAgain() {
        let world = World(isRecent: true)
        world.bluez.releaseAdvertisements()
        world.scheduler.run(for: .milliseconds(999))
        #expect(world.bluez.advertisements.isEmpty)
        world.scheduler.run(for: .milliseconds(50))
        #expect(world.bluez.advertisements.count == 1)
    }

    @Test func allSetsMayBeInUse() {
        let world = World(isRecent: true)
        world.bluez.always(
            "LEAdvertisingManager1.RegisterAdvertisement",
            .fails(ScriptedFailure("NotPermitted", "Maximum advertisements reached")))
        let other = world.role.open(observer: world.observer)
        _ = world.events()
        other.startAdvertising(Advertisement(localName: "b", services: []))
        #expect(world.events().contains("advertising \(AdvertisingError.controller(0x07))"))
    }
}
