import AdvertisementScanning
import ArgumentParser
import BLEAdapter
import BLEStore
import Foundation

struct NameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "name",
        abstract: "Give a device a name of your own, which every command accepts as the device.",
        discussion: """
            Without a name it prints that of the device, and without a device all names. The store keeps them for the programs of this \
            user. A device that changes its address without being paired is a new device, and has no name then.

            Example: bluelab name 5B1D7A10 kitchen
            Example: bluelab explore kitchen
            Example: bluelab name kitchen --remove
            Example: bluelab name --json
            """)

    @OptionGroup var options: ClientOptions

    @Argument(
        help: "The device: its identifier, its address, its name, or a part of one.",
        completion: .custom { _, _, _ in KnownDevices.words })
    var device: String?

    @Argument(help: "The name of your own.")
    var name: String?

    @Flag(help: "Remove the name of the device.")
    var remove = false

    @Option(shown: "The time limit of the search.", valueName: "seconds", transform: positiveSeconds)
    var timeout: Duration = .seconds(10)

    func validate() throws {
        if device?.isEmpty == true {
            throw ValidationError("the device must be an identifier, an address, a name, or a part of one.")
        }
        if remove, name != nil { throw ValidationError("--remove takes no name.") }
        if remove, device == nil { throw ValidationError("--remove needs the device.") }
    }

    func run() async throws {
        guard let device else { return try list() }
        if let name { _ = try OwnNames.checked(name) }
        if name == nil {
            guard let (identifier, own) = try Self.named(device) else { throw Self.unnamed(device) }
            if remove { try OwnNames.set(nil, of: identifier) }
            return try emit(NameRecord(identifier, remove ? nil : own).line(asJSON: options.json))
        }
        let identifier = try await find(device)
        try OwnNames.set(name, of: identifier)
        try emit(NameRecord(identifier, OwnNames.current[identifier]).line(asJSON: options.json))
    }

    private func list() throws {
        let records = OwnNames.current.sorted.map { NameRecord($0.identifier, $0.name) }
        if records.isEmpty, !options.json {
            printError("No device has a name of your own. Try: bluelab name DEVICE NAME")
        }
        guard !options.json else {
            for record in records { try emit(record.line(asJSON: true)) }
            return
        }
        for line in NameRecord.table(records) { try emit(line) }
    }

    /// The device with an own name that `wanted` selects.
    private static func named(_ wanted: String) throws -> (PeerIdentifier, String)? {
        let names = OwnNames.current
        let search = DeviceQuery(wanted: wanted)
        let known = ProcessStore.shared.knownNames
        let fits = names.sorted.map { entry in
            let others = known[entry.identifier]
            return (
                entry,
                search.fit(name: others?.advertisedName ?? others?.deviceName, identifier: entry.identifier.uuid)
            )
        }
        for fit in [DeviceQuery.Fit.identifier, .name, .part] {
            let found = fits.filter { $0.1 == fit }.map(\.0)
            if found.count == 1 { return (found[0].identifier, found[0].name) }
            guard found.isEmpty else {
                let list = found.prefix(8).map { "\($0.name) \($0.identifier.shortText)" }.joined(separator: ", ")
                throw ToolError(
                    .notFound, "\"\(wanted)\" matches several devices: \(list).",
                    "Try: bluelab name \(found[0].identifier.shortText)")
            }
        }
        return nil
    }

    private static func unnamed(_ wanted: String) -> ToolError {
        ToolError(.notFound, "no device with a name of your own matches \"\(wanted)\".", "Try: bluelab name")
    }

    /// A device that has a name already, an identifier, or a device in range, which need not accept connections.
    private func find(_ wanted: String) async throws -> PeerIdentifier {
        if let identifier = OwnNames.current.identifier(named: wanted)
            ?? UUID(uuidString: wanted).map(PeerIdentifier.init)
        {
            return identifier
        }
        try options.apply()
        var found: PeerIdentifier?
        try await CentralClient.run { client in
            try await client.powerOn(timeout)
            let search = DeviceQuery(wanted: wanted)
            found = try await search.observe(with: client, timeout, for: .seconds(1)) { _ in true }.0.peer
        }
        guard let found else { throw Self.unnamed(wanted) }
        return found
    }
}

/// A device and its own name. Documentation/Schemas/name.json describes it.
struct NameRecord: Encodable {
    let type = "name"
    let identifier: String
    /// Nil after its removal.
    let name: String?

    init(_ identifier: PeerIdentifier, _ name: String?) {
        self.identifier = identifier.uuid.uuidString
        self.name = name
    }

    enum CodingKeys: CodingKey { case type, identifier, name }

    private var shortIdentifier: String { String(identifier.prefix(8)) }

    func line(asJSON isJSON: Bool) -> String {
        if isJSON { return jsonLine(self) }
        return name.map { "\($0)  \(shortIdentifier)" } ?? say("\(shortIdentifier) has no name of your own now.")
    }

    static func table(_ records: [NameRecord]) -> [String] {
        guard !records.isEmpty else { return [] }
        let title = say("NAME")
        let width = max(TextWidth.of(title), records.map { TextWidth.of($0.name ?? "") }.max() ?? 0)
        return ["\(filled(title, width))  ID"]
            + records.map { "\(filled($0.name ?? "", width))  \($0.shortIdentifier)" }
    }
}
