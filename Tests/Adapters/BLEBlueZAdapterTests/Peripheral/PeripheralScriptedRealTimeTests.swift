import BLEAdapter
import BLETransport
import BLEWire
import BlueZBench
import BusBench
import Dispatch
import Logging
import SystemBus
import TestConditions
import TestDoubles
import Testing

@testable import BLEBlueZAdapter

/// The role with the double of bluetoothd, and sockets of the system.
@Suite(.timeLimit(.minutes(10))) struct PeripheralScriptedRealTimeTests {
    private struct Identification: PeerIdentification {
        func identifier(for address: DeviceAddress) -> PeerIdentifier {
            PeerIdentifier(high: 1, low: address.value & 0xFF)
        }
        func address(of identifier: PeerIdentifier) -> DeviceAddress? { nil }
    }

    /// A role whose adapter mirrors the objects of the double.
    private final class World {
        let bluez: ScriptedBlueZ
        let role: PeripheralRole
        let observer = PeripheralRecorder()
        let session: any PeripheralSession
        private let bus: BusConnection
        private var objects = BlueZObjects()

        /// - Parameter connect: Makes a connection to a bus.
        init(
            _ scheduler: any SerialScheduler, isRecent: Bool, makeSocket: @escaping (Descriptor) -> any ValueSocket,
            connect: @escaping () -> BusConnection
        ) {
            bluez = ScriptedBlueZ(scheduler, connect: connect)
            // From 5.71 on.
            let adapter = bluez.addAdapter(properties: isRecent ? ["Manufacturer": .uint16(2)] : [:])
            // From 5.83 on.
            for number in isRecent ? [1, 2] : [] {
                var device = ScriptedDevice("F0:00:00:00:00:0\(number)")
                device.properties = ["CablePairing": .bool(false)]
                _ = bluez.addDevice(device)
            }
            bluez.start()
            bus = connect()
            role = PeripheralRole(
                scheduler: scheduler, snapshot: RemoteSnapshot(Identification()),
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            ) { PacketSocket.pair().map { (makeSocket($0), $1) } }
            session = role.open(observer: observer)
            bus.onDrain = { [role] in role.drained() }
            for interface in ["org.freedesktop.DBus.ObjectManager", "org.freedesktop.DBus.Properties"] {
                bus.subscribe(BusMatch(sender: "org.bluez", interface: interface), completion: nil) { [weak self] in
                    guard let self, let change = BusObjectChange($0) else { return }
                    for change in objects.apply(change) { role.apply(change, objects) }
                }
            }
            bus.watchName("org.bluez") { [weak self] owner in if owner != nil { self?.begin(adapter) } }
        }

        private func begin(_ adapter: String) {
            bus.call("org.bluez", "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects") {
                [weak self] result in
                guard let self else { return }
                objects.replace((try? result.get())?.body.first?.managedObjects ?? [:])
                role.begin(on: bus, adapter: adapter, objects)
                session.add(PeripheralBench.lamp, token: 1)
                session.startAdvertising(Advertisement(localName: "Lamp", services: [BluetoothUUID(0x1234 as UInt16)]))
            }
        }

        func update(_ value: [UInt8]) -> Bool {
            session.update(value.span, of: CharacteristicReference(service: 1, index: 0), centrals: nil)
        }
    }

    /// The same in virtual time.
    private final class VirtualWorld {
        let scheduler = ManualScheduler()
        let world: World
        var bluez: ScriptedBlueZ { world.bluez }

        init(isRecent: Bool) {
            let broker = MemoryBroker(scheduler)
            world = World(scheduler, isRecent: isRecent) { [scheduler] in
                PolledSocket($0, scheduler)
            } connect: {
                broker.connect()
            }
            scheduler.run(for: .seconds(1))
        }

        func events() -> [String] {
            scheduler.run(for: .milliseconds(20))
            return world.observer.take()
        }
    }

    /// Descriptors pass a real bus, and so do signals that only bluetoothd gets.
    @Test(arguments: [true, false])
    func centralsUseAServiceOverADaemon(isRecent: Bool) async throws {
        let daemon = try PrivateBus()
        let queue = DispatchQueue(label: "bluez")
        let world = queue.sync {
            World(QueueScheduler(queue), isRecent: isRecent) {
                SystemValueSocket($0, queue: queue)
            } connect: {
                BusConnection(to: [daemon.address], queue: queue)
            }
        }
        var events: [String] = []
        func happens(_ event: String) async -> Bool {
            await eventually {
                events += world.observer.take()
                return events.contains(event)
            }
        }
        #expect(await happens("added 1"))
        let application = try #require(queue.sync { world.bluez.applications.first })
        let characteristic = try #require(application.attribute("2A01"))
        let central = queue.sync {
            let central = world.bluez.connectCentral(to: application, mtu: 100)
            central.subscribe(characteristic)
            return central
        }
        #expect(await happens("1/97 subscribed 1.0"))
        for number in 0..<100 {
            #expect(await eventually { world.update([UInt8(number)]) })
        }
        #expect(
            await eventually {
                queue.sync {
                    central.readSockets()
                    return central.received.map(\.value) == (0..<100).map { [UInt8($0)] }
                }
            })
        queue.sync { central.unsubscribe(characteristic) }
        #expect(await happens("1/97 unsubscribed 1.0"))
        queue.sync { world.role.end(.unsupported) }
        #expect(await happens("state unsupported"))
    }

    @Test(arguments: [true, false])
    func centralsUseAService(isRecent: Bool) async throws {
        let virtual = VirtualWorld(isRecent: isRecent)
        let world = virtual.world
        #expect(world.observer.take() == ["added 1", "advertising", "state poweredOn"])
        #expect(world.bluez.advertisements.first?.properties["LocalName"] == .string("Lamp"))
        let application = try #require(world.bluez.applications.first)
        let characteristic = try #require(application.attribute("2A01"))
        let first = world.bluez.connectCentral(to: application, mtu: 100)
        let second = world.bluez.connectCentral("F0:00:00:00:00:02", to: application)
        _ = virtual.events()

        let value = Collected<[UInt8]?>()
        first.read(characteristic, offset: 5) { value.add((try? $0.get())?.body.first?.bytes) }
        #expect(virtual.events() == ["length 1/97", "1/97 reads 1.0 from 5"])
        world.session.respond(to: try #require(world.observer.request), error: 0, value: [6])
        _ = virtual.events()
        #expect(value.all == [[6]])

        first.subscribe(characteristic)
        second.subscribe(characteristic)
        #expect(virtual.events() == ["1/97 subscribed 1.0", "length 2/514", "2/514 subscribed 1.0"])
        for number in 0..<100 {
            while !world.update([UInt8(number)]) { _ = virtual.events() }
        }
        _ = virtual.events()
        for central in [first, second] {
            central.readSockets()
            #expect(central.received.map(\.value) == (0..<100).map { [UInt8($0)] })
        }
        // A socket of the system closes on a thread of its own.
        var events: [String] = []
        func ends(_ count: Int) async -> Bool {
            await eventually(within: .seconds(60)) {
                events += virtual.events()
                return events.filter { $0.contains("unsubscribed") }.count >= count
            }
        }
        first.unsubscribe(characteristic)
        #expect(await ends(1))
        virtual.scheduler.run(for: .seconds(2))
        world.bluez.dropLink(second.path, .remote)
        #expect(await ends(2), "\(events)")
    }

    @Test func aReleasedAdvertisementIsRegisteredAgain() {
        let virtual = VirtualWorld(isRecent: true)
        let world = virtual.world
        world.bluez.releaseAdvertisements()
        virtual.scheduler.run(for: .milliseconds(999))
        #expect(world.bluez.advertisements.isEmpty)
        virtual.scheduler.run(for: .milliseconds(50))
        #expect(world.bluez.advertisements.count == 1)
    }

    @Test func allSetsMayBeInUse() {
        let virtual = VirtualWorld(isRecent: true)
        let world = virtual.world
        world.bluez.always(
            "LEAdvertisingManager1.RegisterAdvertisement",
            .fails(ScriptedFailure("NotPermitted", "Maximum advertisements reached")))
        let other = world.role.open(observer: world.observer)
        _ = virtual.events()
        other.startAdvertising(Advertisement(localName: "b", services: []))
        #expect(virtual.events().contains("advertising \(AdvertisingError.controller(0x07))"))
    }
}
