import BLEWire

/// The commands of the scanner and the initiator.
extension Controller {
    mutating func handleScanning(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .leSetScanParameters:
            let command = try HCI.LESetScanParameters(from: parameters)
            try scanning.set(command, hasResolvingList: privacy.hasResolvingList)
        case .leSetScanEnable:
            let command = try HCI.LESetScanEnable(from: parameters)
            if scanning.isEnabled { stopScanning(&medium) }
            if command.enable { try startScanning(filteringDuplicates: command.filterDuplicates, &medium) }
        default: return false
        }
        host.complete(opcode, .success)
        return true
    }

    mutating func handleInitiating(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .leCreateConnection:
            let command = try HCI.LECreateConnection(from: parameters)
            try check(command)
            host.answer(opcode, status: .success)
            startInitiating(command, &medium)
        case .leCreateConnectionCancel:
            _ = try HCI.LECreateConnectionCancel(from: parameters)
            guard initiating.state == .listening else { throw .commandDisallowed }
            let peer = initiating.request.peerAddress
            stopInitiating(&medium)
            host.complete(opcode, .success)
            // The answer, then the end of the attempt (Vol 4, Part E, 7.8.13).
            host.reportConnection(nil, status: .unknownConnectionIdentifier, peer: peer, role: .central)
        default: return false
        }
        return true
    }

    private func check(_ command: HCI.LECreateConnection) throws(HCI.ErrorCode) {
        guard !initiating.isEnabled else { throw .commandDisallowed }
        let requested = LinkLayerProcedures.RequestedParameters(
            intervalMinimum: command.intervalMinimum, intervalMaximum: command.intervalMaximum,
            latency: command.maximumLatency, timeout: command.supervisionTimeout)
        guard ListeningSchedule.isValid(command.scanInterval, command.scanWindow), command.filterPolicy.rawValue <= 1,
            command.ownAddressType.rawValue <= 3, requested.isValid
        else { throw .invalidHCICommandParameters }
        let peer = command.filterPolicy == .peerAddress ? command.peerAddress.asDevice : nil
        if let peer {
            // The identity kinds need the resolving list.
            guard command.peerAddress.kind.rawValue <= (privacy.hasResolvingList ? 3 : 1) else {
                throw .invalidHCICommandParameters
            }
            if connections.links.isConnected(to: peer) { throw .connectionAlreadyExists }
        }
        guard command.ownAddressType.rawValue <= 1 || privacy.hasResolvingList else {
            throw .unsupportedFeatureOrParameterValue
        }
        // The controller has no such own address (Vol 4, Part E, 7.8.12).
        guard privacy.hasOwnAddress(command.ownAddressType, with: peer) else { throw .invalidHCICommandParameters }
        guard connections.links.hasFreeSlot else { throw .connectionLimitExceeded }
    }
}
