import BLEWire

extension ATTBearer {
    /// Sends an Error Response (Vol 3, Part F, 3.4.1.1).
    mutating func refuse(
        _ request: ATT.Opcode, _ code: ATT.ErrorCode, handle: UInt16 = 0, output: inout ATTOutput
    ) {
        output.send(ATT.ErrorResponse(request: request, handle: handle, code: code))
    }

    /// Takes one request of the peer.
    mutating func receiveRequest(
        _ packet: ATT.Packet, _ opcode: ATT.Opcode, database: borrowing AttributeDatabase, security: LinkSecurity,
        at now: Instant,
        output: inout ATTOutput
    ) {
        // A client may have only one outstanding request (Vol 3, Part F, 3.3.2). A second request gets no answer: the
        // client would take any other PDU for the answer to the first.
        guard server.pending == nil else { return }
        if !server.awareness.isAware, !admit(packet, opcode, database, security, at: now, output: &output) { return }
        switch packet {
        case .exchangeMTURequest(let request): answer(request, output: &output)
        case .findInformationRequest(let request): answer(request, database, output: &output)
        case .findByTypeValueRequest(let request): answer(request, database, security, output: &output)
        case .readByTypeRequest(let request): answer(request, database, security, output: &output)
        case .readByGroupTypeRequest(let request): answer(request, database, output: &output)
        case .readRequest(let request):
            read(opcode, handle: request.handle, offset: 0, database, security, output: &output)
        case .readBlobRequest(let request):
            read(opcode, handle: request.handle, offset: Int(request.offset), database, security, output: &output)
        case .readMultipleRequest(let request):
            readMultiple(opcode, request.octets, isVariable: false, database, security, output: &output)
        case .readMultipleVariableRequest(let request):
            readMultiple(opcode, request.octets, isVariable: true, database, security, output: &output)
        case .writeRequest(let request): answer(request, database, security, output: &output)
        case .prepareWriteRequest(let request): answer(request, database, security, output: &output)
        case .executeWriteRequest(let request): answer(request, database, security, output: &output)
        default: refuse(opcode, .requestNotSupported, output: &output)
        }
    }

    private mutating func answer(_ request: ATT.ExchangeMTURequest, output: inout ATTOutput) {
        output.send(ATT.ExchangeMTUResponse(number: localMTU))
        // A client sends this request once for each link (Vol 3, Part F, 3.4.2.1), so a second one changes nothing. It
        // still gets the response: after an Error Response with Request Not Supported a client uses 23 octets (Vol 3,
        // Part G, 4.3.1), and the two sides would use different values.
        guard !server.hasExchangedMTU else { return }
        server.hasExchangedMTU = true
        let agreed = max(ATT.defaultMTU, min(localMTU, request.number))
        guard agreed != mtu else { return }
        mtu = agreed
        output.emit(.mtuChanged(agreed))
    }

    /// Appends to `server.scratch` the part of a value that the bearer itself stores. Returns the whole value's length,
    /// or nil for a dynamic value.
    mutating func collect(_ attribute: Attribute, from offset: Int = 0, limit: Int) -> Int? {
        switch attribute.value {
        case .dynamic: return nil
        case .fixed(let value):
            if offset < value.count {
                server.scratch.append(value.span.extracting(offset..<min(value.count, offset + max(0, limit))))
            }
            return value.count
        case .clientConfiguration(let valueHandle, _):
            // Two octets, the least significant first (Vol 3, Part G, 3.3.3.3).
            let bits = server.configurations.first { $0.valueHandle == valueHandle }?.bits ?? 0
            for index in offset..<max(offset, min(2, offset + max(0, limit))) {
                server.scratch.append(UInt8(truncatingIfNeeded: bits >> (8 * UInt16(index))))
            }
            return 2
        case .clientSupportedFeatures:
            if offset == 0 { server.scratch.append(server.features.rawValue) }
            return 1
        case .databaseHash(let value):
            server.awareness.hashWasRead()
            if offset < value.count {
                server.scratch.append(value.span.extracting(offset..<min(value.count, offset + max(0, limit))))
            }
            return value.count
        }
    }

    /// Answers a Read Request or a Read Blob Request (Vol 3, Part F, 3.4.4.3 and 3.4.4.5).
    private mutating func read(
        _ opcode: ATT.Opcode, handle: UInt16, offset: Int, _ database: borrowing AttributeDatabase,
        _ security: LinkSecurity,
        output: inout ATTOutput
    ) {
        guard let index = database.index(of: handle) else {
            return refuse(opcode, .invalidHandle, handle: handle, output: &output)
        }
        let attribute = database.attributes[index]
        if let code = attribute.readRefusal(security, database.encryptedAccess) {
            return refuse(opcode, code, handle: handle, output: &output)
        }
        server.scratch.removeAll(keepingCapacity: true)
        guard let count = collect(attribute, from: offset, limit: Int(mtu) - 1) else {
            return ask(opcode, handle: handle, offset: offset, kind: .read, output: &output)
        }
        guard offset <= count else { return refuse(opcode, .invalidOffset, handle: handle, output: &output) }
        sendRead(opcode, server.scratch.span, output: &output)
    }

    /// A response carries at most ATT_MTU - 1 octets (Vol 3, Part F, 3.4.4.4 and 3.4.4.6).
    private func sendRead(_ opcode: ATT.Opcode, _ value: Span<UInt8>, output: inout ATTOutput) {
        let value = value.extracting(first: min(value.count, Int(mtu) - 1))
        if opcode == .readBlobRequest {
            output.send(ATT.ReadBlobResponse(value: value))
        } else {
            output.send(ATT.ReadResponse(value: value))
        }
    }

    /// Requests a dynamic value from the owner.
    mutating func ask(
        _ opcode: ATT.Opcode, handle: UInt16, offset: Int, kind: ServerState.Pending.Kind, output: inout ATTOutput
    ) {
        let id = server.makeRequest()
        server.pending = ServerState.Pending(id: id, request: opcode, handle: handle, kind: kind)
        output.emit(.readRequest(request: id, handle: handle, offset: offset))
    }

    /// Answers Read Multiple and Read Multiple Variable (Vol 3, Part F, 3.4.4.7 and 3.4.4.11). One attribute that must
    /// not be read fails the request.
    private mutating func readMultiple(
        _ opcode: ATT.Opcode, _ handles: Span<UInt8>, isVariable: Bool, _ database: borrowing AttributeDatabase,
        _ security: LinkSecurity,
        output: inout ATTOutput
    ) {
        var rest = handles
        var parts: [MultipleRead.Part] = []
        while let handle = try? rest.readUInt16() {
            guard let index = database.index(of: handle) else {
                return refuse(opcode, .invalidHandle, handle: handle, output: &output)
            }
            let attribute = database.attributes[index]
            if let code = attribute.readRefusal(security, database.encryptedAccess) {
                return refuse(opcode, code, handle: handle, output: &output)
            }
            server.scratch.removeAll(keepingCapacity: true)
            let isFixed = collect(attribute, limit: ATT.maximumValueLength) != nil
            parts.append(isFixed ? .fixed(server.scratch) : .dynamic(handle))
        }
        advance(MultipleRead(isVariable: isVariable, parts: parts), opcode, output: &output)
    }

    /// Requests the next dynamic value, or sends the response if there is none.
    private mutating func advance(_ read: consuming MultipleRead, _ opcode: ATT.Opcode, output: inout ATTOutput) {
        if let handle = read.advance() {
            return ask(opcode, handle: handle, offset: 0, kind: .readMultiple(read), output: &output)
        }
        let octets = read.collected(limit: Int(mtu) - 1)
        if opcode == .readMultipleVariableRequest {
            output.send(ATT.ReadMultipleVariableResponse(value: octets.span))
        } else {
            output.send(ATT.ReadMultipleResponse(value: octets.span))
        }
    }

    /// Answers a `readRequest` with the value's octets from the request's offset on, cut to the available length.
    /// Unknown requests are ignored.
    package mutating func respondToRead(
        _ request: UInt32, value: Span<UInt8>, at now: Instant, output: inout ATTOutput
    ) {
        guard let pending = takePending(request, isWrite: false) else { return }
        switch pending.kind {
        case .read: sendRead(pending.request, value, output: &output)
        case .readByType:
            // A value in the list has at most ATT_MTU - 4 octets, and at most 253 (Vol 3, Part F, 3.4.4.2).
            let value = value.extracting(first: min(value.count, Int(mtu) - 4, 253))
            server.scratch.removeAll(keepingCapacity: true)
            server.scratch.append(littleEndian: pending.handle)
            server.scratch.append(value)
            output.send(ATT.ReadByTypeResponse(length: 2 + value.count, data: server.scratch.span))
        case .readMultiple(var read):
            read.add(value.extracting(first: min(value.count, ATT.maximumValueLength)))
            advance(read, pending.request, output: &output)
        case .write: break
        }
    }

    /// Refuses a `readRequest`.
    package mutating func respondToRead(
        _ request: UInt32, error: ATT.ErrorCode, at now: Instant, output: inout ATTOutput
    ) {
        guard let pending = takePending(request, isWrite: false) else { return }
        // Code 0 is not an error code (Vol 3, Part F, 3.4.1.1).
        let code = error.rawValue == 0 ? ATT.ErrorCode.unlikelyError : error
        refuse(pending.request, code, handle: pending.handle, output: &output)
    }

    /// Removes and returns the pending request with this number.
    mutating func takePending(_ request: UInt32, isWrite: Bool) -> ServerState.Pending? {
        guard !hasFailed, let pending = server.pending, pending.id == request else { return nil }
        if case .write = pending.kind { guard isWrite else { return nil } } else { guard !isWrite else { return nil } }
        server.pending = nil
        return pending
    }
}
