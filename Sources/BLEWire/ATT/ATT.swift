/// The Attribute Protocol (Vol 3, Part F): one type per PDU, each with its opcode. `init(decoding:)` takes the octets
/// after the opcode. `[UInt8].append(attribute:)` writes the opcode and these octets.
package enum ATT {
    /// The smallest and initial ATT_MTU of an LE link, in octets (Vol 3, Part G, 5.2.1).
    package static let defaultMTU: UInt16 = 23
    /// The longest attribute value, in octets (Vol 3, Part F, 3.2.9).
    package static let maximumValueLength = 512

    /// The first octet of every PDU (Vol 3, Part F, 3.3.1 and 3.4.8).
    package struct Opcode: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The command flag. A command has no response, and a receiver ignores an unknown command.
        package var isCommand: Bool { rawValue & 0x40 != 0 }
        /// The authentication signature flag. The PDU ends with a signature of 12 octets.
        package var isSigned: Bool { rawValue & 0x80 != 0 }

        package static let errorResponse = Opcode(rawValue: 0x01)
        package static let exchangeMTURequest = Opcode(rawValue: 0x02)
        package static let exchangeMTUResponse = Opcode(rawValue: 0x03)
        package static let findInformationRequest = Opcode(rawValue: 0x04)
        package static let findInformationResponse = Opcode(rawValue: 0x05)
        package static let findByTypeValueRequest = Opcode(rawValue: 0x06)
        package static let findByTypeValueResponse = Opcode(rawValue: 0x07)
        package static let readByTypeRequest = Opcode(rawValue: 0x08)
        package static let readByTypeResponse = Opcode(rawValue: 0x09)
        package static let readRequest = Opcode(rawValue: 0x0A)
        package static let readResponse = Opcode(rawValue: 0x0B)
        package static let readBlobRequest = Opcode(rawValue: 0x0C)
        package static let readBlobResponse = Opcode(rawValue: 0x0D)
        package static let readMultipleRequest = Opcode(rawValue: 0x0E)
        package static let readMultipleResponse = Opcode(rawValue: 0x0F)
        package static let readByGroupTypeRequest = Opcode(rawValue: 0x10)
        package static let readByGroupTypeResponse = Opcode(rawValue: 0x11)
        package static let writeRequest = Opcode(rawValue: 0x12)
        package static let writeResponse = Opcode(rawValue: 0x13)
        package static let prepareWriteRequest = Opcode(rawValue: 0x16)
        package static let prepareWriteResponse = Opcode(rawValue: 0x17)
        package static let executeWriteRequest = Opcode(rawValue: 0x18)
        package static let executeWriteResponse = Opcode(rawValue: 0x19)
        package static let handleValueNotification = Opcode(rawValue: 0x1B)
        package static let handleValueIndication = Opcode(rawValue: 0x1D)
        package static let handleValueConfirmation = Opcode(rawValue: 0x1E)
        package static let readMultipleVariableRequest = Opcode(rawValue: 0x20)
        package static let readMultipleVariableResponse = Opcode(rawValue: 0x21)
        package static let multipleHandleValueNotification = Opcode(rawValue: 0x23)
        package static let writeCommand = Opcode(rawValue: 0x52)
        package static let signedWriteCommand = Opcode(rawValue: 0xD2)
    }
}

extension ATT.Opcode: CustomStringConvertible {
    /// The specification's name without the prefix "ATT_", or the value.
    package var description: String {
        switch self {
        case .errorResponse: "Error Response"
        case .exchangeMTURequest: "Exchange MTU Request"
        case .exchangeMTUResponse: "Exchange MTU Response"
        case .findInformationRequest: "Find Information Request"
        case .findInformationResponse: "Find Information Response"
        case .findByTypeValueRequest: "Find By Type Value Request"
        case .findByTypeValueResponse: "Find By Type Value Response"
        case .readByTypeRequest: "Read By Type Request"
        case .readByTypeResponse: "Read By Type Response"
        case .readRequest: "Read Request"
        case .readResponse: "Read Response"
        case .readBlobRequest: "Read Blob Request"
        case .readBlobResponse: "Read Blob Response"
        case .readMultipleRequest: "Read Multiple Request"
        case .readMultipleResponse: "Read Multiple Response"
        case .readByGroupTypeRequest: "Read By Group Type Request"
        case .readByGroupTypeResponse: "Read By Group Type Response"
        case .writeRequest: "Write Request"
        case .writeResponse: "Write Response"
        case .prepareWriteRequest: "Prepare Write Request"
        case .prepareWriteResponse: "Prepare Write Response"
        case .executeWriteRequest: "Execute Write Request"
        case .executeWriteResponse: "Execute Write Response"
        case .handleValueNotification: "Handle Value Notification"
        case .handleValueIndication: "Handle Value Indication"
        case .handleValueConfirmation: "Handle Value Confirmation"
        case .readMultipleVariableRequest: "Read Multiple Variable Request"
        case .readMultipleVariableResponse: "Read Multiple Variable Response"
        case .multipleHandleValueNotification: "Multiple Handle Value Notification"
        case .writeCommand: "Write Command"
        case .signedWriteCommand: "Signed Write Command"
        default: "Opcode 0x" + String(rawValue, radix: 16, uppercase: true)
        }
    }
}

/// A PDU of the Attribute Protocol. `init(decoding:)` and `encode(into:)` omit the opcode.
package protocol ATTPDU: PDU, ~Escapable {
    static var opcode: ATT.Opcode { get }
}

extension [UInt8] {
    /// Appends the opcode and the parameters of `pdu`. On an error the array is unchanged.
    package mutating func append<P: ATTPDU & ~Escapable>(attribute pdu: P) throws(EncodeError) {
        let before = count
        append(P.opcode.rawValue)
        do throws(EncodeError) {
            try append(encoding: pdu)
        } catch {
            removeSubrange(before...)
            throw error
        }
    }
}

extension ATT.Opcode {
    /// The method of a PDU (Vol 3, Part F, 3.3).
    package enum Kind: Sendable {
        case request, response, command, notification, indication, confirmation
        /// The PDU is unknown.
        case unknown
    }

    package var kind: Kind {
        switch rawValue {
        case 0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20: .request
        case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x21: .response
        case 0x52, 0xD2: .command
        case 0x1B, 0x23: .notification
        case 0x1D: .indication
        case 0x1E: .confirmation
        default: .unknown
        }
    }

    /// The opcode of the response to a request: the next number.
    package var response: ATT.Opcode { ATT.Opcode(rawValue: rawValue | 1) }
}
