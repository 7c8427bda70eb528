import BLEWire

/// Decodes the packets on the air, or those between hosts and their controllers, one after another, and numbers the conversations that they belong to.
///
/// The dissector is a value: equal frames give equal summaries. The state of links and advertisers is bounded, whatever the frames hold.
package struct AirDissector: Sendable {
    /// The most links and the most advertisers that the dissector remembers. Beyond it, it forgets all of them; current ones are added
    /// again with their next packets.
    package static let linkLimit = 1024
    package static let advertiserLimit = 4096
    /// The most octets of incomplete L2CAP frames. Beyond it, the dissector forgets all of them.
    package static let reassemblyLimit = 4 << 20

    var links: [UInt32: LinkState] = [:]
    private var advertisers: [UInt64: AdvertisingTrain] = [:]
    private var auxiliaries = AuxiliaryPackets()
    private var trains = PeriodicTrains()
    var conversations = ConversationCounter()
    /// The octets of incomplete L2CAP frames.
    var reassembledOctets = 0
    /// The links of hosts.
    var hostLinks = HostLinks()

    package init() {}

    /// The number of conversations so far.
    package var conversationCount: Int { conversations.next }

    var linkCount: Int { links.count }
    var advertiserCount: Int { advertisers.count }
    var announcementCount: Int { auxiliaries.count }
    var trainCount: Int { trains.count }

    /// The numbers of remembered attributes, subscriptions and channels of a link.
    func sizes(of link: UInt32) -> (attributes: Int, subscriptions: Int, channels: Int) {
        links[link]?.sizes ?? (0, 0, 0)
    }

    /// Decodes the next packet on the air.
    package mutating func add(_ frame: AirFrame) -> PacketSummary {
        if frame.accessAddress == LL.advertisingAccessAddress { return addAdvertising(frame) }
        // A peer of a link may announce the link's access address. Packets without a known CONNECT_IND may be those of a train.
        if links[frame.accessAddress]?.isCentralKnown != true, let train = trains[frame.accessAddress] {
            return addPeriodic(frame, train)
        }
        return addData(frame)
    }

    /// The tree of a packet's fields.
    ///
    /// - Parameter summary: What `add` returned for the frame. The dissector adds the names of attributes that it knows by now.
    /// - Returns: A tree that has the same fields in each language.
    package func detail(of summary: PacketSummary, in language: TextLanguage = .english) -> DissectedPacket {
        let octets = summary.octets
        // The header of a damaged advertising packet may have any value.
        if summary.content == .host || summary.content == .record
            || summary.content == .undecodable && summary.layer == .adv
        {
            let fields = HostFields.describe(octets, summary.content, language)
            return DissectedPacket(sections: [DissectedPacket.Section(kind: .packet, octets: octets, fields: fields)])
        }
        if case .advertising(let place) = summary.content {
            return DissectedPacket(sections: [
                DissectedPacket.Section(
                    kind: .packet, octets: octets, fields: AdvertisingFields.describe(octets, place, language))
            ])
        }
        let server = server(of: summary)
        let link = summary.link.flatMap { links[$0] }
        let context = FieldContext(
            attribute: summary.attribute?.uuid, request: summary.request, language: language,
            beginsSDU: summary.beginsSDU,
            name: { handle in server.flatMap { link?.attribute(handle, of: $0)?.uuid } })
        var sections = [
            DissectedPacket.Section(
                kind: .packet, octets: octets, fields: DataFields.describe(summary, context))
        ]
        if case .lastPart(let frame) = summary.content {
            var cursor = FieldCursor(frame, 0..<frame.count, language)
            L2CAPFields.frame(&cursor, context)
            sections.append(DissectedPacket.Section(kind: .frame, octets: frame, fields: cursor.finish()))
        }
        return DissectedPacket(sections: sections)
    }

    /// The side whose server an ATT PDU is about.
    private func server(of summary: PacketSummary) -> LinkSide? {
        guard summary.layer == .att, let sender = summary.sender else { return nil }
        let frame: ArraySlice<UInt8>
        switch summary.content {
        case .frame: frame = summary.octets[summary.payloadRange]
        case .lastPart(let octets): frame = octets[...]
        default: return nil
        }
        guard let opcode = frame.dropFirst(L2CAP.headerCount).first else { return nil }
        return AttributeOctets.isFromClient(ATT.Opcode(rawValue: opcode)) ? sender.other : sender
    }

    // MARK: Advertising channels

    private mutating func addAdvertising(_ frame: AirFrame) -> PacketSummary {
        let octets = frame.octets
        let pdu = try? LL.AdvertisingPDU(decoding: octets.span)
        var (info, address): (LL.AdvertisingDataInfo?, UInt64?)
        let type = LL.AdvertisingPDUType(rawValue: (octets.first ?? 0) & 0x0F)
        switch pdu {
        case .extended(let header, let payload)?, .auxConnectRsp(let header, let payload)?:
            info = payload.dataInfo
            address = payload.advertiser.map { $0 | (header.transmitterIsRandom ? 1 << 48 : 0) }
        default:
            if octets.count >= LL.AdvertisingHeader.encodedCount {
                address = AdvertisingTrain.advertiser(in: octets, type)
            }
        }
        let (place, known) = auxiliaries.place(of: frame, type, info, hasAddress: address != nil)
        var summary = PacketSummary(content: .advertising(place), layer: .adv, octets: octets)
        summary.isHeard = frame.isHeard
        summary.procedure = .advertising
        if case .connectInd(_, let request)? = pdu, let address {
            summary.procedure = .connecting
            summary.conversation = start(request, frame)
            advertisers[address] = nil
            return summary
        }
        guard let key = address ?? info.map({ Self.key($0, frame.sender) }) else { return summary }
        let conversation = continueTrain(key, known, at: frame.start)
        summary.conversation = conversation
        switch pdu {
        case .extended(_, let payload)?:
            auxiliaries.add(frame, payload, conversation: conversation)
            trains.add(payload, conversation: conversation)
        case .scanReq?: auxiliaries.addRequest(frame, conversation: conversation)
        default: break
        }
        return summary
    }

    /// The key of a PDU without an address, such as most of those on a primary channel: it belongs to a set of its sender. Devices number their
    /// sets alike, so the identifier of the data tells them apart in a capture that does not say the sender.
    private static func key(_ info: LL.AdvertisingDataInfo, _ sender: Int) -> UInt64 {
        let number = sender < 0 ? info.rawValue : UInt16(info.setID)
        return 1 << 63 | UInt64(UInt32(truncatingIfNeeded: sender)) << 16 | UInt64(number)
    }

    /// A PDU of periodic advertising, which has the access address of its train.
    private mutating func addPeriodic(_ frame: AirFrame, _ train: PeriodicTrains.Train) -> PacketSummary {
        var place = train.place
        let octets = frame.octets
        if case .extended(_, let payload)? = try? LL.AdvertisingPDU(decoding: octets.span) {
            if place == .periodic, auxiliaries.isChained(frame, payload.dataInfo) { place = .chain }
            auxiliaries.add(frame, payload, conversation: train.conversation)
        }
        var summary = PacketSummary(content: .advertising(place), layer: .adv, octets: octets)
        summary.isHeard = frame.isHeard
        summary.procedure = .advertising
        summary.conversation = train.conversation
        return summary
    }

    /// The conversation of an advertiser's packet. `known` is that of the packet which announced it.
    private mutating func continueTrain(_ key: UInt64, _ known: Int?, at start: Int64) -> Int {
        if advertisers.count >= Self.advertiserLimit, advertisers[key] == nil { advertisers.removeAll() }
        var train =
            advertisers[key] ?? AdvertisingTrain(conversation: known ?? conversations.begin(), last: start)
        if let known {
            train.conversation = known
        } else if start &- train.last > AdvertisingTrain.longestGap {
            train.conversation = conversations.begin()
        }
        train.last = start
        advertisers[key] = train
        return train.conversation
    }

    /// Begins a link. Returns its first conversation.
    private mutating func start(_ request: LL.ConnectInd, _ frame: AirFrame) -> Int {
        makeRoom()
        let conversation = conversations.begin()
        reassembledOctets -= links[request.accessAddress]?.reassembledOctets ?? 0
        links[request.accessAddress] = LinkState(central: frame.sender, connecting: conversation)
        return conversation
    }

    mutating func makeRoom() {
        guard links.count >= Self.linkLimit else { return }
        links.removeAll()
        reassembledOctets = 0
    }

    // MARK: Data channels

    private mutating func addData(_ frame: AirFrame) -> PacketSummary {
        guard frame.octets.count >= LL.DataHeader.encodedCount else {
            var summary = PacketSummary(content: .undecodable, layer: .ll, octets: frame.octets)
            summary.link = frame.accessAddress
            summary.isHeard = frame.isHeard
            return summary
        }
        if links[frame.accessAddress] == nil {
            makeRoom()
            links[frame.accessAddress] = LinkState(central: nil, connecting: nil)
        }
        let before = links[frame.accessAddress]!.reassembledOctets
        let summary = links[frame.accessAddress]!.add(frame, &conversations)
        limitReassembly(after: links[frame.accessAddress]!.reassembledOctets - before)
        return summary
    }

    /// Notes that incomplete L2CAP frames have grown, and forgets them all if they are too many.
    mutating func limitReassembly(after growth: Int) {
        reassembledOctets += growth
        guard reassembledOctets > Self.reassemblyLimit else { return }
        for link in links.keys { links[link]!.forgetParts() }
        reassembledOctets = 0
    }
}
