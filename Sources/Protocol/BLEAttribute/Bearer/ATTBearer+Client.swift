import BLEWire

extension ATTBearer {
    /// Queues the subscription to the peer's Service Changed characteristic (Vol 3, Part G, 7.1). It ends in one
    /// `completed`. Operations of the program have precedence.
    package mutating func enableServiceChanged(id: UInt32, at now: Instant, output: inout ATTOutput) {
        submit(.serviceChanged(ServiceChangedSubscription()), id: id, at: now, output: &output)
    }

    /// Queues the read of the peer's GAP device name (Vol 3, Part C, 12.1). It ends in one `completed` with the name's
    /// octets. Operations of the program have precedence.
    package mutating func readDeviceName(id: UInt32, at now: Instant, output: inout ATTOutput) {
        submit(.deviceName(DeviceNameRead()), id: id, at: now, output: &output)
    }

    /// Queues an operation. One operation of a bearer runs at a time, in the order of the calls, because a client may
    /// have only one outstanding request (Vol 3, Part F, 3.3.2). Each ends in one `completed`, unless `cancelOperation`
    /// withdraws it or the link ends. With enhanced bearers, reads and discoveries run side by side, and still end in the order
    /// of the calls; all others run alone.
    ///
    /// `setNotify` changes the subscription of `subscriber`. Subscribers of one value share the peer's client
    /// characteristic configuration. If another subscriber has the value when the operation starts, `setNotify`
    /// succeeds without traffic. Otherwise it writes the configuration. A `setNotify` that fails to subscribe leaves no
    /// subscription. It fails with Invalid Handle if a Service Changed indication for its value arrives while it runs.
    ///
    /// `readRSSI` emits `rssiRequested` when it starts. `finishOperation` ends it.
    ///
    /// - Returns: Whether the operation waits for the end of others: there is no output, and the deadline is the same as before.
    @discardableResult
    package mutating func submit(
        _ operation: GATTOperation, id: UInt32, subscriber: Int = 0, at now: Instant, output: inout ATTOutput
    ) -> Bool {
        guard !hasFailed else {
            output.emit(.completed(id: id, .failure(.bearerLost)))
            return false
        }
        client.programIsActive(at: now)
        // Most operations find the bearer idle and skip the queue.
        if client.isIdle(at: now), enhanced.isEmpty || admits(isShareable: operation.isShareable) {
            start(operation, id: id, subscriber: subscriber, at: now, output: &output)
            return false
        }
        client.waiting.append(.operation(operation, id: id, subscriber: subscriber))
        if client.current != nil, enhanced.isEmpty { return true }
        startNext(at: now, output: &output)
        return false
    }

    /// Queues a task of the bearer itself.
    mutating func submit(_ task: consuming ClientTask, id: UInt32? = nil, at now: Instant, output: inout ATTOutput) {
        guard !hasFailed else {
            if let id { output.emit(.completed(id: id, .failure(.bearerLost))) }
            return
        }
        let canSuspend = client.suspendsForSecurity && !task.isBackground
        let submission = ClientState.Submission(id: id, task: task, canSuspend: canSuspend)
        if submission.isBackground {
            client.appendBackground(submission, at: now)
        } else {
            client.programIsActive(at: now)
            client.waiting.append(.task(submission))
        }
        startNext(at: now, output: &output)
    }

    /// Withdraws an operation that has not started or is suspended; no `completed` follows. A suspended operation ends
    /// as with `resume(repeating: false)`. Returns false, without effect, if the operation runs or has ended: its
    /// `completed` follows or has already been emitted.
    package mutating func cancelOperation(_ id: UInt32, at now: Instant, output: inout ATTOutput) -> Bool {
        if let index = client.waiting.firstIndex(where: { $0.id == id }) {
            client.waiting.remove(at: index)
            withdrawn(id, at: now, output: &output)
            return true
        }
        guard let current = client.current, current.id == id, current.suspension != nil else { return false }
        current.id = nil
        withdrawn(id, at: now, output: &output)
        resume(repeating: false, at: now, output: &output)
        return true
    }

    /// Continues the operation of the latest `securityRequired`. Until this call no request is outstanding, the 30 s of
    /// the transaction do not run (Vol 3, Part F, 3.3.3), and other operations wait. The server side, notifications and
    /// indications continue. Has no effect if no operation is suspended.
    ///
    /// An operation is suspended once. A second refusal fails it.
    ///
    /// - Parameter repeating: True sends the refused request again. False fails the operation with the refusal. A long
    ///   write first cancels the parts that it has prepared.
    package mutating func resume(repeating: Bool, at now: Instant, output: inout ATTOutput) {
        guard let suspension = client.current?.suspension.take() else { return }
        if repeating {
            client.send(suspension.request, at: now, output: &output)
            client.programIsActive(at: now)
        } else {
            receiveResponse(.errorResponse(suspension.error), at: now, output: &output)
        }
    }

    /// The client subscriptions, in the order of the subscriptions. The bearer adds a subscription when its `setNotify`
    /// starts, and removes those in the range of a Service Changed indication.
    package var clientSubscriptions: [ClientSubscription] { client.subscriptions.entries }

    /// The handle of the server's Service Changed; nil until this client has found it, or has it from a bond.
    package var serviceChangedHandle: UInt16? { client.serviceChangedHandle }

    /// Ends all subscriptions of one subscriber without `completed`. Writes the configuration of each value that has no
    /// subscriber left. Withdraws the subscriber's `setNotify` operations that have not started. Other operations
    /// continue.
    package mutating func dropSubscriber(_ subscriber: Int, at now: Instant, output: inout ATTOutput) {
        guard !hasFailed else { return }
        client.waiting.removeAll {
            if case .operation(.setNotify, _, subscriber) = $0 { true } else { false }
        }
        for ended in client.subscriptions.removeAll(of: subscriber) {
            let task = Subscription(valueHandle: ended.valueHandle, end: ended.end, mode: .off)
            submit(.subscription(task), at: now, output: &output)
        }
        if !enhanced.isEmpty { startNext(at: now, output: &output) }
    }

    /// Ends the operation of the latest `rssiRequested`.
    package mutating func finishOperation(
        _ id: UInt32, _ result: Result<GATTResult, GATTError>, at now: Instant, output: inout ATTOutput
    ) {
        guard let current = client.current, current.id == id, case .rssi = current.task else { return }
        finish(result, at: now, output: &output)
    }

    /// Starts queued tasks on the bearers that are idle, until each has to wait for the peer or the owner.
    mutating func startNext(at now: Instant, output: inout ATTOutput) {
        startOnBearer(at: now, output: &output)
        if !enhanced.isEmpty { startOnOthers(at: now, output: &output) }
    }

    /// Does the same for the current bearer alone.
    mutating func startOnBearer(at now: Instant, output: inout ATTOutput) {
        while !hasFailed, enhanced.isEmpty || admitsNext(at: now), let next = client.takeNext(at: now) {
            switch next {
            case .operation(let operation, let id, let subscriber):
                start(operation, id: id, subscriber: subscriber, at: now, output: &output)
            case .task(let submission): start(submission, at: now, output: &output)
            }
        }
    }

    private mutating func start(
        _ operation: GATTOperation, id: UInt32, subscriber: Int, at now: Instant, output: inout ATTOutput
    ) {
        let submission = client.submission(
            id: id, subscriber: subscriber, task: ClientTask(operation),
            canSuspend: client.suspendsForSecurity && number == 0,
            cacheUse: client.cache == nil ? nil : ClientState.CacheUse(operation),
            isShareable: !enhanced.isEmpty && operation.isShareable)
        if number != 0 { submission.movable = operation }
        start(submission, at: now, output: &output)
    }

    /// Starts a task. The task either ends at once or becomes the current one.
    private mutating func start(_ submission: ClientState.Submission, at now: Instant, output: inout ATTOutput) {
        if !enhanced.isEmpty, !submission.isBackground, let id = submission.id { client.order.begin(id) }
        if submission.task.startsConditionally {
            switch submission.task {
            case .exchangeMTU where client.hasExchangedMTU:
                // The exchange takes place once for each link (Vol 3, Part F, 3.4.2.1).
                output.emit(.mtuChanged(mtu))
                return
            case .subscription(let task) where !client.needsTraffic(task, for: submission.subscriber):
                return client.end(submission, .success(.done), output: &output)
            case .cacheReport: return client.emitCache(output: &output)
            case .rssi:
                if let id = submission.id { output.emit(.rssiRequested(id: id)) }
                client.current = submission
                return
            default: break
            }
        }
        if client.cache != nil, let result = client.answerFromCache(submission) {
            return client.end(submission, .success(result), output: &output)
        }
        client.current = submission
        advance(submission, submission.task.start(mtu: Int(mtu)), at: now, output: &output)
    }

    /// Takes the response to the outstanding request, or its Error Response (Vol 3, Part F, 3.4.1.1).
    mutating func receiveResponse(_ packet: ATT.Packet, at now: Instant, output: inout ATTOutput) {
        guard let current = client.current else { return }
        client.endRequest()
        if !current.isBackground { client.programIsActive(at: now) }
        var isFinished = false
        if case .readResponse(let response) = packet {
            isFinished = finishRead(current, response.value, output: &output)
        }
        if !isFinished { advance(current, current.task.receive(packet, mtu: Int(mtu)), at: now, output: &output) }
        if client.hasNext(at: now) { startNext(at: now, output: &output) }
    }

    /// Ends a read with the only part of its value. Returns false, without effect, if the read may continue.
    private mutating func finishRead(
        _ current: ClientState.Submission, _ value: Span<UInt8>, output: inout ATTOutput
    ) -> Bool {
        // A value of 512 octets or less; see `ValueRead`.
        guard client.cache == nil, let fullLength = current.task.fullReadLength,
            value.count < min(fullLength, Int(mtu) - 1), value.count <= ATT.maximumValueLength
        else { return false }
        client.endCurrent()
        if let id = current.id {
            if client.order.isEmpty {
                output.complete(id: id, reading: value)
            } else {
                client.order.finish(id, .success(.value([UInt8](value))), output: &output)
            }
        }
        client.recycle(read: current)
        return true
    }

    /// Ends the current task with the given result.
    mutating func finish(_ result: Result<GATTResult, GATTError>, at now: Instant, output: inout ATTOutput) {
        guard let submission = client.takeCurrent() else { return }
        if case .exchangeMTU = submission.task {
            adopt(peerMTU: nil, output: &output)
        } else {
            client.end(submission, result, output: &output)
        }
        startNext(at: now, output: &output)
    }

    /// Sends the next request of the current task, or ends the task.
    @inline(__always)
    private mutating func advance(
        _ current: ClientState.Submission, _ step: consuming ClientTask.Step, at now: Instant,
        output: inout ATTOutput
    ) {
        switch consume step {
        case .send(let request):
            if current.isBackground, let handle = current.task.serviceChangedHandle {
                client.serviceChangedHandle = handle
            }
            client.send(request, at: now, output: &output)
            if current.canSuspend { current.lastRequest = request }
        case .result(let result):
            client.endCurrent()
            if client.cache != nil { client.record(current, .success(result), at: now) }
            client.end(current, .success(result), output: &output)
            client.recycle(current)
        case .outcome(let outcome):
            client.endCurrent()
            finish(current, outcome, at: now, output: &output)
            client.recycle(current)
        case .fail(let failure):
            client.endCurrent()
            fail(current, failure, at: now, output: &output)
            client.recycle(current)
        }
    }

    /// Takes the outcome of a task that is not an operation.
    private mutating func finish(
        _ submission: ClientState.Submission, _ outcome: consuming ClientTask.Outcome, at now: Instant,
        output: inout ATTOutput
    ) {
        switch consume outcome {
        case .mtu(let peerMTU): adopt(peerMTU: peerMTU, output: &output)
        case .validated(let outcome): client.cacheValidated(outcome, at: now)
        case .bearerSupport(let isSupported): if isSupported { output.emit(.enhancedBearersSupported(at: now)) }
        case .resynchronized(let outcome):
            if let next = client.resynchronized(submission, outcome, at: now, output: &output) {
                start(next, at: now, output: &output)
            } else {
                let failure = GATTError.attribute(ATT.ErrorCode.databaseOutOfSync.rawValue)
                client.end(submission, .failure(failure), output: &output)
            }
        }
    }

    /// Takes the failure of a task.
    private mutating func fail(
        _ submission: ClientState.Submission, _ failure: GATTError, at now: Instant,
        output: inout ATTOutput
    ) {
        if client.cache != nil {
            if let next = client.resynchronization(of: submission, failure) {
                guard admits(isShareable: false) else {
                    // The client waits for all its requests before it reads the Database Hash (Vol 3, Part G, 2.5.2.1).
                    return client.waiting.prepend(.task(next))
                }
                return start(next, at: now, output: &output)
            }
            client.record(submission, .failure(failure), at: now)
            // Such an operation is not repeated, but what follows must not rely on what the cache says.
            if submission.operation == nil, failure == .attribute(ATT.ErrorCode.databaseOutOfSync.rawValue) {
                _ = client.serverChanged(at: now)
            }
            if case .validation = submission.task { client.cache = nil }
        }
        client.end(submission, .failure(failure), output: &output)
    }

    /// Uses what is known about the database of a bonded server. Discoveries that the cache can answer end without traffic, with
    /// the result that they would have over the air; others are recorded. `attributeCacheChanged` reports the cache when the
    /// program pauses after a change, and at the end of the link. A second call on the same link has no effect.
    ///
    /// Call it only after the link was encrypted with the keys of the bond. The bearer first reads the Database Hash, before any
    /// operation that waits. It drops the contents of the cache unless the hash is the same; if the server has no hash, unless the
    /// server announces its changes. It announces robust caching to the server. A subscription to Service Changed that began before this
    /// call is repeated, because only its repetition is recorded.
    ///
    /// - Parameter octets: The latest octets of `attributeCacheChanged`; nil if there are none. Octets that cannot be decoded count
    ///   as none.
    package mutating func useAttributeCache(_ octets: [UInt8]?, at now: Instant, output: inout ATTOutput) {
        guard !hasFailed else { return }
        let contents = octets.flatMap { try? AttributeCache(decoding: $0.span) } ?? AttributeCache()
        if client.use(contents, at: now) { startNext(at: now, output: &output) }
    }

    /// The services in the cache, also before it is known to be right.
    package var cachedServices: [BluetoothUUID] {
        guard let contents = client.cache?.contents else { return [] }
        return contents.services?.map(\.uuid) ?? contents.servicesByUUID.filter { !$0.values.isEmpty }.map(\.key)
    }

    /// Whether a Write Command or a notification with a value of `count` octets can be sent as it is.
    package func canSend(_ count: Int) -> Bool { !hasFailed && count <= Int(mtu) - 3 }

    /// Sends a Write Command (Vol 3, Part F, 3.4.5.3) at once. Throws `.valueTooLong` for a value above ATT_MTU - 3
    /// octets, and `.bearerLost` on a failed bearer.
    package mutating func writeCommand(
        _ value: Span<UInt8>, handle: UInt16, output: inout ATTOutput
    ) throws(GATTError) {
        guard !hasFailed else { throw .bearerLost }
        guard value.count <= Int(mtu) - 3 else { throw .valueTooLong }
        output.send(ATT.WriteCommand(handle: handle, value: value))
    }

    /// Confirms the oldest unconfirmed indication, so that the peer may send the next one (Vol 3, Part F, 3.4.7.3). Has no effect
    /// if no indication waits for confirmation.
    package mutating func confirmIndication(output: inout ATTOutput) {
        if !hasFailed, !client.unconfirmed.isEmpty { confirm(at: 0, output: &output) }
    }

    private mutating func confirm(at position: Int, output: inout ATTOutput) {
        let bearer = client.unconfirmed.remove(at: position)
        guard bearer == 0 || bearer == number || enhanced.contains(where: { $0.number == bearer }) else { return }
        output.bearer = bearer
        output.send(ATT.HandleValueConfirmation())
        output.bearer = number
    }

    /// Takes a notification, as its handle and its value. Returns nil, without effect, if the bearer has failed.
    // `mutating`: for an ordinary method another module copies the bearer with each packet.
    package mutating func receiveNotification(
        of handle: UInt16, _ value: Span<UInt8>, into arena: inout EventArena
    ) -> ReceivedValue? {
        hasFailed ? nil : client.subscriptions.store(value, of: handle, isIndication: false, in: &arena)
    }

    mutating func receiveIndication(_ indication: ATT.HandleValueIndication, at now: Instant, output: inout ATTOutput) {
        // A server may have only one outstanding indication (Vol 3, Part F, 3.3.2). The bearer drops further
        // indications until the first is confirmed, so a server cannot send more than the owner handles.
        guard !client.unconfirmed.contains(number), client.unconfirmed.count <= Self.enhancedLimit else { return }
        client.unconfirmed.append(number)
        guard indication.handle == client.serviceChangedHandle else {
            return client.subscriptions.deliver(
                indication.value, of: indication.handle, isIndication: true, output: &output)
        }
        var value = indication.value
        // The value is the affected range of handles (Vol 3, Part G, 7.1). A malformed value still gets its
        // confirmation.
        guard let start = try? value.readUInt16(), let end = try? value.readUInt16(), value.isEmpty, start >= 1,
            start <= end
        else { return confirm(at: client.unconfirmed.count - 1, output: &output) }
        let range = HandleRange(start: start, end: end)
        client.removeSubscriptions(in: range)
        for bearer in enhanced { if let current = bearer.current { ClientState.outdate(current, in: range) } }
        output.emit(.servicesChanged(range))
        if client.serverChanged(at: now) { startNext(at: now, output: &output) }
    }

    mutating func receive(_ notification: ATT.HandleValueNotification, output: inout ATTOutput) {
        client.subscriptions.deliver(notification.value, of: notification.handle, isIndication: false, output: &output)
    }
}
