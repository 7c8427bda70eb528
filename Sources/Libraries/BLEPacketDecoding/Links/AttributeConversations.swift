import BLEWire

/// The exchanges of one ATT client on a link with the server of the other side (Vol 3, Part F, 3.3; Vol 3, Part G, 4).
struct AttributeConversations: Sendable {
    static let subscriptionLimit = 128
    /// Write commands to one handle with a longer gap begin another conversation.
    static let commandGap: Int64 = 1_000_000_000

    /// A request and the conversation that it belongs to.
    private struct Exchange: Sendable {
        var place: ConversationPosition
        var opcode: ATT.Opcode
        var handle: UInt16
        /// The last handle of a requested range.
        var end: UInt16
        /// The service that a Find By Type Value Request looks for.
        var service: BluetoothUUID?
    }

    private struct Commands: Sendable {
        var handle: UInt16
        var conversation: Int
        var last: Int64
    }

    /// The attributes of the server.
    private(set) var server = HandleTable()
    private var pending: Exchange?
    private var last: Exchange?
    private var commands: Commands?
    /// The conversations of notifications and indications, by value handle.
    private var subscriptions: [UInt16: Int] = [:]
    private var indication: ConversationPosition?

    var subscriptionCount: Int { subscriptions.count }

    // MARK: From the client

    /// Takes the first octets of a PDU that the client sent.
    mutating func addFromClient(
        _ pdu: ArraySlice<UInt8>, at time: Int64, _ conversations: inout ConversationCounter
    ) -> ConversationPosition {
        let octets = AttributeOctets(pdu)
        let opcode = octets.opcode
        switch opcode.kind {
        case .command: return command(octets, at: time, &conversations)
        case .confirmation:
            defer { indication = nil }
            return indication ?? ConversationPosition(.subscription, nil)
        case .request: return request(octets, &conversations)
        default: return ConversationPosition(.otherAttribute, nil)
        }
    }

    private mutating func command(
        _ octets: AttributeOctets, at time: Int64, _ conversations: inout ConversationCounter
    ) -> ConversationPosition {
        let handle = octets.number(1)
        var conversation = conversations.next
        if let commands, commands.handle == handle, time - commands.last <= Self.commandGap {
            conversation = commands.conversation
        } else {
            conversation = conversations.begin()
        }
        commands = Commands(handle: handle, conversation: conversation, last: time)
        return ConversationPosition(.commandWrite, conversation, attribute: server[handle])
    }

    private mutating func request(
        _ octets: AttributeOctets, _ conversations: inout ConversationCounter
    ) -> ConversationPosition {
        let opcode = octets.opcode
        let handle = opcode == .exchangeMTURequest ? 0 : octets.number(1)
        let attribute = octets.hasAttributeHandle ? server[handle] : nil
        let procedure = procedure(of: octets, attribute)
        var exchange = Exchange(
            place: ConversationPosition(procedure, nil, attribute: attribute), opcode: opcode, handle: handle,
            end: octets.number(3), service: octets.wantedService)
        if opcode == .executeWriteRequest, let last, last.opcode == .prepareWriteRequest {
            exchange.handle = last.handle
            exchange.place.attribute = last.place.attribute
        }
        let conversation = continued(by: exchange) ?? conversations.begin()
        exchange.place.conversation = conversation
        exchange.place.request = PacketSummary.Request(
            opcode: opcode, handle: exchange.handle, type: octets.requestedType,
            offset: opcode == .readBlobRequest ? octets.number(3) : 0)
        if procedure == .subscription, let attribute { subscribe(attribute.valueHandle, conversation) }
        pending = exchange
        last = exchange
        return exchange.place
    }

    private func procedure(of octets: AttributeOctets, _ attribute: KnownAttribute?) -> Procedure {
        switch octets.opcode {
        case .exchangeMTURequest: .mtuExchange
        case .readByGroupTypeRequest, .findByTypeValueRequest: .serviceDiscovery
        case .readByTypeRequest where octets.requestedType == AttributeOctets.characteristic: .characteristicDiscovery
        case .readByTypeRequest where octets.requestedType == AttributeOctets.include: .includedServiceDiscovery
        case .findInformationRequest: .descriptorDiscovery
        case .writeRequest where attribute?.uuid == AttributeOctets.clientConfiguration: .subscription
        case .writeRequest, .prepareWriteRequest, .executeWriteRequest: .write
        case .readByTypeRequest, .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest:
            .read
        default: .otherAttribute
        }
    }

    /// The conversation of the last exchange, if this one continues its procedure.
    private func continued(by next: Exchange) -> Int? {
        guard let last, last.place.procedure == next.place.procedure else { return nil }
        let continues: Bool
        switch next.opcode {
        case .readByGroupTypeRequest, .readByTypeRequest, .findByTypeValueRequest, .findInformationRequest:
            continues = last.opcode == next.opcode && next.handle > last.handle && next.end == last.end
        case .readBlobRequest: continues = next.handle == last.handle
        case .prepareWriteRequest: continues = last.opcode == next.opcode && next.handle == last.handle
        case .executeWriteRequest: continues = last.opcode == .prepareWriteRequest
        default: continues = false
        }
        return continues ? last.place.conversation : nil
    }

    private mutating func subscribe(_ valueHandle: UInt16, _ conversation: Int) {
        if subscriptions.count >= Self.subscriptionLimit { subscriptions.removeAll() }
        subscriptions[valueHandle] = conversation
    }

    // MARK: From the server

    /// Takes the first octets of a PDU that the server sent.
    mutating func addFromServer(
        _ pdu: ArraySlice<UInt8>, _ conversations: inout ConversationCounter
    ) -> ConversationPosition {
        let octets = AttributeOctets(pdu)
        switch octets.opcode.kind {
        case .response:
            defer { pending = nil }
            return pending?.place ?? ConversationPosition(.otherAttribute, nil)
        case .notification, .indication:
            let handle = octets.number(1)
            let conversation = subscriptions[handle] ?? conversations.begin()
            subscribe(handle, conversation)
            let place = ConversationPosition(.subscription, conversation, attribute: server[handle])
            if octets.opcode.kind == .indication { indication = place }
            return place
        default: return ConversationPosition(.otherAttribute, nil)
        }
    }

    /// Learns attributes from a whole response.
    mutating func learn(from pdu: Span<UInt8>) {
        guard let exchange = pending ?? last else { return }
        let type = exchange.place.request?.type ?? 0
        FoundAttribute.forEach(in: pdu, requestedType: type, service: exchange.service) { server.note($0) }
    }
}

/// The fields at the start of an ATT PDU, which may be incomplete.
struct AttributeOctets {
    /// The types of declarations and of the client characteristic configuration (Assigned Numbers, 3.6 and 3.7).
    static let primaryService: UInt16 = 0x2800
    static let include: UInt16 = 0x2802
    static let characteristic: UInt16 = 0x2803
    static let clientConfiguration = BluetoothUUID(0x2902 as UInt16)

    private let octets: ArraySlice<UInt8>

    init(_ octets: ArraySlice<UInt8>) { self.octets = octets }

    var opcode: ATT.Opcode { ATT.Opcode(rawValue: octets.first ?? 0) }

    /// Two octets at an offset; 0 if they are missing.
    func number(_ offset: Int) -> UInt16 {
        guard offset + 1 < octets.count else { return 0 }
        let index = octets.startIndex + offset
        return UInt16(octets[index]) | UInt16(octets[index + 1]) << 8
    }

    /// Whether the client sends the PDU (Vol 3, Part F, 3.3).
    static func isFromClient(_ opcode: ATT.Opcode) -> Bool {
        switch opcode.kind {
        case .request, .command, .confirmation: true
        default: false
        }
    }

    /// Whether the PDU names one attribute by its handle in front.
    var hasAttributeHandle: Bool {
        switch opcode {
        case .readRequest, .readBlobRequest, .writeRequest, .prepareWriteRequest: true
        default: false
        }
    }

    /// The 16-bit type in a request; 0 if there is none.
    var requestedType: UInt16 {
        switch opcode {
        case .readByTypeRequest, .readByGroupTypeRequest: octets.count == 7 ? number(5) : 0
        case .findByTypeValueRequest: number(5)
        default: 0
        }
    }

    /// The service that a Find By Type Value Request looks for.
    var wantedService: BluetoothUUID? {
        guard opcode == .findByTypeValueRequest, requestedType == Self.primaryService else { return nil }
        return try? BluetoothUUID(decoding: Array(octets.dropFirst(7)).span)
    }
}
