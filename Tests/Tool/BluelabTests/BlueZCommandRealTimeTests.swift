import BLETransport
import BlueZBench
import BusBench
import Dispatch
import Foundation
import SystemBus
import Testing

/// The built tool against the double of bluetoothd over a `dbus-daemon` (package dbus), as a person runs it.
@Suite(.serialized, .timeLimit(.minutes(10))) final class BlueZCommandRealTimeTests {
    private let bench: Bench

    init() throws { bench = try Bench() }

    deinit { bench.end() }

    @Test func aDeviceOfBluetoothdIsFoundAndExplored() {
        let scan = bench.run("scan", "--count", "1")
        #expect(scan.code == 0 && scan.output.contains("Lamp") && scan.output.contains("Heart Rate"), "\(scan)")
        let explore = bench.run("explore", "lamp")
        #expect(explore.code == 0, "\(explore)")
        let head = explore.output.split(separator: "\n").first ?? ""
        // bluetoothd does not tell the properties of a link.
        #expect(head.hasPrefix("Lamp") && head.hasSuffix("MTU 517"))
        #expect(explore.output.contains("Body Sensor Location 2A38") && explore.output.contains("Wrist\n"))
        #expect(bench.run("read", "lamp", "2A38").output == "Wrist\n")
        #expect(bench.run("explore", "C0:00:00:00:00:01", "--no-values").code == 0)
        let json = bench.run("explore", "lamp", "--json").output.split(separator: "\n").first ?? ""
        #expect(json.contains(#""mtu":517"#) && !json.contains("encrypted"))
    }

    /// bluetoothd tells neither the keys of a bond nor the signal strength of a link.
    @Test func whatIsNotKnownIsNotInvented() {
        let pair = bench.run("pair", "lamp", "--yes")
        #expect(pair.code == 0 && pair.output.hasSuffix("  encrypted, keys not known\n"), "\(pair)")
        let bonds = bench.run("bonds", "--json")
        #expect(bonds.output.contains(#""security":"encrypted""#) && !bonds.output.contains("keySize"), "\(bonds)")
        #expect(bench.run("unpair", "lamp").code == 0)
        let rssi = bench.run("rssi", "lamp")
        #expect(rssi.code == 1 && rssi.output.isEmpty, "\(rssi)")
        #expect(
            rssi.errors.contains("bluelab: the controller bluez does not tell the signal strength of connections.\n"))
        #expect(rssi.errors.hasSuffix("Try: bluelab scan --name Lamp\n"))
    }

    @Test func theDoctorFindsTheAdapter() {
        let doctor = bench.run("doctor", "--controller", "bluez:hci0")
        #expect(doctor.code == 0, "\(doctor)")
        #expect(
            doctor.output.contains("ok       BLUETOOTH_CONTROLLER is bluez:hci0: programs use hci0 of bluetoothd.\n"))
        #expect(doctor.output.contains("ok       bluez fits this machine: "))
        bench.switchOff()
        let off = bench.run("doctor")
        #expect(off.code == 3 && off.errors.hasSuffix("Try: bluetoothctl power on\n"), "\(off)")
    }

    @Test(
        arguments: [
            ("bluez:", 2, "Try: bluelab help adapters"), ("bluez:hci", 2, "Try: bluelab help adapters"),
            ("BLUEZ", 2, "Try: bluelab doctor --controller bluez"), ("bluez:hci99", 3, "Try: bluelab adapters"),
        ] as [(String, Int32, String)])
    func aNameThatIsNoneHasItsCommand(name: String, code: Int32, command: String) {
        let scan = bench.run("scan", "--controller", name)
        #expect(scan.code == code && scan.output.isEmpty, "\(scan)")
        #expect(scan.errors.split(separator: "\n").last.map(String.init) == command, "\(scan)")
    }

    @Test(arguments: ["scan", "explore lamp", "read lamp 2A38", "beacon watch", "rssi lamp"])
    func withoutABusEachCommandSaysSo(command: String) {
        let run = bench.run(command.split(separator: " ").map(String.init), bus: "unix:path=/nonexistent")
        #expect(run.code == 3, "\(run)")
        #expect(
            run.errors.hasPrefix(
                "bluelab: bluetoothd cannot be reached: there is no system bus at /nonexistent"))
        #expect(run.errors.hasSuffix("Try: systemctl status dbus\n"))
    }

    @Test func aTransferThatWaitsSaysWhyItDoesNotBegin() throws {
        bench.switchOff()
        let transfer = try bench.begin("transfer", "receive")
        #expect(transfer.readErrorLine()?.hasPrefix("waiting for a sender") == true)
        #expect(transfer.readErrorLine() == "The adapter hci0 is switched off. Try: bluetoothctl power on")
        transfer.interrupt()
        #expect(transfer.finish().code == 130)
    }

    @Test func anInterruptionEndsAScan() throws {
        let scan = try bench.begin("scan", "--json")
        #expect(scan.readLine() != nil)
        scan.interrupt()
        let result = scan.finish()
        #expect(result.code == 0 || result.code == 130, "\(result)")
    }
}

/// bluetoothd with an adapter, and a lamp that advertises while a program scans.
private final class Bench {
    private let daemon: PrivateBus
    private let bluez: ScriptedBlueZ
    private let queue = DispatchQueue(label: "bluetoothd")
    private let timer: any DispatchSourceTimer
    private let directory: URL
    private let products: URL

    init() throws {
        let daemon = try PrivateBus()
        let queue = queue
        self.daemon = daemon
        bluez = ScriptedBlueZ(QueueScheduler(queue)) { BusConnection(to: [daemon.address], queue: queue) }
        timer = DispatchSource.makeTimerSource(queue: queue)
        directory = FileManager.default.temporaryDirectory.appending(path: "bluez-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        queue.sync { [bluez] in
            bluez.addAdapter()
            bluez.start()
        }
        timer.schedule(deadline: .now(), repeating: .milliseconds(100))
        timer.setEventHandler { [bluez, lamp = Self.lamp] in bluez.advertise(lamp) }
        timer.activate()
    }

    private static var lamp: ScriptedDevice {
        var lamp = ScriptedDevice("C0:00:00:00:00:01", name: "Lamp")
        lamp.uuids = ["0000180d-0000-1000-8000-00805f9b34fb"]
        lamp.services = [
            ScriptedService(
                "0000180d-0000-1000-8000-00805f9b34fb",
                [
                    ScriptedCharacteristic("00002a37-0000-1000-8000-00805f9b34fb", ["notify"], [0, 72]),
                    ScriptedCharacteristic("00002a38-0000-1000-8000-00805f9b34fb", ["read"], [2]),
                ])
        ]
        return lamp
    }

    func end() {
        timer.cancel()
        queue.sync { bluez.end() }
        daemon.kill()
        try? FileManager.default.removeItem(at: directory)
    }

    func switchOff() {
        queue.sync {
            bluez.set(
                "/org/bluez/hci0", ScriptedBlueZ.adapter, ["Powered": .bool(false), "PowerState": .string("off")])
        }
    }

    private func process(_ arguments: [String], _ bus: String?) -> Process {
        let process = Process()
        process.executableURL = products.appendingPathComponent("bluelab")
        process.arguments = arguments
        let own = [
            "BLUETOOTH_CONTROLLER": "bluez", "DBUS_SYSTEM_BUS_ADDRESS": bus ?? "unix:path=\(daemon.address)",
            "XDG_RUNTIME_DIR": directory.path, "XDG_STATE_HOME": directory.path, "LC_ALL": "C.UTF-8",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }
        return process
    }

    /// Starts a command of the tool.
    func begin(_ arguments: String...) throws -> RunningTool {
        let process = process(arguments, nil)
        let tool = RunningTool(process)
        try process.run()
        return tool
    }

    /// Runs a command of the tool to its end.
    func run(_ arguments: String...) -> (output: String, errors: String, code: Int32) { run(arguments, bus: nil) }

    func run(_ arguments: [String], bus: String?) -> (output: String, errors: String, code: Int32) {
        let process = process(arguments, bus)
        let tool = RunningTool(process)
        do {
            try process.run()
        } catch {
            Issue.record("bluelab cannot be run: \(error)")
            return ("", "", -1)
        }
        return tool.finish()
    }
}
