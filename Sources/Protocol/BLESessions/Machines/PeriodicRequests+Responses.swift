import BLEAdapter
import BLEHost
import BLEWire

/// Trains with responses: the data of subevents of own trains, and what sessions receive of the trains of others.
extension PeriodicRequests {
    /// A choice of subevents that the controller has not answered.
    struct Choice {
        let train: PeriodicTrainIdentifier
        let token: Int
        let session: Int
        let subevents: [UInt8]
        let includesTransmitPower: Bool
    }

    /// Gives the data of subevents of the session's train.
    func setSubeventData(
        _ entries: [HCI.LESetPeriodicAdvertisingSubeventData.Entry], session: Int, _ context: inout SessionContext,
        at now: Instant
    ) {
        guard let set = advertisers.first(where: { $0.session == session })?.set else { return }
        context.host.setSubeventData(entries, of: set, at: now)
    }

    /// Chooses the subevents that a session receives. The controller receives those of all sessions.
    mutating func choose(
        _ subevents: [UInt8], includesTransmitPower: Bool, token: Int, session: Int, _ context: inout SessionContext,
        at now: Instant
    ) {
        let index = receptions.firstIndex { $0.session == session && $0.token == token }
        guard let index, received[receptions[index].train] != nil else {
            return context.emit(.periodic(.subeventsChosen(.noTrain, token: token, session: session)))
        }
        let train = receptions[index].train
        choices.append(
            Choice(
                train: train, token: token, session: session, subevents: subevents,
                includesTransmitPower: includesTransmitPower))
        if choices.count(where: { $0.train == train }) == 1 { sendChoice(of: train, &context, at: now) }
    }

    private func index(of choice: Choice) -> Int? {
        receptions.firstIndex {
            $0.train == choice.train && $0.session == choice.session && $0.token == choice.token
        }
    }

    /// Sends the first choice of a train, with what the controller has accepted for the other receptions.
    private mutating func sendChoice(
        of train: PeriodicTrainIdentifier, _ context: inout SessionContext, at now: Instant
    ) {
        while let first = choices.firstIndex(where: { $0.train == train }) {
            let choice = choices[first]
            guard let index = index(of: choice) else {
                // The train has ended for the session.
                choices.remove(at: first)
                continue
            }
            var others = receptions
            others.remove(at: index)
            others.removeAll { $0.train != train }
            return context.host.chooseSubevents(
                Set(others.flatMap(\.subevents) + choice.subevents).sorted(),
                includesTransmitPower: choice.includesTransmitPower || others.contains { $0.includesTransmitPower },
                of: train, at: now)
        }
    }

    /// Takes the controller's answer to the first choice of a train. A choice that it refused changes nothing.
    private mutating func takeAnswer(
        to train: PeriodicTrainIdentifier, _ failure: PeriodicFailure?, _ context: inout SessionContext,
        at now: Instant
    ) {
        guard let first = choices.firstIndex(where: { $0.train == train }) else { return }
        let choice = choices.remove(at: first)
        if let index = index(of: choice) {
            if failure == nil {
                receptions[index].subevents = choice.subevents
                receptions[index].includesTransmitPower = choice.includesTransmitPower
            }
            context.emit(
                .periodic(.subeventsChosen(failure, token: choice.token, session: choice.session)))
        }
        sendChoice(of: train, &context, at: now)
    }

    func respond(
        to packet: PeriodicPacket, in subevent: UInt8, slot: UInt8, _ data: [UInt8], token: Int, session: Int,
        _ context: inout SessionContext, at now: Instant
    ) {
        guard let reception = receptions.first(where: { $0.session == session && $0.token == token }) else { return }
        context.host.respond(
            to: PeriodicRequest(event: packet.event, subevent: packet.subevent), in: subevent, slot: slot, data.span,
            of: reception.train, at: now)
    }

    mutating func handleResponses(
        _ event: PeriodicEvent, _ context: inout SessionContext, at now: Instant
    ) {
        func session(_ set: AdvertisingSet) -> Int? { advertisers.first { $0.set == set }?.session }
        switch event {
        case .subeventDataRequested(let set, let start, let count):
            guard let session = session(set) else { return }
            context.emit(.periodic(.subeventsRequested(from: start, count: Int(count), session: session)))
        case .subeventDataRefused(let set, let error):
            guard let session = session(set) else { return }
            context.emit(.periodic(.subeventDataRefused(PeriodicFailure(error), session: session)))
        case .response(let response):
            guard let session = session(response.set) else { return }
            let properties = SubeventResponse(
                subevent: response.subevent, slot: response.slot, rssi: response.rssi,
                transmitPower: response.transmitPower)
            context.emit(.periodic(.response(response.data, properties, session: session)))
        case .subeventsChosen(let train, let error):
            takeAnswer(to: train, error.map { PeriodicFailure($0) }, &context, at: now)
        case .responseRefused(let train, let error):
            for reception in receptions where reception.train == train && !reception.subevents.isEmpty {
                context.emit(
                    .periodic(
                        .responseRefused(
                            PeriodicFailure(error), token: reception.token, session: reception.session)))
            }
        default: break
        }
    }
}
