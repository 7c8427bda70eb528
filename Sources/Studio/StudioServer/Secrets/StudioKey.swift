import BLEWire
import Crypto
import Foundation

/// The secret with which an open page and the studio recognise each other after the connection was lost, also in a later run: 256 random bits.
///
/// A page receives the key over a connection that showed the token, and never sends it.
package struct StudioKey: Hashable, Sendable {
    /// The length of a key, of a nonce and of a proof.
    static let octets = 32

    /// Hexadecimal digits.
    package let text: String

    /// A new key.
    package init() { text = RandomDigits.text(octets: Self.octets) }

    /// A key that was kept; nil if the text is none.
    package init?(kept text: some StringProtocol) {
        guard RandomDigits.isText(text, octets: Self.octets) else { return nil }
        self.text = String(text)
    }

    enum Side: String {
        case server, page
    }

    /// What one side sends to prove that it has the key: HMAC-SHA256 over the side, the origin of the page and both nonces.
    ///
    /// The origin makes a proof useless at another address: a program that took the page's address cannot pass messages on to a studio that
    /// listens elsewhere.
    func proof(of side: Side, origin: String, pageNonce: String, serverNonce: String) -> String {
        let text = [side.rawValue, origin, pageNonce, serverNonce].joined(separator: "\n")
        let key = SymmetricKey(data: Data(self.text.utf8))
        return Hexadecimal.digits(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))
    }
}
