import BLEWire

/// What the packets of one link have shown so far.
struct LinkState: Sendable {
    /// The packets of one side.
    private struct Stream: Sendable {
        var sender: Int?
        /// The sequence number of the last packet that was heard.
        var heardSequence: Bool?
        var reassembly = Reassembly()
        /// The place of an incomplete L2CAP frame, and its layer.
        var partial: (place: ConversationPosition, layer: PacketLayer)?
        var last: PacketSummary?
    }

    /// By `LinkSide`. A side whose central is not known is the first sender.
    private var streams = [Stream(), Stream()]
    let isCentralKnown: Bool
    /// The conversation of CONNECT_IND, until the peripheral answers.
    private var connecting: Int?
    /// The conversation of empty packets.
    private var idle: Int?
    /// Encryption as seen on the air: from LL_START_ENC_REQ to the central's LL_PAUSE_ENC_RSP (Vol 6, Part B, 5.1.3).
    private var isEncrypted = false
    private var encrypted: Int?
    private var control = ControlConversations()
    private var signals = SignalConversations()
    private var pairing = PairingConversation()
    /// By the side of the client.
    private var attributes = [AttributeConversations(), AttributeConversations()]

    init(central: Int?, connecting: Int?) {
        isCentralKnown = central != nil
        self.connecting = connecting
        streams[LinkSide.central.rawValue].sender = central
    }

    /// The octets of incomplete L2CAP frames.
    var reassembledOctets: Int { streams[0].reassembly.octets.count + streams[1].reassembly.octets.count }

    /// Whether an L2CAP frame of a side is incomplete.
    func hasPart(from side: LinkSide) -> Bool { !streams[side.rawValue].reassembly.octets.isEmpty }

    mutating func forgetParts() {
        for side in streams.indices {
            streams[side].reassembly.forget()
            streams[side].partial = nil
        }
    }

    func attribute(_ handle: UInt16, of server: LinkSide) -> KnownAttribute? {
        attributes[server.other.rawValue].server[handle]
    }

    /// The numbers of remembered attributes, subscriptions and channels.
    var sizes: (attributes: Int, subscriptions: Int, channels: Int) {
        (
            attributes.reduce(0) { $0 + $1.server.count }, attributes.map(\.subscriptionCount).max() ?? 0,
            signals.channelCount
        )
    }

    private mutating func side(of sender: Int) -> LinkSide {
        if streams[0].sender == nil { streams[0].sender = sender }
        if streams[0].sender == sender { return .central }
        streams[1].sender = sender
        return .peripheral
    }

    // MARK: Packets

    /// Takes a data PDU with a complete header.
    mutating func add(_ frame: AirFrame, _ conversations: inout ConversationCounter) -> PacketSummary {
        let side = side(of: frame.sender)
        let sequence = frame.octets[0] & 0x08 != 0
        let isHeard = frame.isHeard
        let hasMIC = frame.isDecrypted && hasMIC(frame.octets, from: side)
        let isOpaque =
            updateEncryption(hasMIC ? frame.octets.dropLast(LL.micLength) : frame.octets[...])
            && !frame.isDecrypted
        let octets = visibleOctets(frame, isOpaque)
        let last = streams[side.rawValue].last
        let isRetransmission = last.map { AirFrame.isRepetition(octets, of: $0.octets) } ?? false
        let isRepeated = isRetransmission && streams[side.rawValue].heardSequence == sequence
        if isHeard { streams[side.rawValue].heardSequence = sequence }

        var summary: PacketSummary
        if isRetransmission, let last, last.isEncrypted == isOpaque {
            summary = last
            summary.octets = octets
        } else {
            summary = PacketSummary(content: .empty, layer: .ll, octets: octets)
            summary.isEncrypted = isOpaque
            summary.hasCheck = hasMIC || isOpaque && octets != frame.octets
            summary.link = frame.accessAddress
            summary.sender = side
            summary.isCentralKnown = isCentralKnown
            let before = conversations.next
            read(&summary, frame, from: side, &conversations)
            // A new exchange ends a run of empty packets.
            if conversations.next != before, summary.procedure != .idle { idle = nil }
            streams[side.rawValue].last = summary
        }
        if side == .peripheral || !isCentralKnown { connecting = nil }
        summary.isHeard = isHeard
        summary.isRepeated = isRepeated
        summary.isRetransmission = isRetransmission
        if frame.isDecrypted { summary.isEncrypted = true }
        return summary
    }

    /// Takes an H4 packet with ACL data of the link with a number. On HCI nothing is encrypted or retransmitted.
    mutating func add(
        host octets: [UInt8], isStart: Bool, from side: LinkSide, link: UInt32, at time: Int64,
        _ conversations: inout ConversationCounter
    ) -> PacketSummary {
        var summary = PacketSummary(content: .orphan, layer: .data, octets: octets)
        summary.isHost = true
        summary.link = link
        summary.sender = side
        summary.isCentralKnown = isCentralKnown
        readData(&summary, octets[summary.payloadRange], isStart: isStart, at: time, from: side, &conversations)
        return summary
    }

    /// Follows the encryption procedures on the air. Returns whether this payload is encrypted: it is then longer than its MIC.
    private mutating func updateEncryption(_ octets: ArraySlice<UInt8>) -> Bool {
        let isControl = octets[0] & 0x03 == LL.DataHeader.Kind.control.rawValue
        if isControl, octets.count == LL.DataHeader.encodedCount + 1 {
            let opcode = LL.ControlOpcode(rawValue: octets[LL.DataHeader.encodedCount])
            if opcode == .startEncReq { isEncrypted = true }
            if opcode == .pauseEncRsp { (isEncrypted, encrypted) = (false, nil) }
        }
        return isEncrypted && octets.count - LL.DataHeader.encodedCount > LL.micLength
    }

    /// Whether a decrypted PDU still has the MIC at its end, which some recorders leave.
    private func hasMIC(_ octets: [UInt8], from side: LinkSide) -> Bool {
        let payload = octets.dropFirst(LL.DataHeader.encodedCount)
        switch LL.DataHeader.Kind(rawValue: octets[0] & 0x03) {
        case .control: return AirFrame.hasMIC(control: payload)
        case .start: return streams[side.rawValue].reassembly.excess(of: payload, isStart: true) == LL.micLength
        case .continuation: return streams[side.rawValue].reassembly.excess(of: payload, isStart: false) == LL.micLength
        default: return false
        }
    }

    /// The octets with the plaintext in place of the encrypted payload, if it is known and fits.
    private func visibleOctets(_ frame: AirFrame, _ isEncrypted: Bool) -> [UInt8] {
        let count = frame.octets.count - LL.DataHeader.encodedCount - LL.micLength
        guard isEncrypted, let plaintext = frame.plaintext, plaintext.count == count else { return frame.octets }
        return frame.octets[..<LL.DataHeader.encodedCount] + plaintext + frame.octets.suffix(LL.micLength)
    }

    private mutating func read(
        _ summary: inout PacketSummary, _ frame: AirFrame, from side: LinkSide,
        _ conversations: inout ConversationCounter
    ) {
        let kind = LL.DataHeader.Kind(rawValue: summary.octets[0] & 0x03) ?? .reserved
        let payload = summary.octets[summary.payloadRange]
        if summary.isEncrypted, !summary.hasCheck {
            summary.content = .encrypted
            summary.layer = kind == .control ? .ll : .data
            let place = kind == .control ? control.addEncrypted() : nil
            summary.take(place ?? ConversationPosition(.encrypted, encryptedConversation(&conversations)))
        } else if kind == .control {
            summary.content = .control
            summary.take(control.add(payload, from: side, &conversations))
        } else if kind == .continuation, payload.isEmpty {
            summary.take(emptyPlace(&conversations))
        } else if kind == .reserved {
            summary.content = .orphan
            summary.layer = .data
        } else {
            readData(&summary, payload, isStart: kind == .start, at: frame.start, from: side, &conversations)
        }
    }

    private mutating func encryptedConversation(_ conversations: inout ConversationCounter) -> Int {
        let conversation = encrypted ?? conversations.begin()
        encrypted = conversation
        return conversation
    }

    private mutating func emptyPlace(_ conversations: inout ConversationCounter) -> ConversationPosition {
        if let connecting { return ConversationPosition(.connecting, connecting) }
        let conversation = idle ?? conversations.begin()
        idle = conversation
        return ConversationPosition(.idle, conversation)
    }

    // MARK: L2CAP

    private mutating func readData(
        _ summary: inout PacketSummary, _ payload: ArraySlice<UInt8>, isStart: Bool, at time: Int64,
        from side: LinkSide, _ conversations: inout ConversationCounter
    ) {
        let index = side.rawValue
        if isStart { streams[index].partial = nil }
        summary.content = streams[index].reassembly.take(payload, isStart: isStart)
        summary.layer = .data
        switch summary.content {
        case .frame: readFrame(&summary, payload, isWhole: true, at: time, from: side, &conversations)
        case .lastPart(let frame):
            if let partial = streams[index].partial {
                summary.take(partial.place)
                summary.layer = partial.layer
                learn(from: frame[...], sentBy: side)
            } else {
                readFrame(&summary, frame[...], isWhole: true, at: time, from: side, &conversations)
            }
            streams[index].partial = nil
        case .part:
            if let partial = streams[index].partial {
                summary.take(partial.place)
                summary.layer = partial.layer
            } else {
                // The opcode and the handles of a PDU are in the first octets.
                let octets = streams[index].reassembly.octets
                guard octets.count >= LL.minimumDataLength else { return }
                readFrame(&summary, octets[...], isWhole: false, at: time, from: side, &conversations)
                streams[index].partial = (
                    ConversationPosition(
                        summary.procedure ?? .otherAttribute, summary.conversation, attribute: summary.attribute,
                        request: summary.request), summary.layer
                )
            }
        default: break
        }
    }

    /// Takes an L2CAP frame, or its first octets.
    private mutating func readFrame(
        _ summary: inout PacketSummary, _ frame: ArraySlice<UInt8>, isWhole: Bool, at time: Int64, from side: LinkSide,
        _ conversations: inout ConversationCounter
    ) {
        guard frame.count >= L2CAP.headerCount else { return }
        let start = frame.startIndex
        let length = Int(frame[start]) | Int(frame[start + 1]) << 8
        let channel = L2CAP.ChannelIdentifier(rawValue: UInt16(frame[start + 2]) | UInt16(frame[start + 3]) << 8)
        let payload = frame.dropFirst(L2CAP.headerCount)
        switch channel {
        case .attribute:
            summary.layer = .att
            guard let opcode = payload.first else { return }
            if isWhole { learn(from: frame, sentBy: side) }
            summary.take(
                AttributeOctets.isFromClient(ATT.Opcode(rawValue: opcode))
                    ? attributes[side.rawValue].addFromClient(payload, at: time, &conversations)
                    : attributes[side.other.rawValue].addFromServer(payload, &conversations))
        case .signalling:
            summary.layer = .l2cap
            summary.take(signals.add(payload, from: side, &conversations))
            if let update = signals.acceptedUpdate { control.expectConnectionUpdate(in: update) }
        case .securityManager:
            summary.layer = .smp
            guard let code = payload.first else { return }
            summary.take(pairing.add(SMP.Code(rawValue: code), &conversations))
        default:
            summary.layer = .l2cap
            let (place, beginsSDU) = signals.addFrame(payload, length: length, channel: channel.rawValue, from: side)
            summary.take(place)
            summary.beginsSDU = beginsSDU
        }
    }

    /// Learns attributes from a whole L2CAP frame with a response.
    private mutating func learn(from frame: ArraySlice<UInt8>, sentBy side: LinkSide) {
        let start = frame.startIndex
        guard frame.count > L2CAP.headerCount, frame[start + 2] == 4, frame[start + 3] == 0 else { return }
        switch ATT.Opcode(rawValue: frame[start + L2CAP.headerCount]) {
        case .readByGroupTypeResponse, .readByTypeResponse, .findByTypeValueResponse, .findInformationResponse:
            attributes[side.other.rawValue].learn(from: Array(frame.dropFirst(L2CAP.headerCount)).span)
        default: break
        }
    }
}

extension PacketSummary {
    fileprivate mutating func take(_ place: ConversationPosition) {
        procedure = place.procedure
        conversation = place.conversation
        attribute = place.attribute
        request = place.request
    }
}
