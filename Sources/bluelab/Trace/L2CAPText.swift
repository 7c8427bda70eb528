import BLEWire

/// Formats complete L2CAP frames and their contents.
enum L2CAPText {
    static func describe(_ frame: Span<UInt8>) -> String {
        guard let frame = try? L2CAP.Frame(decoding: frame) else { return "L2CAP, undecodable  \(hexadecimal(frame))" }
        switch frame.channel {
        case .attribute: return "ATT " + ATTText.describe(frame.payload)
        case .signalling: return "L2CAP signalling " + signal(frame.payload)
        case .securityManager: return "SMP  \(hexadecimal(frame.payload))"
        default: return "L2CAP channel \(hexadecimal(frame.channel.rawValue, digits: 4))  \(hexadecimal(frame.payload))"
        }
    }

    private static func signal(_ payload: Span<UInt8>) -> String {
        guard let packet = try? L2CAP.SignalPacket(decoding: payload) else {
            return "undecodable  \(hexadecimal(payload))"
        }
        switch packet.code {
        case .connectionParameterUpdateRequest:
            guard let request = try? L2CAP.ConnectionParameterUpdateRequest(decoding: packet.data) else { break }
            return "Connection Parameter Update Request, interval \(interval(request.intervalMinimum)) to "
                + "\(interval(request.intervalMaximum)), latency \(request.latency), timeout \(Int(request.timeout) * 10) ms"
        case .connectionParameterUpdateResponse:
            guard let answer = try? L2CAP.ConnectionParameterUpdateResponse(decoding: packet.data) else { break }
            return "Connection Parameter Update Response, \(answer.result == .accepted ? "accepted" : "rejected")"
        default: break
        }
        return "code \(hexadecimal(packet.code.rawValue, digits: 2))  \(hexadecimal(packet.data))"
    }
}
