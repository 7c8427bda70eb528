import BLEWire

/// Describes the PDUs of the Security Manager Protocol (Vol 3, Part H, 3).
package enum SMPText {
    package static func describe(_ pdu: Span<UInt8>, in language: TextLanguage = .english) -> PDUText {
        let line = "SMP  \(octetText(pdu))"
        guard !pdu.isEmpty else { return PDUText("SMP", line: line) }
        let name = "\(SMP.Code(rawValue: pdu[0]))"
        guard let packet = try? SMP.Packet(decoding: pdu) else {
            return PDUText(name, "\(language.undecodable)  \(octetText(pdu, in: language))", line: line)
        }
        return PDUText(name, detail(packet, language), line: line)
    }

    private static func detail(_ packet: SMP.Packet, _ language: TextLanguage) -> String {
        switch packet {
        case .pairingRequest(let request): features(request.features, language)
        case .pairingResponse(let response): features(response.features, language)
        case .pairingFailed(let failure): language.reason(failure.reason)
        case .securityRequest(let request): request.requirements.text(language)
        case .identityAddressInformation(let information): "\(information.address)"
        case .centralIdentification(let identification):
            "EDIV \(hexadecimal(identification.diversifier, digits: 4))\(language.comma)Rand "
                + hexadecimal(identification.random, digits: 16)
        case .pairingConfirm(let confirm): hexadecimal(confirm.number, digits: 32)
        case .pairingRandom(let random): hexadecimal(random.number, digits: 32)
        case .pairingDHKeyCheck(let check): hexadecimal(check.number, digits: 32)
        case .keypressNotification(let notification): notification.kind.text(language)
        case .pairingPublicKey, .encryptionInformation, .identityInformation, .signingInformation: ""
        }
    }

    private static func features(_ features: SMP.PairingFeatures, _ language: TextLanguage) -> String {
        let (size, requirements) = (features.maximumKeySize, features.requirements.text(language))
        let capability = features.ioCapability.text(language)
        return language(
            "\(capability), \(requirements), key of \(size) octets", "\(capability)，\(requirements)，密钥 \(size) 字节")
    }
}

extension SMP.IOCapability {
    /// The specification's name (Vol 3, Part H, 3.5.1, table 3.4).
    package func text(_ language: TextLanguage = .english) -> String {
        switch self {
        case .displayOnly: "DisplayOnly"
        case .displayYesNo: "DisplayYesNo"
        case .keyboardOnly: "KeyboardOnly"
        case .noInputNoOutput: "NoInputNoOutput"
        case .keyboardDisplay: "KeyboardDisplay"
        default: "\(language.reserved) \(rawValue)"
        }
    }
}

extension SMP.AuthenticationRequirements {
    /// The requirements in words (Vol 3, Part H, 3.5.1).
    package func text(_ language: TextLanguage = .english) -> String {
        var parts: [String] = [requestsBonding ? language("bonding", "绑定") : language("no bonding", "不绑定")]
        if contains(.manInTheMiddle) { parts.append(language("MITM protection", "防中间人攻击")) }
        if contains(.secureConnections) { parts.append(language("Secure Connections", "安全连接")) }
        if contains(.keypress) { parts.append(language("keypress notifications", "按键通知")) }
        if contains(.crossTransport) { parts.append("CT2") }
        return parts.joined(separator: " + ")
    }
}

extension SMP.KeypressNotification.Kind {
    /// The kind in words (Vol 3, Part H, 3.5.8, table 3.9).
    package func text(_ language: TextLanguage = .english) -> String {
        switch self {
        case .entryStarted: language("passkey entry started", "开始输入配对码")
        case .digitEntered: language("digit entered", "输入了一位数字")
        case .digitErased: language("digit erased", "删除了一位数字")
        case .cleared: language("passkey cleared", "清空了配对码")
        case .entryCompleted: language("passkey entry completed", "配对码输入完成")
        default: "\(language.reserved) \(rawValue)"
        }
    }
}
