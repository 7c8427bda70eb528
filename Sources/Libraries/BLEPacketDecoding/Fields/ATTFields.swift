import BLEWire

/// The fields of the PDUs of the Attribute Protocol (Vol 3, Part F, 3.4).
enum ATTFields {
    static func describe(_ cursor: inout FieldCursor, _ context: FieldContext) {
        guard let first = cursor.next else { return }
        let language = cursor.language
        let opcode = ATT.Opcode(rawValue: first)
        cursor.number("Opcode", 1) { "\(name(opcode, language)) (0x\(hexadecimal($0, digits: 2)))" }
        switch opcode {
        case .errorResponse:
            cursor.number("Request", 1) { name(ATT.Opcode(rawValue: UInt8(truncatingIfNeeded: $0)), language) }
            cursor.number("Handle", 2, context.handle)
            cursor.number("Error", 1) {
                let error = ATT.ErrorCode(rawValue: UInt8(truncatingIfNeeded: $0))
                return "\(language.error(error)) (0x\(hexadecimal($0, digits: 2)))"
            }
        case .exchangeMTURequest: cursor.number("Client's receive MTU", 2) { language.octets($0) }
        case .exchangeMTUResponse: cursor.number("Server's receive MTU", 2) { language.octets($0) }
        case .findInformationRequest: range(&cursor, context)
        case .readByTypeRequest, .readByGroupTypeRequest:
            range(&cursor, context)
            cursor.uuid("Type", cursor.remaining)
        case .findByTypeValueRequest:
            range(&cursor, context)
            let type = cursor.number("Type", 2) { FieldWords.uuid(BluetoothUUID(UInt16(truncatingIfNeeded: $0))) }
            typeValue(&cursor, type)
        case .readRequest: cursor.number("Handle", 2, context.handle)
        case .readBlobRequest:
            cursor.number("Handle", 2, context.handle)
            cursor.number("Offset", 2)
        case .readMultipleRequest, .readMultipleVariableRequest:
            while cursor.remaining >= 2 { cursor.number("Handle", 2, context.handle) }
        case .readResponse: ValueFields.value("Value", of: context.attribute, &cursor)
        case .readBlobResponse: cursor.octets("Part of the value")
        case .readMultipleResponse: cursor.octets("Values")
        case .executeWriteRequest:
            cursor.number("Flags", 1) {
                switch $0 {
                case 0: language("cancel all prepared writes", "取消所有准备的写入")
                case 1: language("write", "写入")
                default: "\($0)"
                }
            }
        case .prepareWriteRequest, .prepareWriteResponse:
            cursor.number("Handle", 2, context.handle)
            cursor.number("Offset", 2)
            cursor.octets("Part of the value")
        case .writeRequest, .writeCommand, .handleValueNotification, .handleValueIndication:
            handleValue(&cursor, context)
        case .signedWriteCommand: signedWrite(&cursor, context)
        default: list(opcode, &cursor, context)
        }
    }

    private static func name(_ opcode: ATT.Opcode, _ language: TextLanguage) -> String {
        language("\(opcode)", opcode.specificationName)
    }

    /// The PDUs with several entries.
    private static func list(_ opcode: ATT.Opcode, _ cursor: inout FieldCursor, _ context: FieldContext) {
        let language = cursor.language
        switch opcode {
        case .findInformationResponse: information(&cursor)
        case .findByTypeValueResponse:
            while cursor.remaining >= 4 { cursor.group("Group", 4) { range(&$0, context) } }
        case .readByTypeResponse: types(&cursor, context)
        case .readByGroupTypeResponse: groups(&cursor)
        case .readMultipleVariableResponse:
            while let length = cursor.peekNumber(2) {
                cursor.group("Value", 2 + Int(length)) { entry in
                    entry.number("Length", 2) { language.octets($0) }
                    entry.octets("Value")
                }
            }
        case .multipleHandleValueNotification:
            while let length = cursor.peekNumber(2, at: 2) {
                cursor.group("Value", 4 + Int(length)) { entry in
                    let type = entry.peekNumber(2).flatMap { context.name(UInt16(truncatingIfNeeded: $0)) }
                    entry.number("Handle", 2, context.handle)
                    entry.number("Length", 2) { language.octets($0) }
                    ValueFields.value("Value", of: type, &entry)
                }
            }
        default: break
        }
    }

    private static func range(_ cursor: inout FieldCursor, _ context: FieldContext) {
        cursor.number("First handle", 2, context.handle)
        cursor.number("Last handle", 2, context.handle)
    }

    private static func handleValue(_ cursor: inout FieldCursor, _ context: FieldContext) {
        let handle = cursor.peekNumber(2)
        cursor.number("Handle", 2) { value in
            let digits = hexadecimal(value, digits: 4)
            return context.attribute.map { "\(digits) (\(ValueText.name($0)))" } ?? context.handle(value)
        }
        let type = context.attribute ?? handle.flatMap { context.name(UInt16(truncatingIfNeeded: $0)) }
        ValueFields.value("Value", of: type, &cursor)
    }

    /// A value, a sign counter of 4 octets and a MAC of 8 (Vol 3, Part F, 3.4.5.4).
    private static func signedWrite(_ cursor: inout FieldCursor, _ context: FieldContext) {
        cursor.number("Handle", 2, context.handle)
        guard cursor.remaining >= 12 else { return }
        let count = cursor.remaining - 12
        if count > 0 { cursor.octets("Value", count) }
        cursor.number("Sign counter", 4)
        cursor.octets("Message authentication code", 8)
    }

    private static func typeValue(_ cursor: inout FieldCursor, _ type: UInt64?) {
        let count = cursor.remaining
        if type == 0x2800 || type == 0x2801, count == 2 || count == 16 {
            cursor.uuid("Service", count)
        } else {
            ValueFields.value("Value", of: type.map { BluetoothUUID(UInt16(truncatingIfNeeded: $0)) }, &cursor)
        }
    }

    private static func information(_ cursor: inout FieldCursor) {
        let language = cursor.language
        let format = cursor.number("Format", 1) {
            switch $0 {
            case 1: language("16-bit UUIDs", "16 位 UUID")
            case 2: language("128-bit UUIDs", "128 位 UUID")
            default: "\($0)"
            }
        }
        guard format == 1 || format == 2 else { return }
        let width = format == 1 ? 2 : 16
        while cursor.remaining >= 2 + width {
            cursor.group("Attribute", 2 + width) { entry in
                entry.number("Handle", 2) { hexadecimal($0, digits: 4) }
                entry.uuid("Type", width)
            }
            cursor.describeLastByChild(1)
        }
    }

    private static func types(_ cursor: inout FieldCursor, _ context: FieldContext) {
        let language = cursor.language
        guard let length = cursor.number("Length of an entry", 1, { language.octets($0) }), length >= 2 else { return }
        let type = context.request?.type ?? 0
        while cursor.remaining >= Int(length) {
            cursor.group(
                type == 0x2803 ? "Characteristic" : type == 0x2802 ? "Included service" : "Attribute", Int(length)
            ) {
                entry in
                entry.number("Handle", 2) { hexadecimal($0, digits: 4) }
                switch type {
                case 0x2803: ValueFields.characteristic(&entry)
                case 0x2802: ValueFields.include(&entry)
                default: ValueFields.value("Value", of: type == 0 ? nil : BluetoothUUID(type), &entry)
                }
            }
            if type == 0x2803 { cursor.describeLastByChild(3) }
        }
    }

    private static func groups(_ cursor: inout FieldCursor) {
        let language = cursor.language
        guard let length = cursor.number("Length of an entry", 1, { language.octets($0) }), length >= 4 else { return }
        while cursor.remaining >= Int(length) {
            cursor.group("Service", Int(length)) { entry in
                entry.number("First handle", 2) { hexadecimal($0, digits: 4) }
                entry.number("Last handle", 2) { hexadecimal($0, digits: 4) }
                let width = entry.remaining
                if width == 2 || width == 16 { entry.uuid("Service", width) }
            }
            cursor.describeLastByChild(2)
        }
    }
}
