import BLEAssignedNumbers
import BLEWire
import CoreBluetooth
import Foundation

/// A connected device.
@MainActor
struct ConnectedDevice {
    let client: CentralClient
    let peripheral: CBPeripheral
    /// What the search received of the device; nil if the store knew it.
    var seen: SeenDevice?

    /// Discovers the characteristics and finds the one that matches `wanted`.
    func characteristic(_ wanted: String) async throws -> CBCharacteristic {
        let services = try await client.discoverAll(of: peripheral, descriptors: false)
        return try CharacteristicSearch(wanted: wanted).find(in: services)
    }
}

/// Finds a characteristic by its UUID, its SIG name or a part of it, or `SERVICE/CHARACTERISTIC`.
struct CharacteristicSearch {
    let wanted: String

    func find(in services: [CBService]) throws -> CBCharacteristic {
        let parts = wanted.split(separator: "/", maxSplits: 1).map(String.init)
        guard let last = parts.last else {
            throw ToolFailure(.usage, "a characteristic must be a UUID or a name, such as 2A37 or \"heart rate\".")
        }
        let groups = parts.count == 2 ? services.filter { Self.fits($0.uuid, parts[0]) } : services
        let all = groups.flatMap { $0.characteristics ?? [] }
        let exact = all.filter { Self.isExactly($0.uuid, last) }
        let found = exact.isEmpty ? all.filter { Self.fits($0.uuid, last) } : exact
        if found.count == 1 { return found[0] }
        let list = (found.isEmpty ? all : found).map { path($0) }.joined(separator: ", ")
        throw found.isEmpty
            ? ToolFailure(
                .notFound, "the device has no characteristic \"\(wanted)\".",
                all.isEmpty ? "It has none." : "It has: \(list).")
            : ToolFailure(.notFound, "\"\(wanted)\" matches several characteristics: \(list).")
    }

    private func path(_ characteristic: CBCharacteristic) -> String {
        let name = displayName(characteristic.uuid)
        let uuid = characteristic.uuid.uuidString
        let path = characteristic.service.map { "\($0.uuid.uuidString)/\(uuid)" } ?? uuid
        return name == uuid ? path : "\(path) (\(name))"
    }

    static func isExactly(_ uuid: CBUUID, _ wanted: String) -> Bool {
        let wanted = wanted.lowercased()
        if displayName(uuid).lowercased() == wanted { return true }
        var digits = wanted.hasPrefix("0x") ? String(wanted.dropFirst(2)) : wanted
        // The long form of a SIG UUID (Vol 3, Part B, 2.5.1).
        if digits.hasPrefix("0000"), digits.hasSuffix("-0000-1000-8000-00805f9b34fb") {
            digits = String(digits.dropFirst(4).prefix(4))
        }
        return uuid.uuidString.lowercased() == digits
    }

    static func fits(_ uuid: CBUUID, _ wanted: String) -> Bool {
        isExactly(uuid, wanted) || displayName(uuid).lowercased().contains(wanted.lowercased())
            || (wanted.count >= 4 && uuid.uuidString.lowercased().hasPrefix(wanted.lowercased()))
    }
}
