import BLEWire

/// Describes the PDUs of the Security Manager Protocol (Vol 3, Part H, 3).
package enum SMPText {
    package static func describe(_ pdu: Span<UInt8>) -> PDUText {
        let line = "SMP  \(octetText(pdu))"
        guard !pdu.isEmpty else { return PDUText("SMP", line: line) }
        let name = "\(SMP.Code(rawValue: pdu[0]))"
        guard let packet = try? SMP.Packet(decoding: pdu) else {
            return PDUText(name, "undecodable  \(octetText(pdu))", line: line)
        }
        return PDUText(name, detail(packet), line: line)
    }

    private static func detail(_ packet: SMP.Packet) -> String {
        switch packet {
        case .pairingRequest(let request): features(request.features)
        case .pairingResponse(let response): features(response.features)
        case .pairingFailed(let failure): "\(failure.reason)"
        case .securityRequest(let request): request.requirements.text
        case .identityAddressInformation(let information): "\(information.address)"
        case .centralIdentification(let identification):
            "EDIV \(hexadecimal(identification.diversifier, digits: 4)), Rand "
                + hexadecimal(identification.random, digits: 16)
        case .pairingConfirm(let confirm): hexadecimal(confirm.number, digits: 32)
        case .pairingRandom(let random): hexadecimal(random.number, digits: 32)
        case .pairingDHKeyCheck(let check): hexadecimal(check.number, digits: 32)
        case .keypressNotification(let notification): notification.kind.text
        case .pairingPublicKey, .encryptionInformation, .identityInformation, .signingInformation: ""
        }
    }

    private static func features(_ features: SMP.PairingFeatures) -> String {
        "\(features.ioCapability.text), \(features.requirements.text), key of \(features.maximumKeySize) octets"
    }
}

extension SMP.IOCapability {
    /// The specification's name (Vol 3, Part H, 3.5.1, table 3.4).
    package var text: String {
        switch self {
        case .displayOnly: "DisplayOnly"
        case .displayYesNo: "DisplayYesNo"
        case .keyboardOnly: "KeyboardOnly"
        case .noInputNoOutput: "NoInputNoOutput"
        case .keyboardDisplay: "KeyboardDisplay"
        default: "reserved \(rawValue)"
        }
    }
}

extension SMP.AuthenticationRequirements {
    /// The requirements in words (Vol 3, Part H, 3.5.1).
    package var text: String {
        var parts: [String] = [requestsBonding ? "bonding" : "no bonding"]
        if contains(.manInTheMiddle) { parts.append("MITM protection") }
        if contains(.secureConnections) { parts.append("Secure Connections") }
        if contains(.keypress) { parts.append("keypress notifications") }
        if contains(.crossTransport) { parts.append("CT2") }
        return parts.joined(separator: " + ")
    }
}

extension SMP.KeypressNotification.Kind {
    /// The kind in words (Vol 3, Part H, 3.5.8, table 3.9).
    package var text: String {
        switch self {
        case .entryStarted: "passkey entry started"
        case .digitEntered: "digit entered"
        case .digitErased: "digit erased"
        case .cleared: "passkey cleared"
        case .entryCompleted: "passkey entry completed"
        default: "reserved \(rawValue)"
        }
    }
}
