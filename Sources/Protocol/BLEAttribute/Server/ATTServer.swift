import BLEWire

/// The server side of the bearers of a link: its client's request, prepared writes, configurations and knowledge of the database, and the
/// indications to it. A bearer that fails replaces it, so an answer to a request from before has no effect.
struct ATTServer: ~Copyable {
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
        /// Bit 0 for notifications, bit 1 for indications, as the client set them. 0 is kept as well: it precedes what a bond
        /// remembers.
        var bits: UInt16
        /// The bits that apply now: `bits`, or 0 while updates must not be sent.
        var active: UInt16
        /// Whether updates require an encrypted link.
        var isProtected: Bool
    }

    /// An indication that waits for its confirmation.
    struct Indication {
        /// The bearer: 0 for the unenhanced one, otherwise the number of its channel.
        var bearer: UInt32
        var handle: UInt16
        var deadline: Instant
        var isServiceChanged: Bool
    }

    struct QueuedIndication {
        var handle: UInt16
        var value: [UInt8]
        var isServiceChanged = false
    }

    /// Whether the client has sent its Exchange MTU Request, which it sends once (Vol 3, Part F, 3.4.2.1).
    var hasExchangedMTU = false
    var pending: Pending?
    private var nextRequest: UInt32 = 1
    var configurations: [Configuration] = []
    /// Of all bearers.
    var prepareQueue = PrepareQueue()
    /// At most one for each bearer (Vol 3, Part F, 3.3.2).
    var indications: [Indication] = []
    var queuedIndications: [QueuedIndication] = []
    /// The bits of Client Supported Features that the client set.
    var features: ClientFeatures = []
    var awareness = ChangeAwareness()
    /// Whether the client gets no updates but Service Changed: it supports robust caching and does not know the database (Vol 3,
    /// Part G, 2.5.2.1). `updateActiveConfigurations` sets it.
    var isWithholding = false
    /// Whether the client has enhanced bearers.
    var usesEnhancedBearers = false
    /// Whether the client is bonded and its state is reported (`clientStateChanged`).
    var isRemembered = false
    /// The buffer for responses; reused.
    var scratch: [UInt8] = []

    /// Whether to serve a request of the client. If not, the client gets Database Out Of Sync, or nothing.
    mutating func admits(
        _ packet: ATT.Packet, _ opcode: ATT.Opcode, _ database: borrowing AttributeDatabase, _ security: LinkSecurity,
        _ mtu: Int, at now: Instant, output: inout ATTOutput
    ) -> Bool {
        // A client may have only one outstanding request (Vol 3, Part F, 3.3.2). A second request gets no answer: the
        // client would take any other PDU for the answer to the first.
        guard pending == nil else { return false }
        if awareness.isAware { return true }
        let handle = packet.handleFromBefore
        let verdict = awareness.receiveRequest(
            usesHandles: handle != nil, isRobust: features.contains(.robustCaching), usesOneBearer: !usesEnhancedBearers
        )
        switch verdict {
        case .refuse:
            output.send(ATT.ErrorResponse(request: opcode, handle: handle ?? 0, code: .databaseOutOfSync))
            return false
        case .serve:
            if awareness.isAware { clientBecameAware(database, security, mtu, at: now, output: &output) }
            return true
        }
    }

    /// Answers an admitted request, or asks the owner for the answer.
    mutating func answer(
        _ packet: ATT.Packet, _ opcode: ATT.Opcode, _ database: borrowing AttributeDatabase, _ security: LinkSecurity,
        _ mtu: Int, output: inout ATTOutput
    ) {
        do throws(ATTRequestError) {
            switch packet {
            case .findInformationRequest(let request): try answer(request, database, mtu, output: &output)
            case .findByTypeValueRequest(let request): try answer(request, database, security, mtu, output: &output)
            case .readByTypeRequest(let request): try answer(request, database, security, mtu, output: &output)
            case .readByGroupTypeRequest(let request): try answer(request, database, mtu, output: &output)
            case .readRequest(let request):
                try read(opcode, handle: request.handle, offset: 0, database, security, mtu, output: &output)
            case .readBlobRequest(let request):
                let offset = Int(request.offset)
                try read(opcode, handle: request.handle, offset: offset, database, security, mtu, output: &output)
            case .readMultipleRequest(let request):
                try readMultiple(opcode, request.octets, database, security, mtu, output: &output)
            case .readMultipleVariableRequest(let request):
                try readMultiple(opcode, request.octets, database, security, mtu, output: &output)
            case .writeRequest(let request): try answer(request, database, security, output: &output)
            case .prepareWriteRequest(let request): try answer(request, database, security, output: &output)
            case .executeWriteRequest(let request): try answer(request, database, security, output: &output)
            default: throw ATTRequestError(.requestNotSupported)
            }
        } catch {
            output.send(ATT.ErrorResponse(request: opcode, handle: error.handle, code: error.code))
        }
    }

    /// Makes a request to the owner the pending one. Returns its number.
    mutating func makePending(_ opcode: ATT.Opcode, handle: UInt16, _ kind: Pending.Kind) -> UInt32 {
        let id = makeNumber()
        pending = Pending(id: id, request: opcode, handle: handle, kind: kind)
        return id
    }

    /// The number of the next request to the owner.
    mutating func makeNumber() -> UInt32 {
        defer { nextRequest &+= 1 }
        return nextRequest
    }

    /// Removes and returns the pending request with this number.
    mutating func takePending(_ request: UInt32, isWrite: Bool) -> Pending? {
        guard let pending, pending.id == request else { return nil }
        if case .write = pending.kind { guard isWrite else { return nil } } else { guard !isWrite else { return nil } }
        self.pending = nil
        return pending
    }
}
