import NoiseChannel

/// Why a connection of the API ended.
package enum APIError: Error, Hashable, Sendable {
    /// This end has a key, and the peer speaks without encryption.
    case peerIsNotEncrypted
    /// The peer requires a key, and this end has none.
    case peerRequiresKey
    /// The keys of both ends differ.
    case wrongKey
    /// The server refused the handshake, with its explanation.
    case refused(String)
    /// The server has another name than the client expects.
    case otherName(String)
    /// The first octet of a frame is neither 0 nor 1.
    case otherProtocol
    case frameTooLong(Int)
    /// This end wrote a message that no frame holds.
    case messageTooLong(Int)
    case malformed(ProtobufError)
    /// A step of the handshake or of the greeting came out of order.
    case outOfOrder
    /// The peer speaks a major version that this library does not know.
    case otherVersion(UInt32)
    /// The peer did not finish its greeting in time.
    case greetingTimeout
    /// The peer was silent, and did not answer a ping.
    case silence
    /// The peer did not read what it asked for.
    case backlog
    /// The peer asked to close, or this end did.
    case disconnected
    case noise(NoiseError)
}

extension APIError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .peerIsNotEncrypted: "The peer sends plaintext, and this end requires encryption. Give the peer the key."
        case .peerRequiresKey: "The peer requires encryption. Set its key."
        case .wrongKey: "The key is not that of the peer. Compare the keys of both ends."
        case .refused(let reason): "The peer refused the handshake: \(reason)"
        case .otherName(let name): "The peer's name is \(name)."
        case .otherProtocol: "The peer does not speak ESPHome's native API."
        case .frameTooLong(let count): "The peer announced a frame of \(count) octets, which is too long."
        case .messageTooLong(let count):
            "A message for the peer has \(count) octets, and a frame holds \(NoiseFraming.longestMessage). The connection was closed."
        case .malformed: "The peer sent a malformed message."
        case .outOfOrder: "The peer sent a message before its greeting."
        case .otherVersion(let major): "The peer speaks version \(major) of the API. Only version 1 is known."
        case .greetingTimeout: "The peer did not complete its greeting in time."
        case .silence: "The peer did not answer."
        case .backlog: "The peer does not read."
        case .disconnected: "The connection was closed."
        case .noise(let error): error.description
        }
    }
}
