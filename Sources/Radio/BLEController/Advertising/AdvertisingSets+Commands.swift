import BLEWire

/// The commands of the advertiser.
extension AdvertisingSets {
    // MARK: Legacy commands

    mutating func handle(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ shared: inout SharedState, _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        let slot = Self.legacySlot
        switch opcode {
        case .leSetAdvertisingParameters:
            let command = try HCI.LESetAdvertisingParameters(from: parameters)
            prepareLegacySet()
            try self[slot].set(command, hasResolvingList: shared.privacy.hasResolvingList)
        case .leSetAdvertisingData:
            let data = try HCI.LESetAdvertisingData(from: parameters).data
            prepareLegacySet()
            self[slot].data = .complete([UInt8](data.span))
        case .leSetScanResponseData:
            let data = try HCI.LESetScanResponseData(from: parameters).data
            prepareLegacySet()
            self[slot].response = .complete([UInt8](data.span))
        case .leSetAdvertisingEnable:
            let enable = try HCI.LESetAdvertisingEnable(from: parameters).enable
            prepareLegacySet()
            if !enable, self[slot].isEnabled { stop(slot, &shared, &medium) }
            if enable, !self[slot].isEnabled {
                try checkStart(of: slot, shared)
                // At most 1.28 s (Vol 6, Part B, 4.4.2.4.3).
                let duration = self[slot].isHighDuty ? TimeSpan.milliseconds(1280) : nil
                start(slot, duration: duration, &shared, &medium)
            }
        default: return try handleExtended(opcode, parameters, &shared, &medium)
        }
        shared.host.complete(opcode, .success)
        return true
    }

    // MARK: Extended commands

    private mutating func handleExtended(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ shared: inout SharedState, _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .leSetExtendedAdvertisingParameters:
            let command = try HCI.LESetExtendedAdvertisingParameters(from: parameters)
            try setParameters(command, AdvertisingSet.Coding(), &shared)
            shared.host.complete(HCI.LESetExtendedAdvertisingParameters.self, selectedPower(shared))
            return true
        case .leSetExtendedAdvertisingParametersV2:
            let command = try HCI.LESetExtendedAdvertisingParametersV2(from: parameters)
            try setParameters(command.parameters, AdvertisingSet.Coding(command), &shared)
            shared.host.complete(HCI.LESetExtendedAdvertisingParametersV2.self, selectedPower(shared))
            return true
        case .leReadNumberOfSupportedAdvertisingSets:
            try shared.host.answer(
                HCI.LEReadNumberOfSupportedAdvertisingSets.self, parameters,
                .init(status: .success, count: UInt8(Self.limit)))
            return true
        case .leSetAdvertisingSetRandomAddress:
            try setRandomAddress(HCI.LESetAdvertisingSetRandomAddress(from: parameters))
        case .leSetExtendedAdvertisingData:
            guard let command = try? HCI.LESetExtendedAdvertisingData(decoding: parameters) else {
                throw .invalidHCICommandParameters
            }
            let slot = try slot(of: command.advertisingHandle)
            try self[slot].setData(command.operation, command.data)
        case .leSetExtendedScanResponseData:
            guard let command = try? HCI.LESetExtendedScanResponseData(decoding: parameters) else {
                throw .invalidHCICommandParameters
            }
            let slot = try slot(of: command.advertisingHandle)
            try self[slot].setResponse(command.operation, command.data)
        case .leSetExtendedAdvertisingEnable:
            let command = try HCI.LESetExtendedAdvertisingEnable(from: parameters)
            if command.enable {
                try enableSets(command.sets, &shared, &medium)
            } else {
                try disableSets(command.sets, &shared, &medium)
            }
        case .leRemoveAdvertisingSet:
            let handle = try HCI.LERemoveAdvertisingSet(from: parameters).advertisingHandle
            let slot = try slot(of: handle)
            guard !self[slot].isEnabled, self[slot].periodic?.isOn != true else { throw .commandDisallowed }
            remove(slot)
        case .leClearAdvertisingSets:
            _ = try HCI.LEClearAdvertisingSets(from: parameters)
            guard !isEnabled, !hasTrain else { throw .commandDisallowed }
            for slot in slots { remove(slot) }
        default: return try handlePeriodic(opcode, parameters, &shared, &medium)
        }
        shared.host.complete(opcode, .success)
        return true
    }

    private mutating func setParameters(
        _ command: HCI.LESetExtendedAdvertisingParameters, _ coding: AdvertisingSet.Coding,
        _ shared: inout SharedState
    ) throws(HCI.ErrorCode) {
        try AdvertisingSet.check(command, shared.capabilities)
        let slot = try makeSlot(of: command.advertisingHandle, &shared.random)
        try self[slot].set(command, coding, txPower: shared.capabilities.configuration.transmitPower)
    }

    /// A device of the medium has one power, so this may be more than the host's maximum (Vol 4, Part E, 7.8.53).
    private func selectedPower(
        _ shared: borrowing SharedState
    ) -> HCI.LESetExtendedAdvertisingParameters.ReturnParameters {
        .init(status: .success, selectedTxPower: shared.capabilities.configuration.transmitPower)
    }

    /// The next event uses the address. Initiators may be about to answer a connectable set (Vol 4, Part E, 7.8.52).
    private mutating func setRandomAddress(_ command: HCI.LESetAdvertisingSetRandomAddress) throws(HCI.ErrorCode) {
        let slot = try slot(of: command.advertisingHandle)
        guard !self[slot].isEnabled || !self[slot].isConnectable else { throw .commandDisallowed }
        self[slot].addresses.assigned = command.address.value
    }

    /// Enables all these sets, or none of them after an error (Vol 4, Part E, 7.8.56).
    private mutating func enableSets(
        _ entries: [HCI.LESetExtendedAdvertisingEnable.Entry], _ shared: inout SharedState, _ medium: inout Medium
    ) throws(HCI.ErrorCode) {
        guard !entries.isEmpty else { throw .invalidHCICommandParameters }
        let slots = try slots(of: entries)
        for (entry, slot) in zip(entries, slots) {
            try self[slot].checkEnable(duration: entry.duration)
            // A running set keeps what it needs.
            if !self[slot].isEnabled { try checkStart(of: slot, shared) }
        }
        for (entry, slot) in zip(entries, slots) {
            let duration = entry.duration == 0 ? nil : TimeSpan.milliseconds(10 * Int(entry.duration))
            if self[slot].isEnabled {
                // The duration and the count of events begin anew.
                self[slot].limits = .init(
                    duration: duration, end: duration.map { medium.now + $0 }, maximumEvents: entry.maximumEvents)
                armEnd(&shared, &medium)
            } else {
                start(slot, duration: duration, maximumEvents: entry.maximumEvents, &shared, &medium)
            }
        }
    }

    /// Without entries it stops all sets.
    private mutating func disableSets(
        _ entries: [HCI.LESetExtendedAdvertisingEnable.Entry], _ shared: inout SharedState, _ medium: inout Medium
    ) throws(HCI.ErrorCode) {
        let slots = entries.isEmpty ? Array(self.slots) : try slots(of: entries)
        for slot in slots where self[slot].isEnabled { stop(slot, &shared, &medium) }
    }

    /// A handle must not appear twice (Vol 4, Part E, 7.8.56).
    private func slots(
        of entries: [HCI.LESetExtendedAdvertisingEnable.Entry]
    ) throws(HCI.ErrorCode) -> [Int] {
        var slots: [Int] = []
        for entry in entries {
            let slot = try slot(of: entry.advertisingHandle)
            guard !slots.contains(slot) else { throw .invalidHCICommandParameters }
            slots.append(slot)
        }
        return slots
    }
}
