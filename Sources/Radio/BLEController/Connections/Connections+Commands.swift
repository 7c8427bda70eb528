import BLEWire

/// The commands that change and terminate links.
extension Connections {
    mutating func handle(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ radio: inout ControllerRadio, _ host: inout HostInterface,
        _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .disconnect:
            let command = try HCI.Disconnect(from: parameters)
            let slot = try slot(of: command.connectionHandle)
            guard Self.reasons.contains(command.reason) else { throw .invalidHCICommandParameters }
            guard links[slot].procedures.local != .terminate else { throw .commandDisallowed }
            host.answer(opcode, status: .success)
            links[slot].terminate(reason: command.reason)
            wakeLink(slot, &radio, &medium)
        case .leConnectionUpdate:
            let command = try HCI.LEConnectionUpdate(from: parameters)
            let slot = try slot(of: command.connectionHandle)
            let requested = LinkLayerProcedures.RequestedParameters(
                intervalMinimum: command.intervalMinimum, intervalMaximum: command.intervalMaximum,
                latency: command.maximumLatency, timeout: command.supervisionTimeout)
            guard requested.isValid else { throw .invalidHCICommandParameters }
            // The peer's request about the same parameters is waiting for this host's answer (Vol 4, Part E, 7.8.31).
            guard !links[slot].procedures.hostIsAsked else { throw .commandDisallowed }
            try begin(.update(requested), opcode, slot, &radio, &host, &medium)
        case .leRemoteConnectionParameterRequestReply:
            let command = try HCI.LERemoteConnectionParameterRequestReply(from: parameters)
            let requested = LinkLayerProcedures.RequestedParameters(
                intervalMinimum: command.intervalMinimum, intervalMaximum: command.intervalMaximum,
                latency: command.maximumLatency, timeout: command.supervisionTimeout)
            guard requested.isValid else { throw .invalidHCICommandParameters }
            try answerParameters(opcode, command.connectionHandle, .success(requested), &radio, &host, &medium)
        case .leRemoteConnectionParameterRequestNegativeReply:
            let command = try HCI.LERemoteConnectionParameterRequestNegativeReply(from: parameters)
            // The reason of a refusal is an error (Vol 4, Part E, 7.8.32).
            guard command.reason != .success else { throw .invalidHCICommandParameters }
            try answerParameters(opcode, command.connectionHandle, .failure(command.reason), &radio, &host, &medium)
        case .readRemoteVersionInformation:
            let slot = try slot(of: HCI.ReadRemoteVersionInformation(from: parameters).connectionHandle)
            try begin(.version, opcode, slot, &radio, &host, &medium)
        case .leReadRemoteFeatures:
            let slot = try slot(of: HCI.LEReadRemoteFeatures(from: parameters).connectionHandle)
            try begin(.features, opcode, slot, &radio, &host, &medium)
        default:
            if try handleEncryption(opcode, parameters, &radio, &host, &medium) { return true }
            return try handleTuning(opcode, parameters, &radio, &host, &medium)
        }
        return true
    }

    /// The slot of an open link.
    func slot(of handle: UInt16) throws(HCI.ErrorCode) -> Int {
        guard let slot = links.slot(of: handle) else { throw .unknownConnectionIdentifier }
        return slot
    }

    /// The reasons that Disconnect permits (Vol 4, Part E, 7.1.6).
    private static let reasons: [HCI.ErrorCode] = [
        .authenticationFailure, .remoteUserTerminatedConnection, .remoteDeviceTerminatedConnectionDueToLowResources,
        .remoteDeviceTerminatedConnectionDueToPowerOff, .unsupportedRemoteFeature, .pairingWithUnitKeyNotSupported,
        .unacceptableConnectionParameters,
    ]

    /// Answers with Command Status and starts the procedure, unless one of its kind is queued.
    mutating func begin(
        _ request: LinkLayerProcedures.Request, _ opcode: HCI.Opcode, _ slot: Int, _ radio: inout ControllerRadio,
        _ host: inout HostInterface, _ medium: inout Medium
    ) throws(HCI.ErrorCode) {
        guard !links[slot].procedures.hasWaiting(request) else { throw .commandDisallowed }
        host.answer(opcode, status: .success)
        requestProcedure(request, slot, &radio, &host, &medium)
    }

    private mutating func answerParameters(
        _ opcode: HCI.Opcode, _ handle: UInt16,
        _ answer: Result<LinkLayerProcedures.RequestedParameters, HCI.ErrorCode>, _ radio: inout ControllerRadio,
        _ host: inout HostInterface, _ medium: inout Medium
    ) throws(HCI.ErrorCode) {
        let slot = try slot(of: handle)
        guard links[slot].procedures.answerParameters(answer, context(of: slot, host), &actions) else {
            throw .commandDisallowed
        }
        host.complete(opcode, .success, handle: handle)
        performActions(slot, &radio, &host, &medium)
        wakeLink(slot, &radio, &medium)
    }
}

extension LinkLayerProcedures.RequestedParameters {
    /// Whether a link may use these parameters (Vol 4, Part E, 7.8.12; Vol 6, Part B, 2.4.2.16).
    var isValid: Bool {
        (6...3200).contains(intervalMinimum) && (6...3200).contains(intervalMaximum)
            && intervalMinimum <= intervalMaximum && latency <= 499 && (10...3200).contains(timeout)
            && UInt32(timeout) * 4 > (1 + UInt32(latency)) * UInt32(intervalMaximum)
    }
}
