import BLEWire

/// Describes complete L2CAP frames and their contents.
package enum L2CAPText {
    package static func describe(_ frame: Span<UInt8>, in language: TextLanguage = .english) -> PDUText {
        guard let decoded = try? L2CAP.Frame(decoding: frame) else {
            return PDUText(
                "L2CAP", "\(language.undecodable)  \(octetText(frame, in: language))",
                line: "L2CAP, undecodable  \(octetText(frame))")
        }
        switch decoded.channel {
        case .attribute:
            var text = ATTText.describe(decoded.payload, in: language)
            text.line = "ATT \(text.line)"
            return text
        case .signalling:
            var text = signal(decoded.payload, language)
            text.line = "L2CAP signalling \(text.line)"
            return text
        case .securityManager: return SMPText.describe(decoded.payload, in: language)
        default:
            let channel = "channel \(hexadecimal(decoded.channel.rawValue, digits: 4))"
            return PDUText(
                "L2CAP \(channel)", octetText(decoded.payload, in: language),
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

    private static func signal(_ payload: Span<UInt8>, _ language: TextLanguage) -> PDUText {
        guard let packet = try? L2CAP.SignalPacket(decoding: payload) else {
            let text = "\(language.undecodable)  \(octetText(payload, in: language))"
            return PDUText(name(payload, of: .signalling), text, line: text)
        }
        let name = name(payload, of: .signalling)
        if let (detail, line) = parameterUpdate(packet, language) { return PDUText(name, detail, line: line) }
        return PDUText(
            name, detail(packet, language) ?? octetText(packet.data, in: language),
            line: "code \(hexadecimal(packet.code.rawValue, digits: 2))  \(octetText(packet.data))")
    }

    private static func parameterUpdate(
        _ packet: borrowing L2CAP.SignalPacket, _ language: TextLanguage
    ) -> (detail: String, line: String)? {
        if packet.code == .connectionParameterUpdateRequest,
            let request = try? L2CAP.ConnectionParameterUpdateRequest(decoding: packet.data)
        {
            let detail =
                language("interval", "间隔") + " "
                + language.range(intervalText(request.intervalMinimum), intervalText(request.intervalMaximum))
                + language(
                    ", latency \(request.latency), timeout \(Int(request.timeout) * 10) ms",
                    "，延迟 \(request.latency)，超时 \(Int(request.timeout) * 10) ms")
            return (detail, "Connection Parameter Update Request, \(detail)")
        }
        if packet.code == .connectionParameterUpdateResponse,
            let answer = try? L2CAP.ConnectionParameterUpdateResponse(decoding: packet.data)
        {
            let detail = answer.result == .accepted ? language.accepted : language.rejected
            return (detail, "Connection Parameter Update Response, \(detail)")
        }
        return nil
    }

    private static func detail(_ packet: borrowing L2CAP.SignalPacket, _ language: TextLanguage) -> String? {
        switch packet.code {
        case .creditBasedConnectionRequest:
            guard let request = try? L2CAP.CreditBasedConnectionRequest(decoding: packet.data) else { return nil }
            return "PSM \(hexadecimal(request.spsm, digits: 4))\(language.comma)"
                + "\(language.channel) \(channel(request.sourceChannel))\(language.comma)"
                + "MTU \(request.mtu)\(language.comma)MPS \(request.mps)\(language.comma)"
                + credits(request.initialCredits, language)
        case .creditBasedConnectionResponse:
            guard let answer = try? L2CAP.CreditBasedConnectionResponse(decoding: packet.data) else { return nil }
            guard answer.result == .successful else {
                return language("refused: ", "拒绝：") + answer.result.name(language)
            }
            return "\(language.channel) \(channel(answer.destinationChannel))\(language.comma)"
                + "MTU \(answer.mtu)\(language.comma)MPS \(answer.mps)\(language.comma)"
                + credits(answer.initialCredits, language)
        case .enhancedConnectionRequest:
            guard let request = try? L2CAP.EnhancedConnectionRequest(decoding: packet.data) else { return nil }
            return "PSM \(hexadecimal(request.spsm, digits: 4))\(language.comma)"
                + "\(language.channel) \(channels(request.sourceChannels))\(language.comma)"
                + "MTU \(request.mtu)\(language.comma)MPS \(request.mps)\(language.comma)"
                + credits(request.initialCredits, language)
        case .enhancedConnectionResponse:
            guard let answer = try? L2CAP.EnhancedConnectionResponse(decoding: packet.data) else { return nil }
            let refusal =
                answer.result == .successful
                ? "" : language("refused: ", "拒绝：") + answer.result.name(language) + language.comma
            return refusal + "\(language.channel) \(channels(answer.destinationChannels))\(language.comma)"
                + "MTU \(answer.mtu)\(language.comma)MPS \(answer.mps)\(language.comma)"
                + credits(answer.initialCredits, language)
        case .enhancedReconfigureRequest:
            guard let request = try? L2CAP.EnhancedReconfigureRequest(decoding: packet.data) else { return nil }
            return "\(language.channel) \(channels(request.channels))\(language.comma)"
                + "MTU \(request.mtu)\(language.comma)MPS \(request.mps)"
        case .enhancedReconfigureResponse:
            guard let answer = try? L2CAP.EnhancedReconfigureResponse(decoding: packet.data) else { return nil }
            return answer.result.name(language)
        case .flowControlCredit:
            guard let credit = try? L2CAP.FlowControlCredit(decoding: packet.data) else { return nil }
            return "\(language.channel) \(channel(credit.channel))\(language.comma)" + credits(credit.credits, language)
        case .disconnectionRequest:
            guard let request = try? L2CAP.DisconnectionRequest(decoding: packet.data) else { return nil }
            return "\(language.channel) \(channel(request.destinationChannel)) "
                + language("and", "和") + " \(channel(request.sourceChannel))"
        case .disconnectionResponse:
            guard let answer = try? L2CAP.DisconnectionResponse(decoding: packet.data) else { return nil }
            return "\(language.channel) \(channel(answer.destinationChannel)) "
                + language("and", "和") + " \(channel(answer.sourceChannel))"
        case .commandReject:
            guard let reject = try? L2CAP.CommandReject(decoding: packet.data) else { return nil }
            return reject.reason.name(language)
        default: return nil
        }
    }

    private static func credits(_ count: UInt16, _ language: TextLanguage) -> String {
        language("\(count) credits", "\(count) 个信用")
    }

    private static func channels(_ identifiers: [L2CAP.ChannelIdentifier]) -> String {
        identifiers.map(channel).joined(separator: " ")
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
    func name(_ language: TextLanguage) -> String {
        switch self {
        case .successful: language("successful", "成功")
        case .spsmNotSupported: language("PSM not supported", "不支持的 PSM")
        case .noResources: language("no resources", "资源不足")
        case .insufficientAuthentication: language("insufficient authentication", "认证不足")
        case .insufficientAuthorization: language("insufficient authorization", "授权不足")
        case .keySizeTooShort: language("encryption key too short", "加密密钥过短")
        case .insufficientEncryption: language("insufficient encryption", "加密不足")
        case .invalidSourceChannel: language("invalid source channel", "源通道无效")
        case .sourceChannelAllocated: language("source channel already allocated", "源通道已被分配")
        case .unacceptableParameters: language("unacceptable parameters", "参数不可接受")
        case .invalidParameters: language("invalid parameters", "参数无效")
        case .pending, .authenticationPending, .authorizationPending: language("pending", "等待中")
        default: language("result", "结果") + " \(hexadecimal(rawValue, digits: 4))"
        }
    }
}

extension L2CAP.EnhancedReconfigureResponse.Result {
    /// The result in words (Vol 3, Part A, 4.28, table 4.21).
    func name(_ language: TextLanguage) -> String {
        switch self {
        case .successful: language("successful", "成功")
        case .reducedMTU: language("smaller MTU", "MTU 变小")
        case .reducedMPS: language("smaller MPS of several channels", "多个通道的 MPS 变小")
        case .invalidChannel: language("invalid channel", "通道无效")
        case .unacceptableParameters: language("unacceptable parameters", "参数不可接受")
        default: language("result", "结果") + " \(hexadecimal(rawValue, digits: 4))"
        }
    }
}

extension L2CAP.CommandReject.Reason {
    /// The reason in words (Vol 3, Part A, 4.1, table 4.3).
    func name(_ language: TextLanguage) -> String {
        switch self {
        case .notUnderstood: language("command not understood", "无法理解的命令")
        case .signallingMTUExceeded: language("signalling MTU exceeded", "超过信令 MTU")
        case .invalidChannelIdentifier: language("invalid channel identifier", "通道标识无效")
        default: language("reason", "原因") + " \(hexadecimal(rawValue, digits: 4))"
        }
    }
}
