import BLEWire

/// What a bearer wants done: PDUs to send and events to act on, each in order. The owner passes one output to call after call and
/// empties it when it has acted; its buffers keep their capacity, so a warm output allocates nothing.
package struct ATTOutput: Sendable {
    /// The octets of PDUs and event values, to which the ranges below refer.
    package internal(set) var bytes: [UInt8] = []
    /// Whole ATT PDUs for the fixed channel, in the order in which they must be sent.
    package internal(set) var pdus: [Range<Int>] = []
    package internal(set) var events: [ATTEvent] = []
    /// The items to which `writeRequest` refers.
    package internal(set) var writeItems: [ATTWriteItem] = []
    /// The subscribers to which `notification` refers.
    package internal(set) var subscribers: [UInt32] = []

    package init() {}

    package var isEmpty: Bool { pdus.isEmpty && events.isEmpty }

    /// Puts a PDU, with its opcode, at the end of `pdus`. The callers keep every field within its limits.
    mutating func send<P: ATTPDU & ~Escapable>(_ pdu: P) {
        let start = bytes.count
        guard (try? bytes.append(attribute: pdu)) != nil else { return }
        pdus.append(start..<bytes.count)
    }

    /// Copies `value` into `bytes`.
    mutating func store(_ value: Span<UInt8>) -> Range<Int> {
        let start = bytes.count
        bytes.append(value)
        return start..<bytes.count
    }

    /// Empties everything and keeps the capacity.
    package mutating func removeAll() {
        bytes.empty()
        pdus.empty()
        events.empty()
        writeItems.empty()
        subscribers.empty()
    }
}

/// Something that happened on a bearer. Ranges refer to `ATTOutput.bytes`.
package enum ATTEvent: Hashable, Sendable {
    /// The ATT_MTU, octets: it changed, or this side's exchange came to its end (perhaps without a change).
    case mtuChanged(UInt16)
    /// A client operation ended; `id` is the one it was submitted with.
    case completed(id: UInt32, Result<GATTResult, GATTFailure>)
    /// A notification, or an indication, which `confirmIndication` has to answer. `subscribers` is a range of
    /// `ATTOutput.subscribers`: the numbers that were subscribed to the value when it came; empty if there were none.
    case notification(valueHandle: UInt16, value: Range<Int>, isIndication: Bool, subscribers: Range<Int>)
    /// The turn of a `readRSSI` has come; `finishOperation` ends it.
    case rssiRequested(id: UInt32)
    /// A client reads a dynamic value from `offset` on; `respondToRead` answers, once.
    case readRequest(request: UInt32, handle: UInt16, offset: Int)
    /// A client writes; `items` is a range of `ATTOutput.writeItems`. If it needs a response, `respondToWrite` gives it, once.
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
    /// A range of `ATTOutput.bytes`.
    package var value: Range<Int>
    package init(handle: UInt16, offset: Int, value: Range<Int>) {
        self.handle = handle
        self.offset = offset
        self.value = value
    }
}
