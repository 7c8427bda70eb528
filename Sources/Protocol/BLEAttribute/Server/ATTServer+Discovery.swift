import BLEWire

/// Requests that search the database (Vol 3, Part F, 3.4.3, 3.4.4.1 and 3.4.4.9). Each response holds as many entries
/// of equal length as fit.
extension ATTServer {
    /// Throws Invalid Handle if the range is not valid: it starts at 0, or after its end (Vol 3, Part F, 3.4.3.1).
    private static func check(_ range: HandleRange) throws(ATTRequestError) {
        guard range.start >= 1, range.start <= range.end else { throw ATTRequestError(.invalidHandle, range.start) }
    }

    mutating func answer(
        _ request: ATT.FindInformationRequest, _ database: borrowing AttributeDatabase, _ mtu: Int,
        output: inout ATTOutput
    ) throws(ATTRequestError) {
        try Self.check(request.range)
        scratch.removeAll(keepingCapacity: true)
        var typeLength = 0
        for index in database.indices(in: request.range) {
            let attribute = database.attributes[index]
            let length = attribute.type.attributeOctetCount
            if typeLength == 0 { typeLength = length }
            guard length == typeLength, scratch.count + 2 + length <= mtu - 2 else { break }
            scratch.append(littleEndian: attribute.handle)
            scratch.append(attributeType: attribute.type)
        }
        guard typeLength != 0 else { throw ATTRequestError(.attributeNotFound, request.range.start) }
        output.send(ATT.FindInformationResponse(typeLength: typeLength, data: scratch.span))
    }

    mutating func answer(
        _ request: ATT.FindByTypeValueRequest, _ database: borrowing AttributeDatabase, _ security: LinkSecurity,
        _ mtu: Int, output: inout ATTOutput
    ) throws(ATTRequestError) {
        try Self.check(request.range)
        scratch.removeAll(keepingCapacity: true)
        let type = BluetoothUUID(request.type)
        for index in database.indices(in: request.range) where database.attributes[index].type == type {
            let attribute = database.attributes[index]
            // Values that are not static or not readable match nothing.
            guard case .fixed(let value) = attribute.value, value.span.elementsEqual(request.value),
                attribute.refusal(of: .read, security, database.encryptedAccess) == nil
            else { continue }
            guard scratch.count + 4 <= mtu - 1 else { break }
            scratch.append(littleEndian: attribute.handle)
            scratch.append(littleEndian: attribute.groupEnd)
        }
        guard !scratch.isEmpty else { throw ATTRequestError(.attributeNotFound, request.range.start) }
        output.send(ATT.FindByTypeValueResponse(data: scratch.span))
    }

    mutating func answer(
        _ request: ATT.ReadByTypeRequest, _ database: borrowing AttributeDatabase, _ security: LinkSecurity,
        _ mtu: Int, output: inout ATTOutput
    ) throws(ATTRequestError) {
        try Self.check(request.range)
        scratch.removeAll(keepingCapacity: true)
        let valueLimit = min(mtu - 4, 253)
        var length = 0
        for index in database.indices(in: request.range) where database.attributes[index].type == request.type {
            let attribute = database.attributes[index]
            let isFirst = length == 0
            if let code = attribute.refusal(of: .read, security, database.encryptedAccess) {
                // An attribute that must not be read ends the list. If it is the first, the request fails.
                guard isFirst else { break }
                throw ATTRequestError(code, attribute.handle)
            }
            let before = scratch.count
            scratch.append(littleEndian: attribute.handle)
            guard collect(attribute, limit: valueLimit) != nil else {
                scratch.removeSubrange(before...)
                guard isFirst else { break }
                return ask(.readByTypeRequest, handle: attribute.handle, offset: 0, .readByType, output: &output)
            }
            if isFirst { length = scratch.count }
            guard scratch.count - before == length, scratch.count <= mtu - 2 else {
                scratch.removeSubrange(before...)
                break
            }
        }
        guard length != 0 else { throw ATTRequestError(.attributeNotFound, request.range.start) }
        output.send(ATT.ReadByTypeResponse(length: length, data: scratch.span))
    }

    mutating func answer(
        _ request: ATT.ReadByGroupTypeRequest, _ database: borrowing AttributeDatabase, _ mtu: Int,
        output: inout ATTOutput
    ) throws(ATTRequestError) {
        try Self.check(request.range)
        guard GATTType.isServiceDeclaration(request.type) else {
            throw ATTRequestError(.unsupportedGroupType, request.range.start)
        }
        scratch.removeAll(keepingCapacity: true)
        var length = 0
        for index in database.indices(in: request.range) where database.attributes[index].type == request.type {
            let attribute = database.attributes[index]
            guard case .fixed(let uuid) = attribute.value else { continue }
            if length == 0 { length = 4 + uuid.count }
            guard length == 4 + uuid.count, scratch.count + length <= mtu - 2 else { break }
            scratch.append(littleEndian: attribute.handle)
            scratch.append(littleEndian: attribute.groupEnd)
            scratch.append(uuid.span)
        }
        guard length != 0 else { throw ATTRequestError(.attributeNotFound, request.range.start) }
        output.send(ATT.ReadByGroupTypeResponse(length: length, data: scratch.span))
    }
}
