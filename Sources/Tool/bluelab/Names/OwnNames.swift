import AdvertisementScanning
import BLEAdapter
import BLEStore
import CoreBluetooth
import Foundation

/// The names that this user gave to devices, as `bluelab name` keeps them in the store.
enum OwnNames {
    private static let cache = Lock<DeviceNames?>(nil)

    /// Read once. Without a store, or with one that cannot be read, there are none.
    static var current: DeviceNames {
        cache.withLock { names in
            if let names { return names }
            let found = file.flatMap { try? $0.read() } ?? DeviceNames()
            names = found
            return found
        }
    }

    private static var file: DeviceNameFile? { StoreDirectory.standard.map { DeviceNameFile(directory: $0) } }

    /// Names a device, or removes its name. The name is on the disk when this returns.
    static func set(_ name: String?, of identifier: PeerIdentifier) throws {
        let name = try name.map(checked)
        guard let file else {
            throw ToolError(
                .failed, "names are kept in the store, and neither XDG_STATE_HOME nor HOME names a folder.",
                "Try: bluelab doctor")
        }
        do {
            let changed = try file.change { names in
                if let name, let other = names.identifier(named: name), other != identifier {
                    throw ToolError(
                        .usage, "\"\(name)\" is already the name of \(other.shortText).",
                        "Try: bluelab name \(other.shortText) --remove")
                }
                guard name == nil || names.names.count < DeviceNames.limit || names[identifier] != nil else {
                    throw ToolError(
                        .failed, "the store keeps at most \(DeviceNames.limit) names.", "Try: bluelab name")
                }
                names[identifier] = name
                return names
            }
            cache.withLock { $0 = changed }
        } catch let failure as DeviceNameFile.Failure {
            throw ToolError(.failed, "the name cannot be kept: \(failure)", "Try: bluelab doctor")
        }
    }

    /// A name without spaces at its ends.
    ///
    /// - Throws: `usage` for a text that a terminal does not show as it is, or that selects devices by itself.
    static func checked(_ text: String) throws -> String {
        let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !name.isEmpty, name.utf8.count <= DeviceNames.lengthLimit, ValueText.printable(name) == name else {
            throw ToolError(
                .usage, "a name has 1 to \(DeviceNames.lengthLimit) octets of text without control characters.",
                "Try: bluelab name DEVICE kitchen")
        }
        guard UUID(uuidString: name) == nil, AddressDigits.value(name) == nil else {
            throw ToolError(
                .usage, "\"\(name)\" is an identifier or an address, which cannot be a name.",
                "Try: bluelab name DEVICE kitchen")
        }
        return name
    }

    /// The own name of a device, else the name it has.
    static func shown(_ name: String?, of identifier: UUID) -> String? {
        current[PeerIdentifier(identifier)] ?? name
    }
}
