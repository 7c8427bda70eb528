import BLEWire

/// Requests that search the database (Vol 3, Part F, 3.4.3, 3.4.4.1 and 3.4.4.9). Each response holds as many entries
/// of equal length as fit.
extension ATTBearer {
    /// Sends Invalid Handle if the range is not valid: it starts at 0, or after its end (Vol 3, Part F, 3.4.3.1).
    private mutating func isValid(_ range: HandleRange, _ request: ATT.Opcode, output: inout ATTOutput) -> Bool {
        if range.start >= 1, range.start <= range.end { return true }
        refuse(request, .invalidHandle, handle: range.start, output: &output)
        return false
    }

    mutating func answer(
        _ request: ATT.FindInformationRequest, _ database: borrowing AttributeDatabase, output: inout ATTOutput
    ) {
        guard isValid(request.range, .findInformationRequest, output: &output) else { return }
        server.scratch.removeAll(keepingCapacity: true)
        var typeLength = 0
        for index in database.indices(in: request.range) {
            let attribute = database.attributes[index]
            let length = attribute.type.attributeOctetCount
            if typeLength == 0 { typeLength = length }
            guard length == typeLength, server.scratch.count + 2 + length <= Int(mtu) - 2 else { break }
            server.scratch.append(littleEndian: attribute.handle)
            server.scratch.append(attributeType: attribute.type)
        }
        guard typeLength != 0 else {
            return refuse(.findInformationRequest, .attributeNotFound, handle: request.range.start, output: &output)
        }
        output.send(ATT.FindInformationResponse(typeLength: typeLength, data: server.scratch.span))
    }

    mutating func answer(
        _ request: ATT.FindByTypeValueRequest, _ database: borrowing AttributeDatabase, _ security: LinkSecurity,
        output: inout ATTOutput
    ) {
        guard isValid(request.range, .findByTypeValueRequest, output: &output) else { return }
        server.scratch.removeAll(keepingCapacity: true)
        let type = BluetoothUUID(request.type)
        for index in database.indices(in: request.range) where database.attributes[index].type == type {
            let attribute = database.attributes[index]
            // Values that are not static or not readable match nothing.
            guard case .fixed(let value) = attribute.value, value.span.elementsEqual(request.value),
                attribute.readRefusal(security, database.encryptedAccess) == nil
            else { continue }
            guard server.scratch.count + 4 <= Int(mtu) - 1 else { break }
            server.scratch.append(littleEndian: attribute.handle)
            server.scratch.append(littleEndian: attribute.groupEnd)
        }
        guard !server.scratch.isEmpty else {
            return refuse(.findByTypeValueRequest, .attributeNotFound, handle: request.range.start, output: &output)
        }
        output.send(ATT.FindByTypeValueResponse(data: server.scratch.span))
    }

    mutating func answer(
        _ request: ATT.ReadByTypeRequest, _ database: borrowing AttributeDatabase, _ security: LinkSecurity,
        output: inout ATTOutput
    ) {
        guard isValid(request.range, .readByTypeRequest, output: &output) else { return }
        server.scratch.removeAll(keepingCapacity: true)
        let valueLimit = min(Int(mtu) - 4, 253)
        var length = 0
        for index in database.indices(in: request.range) where database.attributes[index].type == request.type {
            let attribute = database.attributes[index]
            let isFirst = length == 0
            if let code = attribute.readRefusal(security, database.encryptedAccess) {
                // An attribute that must not be read ends the list. If it is the first, the request fails.
                guard isFirst else { break }
                return refuse(.readByTypeRequest, code, handle: attribute.handle, output: &output)
            }
            let before = server.scratch.count
            server.scratch.append(littleEndian: attribute.handle)
            guard collect(attribute, limit: valueLimit) != nil else {
                server.scratch.removeSubrange(before...)
                guard isFirst else { break }
                return ask(.readByTypeRequest, handle: attribute.handle, offset: 0, kind: .readByType, output: &output)
            }
            if isFirst { length = server.scratch.count }
            guard server.scratch.count - before == length, server.scratch.count <= Int(mtu) - 2 else {
                server.scratch.removeSubrange(before...)
                break
            }
        }
        guard length != 0 else {
            return refuse(.readByTypeRequest, .attributeNotFound, handle: request.range.start, output: &output)
        }
        output.send(ATT.ReadByTypeResponse(length: length, data: server.scratch.span))
    }

    mutating func answer(
        _ request: ATT.ReadByGroupTypeRequest, _ database: borrowing AttributeDatabase, output: inout ATTOutput
    ) {
        guard isValid(request.range, .readByGroupTypeRequest, output: &output) else { return }
        guard GATTType.isServiceDeclaration(request.type) else {
            return refuse(.readByGroupTypeRequest, .unsupportedGroupType, handle: request.range.start, output: &output)
        }
        server.scratch.removeAll(keepingCapacity: true)
        var length = 0
        for index in database.indices(in: request.range) where database.attributes[index].type == request.type {
            let attribute = database.attributes[index]
            guard case .fixed(let uuid) = attribute.value else { continue }
            if length == 0 { length = 4 + uuid.count }
            guard length == 4 + uuid.count, server.scratch.count + length <= Int(mtu) - 2 else { break }
            server.scratch.append(littleEndian: attribute.handle)
            server.scratch.append(littleEndian: attribute.groupEnd)
            server.scratch.append(uuid.span)
        }
        guard length != 0 else {
            return refuse(.readByGroupTypeRequest, .attributeNotFound, handle: request.range.start, output: &output)
        }
        output.send(ATT.ReadByGroupTypeResponse(length: length, data: server.scratch.span))
    }
}
