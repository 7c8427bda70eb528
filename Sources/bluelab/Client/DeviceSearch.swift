import CoreBluetooth
import Foundation

/// Finds a device by an identifier, a name, or a part of either.
struct DeviceSearch {
    let wanted: String

    enum Fit: Equatable {
        /// The whole identifier.
        case identifier
        /// The whole name.
        case name
        case part
        case none
    }

    /// The quality of a match. Ignores case. A prefix of the identifier matches from four digits on.
    func fit(name: String?, identifier: UUID) -> Fit {
        let wanted = self.wanted.lowercased()
        let identifier = identifier.uuidString.lowercased()
        if identifier == wanted { return .identifier }
        if name?.lowercased() == wanted { return .name }
        if wanted.count >= 4, identifier.hasPrefix(wanted) { return .part }
        return !wanted.isEmpty && name?.lowercased().contains(wanted) == true ? .part : .none
    }

    /// The time for which a search continues after the first partial match, to find others.
    private static let secondLook = Duration.seconds(1)

    /// Searches with a scan, or in the store if `wanted` is a whole identifier.
    @MainActor
    func find(with client: CentralClient, _ limit: Duration) async throws -> CBPeripheral {
        if let identifier = UUID(uuidString: wanted),
            let known = client.manager.retrievePeripherals(withIdentifiers: [identifier]).first
        {
            return known
        }
        let seen = Candidates(self)
        _ = try await client.scan(limit, reportsDuplicates: false) {
            seen.add($0, $1)
            return seen.exact != nil || !seen.named.isEmpty || !seen.partial.isEmpty
        }
        if seen.exact == nil {
            _ = try await client.scan(Self.secondLook, reportsDuplicates: false) {
                seen.add($0, $1)
                return seen.exact != nil
            }
        }
        if let exact = seen.exact { return exact }
        let found = seen.named.isEmpty ? seen.partial : seen.named
        if found.count == 1 { return found[0].peripheral }
        guard found.isEmpty else {
            let list = found.prefix(8).map { "\($0.name ?? "(no name)") \(shortened($0.peripheral.identifier))" }
            let more = found.count > list.count ? " and \(found.count - list.count) more" : ""
            throw ToolFailure(
                .notFound, "\"\(wanted)\" matches several devices: \(list.joined(separator: ", "))\(more).",
                "Try: the whole name, or an identifier such as \(shortened(found[0].peripheral.identifier))")
        }
        let others =
            seen.others.isEmpty
            ? "The scan found no device." : "The scan found: \(seen.others.joined(separator: ", "))."
        throw ToolFailure(
            .notFound, "no device matched \"\(wanted)\" within \(inSeconds(limit)).", others, "Try: bluelab scan")
    }
}

/// The devices that a search found.
@MainActor
private final class Candidates {
    private let search: DeviceSearch
    /// The device with this identifier.
    private(set) var exact: CBPeripheral?
    /// The devices with this name.
    private(set) var named: [(name: String?, peripheral: CBPeripheral)] = []
    private(set) var partial: [(name: String?, peripheral: CBPeripheral)] = []
    /// Names of other devices, for the error message.
    private(set) var others: [String] = []

    init(_ search: DeviceSearch) { self.search = search }

    private static func add(
        _ sighting: Sighting, _ peripheral: CBPeripheral, to list: inout [(name: String?, peripheral: CBPeripheral)]
    ) {
        guard !list.contains(where: { $0.peripheral === peripheral }) else { return }
        list.append((sighting.name.map(ValueText.printable), peripheral))
    }

    func add(_ sighting: Sighting, _ peripheral: CBPeripheral) {
        switch search.fit(name: sighting.name, identifier: sighting.identifier) {
        case .identifier: exact = peripheral
        case .name: Self.add(sighting, peripheral, to: &named)
        case .part: Self.add(sighting, peripheral, to: &partial)
        case .none:
            let name = sighting.name.map(ValueText.printable) ?? shortened(sighting.identifier)
            if !others.contains(name), others.count < 8 { others.append(name) }
        }
    }
}

/// The first eight digits of an identifier. Every command accepts them as the device.
func shortened(_ identifier: UUID) -> String { String(identifier.uuidString.prefix(8)) }
