import BLEWire

/// One end of a link: parameters, acknowledgement and queued data. The connection chooses the next PDU; the controller decides when
/// the link uses the radio. It is a class because it is large and its parts are accessed one at a time. Its controller alone owns
/// it.
final class LinkLayerConnection {
    /// The PDU that was sent and is not acknowledged.
    enum InFlight: Hashable {
        case empty
        /// The first PDU of the procedures' queue.
        case control
        /// The number of octets of the first ACL packet.
        case data(Int)
    }

    /// The current connection event.
    struct Event: Hashable {
        var channel: UInt8
        var began = Instant.zero
        /// The time at which the radio must be free again.
        var limit = Instant.zero
        /// PDUs with invalid CRC in a row.
        var errors = 0
        /// The last MD bits of both sides.
        var ownMore = false
        var peerMore = false
        /// Whether a PDU was received, with a valid CRC or not.
        var isAnchored = false
        /// Whether one PDU was sent and one received.
        var isServed = false
        /// The number of PDUs sent.
        var sent = 0
        /// Whether the inter frame space after a received PDU is running.
        var isTurning = false
        /// The air time of the last received PDU.
        var receivedAirTime = TimeSpan.zero
    }

    let handle: UInt16
    let role: HCI.Role
    let peer: DeviceAddress
    let accessAddress: UInt32
    let crcInit: UInt32
    /// The sum of both sleep clock accuracies, in parts per million.
    let clockError: Int
    var isOpen = true
    /// In units of 1.25 ms, connection events, and 10 ms.
    var interval: UInt16
    var latency: UInt16
    var timeout: UInt16
    var channelMap: LL.ChannelMap
    var selection: ChannelSelection
    /// The counter of the current or the next event.
    var event: UInt16 = 0
    /// The start of that event, or of its transmit window.
    var anchor: Instant
    /// The length of the transmit window after `anchor`. Zero once the central has been received.
    var window: TimeSpan
    /// The start of the supervision timeout: the last valid PDU, or a later instant of new parameters (Vol 6, Part B, 4.5.2 and
    /// 5.1.1).
    var supervisedFrom: Instant
    /// Whether a valid PDU was received.
    var isEstablished = false
    /// Whether the peripheral's latency moved the next event, which `wake` may revert.
    var isAsleep = false
    /// Events in a row without a PDU in each direction, because the radio was busy.
    var missed = 0
    var active: Event?
    /// The radio time of this link, for the comparison with other links.
    var used = TimeSpan.zero
    /// Whether the last event ended with data left.
    var isBusy = false
    var acknowledgement = Acknowledgement()
    var inFlight: InFlight?
    var queue = PacketQueue()
    var procedures: LinkLayerProcedures
    var changes: [LinkLayerProcedures.Change] = []
    var txPHY = LL.PHY.oneM
    var rxPHY = LL.PHY.oneM
    /// The coding of this side on the Coded PHY.
    private var coding = LL.PHY.codedS8
    /// The keys and counters of the encrypted session. `procedures.encryption` holds the directions that use them.
    var encryption = LinkEncryption()
    /// The data length that the host knows.
    var reportedLengths = (tx: DataLength.Limits.minimum, rx: DataLength.Limits.minimum)
    /// The longest payloads to send and to receive, by data length, PHY and interval.
    private(set) var txPayload = LL.minimumDataLength
    private(set) var rxPayload = LL.minimumDataLength
    var rssi: Int8 = 127
    /// Whether `inFlight` was encrypted.
    private var isSealed = false
    /// Acknowledged ACL packets that have not been reported to the host.
    var completed: UInt16 = 0
    /// The peer's reason to terminate. The link ends when the acknowledgement is sent.
    var ending: HCI.ErrorCode?
    /// The authenticated payload timeout, in units of 10 ms (Vol 6, Part B, 5.4).
    var payloadTimeout: UInt16 = 3000
    /// The value of `procedures.waits` at which the procedure timer was armed.
    var timedWait: UInt32 = 0

    init(
        handle: UInt16, role: HCI.Role, peer: DeviceAddress, request: LL.ConnectInd, selection: ChannelSelection,
        anchor: Instant, window: TimeSpan, procedures: LinkLayerProcedures
    ) {
        self.handle = handle
        self.role = role
        self.peer = peer
        accessAddress = request.accessAddress
        crcInit = request.crcInit
        // The upper limits of the central's sleep clock accuracy, by the field SCA (Vol 6, Part B, 2.3.3.1).
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

    /// The window widening of the peripheral (Vol 6, Part B, 4.2.4). The clocks of this medium are exact, so the value is kept
    /// within the inter frame space.
    @inline(__always)
    var widening: TimeSpan {
        guard !isCentral else { return .zero }
        let drift = intervalSpan.nanoseconds * Int64(clockError) / 1_000_000
        return TimeSpan(nanoseconds: min(100_000, 16_000 + drift))
    }

    /// The start of the next event, at which the link needs the radio.
    @inline(__always)
    var start: Instant { anchor - widening }

    /// Updates the payloads after a change of the data length or the PHY.
    func updatePayloads() {
        txPayload = procedures.dataLength.effectiveTx.payload(on: txPHY)
        rxPayload = procedures.dataLength.effectiveRx.payload(on: rxPHY)
        // A PDU and an empty answer must fit between two anchors.
        let room = intervalSpan - LL.interFrameSpace * 2 - rxPHY.airTime(pduLength: 2)
        txPayload = min(txPayload, max(LL.minimumDataLength, txPHY.pduLength(within: room) - 2 - micLength))
    }

    /// The current data length.
    var lengths: (tx: DataLength.Limits, rx: DataLength.Limits) {
        (procedures.dataLength.effectiveTx.on(txPHY), procedures.dataLength.effectiveRx.on(rxPHY))
    }

    /// Sets the coding for the Coded PHY. Applies at once if that PHY is in use.
    func choose(coding: LL.PHY) {
        self.coding = coding
        guard txPHY.isCoded else { return }
        txPHY = coding
        updatePayloads()
    }

    /// Takes the coding of the peer from a received PDU.
    func note(phy: LL.PHY) {
        guard rxPHY != phy, rxPHY.isCoded, phy.isCoded else { return }
        rxPHY = phy
        updatePayloads()
    }

    /// The air time of the longest PDU of the peer.
    @inline(__always)
    var longestAnswer: TimeSpan {
        let mic = procedures.encryption.isReceiving ? LL.micLength : 0
        return rxPHY.airTime(pduLength: 2 + rxPayload + mic)
    }

    /// The air time of the longest PDU, an empty PDU in the other direction, and their inter frame spaces.
    var longestExchange: TimeSpan {
        let toPeer = txPHY.airTime(pduLength: 2 + txPayload + micLength) + rxPHY.airTime(pduLength: 2)
        return max(toPeer, longestAnswer + txPHY.airTime(pduLength: 2)) + LL.interFrameSpace * 2
    }

    // MARK: Sending

    /// The octets that follow the payload of a new PDU: 4 for the MIC, or 0.
    @inline(__always)
    var micLength: Int { procedures.encryption.isSending ? LL.micLength : 0 }

    /// Whether the host's data may be sent now. An encryption procedure holds it back (Vol 6, Part B, 5.1.3).
    @inline(__always)
    private var hasData: Bool { !queue.isEmpty && !procedures.encryption.isRunning }

    /// Whether the next PDU has a payload.
    @inline(__always)
    var hasNews: Bool {
        if !procedures.outgoing.isEmpty || hasData { return true }
        return inFlight != nil && inFlight != .empty
    }

    /// The air time of the PDU that `compose` would write, within `room`; nil if a retransmission does not fit.
    @inline(__always)
    func nextAirTime(room: TimeSpan) -> TimeSpan? {
        if let inFlight {
            let time = airTime(of: inFlight, mic: isSealed ? LL.micLength : 0)
            return time <= room ? time : nil
        }
        let time = airTime(of: choose(room: room), mic: micLength)
        return time <= room ? time : nil
    }

    @inline(__always)
    private func airTime(of choice: InFlight, mic: Int) -> TimeSpan {
        switch choice {
        case .empty: txPHY.airTime(pduLength: 2)
        case .control: txPHY.airTime(pduLength: 2 + (procedures.outgoing.first?.count ?? 0) + mic)
        case .data(let count): txPHY.airTime(pduLength: 2 + count + mic)
        }
    }

    @inline(__always)
    private func choose(room: TimeSpan) -> InFlight {
        // Control PDUs may interrupt the fragments of an L2CAP packet; other data may not.
        let mic = micLength
        if !procedures.outgoing.isEmpty, airTime(of: .control, mic: mic) <= room { return .control }
        guard hasData, let fragment = queue.first(limit: txPayload) else { return .empty }
        let count = fragment.range.count
        if airTime(of: .data(count), mic: mic) <= room { return .data(count) }
        // Shorter fragments are used only in events that are too short for one PDU.
        guard active?.sent == 0 else { return .empty }
        let fits = txPHY.pduLength(within: room) - 2 - mic
        return fits >= LL.minimumDataLength ? .data(min(count, fits)) : .empty
    }

    /// Writes the next PDU: a retransmission, or the next PDU that fits `room`.
    func compose(room: TimeSpan, into pdu: inout [UInt8]) {
        let isRepeated = inFlight != nil
        let choice = inFlight ?? choose(room: room)
        inFlight = choice
        if !isRepeated { isSealed = choice != .empty && procedures.encryption.isSending }
        let mic = isSealed ? LL.micLength : 0
        var header = LL.DataHeader(
            kind: .continuation, nextExpected: acknowledgement.nextExpected, sequence: acknowledgement.sequence)
        switch choice {
        case .empty:
            header.moreData = !procedures.outgoing.isEmpty || hasData
            write(header, to: &pdu)
        case .control:
            let octets = procedures.outgoing.first ?? []
            header.kind = .control
            header.length = UInt8(truncatingIfNeeded: octets.count + mic)
            header.moreData = procedures.outgoing.count > 1 || hasData
            write(header, to: &pdu)
            write(octets.span, header.kind, isRepeated: isRepeated, to: &pdu)
        case .data(let count):
            guard let fragment = queue.first(limit: count) else { return write(header, to: &pdu) }
            header.kind = fragment.isStart ? .start : .continuation
            header.length = UInt8(truncatingIfNeeded: count + mic)
            header.moreData = !procedures.outgoing.isEmpty || hasData && queue.hasMore(after: count)
            write(header, to: &pdu)
            write(queue.bytes.span.extracting(fragment.range), header.kind, isRepeated: isRepeated, to: &pdu)
        }
        active?.ownMore = header.moreData
        active?.sent += 1
    }

    /// Writes a payload, encrypted if `isSealed`. Only a new PDU uses up a packet counter.
    @inline(__always)
    private func write(
        _ payload: Span<UInt8>, _ kind: LL.DataHeader.Kind, isRepeated: Bool, to pdu: inout [UInt8]
    ) {
        guard isSealed else { return pdu.append(payload) }
        if !isRepeated { encryption.seal(payload, header: kind.rawValue, from: role) }
        encryption.appendSealed(to: &pdu)
    }

    /// The payload of the PDU that was sent and is not acknowledged, before its encryption; nil if it was not encrypted.
    var sealedPlaintext: [UInt8]? {
        guard isSealed else { return nil }
        switch inFlight {
        case .control: return procedures.outgoing.first
        case .data(let count):
            guard let fragment = queue.first(limit: count) else { return nil }
            return Array(queue.bytes[fragment.range])
        case .empty, nil: return nil
        }
    }

    private func write(_ header: LL.DataHeader, to pdu: inout [UInt8]) {
        // The buffer grows, so two octets always fit.
        try? pdu.append(encoding: header)
    }

    /// Terminates the link (Vol 6, Part B, 5.1.6). LL_TERMINATE_IND precedes all queued PDUs.
    func terminate(reason: HCI.ErrorCode) {
        procedures.terminate(reason: reason, keepingFirst: inFlight == .control)
    }

    // MARK: Receiving

    /// Takes the header of a PDU with a valid CRC. Returns whether its payload is new.
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

    /// Whether the peripheral may skip the events that its latency permits (Vol 6, Part B, 4.5.1).
    private var maySleep: Bool {
        !isCentral && latency > 0 && isEstablished && !hasNews && changes.isEmpty && procedures.isIdle
    }

    /// Advances to the next event. `wasReceived`: a PDU arrived in this event, and the peer has no more data.
    func advance(wasReceived: Bool) {
        let steps = wasReceived && maySleep ? Int(latency) + 1 : 1
        isAsleep = steps > 1
        event &+= UInt16(truncatingIfNeeded: steps)
        anchor += intervalSpan * steps
    }

    /// Whether the current event is the instant of a change.
    var hasDueChange: Bool { changes.contains { event &- $0.instant < 0x8000 } }

    /// Applies the changes whose instant is the current event, and returns them. `anchor` is the event's position by the old
    /// parameters. With `isAnchored` the peer has been received in the event, and `anchor` is the new position.
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
            // The supervision timer restarts at the instant with the new timeout (Vol 6, Part B, 5.1.1).
            supervisedFrom = max(supervisedFrom, anchor)
            if !isAnchored {
                // The transmit window begins `windowOffset` after the anchor of the old interval (Vol 6, Part B, 5.1.1).
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
            // An empty set changes nothing (Vol 6, Part B, 2.4.2.23).
            if let phy = LL.PHY(own) { txPHY = phy.isCoded ? coding : phy }
            if let phy = LL.PHY(peer) { rxPHY = phy }
            updatePayloads()
        }
    }

    /// Moves the next event of a peripheral that skips events to the first possible one. Returns whether the event moved.
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
    /// The PHY of a set with one element; nil for other sets.
    init?(_ set: LL.PHYSet) {
        switch set {
        case .oneM: self = .oneM
        case .twoM: self = .twoM
        case .coded: self = .codedS8
        default: return nil
        }
    }
}
