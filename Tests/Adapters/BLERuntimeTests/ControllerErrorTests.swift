import BLEGatewayAdapter
import BLETransport
import ESPHomeAPI
import NoiseChannel
import Testing

@testable import BLERuntime

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
