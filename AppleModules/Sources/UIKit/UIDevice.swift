internal import Crypto
import Foundation

/// The machine.
///
/// The class is bound to the main actor as on Apple's systems. In the language mode 5, other code can use it as well.
@preconcurrency @MainActor open class UIDevice: NSObject {
    /// The machine that runs the program.
    public static let current = UIDevice()

    private override init() {}

    /// The host name.
    open var name: String { ProcessInfo.processInfo.hostName }

    /// "Linux".
    open var systemName: String { "Linux" }

    /// The version of the kernel, for example "6.12.0".
    open var systemVersion: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
    }

    /// The name that the maker of the machine stored in its firmware or device tree, or "Linux".
    open var model: String {
        for path in ["/sys/class/dmi/id/product_name", "/proc/device-tree/model"] {
            // The text in a device tree ends with a zero octet.
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            let name = text.trimmingCharacters(in: .whitespacesAndNewlines.union(.controlCharacters))
            if !name.isEmpty { return name }
        }
        return "Linux"
    }

    /// The same as ``model``: Linux has no translation of it.
    open var localizedModel: String { model }

    /// An identifier of the machine for this program, which is the same in every run; nil if the system has no `/etc/machine-id`.
    ///
    /// The program is known by the bundle identifier in its `Info.plist`, and without one by the name of its file. On Apple's systems, all
    /// programs of a vendor have the same identifier.
    open var identifierForVendor: UUID? {
        guard let machine = try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8) else { return nil }
        return Self.identifier(
            machine: machine.trimmingCharacters(in: .whitespacesAndNewlines),
            program: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName)
    }

    /// Others must not learn the machine's own identifier, so this is a hash of both (RFC 9562, version 8).
    nonisolated static func identifier(machine: String, program: String) -> UUID? {
        guard !machine.isEmpty else { return nil }
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(program.utf8), using: SymmetricKey(data: Data(machine.utf8)))
        var octets = Array(code.prefix(16))
        octets[6] = octets[6] & 0x0F | 0x80
        octets[8] = octets[8] & 0x3F | 0x80
        return octets.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
