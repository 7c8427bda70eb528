import ArgumentParser
import BLEValues
import CoreBluetooth
import Foundation

struct WriteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Write a value to a characteristic.",
        discussion: """
              bluelab write wristband 5B1D0001 10000 --format u16
              bluelab write lamp FFF1 "01 ff"
              bluelab write board 2A3D --file text.txt

            The value is hexadecimal unless --format selects another format. The command waits for the device's response if the \
            characteristic supports it.
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var target: DeviceOptions

    @Argument(help: "The characteristic: its UUID, its name, a part of its name, or SERVICE/CHARACTERISTIC.")
    var characteristic: String

    @Argument(help: "The value in the selected format.")
    var value: String?

    @Option(help: ArgumentHelp("Write the content of this file, or of the standard input for -.", valueName: "file"))
    var file: String?

    @Flag(help: "Send a Write Command, to which the device sends no response.")
    var withoutResponse = false

    @OptionGroup var format: FormatOption

    func validate() throws {
        guard (value == nil) != (file == nil) else {
            throw ValidationError("write takes either a value or --file.")
        }
    }

    func run() async throws {
        options.apply()
        let octets = try content()
        try await CentralClient.run { client in
            let device = try await target.connect(client)
            let found = try await device.characteristic(characteristic)
            try await write(octets, to: found, device)
            if options.json { try emit(jsonLine(WriteRecord(found, octets))) }
            printError("wrote \(octetCount(octets.count)) to \(displayName(found.uuid))")
        }
    }

    private func content() throws -> [UInt8] {
        guard let file else {
            do throws(ValueError) {
                return try (format.format ?? ValueFormat(.hexadecimal)).octets(value ?? "")
            } catch {
                throw ToolFailure(.usage, error.description, "Try: bluelab help write")
            }
        }
        do {
            let data =
                file == "-"
                ? FileHandle.standardInput.readDataToEndOfFile() : try Data(contentsOf: URL(fileURLWithPath: file))
            return Array(data)
        } catch {
            throw ToolFailure(.usage, "\(file) cannot be read: \(error.localizedDescription)")
        }
    }

    @MainActor
    private func write(_ octets: [UInt8], to characteristic: CBCharacteristic, _ device: ConnectedDevice) async throws {
        let (client, peripheral) = (device.client, device.peripheral)
        let properties = characteristic.properties
        let isCommand = withoutResponse || (!properties.contains(.write) && properties.contains(.writeWithoutResponse))
        let name = displayName(characteristic.uuid)
        guard isCommand else {
            // Attribute values have at most 512 octets (Vol 3, Part F, 3.2.9).
            guard octets.count <= 512 else {
                throw ToolFailure(.usage, "a value has at most 512 octets; this one has \(octets.count).")
            }
            let what = "the write of \(name)"
            try await client.request(
                what, { peripheral.writeValue(Data(octets), for: characteristic, type: .withResponse) }
            ) {
                event in
                guard case .written(let answered, let error) = event, answered === characteristic else { return false }
                if let error { throw ToolFailure.refusal(of: what, error) }
                return true
            }
            return
        }
        guard properties.contains(.writeWithoutResponse) else {
            throw ToolFailure(
                .refused, "\(name) does not support writes without response.",
                "Try: the same command without --without-response")
        }
        let limit = peripheral.maximumWriteValueLength(for: .withoutResponse)
        guard octets.count <= limit else {
            throw ToolFailure(
                .usage,
                "a write without response carries at most \(limit) octets on this link; this one has \(octets.count).")
        }
        if !peripheral.canSendWriteWithoutResponse {
            try await client.request("the write of \(name)", {}) { event in
                if case .readyForWriteWithoutResponse = event { return true }
                return false
            }
        }
        peripheral.writeValue(Data(octets), for: characteristic, type: .withoutResponse)
        // The response to a later request shows that the value was sent before the link ends.
        let all = (peripheral.services ?? []).flatMap { $0.characteristics ?? [] }
        guard let readable = all.first(where: { $0.properties.contains(.read) }) else { return }
        do {
            _ = try await client.read(readable, of: peripheral)
        } catch let failure as ToolFailure where failure.isRefusal {}
    }
}

/// The output of `bluelab write --json`.
struct WriteRecord: Encodable {
    let type = "written"
    let characteristic: String
    /// Hexadecimal digits.
    let value: String

    init(_ characteristic: CBCharacteristic, _ octets: [UInt8]) {
        self.characteristic = characteristic.uuid.uuidString
        value = Hexadecimal.digits(octets)
    }
}
