import BLEWire

/// Connection events: when a link uses the radio, and for how long (Vol 6, Part B, 4.5).
extension Connections {
    /// Prepares an event whose time has come. Returns whether the link needs the radio.
    mutating func eventDue(
        _ slot: Int, _ radio: inout ControllerRadio, _ host: inout HostInterface, _ medium: inout Medium
    ) -> Bool {
        guard links[slot].state.isOpen, links[slot].active == nil else { return false }
        guard links[slot].hasDueChange else { return true }
        reportChanges(links[slot].applyDueChanges(isAnchored: false), slot, &radio, &host, &medium)
        guard links[slot].state.isOpen else { return false }
        // The new transmit window begins later (Vol 6, Part B, 5.1.1).
        guard links[slot].start > medium.now else { return true }
        awaitEvent(slot, &radio, &medium)
        return false
    }

    /// Skips an event, because the radio is busy.
    mutating func missEvent(
        _ slot: Int, _ radio: inout ControllerRadio, _ host: inout HostInterface, _ medium: inout Medium
    ) {
        links[slot].share.missed += 1
        planNextEvent(slot, wasReceived: false, hadData: false, &radio, &host, &medium)
    }

    /// The share of the time of extended advertising for which the next event of a link goes on while a set waits, in percent. Sets that use all
    /// of the time would end each event after one exchange.
    private static let shareOfAdvertising: Int64 = 30

    /// Begins an event of the link that has the radio.
    ///
    /// - Parameter advertised: The time that extended advertising has used since a reset.
    mutating func beginEvent(
        _ slot: Int, backgroundShare: Int, advertised: TimeSpan, _ radio: inout ControllerRadio,
        _ medium: inout Medium
    ) {
        let channel = links[slot].channels.channel(event: links[slot].timing.event)
        let recent = advertised - (links[slot].share.advertised ?? advertised)
        links[slot].share.advertised = advertised
        links[slot].active = LinkLayerConnection.Event(
            channel: channel, claim: TimeSpan(nanoseconds: recent.nanoseconds / 100 * Self.shareOfAdvertising))
        links.beginTurn(slot, at: medium.now, backgroundShare: backgroundShare)
        if links[slot].isCentral {
            sendNext(slot, room: links[slot].roomForPacket(at: medium.now), &radio, &medium)
        } else {
            let phy = links[slot].phys.rx
            medium.listen(radio.index, to: channel, phy: phy, accessAddress: links[slot].access.address)
            // The peripheral listens for the transmit window and the window widening (Vol 6, Part B, 4.5.3 and 4.2.4).
            let end =
                links[slot].timing.anchor + links[slot].timing.window + links[slot].widening + phy.synchronisationTime
            radio.arm(.radio, at: end + .microseconds(4), &medium)
        }
    }

    /// Arms the timer of a link's next event.
    mutating func awaitEvent(_ slot: Int, _ radio: inout ControllerRadio, _ medium: inout Medium) {
        links[slot].timing.expectsDrift = !medium.clocks.isEmpty
        radio.arm(.event(Int32(slot)), at: max(medium.now, links.noteStart(slot)), &medium)
    }

    /// Takes the radio from a link for another one. The link yields if it has had its share of this event and of the time, or if it has missed
    /// fewer events. Returns false if it keeps the radio.
    mutating func takeRadio(
        from other: Int, for slot: Int, _ radio: inout ControllerRadio, _ host: inout HostInterface,
        _ medium: inout Medium
    ) -> Bool {
        let isServed = links[other].active?.isServed ?? true
        // A limit behind this anchor was set by `limitTurn`.
        if isServed, let limit = links[other].active?.limit, limit > medium.now { return false }
        guard isServed || links[slot].share.missed > links[other].share.missed else { return false }
        medium.cutTransmission(of: radio.index)
        if !isServed { links[other].share.missed += 1 }
        radio.owner = .link(slot)
        finishEvent(other, &radio, &host, &medium)
        return true
    }

    /// Ends the event of a link for a train that has lost events. The link yields if it has had its share of the event, or if it may lose it.
    /// Returns false if it keeps the radio.
    mutating func yieldRadio(
        _ slot: Int, _ radio: inout ControllerRadio, _ host: inout HostInterface, _ medium: inout Medium
    ) -> Bool {
        let isServed = links[slot].active?.isServed ?? true
        guard isServed || links.mayMissEvent(slot) else { return false }
        medium.cutTransmission(of: radio.index)
        if !isServed { links[slot].share.missed += 1 }
        closeEvent(slot, &radio, &host, &medium)
        return true
    }

    // A call of a nonmutating method would copy the structure.
    private mutating func sendNext(_ slot: Int, room: TimeSpan, _ radio: inout ControllerRadio, _ medium: inout Medium)
    {
        let channel = links[slot].active?.channel ?? 0
        medium.transmit(
            from: radio.index, at: medium.now, on: channel, phy: links[slot].phys.tx,
            accessAddress: links[slot].access.address, crcInit: links[slot].access.crcInit
        ) { links[slot].compose(room: room, into: &$0) }
        if let power = links[slot].reducedPower { medium.limitPower(of: radio.index, to: Double(power)) }
    }

    // MARK: Exchanges

    mutating func transmitted(
        _ slot: Int, _ radio: inout ControllerRadio, _ host: inout HostInterface, _ medium: inout Medium
    ) {
        guard links[slot].state.isOpen, let active = links[slot].active else { return }
        // The acknowledgement of LL_TERMINATE_IND was the last PDU (Vol 6, Part B, 5.1.6).
        if let reason = links[slot].state.ending { return endLink(slot, reason, &radio, &host, &medium) }
        if !links[slot].isCentral { links[slot].noteServed() }
        guard
            links[slot].isCentral
                || (active.ownMore || active.peerMore) && links[slot].fitsAnotherExchange(after: medium.now)
        else { return closeEvent(slot, &radio, &host, &medium) }
        let phy = links[slot].phys.rx
        medium.listen(radio.index, to: active.channel, phy: phy, accessAddress: links[slot].access.address)
        radio.awaitAnswer(on: phy, &medium)
    }

    /// - Parameters:
    ///   - backgroundShare: The share of the time for the scanner and the initiator, in percent.
    ///   - isRadioAwaited: Whether the advertiser waits for the radio.
    mutating func received(
        _ slot: Int, _ pdu: Span<UInt8>, _ reception: ReceivedPacket, backgroundShare: Int,
        isRadioAwaited: Bool, _ radio: inout ControllerRadio, _ host: inout HostInterface, _ medium: inout Medium
    ) {
        guard links[slot].state.isOpen, links[slot].active != nil else { return }
        radio.cancel(.radio, &medium)
        if links[slot].isTooLate(reception.start) { return closeEvent(slot, &radio, &host, &medium) }
        links[slot].active?.receivedAirTime = medium.now - reception.start
        if !links[slot].isCentral, links[slot].active?.isAnchored == false {
            // The first PDU of an event sets the anchor point, even with an invalid CRC (Vol 6, Part B, 4.5.1).
            let isMoved = links[slot].timing.anchor != reception.start
            links[slot].timing.anchor = reception.start
            links[slot].timing.heard = reception.start
            links[slot].timing.window = .zero
            if isMoved { links.limitTurn(slot, at: medium.now, backgroundShare: backgroundShare) }
        }
        links[slot].active?.isAnchored = true
        links[slot].signal.rssi = reception.rssi
        links[slot].note(phy: reception.phy)
        var bytes = pdu
        if !reception.isCorrupted, let first = try? bytes.readBytes(LL.DataHeader.encodedCount),
            let header = try? LL.DataHeader(decoding: first), bytes.count == Int(header.length)
        {
            accept(slot, header, bytes, &radio, &host, &medium)
            guard links[slot].state.isOpen else { return }
        } else {
            links[slot].active?.errors += 1
        }
        continueEvent(slot, isRadioAwaited: isRadioAwaited, &radio, &host, &medium)
    }

    private mutating func accept(
        _ slot: Int, _ header: LL.DataHeader, _ payload: Span<UInt8>, _ radio: inout ControllerRadio,
        _ host: inout HostInterface, _ medium: inout Medium
    ) {
        links[slot].active?.errors = 0
        links[slot].syncTransfer.heard = (links[slot].timing.event, links[slot].timing.anchor)
        if links[slot].isCentral { links[slot].noteServed() }
        if links[slot].state.receive(at: medium.now) {
            radio.arm(.supervision(Int32(slot)), at: medium.now + links[slot].timing.timeoutSpan, &medium)
        }
        let isNew = links[slot].receive(header, &actions)
        if !payload.isEmpty { links[slot].active?.hadData = true }
        if isNew, !payload.isEmpty {
            if links[slot].procedures.encryption.isReceiving {
                takeEncrypted(slot, header.kind, payload, &radio, &host, &medium)
            } else {
                take(slot, header.kind, payload, &radio, &host, &medium)
            }
            guard links[slot].state.isOpen else { return }
        }
        if links[slot].transmitter.completed >= flow.reportingThreshold { reportCompleted(slot, &host) }
        if !actions.isEmpty || links[slot].procedures.timedWait != links[slot].procedures.waits {
            performActions(slot, &radio, &host, &medium)
        }
    }

    /// Takes the payload of a new PDU, decrypted if it was encrypted.
    @inline(__always)
    mutating func take(
        _ slot: Int, _ kind: LL.DataHeader.Kind, _ payload: Span<UInt8>, _ radio: inout ControllerRadio,
        _ host: inout HostInterface, _ medium: inout Medium
    ) {
        if kind == .control {
            links[slot].procedures.receive(payload, context(of: slot, host), &actions)
        } else if links[slot].procedures.encryption.isRunning, links[slot].procedures.encryption.isStrict {
            // Data during an encryption procedure may be forged (Vol 6, Part B, 5.1.3.1).
            endLink(slot, .connectionTerminatedDueToMICFailure, &radio, &host, &medium)
        } else if kind != .reserved {
            let boundary: HCI.ACLHeader.Boundary = kind == .start ? .firstFlushable : .continuing
            try? host.output.append(
                acl: HCI.ACLPacket(connectionHandle: links[slot].handle, boundary: boundary, data: payload))
        }
    }

    // MARK: Answers

    /// Continues the event after a received PDU: waits the inter frame space (Vol 6, Part B, 4.1.1) before the next
    /// PDU, or closes the event. Two PDUs in a row with an invalid CRC close it (4.5.6).
    private mutating func continueEvent(
        _ slot: Int, isRadioAwaited: Bool, _ radio: inout ControllerRadio, _ host: inout HostInterface,
        _ medium: inout Medium
    ) {
        guard let active = links[slot].active, active.errors < 2,
            !links[slot].isCentral
                || active.mayContinue(at: medium.now, isRadioAwaited: isRadioAwaited)
                    && links[slot].fitsAnotherExchange(after: medium.now)
        else { return closeEvent(slot, &radio, &host, &medium) }
        medium.stopListening(radio.index)
        links[slot].active?.isTurning = true
        radio.arm(.radio, at: medium.now + LL.interFrameSpace, &medium)
    }

    /// The inter frame space has passed. The PDU is chosen now, so that it can contain data that the host sent during the space.
    mutating func turnaroundEnded(
        _ slot: Int, isRadioAwaited: Bool, _ radio: inout ControllerRadio, _ host: inout HostInterface,
        _ medium: inout Medium
    ) {
        guard links[slot].state.isOpen, let active = links[slot].active else { return }
        links[slot].active?.isTurning = false
        let room = links[slot].roomForPacket(at: medium.now)
        guard let airTime = links[slot].nextAirTime(room: room) else { return closeEvent(slot, &radio, &host, &medium) }
        if links[slot].isCentral {
            guard active.mayContinue(at: medium.now, isRadioAwaited: isRadioAwaited) else {
                return closeEvent(slot, &radio, &host, &medium)
            }
            if active.errors == 0, !active.peerMore {
                // The central continues only if a PDU with a payload fits. The peripheral listens, because the central announced
                // more data.
                let empty = links[slot].phys.tx.airTime(pduLength: 2)
                guard links[slot].state.ending != nil || links[slot].hasNews && airTime > empty else {
                    return closeEvent(slot, &radio, &host, &medium)
                }
            }
        }
        sendNext(slot, room: room, &radio, &medium)
    }

    // MARK: The end of an event

    mutating func closeEvent(
        _ slot: Int, _ radio: inout ControllerRadio, _ host: inout HostInterface, _ medium: inout Medium
    ) {
        guard links[slot].state.isOpen else { return }
        finishEvent(slot, &radio, &host, &medium)
        if radio.owner == .link(slot) { radio.release(&medium) }
    }

    private mutating func finishEvent(
        _ slot: Int, _ radio: inout ControllerRadio, _ host: inout HostInterface, _ medium: inout Medium
    ) {
        guard let event = links[slot].active else { return }
        links[slot].active = nil
        links.endTurn(slot, event, at: medium.now)
        reportCompleted(slot, &host)
        let counter = links[slot].timing.event
        planNextEvent(
            slot, wasReceived: event.isAnchored && event.errors == 0 && !event.peerMore, hadData: event.hadData, &radio,
            &host, &medium)
        guard links[slot].state.isOpen, links[slot].isMonitored else { return }
        evaluate(event, counter: counter, slot, &radio, &host, &medium)
    }

    private mutating func planNextEvent(
        _ slot: Int, wasReceived: Bool, hadData: Bool, _ radio: inout ControllerRadio, _ host: inout HostInterface,
        _ medium: inout Medium
    ) {
        // Changes that arrived in the event of their own instant.
        var changes = links[slot].applyDueChanges(isAnchored: true)
        links[slot].advance(wasReceived: wasReceived, hadData: hadData)
        while links[slot].timing.anchor < medium.now {
            // The radio was busy at the instant of a change.
            changes += links[slot].applyDueChanges(isAnchored: false)
            guard links[slot].timing.anchor < medium.now else { break }
            links[slot].advance(wasReceived: false)
        }
        awaitEvent(slot, &radio, &medium)
        if !changes.isEmpty { reportChanges(changes, slot, &radio, &host, &medium) }
    }
}
