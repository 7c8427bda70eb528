import BLEWire

/// The commands that create, change and terminate links.
extension Controller {
    mutating func handleConnections(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(DecodeError) -> Bool {
        switch opcode {
        case .leCreateConnection:
            let command = try HCI.LECreateConnection(decoding: parameters)
            let status = check(command)
            host.answer(opcode, status: status)
            if status == .success { startInitiating(command, &medium) }
        case .leCreateConnectionCancel:
            _ = try HCI.LECreateConnectionCancel(decoding: parameters)
            guard initiating.state == .listening else {
                host.complete(opcode, .commandDisallowed)
                return true
            }
            let peer = initiating.request.peerAddress
            stopInitiating(&medium)
            host.complete(opcode, .success)
            // The answer, then the end of the attempt (Vol 4, Part E, 7.8.13).
            host.reportConnection(nil, status: .unknownConnectionIdentifier, peer: peer, role: .central)
        case .disconnect:
            let command = try HCI.Disconnect(decoding: parameters)
            disconnect(command, &medium)
        case .leConnectionUpdate:
            let command = try HCI.LEConnectionUpdate(decoding: parameters)
            updateParameters(command, &medium)
        case .leRemoteConnectionParameterRequestReply:
            let command = try HCI.LERemoteConnectionParameterRequestReply(decoding: parameters)
            let requested = LinkLayerProcedures.RequestedParameters(
                intervalMinimum: command.intervalMinimum, intervalMaximum: command.intervalMaximum,
                latency: command.maximumLatency, timeout: command.supervisionTimeout)
            guard requested.isValid else {
                host.complete(opcode, .invalidHCICommandParameters, handle: command.connectionHandle)
                return true
            }
            answerParameters(opcode, command.connectionHandle, .success(requested), &medium)
        case .leRemoteConnectionParameterRequestNegativeReply:
            let command = try HCI.LERemoteConnectionParameterRequestNegativeReply(decoding: parameters)
            // The reason of a refusal is an error (Vol 4, Part E, 7.8.32).
            guard command.reason != .success else {
                host.complete(opcode, .invalidHCICommandParameters, handle: command.connectionHandle)
                return true
            }
            answerParameters(opcode, command.connectionHandle, .failure(command.reason), &medium)
        case .readRemoteVersionInformation:
            let command = try HCI.ReadRemoteVersionInformation(decoding: parameters)
            begin(.version, opcode, command.connectionHandle, &medium)
        case .leReadRemoteFeatures:
            let command = try HCI.LEReadRemoteFeatures(decoding: parameters)
            begin(.features, opcode, command.connectionHandle, &medium)
        default: return false
        }
        return true
    }

    private func check(_ command: HCI.LECreateConnection) -> HCI.ErrorCode {
        guard !initiating.isEnabled else { return .commandDisallowed }
        let requested = LinkLayerProcedures.RequestedParameters(
            intervalMinimum: command.intervalMinimum, intervalMaximum: command.intervalMaximum,
            latency: command.maximumLatency, timeout: command.supervisionTimeout)
        guard ListeningSchedule.isValid(command.scanInterval, command.scanWindow), command.filterPolicy.rawValue <= 1,
            command.ownAddressType.rawValue <= 3, requested.isValid
        else { return .invalidHCICommandParameters }
        if command.filterPolicy == .peerAddress {
            // The identity kinds need the resolving list.
            guard command.peerAddress.kind.rawValue <= (privacy.hasResolvingList ? 3 : 1) else {
                return .invalidHCICommandParameters
            }
            if links.isConnected(to: command.peerAddress.asDevice) { return .connectionAlreadyExists }
        }
        guard command.ownAddressType.rawValue <= 1 || privacy.hasResolvingList else {
            return .unsupportedFeatureOrParameterValue
        }
        // The controller has no such own address (Vol 4, Part E, 7.8.12).
        let peer = command.filterPolicy == .peerAddress ? command.peerAddress.asDevice : nil
        guard privacy.hasOwnAddress(command.ownAddressType, with: peer) else { return .invalidHCICommandParameters }
        return links.hasFreeSlot ? .success : .connectionLimitExceeded
    }

    private mutating func disconnect(_ command: HCI.Disconnect, _ medium: inout Medium) {
        guard let slot = links.slot(of: command.connectionHandle) else {
            return host.answer(HCI.Disconnect.opcode, status: .unknownConnectionIdentifier)
        }
        // The reasons that the command permits (Vol 4, Part E, 7.1.6).
        let reasons: [HCI.ErrorCode] = [
            .authenticationFailure, .remoteUserTerminatedConnection,
            .remoteDeviceTerminatedConnectionDueToLowResources, .remoteDeviceTerminatedConnectionDueToPowerOff,
            .unsupportedRemoteFeature, .pairingWithUnitKeyNotSupported, .unacceptableConnectionParameters,
        ]
        guard reasons.contains(command.reason) else {
            return host.answer(HCI.Disconnect.opcode, status: .invalidHCICommandParameters)
        }
        guard links[slot].procedures.local != .terminate else {
            return host.answer(HCI.Disconnect.opcode, status: .commandDisallowed)
        }
        host.answer(HCI.Disconnect.opcode, status: .success)
        links[slot].terminate(reason: command.reason)
        wakeLink(slot, &medium)
    }

    private mutating func updateParameters(_ command: HCI.LEConnectionUpdate, _ medium: inout Medium) {
        let requested = LinkLayerProcedures.RequestedParameters(
            intervalMinimum: command.intervalMinimum, intervalMaximum: command.intervalMaximum,
            latency: command.maximumLatency, timeout: command.supervisionTimeout)
        guard let slot = links.slot(of: command.connectionHandle) else {
            return host.answer(HCI.LEConnectionUpdate.opcode, status: .unknownConnectionIdentifier)
        }
        guard requested.isValid else {
            return host.answer(HCI.LEConnectionUpdate.opcode, status: .invalidHCICommandParameters)
        }
        // The peer's request about the same parameters is waiting for this host's answer (Vol 4, Part E, 7.8.31).
        guard !links[slot].procedures.hostIsAsked else {
            return host.answer(HCI.LEConnectionUpdate.opcode, status: .commandDisallowed)
        }
        begin(.update(requested), HCI.LEConnectionUpdate.opcode, command.connectionHandle, &medium)
    }

    /// Answers with Command Status and starts the procedure, unless one of its kind is queued.
    mutating func begin(
        _ request: LinkLayerProcedures.Request, _ opcode: HCI.Opcode, _ handle: UInt16, _ medium: inout Medium
    ) {
        guard let slot = links.slot(of: handle) else {
            return host.answer(opcode, status: .unknownConnectionIdentifier)
        }
        guard !links[slot].procedures.hasWaiting(request) else {
            return host.answer(opcode, status: .commandDisallowed)
        }
        host.answer(opcode, status: .success)
        requestProcedure(request, slot, &medium)
    }

    private mutating func answerParameters(
        _ opcode: HCI.Opcode, _ handle: UInt16,
        _ answer: Result<LinkLayerProcedures.RequestedParameters, HCI.ErrorCode>,
        _ medium: inout Medium
    ) {
        guard let slot = links.slot(of: handle) else {
            return host.complete(opcode, .unknownConnectionIdentifier, handle: handle)
        }
        guard links[slot].procedures.answerParameters(answer, context(of: slot), &actions) else {
            return host.complete(opcode, .commandDisallowed, handle: handle)
        }
        host.complete(opcode, .success, handle: handle)
        performActions(slot, &medium)
        wakeLink(slot, &medium)
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
