import BLEWire

/// The output of a bearer: PDUs to send and events to handle, each in order. The owner passes the same output to every
/// call. Its buffers keep their capacity, so a warm output allocates nothing.
///
/// After each call, PDUs go to the lower layer and events to the owner's own events. The owner manages the arena:
/// ranges in events refer to it, and the owner empties it after handling the events.
package struct ATTOutput: Sendable {
    /// The first PDU if it is a short one: most calls send one request and nothing else. The other PDUs follow in `furtherOctets`.
    package private(set) var request: ATT.ShortPDU?
    /// The ends in `furtherOctets` of whole ATT PDUs for the fixed channel, in the order of transmission. Numbers instead of ranges: the first
    /// array of ranges in a process costs 300,000 instructions, in which the Swift runtime searches for a conformance.
    package private(set) var furtherEnds: [Int] = []
    /// The PDUs, one after another.
    package var furtherOctets: [UInt8] = []
    /// The bearer whose PDUs `send` takes: 0 for the unenhanced one, otherwise the number of its channel.
    var bearer: UInt32 = 0
    /// The PDUs for enhanced bearers, in the order of transmission.
    package private(set) var enhancedPDUs: [EnhancedPDU] = []
    /// Their octets, one after another.
    package var enhancedOctets: [UInt8] = []
    /// The first event if it is the end of an operation: most calls end one operation and nothing else. The other events follow in
    /// `furtherEvents`.
    package private(set) var completion: ATTCompletion?
    /// The same for a read whose value is in the arena.
    package private(set) var read: ATTReadCompletion?
    package var furtherEvents: [ATTEvent] = []
    package var arena = EventArena()

    package init() {
        furtherEvents.prepareStorage()
    }

    /// Whether there are neither PDUs nor events.
    package var isEmpty: Bool {
        request == nil && furtherEnds.isEmpty && enhancedPDUs.isEmpty && !hasFirstEvent && furtherEvents.isEmpty
    }

    /// All PDUs, as ranges of `pduOctets`.
    package var pdus: [Range<Int>] {
        let first = request?.count ?? 0
        let further = furtherEnds.indices.map {
            ($0 == 0 ? first : first + furtherEnds[$0 - 1])..<first + furtherEnds[$0]
        }
        return first == 0 ? further : [0..<first] + further
    }

    /// The octets of all PDUs, one after another.
    package var pduOctets: [UInt8] { (request?.withOctets { [UInt8]($0) } ?? []) + furtherOctets }

    /// All events.
    package var events: [ATTEvent] {
        if let completion { return [.completed(id: completion.id, completion.result)] + furtherEvents }
        guard let read else { return furtherEvents }
        return [.completed(id: read.id, .success(.value(arena.copy(read.value))))] + furtherEvents
    }

    private var hasFirstEvent: Bool { completion != nil || read != nil }

    /// Appends a PDU, with its opcode. The callers keep every field within its limits.
    mutating func send<P: ATTPDU & ~Escapable>(_ pdu: P) {
        guard bearer == 0 else {
            if (try? enhancedOctets.append(attribute: pdu)) != nil { endEnhancedPDU() }
            return
        }
        guard (try? furtherOctets.append(attribute: pdu)) != nil else { return }
        furtherEnds.append(furtherOctets.count)
    }

    /// Appends a short PDU.
    mutating func send(_ pdu: ATT.ShortPDU) {
        if bearer != 0 {
            pdu.withOctets { enhancedOctets.append($0) }
            endEnhancedPDU()
        } else if request == nil, furtherEnds.isEmpty {
            request = pdu
        } else {
            pdu.withOctets { furtherOctets.append($0) }
            furtherEnds.append(furtherOctets.count)
        }
    }

    private mutating func endEnhancedPDU() {
        enhancedPDUs.append(EnhancedPDU(bearer: bearer, end: enhancedOctets.count))
    }

    /// Appends an event.
    mutating func emit(_ event: ATTEvent) { furtherEvents.append(event) }

    /// Appends the end of an operation.
    mutating func complete(id: UInt32, _ result: consuming Result<GATTResult, GATTError>) {
        if !hasFirstEvent, furtherEvents.isEmpty {
            completion = ATTCompletion(id: id, result: result)
        } else {
            furtherEvents.append(.completed(id: id, result))
        }
    }

    /// Appends the end of a read. The value needs an array of its own only if other events precede it.
    mutating func complete(id: UInt32, reading value: Span<UInt8>) {
        if !hasFirstEvent, furtherEvents.isEmpty {
            read = ATTReadCompletion(id: id, value: arena.store(value))
        } else {
            furtherEvents.append(.completed(id: id, .success(.value([UInt8](value)))))
        }
    }

    /// Removes and returns the first PDU if it is a short one.
    package mutating func takeRequest() -> ATT.ShortPDU? { request.take() }

    /// Removes and returns the first event if it is the end of an operation.
    package mutating func takeCompletion() -> ATTCompletion? { completion.take() }

    /// Removes and returns the first event if it is the end of a read whose value is in the arena.
    package mutating func takeRead() -> ATTReadCompletion? { read.take() }

    /// Removes the PDUs for enhanced bearers. Keeps the capacity.
    package mutating func removeEnhancedPDUs() {
        enhancedPDUs.empty()
        enhancedOctets.empty()
    }

    /// Removes the PDUs after the first short one. Keeps the capacity.
    package mutating func removeFurtherPDUs() {
        furtherEnds.empty()
        furtherOctets.empty()
    }
}

/// A whole PDU for an enhanced bearer.
package struct EnhancedPDU: Hashable, Sendable {
    /// The number of the bearer's channel.
    package let bearer: UInt32
    /// The end in `ATTOutput.enhancedOctets`. The PDU begins at the end of the preceding one.
    package let end: Int
}

/// The end of an operation: the content of `ATTEvent.completed`.
package struct ATTCompletion: Sendable {
    package let id: UInt32
    package let result: Result<GATTResult, GATTError>
}

/// The success of a read, with the value in the arena.
package struct ATTReadCompletion: Sendable {
    package let id: UInt32
    /// A range of the arena's octets.
    package let value: Range<Int>
}

/// The storage to which ranges in events refer: those of bearers, of the host and of its sessions. An event keeps its ranges on the way up, because
/// the arena moves with the events.
package struct EventArena: Sendable {
    /// The octets of values.
    package var octets: [UInt8] = []
    /// The items of `ATTEvent.writeRequest`.
    package var writeItems: [ATTWriteItem] = []
    /// The subscribers of values: numbers of the sessions that `submit` names.
    package var subscribers: [Int] = []

    package init() {}

    /// Copies a value into the arena.
    package mutating func store(_ value: Span<UInt8>) -> Range<Int> {
        let start = octets.count
        octets.append(value)
        return start..<octets.count
    }

    /// Copies octets out of the arena. The array of a slice that has all octets would share the storage of the arena.
    package func copy(_ range: Range<Int>) -> [UInt8] { [UInt8](octets.span.extracting(range)) }

    /// Empties the arena. Keeps the capacity.
    package mutating func removeAll() {
        octets.empty()
        writeItems.empty()
        subscribers.empty()
    }
}

/// A notification or an indication that arrived (Vol 3, Part F, 3.4.7). An indication waits for `confirmIndication`.
package struct ReceivedValue: Hashable, Sendable {
    package let handle: UInt16
    /// A range of `EventArena.octets`.
    package let octets: Range<Int>
    package let isIndication: Bool
    /// A range of `EventArena.subscribers`: the subscribers of the value at its arrival. Empty if there were none.
    package let subscribers: Range<Int>

    package init(handle: UInt16, octets: Range<Int>, isIndication: Bool, subscribers: Range<Int>) {
        self.handle = handle
        self.octets = octets
        self.isIndication = isIndication
        self.subscribers = subscribers
    }
}

/// An event of a bearer. Ranges refer to `ATTOutput.arena`.
package enum ATTEvent: Hashable, Sendable {
    /// The ATT_MTU in octets (Vol 3, Part F, 3.4.2). It changed, or this side's exchange ended, perhaps without a
    /// change.
    case mtuChanged(UInt16)
    /// A client operation ended. `id` is the number with which it was submitted.
    case completed(id: UInt32, Result<GATTResult, GATTError>)
    /// The peer refused a request of this operation because the link's security is too low. `resume` continues the
    /// operation.
    case securityRequired(id: UInt32, ATT.ErrorCode)
    /// A `readRSSI` operation has started. `finishOperation` ends it.
    case rssiRequested(id: UInt32)
    case value(ReceivedValue)
    /// A client reads a dynamic value from `offset` on (Vol 3, Part F, 3.4.4). The owner answers once, with
    /// `respondToRead`.
    case readRequest(request: UInt32, handle: UInt16, offset: Int)
    /// A client writes (Vol 3, Part F, 3.4.5 and 3.4.6). If a response is needed, the owner answers once, with
    /// `respondToWrite`.
    case writeRequest(request: UInt32, items: Range<Int>, needsResponse: Bool)
    /// A client changed its configuration of a characteristic: bit 0 for notifications, bit 1 for indications, 0 for
    /// neither (Vol 3, Part G, 3.3.3.3).
    case subscriptionChanged(valueHandle: UInt16, configuration: UInt16)
    /// The client knows the database again, and `withholdsUpdates` is false.
    case updatesResumed
    /// What a bonded client left in this server has changed; see `restoreClient`. The octets replace earlier ones.
    case clientStateChanged([UInt8])
    /// The cached knowledge of a bonded server has changed; see `useAttributeCache`. The octets replace earlier ones.
    case attributeCacheChanged([UInt8])
    /// The client confirmed the indication of this value (Vol 3, Part F, 3.4.7.3), or the database lost the value
    /// before the indication was sent, or the indication's enhanced bearer has ended.
    case indicationConfirmed(valueHandle: UInt16)
    /// The peer's database changed in this range (Service Changed, Vol 3, Part G, 7.1). The owner must answer with
    /// `confirmIndication`.
    case servicesChanged(HandleRange)
    /// A transaction timed out or the peer violated the protocol. Nothing more is sent or received on this bearer (Vol
    /// 3, Part F, 3.3.3). The owner should end the link.
    case bearerFailed
    /// The same for one enhanced bearer. The owner ends its channel; the other bearers continue.
    case enhancedBearerFailed(UInt32, BearerFailure)
    /// The peer's server supports enhanced bearers, and knows that this client does; see `findEnhancedBearers`.
    case enhancedBearersSupported(at: Instant)
}

/// One part of a written value.
package struct ATTWriteItem: Hashable, Sendable {
    package var handle: UInt16
    package var offset: Int
    /// A range of the arena's octets.
    package var value: Range<Int>
    package init(handle: UInt16, offset: Int, value: Range<Int>) {
        self.handle = handle
        self.offset = offset
        self.value = value
    }
}

extension ATT {
    /// The time that a request or an indication may remain unanswered (Vol 3, Part F, 3.3.3).
    static var transactionTimeout: TimeSpan { .seconds(30) }
}
