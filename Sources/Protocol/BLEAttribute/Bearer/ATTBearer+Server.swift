import BLEWire

/// The server side, for the owner of the bearer.
extension ATTBearer {
    /// Answers a `readRequest` with the value's octets from the request's offset on, cut to the available length.
    /// Unknown requests are ignored.
    package mutating func respondToRead(
        _ request: UInt32, value: Span<UInt8>, at now: Instant, output: inout ATTOutput
    ) {
        let index = exchange(forRequest: request, output: &output)
        server.respondToRead(request, value, Int(mtu), output: &output)
        if let index { exchange(index, output: &output) }
    }

    /// Refuses a `readRequest`.
    package mutating func respondToRead(
        _ request: UInt32, error: ATT.ErrorCode, at now: Instant, output: inout ATTOutput
    ) {
        let index = exchange(forRequest: request, output: &output)
        server.refuseRead(request, error, output: &output)
        if let index { exchange(index, output: &output) }
    }

    /// Answers a `writeRequest` that needs a response. A nil error or code 0 accepts it. Unknown requests are ignored.
    package mutating func respondToWrite(
        _ request: UInt32, error: ATT.ErrorCode? = nil, at now: Instant, output: inout ATTOutput
    ) {
        let index = exchange(forRequest: request, output: &output)
        server.respondToWrite(request, error, output: &output)
        if let index { exchange(index, output: &output) }
    }

    /// The updates of a characteristic that this client gets now: bit 0 for notifications, bit 1 for indications. 0 while the
    /// characteristic requires more security than the link has, and while the client is change-unaware.
    // `mutating`: for an ordinary method another module copies the bearer with each value.
    package mutating func clientConfiguration(ofValueHandle handle: UInt16) -> UInt16 {
        server.activeConfiguration(ofValueHandle: handle)
    }

    /// Sends a notification at once, cut to ATT_MTU - 3 octets. The caller checks `clientConfiguration(ofValueHandle:)`.
    package mutating func notify(handle: UInt16, value: Span<UInt8>, output: inout ATTOutput) {
        guard !hasFailed else { return }
        let value = value.extracting(first: min(value.count, Int(mtu) - 3))
        output.send(ATT.HandleValueNotification(handle: handle, value: value))
    }

    /// Whether the client takes several values in one notification (Client Supported Features, Vol 3, Part G, 7.2).
    package var takesSeveralValues: Bool {
        // `mutating`: for an ordinary getter another module copies the bearer with each value.
        mutating get { server.features.contains(.multipleNotifications) }
    }

    /// Sends notifications of several values at once, in their order. If the client supports that, each PDU holds as many values as
    /// fit whole, and a value beside which no other fits has one of its own (Vol 3, Part F, 3.4.7.4). The caller checks
    /// `clientConfiguration(ofValueHandle:)` of each.
    package mutating func notify(_ values: [AttributeValue], output: inout ATTOutput) {
        guard !hasFailed else { return }
        var rest = values[...]
        while let first = rest.first {
            let fitting = takesSeveralValues ? countInOneNotification(rest) : 1
            if fitting < 2 {
                notify(handle: first.handle, value: first.value.span, output: &output)
                rest.removeFirst()
            } else {
                var octets: [UInt8] = []
                for value in rest.prefix(fitting) {
                    octets.append(littleEndian: value.handle)
                    octets.append(littleEndian: UInt16(clamping: value.value.count))
                    octets.append(contentsOf: value.value)
                }
                output.send(ATT.MultipleHandleValueNotification(octets: octets.span))
                rest.removeFirst(fitting)
            }
        }
    }

    /// The number of first values that fit one PDU of several values.
    private func countInOneNotification(_ values: ArraySlice<AttributeValue>) -> Int {
        var room = Int(mtu) - 1
        return values.prefix { value in
            room -= 4 + value.value.count
            return room >= 0
        }.count
    }

    /// Queues an indication: one of a bearer at a time is unconfirmed (Vol 3, Part F, 3.3.2). It is cut to ATT_MTU - 3 octets at
    /// transmission (3.4.7.2). `indicationConfirmed` follows.
    package mutating func indicate(handle: UInt16, value: Span<UInt8>, at now: Instant, output: inout ATTOutput) {
        guard !hasFailed else { return }
        server.indicate(handle, value, Int(mtu), at: now, output: &output)
        sendIndications(at: now, output: &output)
    }

    /// Indicates Service Changed for `range` if the client subscribed to it. It precedes the waiting indications of other values,
    /// whose handles the client may not know any more.
    package mutating func indicateServicesChanged(
        _ range: HandleRange, database: borrowing AttributeDatabase, at now: Instant, output: inout ATTOutput
    ) {
        guard !hasFailed else { return }
        server.indicateServicesChanged(range, database, Int(mtu), at: now, output: &output)
    }

    /// Whether the client gets no updates now, because it does not know the database (Vol 3, Part G, 2.5.2.1). `updatesResumed`
    /// follows. The owner keeps its updates until then.
    package var withholdsUpdates: Bool {
        // `mutating`: for an ordinary getter another module copies the bearer with each value.
        mutating get { server.isWithholding }
    }

    /// Removes this client's configurations in a range that left the database. Subscriptions end with
    /// `subscriptionChanged(…, 0)`, waiting indications with `indicationConfirmed`.
    package mutating func removed(_ range: HandleRange, output: inout ATTOutput) {
        server.removed(range, output: &output)
    }

    /// Takes a change of the database. The client is change-unaware from now on (Vol 3, Part G, 2.5.2.1).
    package mutating func databaseChanged(
        _ database: borrowing AttributeDatabase, security: LinkSecurity, output: inout ATTOutput
    ) {
        guard !hasFailed else { return }
        server.databaseChanged(database, security, output: &output)
    }

    /// Takes a change of the link's security. Updates of characteristics that require encryption start or stop. Waiting
    /// indications that must no longer be sent end with `indicationConfirmed`.
    package mutating func securityChanged(
        to security: LinkSecurity, database: borrowing AttributeDatabase, output: inout ATTOutput
    ) {
        server.securityChanged(to: security, database, output: &output)
    }

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
        server.restoreClient(octets, database, security, Int(mtu), at: now, output: &output)
    }
}

/// The handle of an attribute, and a value that is written or notified together with others.
package struct AttributeValue: Hashable, Sendable {
    package var handle: UInt16
    package var value: [UInt8]

    package init(handle: UInt16, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }
}
