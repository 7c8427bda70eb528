import Crypto
import Foundation
import LocalHTTP

/// Frames of the server (RFC 6455, 5.2): whole messages without a mask.
enum WebSocketFrame {
    static func text(_ text: String) -> [UInt8] { frame(1, Array(text.utf8)) }

    static func pong(_ payload: [UInt8]) -> [UInt8] { frame(10, payload) }

    /// - Parameter reason: A text of at most 123 octets.
    static func close(_ code: UInt16, reason: String = "") -> [UInt8] {
        frame(8, [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)] + Array(reason.utf8))
    }

    private static func frame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(payload.count + 10)
        octets.append(0x80 | opcode)
        switch payload.count {
        case ..<126: octets.append(UInt8(payload.count))
        case ..<65_536:
            octets += [126, UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)]
        default:
            octets.append(127)
            for shift in stride(from: 56, through: 0, by: -8) {
                octets.append(UInt8(truncatingIfNeeded: payload.count >> shift))
            }
        }
        octets += payload
        return octets
    }
}

/// The opening handshake (RFC 6455, 4.2).
enum WebSocketHandshake {
    /// The response that accepts a WebSocket; nil if the request does not ask for one correctly.
    static func response(to request: HTTPRequest) -> HTTPResponse? {
        guard request.tokens(of: "connection").contains("upgrade"), request.tokens(of: "upgrade") == ["websocket"],
            request.headers["sec-websocket-version"] == "13", let key = request.headers["sec-websocket-key"],
            Data(base64Encoded: key)?.count == 16
        else { return nil }
        // The protocol prescribes SHA-1, which protects nothing here.
        let digest = Insecure.SHA1.hash(data: Data("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
        return HTTPResponse(
            status: .switchingProtocols,
            headers: [
                ("Upgrade", "websocket"), ("Connection", "Upgrade"),
                ("Sec-WebSocket-Accept", Data(digest).base64EncodedString()),
            ])
    }
}
