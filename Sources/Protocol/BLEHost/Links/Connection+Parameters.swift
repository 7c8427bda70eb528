import BLELink
import BLEWire

/// Connection parameters (Vol 3, Part C, 9.3.9).
extension Connection {
    /// The longest duration of a connection update. Its instant lies at least six connection events ahead (Vol 6, Part
    /// B, 5.1.1).
    private static var updatePeriod: TimeSpan { .seconds(30) }

    /// Whether an update that this host requested runs.
    private var isUpdating: Bool { deadlines[.parameterUpdate] != nil }

    /// Requests other parameters: as central by a connection update, as peripheral on the signalling channel (Vol 3, Part A, 4.20).
    func request(_ requested: RequestedConnectionParameters, at now: Instant, _ output: inout HostOutput) {
        let request = L2CAP.ConnectionParameterUpdateRequest(
            intervalMinimum: requested.intervalMinimum, intervalMaximum: requested.intervalMaximum,
            latency: requested.latency,
            timeout: requested.timeout)
        if !requested.isValid || isUpdating {
            output.events.append(.parametersRefused(identifier))
        } else if role == .central {
            // The link layers need two connection events to agree and six until the instant (Vol 6, Part B, 5.1.1), and
            // more where packets are lost.
            let events = linkLayer.parameters.intervalSpan * 15
            deadlines[.parameterUpdate] = now + Self.updatePeriod + events
            update(requested, isOurs: true, &output)
        } else if signalling.requestParameterUpdate(request, at: now, output: &output.data.signals) {
            deadlines[.parameterUpdate] = now + Self.updatePeriod + Self.updatePeriod
            output.data.sendSignal(on: self)
        } else {
            output.events.append(.parametersRefused(identifier))
        }
    }

    private func update(_ requested: RequestedConnectionParameters, isOurs: Bool, _ output: inout HostOutput) {
        output.commands.enqueue(
            HCI.LEConnectionUpdate(
                connectionHandle: handle, intervalMinimum: requested.intervalMinimum,
                intervalMaximum: requested.intervalMaximum, maximumLatency: requested.latency,
                supervisionTimeout: requested.timeout),
            for: .link(identifier, .connectionUpdate(isOurs: isOurs)))
    }

    /// Ends an update that this host requested.
    func refuseParameters(_ output: inout HostOutput) {
        deadlines[.parameterUpdate] = nil
        if !isSilent { output.events.append(.parametersRefused(identifier)) }
    }

    /// The controller refused the command of an update, or its event has an error.
    func updateFailed(_ output: inout HostOutput) {
        if isUpdating { refuseParameters(&output) }
    }

    /// Takes LE Connection Update Complete without an error (Vol 4, Part E, 7.7.65.3).
    func updated(_ event: HCI.LEConnectionUpdateComplete, _ output: inout HostOutput) {
        deadlines[.parameterUpdate] = nil
        linkLayer.parameters = ConnectionParameters(
            interval: event.interval, latency: event.latency, timeout: event.supervisionTimeout)
        if !isSilent { output.events.append(.parametersChanged(identifier, linkLayer.parameters)) }
    }

    /// Takes a packet of the signalling channel that does not concern credit-based channels.
    func receiveSignal(_ payload: Span<UInt8>, _ output: inout HostOutput) {
        switch signalling.receive(payload, output: &output.data.signals) {
        // A packet causes none of these.
        case .none, .send, .parameterUpdateTimedOut: break
        case .parameterUpdateRequested(let identifier, let request):
            let requested = RequestedConnectionParameters(
                intervalMinimum: request.intervalMinimum, intervalMaximum: request.intervalMaximum,
                latency: request.latency, timeout: request.timeout)
            let granted = setUp.parameterPolicy.granted(requested)
            signalling.respond(identifier: identifier, accepted: granted != nil, output: &output.data.signals)
            if let granted { update(granted, isOurs: false, &output) }
        case .parameterUpdateAnswered(let accepted):
            // After an acceptance, the central's connection update follows.
            if !accepted { refuseParameters(&output) }
        case .ignored, .refused: output.events.report(.signalling, on: self)
        }
        output.data.sendSignal(on: self)
    }

    /// The answer to a parameter update request is overdue.
    func signallingTimedOut(at now: Instant, _ output: inout HostOutput) {
        if signalling.handleTimeout(at: now) == .parameterUpdateTimedOut { refuseParameters(&output) }
        deadlines[.signalling] = signalling.deadline
    }
}

/// The peer's connection parameters request (Vol 6, Part B, 5.1.7).
extension HCI.LERemoteConnectionParameterRequest {
    /// Answers the request. `connection` is nil if the link is unknown.
    func answer(on connection: Connection?, _ output: inout HostOutput) {
        let requested = RequestedConnectionParameters(
            intervalMinimum: intervalMinimum, intervalMaximum: intervalMaximum, latency: maximumLatency,
            timeout: supervisionTimeout)
        let purpose = connection.map { CommandPurpose.link($0.identifier, .parameterReply) } ?? .staleLink
        // A central may set any valid parameters, so a peripheral accepts them. A central decides on the request of its
        // peripheral.
        let granted: RequestedConnectionParameters? =
            switch connection?.role {
            case nil: nil
            case .peripheral: requested.isValid ? requested : nil
            case .central: connection?.setUp.parameterPolicy.granted(requested)
            }
        if let granted {
            output.commands.enqueue(
                HCI.LERemoteConnectionParameterRequestReply(
                    connectionHandle: connectionHandle, intervalMinimum: granted.intervalMinimum,
                    intervalMaximum: granted.intervalMaximum, maximumLatency: granted.latency,
                    supervisionTimeout: granted.timeout), for: purpose)
        } else {
            output.commands.enqueue(
                HCI.LERemoteConnectionParameterRequestNegativeReply(connectionHandle: connectionHandle),
                for: purpose)
        }
    }
}
