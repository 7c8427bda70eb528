import BLEWire

/// The attribute cache of a bonded server (Vol 3, Part G, 2.5.2).
extension ClientState {
    /// Uses the cache of a bonded server from now on, if it is the first one. Returns whether the Database Hash has to be read.
    mutating func use(_ contents: AttributeCache, at now: Instant) -> Bool {
        guard cache == nil else { return false }
        if case .subscribed(let handle) = contents.serviceChanged {
            // The server may indicate a change at once, because the configuration outlives the link.
            if serviceChangedHandle == nil { serviceChangedHandle = handle }
        } else if serviceChangedHandle != nil || isSubscribingToServiceChanged {
            // What was found before the link was encrypted with the bond may be forged, so the cache needs a further subscription.
            appendBackground(Submission(task: .serviceChanged(ServiceChangedSubscription())), at: now)
        }
        cache = ServerCache(contents)
        validateCache()
        return true
    }

    private var isSubscribingToServiceChanged: Bool {
        if case .serviceChanged? = current?.task { true } else { false }
    }

    /// Reads the Database Hash before the operations that wait.
    private mutating func validateCache() {
        guard let cache else { return }
        let announces = !cache.contents.hasAnnouncedRobustCaching
        waiting.prepend(.task(Submission(task: .validation(CacheValidation(announces: announces)))))
    }

    /// Takes the result of `validateCache`.
    mutating func cacheValidated(_ outcome: CacheValidation.Outcome, at now: Instant) {
        if cache?.validated(outcome) == true { reportCache(at: now) }
    }

    /// Takes Service Changed. Returns whether the Database Hash has to be read again.
    mutating func serverChanged(at now: Instant) -> Bool {
        guard cache != nil else { return false }
        let isValidating = isValidating
        cache?.invalidate()
        reportCache(at: now)
        if !isValidating { validateCache() }
        return !isValidating
    }

    /// Answers a task from the cache, or prepares its start: a known client configuration needs no search.
    mutating func answerFromCache(_ submission: Submission) -> GATTResult? {
        guard let cache else { return nil }
        let isServiceChanged = if case .serviceChanged = submission.task { true } else { false }
        if isServiceChanged { submission.cacheUse = CacheUse(nil) }
        guard cache.isValid else { return nil }
        if isServiceChanged {
            submission.cacheUse?.generation = cache.generation
            guard case .subscribed(let handle) = cache.contents.serviceChanged else { return nil }
            serviceChangedHandle = handle
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
    mutating func record(_ submission: Submission, _ result: Result<GATTResult, GATTError>, at now: Instant) {
        guard let use = submission.cacheUse else { return }
        if case .success = result, case .serviceChanged(let task) = submission.task, let handle = task.valueHandle {
            // The handle and the subscription outlive each change of a bonded server (Vol 3, Part G, 3.3.3.3 and 7.1).
            guard cache?.contents.serviceChanged != .subscribed(handle) else { return }
            cache?.contents.serviceChanged = .subscribed(handle)
            return reportCache(at: now)
        }
        guard let generation = use.generation, cache?.generation == generation, cache?.isValid == true else { return }
        var hasChanged = false
        switch submission.task {
        case .serviceChanged(let task):
            guard case .failure(.attribute(ATT.ErrorCode.attributeNotFound.rawValue)) = result, task.valueHandle == nil
            else { return }
            cache?.contents.serviceChanged = .absent
            hasChanged = true
        case .subscription(let task):
            guard case .success = result, let handle = task.configurationHandle else { return }
            hasChanged = cache?.contents.record(clientConfiguration: handle, valueHandle: task.valueHandle) == true
        case .characteristics(let task):
            guard case .success = result, let operation = submission.operation else { return }
            hasChanged = cache?.contents.record(operation, .characteristics(task.found)) == true
        default:
            guard case .success(let found) = result, let operation = submission.operation else { return }
            hasChanged = cache?.contents.record(operation, found) == true
        }
        if hasChanged { reportCache(at: now) }
    }

    /// Reports the cache at the next pause of the program.
    private mutating func reportCache(at now: Instant) {
        guard cache?.isReportDue == false else { return }
        cache?.isReportDue = true
        appendBackground(.init(task: .cacheReport), at: now)
    }

    /// Emits the cache if a report is due.
    mutating func emitCache(output: inout ATTOutput) {
        guard let contents = cache?.contents, cache?.isReportDue == true else { return }
        cache?.isReportDue = false
        output.emit(.attributeCacheChanged(contents.octets))
    }
}

/// Database Out Of Sync (Vol 3, Part G, 2.5.2.1).
extension ClientState {
    /// The task that follows a failed one: it finds out whether the operation can be repeated. Nil if the failure is final.
    func resynchronization(of submission: Submission, _ failure: GATTError) -> Submission? {
        guard failure == .attribute(ATT.ErrorCode.databaseOutOfSync.rawValue), let use = submission.cacheUse,
            !use.isRepeated, let cache, let operation = use.operation
        else { return nil }
        let task = Resynchronization(
            operation, knownHash: cache.contents.databaseHash,
            knownType: operation.attributeHandle.flatMap(cache.contents.type(of:)))
        return Submission(
            id: submission.id, subscriber: submission.subscriber, task: .resynchronization(task),
            cacheUse: CacheUse(operation, isRepeated: true))
    }

    /// Takes the result of a resynchronization. If the database has changed, all services count as changed. Returns the task
    /// that repeats the operation, or nil if the operation fails.
    mutating func resynchronized(
        _ submission: Submission, _ outcome: Resynchronization.Outcome, at now: Instant,
        output: inout ATTOutput
    ) -> Submission? {
        let isWanted = isWanted(submission)
        if !outcome.isUnchanged {
            cache?.resynchronized(outcome.databaseHash)
            reportCache(at: now)
            subscriptions.removeAll(in: .all)
            output.emit(.servicesChanged(.all))
        }
        guard outcome.isRepeatable, isWanted, let operation = submission.operation else { return nil }
        return Submission(
            id: submission.id, subscriber: submission.subscriber, task: ClientTask(operation),
            canSuspend: suspendsForSecurity, cacheUse: CacheUse(operation, isRepeated: true))
    }

    /// Whether the subscriber of an operation still exists. `dropSubscriber` may have ended it meanwhile.
    private func isWanted(_ submission: Submission) -> Bool {
        guard case .setNotify(let valueHandle, _, let mode)? = submission.operation, mode != .off else { return true }
        let subscriber = submission.subscriber
        return subscriptions.entries.contains { $0.valueHandle == valueHandle && $0.subscriber == subscriber }
    }
}
