import ArgumentParser
import BLEAssignedNumbers
import BLEWire
import CoreBluetooth
import Foundation

/// Finds a characteristic by its UUID, its SIG name or a part of it, or `SERVICE/CHARACTERISTIC`. `#2` after a word selects the second
/// of several instances, such as `180F#2/2A19` or `2A19#2`.
struct CharacteristicSearch {
    let wanted: String

    /// Refuses a word that selects nothing on any device.
    static func check(_ words: [String]) throws {
        guard words.contains(where: { $0.allSatisfy { $0 == "/" || $0.isWhitespace } }) else { return }
        throw ValidationError("a characteristic must be a UUID or a name, such as 2A37 or \"heart rate\".")
    }

    func find(in services: [CBService]) throws -> CBCharacteristic {
        let (found, all) = try matches(in: services)
        if found.count == 1 { return found[0] }
        let list = Self.paths(of: found.isEmpty ? all : found, in: services).joined(separator: ", ")
        throw found.isEmpty
            ? ToolError(
                .notFound, "the device has no characteristic \"\(wanted)\".",
                all.isEmpty ? "It has none." : "It has: \(list).")
            : ToolError(
                .notFound, "\"\(wanted)\" matches several characteristics: \(list).",
                CommandDescription.ofProcess(replacing: wanted, with: Self.path(of: found[0], in: services)).map {
                    "Try: \($0)"
                })
    }

    /// The characteristics that match, and all characteristics of the service.
    private func matches(in services: [CBService]) throws -> (found: [CBCharacteristic], all: [CBCharacteristic]) {
        let every = services.flatMap { $0.characteristics ?? [] }
        // A SIG name may contain a slash.
        let named = every.filter { Self.isExactly($0.uuid, wanted) }
        if !named.isEmpty { return (named, every) }
        let parts = wanted.split(separator: "/", maxSplits: 1).map { InstanceWord(String($0)) }
        guard let last = parts.last else {
            throw ToolError(.usage, "a characteristic must be a UUID or a name, such as 2A37 or \"heart rate\".")
        }
        let groups = parts.count == 2 ? parts[0].select(from: services) { $0.uuid } : services
        let all = groups.flatMap { $0.characteristics ?? [] }
        return (last.select(from: all) { $0.uuid }, all)
    }

    /// The path of each characteristic with its name. `#` numbers those that have the same path.
    private static func paths(of characteristics: [CBCharacteristic], in services: [CBService]) -> [String] {
        characteristics.map { characteristic in
            let name = displayName(characteristic.uuid)
            let path = path(of: characteristic, in: services)
            return name == characteristic.uuid.uuidString ? path : "\(path) (\(name))"
        }
    }

    private static func path(of characteristic: CBCharacteristic, in services: [CBService]) -> String {
        let uuid = characteristic.uuid.uuidString
        let path = characteristic.service.map { "\($0.uuid.uuidString)/\(uuid)" } ?? uuid
        let all: [CBCharacteristic] = services.flatMap { $0.characteristics ?? [] }
        let twins = all.filter { $0.uuid == characteristic.uuid && $0.service?.uuid == characteristic.service?.uuid }
        guard twins.count > 1, let index = twins.firstIndex(where: { $0 === characteristic }) else { return path }
        return "\(path)#\(index + 1)"
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

/// A word with the number of an instance: `2A19#2`.
struct InstanceWord {
    let text: String
    /// 1 for the first instance; nil selects all.
    let number: Int?

    init(_ word: String) {
        guard let mark = word.lastIndex(of: "#"), mark > word.startIndex,
            let number = Int(word[word.index(after: mark)...]), number > 0
        else {
            (text, number) = (word, nil)
            return
        }
        (text, self.number) = (String(word[..<mark]), number)
    }

    /// The attributes that the word names exactly, else those that it fits.
    func select<Attribute>(from all: [Attribute], uuid: (Attribute) -> CBUUID) -> [Attribute] {
        let exact = all.filter { CharacteristicSearch.isExactly(uuid($0), text) }
        let found = exact.isEmpty ? all.filter { CharacteristicSearch.fits(uuid($0), text) } : exact
        guard let number else { return found }
        return found.indices.contains(number - 1) ? [found[number - 1]] : []
    }
}
