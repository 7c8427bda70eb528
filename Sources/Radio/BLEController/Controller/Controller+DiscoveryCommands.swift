import BLEWire

/// The commands of the scanner and the initiator.
extension Controller {
    mutating func handleScanning(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .leSetScanParameters:
            let settings = try ScanSettings(HCI.LESetScanParameters(from: parameters))
            try scanning.set(settings, hasResolvingList: privacy.hasResolvingList)
        case .leSetExtendedScanParameters:
            let settings = try ScanSettings(
                HCI.LESetExtendedScanParameters(from: parameters), supported: capabilities.phys)
            try scanning.set(settings, hasResolvingList: privacy.hasResolvingList)
        case .leSetScanEnable:
            let command = try HCI.LESetScanEnable(from: parameters)
            if scanning.isEnabled { stopScanning(&medium) }
            if command.enable { try startScanning(filter: command.filterDuplicates ? .on : .off, &medium) }
        case .leSetExtendedScanEnable:
            let command = try HCI.LESetExtendedScanEnable(from: parameters)
            let duration = try ScanDuration(command)
            guard command.filterDuplicates.rawValue <= 2 else { throw .invalidHCICommandParameters }
            if scanning.isEnabled { stopScanning(&medium) }
            if command.enable {
                try startScanning(filter: command.filterDuplicates, duration: duration, &medium)
            }
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
            let request = ConnectionRequest(try HCI.LECreateConnection(from: parameters))
            try check(request)
            host.answer(opcode, status: .success)
            startInitiating(request, &medium)
        case .leExtendedCreateConnection:
            let request = try ConnectionRequest(
                HCI.LEExtendedCreateConnection(from: parameters), supported: capabilities.phys)
            try check(request)
            host.answer(opcode, status: .success)
            startInitiating(request, &medium)
        case .leCreateConnectionCancel:
            _ = try HCI.LECreateConnectionCancel(from: parameters)
            guard initiating.isCancellable else { throw .commandDisallowed }
            let peer = initiating.request.peerAddress
            stopInitiating(&medium)
            host.complete(opcode, .success)
            // The answer, then the end of the attempt (Vol 4, Part E, 7.8.13).
            host.reportConnection(nil, status: .unknownConnectionIdentifier, peer: peer, role: .central)
        default: return false
        }
        return true
    }

    private func check(_ command: ConnectionRequest) throws(HCI.ErrorCode) {
        guard !initiating.isEnabled else { throw .commandDisallowed }
        guard command.isValid else { throw .invalidHCICommandParameters }
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
