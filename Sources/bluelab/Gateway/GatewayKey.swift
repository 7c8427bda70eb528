import ArgumentParser
import Foundation
import Glibc
import NoiseChannel

struct GatewayKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Make a key for a gateway and its clients.",
        discussion: """
            Example: bluelab gateway key --file gateway.key
            Example: bluelab gateway key

            The key is 32 random octets in base64, as in the configuration of ESPHome. Home Assistant asks for it when it adds the gateway.
            """)

    @Option(
        help: ArgumentHelp(
            "Write the key to a new file that only its owner can read. Without it the key is printed.",
            valueName: "file"))
    var file: String?

    func run() throws {
        var random = SystemRandomNumberGenerator()
        let key = PreSharedKey(using: &random)
        guard let file else { return try emit(key.base64Text) }
        try GatewayKeyFile.write(key, path: file)
        printError("The key is in \(ValueText.printable(file)).")
    }
}

/// Where keys of gateways are kept.
enum GatewayKeyFile {
    static let variable = "BLUETOOTH_GATEWAY_KEY"

    /// The key of the file, otherwise that of the environment; nil without both.
    static func key(
        path: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> PreSharedKey? {
        if let path { return try read(path) }
        guard let text = environment[variable], !text.isEmpty else { return nil }
        guard let key = PreSharedKey(base64: text) else {
            throw ToolFailure(
                .usage, "\(variable) is no key: a key is 44 characters of base64.", "Try: bluelab gateway key")
        }
        return key
    }

    private static func read(_ path: String) throws -> PreSharedKey {
        let hint = "Try: bluelab gateway key --file FILE"
        guard let octets = try SecretFile.octets(path, "the key", limit: 256, hint: hint),
            let key = PreSharedKey(base64: String(decoding: octets, as: UTF8.self))
        else {
            throw ToolFailure(
                .failed, "\(ValueText.printable(path)) holds no key: a key is 44 characters of base64.", hint)
        }
        return key
    }

    /// Writes a new file. A file that exists stays.
    static func write(_ key: PreSharedKey, path: String) throws {
        guard !PrivateFile.write("\(key.base64Text)\n", to: path) else { return }
        let exists = errno == EEXIST
        throw ToolFailure(
            .failed,
            "the key cannot be written: \(ValueText.printable(path)): \(String(cString: strerror(errno))).",
            exists ? "Choose a file that does not exist." : "Choose another folder, or check the file system.")
    }
}
