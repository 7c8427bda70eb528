import BLEAdapter
import BLEHost
import BLEWire

extension HostSessions {
    package mutating func startAdvertising(_ advertisement: Advertisement, session: Int, at now: Instant) {
        guard state == .poweredOn, !isGoingDown else {
            return emit(.advertisingStarted(.notPoweredOn, session: session))
        }
        if let index = advertising.requests.firstIndex(where: { $0.session == session }) {
            // Sessions get their answers in the order of their calls.
            if advertising.requests[index].isNew {
                advertising.requests[index].refusals += 1
            } else {
                emit(.advertisingStarted(.alreadyAdvertising, session: session))
            }
            return
        }
        // Names and services are shortened, but a beacon is whole or not sent.
        let structures = advertising.requests.flatMap(\.advertisement.structures) + advertisement.structures
        guard Advertisement.haveRoom(structures) else {
            let error = HCI.ErrorCode.memoryCapacityExceeded
            return emit(.advertisingStarted(.controller(error.rawValue), session: session))
        }
        advertising.requests.append(.init(session: session, advertisement: advertisement))
        applyAdvertising(at: now)
    }

    package mutating func stopAdvertising(session: Int, at now: Instant) {
        guard let index = advertising.requests.firstIndex(where: { $0.session == session }) else { return }
        let request = advertising.requests.remove(at: index)
        if request.isNew {
            // The controller's answer finds no request. A start that the session itself stops does not count as failed.
            emit(.advertisingStarted(nil, session: session))
            for _ in 0..<request.refusals { emit(.advertisingStarted(.alreadyAdvertising, session: session)) }
        }
        guard state == .poweredOn, !isGoingDown else { return }
        if advertising.requests.isEmpty {
            host.setAdvertising(nil, at: now)
        } else {
            applyAdvertising(at: now)
        }
    }

    /// Applies the combined request of all sessions to the host. Also called after a power-up.
    mutating func applyAdvertising(at now: Instant) {
        guard let combined = advertising.combined else { return }
        let (data, scanResponse) = combined.packed()
        var parameters = AdvertisingParameters(
            data: data, scanResponse: scanResponse, isConnectable: combined.isConnectable)
        if let interval = combined.interval {
            parameters.intervalMinimum = UInt16(clamping: max(32, min(16384, interval.nanoseconds / 625_000)))
            parameters.intervalMaximum = parameters.intervalMinimum
        }
        host.setAdvertising(parameters, at: now)
    }

    mutating func advertisingChanged(_ error: HCI.ErrorCode?, at now: Instant) {
        let answered = advertising.requests.filter(\.isNew)
        if let error {
            note(.advertisingRefused(error))
            advertising.requests.removeAll(where: \.isNew)
        } else {
            for index in advertising.requests.indices {
                advertising.requests[index].isNew = false
                advertising.requests[index].refusals = 0
            }
        }
        let failure = error.map { AdvertisingError.controller($0.rawValue) }
        for request in answered {
            emit(.advertisingStarted(failure, session: request.session))
            // Each waiting call gets the same refusal. The host does not repeat the command.
            for _ in 0..<request.refusals {
                emit(.advertisingStarted(failure ?? .alreadyAdvertising, session: request.session))
            }
        }
        // The host stopped all advertising. The sessions that advertised before go on without those that were refused.
        if error != nil, !answered.isEmpty, state == .poweredOn, !isGoingDown { applyAdvertising(at: now) }
    }
}
