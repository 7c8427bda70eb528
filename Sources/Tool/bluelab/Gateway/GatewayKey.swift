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
        return try key(text, in: variable)
    }

    /// The key of a text.
    ///
    /// - Parameter place: The variable or the file of the text, as the start of a sentence.
    static func key(_ text: String, in place: String) throws -> PreSharedKey {
        do throws(PreSharedKey.FormatError) {
            return try PreSharedKey(base64: text)
        } catch {
            throw ToolError(.usage, "\(place) \(error)", "Try: bluelab gateway key --file FILE")
        }
    }

    private static func read(_ path: String) throws -> PreSharedKey {
        let octets = try SecretFile.octets(
            path, "the key", limit: 256, hint: "Try: bluelab gateway key --file FILE")
        return try key(String(decoding: octets ?? [], as: UTF8.self), in: "the text of \(ValueText.printable(path))")
    }

    /// Writes a new file. A file that exists stays.
    static func write(_ key: PreSharedKey, path: String) throws {
        guard !PrivateFile.write("\(key.base64Text)\n", to: path) else { return }
        let exists = errno == EEXIST
        throw ToolError(
            .failed,
            "the key cannot be written: \(ValueText.printable(path)): \(String(cString: strerror(errno))).",
            exists ? "Choose a file that does not exist." : "Choose another folder, or check the file system.")
    }
}
