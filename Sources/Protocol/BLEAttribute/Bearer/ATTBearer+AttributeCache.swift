import BLEWire

/// The attribute cache of a bonded server (Vol 3, Part G, 2.5.2).
extension ATTBearer {
    /// Uses what is known about the database of a bonded server. Discoveries that the cache can answer end without traffic, with
    /// the result that they would have over the air; others are recorded. `attributeCacheChanged` reports the cache when the
    /// program pauses after a change, and at the end of the link. A second call on the same link has no effect.
    ///
    /// Call it only after the link was encrypted with the keys of the bond. The bearer first reads the Database Hash, before any
    /// operation that waits. It drops the contents of the cache unless the hash is the same; if the server has no hash, unless the
    /// server announces its changes. It announces robust caching to the server.
    ///
    /// - Parameter octets: The latest octets of `attributeCacheChanged`; nil if there are none. Octets that cannot be decoded count
    ///   as none.
    package mutating func useAttributeCache(_ octets: [UInt8]?, at now: Instant, output: inout ATTOutput) {
        guard !hasFailed, client.cache == nil else { return }
        let contents = octets.flatMap { try? AttributeCache(decoding: $0.span) } ?? AttributeCache()
        if client.serviceChangedHandle == nil, case .subscribed(let handle) = contents.serviceChanged {
            // The server may indicate a change at once, because the configuration outlives the link.
            client.serviceChangedHandle = handle
        }
        client.cache = ServerCache(contents)
        validateCache(at: now, output: &output)
    }

    /// The services in the cache, also before it is known to be right.
    package var cachedServices: [BluetoothUUID] {
        guard let contents = client.cache?.contents else { return [] }
        return contents.services?.map(\.uuid) ?? contents.servicesByUUID.filter { !$0.values.isEmpty }.map(\.key)
    }

    /// Reads the Database Hash before the operations that wait.
    private mutating func validateCache(at now: Instant, output: inout ATTOutput) {
        guard let cache = client.cache else { return }
        let announces = !cache.contents.hasAnnouncedRobustCaching
        client.waiting.prepend(.task(.init(task: .validation(CacheValidation(announces: announces)))))
        startNext(at: now, output: &output)
    }

    /// Takes the result of `validateCache`.
    mutating func cacheValidated(_ outcome: CacheValidation.Outcome, at now: Instant) {
        guard var cache = client.cache.take() else { return }
        let hasChanged = cache.validated(outcome)
        client.cache = cache
        if hasChanged { reportCache(at: now) }
    }

    /// Takes Service Changed.
    mutating func serverChanged(at now: Instant, output: inout ATTOutput) {
        guard client.cache != nil else { return }
        let isValidating = client.isValidating
        client.cache?.invalidate()
        reportCache(at: now)
        if !isValidating { validateCache(at: now, output: &output) }
    }

    /// Answers a task from the cache, or prepares its start: a known client configuration needs no search.
    mutating func answerFromCache(_ submission: ClientState.Submission) -> GATTResult? {
        guard let cache = client.cache, cache.isValid else { return nil }
        if case .serviceChanged = submission.task {
            submission.cacheUse = ClientState.CacheUse(nil)
            submission.cacheUse?.generation = cache.generation
            guard case .subscribed(let handle) = cache.contents.serviceChanged else { return nil }
            client.serviceChangedHandle = handle
            return .done
        }
        guard let operation = submission.operation else { return nil }
        if let result = cache.contents.answer(operation) { return result }
        submission.cacheUse?.generation = cache.generation
        if case .subscription(var task) = submission.task,
            let handle = cache.contents.clientConfiguration(valueHandle: task.valueHandle, end: task.end)
        {
            task.skipSearch(handle)
            submission.task = .subscription(task)
        }
        return nil
    }

    /// Records what a task found.
    mutating func record(
        _ submission: ClientState.Submission, _ result: Result<GATTResult, GATTError>, at now: Instant
    ) {
        guard let generation = submission.cacheUse?.generation, client.cache?.generation == generation,
            client.cache?.isValid == true
        else { return }
        var hasChanged = false
        switch submission.task {
        case .serviceChanged(let task):
            switch result {
            case .success:
                guard let handle = task.valueHandle else { return }
                client.cache?.contents.serviceChanged = .subscribed(handle)
                hasChanged = true
            case .failure(.attribute(ATT.ErrorCode.attributeNotFound.rawValue)) where task.valueHandle == nil:
                client.cache?.contents.serviceChanged = .absent
                hasChanged = true
            case .failure: return
            }
        case .subscription(let task):
            guard case .success = result, let handle = task.configurationHandle else { return }
            hasChanged =
                client.cache?.contents.record(clientConfiguration: handle, valueHandle: task.valueHandle) == true
        case .characteristics(let task):
            guard case .success = result, let operation = submission.operation else { return }
            hasChanged = client.cache?.contents.record(operation, .characteristics(task.found)) == true
        default:
            guard case .success(let found) = result, let operation = submission.operation else { return }
            hasChanged = client.cache?.contents.record(operation, found) == true
        }
        if hasChanged { reportCache(at: now) }
    }

    /// Reports the cache at the next pause of the program.
    private mutating func reportCache(at now: Instant) {
        guard client.cache?.isReportDue == false else { return }
        client.cache?.isReportDue = true
        client.appendBackground(.init(task: .cacheReport), at: now)
    }

    /// Emits the cache if a report is due.
    mutating func emitCache(output: inout ATTOutput) {
        guard let cache = client.cache, cache.isReportDue else { return }
        client.cache?.isReportDue = false
        output.emit(.attributeCacheChanged(cache.contents.octets))
    }
}

/// Database Out Of Sync (Vol 3, Part G, 2.5.2.1).
extension ATTBearer {
    /// The task that follows a failed one: it finds out whether the operation can be repeated. Nil if the failure is final.
    func resynchronization(
        of submission: ClientState.Submission, _ failure: GATTError
    ) -> ClientState.Submission? {
        guard failure == .attribute(ATT.ErrorCode.databaseOutOfSync.rawValue), let use = submission.cacheUse,
            !use.isRepeated, let cache = client.cache, let operation = use.operation
        else { return nil }
        let task = Resynchronization(
            operation, knownHash: cache.contents.databaseHash,
            knownType: operation.attributeHandle.flatMap(cache.contents.type(of:)))
        return ClientState.Submission(
            id: submission.id, subscriber: submission.subscriber, task: .resynchronization(task),
            cacheUse: ClientState.CacheUse(operation, isRepeated: true))
    }

    /// Takes the result of a resynchronization. If the database has changed, all services count as changed. Returns the task
    /// that repeats the operation, or nil if the operation fails.
    mutating func resynchronized(
        _ submission: ClientState.Submission, _ outcome: Resynchronization.Outcome, at now: Instant,
        output: inout ATTOutput
    ) -> ClientState.Submission? {
        let isWanted = isWanted(submission)
        if !outcome.isUnchanged {
            client.cache?.resynchronized(outcome.databaseHash)
            reportCache(at: now)
            client.subscriptions.removeAll(in: CacheValidation.all)
            output.emit(.servicesChanged(CacheValidation.all))
        }
        guard outcome.isRepeatable, isWanted, let operation = submission.operation else { return nil }
        return ClientState.Submission(
            id: submission.id, subscriber: submission.subscriber, task: ClientTask(operation),
            canSuspend: suspendsForSecurity, cacheUse: ClientState.CacheUse(operation, isRepeated: true))
    }

    /// Whether the subscriber of an operation still exists. `dropSubscriber` may have ended it meanwhile.
    private func isWanted(_ submission: ClientState.Submission) -> Bool {
        guard case .setNotify(let valueHandle, _, let mode)? = submission.operation, mode != .off else { return true }
        let subscriber = submission.subscriber
        return client.subscriptions.entries.contains { $0.valueHandle == valueHandle && $0.subscriber == subscriber }
    }
}
