import BluetoothPairing
import CoreBluetooth

/// One pairing or reconnection. Interop/pairing_plan.py defines the cases; both sides read them from the file that
/// INTEROP_CASES names.
struct PairingCase: Decodable {
    /// The action after the connection.
    enum Start: String, Decodable {
        /// Pairs by a call. As peripheral, this requests a pairing of the central.
        case pair
        /// Reads the protected value, which pairs.
        case read
        /// Waits for the end of the pairing that the other device begins or requests.
        case wait
        /// Expects a link that the keys of the bond encrypt.
        case bond
        /// Expects no pairing.
        case nothing
    }

    let number: Int
    let title: String
    let capability: String
    let start: Start
    let minimum: String
    /// The passkey to enter; nil: the one that the other device displays.
    let digits: String?
    let confirms: Bool
    let consents: Bool
    /// Whether to delete all bonds before the case.
    let forgets: Bool
    /// The result of the pairing, or the error.
    let expects: String
    /// Cases with equal names have the same peer, which keeps its identifier.
    let peer: String?
    /// Whether the central tells by files when it scans and when the link has ended.
    let signals: Bool
    /// The devices that transfer out-of-band data; `key`: this one transfers a temporary key of legacy pairing.
    let outOfBand: OutOfBandSource?

    enum OutOfBandSource: String, Decodable { case ours, theirs, both, key }

    var name: String { "pair-\(number)" }

    /// The cases of this process, by their numbers in the arguments.
    static func all() throws -> [PairingCase] {
        let path = ProcessInfo.processInfo.environment["INTEROP_CASES"] ?? ""
        let cases = try JSONDecoder().decode([PairingCase].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        return CommandLine.arguments.dropFirst(2).compactMap { word in cases.first { $0.number == Int(word) } }
    }
}

enum PairingPlan {
    static var service: CBUUID { CBUUID(string: "7E570020-0C0B-4B1E-8000-0123456789AB") }
    /// Read.
    static var hello: CBUUID { CBUUID(string: "7E570021-0C0B-4B1E-8000-0123456789AB") }
    /// Read, requires encryption.
    static var secret: CBUUID { CBUUID(string: "7E570022-0C0B-4B1E-8000-0123456789AB") }
    /// Write: the central has completed the case.
    static var done: CBUUID { CBUUID(string: "7E570023-0C0B-4B1E-8000-0123456789AB") }

    static let secretValue = Data("secret".utf8)
    static let helloValue = Data("hello".utf8)

    static func text(_ result: Result<PairingSecurity, PairingError>) -> String {
        switch result {
        case .success(let security):
            "\(security.level), \(security.usesSecureConnections ? "Secure Connections" : "legacy")"
        case .failure(let error): "\(error.code)"
        }
    }

    static func level(_ name: String) -> PairingSecurity.Level {
        switch name {
        case "authenticated": .authenticated
        case "secureConnections": .secureConnections
        default: .encrypted
        }
    }
}

/// Files by which the two sides of a run exchange what their users see.
enum PairingFiles {
    static let directory = URL(fileURLWithPath: ProcessInfo.processInfo.environment["INTEROP_DIRECTORY"] ?? "/tmp")

    /// Whether the other side is another of these programs, and this one takes the place of the other stack.
    private static let isSwapped = ProcessInfo.processInfo.environment["INTEROP_SWAPPED"] != nil

    /// The file with the digits that this side shows in a case.
    static func own(_ number: Int) -> String { "digits-\(number)-\(isSwapped ? "theirs" : "ours")" }
    static func others(_ number: Int) -> String { "digits-\(number)-\(isSwapped ? "ours" : "theirs")" }

    static func share(_ text: String, as name: String) {
        let file = directory.appendingPathComponent(name)
        try? Data(text.utf8).write(to: file, options: .atomic)
        // The other side may be another user's.
        try? FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    }

    static func content(of name: String) -> String? {
        (try? Data(contentsOf: directory.appendingPathComponent(name))).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with the content of a file as soon as it exists.
    @MainActor static func await(_ name: String, _ body: @escaping @MainActor (String) -> Void) {
        if let text = content(of: name) { return body(text) }
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.05) { MainActor.assumeIsolated { Self.await(name, body) } }
    }
}
