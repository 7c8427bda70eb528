import ArgumentParser
import BluetoothPairing
import Foundation

struct UnpairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpair",
        abstract: "Delete the keys of a paired device.",
        discussion: """
              bluelab unpair wristband

            The device keeps its keys: delete them there too, or it refuses the next connection.
            """)

    @OptionGroup var options: ClientOptions

    @Argument(help: "The device: its name, its identifier, or a part of either, as `bluelab bonds` lists them.")
    var device: String

    func run() async throws {
        try options.apply()
        try await CentralClient.run { client in
            try await client.powerOn(.seconds(10))
            let pairing = PairingManager()
            let found = try Self.find(device, in: pairing.bonds)
            let start = {
                pairing.unpair(found.identifier) { [weak client] isRemoved in
                    MainActor.assumeIsolated { client?.report(.unpaired(isRemoved)) }
                }
            }
            let isAnswered = try await client.wait(.seconds(10), after: start) { event in
                if case .unpaired = event { return true }
                return false
            }
            guard isAnswered else { throw ToolError(.timeout, "the adapter did not delete the keys within 10 s.") }
            try emit(PairingRecord("unpaired", found.identifier, found.name, nil).line(asJSON: options.json))
        }
    }

    /// The only bond that matches `wanted`; a whole name or identifier has precedence.
    static func find(_ wanted: String, in bonds: [PairedDevice]) throws -> PairedDevice {
        let search = DeviceQuery(wanted: wanted)
        let fits = bonds.map { ($0, search.fit(name: $0.name, identifier: $0.identifier)) }
        let exact = fits.filter { $0.1 == .identifier || $0.1 == .name }
        let found = (exact.isEmpty ? fits.filter { $0.1 == .part } : exact).map(\.0)
        if found.count == 1 { return found[0] }
        let list = (found.isEmpty ? bonds : found).prefix(8).map { bond in
            "\(bond.name.map(ValueText.printable) ?? "(no name)") \(shortened(bond.identifier))"
        }
        throw found.isEmpty
            ? ToolError(
                .notFound, "no paired device matches \"\(wanted)\".",
                bonds.isEmpty ? "No device is paired." : "Paired are: \(list.joined(separator: ", ")).",
                "Try: bluelab bonds")
            : ToolError(
                .notFound, "\"\(wanted)\" matches several devices: \(list.joined(separator: ", ")).",
                "Try: bluelab unpair \(shortened(found[0].identifier))")
    }
}
