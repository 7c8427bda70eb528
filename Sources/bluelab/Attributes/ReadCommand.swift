import ArgumentParser
import BLEValues
import CoreBluetooth
import Foundation

struct ReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Read the value of a characteristic.",
        discussion: """
              bluelab read wristband "body sensor location"
              bluelab read wristband 180F/2A19 --format u8

            Without --format the value is decoded by the format of its characteristic.
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var target: DeviceOptions

    @Argument(help: "The characteristic: its UUID, its name, a part of its name, or SERVICE/CHARACTERISTIC.")
    var characteristic: String

    @OptionGroup var format: FormatOption

    func run() async throws {
        options.apply()
        try await CentralClient.run { client in
            let device = try await target.connect(client)
            let found = try await device.characteristic(characteristic)
            let octets = try await client.read(found, of: device.peripheral)
            try emit(ValueRecord(found, octets, format.format).line(asJSON: options.json))
        }
    }
}

/// A value in the output of `read` and `notify`.
struct ValueRecord: Encodable {
    let type: String
    let characteristic: String
    let name: String?
    /// Hexadecimal digits.
    let value: String
    /// The decoded value.
    let text: String
    /// Seconds since the start of the command. Notifications only.
    let time: Double?

    init(_ characteristic: CBCharacteristic, _ octets: [UInt8], _ format: ValueFormat?, time: Duration? = nil) throws {
        type = time == nil ? "value" : "notification"
        self.characteristic = characteristic.uuid.uuidString
        let name = displayName(characteristic.uuid)
        self.name = name == self.characteristic ? nil : name
        value = Hexadecimal.digits(octets)
        self.time = time.map { ($0 / .milliseconds(1)).rounded() / 1000 }
        guard let format else {
            text = ValueText.fitting(octets, of: characteristic.uuid)
            return
        }
        guard let text = format.text(octets) else {
            let expected = format.count.map { octetCount($0) } ?? "UTF-8"
            throw ToolFailure(
                .failed,
                "the value \(Hexadecimal.text(octets)) (\(octetCount(octets.count))) is not \(format.name): expected \(expected)."
            )
        }
        self.text = format == ValueFormat(.utf8) ? ValueText.printable(text) : text
    }

    func line(asJSON isJSON: Bool) -> String { isJSON ? jsonLine(self) : text }
}
