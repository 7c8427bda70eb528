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
        /// Whether a PDU with a payload was sent or received.
        var hadData = false
        /// Whether the inter frame space after a received PDU is running.
        var isTurning = false
        /// The air time of the last received PDU.
        var receivedAirTime = TimeSpan.zero
        /// The time for which the event may go on while the advertiser waits for the radio.
        var claim = TimeSpan.zero

        /// Whether a central may send another PDU: one side has more data, or the central's last PDU was not acknowledged (Vol 6, Part
        /// B, 4.5.6).
        func mayContinue(at now: Instant, isRadioAwaited: Bool) -> Bool {
            (!isRadioAwaited || now - began < claim) && (ownMore || errors == 0 && peerMore)
        }
    }

    let handle: UInt16
    let role: HCI.Role
    let peer: DeviceAddress
    let access: Access
    var state = LinkState.created
    var timing: ConnectionTiming
    var channels: DataChannels
    var active: Event?
    var share = RadioShare()
    var transmitter = Transmitter()
    var procedures: LinkLayerProcedures
    /// The changes that wait for their instants.
    var changes: [LinkLayerProcedures.Change] = []
    var phys: PHYs
    var payloads = Payloads()
    var syncTransfer = SyncTransfer()
    /// The keys and counters of the encrypted session. `procedures.encryption` holds the directions that use them.
    var encryption = LinkEncryption()
    var signal = Signal()
    var reported = Reported()

    init(
        handle: UInt16, role: HCI.Role, peer: DeviceAddress, request: LL.ConnectInd, selection: ChannelSelection,
        anchor: Instant, window: TimeSpan, phy: LL.PHY = .oneM, procedures: LinkLayerProcedures
    ) {
        self.handle = handle
        self.role = role
        self.peer = peer
        access = Access(address: request.accessAddress, crcInit: request.crcInit)
        timing = ConnectionTiming(request, anchor: anchor, window: window, ownAccuracy: procedures.ownAccuracy)
        channels = DataChannels(map: request.channelMap, selection: selection)
        self.procedures = procedures
        phys = PHYs(startingOn: phy)
        updatePayloads()
    }

    @inline(__always)
    var isCentral: Bool { role == .central }
    /// The window widening of the next event. A central has none, because the peripheral follows its clock.
    @inline(__always)
    var widening: TimeSpan { isCentral ? .zero : timing.widening(at: timing.anchor) }

    /// Whether the first packet of a peripheral's event starts after the window. The window ends before its access address, so it is missed. With exact clocks
    /// no packet is late.
    @inline(__always)
    func isTooLate(_ start: Instant) -> Bool {
        timing.expectsDrift && !isCentral && active?.isAnchored == false
            && start > timing.anchor + timing.window + widening
    }

    /// The start of the next event, at which the link needs the radio.
    @inline(__always)
    var start: Instant { timing.anchor - widening }

    /// Updates the payloads after a change of the data length or the PHY.
    func updatePayloads() {
        payloads.tx = procedures.dataLength.effectiveTx.payload(on: phys.tx)
        payloads.rx = procedures.dataLength.effectiveRx.payload(on: phys.rx)
        // A PDU and an empty answer must fit between two anchors.
        let room = timing.intervalSpan - LL.interFrameSpace * 2 - phys.rx.airTime(pduLength: 2)
        payloads.tx = min(payloads.tx, max(LL.minimumDataLength, phys.tx.pduLength(within: room) - 2 - micLength))
    }

    /// The current data length.
    var lengths: (tx: DataLength.Limits, rx: DataLength.Limits) {
        (procedures.dataLength.effectiveTx.on(phys.tx), procedures.dataLength.effectiveRx.on(phys.rx))
    }

    /// Sets the coding for the Coded PHY. Applies at once if that PHY is in use.
    func choose(coding: LL.PHY) {
        phys.coding = coding
        guard phys.tx.isCoded else { return }
        phys.tx = coding
        updatePayloads()
    }

    /// Takes the coding of the peer from a received PDU.
    func note(phy: LL.PHY) {
        guard phys.rx != phy, phys.rx.isCoded, phy.isCoded else { return }
        phys.rx = phy
        updatePayloads()
    }

    /// The air time of the longest PDU of the peer.
    @inline(__always)
    var longestAnswer: TimeSpan {
        let mic = procedures.encryption.isReceiving ? LL.micLength : 0
        return phys.rx.airTime(pduLength: 2 + payloads.rx + mic)
    }

    /// The air time of the longest PDU, an empty PDU in the other direction, and their inter frame spaces.
    var longestExchange: TimeSpan {
        let toPeer = phys.tx.airTime(pduLength: 2 + payloads.tx + micLength) + phys.rx.airTime(pduLength: 2)
        return max(toPeer, longestAnswer + phys.tx.airTime(pduLength: 2)) + LL.interFrameSpace * 2
    }

    // MARK: Sending

    /// The octets that follow the payload of a new PDU: 4 for the MIC, or 0.
    @inline(__always)
    var micLength: Int { procedures.encryption.isSending ? LL.micLength : 0 }

    /// Whether the host's data may be sent now. An encryption procedure holds it back (Vol 6, Part B, 5.1.3).
    @inline(__always)
    private var hasData: Bool { !transmitter.queue.isEmpty && !procedures.encryption.isRunning }

    /// Whether the next PDU has a payload.
    @inline(__always)
    var hasNews: Bool {
        if !procedures.outgoing.isEmpty || hasData { return true }
        return transmitter.inFlight != nil && transmitter.inFlight != .empty
    }

    /// The air time of the PDU that `compose` would write, within `room`; nil if a retransmission does not fit.
    @inline(__always)
    func nextAirTime(room: TimeSpan) -> TimeSpan? {
        if let inFlight = transmitter.inFlight {
            let time = airTime(of: inFlight, mic: transmitter.isSealed ? LL.micLength : 0)
            return time <= room ? time : nil
        }
        let time = airTime(of: choose(room: room), mic: micLength)
        return time <= room ? time : nil
    }

    @inline(__always)
    private func airTime(of choice: InFlight, mic: Int) -> TimeSpan {
        switch choice {
        case .empty: phys.tx.airTime(pduLength: 2)
        case .control: phys.tx.airTime(pduLength: 2 + (procedures.outgoing.first?.count ?? 0) + mic)
        case .data(let count): phys.tx.airTime(pduLength: 2 + count + mic)
        }
    }

    @inline(__always)
    private func choose(room: TimeSpan) -> InFlight {
        // Control PDUs may interrupt the fragments of an L2CAP packet; other data may not.
        let mic = micLength
        if !procedures.outgoing.isEmpty, airTime(of: .control, mic: mic) <= room { return .control }
        guard hasData, let fragment = transmitter.queue.first(limit: payloads.tx) else { return .empty }
        let count = fragment.range.count
        if airTime(of: .data(count), mic: mic) <= room { return .data(count) }
        // Shorter fragments are used only in events that are too short for one PDU.
        guard active?.sent == 0 else { return .empty }
        let fits = phys.tx.pduLength(within: room) - 2 - mic
        return fits >= LL.minimumDataLength ? .data(min(count, fits)) : .empty
    }

    /// Writes the next PDU: a retransmission, or the next PDU that fits `room`.
    func compose(room: TimeSpan, into pdu: inout [UInt8]) {
        let isRepeated = transmitter.inFlight != nil
        let choice = transmitter.inFlight ?? choose(room: room)
        transmitter.inFlight = choice
        if !isRepeated { transmitter.isSealed = choice != .empty && procedures.encryption.isSending }
        let mic = transmitter.isSealed ? LL.micLength : 0
        var header = LL.DataHeader(
            kind: .continuation, nextExpected: transmitter.acknowledgement.nextExpected,
            sequence: transmitter.acknowledgement.sequence)
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
            guard let fragment = transmitter.queue.first(limit: count) else { return write(header, to: &pdu) }
            header.kind = fragment.isStart ? .start : .continuation
            header.length = UInt8(truncatingIfNeeded: count + mic)
            header.moreData = !procedures.outgoing.isEmpty || hasData && transmitter.queue.hasMore(after: count)
            write(header, to: &pdu)
            write(
                transmitter.queue.bytes.span.extracting(fragment.range), header.kind, isRepeated: isRepeated, to: &pdu)
        }
        active?.ownMore = header.moreData
        if choice != .empty { active?.hadData = true }
        active?.sent += 1
    }

    /// Writes a payload, encrypted if `isSealed`. Only a new PDU uses up a packet counter.
    @inline(__always)
    private func write(
        _ payload: Span<UInt8>, _ kind: LL.DataHeader.Kind, isRepeated: Bool, to pdu: inout [UInt8]
    ) {
        guard transmitter.isSealed else { return pdu.append(payload) }
        if !isRepeated { encryption.seal(payload, header: kind.rawValue, from: role) }
        encryption.appendSealed(to: &pdu)
    }

    /// The payload of the PDU that was sent and is not acknowledged, before its encryption; nil if it was not encrypted.
    var sealedPlaintext: [UInt8]? {
        guard transmitter.isSealed else { return nil }
        switch transmitter.inFlight {
        case .control: return procedures.outgoing.first
        case .data(let count):
            guard let fragment = transmitter.queue.first(limit: count) else { return nil }
            return Array(transmitter.queue.bytes[fragment.range])
        case .empty, nil: return nil
        }
    }

    private func write(_ header: LL.DataHeader, to pdu: inout [UInt8]) {
        // The buffer grows, so two octets always fit.
        try? pdu.append(encoding: header)
    }

    /// Terminates the link (Vol 6, Part B, 5.1.6). LL_TERMINATE_IND precedes all queued PDUs.
    func terminate(reason: HCI.ErrorCode) {
        procedures.terminate(reason: reason, keepingFirst: transmitter.inFlight == .control)
    }

    func context(hostDecidesParameters: Bool) -> LinkLayerProcedures.Context {
        LinkLayerProcedures.Context(
            role: role, event: timing.event, latency: timing.latency, interval: timing.interval, txPHY: phys.tx,
            rxPHY: phys.rx, hostDecidesParameters: hostDecidesParameters, factor: timing.subrating.factor,
            rssi: signal.rssi)
    }

    // MARK: Receiving

    /// Takes the header of a PDU with a valid CRC. Returns whether its payload is new.
    func receive(_ header: LL.DataHeader, _ actions: inout [LinkLayerProcedures.Action]) -> Bool {
        let verdict = transmitter.acknowledgement.receive(header)
        if verdict.isAcknowledged, let sent = transmitter.inFlight {
            transmitter.inFlight = nil
            switch sent {
            case .empty: break
            case .control: procedures.acknowledged(&actions)
            case .data(let count): if transmitter.queue.remove(count) { transmitter.completed += 1 }
            }
        }
        active?.peerMore = header.moreData
        return verdict.isNew
    }

    // MARK: Events

    /// Notes that the link has had its share of the current event.
    func noteServed() {
        active?.isServed = true
        share.missed = 0
    }

    /// Whether the peripheral may skip the events that its latency permits (Vol 6, Part B, 4.5.1).
    private var maySleep: Bool {
        !isCentral && timing.latency > 0 && state.isEstablished && !hasNews && changes.isEmpty && procedures.isIdle
            && channels.reporter?.isPending != true
    }

    /// Advances to the next event. `wasReceived`: a PDU arrived in this event, and the peer has no more data. `hadData`: a PDU with a payload was
    /// sent or received.
    func advance(wasReceived: Bool, hadData: Bool = false) {
        let sleeps = wasReceived && maySleep
        timing.isAsleep = sleeps
        timing.advance(skipping: sleeps ? timing.latency : 0, hadData: hadData, usesAll: !changes.isEmpty)
    }

    /// Whether the current event is the instant of a change.
    var hasDueChange: Bool { changes.contains { timing.event &- $0.instant < 0x8000 } }

    /// Applies the changes whose instant is the current event, and returns them. `anchor` is the event's position by the old
    /// parameters. With `isAnchored` the peer has been received in the event, and `anchor` is the new position.
    func applyDueChanges(isAnchored: Bool) -> [LinkLayerProcedures.Change] {
        guard hasDueChange else { return [] }
        let due = changes.filter { timing.event &- $0.instant < 0x8000 }
        changes.removeAll { timing.event &- $0.instant < 0x8000 }
        for change in due { apply(change, isAnchored: isAnchored) }
        return due
    }

    private func apply(_ change: LinkLayerProcedures.Change, isAnchored: Bool) {
        switch change {
        case .parameters(let new):
            timing.interval = new.interval
            timing.latency = new.latency
            timing.timeout = new.timeout
            // The supervision timer restarts at the instant with the new timeout (Vol 6, Part B, 5.1.1).
            state.restartSupervision(at: timing.anchor)
            if !isAnchored {
                // The transmit window begins `windowOffset` after the anchor of the old interval (Vol 6, Part B, 5.1.1).
                timing.anchor += LL.slot * Int(new.windowOffset)
                timing.window = isCentral ? .zero : LL.slot * Int(new.windowSize)
            }
            updatePayloads()
            timing.endSubrating()
        case .channelMap(let new):
            channels.map = new.channelMap
        case .phy(let new):
            let (own, peer) =
                isCentral
                ? (new.centralToPeripheral, new.peripheralToCentral)
                : (new.peripheralToCentral, new.centralToPeripheral)
            // An empty set changes nothing (Vol 6, Part B, 2.4.2.23).
            if let phy = LL.PHY(own) { phys.tx = phy.isCoded ? phys.coding : phy }
            if let phy = LL.PHY(peer) { phys.rx = phy }
            updatePayloads()
        }
    }

    /// Moves the next event of a peripheral that skips events to the first possible one. Returns whether the event moved.
    func wake(now: Instant) -> Bool {
        guard timing.isAsleep, active == nil else { return false }
        timing.isAsleep = false
        let timing = timing
        return self.timing.moveBack { $0 - timing.widening(at: $0) > now }
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
