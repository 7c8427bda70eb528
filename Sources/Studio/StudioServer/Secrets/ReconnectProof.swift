import Foundation

/// The server's side of the proof with which a page connects again. Neither side sends the key, and the page sends nothing else before the
/// server's proof is right.
///
/// The page begins with `{"again":{"nonce"}}`. The server answers `{"nonce","proof"}`. The page ends with `{"proof"}`. Nonces and proofs are 32
/// octets as hexadecimal digits.
struct ReconnectProof: Sendable {
    enum Outcome: Hashable {
        /// The message for the page. Another one of the page follows.
        case answer(String)
        case proven
        case refused
    }

    private let key: StudioKey
    private let origin: String
    private let serverNonce: String
    private var pageNonce: String?

    /// - Parameter serverNonce: Random, and used once.
    init(key: StudioKey, origin: String, serverNonce: String = RandomDigits.text(octets: StudioKey.octets)) {
        self.key = key
        self.origin = origin
        self.serverNonce = serverNonce
    }

    private struct Message: Decodable {
        struct Again: Decodable { var nonce: String }
        var again: Again?
        var proof: String?
    }

    mutating func receive(_ text: String) -> Outcome {
        guard let message = try? JSONDecoder().decode(Message.self, from: Data(text.utf8)) else { return .refused }
        guard let pageNonce else {
            guard let nonce = message.again?.nonce, RandomDigits.isText(nonce, octets: StudioKey.octets) else {
                return .refused
            }
            pageNonce = nonce
            return .answer(#"{"nonce":"\#(serverNonce)","proof":"\#(proof(of: .server, nonce))"}"#)
        }
        return message.proof?.isEqualInConstantTime(to: proof(of: .page, pageNonce)) == true ? .proven : .refused
    }

    private func proof(of side: StudioKey.Side, _ pageNonce: String) -> String {
        key.proof(of: side, origin: origin, pageNonce: pageNonce, serverNonce: serverNonce)
    }
}
