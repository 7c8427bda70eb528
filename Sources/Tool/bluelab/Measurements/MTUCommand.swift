import ArgumentParser
import CoreBluetooth

struct MTUCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mtu",
        abstract: "Show the ATT_MTU of a connection and the sizes that follow from it.",
        discussion: """
            The ATT_MTU is the size of the largest packet of the Attribute Protocol on this link. Both devices exchange their limits after \
            the connection, and the smaller one applies. A write without response and a notification have a header of 3 octets. A longer \
            write with response is sent in parts, up to 512 octets.

            Example: bluelab mtu wristband
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var target: DeviceOptions

    func run() async throws {
        try options.apply()
        try await CentralClient.run { client in
            let device = try await target.connect(client)
            // The exchange precedes the discovery, so its result is known after it.
            let what = "the discovery of services"
            try await client.request(what, { device.peripheral.discoverServices(nil) }) { event in
                guard case .services(let error) = event else { return false }
                try refuse(error, what)
                return true
            }
            let record = MTURecord(device.peripheral)
            guard !options.json else { return try emit(jsonLine(record)) }
            let inOnePacket = record.writeWithoutResponse
            for (name, count, meaning) in [
                ("ATT_MTU", record.mtu, "the largest packet of the Attribute Protocol"),
                ("write with response", record.writeWithResponse, "above \(inOnePacket) octets in several packets"),
                ("write without response", inOnePacket, "in one packet: ATT_MTU - 3"),
                ("notification", record.notification, "in one packet: ATT_MTU - 3"),
            ] {
                try emit("\(filled(say(name), 24))\(padded("\(count)", 4)) \(say("octets"))  \(say(meaning))")
            }
        }
    }
}

/// The output of `bluelab mtu --json`.
struct MTURecord: Encodable {
    let type = "mtu"
    let identifier: String
    let name: String?
    let mtu: Int
    let writeWithResponse: Int
    let writeWithoutResponse: Int
    let notification: Int

    init(_ peripheral: CBPeripheral) {
        identifier = peripheral.identifier.uuidString
        name = peripheral.name
        writeWithResponse = peripheral.maximumWriteValueLength(for: .withResponse)
        writeWithoutResponse = peripheral.maximumWriteValueLength(for: .withoutResponse)
        // The header of a Write Command and of a Handle Value Notification: opcode and handle (Vol 3, Part F, 3.4.5.3 and 3.4.7.1).
        mtu = writeWithoutResponse + 3
        notification = mtu - 3
    }
}
