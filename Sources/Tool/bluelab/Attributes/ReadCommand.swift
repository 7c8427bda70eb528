import ArgumentParser
import BLEValues
import CoreBluetooth
import Foundation

struct ReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Read values of characteristics and descriptors.",
        discussion: """
            Without --format a value is decoded by the format of its characteristic. Several values are printed with their names.

            Example: bluelab read wristband "body sensor location"
            Example: bluelab read wristband 180F/2A19 --format u8
            Example: bluelab read sensor 2A6E 2A6F 180F#2/2A19 --json
            Example: bluelab read wristband 2A37/2901
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var target: DeviceOptions

    @Argument(
        help: """
            The characteristics: a UUID, a name, a part of a name, or SERVICE/CHARACTERISTIC; #2 selects the second of several \
            instances, as in 2A19#2. CHARACTERISTIC/DESCRIPTOR names a descriptor.
            """)
    var characteristics: [String]

    @OptionGroup var format: FormatOption

    func validate() throws { try CharacteristicSearch.check(characteristics) }

    func run() async throws {
        try options.apply()
        try await CentralClient.run { client in
            let device = try await target.connect(client)
            let attributes = try await device.attributes(characteristics)
            var firstFailure: ToolError?
            let width = attributes.map { displayName($0.uuid).count }.max() ?? 0
            for attribute in attributes {
                do {
                    let record = try await read(attribute, device)
                    let isAlone = attributes.count == 1
                    let line = isAlone ? record.text : filled(record.title, width) + "  " + record.text
                    try emit(options.json ? jsonLine(record) : line)
                } catch let failure as ToolError where failure.isRefusal && attributes.count > 1 {
                    // The other values are still of use. The first failure ends the command.
                    if let first = firstFailure { printError(ValueText.printable("bluelab: \(first.lines[0])")) }
                    firstFailure = failure
                }
            }
            if let firstFailure { throw firstFailure }
        }
    }

    @MainActor
    private func read(_ attribute: FoundAttribute, _ device: ConnectedDevice) async throws -> ValueRecord {
        switch attribute {
        case .characteristic(let characteristic):
            let octets = try await device.client.read(characteristic, of: device.peripheral)
            return try ValueRecord(characteristic, octets, format.format)
        case .descriptor(let descriptor):
            try await device.client.read(descriptor, of: device.peripheral)
            return try ValueRecord(descriptor, format.format)
        }
    }
}
