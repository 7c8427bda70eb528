import BLEWire

/// Describes complete L2CAP frames and their contents.
package enum L2CAPText {
    package static func describe(_ frame: Span<UInt8>) -> PDUText {
        guard let decoded = try? L2CAP.Frame(decoding: frame) else {
            return PDUText("L2CAP", "undecodable  \(octetText(frame))", line: "L2CAP, undecodable  \(octetText(frame))")
        }
        switch decoded.channel {
        case .attribute:
            var text = ATTText.describe(decoded.payload)
            text.line = "ATT \(text.line)"
            return text
        case .signalling:
            var text = signal(decoded.payload)
            text.line = "L2CAP signalling \(text.line)"
            return text
        case .securityManager: return SMPText.describe(decoded.payload)
        default:
            let channel = "channel \(hexadecimal(decoded.channel.rawValue, digits: 4))"
            return PDUText(
                "L2CAP \(channel)", octetText(decoded.payload),
                line: "L2CAP \(channel)  \(octetText(decoded.payload))")
        }
    }

    /// The name of the content of a frame, by its first octet.
    static func name(_ frame: Span<UInt8>) -> String {
        guard let frame = try? L2CAP.Frame(decoding: frame) else { return "L2CAP" }
        return name(frame.payload, of: frame.channel)
    }

    private static func name(_ payload: Span<UInt8>, of channel: L2CAP.ChannelIdentifier) -> String {
        let first = payload.isEmpty ? nil : payload[0]
        return switch channel {
        case .attribute: first.map { ATT.Opcode(rawValue: $0).specificationName } ?? "ATT"
        case .signalling: first.map { L2CAP.SignalCode(rawValue: $0).specificationName } ?? "L2CAP signal"
        case .securityManager: first.map { "\(SMP.Code(rawValue: $0))" } ?? "SMP"
        default: "L2CAP channel \(hexadecimal(channel.rawValue, digits: 4))"
        }
    }

    private static func signal(_ payload: Span<UInt8>) -> PDUText {
        guard let packet = try? L2CAP.SignalPacket(decoding: payload) else {
            let text = "undecodable  \(octetText(payload))"
            return PDUText(name(payload, of: .signalling), text, line: text)
        }
        let name = name(payload, of: .signalling)
        if let (detail, line) = parameterUpdate(packet) { return PDUText(name, detail, line: line) }
        return PDUText(
            name, detail(packet) ?? octetText(packet.data),
            line: "code \(hexadecimal(packet.code.rawValue, digits: 2))  \(octetText(packet.data))")
    }

    private static func parameterUpdate(_ packet: borrowing L2CAP.SignalPacket) -> (detail: String, line: String)? {
        if packet.code == .connectionParameterUpdateRequest,
            let request = try? L2CAP.ConnectionParameterUpdateRequest(decoding: packet.data)
        {
            let detail =
                "interval \(intervalText(request.intervalMinimum)) to \(intervalText(request.intervalMaximum)), "
                + "latency \(request.latency), timeout \(Int(request.timeout) * 10) ms"
            return (detail, "Connection Parameter Update Request, \(detail)")
        }
        if packet.code == .connectionParameterUpdateResponse,
            let answer = try? L2CAP.ConnectionParameterUpdateResponse(decoding: packet.data)
        {
            let detail = answer.result == .accepted ? "accepted" : "rejected"
            return (detail, "Connection Parameter Update Response, \(detail)")
        }
        return nil
    }

    private static func detail(_ packet: borrowing L2CAP.SignalPacket) -> String? {
        switch packet.code {
        case .creditBasedConnectionRequest:
            guard let request = try? L2CAP.CreditBasedConnectionRequest(decoding: packet.data) else { return nil }
            return "PSM \(hexadecimal(request.spsm, digits: 4)), channel "
                + "\(channel(request.sourceChannel)), MTU \(request.mtu), MPS \(request.mps), "
                + "\(request.initialCredits) credits"
        case .creditBasedConnectionResponse:
            guard let answer = try? L2CAP.CreditBasedConnectionResponse(decoding: packet.data) else { return nil }
            guard answer.result == .successful else { return "refused: \(answer.result.name)" }
            return "channel \(channel(answer.destinationChannel)), MTU \(answer.mtu), MPS \(answer.mps), "
                + "\(answer.initialCredits) credits"
        case .flowControlCredit:
            guard let credit = try? L2CAP.FlowControlCredit(decoding: packet.data) else { return nil }
            return "channel \(channel(credit.channel)), \(credit.credits) credits"
        case .disconnectionRequest:
            guard let request = try? L2CAP.DisconnectionRequest(decoding: packet.data) else { return nil }
            return "channel \(channel(request.destinationChannel)) and \(channel(request.sourceChannel))"
        case .disconnectionResponse:
            guard let answer = try? L2CAP.DisconnectionResponse(decoding: packet.data) else { return nil }
            return "channel \(channel(answer.destinationChannel)) and \(channel(answer.sourceChannel))"
        case .commandReject:
            guard let reject = try? L2CAP.CommandReject(decoding: packet.data) else { return nil }
            return reject.reason.name
        default: return nil
        }
    }

    private static func channel(_ identifier: L2CAP.ChannelIdentifier) -> String {
        hexadecimal(identifier.rawValue, digits: 4)
    }
}

extension L2CAP.SignalCode {
    /// The specification's name of the signalling packet (Vol 3, Part A, 4, table 4.2).
    package var specificationName: String {
        switch self {
        case .commandReject: "L2CAP_COMMAND_REJECT_RSP"
        case .disconnectionRequest: "L2CAP_DISCONNECTION_REQ"
        case .disconnectionResponse: "L2CAP_DISCONNECTION_RSP"
        case .connectionParameterUpdateRequest: "L2CAP_CONNECTION_PARAMETER_UPDATE_REQ"
        case .connectionParameterUpdateResponse: "L2CAP_CONNECTION_PARAMETER_UPDATE_RSP"
        case .creditBasedConnectionRequest: "L2CAP_LE_CREDIT_BASED_CONNECTION_REQ"
        case .creditBasedConnectionResponse: "L2CAP_LE_CREDIT_BASED_CONNECTION_RSP"
        case .flowControlCredit: "L2CAP_FLOW_CONTROL_CREDIT_IND"
        case .enhancedConnectionRequest: "L2CAP_CREDIT_BASED_CONNECTION_REQ"
        case .enhancedConnectionResponse: "L2CAP_CREDIT_BASED_CONNECTION_RSP"
        case .enhancedReconfigureRequest: "L2CAP_CREDIT_BASED_RECONFIGURE_REQ"
        case .enhancedReconfigureResponse: "L2CAP_CREDIT_BASED_RECONFIGURE_RSP"
        default: "L2CAP signal \(hexadecimal(rawValue, digits: 2))"
        }
    }
}

extension L2CAP.CreditBasedConnectionResponse.Result {
    /// The result in words (Vol 3, Part A, 4.23, table 4.19).
    var name: String {
        switch self {
        case .successful: "successful"
        case .spsmNotSupported: "PSM not supported"
        case .noResources: "no resources"
        case .insufficientAuthentication: "insufficient authentication"
        case .insufficientAuthorization: "insufficient authorization"
        case .keySizeTooShort: "encryption key too short"
        case .insufficientEncryption: "insufficient encryption"
        case .invalidSourceChannel: "invalid source channel"
        case .sourceChannelAllocated: "source channel already allocated"
        case .unacceptableParameters: "unacceptable parameters"
        default: "result \(hexadecimal(rawValue, digits: 4))"
        }
    }
}

extension L2CAP.CommandReject.Reason {
    /// The reason in words (Vol 3, Part A, 4.1, table 4.3).
    var name: String {
        switch self {
        case .notUnderstood: "command not understood"
        case .signallingMTUExceeded: "signalling MTU exceeded"
        case .invalidChannelIdentifier: "invalid channel identifier"
        default: "reason \(hexadecimal(rawValue, digits: 4))"
        }
    }
}
