import BLEWire

/// Reads of the client (Vol 3, Part F, 3.4.4).
extension ATTServer {
    /// Appends to `scratch` the part of a value that the server itself stores. Returns the whole value's length, or nil
    /// for a dynamic value.
    mutating func collect(_ attribute: Attribute, from offset: Int = 0, limit: Int) -> Int? {
        switch attribute.value {
        case .dynamic: return nil
        case .fixed(let value): return collect(value, from: offset, limit: limit)
        case .clientConfiguration(let valueHandle, _):
            // Two octets, the least significant first (Vol 3, Part G, 3.3.3.3).
            let bits = configurations.first { $0.valueHandle == valueHandle }?.bits ?? 0
            for index in offset..<max(offset, min(2, offset + max(0, limit))) {
                scratch.append(UInt8(truncatingIfNeeded: bits >> (8 * UInt16(index))))
            }
            return 2
        case .clientSupportedFeatures:
            if offset == 0 { scratch.append(features.rawValue) }
            return 1
        case .databaseHash(let value):
            awareness.hashWasRead()
            return collect(value, from: offset, limit: limit)
        }
    }

    private mutating func collect(_ value: [UInt8], from offset: Int, limit: Int) -> Int {
        if offset < value.count {
            scratch.append(value.span.extracting(offset..<min(value.count, offset + max(0, limit))))
        }
        return value.count
    }

    /// Answers a Read Request or a Read Blob Request (Vol 3, Part F, 3.4.4.3 and 3.4.4.5).
    mutating func read(
        _ opcode: ATT.Opcode, handle: UInt16, offset: Int, _ database: borrowing AttributeDatabase,
        _ security: LinkSecurity, _ mtu: Int, output: inout ATTOutput
    ) throws(ATTRequestError) {
        let attribute = try database.attribute(handle, for: .read, security)
        scratch.removeAll(keepingCapacity: true)
        guard let count = collect(attribute, from: offset, limit: mtu - 1) else {
            return ask(opcode, handle: handle, offset: offset, .read, output: &output)
        }
        guard offset <= count else { throw ATTRequestError(.invalidOffset, handle) }
        Self.sendRead(opcode, scratch.span, mtu, output: &output)
    }

    /// A response carries at most ATT_MTU - 1 octets (Vol 3, Part F, 3.4.4.4 and 3.4.4.6).
    private static func sendRead(_ opcode: ATT.Opcode, _ value: Span<UInt8>, _ mtu: Int, output: inout ATTOutput) {
        let value = value.extracting(first: min(value.count, mtu - 1))
        if opcode == .readBlobRequest {
            output.send(ATT.ReadBlobResponse(value: value))
        } else {
            output.send(ATT.ReadResponse(value: value))
        }
    }

    /// Requests a dynamic value from the owner.
    mutating func ask(
        _ opcode: ATT.Opcode, handle: UInt16, offset: Int, _ kind: Pending.Kind, output: inout ATTOutput
    ) {
        let id = makePending(opcode, handle: handle, kind)
        output.emit(.readRequest(request: id, handle: handle, offset: offset))
    }

    /// Answers Read Multiple and Read Multiple Variable (Vol 3, Part F, 3.4.4.7 and 3.4.4.11). One attribute that must
    /// not be read fails the request.
    mutating func readMultiple(
        _ opcode: ATT.Opcode, _ handles: Span<UInt8>, _ database: borrowing AttributeDatabase,
        _ security: LinkSecurity, _ mtu: Int, output: inout ATTOutput
    ) throws(ATTRequestError) {
        var rest = handles
        var parts: [MultipleRead.Part] = []
        while let handle = try? rest.readUInt16() {
            let attribute = try database.attribute(handle, for: .read, security)
            scratch.removeAll(keepingCapacity: true)
            let isFixed = collect(attribute, limit: ATT.maximumValueLength) != nil
            parts.append(isFixed ? .fixed(scratch) : .dynamic(handle))
        }
        let isVariable = opcode == .readMultipleVariableRequest
        advance(MultipleRead(isVariable: isVariable, parts: parts), opcode, mtu, output: &output)
    }

    /// Requests the next dynamic value, or sends the response if there is none.
    private mutating func advance(
        _ read: consuming MultipleRead, _ opcode: ATT.Opcode, _ mtu: Int, output: inout ATTOutput
    ) {
        if let handle = read.advance() {
            return ask(opcode, handle: handle, offset: 0, .readMultiple(read), output: &output)
        }
        let octets = read.collected(limit: mtu - 1)
        if read.isVariable {
            output.send(ATT.ReadMultipleVariableResponse(value: octets.span))
        } else {
            output.send(ATT.ReadMultipleResponse(value: octets.span))
        }
    }

    mutating func respondToRead(_ request: UInt32, _ value: Span<UInt8>, _ mtu: Int, output: inout ATTOutput) {
        guard let pending = takePending(request, isWrite: false) else { return }
        switch pending.kind {
        case .read: Self.sendRead(pending.request, value, mtu, output: &output)
        case .readByType:
            // A value in the list has at most ATT_MTU - 4 octets, and at most 253 (Vol 3, Part F, 3.4.4.2).
            let value = value.extracting(first: min(value.count, mtu - 4, 253))
            scratch.removeAll(keepingCapacity: true)
            scratch.append(littleEndian: pending.handle)
            scratch.append(value)
            output.send(ATT.ReadByTypeResponse(length: 2 + value.count, data: scratch.span))
        case .readMultiple(var read):
            read.add(value.extracting(first: min(value.count, ATT.maximumValueLength)))
            advance(read, pending.request, mtu, output: &output)
        case .write: break
        }
    }

    mutating func refuseRead(_ request: UInt32, _ error: ATT.ErrorCode, output: inout ATTOutput) {
        guard let pending = takePending(request, isWrite: false) else { return }
        // Code 0 is not an error code (Vol 3, Part F, 3.4.1.1).
        let code = error.rawValue == 0 ? ATT.ErrorCode.unlikelyError : error
        output.send(ATT.ErrorResponse(request: pending.request, handle: pending.handle, code: code))
    }
}
