/// The Attribute Protocol (Vol 3, Part F): one type per PDU, each with its opcode. `init(decoding:)` takes the octets
/// after the opcode. `[UInt8].append(attribute:)` writes the opcode and these octets.
@usableFromInline
package enum ATT {
    /// The smallest and initial ATT_MTU of an LE link, in octets (Vol 3, Part G, 5.2.1).
    @inlinable package static var defaultMTU: UInt16 { 23 }
    /// The longest attribute value, in octets (Vol 3, Part F, 3.2.9).
    @inlinable package static var maximumValueLength: Int { 512 }

    /// The first octet of every PDU (Vol 3, Part F, 3.3.1 and 3.4.8).
    @usableFromInline
    package struct Opcode: RawRepresentable, Hashable, Sendable {
        @usableFromInline package let rawValue: UInt8
        @inlinable
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        @inlinable
        package static func == (left: Opcode, right: Opcode) -> Bool { left.rawValue == right.rawValue }

        /// The command flag. A command has no response, and a receiver ignores an unknown command.
        package var isCommand: Bool { rawValue & 0x40 != 0 }
        /// The authentication signature flag. The PDU ends with a signature of 12 octets.
        package var isSigned: Bool { rawValue & 0x80 != 0 }

        @inlinable package static var errorResponse: Opcode { Opcode(rawValue: 0x01) }
        @inlinable package static var exchangeMTURequest: Opcode { Opcode(rawValue: 0x02) }
        @inlinable package static var exchangeMTUResponse: Opcode { Opcode(rawValue: 0x03) }
        @inlinable package static var findInformationRequest: Opcode { Opcode(rawValue: 0x04) }
        @inlinable package static var findInformationResponse: Opcode { Opcode(rawValue: 0x05) }
        @inlinable package static var findByTypeValueRequest: Opcode { Opcode(rawValue: 0x06) }
        @inlinable package static var findByTypeValueResponse: Opcode { Opcode(rawValue: 0x07) }
        @inlinable package static var readByTypeRequest: Opcode { Opcode(rawValue: 0x08) }
        @inlinable package static var readByTypeResponse: Opcode { Opcode(rawValue: 0x09) }
        @inlinable package static var readRequest: Opcode { Opcode(rawValue: 0x0A) }
        @inlinable package static var readResponse: Opcode { Opcode(rawValue: 0x0B) }
        @inlinable package static var readBlobRequest: Opcode { Opcode(rawValue: 0x0C) }
        @inlinable package static var readBlobResponse: Opcode { Opcode(rawValue: 0x0D) }
        @inlinable package static var readMultipleRequest: Opcode { Opcode(rawValue: 0x0E) }
        @inlinable package static var readMultipleResponse: Opcode { Opcode(rawValue: 0x0F) }
        @inlinable package static var readByGroupTypeRequest: Opcode { Opcode(rawValue: 0x10) }
        @inlinable package static var readByGroupTypeResponse: Opcode { Opcode(rawValue: 0x11) }
        @inlinable package static var writeRequest: Opcode { Opcode(rawValue: 0x12) }
        @inlinable package static var writeResponse: Opcode { Opcode(rawValue: 0x13) }
        @inlinable package static var prepareWriteRequest: Opcode { Opcode(rawValue: 0x16) }
        @inlinable package static var prepareWriteResponse: Opcode { Opcode(rawValue: 0x17) }
        @inlinable package static var executeWriteRequest: Opcode { Opcode(rawValue: 0x18) }
        @inlinable package static var executeWriteResponse: Opcode { Opcode(rawValue: 0x19) }
        @inlinable package static var handleValueNotification: Opcode { Opcode(rawValue: 0x1B) }
        @inlinable package static var handleValueIndication: Opcode { Opcode(rawValue: 0x1D) }
        @inlinable package static var handleValueConfirmation: Opcode { Opcode(rawValue: 0x1E) }
        @inlinable package static var readMultipleVariableRequest: Opcode { Opcode(rawValue: 0x20) }
        @inlinable package static var readMultipleVariableResponse: Opcode { Opcode(rawValue: 0x21) }
        @inlinable package static var multipleHandleValueNotification: Opcode { Opcode(rawValue: 0x23) }
        @inlinable package static var writeCommand: Opcode { Opcode(rawValue: 0x52) }
        @inlinable package static var signedWriteCommand: Opcode { Opcode(rawValue: 0xD2) }
    }
}

extension ATT.Opcode: CustomStringConvertible {
    /// The specification's name without the prefix "ATT_", or the value.
    @usableFromInline package var description: String {
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
@usableFromInline
package protocol ATTPDU: PDU, ~Escapable {
    static var opcode: ATT.Opcode { get }
}

extension [UInt8] {
    /// Appends the opcode and the parameters of `pdu`. On an error the array is unchanged.
    @inlinable
    package mutating func append<P: ATTPDU & ~Escapable>(attribute pdu: P) throws(EncodeError) {
        let before = count
        do throws(EncodeError) {
            try append(addingCapacity: 1 + pdu.encodedCount) { (output: inout OutputSpan<UInt8>) throws(EncodeError) in
                output.append(P.opcode.rawValue)
                try pdu.encode(into: &output)
            }
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
    @inlinable
    package var response: ATT.Opcode { ATT.Opcode(rawValue: rawValue | 1) }
}
