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
        let name = ValueText.printable(path)
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ToolFailure(
                .failed, "the key cannot be read: \(name): \(String(cString: strerror(errno))).",
                "Try: bluelab gateway key --file FILE")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ToolFailure(.failed, "\(name) is no file.", "Try: bluelab gateway key --file FILE")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw ToolFailure(.security, "other users can read the key in \(name).", "Try: chmod 600 FILE")
        }
        var octets = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(descriptor, &octets, octets.count)
        guard count >= 0, let key = PreSharedKey(base64: String(decoding: octets.prefix(max(0, count)), as: UTF8.self))
        else {
            throw ToolFailure(
                .failed, "\(name) holds no key: a key is 44 characters of base64.",
                "Try: bluelab gateway key --file FILE")
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
