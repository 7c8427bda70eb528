import BLEWire

/// The commands of the advertiser.
extension Controller {
    // MARK: Legacy commands

    mutating func handleAdvertising(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        let slot = AdvertisingSets.legacySlot
        switch opcode {
        case .leSetAdvertisingParameters:
            let command = try HCI.LESetAdvertisingParameters(from: parameters)
            advertising.prepareLegacySet()
            try advertising[slot].set(command, hasResolvingList: privacy.hasResolvingList)
        case .leSetAdvertisingData:
            let data = try HCI.LESetAdvertisingData(from: parameters).data
            advertising.prepareLegacySet()
            advertising[slot].data = .complete([UInt8](data.span))
        case .leSetScanResponseData:
            let data = try HCI.LESetScanResponseData(from: parameters).data
            advertising.prepareLegacySet()
            advertising[slot].response = .complete([UInt8](data.span))
        case .leSetAdvertisingEnable:
            let enable = try HCI.LESetAdvertisingEnable(from: parameters).enable
            advertising.prepareLegacySet()
            if !enable, advertising[slot].isEnabled { stopAdvertising(slot, &medium) }
            if enable, !advertising[slot].isEnabled {
                try checkStart(of: slot)
                // At most 1.28 s (Vol 6, Part B, 4.4.2.4.3).
                let duration = advertising[slot].isHighDuty ? TimeSpan.milliseconds(1280) : nil
                startAdvertising(slot, duration: duration, &medium)
            }
        default: return try handleExtendedAdvertising(opcode, parameters, &medium)
        }
        host.complete(opcode, .success)
        return true
    }

    // MARK: Extended commands

    private mutating func handleExtendedAdvertising(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .leSetExtendedAdvertisingParameters:
            try setParameters(HCI.LESetExtendedAdvertisingParameters(from: parameters))
            host.complete(
                HCI.LESetExtendedAdvertisingParameters.self,
                .init(status: .success, selectedTxPower: capabilities.configuration.transmitPower))
            return true
        case .leReadNumberOfSupportedAdvertisingSets:
            try host.answer(
                HCI.LEReadNumberOfSupportedAdvertisingSets.self, parameters,
                .init(status: .success, count: UInt8(AdvertisingSets.limit)))
            return true
        case .leSetAdvertisingSetRandomAddress:
            try setRandomAddress(HCI.LESetAdvertisingSetRandomAddress(from: parameters))
        case .leSetExtendedAdvertisingData:
            guard let command = try? HCI.LESetExtendedAdvertisingData(decoding: parameters) else {
                throw .invalidHCICommandParameters
            }
            let slot = try advertising.slot(of: command.advertisingHandle)
            try advertising[slot].setData(command.operation, command.data)
        case .leSetExtendedScanResponseData:
            guard let command = try? HCI.LESetExtendedScanResponseData(decoding: parameters) else {
                throw .invalidHCICommandParameters
            }
            let slot = try advertising.slot(of: command.advertisingHandle)
            try advertising[slot].setResponse(command.operation, command.data)
        case .leSetExtendedAdvertisingEnable:
            let command = try HCI.LESetExtendedAdvertisingEnable(from: parameters)
            if command.enable { try enableSets(command.sets, &medium) } else { try disableSets(command.sets, &medium) }
        case .leRemoveAdvertisingSet:
            let handle = try HCI.LERemoveAdvertisingSet(from: parameters).advertisingHandle
            let slot = try advertising.slot(of: handle)
            guard !advertising[slot].isEnabled else { throw .commandDisallowed }
            advertising.remove(slot)
        case .leClearAdvertisingSets:
            _ = try HCI.LEClearAdvertisingSets(from: parameters)
            guard !advertising.isEnabled else { throw .commandDisallowed }
            for slot in advertising.slots { advertising.remove(slot) }
        default: return false
        }
        host.complete(opcode, .success)
        return true
    }

    private mutating func setParameters(_ command: HCI.LESetExtendedAdvertisingParameters) throws(HCI.ErrorCode) {
        try AdvertisingSet.check(command, capabilities)
        let slot = try advertising.makeSlot(of: command.advertisingHandle, &random)
        try advertising[slot].set(command, txPower: capabilities.configuration.transmitPower)
    }

    /// The next event uses the address. Initiators may be about to answer a connectable set (Vol 4, Part E, 7.8.52).
    private mutating func setRandomAddress(_ command: HCI.LESetAdvertisingSetRandomAddress) throws(HCI.ErrorCode) {
        let slot = try advertising.slot(of: command.advertisingHandle)
        guard !advertising[slot].isEnabled || !advertising[slot].isConnectable else { throw .commandDisallowed }
        advertising[slot].randomAddress = command.address.value
    }

    /// Enables all these sets, or none of them after an error (Vol 4, Part E, 7.8.56).
    private mutating func enableSets(
        _ entries: [HCI.LESetExtendedAdvertisingEnable.Entry], _ medium: inout Medium
    ) throws(HCI.ErrorCode) {
        guard !entries.isEmpty else { throw .invalidHCICommandParameters }
        let slots = try slots(of: entries)
        for (entry, slot) in zip(entries, slots) {
            try advertising[slot].checkEnable(duration: entry.duration)
            try checkStart(of: slot)
        }
        for (entry, slot) in zip(entries, slots) {
            let duration = entry.duration == 0 ? nil : TimeSpan.milliseconds(10 * Int(entry.duration))
            if advertising[slot].isEnabled {
                // The duration and the count of events begin anew.
                advertising[slot].limits = .init(
                    duration: duration, end: duration.map { medium.now + $0 }, maximumEvents: entry.maximumEvents)
                armAdvertisingEnd(&medium)
            } else {
                startAdvertising(slot, duration: duration, maximumEvents: entry.maximumEvents, &medium)
            }
        }
    }

    /// Without entries it stops all sets.
    private mutating func disableSets(
        _ entries: [HCI.LESetExtendedAdvertisingEnable.Entry], _ medium: inout Medium
    ) throws(HCI.ErrorCode) {
        let slots = entries.isEmpty ? Array(advertising.slots) : try slots(of: entries)
        for slot in slots where advertising[slot].isEnabled { stopAdvertising(slot, &medium) }
    }

    /// A handle must not appear twice (Vol 4, Part E, 7.8.56).
    private func slots(
        of entries: [HCI.LESetExtendedAdvertisingEnable.Entry]
    ) throws(HCI.ErrorCode) -> [Int] {
        var slots: [Int] = []
        for entry in entries {
            let slot = try advertising.slot(of: entry.advertisingHandle)
            guard !slots.contains(slot) else { throw .invalidHCICommandParameters }
            slots.append(slot)
        }
        return slots
    }
}
