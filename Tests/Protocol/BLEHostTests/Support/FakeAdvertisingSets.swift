import BLEWire

/// The advertising sets of a controller without radio, with the checks of Vol 4, Part E, 7.8.52 to 7.8.63 that a host can offend.
struct FakeAdvertisingSets {
    struct Content {
        var parameters: HCI.LESetExtendedAdvertisingParameters
        var address: DeviceAddress?
        var data: [UInt8] = []
        var scanResponse: [UInt8] = []
        /// Fragments whose last one has not come.
        var isPartial = false
        var isOn = false
        var train: Train?

        var isLegacy: Bool { parameters.properties.contains(.legacy) }
        var isConnectable: Bool { parameters.properties.contains(.connectable) }
        var isScannable: Bool { parameters.properties.contains(.scannable) }
        var canHaveTrain: Bool {
            parameters.properties.isDisjoint(with: [.legacy, .connectable, .scannable, .anonymous])
        }
    }

    struct Train {
        var parameters: HCI.LESetPeriodicAdvertisingParameters
        var data: [UInt8] = []
        var isPartial = false
        var enable: HCI.PeriodicAdvertisingEnable = []

        var isOn: Bool { enable.contains(.on) }
    }

    var capacity: UInt8 = 4
    var maximumData: UInt16 = 1650
    private(set) var sets: [UInt8: Content] = [:]

    /// The enabled connectable set with the lowest handle.
    var connectable: UInt8? { sets.filter { $0.value.isOn && $0.value.isConnectable }.keys.min() }

    mutating func removeAll() { sets = [:] }

    mutating func stop(_ handle: UInt8) { sets[handle]?.isOn = false }

    /// Returns nil for a command that is none of sets.
    mutating func status(_ opcode: HCI.Opcode, _ parameters: Span<UInt8>) -> HCI.ErrorCode? {
        do {
            switch opcode {
            case .leSetExtendedAdvertisingParameters:
                return create(try HCI.LESetExtendedAdvertisingParameters(decoding: parameters))
            case .leSetAdvertisingSetRandomAddress:
                let command = try HCI.LESetAdvertisingSetRandomAddress(decoding: parameters)
                guard let set = sets[command.advertisingHandle] else { return .unknownAdvertisingIdentifier }
                if set.isOn, set.isConnectable { return .commandDisallowed }
                sets[command.advertisingHandle]?.address = command.address
                return .success
            case .leSetExtendedAdvertisingData:
                let command = try HCI.LESetExtendedAdvertisingData(decoding: parameters)
                let isAllowed = sets[command.advertisingHandle].map { $0.isLegacy || !$0.isScannable } ?? true
                return set(command.advertisingHandle, command.operation, [UInt8](command.data), isAllowed, \.data)
            case .leSetExtendedScanResponseData:
                let command = try HCI.LESetExtendedScanResponseData(decoding: parameters)
                let isAllowed = sets[command.advertisingHandle]?.isScannable ?? true
                return set(
                    command.advertisingHandle, command.operation, [UInt8](command.data), isAllowed, \.scanResponse)
            case .leSetExtendedAdvertisingEnable:
                return enable(try HCI.LESetExtendedAdvertisingEnable(decoding: parameters))
            case .leRemoveAdvertisingSet:
                let handle = try HCI.LERemoveAdvertisingSet(decoding: parameters).advertisingHandle
                guard let set = sets[handle] else { return .unknownAdvertisingIdentifier }
                if set.isOn || set.train?.isOn == true { return .commandDisallowed }
                sets[handle] = nil
                return .success
            case .leClearAdvertisingSets:
                if sets.values.contains(where: \.isOn) { return .commandDisallowed }
                sets = [:]
                return .success
            default: return try trainStatus(opcode, parameters)
            }
        } catch { return .invalidHCICommandParameters }
    }

    /// Vol 4, Part E, 7.8.61 to 7.8.63.
    private mutating func trainStatus(_ opcode: HCI.Opcode, _ parameters: Span<UInt8>) throws -> HCI.ErrorCode? {
        switch opcode {
        case .leSetPeriodicAdvertisingParameters:
            let command = try HCI.LESetPeriodicAdvertisingParameters(decoding: parameters)
            guard let set = sets[command.advertisingHandle] else { return .unknownAdvertisingIdentifier }
            guard set.canHaveTrain, command.intervalMinimum >= 6, command.intervalMinimum <= command.intervalMaximum
            else { return .invalidHCICommandParameters }
            if set.train?.isOn == true { return .commandDisallowed }
            sets[command.advertisingHandle]?.train = Train(parameters: command, data: set.train?.data ?? [])
        case .leSetPeriodicAdvertisingData:
            let command = try HCI.LESetPeriodicAdvertisingData(decoding: parameters)
            guard let set = sets[command.advertisingHandle] else { return .unknownAdvertisingIdentifier }
            guard var train = set.train, !train.isOn || command.operation == .complete else {
                return .commandDisallowed
            }
            switch command.operation {
            case .complete, .first: train.data = [UInt8](command.data)
            case .intermediate,
                .last where train.isPartial:
                train.data += [UInt8](command.data)
            default: return .invalidHCICommandParameters
            }
            if train.data.count > Int(maximumData) { return .memoryCapacityExceeded }
            train.isPartial = command.operation == .first || command.operation == .intermediate
            sets[command.advertisingHandle]?.train = train
        case .leSetPeriodicAdvertisingEnable:
            let command = try HCI.LESetPeriodicAdvertisingEnable(decoding: parameters)
            guard let set = sets[command.advertisingHandle] else { return .unknownAdvertisingIdentifier }
            if command.enable.contains(.on), set.train?.isPartial != false || !set.canHaveTrain {
                return .commandDisallowed
            }
            sets[command.advertisingHandle]?.train?.enable = command.enable
        default: return nil
        }
        return .success
    }

    private mutating func create(_ command: HCI.LESetExtendedAdvertisingParameters) -> HCI.ErrorCode {
        let handle = command.advertisingHandle
        guard handle <= 0xEF, command.advertisingSID <= 15, command.intervalMinimum >= 0x20 else {
            return .invalidHCICommandParameters
        }
        let properties = command.properties
        if !properties.contains(.legacy), properties.isSuperset(of: [.connectable, .scannable]) {
            return .invalidHCICommandParameters
        }
        if let set = sets[handle] {
            if set.isOn { return .commandDisallowed }
            let isOtherPHY = command.secondaryPHY != set.parameters.secondaryPHY
            if set.train?.isOn == true, isOtherPHY || properties != set.parameters.properties {
                return .commandDisallowed
            }
            let isTooLong = properties.contains(.legacy) && max(set.data.count, set.scanResponse.count) > 31
            let isData = !set.data.isEmpty && !properties.contains(.legacy) && properties.contains(.scannable)
            let isResponse = !set.scanResponse.isEmpty && !properties.contains(.scannable)
            if isTooLong || isData || isResponse { return .invalidHCICommandParameters }
            sets[handle]?.parameters = command
            return .success
        }
        if sets.count >= Int(capacity) { return .memoryCapacityExceeded }
        sets[handle] = Content(parameters: command)
        return .success
    }

    private mutating func set(
        _ handle: UInt8, _ operation: HCI.DataOperation, _ octets: [UInt8], _ isAllowed: Bool,
        _ field: WritableKeyPath<Content, [UInt8]>
    ) -> HCI.ErrorCode {
        guard var set = sets[handle] else { return .unknownAdvertisingIdentifier }
        guard isAllowed else { return .invalidHCICommandParameters }
        if set.isOn, operation != .complete { return .commandDisallowed }
        switch operation {
        case .complete, .first: set[keyPath: field] = octets
        case .intermediate, .last:
            guard set.isPartial, !octets.isEmpty else { return .invalidHCICommandParameters }
            set[keyPath: field] += octets
        default: return .invalidHCICommandParameters
        }
        if set.isLegacy, operation != .complete || octets.count > 31 { return .invalidHCICommandParameters }
        if set[keyPath: field].count > Int(maximumData) { return .memoryCapacityExceeded }
        set.isPartial = operation == .first || operation == .intermediate
        sets[handle] = set
        return .success
    }

    private mutating func enable(_ command: HCI.LESetExtendedAdvertisingEnable) -> HCI.ErrorCode {
        if command.sets.isEmpty {
            guard !command.enable else { return .invalidHCICommandParameters }
            for handle in sets.keys { sets[handle]?.isOn = false }
        }
        for entry in command.sets {
            guard let set = sets[entry.advertisingHandle] else { return .unknownAdvertisingIdentifier }
            if command.enable {
                if set.isPartial { return .commandDisallowed }
                if set.isScannable, !set.isLegacy, set.scanResponse.isEmpty { return .commandDisallowed }
                let type = set.parameters.ownAddressType
                if type == .random || type == .resolvableOrRandom, set.address == nil {
                    return .invalidHCICommandParameters
                }
            }
            sets[entry.advertisingHandle]?.isOn = command.enable
        }
        return .success
    }
}

/// The two kinds of commands for advertising, scanning and connecting, of which a host uses one between resets (Vol 4, Part E, 3.1.1).
enum CommandKind {
    case legacy, extended

    init?(_ opcode: HCI.Opcode) {
        switch opcode {
        case .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
            .leSetScanParameters, .leSetScanEnable, .leCreateConnection, .leReadAdvertisingPhysicalChannelTxPower:
            self = .legacy
        case .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData,
            .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
            .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet, .leClearAdvertisingSets,
            .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
            .leSetAdvertisingSetRandomAddress:
            self = .extended
        default: return nil
        }
    }
}

extension FakeController {
    static let extendedCommands: [HCI.Opcode] = [
        .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
        .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
        .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet, .leClearAdvertisingSets,
        .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
    ]

    /// Makes this a controller with extended advertising.
    func becomeExtended(_ more: HCI.LEFeatures = []) {
        features.formUnion(more.union(.extendedAdvertising))
        for command in Self.extendedCommands + [.leReadPHY] { supported.insert(command) }
    }

    /// An extended report, alone in its event.
    func report(
        _ type: UInt16 = 0x01, from address: UInt64, kind: UInt8 = 1, _ data: [UInt8] = [2, 1, 6], sid: UInt8 = 0,
        primary: UInt8 = 1, secondary: UInt8 = 1, txPower: Int8 = 127
    ) {
        report(
            type, from: DeviceAddress(kind: .init(rawValue: kind), value: address), data, sid: sid, primary: primary,
            secondary: secondary, txPower: txPower)
    }

    func report(
        _ type: UInt16, from address: DeviceAddress, _ data: [UInt8], sid: UInt8, primary: UInt8, secondary: UInt8,
        txPower: Int8 = 127
    ) {
        var octets: [UInt8] = [1]
        try? octets.append(
            encoding: HCI.ExtendedAdvertisingReport(
                eventType: .init(rawValue: type), address: address, primaryPHY: primary, secondaryPHY: secondary,
                advertisingSID: sid, txPower: txPower, rssi: -40, data: data.span))
        emit([0x04, 0x3E, UInt8(octets.count + 1), 0x0D] + octets)
    }
}
