import BLEWire

/// The server side of a bearer: the client's configurations, prepared writes and request, and the indications to it.
struct ServerState {
    /// A request that waits for the owner's answer. A client has at most one (Vol 3, Part F, 3.3.2).
    struct Pending {
        var id: UInt32
        var request: ATT.Opcode
        /// The attribute handle for an Error Response.
        var handle: UInt16
        var kind: Kind

        enum Kind {
            case read
            case readByType
            case readMultiple(MultipleRead)
            case write
        }
    }

    struct Configuration {
        var valueHandle: UInt16
        /// Bit 0 for notifications, bit 1 for indications (Vol 3, Part G, 3.3.3.3); never 0.
        var bits: UInt16
    }

    struct PreparedWrite {
        var handle: UInt16
        var offset: Int
        /// A range of `preparedOctets`.
        var value: Range<Int>
    }

    struct QueuedIndication {
        var handle: UInt16
        var value: [UInt8]
    }

    /// The limit of prepared writes of one client, and of their octets together: two values of maximum length at
    /// ATT_MTU 23.
    static let preparedLimit = 64
    static let preparedOctetLimit = 4 * ATT.maximumValueLength

    /// Whether the client has sent its Exchange MTU Request, which it sends once (Vol 3, Part F, 3.4.2.1).
    var hasExchangedMTU = false
    var pending: Pending?
    var nextRequest: UInt32 = 1
    var configurations: [Configuration] = []
    var prepared: [PreparedWrite] = []
    var preparedOctets: [UInt8] = []
    /// The indication that waits for its confirmation, the only one (Vol 3, Part F, 3.3.2).
    var indication: (handle: UInt16, deadline: Instant)?
    var queuedIndications: [QueuedIndication] = []
    /// The buffer for responses; reused.
    var scratch: [UInt8] = []

    mutating func makeRequest() -> UInt32 {
        defer { nextRequest &+= 1 }
        return nextRequest
    }

    mutating func dropPrepared() {
        prepared.removeAll(keepingCapacity: true)
        preparedOctets.removeAll(keepingCapacity: true)
    }
}
