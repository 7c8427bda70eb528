import BLEWire

/// The trains that the controller sends and receives share its one radio with the other roles (Documentation/Internals/Radio.md).
///
/// An event of a train cannot be moved. It takes the radio from listening, from scan requests and from pursuits. From other users it takes the radio
/// only after some lost events.
extension Controller {
    /// The events in a row that a train loses before sets and other trains lose time for it.
    static let mostLost = 3
    /// The events in a row that a train loses for links before links lose time for it.
    static let mostLostForLinks = 1

    // MARK: Sending

    mutating func trainDue(_ medium: inout Medium) {
        // A packet that began in the last response slot does not delay the next subevent.
        if case .train(let slot) = shared.radio.owner, let due = advertising[slot].periodic?.due, due <= medium.now {
            advertising.responsesEnded(slot, discovery.claims, &shared, &medium)
        }
        while let slot = advertising.dueTrain(at: medium.now), shared.radio.owner != .train(slot) {
            if !beginTrainEvent(of: slot, &medium) { advertising.missTrainEvent(of: slot, &shared) }
        }
        advertising.armTrains(&shared, &medium)
    }

    private mutating func beginTrainEvent(of slot: Int, _ medium: inout Medium) -> Bool {
        guard let train = advertising[slot].periodic, let due = train.due, isTime(due, medium) else { return false }
        let end = medium.now + train.eventLength
        let isNeedy = train.missed >= Self.mostLostForLinks
        guard !advertising.hasNeedierTrain(than: slot, before: end),
            !discovery.syncs.hasNeedier(than: train.missed, from: medium.now, to: end),
            isNeedy || isFreeOfLinks(until: end), acquireRadio(forTrainWithLost: train.missed, &medium)
        else { return false }
        let isShort = isFreeOfLinks(until: end)
        let limit = isShort ? nil : shared.connections.links.nextIndispensableStart()
        shared.radio.owner = .train(slot)
        if advertising.beginTrainEvent(of: slot, limit: limit, &shared, &medium) { return true }
        shared.radio.release(&medium)
        return false
    }

    /// Whether the present is the time of an event. A clock that is not exact leaves out nanoseconds, so that its timers may be that late.
    private func isTime(_ due: Instant, _ medium: borrowing Medium) -> Bool {
        due == medium.now || !medium.clocks.isEmpty && medium.now - due < .microseconds(1)
    }

    private func isFreeOfLinks(until end: Instant) -> Bool { end <= shared.connections.links.nextStart() }

    // MARK: Receiving

    mutating func syncDue(_ medium: inout Medium) {
        discovery.syncs.endLost(&shared, &medium)
        while let slot = discovery.syncs.takeDueResponse(at: medium.now) {
            if acquireRadio(forTrainWithLost: discovery.syncs.lostEvents(of: slot), &medium) {
                discovery.syncs.sendResponse(of: slot, &shared, &medium)
            } else {
                discovery.syncs.dropResponse(of: slot)
            }
        }
        while let slot = discovery.syncs.due(at: medium.now, except: shared.radio.listeningSync) {
            if acquireRadio(forTrainWithLost: discovery.syncs.lostEvents(of: slot), &medium) {
                discovery.syncs.listen(for: slot, &shared, &medium)
            } else {
                discovery.syncs.passOver(slot, &shared, &medium)
            }
        }
        discovery.syncs.arm(&shared, &medium)
    }

    // MARK: The radio

    /// Takes the radio for an event of a train. Returns false if another user keeps it.
    ///
    /// - Parameter lost: The events in a row that the train has lost.
    private mutating func acquireRadio(forTrainWithLost lost: Int, _ medium: inout Medium) -> Bool {
        let isNeedy = lost >= Self.mostLost
        switch shared.radio.owner {
        case .free: break
        case .scanner:
            medium.cutTransmission(of: shared.radio.index)
            discovery.scanning.endExchange(answered: nil, random: &shared.random)
        case .auxiliary: discovery.interruptPursuit(&shared, &medium)
        case .initiator: return false
        case .advertiser(let set):
            guard isNeedy, advertising.cutEvent(of: set, discovery.claims, &shared, &medium) else { return false }
        case .link(let slot):
            guard lost >= Self.mostLostForLinks,
                shared.connections.yieldRadio(slot, &shared.radio, &shared.host, &medium)
            else { return false }
        case .train(let slot):
            guard isNeedy, lost > advertising[slot].periodic?.missed ?? 0 else { return false }
            advertising.cutTrainEvent(of: slot, discovery.claims, &shared, &medium)
        case .sync(let slot):
            guard isNeedy, lost > discovery.syncs.lostEvents(of: slot) else { return false }
            discovery.syncs.interrupt(slot, &shared, &medium)
        }
        // The end of another use may have released the radio.
        shared.radio.owner = .free
        shared.radio.isReleased = false
        shared.radio.cancel(.radio, &medium)
        medium.stopListening(shared.radio.index)
        return true
    }

    /// Takes the radio from an event of a train for a link. Returns false if the train keeps it.
    mutating func takeRadioFromTrain(for link: Int, _ medium: inout Medium) -> Bool {
        switch shared.radio.owner {
        case .train(let slot):
            // The event was planned around links. Only a command of the host changes what a link can lose.
            guard !shared.connections.links.mayMissEvent(link) else { return false }
            advertising.cutTrainEvent(of: slot, discovery.claims, &shared, &medium)
        case .sync(let slot):
            let isNeedy = discovery.syncs.lostEvents(of: slot) >= Self.mostLostForLinks
            guard !isNeedy || !shared.connections.links.mayMissEvent(link) else { return false }
            discovery.syncs.interrupt(slot, &shared, &medium)
        default: break
        }
        return true
    }
}
