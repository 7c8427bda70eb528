import BLEWire

extension AdvertisingRole {
    // MARK: The host's parameters

    /// Takes parameters of the host (Vol 4, Part E, 7.8.5).
    mutating func set(_ command: HCI.LESetAdvertisingParameters, hasResolvingList: Bool) throws(HCI.ErrorCode) {
        guard !isEnabled else { throw .commandDisallowed }
        guard command.advertisingType.rawValue <= 4, command.filterPolicy.rawValue <= 3,
            command.ownAddressType.rawValue <= 3, !command.channelMap.isEmpty, command.channelMap.rawValue <= 7
        else { throw .invalidHCICommandParameters }
        let isDirected = command.advertisingType.rawValue == 1 || command.advertisingType.rawValue == 4
        if isDirected && command.peerAddress.kind.rawValue > 1 { throw .invalidHCICommandParameters }
        // High duty cycle advertising ignores the interval (Vol 4, Part E, 7.8.5).
        if command.advertisingType != .connectableDirectedHighDutyCycle {
            guard (0x20...0x4000).contains(command.intervalMinimum),
                (0x20...0x4000).contains(command.intervalMaximum), command.intervalMinimum <= command.intervalMaximum
            else { throw .invalidHCICommandParameters }
        }
        guard command.ownAddressType.rawValue <= 1 || hasResolvingList else {
            throw .unsupportedFeatureOrParameterValue
        }
        parameters = command
    }

    // MARK: PDUs

    /// Appends the advertising PDU of the current event.
    func appendAdvertisement(to pdu: inout [UInt8]) {
        let address = address
        var header = LL.AdvertisingHeader(
            type: pduType, transmitterIsRandom: address.kind == .random,
            length: UInt8(truncatingIfNeeded: advertisementLength))
        header.channelSelection2 = isConnectable
        if isDirected {
            let target = target
            header.receiverIsRandom = target.kind == .random
            try? pdu.append(encoding: header)
            try? pdu.append(encoding: LL.AdvDirectInd(advertiser: address.value, target: target.value))
        } else {
            try? pdu.append(encoding: header)
            try? pdu.append(encoding: LL.AdvInd(advertiser: address.value, data: data.span))
        }
    }

    /// The length of the payload of the advertising PDU.
    var advertisementLength: Int { isDirected ? 12 : 6 + data.count }

    // MARK: The filter policy

    /// The advertising filter policy for scan requests (Vol 6, Part B, 4.3.2).
    func mayScan(_ scanner: PeerAddress, _ acceptList: FilterAcceptList) -> Bool {
        switch parameters.filterPolicy {
        case .scanFromAcceptList, .bothFromAcceptList: acceptList.accepts(scanner)
        default: true
        }
    }

    /// The advertising filter policy for connections, which directed advertising ignores (Vol 6, Part B, 4.3.2).
    func mayConnect(_ initiator: PeerAddress, _ acceptList: FilterAcceptList) -> Bool {
        guard isConnectable else { return false }
        if isDirected { return initiator.matches(parameters.peerAddress) }
        switch parameters.filterPolicy {
        case .connectFromAcceptList, .bothFromAcceptList: return acceptList.accepts(initiator)
        default: return true
        }
    }
}
