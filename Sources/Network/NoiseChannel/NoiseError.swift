/// Why a handshake or a message failed.
package enum NoiseError: Error, Equatable, Sendable {
    /// A message is shorter than its keys and tags.
    case truncated
    /// A message is longer than 65,535 octets (Noise Protocol Framework, section 3).
    case tooLong
    /// The authentication tag is wrong: another key, a changed message, or a message that was received before.
    case authentication
    /// The peer's public key gives a shared secret of zeros.
    case invalidPublicKey
    /// The call does not belong to this step of the handshake.
    case outOfOrder
    /// 2^64 - 1 messages left or arrived with this key. The channel must end.
    case nonceExhausted
}

extension NoiseError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .truncated: "The message is too short."
        case .tooLong: "The message is longer than 65,535 octets."
        case .authentication: "The message does not authenticate. Compare the keys of both ends."
        case .invalidPublicKey: "The peer's public key is invalid."
        case .outOfOrder: "The handshake expects another step."
        case .nonceExhausted: "The channel has used all its nonces. Connect again."
        }
    }
}
