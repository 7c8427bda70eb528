import BLEBlueZAdapter
import BLEGatewayAdapter
import ESPHomeAPI
import Foundation
import NoiseChannel
import Testing

@testable import BLERuntime
@testable import BLETransport

/// Each failure names its controller, and ends with a command that fits both.
struct ControllerErrorTests {
    private func failure(
        _ text: String, _ kind: ControllerError.Kind = .unavailable, _ reason: String = "It does not answer."
    ) -> ControllerError {
        ControllerError(ControllerChoice(text, system: SystemBluetooth(root: "/no machine")), kind, reason)
    }

    @Test(arguments: [
        ("serial:/dev/ttyNO@9600", "ls -l /dev/ttyNO"), ("radio:nope", "bluelab radio --name nope"),
        ("radio", "bluelab radio"), ("gateway:nohost", "bluelab gateway list"), ("hci9", "bluelab adapters"),
        ("tcp:127.0.0.1:6402", "bluelab radio --listen tcp:127.0.0.1:6402"),
        ("unix:/tmp/hci", "bluelab radio --listen unix:/tmp/hci"), ("tcp:board.lan:6402", "ping -c 3 board.lan"),
        // What the user wrote is one word of the command.
        ("serial:/dev/tty$(id) x@9600", "ls -l '/dev/tty$(id) x'"),
        ("unix:/tmp/a;id", "bluelab radio --listen 'unix:/tmp/a;id'"), ("tcp:a;id:6402", "ping -c 3 'a;id'"),
    ])
    func aControllerThatIsNotThereIsNamed(text: String, command: String) {
        let failure = failure(text)
        #expect(failure.sentence == "\(text): It does not answer.")
        #expect(failure.command == command)
        #expect(!failure.isOfSpelling)
        #expect(failure.description == "\(text): It does not answer. Try: \(command)")
    }

    @Test func aSpellingIsOneWordOfItsCommand() {
        let failure = ControllerError(unreadable: "UNIX:/a b", .unreadable(spelling: "unix:/a b"), "No.")
        #expect(failure.command == "bluelab doctor --controller 'unix:/a b'")
    }

    @Test func aReasonThatNamesTheControllerIsNotPreceded() {
        #expect(failure("hci9", .unavailable, "There is no hci9.").sentence == "There is no hci9.")
    }

    @Test func theKindDecidesTheCommandOfAnAdapter() {
        #expect(failure("hci0", .blocked).command == "sudo rfkill unblock bluetooth")
        #expect(failure("hci0", .notPermitted).command.hasPrefix("sudo setcap "))
        // The privilege is of no use elsewhere.
        #expect(failure("gateway:hall", .notPermitted).command == "bluelab gateway list")
    }

    /// A machine with a process of this name.
    private func machine(running name: String) throws -> SystemBluetooth {
        let root = FileManager.default.temporaryDirectory.appending(path: "machine-\(UUID())")
        for folder in ["proc/7", "sys/class/bluetooth/hci0"] {
            try FileManager.default.createDirectory(at: root.appending(path: folder), withIntermediateDirectories: true)
        }
        try "\(name)\n".write(to: root.appending(path: "proc/7/comm"), atomically: true, encoding: .utf8)
        return SystemBluetooth(root: root.path)
    }

    @Test func bluetoothdIsNamedBeforeTheRights() throws {
        let daemon = try machine(running: "bluetoothd")
        let other = try machine(running: "dbus-daemon")
        defer { for machine in [daemon, other] { try? FileManager.default.removeItem(atPath: machine.root) } }
        let command = ControllerError.command(.adapter(1), .notPermitted, system: daemon)
        #expect(command == "export BLUETOOTH_CONTROLLER=bluez:hci1")
        #expect(ControllerError.command(.adapter(1), .notPermitted, system: other).hasPrefix("sudo setcap "))
        // Without a choice, programs use bluetoothd where it runs.
        #expect(ControllerChoice(nil, system: daemon).description == "bluez")
        #expect(ControllerChoice("", system: other).description == "hci0")
    }

    @Test(arguments: [("bluez", "bluez"), ("bluez:hci1", "bluez:hci1"), ("bluez:hci01", "bluez:hci1")])
    func adaptersOfBluetoothdAreChosen(text: String, description: String) {
        let choice = ControllerChoice(text, system: SystemBluetooth(root: "/no machine"))
        guard case .bluez = choice else {
            Issue.record("\(text) selects \(choice)")
            return
        }
        #expect(choice.description == description)
    }

    @Test func aRecordingNeedsTheControllerItself() {
        #expect(
            ProcessAdapter.captureNotice(.bluez("hci1"), path: "/tmp/a b")
                == "BLUETOOTH_CAPTURE has no effect with bluez:hci1: bluetoothd has the packets. Try: sudo btmon --write '/tmp/a b'"
        )
        #expect(ProcessAdapter.captureNotice(.bluez(nil), path: "") == nil)
        #expect(ProcessAdapter.captureNotice(.bluez(nil), path: nil) == nil)
        #expect(ProcessAdapter.captureNotice(.virtual, path: "/tmp/a") == nil)
    }

    @Test(arguments: [
        "bluez:", "bluez:hci", "bluez:HCI0", "bluez:hci70000", "bluez:usb", "bluez:virtual", "bluez:hci0 ",
    ])
    func aNameThatBluetoothdDoesNotHaveIsAMatterOfSpelling(text: String) {
        guard case .none(let failure) = ControllerChoice(text) else {
            Issue.record("\(text) was taken for a controller")
            return
        }
        #expect(
            failure.sentence
                == "\"\(text)\" names no adapter of bluetoothd. Write bluez for the first one, or bluez:hci1 for another one."
        )
        #expect(failure.command == "bluelab help adapters" && failure.isOfSpelling)
    }

    @Test(arguments: [
        (BlueZError.notRunning("ServiceUnknown"), "sudo systemctl start bluetooth"),
        (.noAdapter("hci9"), "bluelab adapters"),
        (.off("hci0"), "bluetoothctl power on"), (.silent, "sudo systemctl restart bluetooth"),
        (.blocked("hci0", isHard: false), "sudo rfkill unblock bluetooth"),
        (.bus(.noBus("unix:path=/no", "No such file or directory")), "systemctl status dbus"),
        (.bus(.unreadableAddress("tcp:host=x")), "unset DBUS_SYSTEM_BUS_ADDRESS"),
    ])
    func aFailureOfBluetoothdHasItsCommand(failure: BlueZError, command: String) {
        let error = ControllerError(.bluez(nil), failure)
        #expect(error.command == command)
        #expect(error.sentence.hasSuffix("."), "\(error.sentence)")
        #expect(!error.isOfSpelling)
    }

    @Test(arguments: [
        (
            APIError.wrongKey,
            "gateway:hall.lan:7000 has another key: set BLUETOOTH_GATEWAY_KEY to the key of the gateway.",
            "export BLUETOOTH_GATEWAY_KEY=$(cat gateway.key)"
        ),
        (
            .peerRequiresKey,
            "gateway:hall.lan:7000 requires a key: set BLUETOOTH_GATEWAY_KEY to the key of the gateway.",
            "export BLUETOOTH_GATEWAY_KEY=$(cat gateway.key)"
        ),
        (
            .peerIsNotEncrypted,
            "gateway:hall.lan:7000 has no key: unset BLUETOOTH_GATEWAY_KEY, or give the gateway the key.",
            "unset BLUETOOTH_GATEWAY_KEY"
        ),
    ])
    func aKeyThatDoesNotFitIsNamedWithItsVariable(reason: APIError, sentence: String, command: String) throws {
        let place = try #require(GatewayAddress("hall.lan:7000"))
        let failure = ControllerError(gateway: place, .conversation(reason))
        #expect(failure.sentence == sentence)
        #expect(failure.command == command)
    }

    @Test func aKeyThatIsNoneIsAMatterOfSpelling() throws {
        let failure = ControllerError(gateway: try #require(GatewayAddress("hall")), PreSharedKey.FormatError.zeros)
        #expect(
            failure.sentence
                == "BLUETOOTH_GATEWAY_KEY, the key for gateway:hall, is a key of zeros, which protects nothing.")
        #expect(failure.isOfSpelling)
    }

    @Test(arguments: [
        "hci3", "tcp:[::1]:6402", "unix:/tmp/hci", "serial:/dev/ttyACM0@1000000", "radio", "radio:lab", "virtual",
        "gateway",
        "gateway:hall", "gateway:hall.local:7000", "gateway:[::1]", "gateway:[::1]:6053",
    ])
    func aChoiceIsDescribedAsItIsWritten(text: String) { #expect("\(ControllerChoice(text))" == text) }
}
