import ArgumentParser
import DeviceFiles
import BLERuntime
import BLEValues
import BLEWire
import CoreBluetooth
import Foundation

struct WriteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Write a value to a characteristic or a descriptor.",
        discussion: """
            The value is hexadecimal unless --format selects another format. The command waits for the device's response if the \
            characteristic supports it. A value that is longer than one packet is written in parts, up to 512 octets.

            Example: bluelab write wristband 5B1D0001 10000 --format u16
            Example: bluelab write lamp FFF1 "01 ff"
            Example: bluelab write clock "current time" "2026-02-28 13:45:00, Saturday, 0, manual" --format sig
            Example: bluelab write board 2A3D --file text.txt
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var target: DeviceOptions

    @Argument(
        help: """
            The characteristic: its UUID, its name, a part of its name, or SERVICE/CHARACTERISTIC; #2 selects the second of several \
            instances. CHARACTERISTIC/DESCRIPTOR names a descriptor.
            """)
    var characteristic: String

    @Argument(help: "The value in the selected format.")
    var value: String?

    @Option(
        help: ArgumentHelp(
            "Write the octets of this file, or of the standard input for -. With --format the file contains text.",
            valueName: "file"))
    var file: String?

    @Flag(help: "Send a Write Command, to which the device sends no response.")
    var withoutResponse = false

    @Flag(help: "Send a Write Request and wait for the device's response.")
    var withResponse = false

    @OptionGroup var format: WriteFormatOption

    func validate() throws {
        try CharacteristicSearch.check([characteristic])
        guard (value == nil) != (file == nil) else {
            throw ValidationError("write takes either a value or --file.")
        }
        if withResponse, withoutResponse {
            throw ValidationError("--with-response and --without-response exclude each other.")
        }
    }

    func run() async throws {
        let content = try content()
        // A value that does not fit is refused before the connection.
        var early: [UInt8]?
        switch content {
        case .octets(let octets): early = octets
        case .text(let text): early = try format.octets(text)
        }
        let known = early
        try options.apply()
        try await CentralClient.run { client in
            let device = try await target.connect(client)
            let attribute = try await device.attributes([characteristic])[0]
            var octets = known ?? []
            if known == nil, case .text(let text) = content { octets = try format.octets(text, for: attribute) ?? [] }
            // Attribute values have at most 512 octets (Vol 3, Part F, 3.2.9).
            guard octets.count <= 512 else {
                throw ToolError(.usage, "a value has at most 512 octets; this one has \(octets.count).")
            }
            let record: WriteRecord
            switch attribute {
            case .characteristic(let found):
                let hasResponse = try await write(octets, to: found, device)
                record = WriteRecord(found, octets, response: hasResponse)
            case .descriptor(let found):
                try await write(octets, to: found, device)
                record = WriteRecord(found, octets)
            }
            if options.json { try emit(jsonLine(record)) }
            printError("wrote \(octetCount(octets.count)) to \(displayName(attribute.uuid))")
        }
    }

    private enum Content: Sendable {
        case octets([UInt8])
        case text(String)
    }

    private func content() throws -> Content {
        guard let file else { return .text(value ?? "") }
        let data = try InputFile.octets(file)
        guard format.format != nil else { return .octets(data) }
        guard var text = String(validating: data, as: UTF8.self) else {
            throw ToolError(
                .usage, "\(file) is not UTF-8 text, as --format expects.", "Try: the same command without --format")
        }
        // Editors and `echo` end a file with a line feed.
        if text.hasSuffix("\n") { text.removeLast() }
        return .text(text)
    }

    /// Writes a characteristic's value. Returns whether the device sent a response.
    @MainActor
    private func write(_ octets: [UInt8], to characteristic: CBCharacteristic, _ device: ConnectedDevice) async throws
        -> Bool
    {
        let (client, peripheral) = (device.client, device.peripheral)
        let properties = characteristic.properties
        let name = displayName(characteristic.uuid)
        let isCommand =
            withoutResponse
            || (!withResponse && !properties.contains(.write) && properties.contains(.writeWithoutResponse))
        guard isCommand else {
            let what = "the write of \(name)"
            try await client.request(
                what, { peripheral.writeValue(Data(octets), for: characteristic, type: .withResponse) }
            ) {
                event in
                guard case .written(let answered, let error) = event, answered === characteristic else { return false }
                try refuse(error, what)
                return true
            }
            return true
        }
        guard properties.contains(.writeWithoutResponse) else {
            throw ToolError(
                .refused, "\(name) does not support writes without response.",
                "Try: the same command without --without-response")
        }
        let limit = peripheral.maximumWriteValueLength(for: .withoutResponse)
        guard octets.count <= limit else {
            throw ToolError(
                .usage,
                "a write without response carries at most \(octetCount(limit)) on this link; this value has \(octets.count).",
                "Try: the same command with --with-response, or bluelab mtu")
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
        guard let readable = all.first(where: { $0.properties.contains(.read) }) else { return false }
        do {
            _ = try await client.read(readable, of: peripheral)
        } catch let failure as ToolError where failure.isRefusal {}
        return false
    }

    @MainActor
    private func write(_ octets: [UInt8], to descriptor: CBDescriptor, _ device: ConnectedDevice) async throws {
        let name = displayName(descriptor.uuid)
        guard descriptor.uuid.shortValue != 0x2902 else {
            throw ToolError(
                .usage, "\(name) is written by a subscription, which ends with the connection.",
                "Try: bluelab notify \(ShellWord.quoted(target.device)) \(descriptor.characteristic?.uuid.uuidString ?? "")"
            )
        }
        if withoutResponse {
            throw ToolError(
                .usage, "a write of a descriptor has a response.", "Try: the same command without --without-response")
        }
        let what = "the write of \(name)"
        try await device.client.request(what, { device.peripheral.writeValue(Data(octets), for: descriptor) }) {
            event in
            guard case .descriptorWritten(let answered, let error) = event, answered === descriptor else {
                return false
            }
            try refuse(error, what)
            return true
        }
    }
}

/// The output of `bluelab write --json`.
struct WriteRecord: Encodable {
    let type = "written"
    let service: String?
    let characteristic: String
    var descriptor: String?
    /// Hexadecimal digits.
    let value: String
    /// Whether the device sent a response.
    let response: Bool

    init(_ characteristic: CBCharacteristic, _ octets: [UInt8], response: Bool = true) {
        service = characteristic.service?.uuid.uuidString
        self.characteristic = characteristic.uuid.uuidString
        value = Hexadecimal.digits(octets)
        self.response = response
    }

    init(_ descriptor: CBDescriptor, _ octets: [UInt8]) {
        service = descriptor.characteristic?.service?.uuid.uuidString
        characteristic = descriptor.characteristic?.uuid.uuidString ?? ""
        self.descriptor = descriptor.uuid.uuidString
        value = Hexadecimal.digits(octets)
        response = true
    }
}
