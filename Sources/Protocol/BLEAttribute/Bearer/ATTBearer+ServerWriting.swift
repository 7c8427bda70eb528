import BLEWire

/// Writes of the peer (Vol 3, Part F, 3.4.5 and 3.4.6).
extension ATTBearer {
    mutating func answer(
        _ request: ATT.WriteRequest, _ database: borrowing AttributeDatabase, _ security: LinkSecurity,
        output: inout ATTOutput
    ) {
        let handle = request.handle
        guard let index = database.index(of: handle) else {
            return refuse(.writeRequest, .invalidHandle, handle: handle, output: &output)
        }
        let attribute = database.attributes[index]
        if let code = attribute.writeRefusal(security, database.encryptedAccess) {
            return refuse(.writeRequest, code, handle: handle, output: &output)
        }
        switch attribute.value {
        case .fixed, .databaseHash: refuse(.writeRequest, .writeNotPermitted, handle: handle, output: &output)
        case .clientSupportedFeatures:
            if let code = setFeatures(request.value, database, security, output: &output) {
                refuse(.writeRequest, code, handle: handle, output: &output)
            }
        case .clientConfiguration(let valueHandle, let allowed):
            let isProtected = attribute.access.contains(.writeEncrypted)
            if let code = configure(
                valueHandle, allowed, isProtected, request.value, database, security, output: &output)
            {
                refuse(.writeRequest, code, handle: handle, output: &output)
            }
        case .dynamic:
            guard request.value.count <= ATT.maximumValueLength else {
                return refuse(.writeRequest, .invalidAttributeValueLength, handle: handle, output: &output)
            }
            let first = output.arena.writeItems.count
            let value = output.arena.store(request.value)
            output.arena.writeItems.append(ATTWriteItem(handle: handle, offset: 0, value: value))
            askToWrite(.writeRequest, handle, first..<first + 1, output: &output)
        }
    }

    /// Writes a client's own configuration of a characteristic (Vol 3, Part G, 3.3.3.3). It takes effect after the
    /// Write Response, so that no value precedes the response.
    private mutating func configure(
        _ valueHandle: UInt16, _ allowed: UInt16, _ isProtected: Bool, _ value: Span<UInt8>,
        _ database: borrowing AttributeDatabase, _ security: LinkSecurity, output: inout ATTOutput
    ) -> ATT.ErrorCode? {
        guard value.count == 2 else { return .invalidAttributeValueLength }
        let bits = UInt16(value[0]) | UInt16(value[1]) << 8
        guard bits & ~allowed == 0 else { return .valueNotAllowed }
        output.send(ATT.WriteResponse())
        let index: Int
        if let known = server.configurations.firstIndex(where: { $0.valueHandle == valueHandle }) {
            index = known
        } else {
            index = server.configurations.count
            server.configurations.append(
                .init(valueHandle: valueHandle, bits: 0, active: 0, isProtected: isProtected))
        }
        guard bits != server.configurations[index].bits else { return nil }
        server.configurations[index].bits = bits
        updateActiveConfigurations(database, security)
        output.emit(.subscriptionChanged(valueHandle: valueHandle, configuration: bits))
        clientStateChanged(database, output: &output)
        return nil
    }

    /// Writes Client Supported Features. A client cannot clear a bit (Vol 3, Part G, 7.2). Bits that are reserved for future use
    /// are ignored.
    private mutating func setFeatures(
        _ value: Span<UInt8>, _ database: borrowing AttributeDatabase, _ security: LinkSecurity,
        output: inout ATTOutput
    ) -> ATT.ErrorCode? {
        guard !value.isEmpty, value.count <= ATT.maximumValueLength else { return .invalidAttributeValueLength }
        let features = ClientFeatures(rawValue: value[0]).intersection(.known)
        guard server.features.isSubset(of: features) else { return .valueNotAllowed }
        output.send(ATT.WriteResponse())
        guard features != server.features else { return nil }
        server.features = features
        updateActiveConfigurations(database, security)
        clientStateChanged(database, output: &output)
        return nil
    }

    /// Requests the owner to write the items.
    private mutating func askToWrite(
        _ opcode: ATT.Opcode, _ handle: UInt16, _ items: Range<Int>, output: inout ATTOutput
    ) {
        let id = server.makeRequest()
        server.pending = ServerState.Pending(id: id, request: opcode, handle: handle, kind: .write)
        output.emit(.writeRequest(request: id, items: items, needsResponse: true))
    }

    /// Takes a Write Command. A refused command gets no answer (Vol 3, Part F, 3.4.5.3), and neither does a command of a
    /// change-unaware client with robust caching (Vol 3, Part G, 2.5.2.1).
    mutating func receive(
        _ command: ATT.WriteCommand, database: borrowing AttributeDatabase, security: LinkSecurity,
        output: inout ATTOutput
    ) {
        guard !server.isWithholding, let index = database.index(of: command.handle),
            command.value.count <= ATT.maximumValueLength,
            database.attributes[index].writeRefusal(security, database.encryptedAccess) == nil,
            case .dynamic = database.attributes[index].value
        else { return }
        let first = output.arena.writeItems.count
        let value = output.arena.store(command.value)
        output.arena.writeItems.append(ATTWriteItem(handle: command.handle, offset: 0, value: value))
        output.emit(
            .writeRequest(request: server.makeRequest(), items: first..<first + 1, needsResponse: false))
    }

    /// Answers a `writeRequest` that needs a response. A nil error or code 0 accepts it. Unknown requests are ignored.
    package mutating func respondToWrite(
        _ request: UInt32, error: ATT.ErrorCode? = nil, at now: Instant, output: inout ATTOutput
    ) {
        guard let pending = takePending(request, isWrite: true) else { return }
        if let error, error.rawValue != 0 {
            refuse(pending.request, error, handle: pending.handle, output: &output)
        } else if pending.request == .executeWriteRequest {
            output.send(ATT.ExecuteWriteResponse())
        } else {
            output.send(ATT.WriteResponse())
        }
    }

    mutating func answer(
        _ request: ATT.PrepareWriteRequest, _ database: borrowing AttributeDatabase, _ security: LinkSecurity,
        output: inout ATTOutput
    ) {
        let handle = request.handle
        guard let index = database.index(of: handle) else {
            return refuse(.prepareWriteRequest, .invalidHandle, handle: handle, output: &output)
        }
        let attribute = database.attributes[index]
        if let code = attribute.writeRefusal(security, database.encryptedAccess) {
            return refuse(.prepareWriteRequest, code, handle: handle, output: &output)
        }
        // A client configuration of two octets is written whole (Vol 3, Part G, 4.12.3), never in parts.
        guard case .dynamic = attribute.value else {
            return refuse(.prepareWriteRequest, .writeNotPermitted, handle: handle, output: &output)
        }
        // The queue is limited, and the request fails if it is full (Vol 3, Part F, 3.4.6.1).
        guard server.prepared.count < ServerState.preparedLimit,
            server.preparedOctets.count + request.value.count <= ServerState.preparedOctetLimit
        else { return refuse(.prepareWriteRequest, .prepareQueueFull, handle: handle, output: &output) }
        let start = server.preparedOctets.count
        server.preparedOctets.append(request.value)
        server.prepared.append(
            .init(handle: handle, offset: Int(request.offset), value: start..<server.preparedOctets.count))
        output.send(ATT.PrepareWriteResponse(handle: handle, offset: request.offset, value: request.value))
    }

    mutating func answer(
        _ request: ATT.ExecuteWriteRequest, _ database: borrowing AttributeDatabase, _ security: LinkSecurity,
        output: inout ATTOutput
    ) {
        defer { server.dropPrepared() }
        guard request.writes, let first = server.prepared.first else { return output.send(ATT.ExecuteWriteResponse()) }
        // One item that cannot be written fails all of them (Vol 3, Part F, 3.4.6.3).
        for item in server.prepared {
            let code: ATT.ErrorCode? =
                if let index = database.index(of: item.handle) {
                    if let refusal = database.attributes[index].writeRefusal(security, database.encryptedAccess) {
                        refusal
                    } else if item.offset > ATT.maximumValueLength {
                        .invalidOffset
                    } else if item.offset + item.value.count > ATT.maximumValueLength {
                        .invalidAttributeValueLength
                    } else {
                        nil
                    }
                } else {
                    .invalidHandle
                }
            if let code { return refuse(.executeWriteRequest, code, handle: item.handle, output: &output) }
        }
        let items = output.arena.writeItems.count..<output.arena.writeItems.count + server.prepared.count
        for item in server.prepared {
            let value = output.arena.store(server.preparedOctets.span.extracting(item.value))
            output.arena.writeItems.append(ATTWriteItem(handle: item.handle, offset: item.offset, value: value))
        }
        askToWrite(.executeWriteRequest, first.handle, items, output: &output)
    }
}
