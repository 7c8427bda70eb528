import BLEAdapter
import BLEHost
import BLEWire

/// Calls of periodic sessions.
extension HostSessions {
    package mutating func openPeriodic(_ session: Int, at now: Instant) {
        register.open(session, as: .periodic, &context, at: now)
    }

    /// Ends the train and the receptions of the session.
    package mutating func closePeriodic(_ session: Int, at now: Instant) {
        register.close(session, &context)
        stopPeriodicAdvertising(session: session, at: now)
        periodic.endSync(token: nil, session: session, &context, at: now)
    }

    /// Starts the session's train, or changes it.
    package mutating func startPeriodicAdvertising(
        _ advertisement: PeriodicAdvertisement, session: Int, at now: Instant
    ) {
        guard power.isUsable else {
            let isAdvertising = periodic.isAdvertising(session)
            return context.emit(
                .periodic(.advertisingChanged(.notPoweredOn, isAdvertising: isAdvertising, session: session)))
        }
        periodic.advertise(advertisement, session: session, &context, at: now)
    }

    package mutating func stopPeriodicAdvertising(session: Int, at now: Instant) {
        periodic.stopAdvertising(session: session, isOn: power.isUsable, &context, at: now)
    }

    /// Looks for a train, and receives it.
    package mutating func synchronize(_ request: PeriodicSyncRequest, token: Int, session: Int, at now: Instant) {
        guard power.isUsable else {
            return context.emit(.periodic(.ended(.notPoweredOn, token: token, session: session)))
        }
        periodic.synchronize(request, token: token, session: session, &context, at: now)
    }

    /// Tells a connected peer of a train.
    package mutating func transferTrain(
        _ source: PeriodicTransferSource, serviceData: UInt16, to peer: PeerIdentifier, token: Int, session: Int,
        at now: Instant
    ) {
        guard power.isUsable else {
            return context.emit(.periodic(.transferEnded(.notPoweredOn, token: token, session: session)))
        }
        periodic.transfer(
            source, serviceData: serviceData, to: peer, token: token, session: session, &context, at: now)
    }

    /// Receives the next train of which a connected peer tells.
    package mutating func acceptTrain(
        from peer: PeerIdentifier, skip: UInt16, timeout: UInt16, token: Int, session: Int, at now: Instant
    ) {
        guard power.isUsable else {
            return context.emit(.periodic(.ended(.notPoweredOn, token: token, session: session)))
        }
        periodic.acceptTransfer(
            PeriodicSyncParameters(skip: skip, timeout: timeout), from: peer, token: token, session: session, &context,
            at: now)
    }

    package mutating func endSync(token: Int, session: Int, at now: Instant) {
        periodic.endSync(token: token, session: session, &context, at: now)
    }

    // MARK: Responses

    package mutating func setSubeventData(
        _ entries: [HCI.LESetPeriodicAdvertisingSubeventData.Entry], session: Int, at now: Instant
    ) {
        periodic.setSubeventData(entries, session: session, &context, at: now)
    }

    package mutating func chooseSubevents(
        _ subevents: [UInt8], includesTransmitPower: Bool, token: Int, session: Int, at now: Instant
    ) {
        guard power.isUsable else {
            return context.emit(.periodic(.subeventsChosen(.notPoweredOn, token: token, session: session)))
        }
        periodic.choose(
            subevents, includesTransmitPower: includesTransmitPower, token: token, session: session, &context, at: now)
    }

    package mutating func respond(
        to packet: PeriodicPacket, in subevent: UInt8, slot: UInt8, _ data: [UInt8], token: Int, session: Int,
        at now: Instant
    ) {
        periodic.respond(
            to: packet, in: subevent, slot: slot, data, token: token, session: session, &context, at: now)
    }
}
