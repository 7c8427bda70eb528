import BLESecurity
import BLETransport
import BLEWire

/// The events and findings of a link, which its parts add to.
package struct LinkOutput: Sendable {
    /// The most events. Further ones are counted only, except the end.
    package static let eventLimit = 256

    package private(set) var events: [LinkEvent] = []
    package private(set) var leftOutEvents = 0
    package internal(set) var findings = FindingList()
    /// The client whose PDU is read.
    var client = LinkSide.central

    mutating func add(_ kind: LinkEvent.Kind, at moment: Moment) {
        var isLast = false
        if case .ended = kind { isLast = true }
        if events.count < Self.eventLimit || isLast {
            events.append(LinkEvent(kind: kind, moment: moment))
        } else {
            leftOutEvents += 1
        }
    }
}

/// What happened on one link.
package struct LinkStory: Sendable {
    /// How the packets of the file name the link.
    package enum Key: Hashable, Sendable {
        case host(controller: UInt16, handle: UInt16)
        case air(accessAddress: UInt32)
    }

    /// The packets of one side.
    package struct Stream: Hashable, Sendable {
        /// Packets with content, and their octets. Repeated packets count once.
        package internal(set) var packets = 0
        package internal(set) var octets = 0
        /// Repeated packets with content, on the air.
        package internal(set) var retransmissions = 0
        /// L2CAP frames that are longer than the smallest packet of the link layer.
        var longFrames = 0
        var frame = FrameStart()
        /// Whether a packet of this side is in the capture, also an empty one.
        var isHeard = false
        /// The last packet on the air.
        var last: [UInt8] = []
    }

    /// What is known of encryption.
    package struct Encryption: Hashable, Sendable {
        package internal(set) var isOn = false
        /// Whether it was on at any time.
        package internal(set) var wasOn = false
        /// Whether the keys are older than the link.
        var isBonded = false
        /// Whether LL_ENC_REQ has no answer yet.
        var isRequested = false
        /// Whether packets on the air are encrypted, from LL_START_ENC_REQ to LL_PAUSE_ENC_RSP (Vol 6, Part B, 5.1.3).
        var isOnAir = false
        /// Packets that have no plaintext in the file.
        package internal(set) var hiddenPackets = 0
    }

    /// What is known of the link layer.
    package struct Parameters: Hashable, Sendable {
        package internal(set) var connection: LinkParameters?
        /// The largest payload that a side may send in one packet, in octets, by `LinkSide`.
        package internal(set) var dataLength: [UInt16] = [27, 27]
        /// What LL_LENGTH_REQ offered.
        var offeredLength: LL.LengthReq?
        /// The side whose request for other parameters is not answered, and what it asked for.
        var pendingUpdate: (side: LinkSide, identifier: UInt8?)? {
            get { pendingSide.map { ($0, pendingIdentifier) } }
            set { (pendingSide, pendingIdentifier) = (newValue?.side, newValue?.identifier) }
        }
        private var pendingSide: LinkSide?
        private var pendingIdentifier: UInt8?
    }

    package static let pairingLimit = 16

    /// The number of the link in the capture, from 1.
    package let number: Int
    package let key: Key
    /// Whether the capture has its start.
    package let isWhole: Bool
    package let first: Moment
    package internal(set) var last: Moment
    /// By `LinkSide`; nil if no packet says it.
    package internal(set) var addresses: [DeviceAddress?] = [nil, nil]
    /// The side of the host whose packets the file has; nil for packets of the air.
    package internal(set) var local: LinkSide?
    /// Whether the sides are known. If not, the first sender or the host counts as the central.
    package internal(set) var isRoleKnown: Bool
    package internal(set) var parameters = Parameters()
    package internal(set) var encryption = Encryption()
    package internal(set) var pairings: [PairingStory] = []
    /// The use of each server, by the `LinkSide` of the server.
    package internal(set) var servers = [ServerStory(), ServerStory()]
    /// By the `LinkSide` of the sender.
    package internal(set) var streams = [Stream(), Stream()]
    package internal(set) var ending: LinkEnding?
    package internal(set) var output = LinkOutput()
    /// The reason that the local host gave to its controller.
    var requestedEnd: HCI.ErrorCode?

    init(
        number: Int, key: Key, isWhole: Bool, local: LinkSide?, isRoleKnown: Bool,
        parameters: LinkParameters?, at moment: Moment
    ) {
        self.number = number
        self.key = key
        self.isWhole = isWhole
        self.local = local
        self.isRoleKnown = isRoleKnown
        first = moment
        last = moment
        self.parameters.connection = parameters
        output.add(.began(parameters), at: moment)
        if let parameters { check(parameters, at: moment) }
    }

    // MARK: L2CAP

    /// Takes a part of an L2CAP frame, of which the file may have only the first octets.
    ///
    /// - Parameter count: The octets of the part; nil if the file has them all.
    mutating func takeData(
        _ payload: ArraySlice<UInt8>, count: Int? = nil, isStart: Bool, from side: LinkSide, at moment: Moment
    ) {
        let taken = streams[side.rawValue].frame.take(payload, count: count ?? payload.count, isStart: isStart)
        guard let frame = taken else { return }
        if frame.length > LL.minimumDataLength { streams[side.rawValue].longFrames += 1 }
        let octets = frame.octets
        let start = octets.startIndex
        let content = octets.dropFirst(L2CAP.headerCount)
        switch L2CAP.ChannelIdentifier(rawValue: UInt16(octets[start + 2]) | UInt16(octets[start + 3]) << 8) {
        case .attribute: takeAttribute(content, from: side, at: moment)
        case .signalling: takeSignal(content, from: side, at: moment)
        case .securityManager: takeSecurity(content, from: side, at: moment)
        default: break
        }
    }

    private mutating func takeAttribute(_ pdu: ArraySlice<UInt8>, from side: LinkSide, at moment: Moment) {
        guard let first = pdu.first else { return }
        let isFromClient = AttributeOctets.isFromClient(ATT.Opcode(rawValue: first))
        let context = LinkContext(
            moment: moment, isWhole: isWhole, isEncrypted: encryption.isOn,
            isBonded: encryption.isBonded)
        if isFromClient {
            output.client = side
            servers[side.other.rawValue].takeFromClient(pdu, context, &output)
        } else {
            output.client = side.other
            servers[side.rawValue].takeFromServer(pdu, context, &output)
        }
    }

    /// The ATT_MTU, which both directions of a link share.
    package var mtu: UInt16 { servers.map(\.mtu).max() ?? ATT.defaultMTU }

    /// Forgets the names of attributes. What was used keeps its names.
    mutating func forgetNames() {
        for index in servers.indices { servers[index].attributes = HandleTable() }
    }

    // MARK: Time

    /// Notes the time of a packet.
    mutating func advance(to moment: Moment) {
        last = moment
        for index in servers.indices { servers[index].checkTime(moment, &output) }
        checkPairing(at: moment)
    }

    /// Ends the link.
    mutating func end(_ ending: LinkEnding) {
        guard self.ending == nil else { return }
        self.ending = ending
        finish(at: ending.moment)
        output.add(.ended(ending), at: ending.moment)
    }

    /// Finds what did not happen until the end of the link or of the capture.
    mutating func finish(at moment: Moment) {
        for index in servers.indices { servers[index].finish(moment, &output) }
        checkPairing(at: moment)
        if let index = pairings.indices.last, pairings[index].outcome == .running {
            pairings[index].outcome = .unfinished
        }
        checkTraffic()
    }

    /// The packets that show a pattern.
    private static let trafficLimit = 20

    private mutating func checkTraffic() {
        for side in [LinkSide.central, .peripheral] {
            let stream = streams[side.rawValue]
            let sent = stream.packets + stream.retransmissions
            if stream.retransmissions >= Self.trafficLimit, stream.retransmissions * 10 > sent {
                output.findings.add(
                    .retransmissions(side, percent: stream.retransmissions * 100 / sent), at: last)
            }
        }
        let frames = streams.reduce(0) { $0 + $1.longFrames }
        if isWhole, frames >= Self.trafficLimit, parameters.dataLength.allSatisfy({ $0 <= 27 }) {
            output.findings.add(.dataLengthNotExtended(frames: frames), at: last)
        }
    }

    mutating func check(_ parameters: LinkParameters, at moment: Moment) {
        if !parameters.isValid { output.findings.add(.invalidParameters(parameters), at: moment) }
    }
}
