import BLEWire

/// Writes of the peer (Vol 3, Part F, 3.4.5 and 3.4.6).
extension ATTServer {
    mutating func answer(
        _ request: ATT.WriteRequest, _ database: borrowing AttributeDatabase, _ security: LinkSecurity,
        output: inout ATTOutput
    ) throws(ATTRequestError) {
        let attribute = try database.attribute(request.handle, for: .write, security)
        switch attribute.value {
        case .fixed, .databaseHash: throw ATTRequestError(.writeNotPermitted, request.handle)
        case .clientSupportedFeatures: try setFeatures(request, database, security, output: &output)
        case .clientConfiguration(let valueHandle, let allowed):
            let isProtected = attribute.access.contains(.writeEncrypted)
            try configure(request, valueHandle, allowed, isProtected, database, security, output: &output)
        case .dynamic:
            guard request.value.count <= ATT.maximumValueLength else {
                throw ATTRequestError(.invalidAttributeValueLength, request.handle)
            }
            let items = Self.store(request.value, request.handle, in: &output.arena)
            askToWrite(.writeRequest, request.handle, items, output: &output)
        }
    }

    /// Copies a whole value into the arena, as the only item of a write request.
    private static func store(_ value: Span<UInt8>, _ handle: UInt16, in arena: inout EventArena) -> Range<Int> {
        let first = arena.writeItems.count
        arena.writeItems.append(ATTWriteItem(handle: handle, offset: 0, value: arena.store(value)))
        return first..<first + 1
    }

    /// Writes a client's own configuration of a characteristic (Vol 3, Part G, 3.3.3.3). It takes effect after the
    /// Write Response, so that no value precedes the response.
    private mutating func configure(
        _ request: ATT.WriteRequest, _ valueHandle: UInt16, _ allowed: UInt16, _ isProtected: Bool,
        _ database: borrowing AttributeDatabase, _ security: LinkSecurity, output: inout ATTOutput
    ) throws(ATTRequestError) {
        var value = request.value
        guard let bits = try? value.readUInt16(), value.isEmpty else {
            throw ATTRequestError(.invalidAttributeValueLength, request.handle)
        }
        guard bits & ~allowed == 0 else { throw ATTRequestError(.valueNotAllowed, request.handle) }
        output.send(ATT.WriteResponse())
        let index: Int
        if let known = configurations.firstIndex(where: { $0.valueHandle == valueHandle }) {
            index = known
        } else {
            index = configurations.count
            configurations.append(
                Configuration(valueHandle: valueHandle, bits: 0, active: 0, isProtected: isProtected))
        }
        guard bits != configurations[index].bits else { return }
        configurations[index].bits = bits
        updateActiveConfigurations(database, security)
        output.emit(.subscriptionChanged(valueHandle: valueHandle, configuration: bits))
        clientStateChanged(database, output: &output)
    }

    /// Writes Client Supported Features. A client cannot clear a bit (Vol 3, Part G, 7.2). Bits that are reserved for future use
    /// are ignored.
    private mutating func setFeatures(
        _ request: ATT.WriteRequest, _ database: borrowing AttributeDatabase, _ security: LinkSecurity,
        output: inout ATTOutput
    ) throws(ATTRequestError) {
        let value = request.value
        guard !value.isEmpty, value.count <= ATT.maximumValueLength else {
            throw ATTRequestError(.invalidAttributeValueLength, request.handle)
        }
        let written = ClientFeatures(rawValue: value[0]).intersection(.known)
        guard features.isSubset(of: written) else { throw ATTRequestError(.valueNotAllowed, request.handle) }
        output.send(ATT.WriteResponse())
        guard written != features else { return }
        features = written
        updateActiveConfigurations(database, security)
        clientStateChanged(database, output: &output)
    }

    /// Requests the owner to write the items.
    private mutating func askToWrite(
        _ opcode: ATT.Opcode, _ handle: UInt16, _ items: Range<Int>, output: inout ATTOutput
    ) {
        let id = makePending(opcode, handle: handle, .write)
        output.emit(.writeRequest(request: id, items: items, needsResponse: true))
    }

    /// Takes a Write Command. A refused command gets no answer (Vol 3, Part F, 3.4.5.3), and neither does a command of a
    /// change-unaware client with robust caching (Vol 3, Part G, 2.5.2.1).
    mutating func receive(
        _ command: ATT.WriteCommand, _ database: borrowing AttributeDatabase, _ security: LinkSecurity,
        output: inout ATTOutput
    ) {
        take(command.value, command.handle, for: .write, database, security, output: &output)
    }

    /// Takes an authentic Signed Write Command (Vol 3, Part F, 3.4.5.4) in the same way.
    mutating func receive(
        _ command: ATT.SignedWriteCommand, _ database: borrowing AttributeDatabase, _ security: LinkSecurity,
        output: inout ATTOutput
    ) {
        take(command.value, command.handle, for: .writeSigned, database, security, output: &output)
    }

    private mutating func take(
        _ value: Span<UInt8>, _ handle: UInt16, for access: Attribute.Access, _ database: borrowing AttributeDatabase,
        _ security: LinkSecurity, output: inout ATTOutput
    ) {
        guard !isWithholding, value.count <= ATT.maximumValueLength,
            let attribute = try? database.attribute(handle, for: access, security), case .dynamic = attribute.value
        else { return }
        let items = Self.store(value, handle, in: &output.arena)
        output.emit(.writeRequest(request: makeNumber(), items: items, needsResponse: false))
    }

    mutating func respondToWrite(_ request: UInt32, _ error: ATT.ErrorCode?, output: inout ATTOutput) {
        guard let pending = takePending(request, isWrite: true) else { return }
        if let error, error.rawValue != 0 {
            output.send(ATT.ErrorResponse(request: pending.request, handle: pending.handle, code: error))
        } else if pending.request == .executeWriteRequest {
            output.send(ATT.ExecuteWriteResponse())
        } else {
            output.send(ATT.WriteResponse())
        }
    }

    mutating func answer(
        _ request: ATT.PrepareWriteRequest, _ database: borrowing AttributeDatabase, _ security: LinkSecurity,
        output: inout ATTOutput
    ) throws(ATTRequestError) {
        // A client configuration of two octets is written whole (Vol 3, Part G, 4.12.3), never in parts.
        guard case .dynamic = try database.attribute(request.handle, for: .write, security).value else {
            throw ATTRequestError(.writeNotPermitted, request.handle)
        }
        // The queue is limited, and the request fails if it is full (Vol 3, Part F, 3.4.6.1).
        guard prepareQueue.append(request) else { throw ATTRequestError(.prepareQueueFull, request.handle) }
        output.send(
            ATT.PrepareWriteResponse(handle: request.handle, offset: request.offset, value: request.value))
    }

    mutating func answer(
        _ request: ATT.ExecuteWriteRequest, _ database: borrowing AttributeDatabase, _ security: LinkSecurity,
        output: inout ATTOutput
    ) throws(ATTRequestError) {
        defer { prepareQueue.removeAll() }
        guard request.writes, let first = prepareQueue.items.first else {
            return output.send(ATT.ExecuteWriteResponse())
        }
        // One item that cannot be written fails all of them (Vol 3, Part F, 3.4.6.3).
        for item in prepareQueue.items {
            // The attribute has left the database since its Prepare Write.
            guard database.index(of: item.handle) != nil else { throw ATTRequestError(.databaseOutOfSync, item.handle) }
            _ = try database.attribute(item.handle, for: .write, security)
            guard item.offset <= ATT.maximumValueLength else { throw ATTRequestError(.invalidOffset, item.handle) }
            guard item.offset + item.value.count <= ATT.maximumValueLength else {
                throw ATTRequestError(.invalidAttributeValueLength, item.handle)
            }
        }
        let start = output.arena.writeItems.count
        for var item in prepareQueue.items {
            item.value = output.arena.store(prepareQueue.octets.span.extracting(item.value))
            output.arena.writeItems.append(item)
        }
        askToWrite(.executeWriteRequest, first.handle, start..<output.arena.writeItems.count, output: &output)
    }
}
