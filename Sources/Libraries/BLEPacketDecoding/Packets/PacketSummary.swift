import BLEWire

/// The content of one packet, as far as the packets before it show.
///
/// The summary holds numbers and shares the frame's octets. Texts are made when they are asked for.
package struct PacketSummary: Hashable, Sendable {
    /// The form of the content.
    package enum Content: Hashable, Sendable {
        case advertising(AdvertisingPlace)
        case undecodable
        /// A data PDU without payload.
        case empty
        case control
        /// An encrypted payload without a known plaintext.
        case encrypted
        /// A whole L2CAP frame in this packet.
        case frame
        /// The last part of an L2CAP frame, with all of the frame's octets.
        case lastPart([UInt8])
        /// The first or a middle part. `expected` is nil while the frame's header is incomplete.
        case part(received: Int32, expected: Int32?)
        /// A part of an L2CAP frame whose earlier parts are not known.
        case orphan
        /// A command, an event or another packet between a host and its controller, without data of an LE link.
        case host
        /// A record of a capture that is no packet of Bluetooth LE.
        case record
    }

    /// The request that an answer belongs to.
    package struct Request: Hashable, Sendable {
        package var opcode: ATT.Opcode
        /// The requested handle, or the first of a range.
        package var handle: UInt16
        /// The requested 16-bit type; 0 if there is none.
        package var type: UInt16
        /// The first octet of the value that is read.
        package var offset: UInt16

        package init(opcode: ATT.Opcode, handle: UInt16, type: UInt16 = 0, offset: UInt16 = 0) {
            self.opcode = opcode
            self.handle = handle
            self.type = type
            self.offset = offset
        }
    }

    package var content: Content
    package var layer: PacketLayer
    /// Whether the payload is encrypted on the air.
    package var isEncrypted = false
    /// Whether `octets` are an H4 packet, and not a PDU of the air.
    package var isHost = false
    /// Whether `octets` hold the plaintext of an encrypted payload, and the MIC after it.
    package var hasCheck = false
    /// Whether a frame of a credit-based channel begins an SDU.
    package var beginsSDU = false
    /// Whether the packet repeats the packet before it from the same sender.
    package var isRetransmission = false
    /// Whether it does so although a device received that packet.
    package var isRepeated = false
    /// Whether a device received this packet.
    package var isHeard = true
    /// The side of the link that sent the packet; nil on the advertising channels. The first sender counts as the central if the start of the
    /// link is not known.
    package var sender: LinkSide?
    package var isCentralKnown = false
    /// The access address of the link; nil on the advertising channels.
    package var link: UInt32?
    private var conversationNumber: Int32 = -1
    package var procedure: Procedure?
    /// The attribute that the packet names or answers for.
    package var attribute: KnownAttribute?
    package var request: Request?
    /// Header and payload as the fields show them: decrypted if the plaintext is known.
    package var octets: [UInt8]

    package init(content: Content, layer: PacketLayer, octets: [UInt8]) {
        self.content = content
        self.layer = layer
        self.octets = octets
    }
}

extension PacketSummary {
    /// The number of the conversation that the packet belongs to; nil if it stands alone.
    package var conversation: Int? {
        get { conversationNumber < 0 ? nil : Int(conversationNumber) }
        set { conversationNumber = newValue.map { Int32(truncatingIfNeeded: $0) } ?? -1 }
    }

    /// The octets before the payload: of a data PDU, or of the type and the header of an ACL packet.
    private var headerCount: Int {
        isHost ? 1 + HCI.ACLHeader.encodedLength : LL.DataHeader.encodedCount
    }

    /// The payload in `octets`, without the header and the MIC. On HCI it has the length of its header, or less if the recorder cut it.
    package var payloadRange: Range<Int> {
        let start = min(headerCount, octets.count)
        if isHost, octets.count > start {
            return start..<min(octets.count, start + Int(octets[start - 2]) + Int(octets[start - 1]) << 8)
        }
        return start..<max(start, octets.count - (hasCheck ? LL.micLength : 0))
    }

    /// The specification's name of the PDU, such as `ATT_READ_REQ`. The same as `words.name`, without its cost.
    package var name: String { name(in: .english) }

    /// The name in a language. Names of the specification are the same in all.
    package func name(in language: TextLanguage) -> String {
        switch content {
        case .advertising(let place): AdvertisingText.name(octets.span, place)
        case .control: LLText.name(octets.span.extracting(payloadRange))
        case .frame: L2CAPText.name(octets.span.extracting(payloadRange))
        case .lastPart(let frame): L2CAPText.name(frame.span)
        case .host: HCIText.name(octets.span)
        case .undecodable: link == nil ? language("Packet", "数据包") : "LL data"
        case .record: language("Other record", "其他记录")
        case .empty, .encrypted, .part, .orphan: words.name
        }
    }

    /// The parameters of the PDU in words, with the names of attributes that a discovery on the link showed.
    package var text: String { text(in: .english) }

    package func text(in language: TextLanguage) -> String { attributeText(language) ?? words(language).detail }

    private func attributeText(_ language: TextLanguage) -> String? {
        guard layer == .att else { return nil }
        switch content {
        case .frame: return attributeText(octets.span.extracting(payloadRange), language)
        case .lastPart(let frame): return attributeText(frame.span, language)
        default: return nil
        }
    }

    private func attributeText(_ frame: Span<UInt8>, _ language: TextLanguage) -> String? {
        guard let frame = try? L2CAP.Frame(decoding: frame) else { return nil }
        return AttributeText.describe(
            frame.payload, attribute: attribute?.uuid, requestedType: request?.type ?? 0, in: language)
    }

    /// The content as one line of a trace.
    package var line: String {
        let line: String
        switch content {
        case .frame, .lastPart, .part, .orphan:
            line = isHeard && !isRepeated ? words.line : "data, \(payloadRange.count) octets"
        default: line = words.line
        }
        return isRepeated ? "\(line), again" : line
    }

    /// The PDU in words.
    package var words: PDUText { words(.english) }

    private func words(_ language: TextLanguage) -> PDUText {
        let payload = octets.span.extracting(payloadRange)
        switch content {
        case .advertising(let place): return AdvertisingText.describe(octets.span, place, in: language)
        case .undecodable:
            let text = "\(language.undecodable)  \(octetText(octets.span, in: language))"
            return PDUText(name(in: language), text, line: text)
        case .empty: return PDUText("LL empty", line: "empty")
        case .control: return LLText.describe(payload, in: language)
        case .encrypted:
            return PDUText("LL encrypted", language.octets(payload.count), line: "encrypted, \(payload.count) octets")
        case .frame: return L2CAPText.describe(payload, in: language)
        case .lastPart(let frame): return L2CAPText.describe(frame.span, in: language)
        case .part(let received, let expected?):
            let detail = language("\(received) of \(expected) octets", "\(received)/\(expected) 字节")
            return PDUText("L2CAP part", detail, line: "data, \(detail)")
        case .part:
            let detail = language("\(payload.count) octets, more follows", "\(payload.count) 字节，后面还有")
            return PDUText("L2CAP part", detail, line: "data, \(detail)")
        case .orphan:
            return PDUText("L2CAP part", language.octets(payload.count), line: "data, \(payload.count) octets")
        case .host: return HCIText.describe(octets.span, in: language)
        case .record:
            return PDUText(name(in: language), octets.isEmpty ? "" : octetText(octets.span, in: language))
        }
    }
}
