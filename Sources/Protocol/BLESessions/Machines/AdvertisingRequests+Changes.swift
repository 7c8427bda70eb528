import BLEAdapter
import BLEHost
import BLEWire

extension AdvertisingRequests {
    mutating func start(
        _ advertisement: Advertisement, session: Int, _ context: inout SessionContext, at now: Instant
    ) {
        if let index = requests.firstIndex(where: { $0.session == session }) {
            // Sessions get their answers in the order of their calls.
            if requests[index].isNew {
                requests[index].refusals += 1
            } else {
                context.emit(.advertisingStarted(.alreadyAdvertising, session: session))
            }
            return
        }
        let set = advertisement.extended == nil ? .legacy : freeSet
        // Names and services are shortened, but a beacon is whole or not sent.
        let others = requests.filter { $0.set == set }.flatMap(\.advertisement.structures)
        guard let set, advertisement.haveRoom(others + advertisement.structures) else {
            let error = HCI.ErrorCode.memoryCapacityExceeded
            return context.emit(.advertisingStarted(.controller(error.rawValue), session: session))
        }
        requests.append(.init(session: session, advertisement: advertisement, set: set))
        apply(set, &context, at: now)
    }

    /// A set for extended packets that no session has. Its number is the Advertising SID as well.
    private var freeSet: AdvertisingSet? {
        (1...15).lazy.map { AdvertisingSet(handle: $0) }.first { set in !requests.contains { $0.set == set } }
    }

    /// - Parameter isOn: Whether the controller advertises.
    mutating func stop(session: Int, isOn: Bool, _ context: inout SessionContext, at now: Instant) {
        guard let index = requests.firstIndex(where: { $0.session == session }) else { return }
        let request = requests.remove(at: index)
        if request.isNew {
            // The controller's answer finds no request. A start that the session itself stops does not count as failed.
            answer(request, nil, &context)
        }
        guard isOn else { return }
        if requests.contains(where: { $0.set == request.set }) {
            apply(request.set, &context, at: now)
        } else {
            context.host.setAdvertising(nil, of: request.set, at: now)
        }
    }

    /// Applies all requests to the host, after a power-up.
    func applyAll(_ context: inout SessionContext, at now: Instant) {
        for set in Set(requests.map(\.set)).sorted(by: { $0.handle < $1.handle }) { apply(set, &context, at: now) }
    }

    /// Applies the combined request of a set to the host.
    private func apply(_ set: AdvertisingSet, _ context: inout SessionContext, at now: Instant) {
        guard let combined = combined(set) else { return }
        let (data, scanResponse) = combined.packed()
        var parameters = AdvertisingParameters(
            data: data, scanResponse: scanResponse, isConnectable: combined.isConnectable)
        if let interval = combined.interval {
            parameters.intervalMinimum = UInt16(clamping: max(32, min(16384, interval.nanoseconds / 625_000)))
            parameters.intervalMaximum = parameters.intervalMinimum
        }
        if let extended = combined.extended {
            parameters.pdus = .extended(
                ExtendedAdvertising(
                    primaryPHY: extended.primaryPHY, secondaryPHY: extended.secondaryPHY, sid: set.handle))
        }
        context.host.setAdvertising(parameters, of: set, at: now)
    }

    /// Takes the controller's answer for a set.
    ///
    /// - Parameter isOn: Whether the controller still advertises after it.
    mutating func changed(
        _ set: AdvertisingSet, _ error: HCI.ErrorCode?, isOn: Bool, _ context: inout SessionContext, at now: Instant
    ) {
        let answered = requests.filter { $0.set == set && $0.isNew }
        if let error {
            context.note(.advertisingRefused(error))
            requests.removeAll { $0.set == set && $0.isNew }
        } else {
            for index in requests.indices where requests[index].set == set {
                requests[index].isNew = false
                requests[index].refusals = 0
            }
        }
        for request in answered { answer(request, error.map { .controller($0.rawValue) }, &context) }
        // The host stopped all advertising. The sessions that advertised before go on without those that were refused.
        if error != nil, !answered.isEmpty, isOn { apply(set, &context, at: now) }
    }

    /// Forgets all requests: the adapter is gone for good.
    mutating func removeAll(_ context: inout SessionContext) {
        let unanswered = requests.filter(\.isNew)
        requests.removeAll()
        for request in unanswered {
            for _ in 0...request.refusals {
                context.emit(.advertisingStarted(.notPoweredOn, session: request.session))
            }
        }
    }

    private func answer(_ request: Request, _ failure: AdvertisingError?, _ context: inout SessionContext) {
        context.emit(.advertisingStarted(failure, session: request.session))
        // Each waiting call gets the same refusal. The host does not repeat the command.
        for _ in 0..<request.refusals {
            context.emit(.advertisingStarted(failure ?? .alreadyAdvertising, session: request.session))
        }
    }
}
