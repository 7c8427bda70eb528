import BLEWire
import BlueZBench
import BusBench
import Glibc
import SystemBus
import TestDoubles
import Testing

@testable import BLEBlueZAdapter

/// The double of bluetoothd, which the tests of the adapter rely on.
struct ScriptedBlueZTests {
    private let scheduler = ManualScheduler()
    private let broker: MemoryBroker
    private let bluez: ScriptedBlueZ
    private let client: BusConnection
    private let log = Log()
    private let heartRate = ScriptedService(
        "0000180d-0000-1000-8000-00805f9b34fb",
        [
            ScriptedCharacteristic("00002a37-0000-1000-8000-00805f9b34fb", ["read", "notify"], [0, 60]),
            ScriptedCharacteristic("00002a39-0000-1000-8000-00805f9b34fb", ["write", "write-without-response"]),
        ])

    init() {
        broker = MemoryBroker(scheduler)
        bluez = ScriptedBlueZ(broker)
        client = broker.connect()
        bluez.addAdapter()
        bluez.start()
        scheduler.run()
    }

    private final class Log {
        var lines: [String] = []
    }

    /// Logs the signals of bluetoothd.
    private func logSignals() {
        client.subscribe(BusMatch(sender: "org.bluez")) { signal in
            switch BusObjectChange(signal) {
            case .added(let path, let interfaces):
                log.lines.append(
                    "added \(path.split(separator: "/").last ?? "") \(interfaces.keys.filter { $0.hasPrefix("org.bluez") })"
                )
            case .removed(let path, _): log.lines.append("removed \(path.split(separator: "/").last ?? "")")
            case .changed(_, _, let properties, let invalidated):
                log.lines += properties.keys.sorted().filter { $0 != "UUIDs" }
                log.lines += invalidated.map { "no \($0)" }
            case nil: log.lines.append(signal.member ?? "")
            }
        }
        scheduler.run()
    }

    private func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        for time: TimeSpan = .seconds(3)
    ) {
        client.call("org.bluez", path, "org.bluez.\(interface)", member, arguments) { result in
            switch result {
            case .success(let reply): log.lines.append("\(member) -> \(reply.body.compactMap(\.bytes))")
            case .failure(let error): log.lines.append("\(member) -> \(error)")
            }
        }
        scheduler.run(for: time)
    }

    /// A device with the object that a discovery made.
    private func discovered(_ change: (inout ScriptedDevice) -> Void = { _ in }) throws -> String {
        var device = ScriptedDevice("C0:00:00:00:00:01", name: "lamp")
        device.services = [heartRate]
        change(&device)
        call("/org/bluez/hci0", "Adapter1", "StartDiscovery")
        let path = try #require(bluez.advertise(device))
        scheduler.run()
        return path
    }

    @Test func aDiscoveryBelongsToItsClient() throws {
        logSignals()
        let path = try discovered()
        #expect(path == "/org/bluez/hci0/dev_C0_00_00_00_00_01")
        call("/org/bluez/hci0", "Adapter1", "StartDiscovery")
        call("/org/bluez/hci0", "Adapter1", "StopDiscovery")
        call("/org/bluez/hci0", "Adapter1", "StopDiscovery")
        #expect(
            log.lines == [
                "Discovering", "StartDiscovery -> []", "added dev_C0_00_00_00_00_01 [\"org.bluez.Device1\"]",
                "StartDiscovery -> org.bluez.Error.InProgress: Operation already in progress", "no RSSI", "Discovering",
                "StopDiscovery -> []", "StopDiscovery -> org.bluez.Error.Failed: No discovery started",
            ])
        #expect(
            bluez.calls.map(\.method) == ["Adapter1.StartDiscovery", "Adapter1.StartDiscovery"]
                + Array(repeating: "Adapter1.StopDiscovery", count: 2))
    }

    @Test func aLinkHasServicesAndEndsWithAReason() throws {
        logSignals()
        let path = try discovered()
        log.lines = []
        call(path, "Device1", "Connect")
        #expect(log.lines.prefix(2) == ["Connected", "Connect -> []"])
        #expect(log.lines.dropFirst(2).prefix(2).allSatisfy { $0.hasPrefix("added ") })
        #expect(log.lines.last == "ServicesResolved")
        #expect(bluez.characteristic(path, "00002a37-0000-1000-8000-00805f9b34fb") == path + "/service0001/char0002")
        log.lines = []
        call(path, "Device1", "Disconnect")
        #expect(log.lines == ["ServicesResolved", "Disconnected", "Connected", "Disconnect -> []"])
    }

    @Test func disconnectCancelsConnect() throws {
        logSignals()
        let path = try discovered() { $0.connecting = .never }
        log.lines = []
        call(path, "Device1", "Connect")
        #expect(log.lines.isEmpty)
        call(path, "Device1", "Connect")
        call(path, "Device1", "Disconnect")
        #expect(
            log.lines == [
                "Connect -> org.bluez.Error.InProgress: In Progress",
                "Connect -> org.bluez.Error.Failed: br-connection-canceled", "Disconnect -> []",
            ])
    }

    @Test func aReadingChangesTheValueFirst() throws {
        logSignals()
        let path = try discovered()
        call(path, "Device1", "Connect")
        let characteristic = try #require(bluez.characteristic(path, "00002a37-0000-1000-8000-00805f9b34fb"))
        log.lines = []
        call(characteristic, "GattCharacteristic1", "ReadValue", [.properties([:])])
        call(characteristic, "GattCharacteristic1", "StartNotify")
        bluez.notify(characteristic, [1, 2])
        scheduler.run()
        #expect(
            log.lines == ["Value", "ReadValue -> [[0, 60]]", "Notifying", "StartNotify -> []", "Value"])
    }

    @Test func aSocketLocksTheCharacteristic() throws {
        logSignals()
        let path = try discovered()
        call(path, "Device1", "Connect")
        let notifying = try #require(bluez.characteristic(path, "00002a37-0000-1000-8000-00805f9b34fb"))
        let writing = try #require(bluez.characteristic(path, "00002a39-0000-1000-8000-00805f9b34fb"))
        var sockets: [BusMessage] = []
        for (path, member) in [(notifying, "AcquireNotify"), (writing, "AcquireWrite")] {
            client.call("org.bluez", path, "org.bluez.GattCharacteristic1", member, [.properties([:])]) { result in
                if case .success(let reply) = result { sockets.append(reply) }
            }
        }
        scheduler.run(for: .seconds(1))
        try #require(sockets.count == 2)
        log.lines = []
        call(notifying, "GattCharacteristic1", "StartNotify")
        call(writing, "GattCharacteristic1", "WriteValue", [.octets([1]), .properties([:])])
        #expect(
            log.lines == [
                "StartNotify -> org.bluez.Error.NotPermitted: Notify acquired",
                "WriteValue -> org.bluez.Error.NotPermitted: Write acquired",
            ])
        // The order of the answers: AcquireWrite needs no response of the device.
        let (writer, reader) = (sockets[0].descriptors[0], sockets[1].descriptors[0])
        #expect(sockets[0].body == [.descriptor(0), .uint16(517)])
        #expect(send(writer.number, [7, 8] as [UInt8], 2, 0) == 2)
        bluez.notify(notifying, [9])
        #expect(bluez.writes.map(\.description) == ["acquired [7, 8]"])
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(recv(reader.number, &buffer, buffer.count, 0) == 1)
        bluez.dropLink(path, .timeout)
        scheduler.run()
        #expect(recv(reader.number, &buffer, buffer.count, 0) == 0)
    }

    @Test func aScriptChangesAnswers() throws {
        logSignals()
        let path = try discovered()
        bluez.script("Device1.Connect", .fails(.connectionAborted), .hangs)
        log.lines = []
        call(path, "Device1", "Connect")
        call(path, "Device1", "Connect")
        #expect(log.lines == ["Connect -> org.bluez.Error.Failed: le-connection-abort-by-local"])
        bluez.held[0].reply()
        scheduler.run()
        #expect(log.lines.last == "Connect -> []")
    }

    @Test func aRestartKeepsThePairedDevices() throws {
        logSignals()
        _ = try discovered()
        var bonded = ScriptedDevice("C0:00:00:00:00:02")
        bonded.isPaired = true
        bluez.addDevice(bonded)
        scheduler.run()
        bluez.end()
        scheduler.run()
        call("/org/bluez/hci0", "Adapter1", "StartDiscovery")
        #expect(log.lines.last?.contains("ServiceUnknown") == true)
        bluez.start()
        scheduler.run()
        #expect(bluez.paths == ["/org/bluez", "/org/bluez/hci0", "/org/bluez/hci0/dev_C0_00_00_00_00_02"])
        call("/org/bluez/hci0", "Adapter1", "StartDiscovery")
        #expect(log.lines.last == "StartDiscovery -> []")
    }

    /// A program with one service, which answers with the options of the call.
    private func application() -> BusConnection {
        let program = broker.connect()
        let objects: [String: [String: BusProperties]] = [
            "/app/service0": ["org.bluez.GattService1": ["UUID": .string("180d"), "Primary": .bool(true)]],
            "/app/service0/char0": [
                "org.bluez.GattCharacteristic1": [
                    "UUID": .string("2a37"), "Service": .path("/app/service0"),
                    "Flags": .array("s", [.string("read"), .string("notify")]),
                ]
            ],
        ]
        program.export("/app", ["org.freedesktop.DBus.ObjectManager": ["GetManagedObjects"]]) { call in
            call.reply([
                .array(
                    "{oa{sa{sv}}}",
                    objects.map {
                        .entry(.path($0.key), .dictionary($0.value.mapValues { .properties($0) }, of: "a{sv}"))
                    })
            ])
        }
        let members: Set = ["ReadValue", "WriteValue", "StartNotify", "StopNotify"]
        program.export("/app/service0/char0", ["org.bluez.GattCharacteristic1": members]) { call in
            let options = call.message.body.last?.properties ?? [:]
            log.lines.append("\(call.message.member ?? "") \(options.keys.sorted())")
            call.reply(call.message.member == "ReadValue" ? [.octets([1, 2, 3])] : [])
        }
        program.call(
            "org.bluez", "/org/bluez/hci0", "org.bluez.GattManager1", "RegisterApplication",
            [.path("/app"), .properties([:])]
        ) {
            log.lines.append("registered \((try? $0.get()) != nil)")
        }
        scheduler.run()
        return program
    }

    @Test func aCentralUsesAnApplication() throws {
        let program = application()
        let application = try #require(bluez.applications.first)
        let characteristic = try #require(application.attribute("2A37"))
        let central = bluez.connectCentral(to: application)
        central.read(characteristic, offset: 2) { log.lines.append("\((try? $0.get())?.body ?? [])") }
        central.write(characteristic, [5]) { log.lines.append("written \((try? $0.get()) != nil)") }
        central.subscribe(characteristic)
        scheduler.run()
        try program.emit(
            .signal(
                characteristic, "org.freedesktop.DBus.Properties", "PropertiesChanged",
                [.string("org.bluez.GattCharacteristic1"), .properties(["Value": .octets([4])]), .array("s", [])]))
        scheduler.run()
        #expect(central.received.map(\.value) == [[4]])
        bluez.dropLink(central.path, .remote)
        scheduler.run()
        #expect(
            log.lines == [
                "registered true", "ReadValue [\"device\", \"link\", \"mtu\", \"offset\"]",
                "WriteValue [\"device\", \"link\", \"mtu\"]", "StartNotify []",
                "[SystemBus.BusValue.octets([1, 2, 3])]",
                "written true", "StopNotify []",
            ])
        program.close()
        scheduler.run()
        #expect(bluez.applications.isEmpty)
    }

    @Test func pairingAsksTheAgentOfTheProgram() throws {
        logSignals()
        let path = try discovered() { $0.pairing = .asks(.confirmation(123_456)) }
        client.export("/agent", ["org.bluez.Agent1": ["RequestConfirmation"]]) { call in
            log.lines.append("asked \(call.message.body.last?.number ?? 0)")
            call.reply()
        }
        call("/org/bluez", "AgentManager1", "RegisterAgent", [.path("/agent"), .string("DisplayYesNo")])
        log.lines = []
        call(path, "Device1", "Pair")
        #expect(log.lines.contains("asked 123456"))
        #expect(log.lines.suffix(3) == ["Bonded", "Paired", "Pair -> []"])
        #expect(bluez.property(path, ScriptedBlueZ.device, "Bonded")?.flag == true)
    }

    @Test func thePowerEndsWhatDependsOnIt() throws {
        logSignals()
        let path = try discovered()
        call(path, "Device1", "Connect")
        log.lines = []
        client.call(
            "org.bluez", "/org/bluez/hci0", "org.freedesktop.DBus.Properties", "Set",
            [.string("org.bluez.Adapter1"), .string("Powered"), .variant(.bool(false))]
        ) { log.lines.append("set \((try? $0.get()) != nil)") }
        scheduler.run(for: .seconds(1))
        #expect(
            log.lines == [
                "PowerState", "set true", "Discovering", "PowerState", "Powered", "ServicesResolved", "Disconnected",
                "Connected",
            ])
        call("/org/bluez/hci0", "Adapter1", "StartDiscovery")
        #expect(log.lines.last == "StartDiscovery -> org.bluez.Error.NotReady: Resource Not Ready")
    }

    @Test func anAdvertisementIsReadFromItsOwner() throws {
        let program = broker.connect()
        program.export("/ad", ["org.freedesktop.DBus.Properties": ["GetAll"]]) { call in
            call.reply([.properties(["Type": .string("peripheral"), "LocalName": .string("lamp")])])
        }
        program.export("/bad", ["org.freedesktop.DBus.Properties": ["GetAll"]]) { $0.reply([.properties([:])]) }
        for path in ["/ad", "/ad", "/bad"] {
            program.call(
                "org.bluez", "/org/bluez/hci0", "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement",
                [.path(path), .properties([:])]
            ) { result in
                if case .failure(let error) = result { log.lines.append("\(error)") } else { log.lines.append(path) }
            }
        }
        scheduler.run()
        #expect(
            log.lines == [
                "org.bluez.Error.AlreadyExists: Already Exists", "/ad",
                "org.bluez.Error.Failed: Failed to parse advertisement.",
            ])
        #expect(bluez.advertisements.map { $0.properties["LocalName"]?.text } == ["lamp"])
        #expect(bluez.property("/org/bluez/hci0", ScriptedBlueZ.advertisingManager, "ActiveInstances")?.number == 1)
        program.close()
        scheduler.run()
        #expect(bluez.advertisements.isEmpty)
    }
}
