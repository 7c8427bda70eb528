import BLEWire

/// The commands of the advertiser, the scanner and the filter accept list.
extension Controller {
    mutating func handleAdvertising(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(DecodeError) -> Bool {
        switch opcode {
        case .leSetAdvertisingParameters:
            let command = try HCI.LESetAdvertisingParameters(decoding: parameters)
            host.complete(opcode, advertising.set(command, hasResolvingList: privacy.hasResolvingList))
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

    private mutating func enableAdvertising(_ enable: Bool, _ medium: inout Medium) -> HCI.ErrorCode {
        guard enable else {
            if advertising.isEnabled { stopAdvertising(&medium) }
            return .success
        }
        guard !advertising.isEnabled else { return .success }
        // The controller has no such own address (Vol 4, Part E, 7.8.9).
        guard privacy.hasOwnAddress(advertising.parameters.ownAddressType, with: advertising.parameters.peerAddress)
        else {
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
            host.complete(opcode, scanning.set(command, hasResolvingList: privacy.hasResolvingList))
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
            host.complete(opcode, isAcceptListInUse ? .commandDisallowed : acceptList.add(address))
        case .leRemoveDeviceFromFilterAcceptList:
            let address = try HCI.LERemoveDeviceFromFilterAcceptList(decoding: parameters).address
            let isInUse = isAcceptListInUse
            if !isInUse { acceptList.remove(address) }
            host.complete(opcode, isInUse ? .commandDisallowed : .success)
        default: return false
        }
        return true
    }

    private mutating func enableScanning(_ command: HCI.LESetScanEnable, _ medium: inout Medium) -> HCI.ErrorCode {
        guard command.enable else {
            if scanning.isEnabled { stopScanning(&medium) }
            return .success
        }
        if scanning.isEnabled { stopScanning(&medium) }
        // The controller has no such own address. The check applies to passive scanning as well (Vol 4, Part E, 7.8.11).
        guard privacy.hasOwnAddress(scanning.parameters.ownAddressType, with: nil) else {
            return .invalidHCICommandParameters
        }
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
}
