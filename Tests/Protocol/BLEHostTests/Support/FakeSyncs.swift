import BLEWire

@testable import BLEHost

/// The reception of trains by a controller without radio, with the checks of Vol 4, Part E, 7.8.67 to 7.8.73 and 7.8.88 to 7.8.91 that a host can
/// offend.
struct FakeSyncs {
    var listSize: UInt8 = 4
    private(set) var pending: HCI.LEPeriodicAdvertisingCreateSync?
    private(set) var list: Set<PeriodicTrainIdentifier> = []
    /// The options of reports, by handle.
    private(set) var enables: [UInt16: HCI.PeriodicReceiveEnable] = [:]

    /// The trains of the search.
    var searched: Set<PeriodicTrainIdentifier> {
        guard let pending else { return [] }
        if pending.options.contains(.usesList) { return list }
        return [PeriodicTrainIdentifier(address: pending.advertiserAddress, sid: pending.advertisingSID)]
    }

    mutating func removeAll() { self = FakeSyncs(listSize: listSize) }

    mutating func create(_ parameters: Span<UInt8>) -> HCI.ErrorCode {
        guard let command = try? HCI.LEPeriodicAdvertisingCreateSync(decoding: parameters) else {
            return .invalidHCICommandParameters
        }
        guard pending == nil else { return .commandDisallowed }
        pending = command
        return .success
    }

    /// Ends the search.
    mutating func end(handle: UInt16? = nil) {
        if let handle { enables[handle] = pending?.options.contains(.reportsAreOff) == true ? [] : .reports }
        pending = nil
    }

    mutating func add(_ handle: UInt16) { enables[handle] = .reports }
    mutating func lose(_ handle: UInt16) { enables[handle] = nil }

    /// Returns nil for a command that is answered otherwise.
    mutating func status(_ opcode: HCI.Opcode, _ parameters: Span<UInt8>) -> HCI.ErrorCode? {
        do {
            switch opcode {
            case .lePeriodicAdvertisingTerminateSync:
                if pending != nil { return .commandDisallowed }
                let handle = try HCI.LEPeriodicAdvertisingTerminateSync(decoding: parameters).syncHandle
                guard enables.removeValue(forKey: handle) != nil else { return .unknownAdvertisingIdentifier }
            case .leAddDeviceToPeriodicAdvertiserList:
                let command = try HCI.LEAddDeviceToPeriodicAdvertiserList(decoding: parameters)
                if pending != nil { return .commandDisallowed }
                if list.count == Int(listSize) { return .memoryCapacityExceeded }
                let train = PeriodicTrainIdentifier(address: command.advertiserAddress, sid: command.advertisingSID)
                return list.insert(train).inserted ? .success : .invalidHCICommandParameters
            case .leRemoveDeviceFromPeriodicAdvertiserList:
                let command = try HCI.LERemoveDeviceFromPeriodicAdvertiserList(decoding: parameters)
                if pending != nil { return .commandDisallowed }
                let train = PeriodicTrainIdentifier(address: command.advertiserAddress, sid: command.advertisingSID)
                return list.remove(train) == nil ? .unknownAdvertisingIdentifier : .success
            case .leSetPeriodicAdvertisingReceiveEnable:
                let command = try HCI.LESetPeriodicAdvertisingReceiveEnable(decoding: parameters)
                let handle = command.syncHandle
                guard enables[handle] != nil else { return .unknownAdvertisingIdentifier }
                enables[handle] = command.enable
            default: return nil
            }
            return .success
        } catch { return .invalidHCICommandParameters }
    }
}

extension FakeController {
    static let periodicCommands: [HCI.Opcode] = [
        .leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData, .leSetPeriodicAdvertisingEnable,
        .lePeriodicAdvertisingCreateSync, .lePeriodicAdvertisingCreateSyncCancel, .lePeriodicAdvertisingTerminateSync,
        .leAddDeviceToPeriodicAdvertiserList, .leRemoveDeviceFromPeriodicAdvertiserList,
        .leReadPeriodicAdvertiserListSize, .leSetPeriodicAdvertisingReceiveEnable, .lePeriodicAdvertisingSyncTransfer,
        .lePeriodicAdvertisingSetInfoTransfer, .leSetPeriodicAdvertisingSyncTransferParameters,
    ]

    /// Makes this a controller with periodic advertising.
    func becomePeriodic(_ more: HCI.LEFeatures = []) {
        becomeExtended(
            more.union([.periodicAdvertising, .periodicSyncTransferSender, .periodicSyncTransferRecipient]))
        for command in Self.periodicCommands { supported.insert(command) }
    }

    /// Ends the search: a train is found, unless there is an error.
    func establish(
        _ address: DeviceAddress, sid: UInt8, handle: UInt16 = 0, _ status: HCI.ErrorCode = .success
    ) {
        syncs.end(handle: status == .success ? handle : nil)
        emit(
            le: HCI.LEPeriodicAdvertisingSyncEstablished(
                status: status, syncHandle: handle, advertisingSID: sid, advertiserAddress: address,
                advertiserPHY: .le1M, interval: 80, advertiserClockAccuracy: .ppm20))
    }

    /// A peer has told of a train.
    func tell(_ train: PeriodicTrainIdentifier, handle: UInt16, over link: UInt16, serviceData: UInt16 = 0) {
        syncs.add(handle)
        emit(
            le: HCI.LEPeriodicAdvertisingSyncTransferReceived(
                status: .success, connectionHandle: link, serviceData: serviceData,
                syncHandle: handle, advertisingSID: train.sid, advertiserAddress: train.address,
                advertiserPHY: .le1M, interval: 80, advertiserClockAccuracy: .ppm20))
    }

    func loseSync(_ handle: UInt16) {
        syncs.lose(handle)
        emit(le: HCI.LEPeriodicAdvertisingSyncLost(syncHandle: handle))
    }

    /// The report of a train, or a part of it.
    func periodicReport(_ handle: UInt16, _ data: [UInt8], _ status: UInt8 = 0, rssi: Int8 = -40, txPower: Int8 = 127) {
        var packet: [UInt8] = []
        try? packet.append(
            leEvent: HCI.LEPeriodicAdvertisingReport(
                syncHandle: handle, txPower: txPower, rssi: rssi, dataStatus: .init(rawValue: status), data: data.span))
        emit(packet)
    }
}
