import BLEWire

/// The state of a client beyond one link, and what it may receive now.
extension ATTBearer {
    /// Restores what a bonded client left in this server on earlier links. `clientStateChanged` reports the state now and after
    /// each change. A second call on the same link restores nothing.
    ///
    /// Call it only after the link was encrypted with the keys of the bond: before that, the peer may be another device with the
    /// same address. What the client wrote on this link before precedes what is restored. If the database has changed, the client
    /// is change-unaware, and gets Service Changed if it subscribed to it (Vol 3, Part G, 2.5.2 and 2.5.2.1). The configurations
    /// of characteristics that no longer exist are dropped.
    ///
    /// - Parameter octets: The latest octets of `clientStateChanged`; nil if there are none. Octets that cannot be decoded count as
    ///   none.
    package mutating func restoreClient(
        _ octets: [UInt8]?, database: borrowing AttributeDatabase, security: LinkSecurity, at now: Instant,
        output: inout ATTOutput
    ) {
        guard !hasFailed else { return }
        if !server.isRemembered, let octets, let client = try? RememberedClient(decoding: octets.span) {
            let hash = database.databaseHash
            server.features.formUnion(client.features)
            if !client.isAware || client.databaseHash != hash { server.awareness.databaseChanged() }
            for restored in client.configurations { restore(restored, database, output: &output) }
        }
        server.isRemembered = true
        updateActiveConfigurations(database, security)
        clientStateChanged(database, output: &output)
        if !server.awareness.isAware {
            let all = HandleRange(start: 1, end: 0xFFFF)
            indicateServicesChanged(all, database: database, at: now, output: &output)
        }
    }

    private mutating func restore(
        _ restored: RememberedClient.Configuration, _ database: borrowing AttributeDatabase, output: inout ATTOutput
    ) {
        let handle = restored.valueHandle
        let bits = UInt16(restored.bits)
        guard !server.configurations.contains(where: { $0.valueHandle == handle }),
            let target = database.configurable(valueHandle: handle), target.fingerprint == restored.fingerprint,
            bits & ~target.allowed == 0
        else { return }
        server.configurations.append(
            .init(valueHandle: handle, bits: bits, active: 0, isProtected: target.isProtected))
        output.emit(.subscriptionChanged(valueHandle: handle, configuration: bits))
    }

    /// Emits the state of a bonded client.
    mutating func clientStateChanged(_ database: borrowing AttributeDatabase, output: inout ATTOutput) {
        guard server.isRemembered else { return }
        var client = RememberedClient(
            features: server.features, isAware: server.awareness.isAware, databaseHash: database.databaseHash,
            configurations: [])
        for configuration in server.configurations where configuration.bits != 0 {
            guard let target = database.configurable(valueHandle: configuration.valueHandle) else { continue }
            client.configurations.append(
                .init(
                    valueHandle: configuration.valueHandle, bits: UInt8(truncatingIfNeeded: configuration.bits),
                    fingerprint: target.fingerprint))
        }
        output.emit(.clientStateChanged(client.octets))
    }

    /// Takes a change of the link's security. Updates of characteristics that require encryption start or stop. Waiting
    /// indications that must no longer be sent end with `indicationConfirmed`.
    package mutating func securityChanged(
        to security: LinkSecurity, database: borrowing AttributeDatabase, output: inout ATTOutput
    ) {
        updateActiveConfigurations(database, security)
        guard security.shortfall(for: database.encryptedAccess) != nil else { return }
        let protected = server.configurations.filter(\.isProtected).map(\.valueHandle)
        for indication in server.queuedIndications where protected.contains(indication.handle) {
            output.emit(.indicationConfirmed(valueHandle: indication.handle))
        }
        server.queuedIndications.removeAll { protected.contains($0.handle) }
    }

    /// Takes a change of the database. The client is change-unaware from now on (Vol 3, Part G, 2.5.2.1).
    package mutating func databaseChanged(
        _ database: borrowing AttributeDatabase, security: LinkSecurity, output: inout ATTOutput
    ) {
        guard !hasFailed else { return }
        server.awareness.databaseChanged()
        updateActiveConfigurations(database, security)
        clientStateChanged(database, output: &output)
    }

    /// Decides about a request of a client that does not know the database. Returns whether to serve the request.
    mutating func admit(
        _ packet: ATT.Packet, _ opcode: ATT.Opcode, _ database: borrowing AttributeDatabase, _ security: LinkSecurity,
        at now: Instant, output: inout ATTOutput
    ) -> Bool {
        let handle = packet.handleFromBefore
        let isRobust = server.features.contains(.robustCaching)
        switch server.awareness.receiveRequest(usesHandles: handle != nil, isRobust: isRobust) {
        case .refuse:
            refuse(opcode, .databaseOutOfSync, handle: handle ?? 0, output: &output)
            return false
        case .serve:
            if server.awareness.isAware { clientBecameAware(database, security, at: now, output: &output) }
            return true
        }
    }

    /// Whether the client gets no updates now, because it does not know the database (Vol 3, Part G, 2.5.2.1). `updatesResumed`
    /// follows. The owner keeps its updates until then.
    package var withholdsUpdates: Bool { server.isWithholding }

    /// Sends what was withheld from the client.
    mutating func clientBecameAware(
        _ database: borrowing AttributeDatabase, _ security: LinkSecurity, at now: Instant, output: inout ATTOutput
    ) {
        let wasWithholding = server.isWithholding
        updateActiveConfigurations(database, security)
        clientStateChanged(database, output: &output)
        if wasWithholding { output.emit(.updatesResumed) }
        sendQueuedIndication(at: now, output: &output)
    }

    /// Determines the configurations that apply now. The path of an update looks at the result alone.
    mutating func updateActiveConfigurations(_ database: borrowing AttributeDatabase, _ security: LinkSecurity) {
        let isSecure = security.shortfall(for: database.encryptedAccess) == nil
        let serviceChanged = database.serviceChangedHandle
        let isWithholding = server.features.contains(.robustCaching) && !server.awareness.isAware
        server.isWithholding = isWithholding
        for index in server.configurations.indices {
            let configuration = server.configurations[index]
            let isAllowed =
                (isSecure || !configuration.isProtected)
                && (!isWithholding || configuration.valueHandle == serviceChanged)
            server.configurations[index].active = isAllowed ? configuration.bits : 0
        }
    }
}
