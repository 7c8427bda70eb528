import BLEWire

extension ATTBearer {
    /// Queues the exchange of the ATT_MTU; `mtuChanged` follows when it is done.
    package mutating func exchangeMTU(at now: Instant, output: inout ATTOutput) {
        submit(.exchangeMTU(MTUExchange(localMTU: localMTU)), id: nil, at: now, output: &output)
    }

    /// Queues the subscription to the peer's Service Changed (1801, 2A05); ends in `completed`. What a program asks for
    /// goes first.
    package mutating func enableServiceChanged(id: UInt32, at now: Instant, output: inout ATTOutput) {
        submit(.serviceChanged(ServiceChangedSubscription()), id: id, at: now, output: &output)
    }

    /// Queues the read of the peer's GAP device name (2A00); ends in `completed` with its octets. What a program asks for
    /// goes first.
    package mutating func readDeviceName(id: UInt32, at now: Instant, output: inout ATTOutput) {
        submit(.deviceName(DeviceNameRead()), id: id, at: now, output: &output)
    }

    /// Queues an operation; it ends in one `completed`. `.readRSSI` is not for the bearer and completes with an error.
    package mutating func submit(_ operation: GATTOperation, id: UInt32, at now: Instant, output: inout ATTOutput) {
        submit(ClientTask(operation), id: id, at: now, output: &output)
    }

    private mutating func submit(_ task: ClientTask, id: UInt32?, at now: Instant, output: inout ATTOutput) {
        guard !hasFailed else {
            if let id { output.events.append(.completed(id: id, .failure(.bearerLost))) }
            return
        }
        let waiting = ClientState.Waiting(id: id, task: task)
        if task.isBackground {
            client.appendBackground(waiting, at: now)
        } else {
            client.waiting.append(waiting)
            client.programIsActive(at: now)
        }
        startNext(at: now, output: &output)
    }

    /// Starts waiting tasks until one has a request outstanding.
    mutating func startNext(at now: Instant, output: inout ATTOutput) {
        while !hasFailed, var next = client.takeNext(at: now) {
            if case .exchangeMTU = next.task, client.hasExchangedMTU {
                // Once for each link (Vol 3, Part F, 3.4.2.1).
                output.events.append(.mtuChanged(mtu))
                continue
            }
            let step = next.task.start(mtu: Int(mtu))
            carryOut(step, of: next.task, id: next.id, at: now, output: &output)
        }
    }

    /// Takes the response to the outstanding request, or the Error Response to it.
    mutating func receiveResponse(_ packet: ATT.Packet, at now: Instant, output: inout ATTOutput) {
        guard var current = client.current.take() else { return }
        let step = current.task.receive(packet, mtu: Int(mtu))
        if !current.task.isBackground { client.programIsActive(at: now) }
        carryOut(step, of: current.task, id: current.id, at: now, output: &output)
        startNext(at: now, output: &output)
    }

    /// Ends the current task from outside.
    mutating func finish(_ result: Result<GATTResult, GATTFailure>, at now: Instant, output: inout ATTOutput) {
        guard let current = client.current.take() else { return }
        if case .exchangeMTU = current.task {
            adopt(peerMTU: nil, output: &output)
        } else if let id = current.id {
            output.events.append(.completed(id: id, result))
        }
        startNext(at: now, output: &output)
    }

    private mutating func carryOut(
        _ step: ClientStep<ClientTask.Outcome>, of task: consuming ClientTask, id: UInt32?, at now: Instant,
        output: inout ATTOutput
    ) {
        switch step {
        case .send(let request):
            if let handle = task.serviceChangedHandle { client.serviceChangedHandle = handle }
            request.send(to: &output)
            client.current = ClientState.Current(
                id: id, task: task, request: request.opcode, deadline: now + Self.transactionTimeout)
        case .finish(.mtu(let peerMTU)):
            adopt(peerMTU: peerMTU, output: &output)
        case .finish(.result(let result)):
            if let id { output.events.append(.completed(id: id, .success(result))) }
        case .fail(let failure):
            if let id { output.events.append(.completed(id: id, .failure(failure))) }
        }
    }

    /// Ends our exchange: the smaller of both receive MTUs holds, and 23 is always possible.
    private mutating func adopt(peerMTU: UInt16?, output: inout ATTOutput) {
        client.hasExchangedMTU = true
        if let peerMTU { mtu = max(ATT.defaultMTU, min(localMTU, peerMTU)) }
        output.events.append(.mtuChanged(mtu))
    }

    /// Sends a Write Command at once. Throws `.valueTooLong` beyond ATT_MTU - 3 octets, `.bearerLost` on a dead bearer.
    package mutating func writeCommand(
        _ value: Span<UInt8>, handle: UInt16, output: inout ATTOutput
    ) throws(GATTFailure) {
        guard !hasFailed else { throw .bearerLost }
        guard value.count <= Int(mtu) - 3 else { throw .valueTooLong }
        output.send(ATT.WriteCommand(handle: handle, value: value))
    }

    /// Confirms the indication that was received last, and allows the peer the next one (Vol 3, Part F, 3.4.7.3). Does nothing if
    /// none waits for that.
    package mutating func confirmIndication(output: inout ATTOutput) {
        guard !hasFailed, client.owesConfirmation else { return }
        client.owesConfirmation = false
        output.send(ATT.HandleValueConfirmation())
    }

    mutating func receiveValue(_ notification: ATT.HandleValueNotification, output: inout ATTOutput) {
        let value = output.store(notification.value)
        output.events.append(.notification(valueHandle: notification.handle, value: value, isIndication: false))
    }

    mutating func receiveIndication(_ indication: ATT.HandleValueIndication, output: inout ATTOutput) {
        // A server has one indication outstanding (Vol 3, Part F, 3.3.2). One that breaks this gets the confirmation of the first
        // alone, and what it sent besides is dropped: so a server cannot send more than the owner takes.
        guard !client.owesConfirmation else { return }
        client.owesConfirmation = true
        if indication.handle == client.serviceChangedHandle {
            var value = indication.value
            guard let start = try? value.readUInt16(), let end = try? value.readUInt16(), value.isEmpty, start >= 1,
                start <= end
            else { return confirmIndication(output: &output) }
            output.events.append(.servicesChanged(HandleRange(start: start, end: end)))
        } else {
            let value = output.store(indication.value)
            output.events.append(.notification(valueHandle: indication.handle, value: value, isIndication: true))
        }
    }
}
