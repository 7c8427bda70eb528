import ArgumentParser
import BluetoothPairing
import Foundation

struct BondsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bonds",
        abstract: "List the paired devices.",
        discussion: """
              bluelab bonds
              bluelab bonds --json

            The programs of a user share the bonds. With bluez they are those of bluetoothd, which all programs of the machine share. \
            `bluelab unpair` removes one.
            """)

    @OptionGroup var options: ClientOptions

    func run() async throws {
        try options.apply()
        try await CentralClient.run { client in
            try await client.powerOn(.seconds(10))
            let records = PairingManager().bonds.map { PairingRecord($0) }
            guard !options.json else {
                for record in records { try emit(record.line(asJSON: true)) }
                return
            }
            guard !records.isEmpty else {
                printError("No device is paired. Try: bluelab pair DEVICE")
                return
            }
            for line in Self.table(records) { try emit(line) }
        }
    }

    static func table(_ records: [PairingRecord]) -> [String] {
        let names = records.map { $0.shownName }
        let title = say("NAME")
        let width = max(TextWidth.of(title), names.map { TextWidth.of($0) }.max() ?? 0)
        let rows = zip(names, records).map { name, record in
            "\(filled(name, width))  \(record.shortIdentifier)  \(record.protection)"
        }
        return ["\(filled(title, width))  ID        \(say("PROTECTION"))"] + rows
    }
}
