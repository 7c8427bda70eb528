import BLEWire

/// One link as one of its ends sees it: parameters, acknowledgement, what waits to be sent. It decides what goes into the
/// next packet; when the radio is used for it is the controller's business. A class because it is large and asked for
/// little things at a time; it belongs to its controller alone.
final class LinkLayerConnection {
    /// The packet that was sent and not yet acknowledged.
    enum InFlight: Hashable {
        case empty
        /// The first of the control procedures' PDUs.
        case control
        /// This many octets of the first ACL packet.
        case data(Int)
    }

    /// A connection event in progress.
    struct Event: Hashable {
        var channel: UInt8
        var began = Instant.zero
        /// When the radio must be free again.
        var limit = Instant.zero
        /// Packets with bit errors, one after another.
        var errors = 0
        /// The MD bits that each side sent last.
        var ownMore = false
        var peerMore = false
        /// Something was heard, whatever its CRC.
        var isAnchored = false
        /// A packet went out and one came in: the link had its share.
        var isServed = false
        /// Packets sent.
        var sent = 0
        /// A packet has come, and after the inter frame space one goes out.
        var isTurning = false
        /// How long the latest packet heard was on the air.
        var receivedAirTime = TimeSpan.zero
    }

    let handle: UInt16
    let role: HCI.Role
    let peer: DeviceAddress
    let accessAddress: UInt32
    let crcInit: UInt32
    /// Parts per million by which both clocks may be off together.
    let clockError: Int
    var isOpen = true
    /// In units of 1.25 ms, events, and 10 ms.
    var interval: UInt16
    var latency: UInt16
    var timeout: UInt16
    var channelMap: LL.ChannelMap
    var selection: ChannelSelection
    /// The counter of the present event, or of the next.
    var event: UInt16 = 0
    /// When that event begins, or its window does.
    var anchor: Instant
    /// How long after `anchor` the central may begin: a transmit window, until it has been heard in it.
    var window: TimeSpan
    /// Since when the supervision timeout counts: the latest packet without errors, or a later instant of new parameters
    /// (Vol 6, Part B, 4.5.2 and 5.1.1).
    var supervisedFrom: Instant
    /// A packet was heard at all.
    var isEstablished = false
    /// The next event was put off by the peripheral's latency, and may be put back.
    var isAsleep = false
    /// Events lost in a row, before a packet went each way, because the radio was busy with something else.
    var missed = 0
    var active: Event?
    /// For how long this link has had the radio, as far as that counts against others.
    var used = TimeSpan.zero
    /// Its latest event ended before all was said.
    var isBusy = false
    var acknowledgement = Acknowledgement()
    var inFlight: InFlight?
    var queue = PacketQueue()
    var procedures: LinkLayerProcedures
    var changes: [LinkLayerProcedures.Change] = []
    var txPHY = LL.PHY.oneM
    var rxPHY = LL.PHY.oneM
    /// The coding that this side uses on the Coded PHY.
    private var coding = LL.PHY.codedS8
    /// The octets that follow the payload of each packet that is not empty: 4 or 0.
    let micLength: Int
    /// What the host was told of the data length.
    var reportedLengths = (tx: DataLength.Limits.minimum, rx: DataLength.Limits.minimum)
    /// The longest payload to send and to expect, by data length, PHY and interval.
    private(set) var txPayload = LL.minimumDataLength
    private(set) var rxPayload = LL.minimumDataLength
    var rssi: Int8 = 127
    /// ACL packets acknowledged, but not yet reported to the host.
    var completed: UInt16 = 0
    /// The peer ended the link; it is over once the acknowledgement is sent.
    var ending: HCI.ErrorCode?
    /// The value of `procedures.waits` that the procedure timer is about.
    var timedWait: UInt32 = 0

    init(
        handle: UInt16, role: HCI.Role, peer: DeviceAddress, request: LL.ConnectInd, selection: ChannelSelection,
        anchor: Instant, window: TimeSpan, procedures: LinkLayerProcedures, micLength: Int = 0
    ) {
        self.micLength = micLength
        self.handle = handle
        self.role = role
        self.peer = peer
        accessAddress = request.accessAddress
        crcInit = request.crcInit
        let accuracies = [500, 250, 150, 100, 75, 50, 30, 20]
        clockError = accuracies[Int(request.sleepClockAccuracy & 7)] + 20
        interval = request.interval
        latency = request.latency
        timeout = request.timeout
        channelMap = request.channelMap
        self.selection = selection
        self.anchor = anchor
        self.window = window
        supervisedFrom = anchor
        self.procedures = procedures
        updatePayloads()
    }

    @inline(__always)
    var isCentral: Bool { role == .central }
    @inline(__always)
    var intervalSpan: TimeSpan { LL.slot * Int(interval) }
    @inline(__always)
    var timeoutSpan: TimeSpan { .milliseconds(10 * Int(timeout)) }

    /// How far from the anchor the peripheral opens its receiver (Vol 6, Part B, 4.2.4). The clocks here are exact, so it
    /// is kept within the inter frame space.
    @inline(__always)
    var widening: TimeSpan {
        guard !isCentral else { return .zero }
        let drift = intervalSpan.nanoseconds / 1_000_000 * Int64(clockError)
        return TimeSpan(nanoseconds: min(100_000, 16_000 + max(0, drift)))
    }

    /// When the next event needs the radio.
    @inline(__always)
    var start: Instant { anchor - widening }

    /// Data length or PHY have changed.
    func updatePayloads() {
        txPayload = procedures.dataLength.effectiveTx.payload(on: txPHY)
        rxPayload = procedures.dataLength.effectiveRx.payload(on: rxPHY)
        // A packet and an empty answer must fit between two anchors.
        let room = intervalSpan - LL.interFrameSpace * 2 - rxPHY.airTime(pduLength: 2)
        txPayload = min(txPayload, max(LL.minimumDataLength, txPHY.pduLength(within: room) - 2 - micLength))
    }

    /// Data length as it is in use now.
    var lengths: (tx: DataLength.Limits, rx: DataLength.Limits) {
        (procedures.dataLength.effectiveTx.on(txPHY), procedures.dataLength.effectiveRx.on(rxPHY))
    }

    /// The host's choice for the Coded PHY, at once if that is in use.
    func choose(coding: LL.PHY) {
        self.coding = coding
        guard txPHY.isCoded else { return }
        txPHY = coding
        updatePayloads()
    }

    /// Learns from a packet which coding the peer uses.
    func note(phy: LL.PHY) {
        guard rxPHY != phy, rxPHY.isCoded, phy.isCoded else { return }
        rxPHY = phy
        updatePayloads()
    }

    /// How long the longest packet that the peer may send takes.
    @inline(__always)
    var longestAnswer: TimeSpan { rxPHY.airTime(pduLength: 2 + rxPayload + micLength) }

    /// How long the longest packet that goes one way, an empty one the other way and their spaces take.
    var longestExchange: TimeSpan {
        let toPeer = txPHY.airTime(pduLength: 2 + txPayload + micLength) + rxPHY.airTime(pduLength: 2)
        return max(toPeer, longestAnswer + txPHY.airTime(pduLength: 2)) + LL.interFrameSpace * 2
    }

    // MARK: Sending

    /// Whether there is something to say but an empty packet.
    @inline(__always)
    var hasNews: Bool {
        if !procedures.outgoing.isEmpty || !queue.isEmpty { return true }
        return inFlight != nil && inFlight != .empty
    }

    /// The time on air of what `compose` would send, given `room`; nil if what must be sent again does not fit.
    @inline(__always)
    func nextAirTime(room: TimeSpan) -> TimeSpan? {
        if let inFlight {
            let time = airTime(of: inFlight)
            return time <= room ? time : nil
        }
        let time = airTime(of: choose(room: room))
        return time <= room ? time : nil
    }

    @inline(__always)
    private func airTime(of choice: InFlight) -> TimeSpan {
        switch choice {
        case .empty: txPHY.airTime(pduLength: 2)
        case .control: txPHY.airTime(pduLength: 2 + (procedures.outgoing.first?.count ?? 0) + micLength)
        case .data(let count): txPHY.airTime(pduLength: 2 + count + micLength)
        }
    }

    @inline(__always)
    private func choose(room: TimeSpan) -> InFlight {
        // An L2CAP packet may be interrupted by control, never by other data.
        if !procedures.outgoing.isEmpty, airTime(of: .control) <= room { return .control }
        guard let fragment = queue.first(limit: txPayload) else { return .empty }
        let count = fragment.range.count
        if airTime(of: .data(count)) <= room { return .data(count) }
        // Shorter pieces only where nothing longer will ever fit: in events that are too short for one packet.
        guard active?.sent == 0 else { return .empty }
        let fits = txPHY.pduLength(within: room) - 2 - micLength
        return fits >= LL.minimumDataLength ? .data(min(count, fits)) : .empty
    }

    /// Writes the next packet: the one in flight again, or what comes next and fits `room`.
    func compose(room: TimeSpan, into pdu: inout [UInt8]) {
        let choice = inFlight ?? choose(room: room)
        inFlight = choice
        var header = LL.DataHeader(
            kind: .continuation, nextExpected: acknowledgement.nextExpected, sequence: acknowledgement.sequence)
        switch choice {
        case .empty:
            header.moreData = !procedures.outgoing.isEmpty || !queue.isEmpty
            write(header, to: &pdu)
        case .control:
            let octets = procedures.outgoing.first ?? []
            header.kind = .control
            header.length = UInt8(truncatingIfNeeded: octets.count + micLength)
            header.moreData = procedures.outgoing.count > 1 || !queue.isEmpty
            write(header, to: &pdu)
            pdu.append(contentsOf: octets)
            appendMIC(to: &pdu)
        case .data(let count):
            guard let fragment = queue.first(limit: count) else { return write(header, to: &pdu) }
            header.kind = fragment.isStart ? .start : .continuation
            header.length = UInt8(truncatingIfNeeded: count + micLength)
            header.moreData = !procedures.outgoing.isEmpty || queue.hasMore(after: count)
            write(header, to: &pdu)
            pdu.append(queue.bytes.span.extracting(fragment.range))
            appendMIC(to: &pdu)
        }
        active?.ownMore = header.moreData
        active?.sent += 1
    }

    private func appendMIC(to pdu: inout [UInt8]) {
        for _ in 0..<micLength { pdu.append(0) }
    }

    private func write(_ header: LL.DataHeader, to pdu: inout [UInt8]) {
        // Two octets always fit: the buffer grows.
        try? pdu.append(encoding: header)
    }

    /// The host ends the link: the peer is told before anything else that waits.
    func terminate(reason: HCI.ErrorCode) {
        procedures.terminate(reason: reason, keepingFirst: inFlight == .control)
    }

    // MARK: Receiving

    /// Takes the header of a packet without errors. True if its payload is new.
    func receive(_ header: LL.DataHeader, _ actions: inout [LinkLayerProcedures.Action]) -> Bool {
        let verdict = acknowledgement.receive(header)
        if verdict.isAcknowledged, let sent = inFlight {
            inFlight = nil
            switch sent {
            case .empty: break
            case .control: procedures.acknowledged(&actions)
            case .data(let count): if queue.remove(count) { completed += 1 }
            }
        }
        active?.peerMore = header.moreData
        return verdict.isNew
    }

    // MARK: Events

    /// Whether the peripheral may sleep through the events that its latency grants.
    private var maySleep: Bool {
        !isCentral && latency > 0 && isEstablished && !hasNews && changes.isEmpty && procedures.isIdle
    }

    /// Goes on to the next event. `wasReceived`: something arrived in this one, and the peer had no more to say.
    func advance(wasReceived: Bool) {
        let steps = wasReceived && maySleep ? Int(latency) + 1 : 1
        isAsleep = steps > 1
        event &+= UInt16(truncatingIfNeeded: steps)
        anchor += intervalSpan * steps
    }

    /// Whether the present event is the instant of a change.
    var hasDueChange: Bool { changes.contains { event &- $0.instant < 0x8000 } }

    /// Makes the changes whose instant is the present event, and returns them. `anchor` is where the event lies by the old
    /// parameters. `isAnchored`: the peer has been heard in the event, so `anchor` is the new one already.
    func applyDueChanges(isAnchored: Bool) -> [LinkLayerProcedures.Change] {
        guard hasDueChange else { return [] }
        let due = changes.filter { event &- $0.instant < 0x8000 }
        changes.removeAll { event &- $0.instant < 0x8000 }
        for change in due { apply(change, isAnchored: isAnchored) }
        return due
    }

    private func apply(_ change: LinkLayerProcedures.Change, isAnchored: Bool) {
        switch change {
        case .parameters(let new):
            interval = new.interval
            latency = new.latency
            timeout = new.timeout
            // The supervision timer starts again at the instant, with the new timeout (Vol 6, Part B, 5.1.1).
            supervisedFrom = max(supervisedFrom, anchor)
            if !isAnchored {
                // The transmit window begins `windowOffset` after the anchor by the old interval (Vol 6, Part B, 5.1.1).
                anchor += LL.slot * Int(new.windowOffset)
                window = isCentral ? .zero : LL.slot * Int(new.windowSize)
            }
            updatePayloads()
        case .channelMap(let new):
            channelMap = new.channelMap
        case .phy(let new):
            let (own, peer) =
                isCentral
                ? (new.centralToPeripheral, new.peripheralToCentral)
                : (new.peripheralToCentral, new.centralToPeripheral)
            if let phy = LL.PHY(own) { txPHY = phy.isCoded ? coding : phy }
            if let phy = LL.PHY(peer) { rxPHY = phy }
            updatePayloads()
        }
    }

    /// Puts a sleeping peripheral's next event back to the first that it can still make. True if that changed it.
    func wake(now: Instant) -> Bool {
        guard isAsleep, active == nil else { return false }
        isAsleep = false
        var moved = false
        while start - intervalSpan > now {
            anchor = anchor - intervalSpan
            event &-= 1
            moved = true
        }
        return moved
    }
}

extension LL.PHY {
    /// The one PHY of a set; nil for none or several.
    init?(_ set: LL.PHYSet) {
        switch set {
        case .oneM: self = .oneM
        case .twoM: self = .twoM
        case .coded: self = .codedS8
        default: return nil
        }
    }
}
