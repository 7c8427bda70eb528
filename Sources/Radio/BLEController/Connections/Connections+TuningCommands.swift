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
                HCI.ReadRSSI.self, .init(status: status, connectionHandle: handle, rssi: link?.signal.rssi ?? 127))
        case .readTransmitPowerLevel:
            let command = try HCI.ReadTransmitPowerLevel(from: parameters)
            let handle = command.connectionHandle
            let (link, status) = links.find(handle)
            let current = link.map { $0.procedures.power.power(on: $0.phys.tx) } ?? capabilities.powers.upperBound
            let power = command.kind == .current ? current : capabilities.powers.upperBound
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
            for slot in links.openSlots {
                if links[slot].isCentral {
                    chooseChannels(slot, &radio, &host, &medium)
                } else {
                    reportChannels(slot, &radio, &medium)
                }
            }
        case .leReadChannelMap:
            let handle = try HCI.LEReadChannelMap(from: parameters).connectionHandle
            let (link, status) = links.find(handle)
            let map = HCI.ChannelMap(rawValue: link?.channels.map.rawValue ?? 0)
            host.complete(
                HCI.LEReadChannelMap.self, .init(status: status, connectionHandle: handle, channelMap: map))
        default:
            if try handleSubrating(opcode, parameters, &radio, &host, &medium) { return true }
            if try handlePower(opcode, parameters, &radio, &host, &medium) { return true }
            return try handleDataLengthAndPHY(opcode, parameters, &radio, &host, &medium)
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

    private mutating func handleSubrating(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ radio: inout ControllerRadio, _ host: inout HostInterface,
        _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .leRequestPeerSCA:
            let slot = try slot(of: HCI.LERequestPeerSCA(from: parameters).connectionHandle)
            try begin(.clockAccuracy, opcode, slot, &radio, &host, &medium)
        case .leSetHostFeature:
            let command = try HCI.LESetHostFeature(from: parameters)
            // Peers of links know the features (Vol 4, Part E, 7.8.115).
            guard links.openSlots.isEmpty else { throw .commandDisallowed }
            guard command.bitNumber < 64 else { throw .unsupportedFeatureOrParameterValue }
            let feature = LL.FeatureSet(rawValue: 1 << UInt64(command.bitNumber))
            let isKnown =
                feature == .subratingHostSupport
                || feature == .advertisingCodingSelectionHostSupport
                    && capabilities.features.contains(.advertisingCodingSelection)
            guard isKnown else { throw .unsupportedFeatureOrParameterValue }
            if command.isOn { defaults.hostFeatures.insert(feature) } else { defaults.hostFeatures.remove(feature) }
            host.complete(opcode, .success)
        case .leSetDefaultSubrate:
            let command = try HCI.LESetDefaultSubrate(from: parameters)
            defaults.subrate = try SubrateLimits(
                checking: command.factorMinimum, command.factorMaximum, latency: command.maximumLatency,
                continuationNumber: command.continuationNumber, timeout: command.supervisionTimeout)
            host.complete(opcode, .success)
        case .leSubrateRequest:
            let command = try HCI.LESubrateRequest(from: parameters)
            let slot = try slot(of: command.connectionHandle)
            let limits = try SubrateLimits(
                checking: command.factorMinimum, command.factorMaximum, latency: command.maximumLatency,
                continuationNumber: command.continuationNumber, timeout: command.supervisionTimeout)
            guard links[slot].procedures.localFeatures.contains(.subratingHostSupport) else {
                throw .commandDisallowed
            }
            try begin(.subrate(limits), opcode, slot, &radio, &host, &medium)
        default: return false
        }
        return true
    }
}

extension SubrateLimits {
    fileprivate init(
        checking minimum: UInt16, _ maximum: UInt16, latency: UInt16, continuationNumber: UInt16, timeout: UInt16
    ) throws(HCI.ErrorCode) {
        let limits = SubrateLimits(
            minimum, maximum, latency: latency, continuationNumber: continuationNumber, timeout: timeout)
        guard let limits else { throw .invalidHCICommandParameters }
        self = limits
    }
}
