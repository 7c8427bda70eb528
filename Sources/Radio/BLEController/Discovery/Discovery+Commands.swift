import BLEWire

/// The commands of the scanner and the initiator.
extension Discovery {
    mutating func handleScanning(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ shared: inout SharedState, _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .leSetScanParameters:
            let settings = try ScanSettings(HCI.LESetScanParameters(from: parameters))
            try scanning.set(settings, hasResolvingList: shared.privacy.hasResolvingList)
        case .leSetExtendedScanParameters:
            let settings = try ScanSettings(
                HCI.LESetExtendedScanParameters(from: parameters), supported: shared.capabilities.phys)
            try scanning.set(settings, hasResolvingList: shared.privacy.hasResolvingList)
        case .leSetScanEnable:
            let command = try HCI.LESetScanEnable(from: parameters)
            if command.enable {
                try startScanning(filter: command.filterDuplicates ? .on : .off, &shared, &medium)
            } else if scanning.isEnabled {
                stopScanning(&shared, &medium)
            }
        case .leSetExtendedScanEnable:
            let command = try HCI.LESetExtendedScanEnable(from: parameters)
            // The other parameters have no meaning when a scan stops (Vol 4, Part E, 7.8.65).
            if command.enable {
                let duration = try ScanDuration(command)
                guard command.filterDuplicates.rawValue <= 2 else { throw .invalidHCICommandParameters }
                try startScanning(filter: command.filterDuplicates, duration: duration, &shared, &medium)
            } else if scanning.isEnabled {
                stopScanning(&shared, &medium)
            }
        default: return false
        }
        shared.host.complete(opcode, .success)
        return true
    }

    mutating func handleInitiating(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ shared: inout SharedState, _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .leCreateConnection:
            let request = ConnectionRequest(try HCI.LECreateConnection(from: parameters))
            try check(request, shared)
            shared.host.answer(opcode, status: .success)
            startInitiating(request, &shared, &medium)
        case .leExtendedCreateConnection:
            let request = try ConnectionRequest(
                HCI.LEExtendedCreateConnection(from: parameters), supported: shared.capabilities.phys)
            try check(request, shared)
            shared.host.answer(opcode, status: .success)
            startInitiating(request, &shared, &medium)
        case .leCreateConnectionCancel:
            _ = try HCI.LECreateConnectionCancel(from: parameters)
            guard initiating.isCancellable else { throw .commandDisallowed }
            let peer = initiating.request.peerAddress
            stopInitiating(&shared, &medium)
            shared.host.complete(opcode, .success)
            // The answer, then the end of the attempt (Vol 4, Part E, 7.8.13).
            shared.host.reportConnection(nil, status: .unknownConnectionIdentifier, peer: peer, role: .central)
        default: return false
        }
        return true
    }

    private func check(_ command: ConnectionRequest, _ shared: borrowing SharedState) throws(HCI.ErrorCode) {
        guard !initiating.isEnabled else { throw .commandDisallowed }
        guard command.isValid(isExtended: shared.commandFamily == .extended) else { throw .invalidHCICommandParameters }
        let peer = command.filterPolicy == .peerAddress ? command.peerAddress.asDevice : nil
        if let peer {
            // The identity kinds need the resolving list.
            guard command.peerAddress.kind.rawValue <= (shared.privacy.hasResolvingList ? 3 : 1) else {
                throw .invalidHCICommandParameters
            }
            if shared.connections.links.isConnected(to: peer) { throw .connectionAlreadyExists }
        }
        guard command.ownAddressType.rawValue <= 1 || shared.privacy.hasResolvingList else {
            throw .unsupportedFeatureOrParameterValue
        }
        // The controller has no such own address (Vol 4, Part E, 7.8.12).
        guard shared.privacy.hasOwnAddress(command.ownAddressType, with: peer) else {
            throw .invalidHCICommandParameters
        }
        guard shared.connections.links.hasFreeSlot else { throw .connectionLimitExceeded }
    }
}
