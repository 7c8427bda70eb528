import BLEWire

/// The commands for signal strength, channels, data length and PHY of a link.
extension Controller {
    mutating func handleLinkTuning(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(DecodeError) -> Bool {
        switch opcode {
        case .readRSSI:
            let handle = try HCI.ReadRSSI(decoding: parameters).connectionHandle
            let slot = links.slot(of: handle)
            host.complete(
                HCI.ReadRSSI.self,
                .init(
                    status: slot == nil ? .unknownConnectionIdentifier : .success, connectionHandle: handle,
                    rssi: slot.map { links[$0].rssi } ?? 127))
        case .readTransmitPowerLevel:
            let command = try HCI.ReadTransmitPowerLevel(decoding: parameters)
            let handle = command.connectionHandle
            let status: HCI.ErrorCode =
                links.slot(of: handle) == nil
                ? .unknownConnectionIdentifier : command.kind.rawValue <= 1 ? .success : .invalidHCICommandParameters
            host.complete(
                HCI.ReadTransmitPowerLevel.self,
                .init(status: status, connectionHandle: handle, transmitPowerLevel: configuration.transmitPower))
        case .leSetHostChannelClassification:
            let map = LL.ChannelMap(
                rawValue: try HCI.LESetHostChannelClassification(decoding: parameters).channelMap.rawValue)
            guard map.count >= 1 else {
                host.complete(opcode, .invalidHCICommandParameters)
                return true
            }
            host.complete(opcode, .success)
            // A link needs at least two channels (Vol 6, Part B, 4.5.8.1).
            if map.count >= 2 { classifyChannels(map, &medium) }
        case .leReadChannelMap:
            let handle = try HCI.LEReadChannelMap(decoding: parameters).connectionHandle
            let slot = links.slot(of: handle)
            host.complete(
                HCI.LEReadChannelMap.self,
                .init(
                    status: slot == nil ? .unknownConnectionIdentifier : .success, connectionHandle: handle,
                    channelMap: HCI.ChannelMap(rawValue: slot.map { links[$0].channels.map.rawValue } ?? 0)))
        default:
            if try handleDataLength(opcode, parameters, &medium) { return true }
            return try handlePHY(opcode, parameters, &medium)
        }
        return true
    }

    private mutating func classifyChannels(_ map: LL.ChannelMap, _ medium: inout Medium) {
        defaults.channelClassification = map
        // A running procedure may be about another channel map.
        for slot in links.openSlots
        where links[slot].isCentral && (links[slot].channels.map != map || !links[slot].procedures.isIdle) {
            requestProcedure(.channelMap(map), slot, &medium)
        }
    }

    // MARK: Data length

    private mutating func handleDataLength(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(DecodeError) -> Bool {
        switch opcode {
        case .leSetDataLength:
            let command = try HCI.LESetDataLength(decoding: parameters)
            setDataLength(command, &medium)
        case .leReadSuggestedDefaultDataLength:
            _ = try HCI.LEReadSuggestedDefaultDataLength(decoding: parameters)
            host.complete(
                HCI.LEReadSuggestedDefaultDataLength.self,
                .init(
                    status: .success, maximumTxOctets: defaults.suggestedLength.octets,
                    maximumTxTime: defaults.suggestedLength.time))
        case .leWriteSuggestedDefaultDataLength:
            let command = try HCI.LEWriteSuggestedDefaultDataLength(decoding: parameters)
            guard let limits = capabilities.limits(command.maximumTxOctets, command.maximumTxTime) else {
                host.complete(opcode, .invalidHCICommandParameters)
                return true
            }
            defaults.suggestedLength = limits
            host.complete(opcode, .success)
        case .leReadMaximumDataLength:
            _ = try HCI.LEReadMaximumDataLength(decoding: parameters)
            let limits = capabilities.length
            host.complete(
                HCI.LEReadMaximumDataLength.self,
                .init(
                    status: .success, maximumTxOctets: limits.octets, maximumTxTime: limits.time,
                    maximumRxOctets: limits.octets, maximumRxTime: limits.time))
        default: return false
        }
        return true
    }

    private mutating func setDataLength(_ command: HCI.LESetDataLength, _ medium: inout Medium) {
        let handle = command.connectionHandle
        guard let slot = links.slot(of: handle) else {
            return host.complete(HCI.LESetDataLength.opcode, .unknownConnectionIdentifier, handle: handle)
        }
        guard let limits = capabilities.limits(command.txOctets, command.txTime) else {
            return host.complete(HCI.LESetDataLength.opcode, .invalidHCICommandParameters, handle: handle)
        }
        host.complete(HCI.LESetDataLength.opcode, .success, handle: handle)
        links[slot].procedures.dataLength.local.tx = limits
        requestProcedure(.length, slot, &medium)
    }

    // MARK: PHY

    private mutating func handlePHY(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(DecodeError) -> Bool {
        switch opcode {
        case .leReadPHY:
            let handle = try HCI.LEReadPHY(decoding: parameters).connectionHandle
            let slot = links.slot(of: handle)
            let (tx, rx) = slot.map { (links[$0].phys.tx, links[$0].phys.rx) } ?? (.oneM, .oneM)
            host.complete(
                HCI.LEReadPHY.self,
                .init(
                    status: slot == nil ? .unknownConnectionIdentifier : .success, connectionHandle: handle,
                    txPHY: HCI.PHY(rawValue: min(3, tx.rawValue)), rxPHY: HCI.PHY(rawValue: min(3, rx.rawValue))))
        case .leSetDefaultPHY:
            let command = try HCI.LESetDefaultPHY(decoding: parameters)
            let (phys, status) = capabilities.choose(command.noPreference, command.txPHYs, command.rxPHYs)
            if let phys { defaults.phys = phys }
            host.complete(opcode, status)
        case .leSetPHY:
            let command = try HCI.LESetPHY(decoding: parameters)
            guard let slot = links.slot(of: command.connectionHandle) else {
                host.answer(opcode, status: .unknownConnectionIdentifier)
                return true
            }
            let (phys, status) = capabilities.choose(command.noPreference, command.txPHYs, command.rxPHYs)
            if let phys {
                let request = LinkLayerProcedures.Request.phy(tx: phys.tx, rx: phys.rx)
                if !links[slot].procedures.hasWaiting(request) {
                    // Option 1 prefers S=2 (Vol 4, Part E, 7.8.49). Option 2, and no preference, select S=8 for its
                    // longer range.
                    links[slot].choose(coding: command.options == 1 ? .codedS2 : .codedS8)
                }
                begin(request, opcode, command.connectionHandle, &medium)
            } else {
                host.answer(opcode, status: status)
            }
        default: return false
        }
        return true
    }

}
