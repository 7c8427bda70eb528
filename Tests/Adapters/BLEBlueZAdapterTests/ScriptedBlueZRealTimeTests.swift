import BLETransport
import BlueZBench
import BusBench
import Dispatch
import Glibc
import SystemBus
import TestConditions
import Testing

/// The double of bluetoothd over a `dbus-daemon` (package dbus).
@Suite(.timeLimit(.minutes(10))) struct ScriptedBlueZRealTimeTests {
    @Test func theDoubleRunsOverADaemon() async throws {
        let daemon = try PrivateBus()
        let queue = DispatchQueue(label: "bluetoothd")
        let bluez = ScriptedBlueZ(QueueScheduler(queue)) { BusConnection(to: [daemon.address], queue: queue) }
        var device = ScriptedDevice("C0:00:00:00:00:01", name: "lamp")
        device.services = [ScriptedService("180d", [ScriptedCharacteristic("2a39", ["write-without-response"])])]
        queue.sync { [device] in
            bluez.timing.connecting = .zero
            bluez.timing.resolving = .zero
            bluez.addAdapter()
            bluez.addDevice(device)
            bluez.start()
        }
        let client = BusClient(daemon.address)
        let owners = Collected<String?>()
        await client.run { bus in _ = bus.watchName("org.bluez") { owners.add($0) } }
        #expect(await eventually { owners.all.last.flatMap { $0 } != nil })
        let path = "/org/bluez/hci0/dev_C0_00_00_00_00_01"
        let resolved = Collected<Bool>()
        let failure = await client.subscribe(BusMatch(sender: "org.bluez", path: path)) { signal in
            guard case .changed(_, _, let properties, _)? = BusObjectChange(signal) else { return }
            if properties["ServicesResolved"]?.flag == true { resolved.add(true) }
        }
        #expect(failure == nil)
        _ = try await client.call("org.bluez", path, "org.bluez.Device1", "Connect").get()
        #expect(await eventually { resolved.all == [true] })
        let objects = try await client.call(
            "org.bluez", "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"
        ).get()
        let characteristic = path + "/service0001/char0002"
        #expect(objects.body.first?.managedObjects?[characteristic] != nil)
        let reply = try await client.call(
            "org.bluez", characteristic, "org.bluez.GattCharacteristic1", "AcquireWrite", [.properties([:])]
        ).get()
        let socket = try #require(reply.descriptors.first)
        #expect(send(socket.number, [7] as [UInt8], 1, 0) == 1)
        queue.sync {
            bluez.readSockets()
            #expect(bluez.writes.map(\.description) == ["acquired [7]"])
            bluez.end()
        }
        #expect(await eventually { owners.all.last == .some(nil) })
        await client.close()
    }
}
