import BLEWire

/// What a bearer wants done: PDUs to send and events to act on, each in order. The owner passes one output to call after call;
/// its buffers keep their capacity, so a warm output allocates nothing.
///
/// PDUs and events go to the lower layer and to the owner's own events after each call. The arena is the owner's: ranges in
/// events refer to it, and the owner empties it when it has acted on the events.
package struct ATTOutput: Sendable {
    /// Whole ATT PDUs for the fixed channel, in the order in which they must be sent, as ranges of `pduOctets`.
    package internal(set) var pdus: [Range<Int>] = []
    package var pduOctets: [UInt8] = []
    package internal(set) var events: [ATTEvent] = []
    package var arena = ATTEventArena()

    package init() {}

    /// Whether there are neither PDUs nor events.
    package var isEmpty: Bool { pdus.isEmpty && events.isEmpty }

    /// Puts a PDU, with its opcode, at the end of `pdus`. The callers keep every field within its limits.
    mutating func send<P: ATTPDU & ~Escapable>(_ pdu: P) {
        let start = pduOctets.count
        guard (try? pduOctets.append(attribute: pdu)) != nil else { return }
        pdus.append(start..<pduOctets.count)
    }

    /// Removes PDUs and events and keeps the capacity. The arena stays.
    package mutating func removePDUsAndEvents() {
        pdus.empty()
        pduOctets.empty()
        events.empty()
    }
}

/// What the ranges in events refer to.
package struct ATTEventArena: Sendable {
    /// The octets of values.
    package var octets: [UInt8] = []
    /// The items of `ATTEvent.writeRequest`.
    package var writeItems: [ATTWriteItem] = []
    /// The subscribers of `ATTEvent.notification`.
    package var subscribers: [UInt32] = []

    package init() {}

    /// Copies a value into the arena.
    package mutating func store(_ value: Span<UInt8>) -> Range<Int> {
        let start = octets.count
        octets.append(value)
        return start..<octets.count
    }

    /// Empties the arena and keeps the capacity.
    package mutating func removeAll() {
        octets.empty()
        writeItems.empty()
        subscribers.empty()
    }
}

/// Something that happened on a bearer. Ranges refer to `ATTOutput.arena`.
package enum ATTEvent: Hashable, Sendable {
    /// The ATT_MTU, octets: it changed, or this side's exchange came to its end (perhaps without a change).
    case mtuChanged(UInt16)
    /// A client operation ended; `id` is the one it was submitted with.
    case completed(id: UInt32, Result<GATTResult, GATTFailure>)
    /// The peer refused a request of this operation because the link's security is too low; `resume` goes on with it.
    case securityRequired(id: UInt32, ATT.ErrorCode)
    /// The turn of a `readRSSI` has come; `finishOperation` ends it.
    case rssiRequested(id: UInt32)
    /// A notification, or an indication, which `confirmIndication` has to answer. `subscribers` are the numbers that were
    /// subscribed to the value when it came; empty if there were none.
    case notification(valueHandle: UInt16, value: Range<Int>, isIndication: Bool, subscribers: Range<Int>)
    /// A client reads a dynamic value from `offset` on; `respondToRead` answers, once.
    case readRequest(request: UInt32, handle: UInt16, offset: Int)
    /// A client writes. If it needs a response, `respondToWrite` gives it, once.
    case writeRequest(request: UInt32, items: Range<Int>, needsResponse: Bool)
    /// A client changed its configuration of a characteristic: bit 0 notifications, bit 1 indications; 0 neither.
    case subscriptionChanged(valueHandle: UInt16, configuration: UInt16)
    /// The client confirmed the indication of this value, or the value left the database before the indication was sent.
    case indicationConfirmed(valueHandle: UInt16)
    /// The peer's database changed in this range (Service Changed); `confirmIndication` has to answer.
    case servicesChanged(HandleRange)
    /// A transaction timed out or the peer broke the protocol: nothing more is sent or received on this bearer
    /// (Vol 3, Part F, 3.3.3). The owner should end the link.
    case bearerFailed
}

/// One written piece of a value.
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
