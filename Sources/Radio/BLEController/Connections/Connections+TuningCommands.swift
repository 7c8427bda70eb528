import BLEWire

/// The commands for signal strength, channels, data length and PHY of a link.
extension Connections {
    mutating func handleTuning(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ radio: inout ControllerRadio, _ host: inout HostInterface,
        _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .readRSSI:
            let handle = try HCI.ReadRSSI(from: parameters).connectionHandle
            let (link, status) = links.find(handle)
            host.complete(
                HCI.ReadRSSI.self, .init(status: status, connectionHandle: handle, rssi: link?.rssi ?? 127))
        case .readTransmitPowerLevel:
            let command = try HCI.ReadTransmitPowerLevel(from: parameters)
            let (handle, power) = (command.connectionHandle, capabilities.configuration.transmitPower)
            let (link, status) = links.find(handle)
            let isKnown = link == nil || command.kind.rawValue <= 1
            host.complete(
                HCI.ReadTransmitPowerLevel.self,
                .init(
                    status: isKnown ? status : .invalidHCICommandParameters, connectionHandle: handle,
                    transmitPowerLevel: power))
        case .leSetHostChannelClassification:
            let map = LL.ChannelMap(
                rawValue: try HCI.LESetHostChannelClassification(from: parameters).channelMap.rawValue)
            guard map.count >= 1 else { throw .invalidHCICommandParameters }
            host.complete(opcode, .success)
            // A link needs at least two channels (Vol 6, Part B, 4.5.8.1).
            guard map.count >= 2 else { break }
            defaults.channelClassification = map
            // A running procedure may be about another channel map.
            for slot in links.openSlots
            where links[slot].isCentral && (links[slot].channels.map != map || !links[slot].procedures.isIdle) {
                requestProcedure(.channelMap(map), slot, &radio, &host, &medium)
            }
        case .leReadChannelMap:
            let handle = try HCI.LEReadChannelMap(from: parameters).connectionHandle
            let (link, status) = links.find(handle)
            let map = HCI.ChannelMap(rawValue: link?.channels.map.rawValue ?? 0)
            host.complete(
                HCI.LEReadChannelMap.self, .init(status: status, connectionHandle: handle, channelMap: map))
        default: return try handleDataLengthAndPHY(opcode, parameters, &radio, &host, &medium)
        }
        return true
    }

    private mutating func handleDataLengthAndPHY(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ radio: inout ControllerRadio, _ host: inout HostInterface,
        _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .leSetDataLength:
            let command = try HCI.LESetDataLength(from: parameters)
            let slot = try slot(of: command.connectionHandle)
            let limits = try capabilities.limits(command.txOctets, command.txTime)
            host.complete(opcode, .success, handle: command.connectionHandle)
            links[slot].procedures.dataLength.local.tx = limits
            requestProcedure(.length, slot, &radio, &host, &medium)
        case .leReadSuggestedDefaultDataLength:
            let length = defaults.suggestedLength
            try host.answer(
                HCI.LEReadSuggestedDefaultDataLength.self, parameters,
                .init(status: .success, maximumTxOctets: length.octets, maximumTxTime: length.time))
        case .leWriteSuggestedDefaultDataLength:
            let command = try HCI.LEWriteSuggestedDefaultDataLength(from: parameters)
            defaults.suggestedLength = try capabilities.limits(command.maximumTxOctets, command.maximumTxTime)
            host.complete(opcode, .success)
        case .leReadPHY:
            let handle = try HCI.LEReadPHY(from: parameters).connectionHandle
            let (link, status) = links.find(handle)
            let (tx, rx) = (HCI.PHY(link?.phys.tx ?? .oneM), HCI.PHY(link?.phys.rx ?? .oneM))
            host.complete(
                HCI.LEReadPHY.self, .init(status: status, connectionHandle: handle, txPHY: tx, rxPHY: rx))
        case .leSetDefaultPHY:
            let command = try HCI.LESetDefaultPHY(from: parameters)
            defaults.phys = try capabilities.choose(command.noPreference, command.txPHYs, command.rxPHYs)
            host.complete(opcode, .success)
        case .leSetPHY:
            let command = try HCI.LESetPHY(from: parameters)
            let slot = try slot(of: command.connectionHandle)
            let phys = try capabilities.choose(command.noPreference, command.txPHYs, command.rxPHYs)
            let request = LinkLayerProcedures.Request.phy(tx: phys.tx, rx: phys.rx)
            if !links[slot].procedures.hasWaiting(request) {
                // Option 1 prefers S=2 (Vol 4, Part E, 7.8.49). Option 2, and no preference, select S=8 for its
                // longer range.
                links[slot].choose(coding: command.options == 1 ? .codedS2 : .codedS8)
            }
            try begin(request, opcode, slot, &radio, &host, &medium)
        default: return false
        }
        return true
    }
}
