import BLEWire

/// The fields of L2CAP frames (Vol 3, Part A, 3) and of signals (Vol 3, Part A, 4).
enum L2CAPFields {
    static func frame(_ cursor: inout FieldCursor, _ context: FieldContext) {
        let language = cursor.language
        let length = cursor.number("Length", 2) { language.octets($0) } ?? 0
        guard
            let channel = cursor.number(
                "Channel", 2, { FieldWords.channel(UInt16(truncatingIfNeeded: $0), language) })
        else { return }
        let count = min(Int(length), cursor.remaining)
        switch L2CAP.ChannelIdentifier(rawValue: UInt16(truncatingIfNeeded: channel)) {
        case .attribute: cursor.group("Attribute PDU", count, name(&cursor)) { ATTFields.describe(&$0, context) }
        case .signalling: cursor.group("Signal", count) { signal(&$0) }
        case .securityManager: cursor.group("Security Manager PDU", count) { pairing(&$0) }
        default:
            cursor.group("Channel data", count) { inner in
                if context.beginsSDU { inner.number("SDU length", 2) { language.octets($0) } }
                inner.octets("Data")
            }
        }
    }

    private static func name(_ cursor: inout FieldCursor) -> String {
        cursor.next.map { ATT.Opcode(rawValue: $0).specificationName } ?? ""
    }

    private static func signal(_ cursor: inout FieldCursor) {
        let language = cursor.language
        guard let first = cursor.next else { return }
        let code = L2CAP.SignalCode(rawValue: first)
        cursor.number("Code", 1) { "\(code.specificationName) (0x\(hexadecimal($0, digits: 2)))" }
        cursor.number("Identifier", 1)
        cursor.number("Length", 2) { language.octets($0) }
        if let layouts = FieldLayouts.signal(code) { return cursor.take(layouts) }
        switch code {
        case .commandReject: reject(&cursor)
        case .enhancedConnectionRequest, .enhancedConnectionResponse, .enhancedReconfigureRequest:
            enhanced(code, &cursor)
        default: break
        }
    }

    /// The signals with a list of channels (Vol 3, Part A, 4.25 to 4.27).
    private static func enhanced(_ code: L2CAP.SignalCode, _ cursor: inout FieldCursor) {
        let language = cursor.language
        if code == .enhancedConnectionRequest { cursor.number("SPSM", 2) }
        cursor.number("MTU", 2) { language.octets($0) }
        cursor.number("MPS", 2) { language.octets($0) }
        if code != .enhancedReconfigureRequest { cursor.number("Initial credits", 2) }
        if code == .enhancedConnectionResponse {
            cursor.number("Result", 2) {
                L2CAP.CreditBasedConnectionResponse.Result(rawValue: UInt16(truncatingIfNeeded: $0)).name(language)
            }
        }
        let name = code == .enhancedConnectionRequest ? "Source channel" : "Destination channel"
        while cursor.remaining >= 2 {
            cursor.number(name, 2) { FieldWords.channel(UInt16(truncatingIfNeeded: $0), language) }
        }
    }

    private static func reject(_ cursor: inout FieldCursor) {
        let language = cursor.language
        let reason = cursor.number("Reason", 2) {
            L2CAP.CommandReject.Reason(rawValue: UInt16(truncatingIfNeeded: $0)).name(language)
        }
        switch reason {
        case 1: cursor.number("MTU", 2) { language.octets($0) }
        case 2:
            cursor.number("Local channel", 2) { FieldWords.channel(UInt16(truncatingIfNeeded: $0), language) }
            cursor.number("Remote channel", 2) { FieldWords.channel(UInt16(truncatingIfNeeded: $0), language) }
        default: break
        }
    }

    /// A code and its fields (Vol 3, Part H, 3.3).
    private static func pairing(_ cursor: inout FieldCursor) {
        let language = cursor.language
        guard let first = cursor.next else { return }
        let code = SMP.Code(rawValue: first)
        cursor.number("Code", 1) { "\(code) (0x\(hexadecimal($0, digits: 2)))" }
        if let layouts = FieldLayouts.pairing(code) { return cursor.take(layouts) }
        switch code {
        case .pairingRequest, .pairingResponse: cursor.take(FieldLayouts.pairingFeatures)
        case .pairingPublicKey:
            cursor.octets("X coordinate", 32) { FieldWords.bigEndian($0) }
            cursor.octets("Y coordinate", 32) { FieldWords.bigEndian($0) }
        case .identityAddressInformation:
            let isRandom = cursor.number("Address type", 1) {
                $0 > 1 ? "\($0)" : language.addressType(isRandom: $0 == 1)
            }
            cursor.address("Address", isRandom: isRandom == 1)
        default: break
        }
    }
}
