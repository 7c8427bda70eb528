import BLEWire

/// The commands of the advertiser, the scanner and the filter accept list.
extension Controller {
    mutating func handleAdvertising(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(DecodeError) -> Bool {
        switch opcode {
        case .leSetAdvertisingParameters:
            let command = try HCI.LESetAdvertisingParameters(decoding: parameters)
            host.complete(opcode, setAdvertising(command))
        case .leReadAdvertisingPhysicalChannelTxPower:
            _ = try HCI.LEReadAdvertisingPhysicalChannelTxPower(decoding: parameters)
            host.complete(
                HCI.LEReadAdvertisingPhysicalChannelTxPower.self,
                .init(status: .success, transmitPowerLevel: configuration.transmitPower))
        case .leSetAdvertisingData:
            advertising.data = try HCI.LESetAdvertisingData(decoding: parameters).data
            host.complete(opcode, .success)
        case .leSetScanResponseData:
            advertising.response = try HCI.LESetScanResponseData(decoding: parameters).data
            host.complete(opcode, .success)
        case .leSetAdvertisingEnable:
            let command = try HCI.LESetAdvertisingEnable(decoding: parameters)
            host.complete(opcode, enableAdvertising(command.enable, &medium))
        default: return false
        }
        return true
    }

    private mutating func setAdvertising(_ command: HCI.LESetAdvertisingParameters) -> HCI.ErrorCode {
        guard !advertising.isEnabled else { return .commandDisallowed }
        guard command.advertisingType.rawValue <= 4, command.filterPolicy.rawValue <= 3,
            command.ownAddressType.rawValue <= 3, !command.channelMap.isEmpty, command.channelMap.rawValue <= 7
        else { return .invalidHCICommandParameters }
        let isDirected = command.advertisingType.rawValue == 1 || command.advertisingType.rawValue == 4
        if isDirected && command.peerAddress.kind.rawValue > 1 { return .invalidHCICommandParameters }
        // High duty cycle advertising ignores the interval (Vol 4, Part E, 7.8.5).
        if command.advertisingType != .connectableDirectedHighDutyCycle {
            guard (0x20...0x4000).contains(command.intervalMinimum),
                (0x20...0x4000).contains(command.intervalMaximum), command.intervalMinimum <= command.intervalMaximum
            else { return .invalidHCICommandParameters }
        }
        guard command.ownAddressType.rawValue <= 1 || hasResolvingList else {
            return .unsupportedFeatureOrParameterValue
        }
        advertising.parameters = command
        return .success
    }

    private mutating func enableAdvertising(_ enable: Bool, _ medium: inout Medium) -> HCI.ErrorCode {
        guard enable else {
            if advertising.isEnabled { stopAdvertising(&medium) }
            return .success
        }
        guard !advertising.isEnabled else { return .success }
        // The controller has no such own address (Vol 4, Part E, 7.8.9).
        guard hasOwnAddress(advertising.parameters.ownAddressType, with: advertising.parameters.peerAddress) else {
            return .invalidHCICommandParameters
        }
        guard !advertising.isConnectable || links.hasFreeSlot else { return .connectionLimitExceeded }
        startAdvertising(&medium)
        return .success
    }

    mutating func handleScanning(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(DecodeError) -> Bool {
        switch opcode {
        case .leSetScanParameters:
            let command = try HCI.LESetScanParameters(decoding: parameters)
            host.complete(opcode, setScanning(command))
        case .leSetScanEnable:
            let command = try HCI.LESetScanEnable(decoding: parameters)
            host.complete(opcode, enableScanning(command, &medium))
        case .leReadFilterAcceptListSize:
            _ = try HCI.LEReadFilterAcceptListSize(decoding: parameters)
            host.complete(
                HCI.LEReadFilterAcceptListSize.self, .init(status: .success, size: configuration.acceptListSize))
        case .leClearFilterAcceptList:
            _ = try HCI.LEClearFilterAcceptList(decoding: parameters)
            guard !isAcceptListInUse else {
                host.complete(opcode, .commandDisallowed)
                return true
            }
            acceptList.removeAll()
            host.complete(opcode, .success)
        case .leAddDeviceToFilterAcceptList:
            let address = try HCI.LEAddDeviceToFilterAcceptList(decoding: parameters).address
            host.complete(opcode, changeAcceptList(adding: address))
        case .leRemoveDeviceFromFilterAcceptList:
            let address = try HCI.LERemoveDeviceFromFilterAcceptList(decoding: parameters).address
            host.complete(opcode, changeAcceptList(removing: address))
        default: return false
        }
        return true
    }

    private mutating func setScanning(_ command: HCI.LESetScanParameters) -> HCI.ErrorCode {
        guard !scanning.isEnabled else { return .commandDisallowed }
        guard command.scanType.rawValue <= 1, command.ownAddressType.rawValue <= 3,
            command.filterPolicy.rawValue <= 3, Self.isScanTiming(command.interval, command.window)
        else { return .invalidHCICommandParameters }
        guard command.ownAddressType.rawValue <= 1 && command.filterPolicy.rawValue <= 1 || hasResolvingList else {
            return .unsupportedFeatureOrParameterValue
        }
        scanning.parameters = command
        return .success
    }

    /// Whether the four ranges of an interval and a window hold (Vol 4, Part E, 7.8.10).
    static func isScanTiming(_ interval: UInt16, _ window: UInt16) -> Bool {
        (4...0x4000).contains(interval) && (4...0x4000).contains(window) && window <= interval
    }

    private mutating func enableScanning(_ command: HCI.LESetScanEnable, _ medium: inout Medium) -> HCI.ErrorCode {
        guard command.enable else {
            if scanning.isEnabled { stopScanning(&medium) }
            return .success
        }
        if scanning.isEnabled { stopScanning(&medium) }
        // The controller has no such own address. The check applies to passive scanning as well (Vol 4, Part E, 7.8.11).
        guard hasOwnAddress(scanning.parameters.ownAddressType, with: nil) else { return .invalidHCICommandParameters }
        startScanning(filteringDuplicates: command.filterDuplicates, &medium)
        return .success
    }

    // MARK: The filter accept list

    /// Whether an active role filters by the list, so that it must not change (Vol 4, Part E, 7.8.15).
    private var isAcceptListInUse: Bool {
        (advertising.isEnabled && advertising.parameters.filterPolicy != .everyone)
            || (scanning.isEnabled && scanning.parameters.filterPolicy.usesAcceptList)
            || (initiating.isEnabled && initiating.request.filterPolicy == .acceptList)
    }

    private mutating func changeAcceptList(adding address: DeviceAddress) -> HCI.ErrorCode {
        guard !isAcceptListInUse else { return .commandDisallowed }
        guard address.kind.rawValue <= 1 else { return .invalidHCICommandParameters }
        guard !acceptList.contains(address) else { return .success }
        // The list is full (Vol 4, Part E, 7.8.16).
        guard acceptList.count < Int(configuration.acceptListSize) else { return .memoryCapacityExceeded }
        acceptList.append(address)
        return .success
    }

    private mutating func changeAcceptList(removing address: DeviceAddress) -> HCI.ErrorCode {
        guard !isAcceptListInUse else { return .commandDisallowed }
        acceptList.removeAll { $0 == address }
        return .success
    }
}
