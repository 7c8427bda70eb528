import BLEWire

/// Notifications and indications to the client (Vol 3, Part F, 3.4.7).
extension ATTBearer {
    /// The updates of a characteristic that this client gets now: bit 0 for notifications, bit 1 for indications. 0 while the
    /// characteristic requires more security than the link has, and while the client is change-unaware.
    package func clientConfiguration(ofValueHandle handle: UInt16) -> UInt16 {
        for configuration in server.configurations where configuration.valueHandle == handle {
            return configuration.active
        }
        return 0
    }

    /// Sends a notification at once, cut to ATT_MTU - 3 octets. The caller checks `clientConfiguration(ofValueHandle:)`.
    package mutating func notify(handle: UInt16, value: Span<UInt8>, output: inout ATTOutput) {
        guard !hasFailed else { return }
        let value = value.extracting(first: min(value.count, Int(mtu) - 3))
        output.send(ATT.HandleValueNotification(handle: handle, value: value))
    }

    /// Queues an indication: one at a time is unconfirmed (Vol 3, Part F, 3.3.2). It is cut to ATT_MTU - 3 octets at
    /// transmission (3.4.7.2). `indicationConfirmed` follows.
    package mutating func indicate(handle: UInt16, value: Span<UInt8>, at now: Instant, output: inout ATTOutput) {
        guard !hasFailed else { return }
        guard server.indication == nil else {
            server.queuedIndications.append(.init(handle: handle, value: [UInt8](value)))
            return
        }
        send(handle, value, isServiceChanged: false, at: now, output: &output)
    }

    /// The number of indications without a confirmation.
    package var unconfirmedIndications: Int { server.queuedIndications.count + (server.indication == nil ? 0 : 1) }

    /// Indicates Service Changed for `range` if the client subscribed to it. It precedes the waiting indications of other values,
    /// whose handles the client may not know any more.
    package mutating func indicateServicesChanged(
        _ range: HandleRange, database: borrowing AttributeDatabase, at now: Instant, output: inout ATTOutput
    ) {
        let handle = database.serviceChangedHandle
        guard clientConfiguration(ofValueHandle: handle) & 2 != 0 else { return }
        let value: [4 of UInt8] = [
            UInt8(truncatingIfNeeded: range.start), UInt8(truncatingIfNeeded: range.start >> 8),
            UInt8(truncatingIfNeeded: range.end), UInt8(truncatingIfNeeded: range.end >> 8),
        ]
        guard !hasFailed else { return }
        let position =
            server.queuedIndications.firstIndex { !$0.isServiceChanged } ?? server.queuedIndications.endIndex
        server.queuedIndications.insert(
            .init(handle: handle, value: [UInt8](value.span), isServiceChanged: true), at: position)
        sendQueuedIndication(at: now, output: &output)
    }

    private mutating func send(
        _ handle: UInt16, _ value: Span<UInt8>, isServiceChanged: Bool, at now: Instant, output: inout ATTOutput
    ) {
        let value = value.extracting(first: min(value.count, Int(mtu) - 3))
        output.send(ATT.HandleValueIndication(handle: handle, value: value))
        server.indication = (handle, now + Self.transactionTimeout, isServiceChanged)
    }

    /// Sends the first waiting indication, unless one is unconfirmed. A change-unaware client gets Service Changed alone.
    mutating func sendQueuedIndication(at now: Instant, output: inout ATTOutput) {
        guard server.indication == nil, let next = server.queuedIndications.first,
            next.isServiceChanged || !server.isWithholding
        else { return }
        server.queuedIndications.removeFirst()
        send(next.handle, next.value.span, isServiceChanged: next.isServiceChanged, at: now, output: &output)
    }

    mutating func receiveConfirmation(
        _ database: borrowing AttributeDatabase, _ security: LinkSecurity, at now: Instant, output: inout ATTOutput
    ) {
        // A confirmation without an outstanding indication is ignored.
        guard let confirmed = server.indication.take() else { return }
        output.emit(.indicationConfirmed(valueHandle: confirmed.handle))
        if confirmed.isServiceChanged, !server.awareness.isAware,
            !server.queuedIndications.contains(where: \.isServiceChanged)
        {
            server.awareness.serviceChangedWasConfirmed()
            return clientBecameAware(database, security, at: now, output: &output)
        }
        sendQueuedIndication(at: now, output: &output)
    }

    /// Removes this client's configurations in a range that left the database. Subscriptions end with
    /// `subscriptionChanged(…, 0)`, waiting indications with `indicationConfirmed`.
    package mutating func removed(_ range: HandleRange, output: inout ATTOutput) {
        func isInside(_ handle: UInt16) -> Bool { handle >= range.start && handle <= range.end }
        for configuration in server.configurations
        where isInside(configuration.valueHandle) && configuration.bits != 0 {
            output.emit(.subscriptionChanged(valueHandle: configuration.valueHandle, configuration: 0))
        }
        server.configurations.removeAll { isInside($0.valueHandle) }
        for indication in server.queuedIndications where isInside(indication.handle) {
            output.emit(.indicationConfirmed(valueHandle: indication.handle))
        }
        server.queuedIndications.removeAll { isInside($0.handle) }
    }
}
