import BLEAttribute
import BLELink
import BLEWire

/// The GATT client.
extension HostStack {
    /// Queues an operation. The operations of a link run one at a time, in the order of the calls, and end in that order.
    ///
    /// Each ends in one `completed`, with these exceptions: `cancelOperation` took it back, or the link ended, which
    /// `disconnected` says for all operations at once. Without such a link `completed` fails with `.notConnected`.
    ///
    /// - Parameters:
    ///   - id: Comes back in `completed`. The operations of a link that have not ended must have different numbers.
    ///   - subscriber: Whose subscription `setNotify` changes. Subscribers of one value share the peer's client characteristic
    ///     configuration: `setNotify` writes it only if, when its turn comes, no other subscriber has the value.
    ///
    /// `readRSSI` takes its turn among the others; it fails at once if the controller does not have the command.
    package mutating func submit(
        _ operation: GATTOperation, id: UInt32, subscriber: UInt32 = 0, on link: LinkIdentifier, at now: Instant
    ) {
        guard let connection = connectionForOperation(id: id, link) else { return }
        if operation == .readRSSI, !capabilities.has(.readRSSI) {
            let failure = GATTFailure.attribute(ATT.ErrorCode.requestNotSupported.rawValue)
            events.append(.completed(link, id: id, .failure(failure)))
            return
        }
        connection.bearer.submit(operation, id: id, subscriber: subscriber, at: now, output: &attributeOutput)
        flush(connection)
        pump(at: now)
    }

    /// Takes an operation back that has not started or waits for `resumeOperation`; no `completed` follows then. Returns false for
    /// an operation that runs, whose `completed` follows, and for one that is over.
    package mutating func cancelOperation(_ id: UInt32, on link: LinkIdentifier, at now: Instant) -> Bool {
        guard let connection = connection(link), !connection.isEnding else { return false }
        let isTaken = connection.bearer.cancelOperation(id, at: now, output: &attributeOutput)
        flush(connection)
        pump(at: now)
        return isTaken
    }

    /// Goes on with the operation that `securityRequired` named last on a link. Does nothing if none waits for that.
    ///
    /// An operation waits once: a second refusal is its result. While it waits, the link's other operations wait too and the 30 s
    /// of the transaction do not run. `cancelOperation` ends it without `completed`; the end of the link ends it as any other.
    ///
    /// - Parameter repeating: True sends the refused request again. False fails the operation with the peer's error.
    package mutating func resumeOperation(repeating: Bool, on link: LinkIdentifier, at now: Instant) {
        guard let connection = connection(link), !connection.isEnding else { return }
        connection.bearer.resume(repeating: repeating, at: now, output: &attributeOutput)
        flush(connection)
        pump(at: now)
    }

    /// The client subscriptions of a link, in the order in which the subscribers asked. The link's bearer owns them: `submit`
    /// and `dropSubscriber` change them, a Service Changed indication removes those in its range, and they end with the link.
    package func clientSubscriptions(on link: LinkIdentifier) -> [ClientSubscription] {
        connection(link)?.bearer.clientSubscriptions ?? []
    }

    /// Ends all subscriptions of one subscriber on a link, without `completed`, and takes back its `setNotify` operations that
    /// have not started. Writes the configuration of each value that has no subscriber left. A `setNotify` that runs still
    /// ends in `completed`, and leaves no subscription. Other operations are not affected; see `cancelOperation`.
    package mutating func dropSubscriber(_ subscriber: UInt32, on link: LinkIdentifier, at now: Instant) {
        guard let connection = connection(link), !connection.isEnding else { return }
        connection.bearer.dropSubscriber(subscriber, at: now, output: &attributeOutput)
        flush(connection)
        pump(at: now)
    }

    /// Reads the peer's GAP device name; ends in `completed`.
    package mutating func readDeviceName(id: UInt32, on link: LinkIdentifier, at now: Instant) {
        guard let connection = connectionForOperation(id: id, link) else { return }
        connection.bearer.readDeviceName(id: id, at: now, output: &attributeOutput)
        flush(connection)
        pump(at: now)
    }

    /// Subscribes to the peer's Service Changed; ends in `completed`.
    package mutating func enableServiceChanged(id: UInt32, on link: LinkIdentifier, at now: Instant) {
        guard let connection = connectionForOperation(id: id, link) else { return }
        connection.bearer.enableServiceChanged(id: id, at: now, output: &attributeOutput)
        flush(connection)
        pump(at: now)
    }

    private mutating func connectionForOperation(id: UInt32, _ link: LinkIdentifier) -> Connection? {
        if let connection = connection(link), !connection.isEnding { return connection }
        events.append(.completed(link, id: id, .failure(.notConnected)))
        return nil
    }

    /// Queues a Write Command. False if it was dropped because even the generous bound was reached.
    @discardableResult
    package mutating func writeCommand(
        _ value: Span<UInt8>, handle: UInt16, on link: LinkIdentifier, at now: Instant
    ) throws(GATTFailure) -> Bool {
        guard let connection = connection(link), !connection.isEnding else { throw .notConnected }
        guard hasRoom(for: value.count, on: connection) else { return false }
        try connection.bearer.writeCommand(value, handle: handle, output: &attributeOutput)
        flush(connection)
        pump(at: now)
        return true
    }
}

/// Indications of the peer.
extension HostStack {
    /// Confirms the indication or the Service Changed that came last on a link: the peer may send the next one. It waits for
    /// this, 30 s at most; then the link is of no more use to it (Vol 3, Part F, 3.3.3).
    package mutating func confirmIndication(on link: LinkIdentifier, at now: Instant) {
        guard let connection = connection(link), !connection.isEnding else { return }
        connection.bearer.confirmIndication(output: &attributeOutput)
        flush(connection)
        pump(at: now)
    }
}

/// Back-pressure.
extension HostStack {
    /// Octets that wait for room in the controller.
    package func queuedOctets(on link: LinkIdentifier) -> Int {
        connection(link).map { transmitter.queuedOctets($0.slot) } ?? 0
    }

    /// How many values of full length should be sent now; 0: wait for `transmitQueueDrained`, which follows for sure unless
    /// the link ends.
    package func freeSlots(on link: LinkIdentifier) -> Int {
        guard let connection = connection(link), !connection.isEnding, !transmitter.isFull(connection.slot) else {
            return 0
        }
        let room = transmitter.fullMark - transmitter.queuedOctets(connection.slot)
        let frame = L2CAP.headerCount + Int(connection.bearer.mtu)
        return max(1, (room + frame - 1) / frame)
    }

    /// Whether the bound of a link's queue leaves room for one value.
    private func hasRoom(for count: Int, on connection: Connection) -> Bool {
        let frame = L2CAP.headerCount + min(Int(connection.bearer.mtu), 3 + count)
        return transmitter.queuedOctets(connection.slot) + frame <= transmitter.limit
    }
}

/// The GATT server.
extension HostStack {
    /// Sends a notification, cut to ATT_MTU - 3. False if it was dropped: no such link, or its queue is beyond the bound.
    @discardableResult
    package mutating func notify(
        _ value: Span<UInt8>, handle: UInt16, on link: LinkIdentifier, at now: Instant
    ) -> Bool {
        guard let connection = connection(link), !connection.isEnding, hasRoom(for: value.count, on: connection) else {
            return false
        }
        connection.bearer.notify(handle: handle, value: value, output: &attributeOutput)
        flush(connection)
        pump(at: now)
        return true
    }

    /// Queues an indication; `indicationConfirmed` follows.
    package mutating func indicate(_ value: Span<UInt8>, handle: UInt16, on link: LinkIdentifier, at now: Instant) {
        guard let connection = connection(link), !connection.isEnding else { return }
        connection.bearer.indicate(handle: handle, value: value, at: now, output: &attributeOutput)
        flush(connection)
        pump(at: now)
    }

    /// Answers a `readRequest` with the octets from its offset on.
    package mutating func respondToRead(
        _ request: UInt32, value: Span<UInt8>, on link: LinkIdentifier, at now: Instant
    ) {
        guard let connection = connection(link) else { return }
        connection.bearer.respondToRead(request, value: value, at: now, output: &attributeOutput)
        flush(connection)
        pump(at: now)
    }

    /// Refuses a `readRequest`.
    package mutating func respondToRead(
        _ request: UInt32, error: ATT.ErrorCode, on link: LinkIdentifier, at now: Instant
    ) {
        guard let connection = connection(link) else { return }
        connection.bearer.respondToRead(request, error: error, at: now, output: &attributeOutput)
        flush(connection)
        pump(at: now)
    }

    /// Answers a `writeRequest`; a nil `error` accepts.
    package mutating func respondToWrite(
        _ request: UInt32, error: ATT.ErrorCode?, on link: LinkIdentifier, at now: Instant
    ) {
        guard let connection = connection(link) else { return }
        connection.bearer.respondToWrite(request, error: error, at: now, output: &attributeOutput)
        flush(connection)
        pump(at: now)
    }

    /// The client's configuration of a characteristic: bit 0 notifications, bit 1 indications.
    package func clientConfiguration(ofValueHandle handle: UInt16, on link: LinkIdentifier) -> UInt16 {
        connection(link)?.bearer.clientConfiguration(ofValueHandle: handle) ?? 0
    }

    /// Call after services were added to or removed from `database`. What clients had configured in the ranges is forgotten, and
    /// those that asked for it get one Service Changed for each span of changed handles (Vol 3, Part G, 7.1). The bearer sends
    /// them one after the other, each when the one before is confirmed (Vol 3, Part F, 3.3.2).
    ///
    /// A span has no unchanged attribute in it: a client forgets the services in the span, and its subscriptions with them.
    package mutating func databaseChanged(_ ranges: [HandleRange], at now: Instant) {
        guard !ranges.isEmpty else { return }
        let spans = joined(ranges)
        for connection in connections where !connection.isEnding {
            for range in ranges { connection.bearer.removed(range, output: &attributeOutput) }
            for span in spans {
                connection.bearer.indicateServicesChanged(
                    span, database: database, at: now, output: &attributeOutput)
            }
            flush(connection)
        }
        pump(at: now)
    }

    /// The ranges in the order of their handles. Two that have no attribute between them become one.
    private func joined(_ ranges: [HandleRange]) -> [HandleRange] {
        var spans: [HandleRange] = []
        for range in ranges.sorted(by: { $0.start < $1.start }) {
            if let last = spans.last, !database.hasAttributes(after: last.end, before: range.start) {
                spans[spans.count - 1].end = max(last.end, range.end)
            } else {
                spans.append(range)
            }
        }
        return spans
    }
}
