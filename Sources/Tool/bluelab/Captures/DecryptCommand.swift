import ArgumentParser
import BLETransport
import BLECrypto
import BLEWire
import Foundation

struct DecryptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt",
        abstract: "Decrypt a recording of the air with long term keys, for Wireshark.",
        discussion: """
            Reads a recording of `bluelab radio --capture` and writes one in which the packets of encrypted connections are plain. A \
            connection is decrypted if the recording contains its start, its encryption requests, and one of the keys fits.

              bluelab decrypt air.pcapng --keys keys.txt --output plain.pcapng

            The file of keys has one long term key in each line: 32 hexadecimal digits, the most significant first. The name - \
            reads standard input. The output is readable by its owner only.
            """)

    @Argument(help: "The recording.")
    var recording: String

    @Option(help: ArgumentHelp("The file with the long term keys, or -.", valueName: "file"))
    var keys: String

    @Option(name: .shortAndLong, help: ArgumentHelp("The file to write.", valueName: "file"))
    var output: String

    func run() throws {
        let keys = try Self.keys(in: String(decoding: try InputFile.octets(self.keys), as: UTF8.self))
        var decryption = AirDecryption(keys: keys, crypto: SwiftCryptoProvider())
        let plain: [UInt8]
        do {
            plain = try decryption.decrypt(try InputFile.octets(recording))
        } catch is AirDecryption.DecryptionError {
            throw ToolError(
                .failed, "\(recording) is not a complete pcapng recording.",
                "Use a recording that bluelab radio --capture has finished.")
        }
        try OutputFile.write(plain, to: output, permissions: 0o600)
        try emit(
            say("\(decryption.decryptedPackets) packets decrypted, \(decryption.undecryptedPackets) without a key."))
    }

    /// The keys, one in each line. The error of a wrong line names its number, because the line itself may be secret.
    static func keys(in text: String) throws -> [LongTermKey] {
        var keys: [LongTermKey] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let digits = line.filter { !$0.isWhitespace }
            guard !digits.isEmpty else { continue }
            guard digits.count == 32, let value = UInt128(digits, radix: 16) else {
                throw ToolError(
                    .usage, "Line \(index + 1) of the keys is not a long term key.",
                    "Write 32 hexadecimal digits in each line, the most significant first.")
            }
            keys.append(LongTermKey(value: value))
        }
        return keys
    }
}
