import BLEWire

/// The requests on the signalling channel of one link, and its credit-based channels (Vol 3, Part A, 4 and 10).
struct SignalConversations: Sendable {
    static let requestLimit = 32
    static let channelLimit = 64

    private struct RequestKey: Hashable, Sendable {
        var sender: LinkSide
        var identifier: UInt8
    }

    private struct Request: Sendable {
        var place: ConversationPosition
        var code: L2CAP.SignalCode
        /// The sender's ends of the channels that it opens.
        var sources: [UInt16]
    }

    /// The identifier that a sender writes into the frames of a channel.
    private struct ChannelKey: Hashable, Sendable {
        var sender: LinkSide
        var identifier: UInt16
    }

    private struct Channel: Sendable {
        var conversation: Int
        /// The octets of the current SDU that are missing.
        var missing = 0
    }

    private var requests: [RequestKey: Request] = [:]
    private var channels: [ChannelKey: Channel] = [:]
    /// An accepted request for new connection parameters, which LL_CONNECTION_UPDATE_IND follows.
    private(set) var acceptedUpdate: Int?

    var channelCount: Int { channels.count }

    /// Takes a signalling packet.
    mutating func add(
        _ payload: ArraySlice<UInt8>, from side: LinkSide, _ conversations: inout ConversationCounter
    ) -> ConversationPosition {
        acceptedUpdate = nil
        let octets = Array(payload)
        guard octets.count >= 4 else { return ConversationPosition(.otherSignal, nil) }
        let code = L2CAP.SignalCode(rawValue: octets[0])
        if code.isResponse { return answer(code, octets, from: side) }
        let place: ConversationPosition
        switch code {
        case .connectionParameterUpdateRequest: place = ConversationPosition(.connectionUpdate, conversations.begin())
        case .creditBasedConnectionRequest, .enhancedConnectionRequest:
            place = ConversationPosition(.channel, conversations.begin())
        case .flowControlCredit:
            // The channel is the sender's end (Vol 3, Part A, 4.24), to which the other side sends frames.
            let channel = channels[ChannelKey(sender: side.other, identifier: Self.number(octets, 4))]
            return ConversationPosition(.channel, channel?.conversation)
        case .disconnectionRequest:
            let channel = channels[ChannelKey(sender: side, identifier: Self.number(octets, 4))]
            place = ConversationPosition(.channel, channel?.conversation ?? conversations.begin())
        default: place = ConversationPosition(.otherSignal, conversations.begin())
        }
        if requests.count >= Self.requestLimit { requests.removeAll() }
        let sources =
            code == .enhancedConnectionRequest ? Self.channels(octets, from: 12) : [Self.number(octets, 6)]
        requests[RequestKey(sender: side, identifier: octets[1])] = Request(place: place, code: code, sources: sources)
        return place
    }

    private mutating func answer(_ code: L2CAP.SignalCode, _ octets: [UInt8], from side: LinkSide)
        -> ConversationPosition
    {
        guard let request = requests.removeValue(forKey: RequestKey(sender: side.other, identifier: octets[1])) else {
            return ConversationPosition(.otherSignal, nil)
        }
        switch code {
        case .connectionParameterUpdateResponse where Self.number(octets, 4) == 0:
            acceptedUpdate = request.place.conversation
        case .creditBasedConnectionResponse where octets.count >= 14 && Self.number(octets, 12) == 0:
            guard request.code == .creditBasedConnectionRequest else { break }
            open(request, [Self.number(octets, 4)], from: side)
        case .enhancedConnectionResponse where request.code == .enhancedConnectionRequest:
            open(request, Self.channels(octets, from: 12), from: side)
        case .disconnectionResponse:
            channels[ChannelKey(sender: side.other, identifier: Self.number(octets, 4))] = nil
            channels[ChannelKey(sender: side, identifier: Self.number(octets, 6))] = nil
        default: break
        }
        return request.place
    }

    /// Notes the channels of an accepted request. `ends`: the ends of the answering side, 0 for each channel that it refused.
    private mutating func open(_ request: Request, _ ends: [UInt16], from side: LinkSide) {
        guard let conversation = request.place.conversation else { return }
        for (source, end) in zip(request.sources, ends) where end != 0 {
            if channels.count >= Self.channelLimit { channels.removeAll() }
            channels[ChannelKey(sender: side.other, identifier: end)] = Channel(conversation: conversation)
            channels[ChannelKey(sender: side, identifier: source)] = Channel(conversation: conversation)
        }
    }

    /// The channel identifiers at the end of a packet of the enhanced mode, at most five.
    private static func channels(_ octets: [UInt8], from start: Int) -> [UInt16] {
        stride(from: start, to: min(octets.count - 1, start + 2 * L2CAP.enhancedChannelLimit), by: 2).map {
            number(octets, $0)
        }
    }

    /// Takes the header and the first octets of a frame of a dynamic channel. Returns also whether the frame begins an SDU.
    ///
    /// - Parameter length: The octets of the frame's payload.
    mutating func addFrame(
        _ payload: ArraySlice<UInt8>, length: Int, channel: UInt16, from side: LinkSide
    ) -> (place: ConversationPosition, beginsSDU: Bool) {
        let key = ChannelKey(sender: side, identifier: channel)
        guard var state = channels[key] else { return (ConversationPosition(.channel, nil), false) }
        let beginsSDU = state.missing <= 0
        if beginsSDU, payload.count >= 2 {
            let first = payload.startIndex
            state.missing = (Int(payload[first]) | Int(payload[first + 1]) << 8) - (length - 2)
        } else {
            state.missing -= length
        }
        channels[key] = state
        return (ConversationPosition(.channel, state.conversation), beginsSDU)
    }

    private static func number(_ octets: [UInt8], _ index: Int) -> UInt16 {
        guard index + 1 < octets.count else { return 0 }
        return UInt16(octets[index]) | UInt16(octets[index + 1]) << 8
    }
}
