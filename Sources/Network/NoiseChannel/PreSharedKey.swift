import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A pre-shared key: 32 octets that both ends of a channel know.
///
/// Its text is base64, 44 characters, as in the configuration of ESPHome. No description and no dump shows the octets.
package struct PreSharedKey: Sendable, Equatable {
    package static let octetCount = 32

    /// Why a text is no key. The description continues a sentence that names where the text is.
    package enum FormatError: Error, Hashable, Sendable, CustomStringConvertible {
        case malformed
        /// Everybody can guess it, and an empty configuration contains it.
        case zeros

        package var description: String {
            switch self {
            case .malformed: "is no key: a key is 44 characters of base64."
            case .zeros: "is a key of zeros, which protects nothing."
            }
        }
    }

    let key: SymmetricKey

    /// - Returns: nil unless there are 32 octets, and not all of them are 0.
    package init?(octets: [UInt8]) {
        guard octets.count == Self.octetCount, octets.contains(where: { $0 != 0 }) else { return nil }
        key = SymmetricKey(data: octets)
    }

    /// - Parameter text: The key in base64. White space around it is ignored, so that a file may end with a new line.
    package init(base64 text: String) throws(FormatError) {
        // A longer text is no key. The bound keeps a wrong file from being decoded.
        guard text.utf8.count <= 256 else { throw .malformed }
        let text = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        guard let data = Data(base64Encoded: text), data.count == Self.octetCount else { throw .malformed }
        guard let key = PreSharedKey(octets: [UInt8](data)) else { throw .zeros }
        self = key
    }

    /// Creates a key from the random source given.
    package init(using generator: inout some RandomNumberGenerator) {
        key = SymmetricKey(data: (0..<Self.octetCount).map { _ in generator.next() as UInt8 })
    }

    /// The key in base64, for the file that keeps it. Do not log it.
    package var base64Text: String { key.withUnsafeBytes { Data($0).base64EncodedString() } }
}

extension PreSharedKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "PreSharedKey(hidden)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
