import BLEAttribute
import BLELink
import BLEWire

/// The GATT client.
extension HostStack {
    /// Queues an operation. The operations of a link run in the order of the calls, and end in that order: one at a time, or
    /// on enhanced bearers reads and discoveries side by side.
    ///
    /// Each ends in one `completed`, with two exceptions: `cancelOperation` withdrew it, or the link ended, which
    /// `disconnected` reports for all operations at once. If there is no such link, `completed` fails with
    /// `.notConnected`.
    ///
    /// - Parameters:
    ///   - id: Returned in `completed`. The unfinished operations of a link must have different numbers.
    ///   - subscriber: The subscriber whose subscription `setNotify` changes. Subscribers of one value share the peer's
    ///     client characteristic configuration: `setNotify` writes it only if, at its turn, the value has no other
    ///     subscriber.
    ///
    /// `readRSSI` runs in the same order. It fails at once if the controller does not support the command (Vol 4, Part
    /// E, 7.5.4).
    package mutating func submit(
        _ operation: GATTOperation, id: UInt32, subscriber: Int = 0, on link: LinkIdentifier, at now: Instant
    ) {
        guard let connection = connectionForOperation(id: id, link) else { return }
        if case .readRSSI = operation, !lifecycle.capabilities.has(.readRSSI) {
            let failure = GATTError.attribute(ATT.ErrorCode.requestNotSupported.rawValue)
            output.events.append(.completed(link, id: id, .failure(failure)))
            return
        }
        let isWaiting = connection.bearer.submit(
            operation, id: id, subscriber: subscriber, at: now, output: &output.events.attributes)
        if !isWaiting { output.transmit(connection, among: connections, at: now) }
    }

    /// Withdraws an operation that has not started or waits for `resumeOperation`; no `completed` follows. Returns
    /// false for a running operation, whose `completed` follows, and for a finished one.
    package mutating func cancelOperation(_ id: UInt32, on link: LinkIdentifier, at now: Instant) -> Bool {
        guard let connection = connections[link], !connection.isEnding else { return false }
        let isTaken = connection.bearer.cancelOperation(id, at: now, output: &output.events.attributes)
        output.flush(connection)
        output.pump(connections, at: now)
        return isTaken
    }

    /// Resumes the operation that the most recent `securityRequired` of a link named. Has no effect if no operation
    /// waits.
    ///
    /// An operation waits once: a second refusal is its result. During the wait, the link's other operations wait too
    /// and the 30 s of the transaction do not run. `cancelOperation` ends it without `completed`. The end of the link
    /// ends it like any other operation.
    ///
    /// - Parameter repeating: True sends the refused request again. False fails the operation with the peer's error.
    package mutating func resumeOperation(repeating: Bool, on link: LinkIdentifier, at now: Instant) {
        guard let connection = connections[link], !connection.isEnding else { return }
        connection.bearer.resume(repeating: repeating, at: now, output: &output.events.attributes)
        output.flush(connection)
        output.pump(connections, at: now)
    }

    /// The client subscriptions of a link, in the order of the subscriptions. The link's bearer owns them. `submit` and
    /// `dropSubscriber` change them, a Service Changed indication removes those in its range, and the end of the link
    /// ends them.
    package func clientSubscriptions(on link: LinkIdentifier) -> [ClientSubscription] {
        connections[link]?.bearer.clientSubscriptions ?? []
    }

    /// Ends all subscriptions of one subscriber on a link, without `completed`, and withdraws its `setNotify`
    /// operations that have not started. Writes the configuration of each value that has no subscriber left. A running
    /// `setNotify` still ends in `completed` and leaves no subscription. Other operations are not affected; see
    /// `cancelOperation`.
    package mutating func dropSubscriber(_ subscriber: Int, on link: LinkIdentifier, at now: Instant) {
        guard let connection = connections[link], !connection.isEnding else { return }
        connection.bearer.dropSubscriber(subscriber, at: now, output: &output.events.attributes)
        output.flush(connection)
        output.pump(connections, at: now)
    }

    /// Reads the peer's GAP device name (Vol 3, Part C, 12.1); ends in `completed`.
    package mutating func readDeviceName(id: UInt32, on link: LinkIdentifier, at now: Instant) {
        guard let connection = connectionForOperation(id: id, link) else { return }
        connection.bearer.readDeviceName(id: id, at: now, output: &output.events.attributes)
        output.flush(connection)
        output.pump(connections, at: now)
    }

    /// Subscribes to the peer's Service Changed (Vol 3, Part G, 7.1); ends in `completed`.
    package mutating func enableServiceChanged(id: UInt32, on link: LinkIdentifier, at now: Instant) {
        guard let connection = connectionForOperation(id: id, link) else { return }
        connection.bearer.enableServiceChanged(id: id, at: now, output: &output.events.attributes)
        output.flush(connection)
        output.pump(connections, at: now)
    }

    private mutating func connectionForOperation(id: UInt32, _ link: LinkIdentifier) -> Connection? {
        if let connection = connections[link], !connection.isEnding { return connection }
        output.events.append(.completed(link, id: id, .failure(.notConnected)))
        return nil
    }

    /// Queues a Write Command (Vol 3, Part G, 4.9.1). Returns false if it was dropped because the link's queue is at
    /// its limit.
    @discardableResult
    package mutating func writeCommand(
        _ value: Span<UInt8>, handle: UInt16, on link: LinkIdentifier, at now: Instant
    ) throws(GATTError) -> Bool {
        guard let connection = connections[link], !connection.isEnding else { throw .notConnected }
        return try writeCommand(value, handle: handle, on: connection, at: now)
    }

    /// Does the same if the link takes another value (`takesValues`). Returns nil, without effect, if it does not.
    package mutating func writeCommandIfRoom(
        _ value: Span<UInt8>, handle: UInt16, on link: LinkIdentifier, at now: Instant
    ) throws(GATTError) -> Bool? {
        guard let connection = connections[link], output.data.takesValues(on: connection) else { return nil }
        return try writeCommand(value, handle: handle, on: connection, at: now)
    }

    private mutating func writeCommand(
        _ value: Span<UInt8>, handle: UInt16, on connection: Connection, at now: Instant
    ) throws(GATTError) -> Bool {
        if let isTaken = output.send(
            ATT.WriteCommand.opcode, handle: handle, value, on: connection, among: connections, at: now)
        {
            return isTaken
        }
        guard output.data.hasRoom(for: value.count, on: connection) else { return false }
        try connection.bearer.writeCommand(value, handle: handle, output: &output.events.attributes)
        output.transmit(connection, among: connections, at: now)
        return true
    }
}

/// Procedures over several attributes, and signed writes.
extension HostStack {
    /// Queues the read of several whole values in as few requests as the server and the ATT_MTU allow (Vol 3, Part G, 4.8.5). It ends in `completed`
    /// with `values`, as an operation of `submit` does. One value that must not be read fails all.
    package mutating func readValues(_ handles: [UInt16], id: UInt32, on link: LinkIdentifier, at now: Instant) {
        guard let connection = connectionForOperation(id: id, link) else { return }
        connection.bearer.readValues(handles, id: id, at: now, output: &output.events.attributes)
        output.transmit(connection, among: connections, at: now)
    }

    /// Queues a reliable write (Vol 3, Part G, 4.9.5): the server's echo of each part is checked before the server applies all values or none. It ends
    /// in `completed`, as an operation of `submit` does.
    package mutating func writeReliably(
        _ values: [AttributeValue], id: UInt32, on link: LinkIdentifier, at now: Instant
    ) {
        guard let connection = connectionForOperation(id: id, link) else { return }
        connection.bearer.writeReliably(values, id: id, at: now, output: &output.events.attributes)
        output.transmit(connection, among: connections, at: now)
    }

    /// Queues a Signed Write Command (Vol 3, Part G, 4.9.2); on an encrypted link a Write Command, as the specification requires. The server ignores
    /// it if its characteristic does not have the property, or if it does not have this host's signature key.
    ///
    /// This host distributes a key if `PairingPolicy.localKeys` contains `.signing` and the peer requests it.
    ///
    /// - Returns: False if it was dropped because the link's queue is at its limit.
    /// - Throws: Insufficient Authentication if there is no key; `.valueTooLong` for more than ATT_MTU - 15 octets.
    @discardableResult
    package mutating func signedWriteCommand(
        _ value: Span<UInt8>, handle: UInt16, on link: LinkIdentifier, at now: Instant
    ) throws(GATTError) -> Bool {
        guard let connection = connections[link], !connection.isEnding else { throw .notConnected }
        guard !connection.security.isEncrypted else {
            return try writeCommand(value, handle: handle, on: connection, at: now)
        }
        guard value.count <= connection.bearer.signedValueLimit else { throw .valueTooLong }
        guard output.data.hasRoom(for: value.count + 12, on: connection) else { return false }
        var message: [UInt8] = [ATT.Opcode.signedWriteCommand.rawValue]
        message.append(UInt8(truncatingIfNeeded: handle))
        message.append(UInt8(truncatingIfNeeded: handle >> 8))
        message.append(value)
        guard let signature = security.sign(message.span, on: connection, &output) else {
            throw .attribute(ATT.ErrorCode.insufficientAuthentication.rawValue)
        }
        try connection.bearer.writeCommand(
            value, handle: handle, signature: signature, output: &output.events.attributes)
        output.transmit(connection, among: connections, at: now)
        return true
    }
}

/// Indications of the peer.
extension HostStack {
    /// Confirms the latest indication or Service Changed of a link, so that the peer may send the next one. The peer
    /// waits at most 30 s for the confirmation. After that it considers the bearer unusable (Vol 3, Part F, 3.3.3).
    package mutating func confirmIndication(on link: LinkIdentifier, at now: Instant) {
        guard let connection = connections[link], !connection.isEnding else { return }
        connection.bearer.confirmIndication(output: &output.events.attributes)
        output.flush(connection)
        output.pump(connections, at: now)
    }
}

/// Back-pressure.
extension HostStack {
    /// The number of octets that wait for room in the controller.
    package func queuedOctets(on link: LinkIdentifier) -> Int {
        connections[link].map { output.data.transmitter.queuedOctets($0.slot) } ?? 0
    }

    /// Whether a link takes another value now. If not, wait for `transmitQueueDrained`; it follows unless the link ends. As
    /// peripheral, it takes none while the client does not know the database (Vol 3, Part G, 2.5.2.1).
    package func takesValues(on link: LinkIdentifier) -> Bool {
        connections[link].map { output.data.takesValues(on: $0) } ?? false
    }
}

/// The GATT server.
extension HostStack {
    /// Changes the ATT_MTU that this host offers on later links, clamped to 23 to 517 octets (Vol 3, Part F, 3.2.8).
    package mutating func offerMTU(_ octets: UInt16) { configuration.localMTU = min(max(octets, ATT.defaultMTU), 517) }

    /// Sends a notification, cut to ATT_MTU - 3. The caller checks `clientConfiguration`. Returns false if it was dropped: there is no such link, or its queue
    /// is above the limit.
    @discardableResult
    package mutating func notify(
        _ value: Span<UInt8>, handle: UInt16, on link: LinkIdentifier, at now: Instant
    ) -> Bool {
        guard let connection = connections[link], !connection.isEnding else { return false }
        if let isTaken = output.send(
            ATT.HandleValueNotification.opcode, handle: handle, value, on: connection, among: connections, at: now)
        {
            return isTaken
        }
        guard output.data.hasRoom(for: value.count, on: connection) else { return false }
        connection.bearer.notify(handle: handle, value: value, output: &output.events.attributes)
        output.transmit(connection, among: connections, at: now)
        return true
    }

    /// Whether the client of a link takes several values in one notification (Vol 3, Part G, 7.2).
    package func takesSeveralValues(on link: LinkIdentifier) -> Bool {
        connections[link]?.bearer.takesSeveralValues ?? false
    }

    /// Sends notifications of several values in their order, in few PDUs if the client supports that (Vol 3, Part F, 3.4.7.4). The caller checks
    /// `clientConfiguration` of each. Returns false if they were dropped.
    @discardableResult
    package mutating func notify(_ values: [AttributeValue], on link: LinkIdentifier, at now: Instant) -> Bool {
        guard let connection = connections[link], !connection.isEnding else { return false }
        let count = values.reduce(0) { $0 + L2CAP.headerCount + 4 + $1.value.count }
        guard output.data.hasRoom(for: count, on: connection) else { return false }
        connection.bearer.notify(values, output: &output.events.attributes)
        output.transmit(connection, among: connections, at: now)
        return true
    }

    /// Queues an indication (Vol 3, Part F, 3.4.7.2); `indicationConfirmed` follows.
    package mutating func indicate(_ value: Span<UInt8>, handle: UInt16, on link: LinkIdentifier, at now: Instant) {
        guard let connection = connections[link], !connection.isEnding else { return }
        connection.bearer.indicate(handle: handle, value: value, at: now, output: &output.events.attributes)
        output.transmit(connection, among: connections, at: now)
    }

    /// Answers a `readRequest` with the octets from its offset on.
    package mutating func respondToRead(
        _ request: UInt32, value: Span<UInt8>, on link: LinkIdentifier, at now: Instant
    ) {
        guard let connection = connections[link] else { return }
        connection.bearer.respondToRead(request, value: value, at: now, output: &output.events.attributes)
        output.transmit(connection, among: connections, at: now)
    }

    /// Refuses a `readRequest`.
    package mutating func respondToRead(
        _ request: UInt32, error: ATT.ErrorCode, on link: LinkIdentifier, at now: Instant
    ) {
        guard let connection = connections[link] else { return }
        connection.bearer.respondToRead(request, error: error, at: now, output: &output.events.attributes)
        output.flush(connection)
        output.pump(connections, at: now)
    }

    /// Answers a `writeRequest`. A nil `error` accepts it.
    package mutating func respondToWrite(
        _ request: UInt32, error: ATT.ErrorCode?, on link: LinkIdentifier, at now: Instant
    ) {
        guard let connection = connections[link] else { return }
        connection.bearer.respondToWrite(request, error: error, at: now, output: &output.events.attributes)
        output.flush(connection)
        output.pump(connections, at: now)
    }

    /// The updates of a characteristic that the client gets now: bit 0 for notifications, bit 1 for indications. 0 while the
    /// characteristic requires more security than the link has, and while the client does not know the database (Vol 3, Part G,
    /// 2.5.2.1).
    package func clientConfiguration(ofValueHandle handle: UInt16, on link: LinkIdentifier) -> UInt16 {
        connections[link]?.bearer.clientConfiguration(ofValueHandle: handle) ?? 0
    }

    /// Applies a change of `database`. Call it after services were added or removed. The host drops the clients'
    /// configurations in the ranges. Each client that enabled Service Changed gets one indication for each span of
    /// changed handles (Vol 3, Part G, 7.1). The bearer sends them in turn, each after the confirmation of the
    /// preceding one (Vol 3, Part F, 3.3.2).
    ///
    /// A span contains no unchanged attribute: a client discards the services in the span together with its
    /// subscriptions.
    package mutating func databaseChanged(_ ranges: [HandleRange], at now: Instant) {
        guard !ranges.isEmpty else { return }
        security.hasSignedWrites = database.hasSignedWrites
        let spans = database.spans(of: ranges)
        for connection in connections where !connection.isEnding {
            for range in ranges { connection.bearer.removed(range, output: &output.events.attributes) }
            connection.bearer.databaseChanged(
                database, security: connection.security, output: &output.events.attributes)
            for span in spans {
                connection.bearer.indicateServicesChanged(
                    span, database: database, at: now, output: &output.events.attributes)
            }
            output.flush(connection)
        }
        output.pump(connections, at: now)
    }
}

extension AttributeDatabase {
    /// The ranges in the order of their handles. Two ranges with no attribute between them become one.
    fileprivate func spans(of ranges: [HandleRange]) -> [HandleRange] {
        var spans: [HandleRange] = []
        for range in ranges.sorted(by: { $0.start < $1.start }) {
            if let last = spans.last, !hasAttributes(after: last.end, before: range.start) {
                spans[spans.count - 1].end = max(last.end, range.end)
            } else {
                spans.append(range)
            }
        }
        return spans
    }
}
