import BLEWire

/// Indications to the client, and the configurations that they need (Vol 3, Part F, 3.4.7).
extension ATTServer {
    func activeConfiguration(ofValueHandle handle: UInt16) -> UInt16 {
        for configuration in configurations where configuration.valueHandle == handle { return configuration.active }
        return 0
    }

    mutating func indicate(
        _ handle: UInt16, _ value: Span<UInt8>, _ mtu: Int, at now: Instant, output: inout ATTOutput
    ) {
        guard mayIndicate(handle, isServiceChanged: false, bearer: output.bearer),
            !queuedIndications.contains(where: { $0.handle == handle })
        else {
            queuedIndications.append(QueuedIndication(handle: handle, value: [UInt8](value)))
            return
        }
        send(handle, value, isServiceChanged: false, mtu, at: now, output: &output)
    }

    mutating func indicateServicesChanged(
        _ range: HandleRange, _ database: borrowing AttributeDatabase, _ mtu: Int, at now: Instant,
        output: inout ATTOutput
    ) {
        let handle = database.serviceChangedHandle
        guard activeConfiguration(ofValueHandle: handle) & 2 != 0 else { return }
        var value: [UInt8] = []
        range.append(to: &value)
        let position = queuedIndications.firstIndex { !$0.isServiceChanged } ?? queuedIndications.endIndex
        queuedIndications.insert(
            QueuedIndication(handle: handle, value: value, isServiceChanged: true), at: position)
        sendQueuedIndication(mtu, at: now, output: &output)
    }

    private mutating func send(
        _ handle: UInt16, _ value: Span<UInt8>, isServiceChanged: Bool, _ mtu: Int, at now: Instant,
        output: inout ATTOutput
    ) {
        let value = value.extracting(first: min(value.count, mtu - 3))
        output.send(ATT.HandleValueIndication(handle: handle, value: value))
        indications.append(
            Indication(
                bearer: output.bearer, handle: handle, deadline: now + ATT.transactionTimeout,
                isServiceChanged: isServiceChanged))
    }

    /// Whether a bearer may have an indication now. The indications of one value keep their order, so only one of them is
    /// unconfirmed. Service Changed precedes what follows it on all bearers, and has the bearer that lasts as long as the link.
    private func mayIndicate(_ handle: UInt16, isServiceChanged: Bool, bearer: UInt32) -> Bool {
        if isServiceChanged, bearer != 0 { return false }
        return !indications.contains { $0.bearer == bearer || $0.handle == handle || $0.isServiceChanged }
    }

    /// The deadline of a bearer's unconfirmed indication.
    func indicationDeadline(of bearer: UInt32) -> Instant? {
        for indication in indications where indication.bearer == bearer { return indication.deadline }
        return nil
    }

    /// Sends the first waiting indication, unless one is unconfirmed. A change-unaware client gets Service Changed alone.
    mutating func sendQueuedIndication(_ mtu: Int, at now: Instant, output: inout ATTOutput) {
        guard let next = queuedIndications.first, next.isServiceChanged || !isWithholding,
            mayIndicate(next.handle, isServiceChanged: next.isServiceChanged, bearer: output.bearer)
        else { return }
        queuedIndications.removeFirst()
        send(next.handle, next.value.span, isServiceChanged: next.isServiceChanged, mtu, at: now, output: &output)
    }

    mutating func receiveConfirmation(
        _ database: borrowing AttributeDatabase, _ security: LinkSecurity, _ mtu: Int, at now: Instant,
        output: inout ATTOutput
    ) {
        // A confirmation without an outstanding indication is ignored.
        guard let position = indications.firstIndex(where: { $0.bearer == output.bearer }) else { return }
        let confirmed = indications.remove(at: position)
        output.emit(.indicationConfirmed(valueHandle: confirmed.handle))
        // Service Changed alone is not enough for a client with several bearers (Vol 3, Part G, 2.5.2.1).
        if confirmed.isServiceChanged, !usesEnhancedBearers, !awareness.isAware,
            !queuedIndications.contains(where: \.isServiceChanged)
        {
            awareness.serviceChangedWasConfirmed()
            return clientBecameAware(database, security, mtu, at: now, output: &output)
        }
        sendQueuedIndication(mtu, at: now, output: &output)
    }

    /// Takes the end of an enhanced bearer: its indication counts as confirmed.
    mutating func bearerEnded(_ bearer: UInt32, output: inout ATTOutput) {
        for indication in indications where indication.bearer == bearer {
            output.emit(.indicationConfirmed(valueHandle: indication.handle))
        }
        indications.removeAll { $0.bearer == bearer }
    }

    /// Sends what was withheld from the client.
    mutating func clientBecameAware(
        _ database: borrowing AttributeDatabase, _ security: LinkSecurity, _ mtu: Int, at now: Instant,
        output: inout ATTOutput
    ) {
        let wasWithholding = isWithholding
        updateActiveConfigurations(database, security)
        clientStateChanged(database, output: &output)
        if wasWithholding { output.emit(.updatesResumed) }
        sendQueuedIndication(mtu, at: now, output: &output)
    }

    mutating func removed(_ range: HandleRange, output: inout ATTOutput) {
        for configuration in configurations where range.contains(configuration.valueHandle) && configuration.bits != 0 {
            output.emit(.subscriptionChanged(valueHandle: configuration.valueHandle, configuration: 0))
        }
        configurations.removeAll { range.contains($0.valueHandle) }
        dropIndications(output: &output) { range.contains($0) }
    }

    mutating func securityChanged(
        to security: LinkSecurity, _ database: borrowing AttributeDatabase, output: inout ATTOutput
    ) {
        updateActiveConfigurations(database, security)
        guard security.shortfall(for: database.encryptedAccess) != nil else { return }
        let protected = configurations.filter(\.isProtected).map(\.valueHandle)
        dropIndications(output: &output) { protected.contains($0) }
    }

    /// Ends the waiting indications of some values.
    private mutating func dropIndications(output: inout ATTOutput, of isDropped: (UInt16) -> Bool) {
        for indication in queuedIndications where isDropped(indication.handle) {
            output.emit(.indicationConfirmed(valueHandle: indication.handle))
        }
        queuedIndications.removeAll { isDropped($0.handle) }
    }

    /// Determines the configurations that apply now. The path of an update looks at the result alone.
    mutating func updateActiveConfigurations(_ database: borrowing AttributeDatabase, _ security: LinkSecurity) {
        let isSecure = security.shortfall(for: database.encryptedAccess) == nil
        let serviceChanged = database.serviceChangedHandle
        isWithholding = features.contains(.robustCaching) && !awareness.isAware
        for index in configurations.indices {
            let configuration = configurations[index]
            let isAllowed =
                (isSecure || !configuration.isProtected)
                && (!isWithholding || configuration.valueHandle == serviceChanged)
            configurations[index].active = isAllowed ? configuration.bits : 0
        }
    }
}
