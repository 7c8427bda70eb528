import BLEWire

/// The periodic advertising of a set (Vol 4, Part E, 7.8.61 to 7.8.63).
package struct PeriodicAdvertising: Hashable, Sendable {
    /// AD structures, as many octets as the controller takes for a set.
    package var data: [UInt8]
    /// In units of 1.25 ms, 6 to 65535.
    package var intervalMinimum: UInt16
    package var intervalMaximum: UInt16
    /// Whether the packets have the transmit power.
    package var includesTransmitPower: Bool
    /// Whether the packets identify their data, so that receivers can leave out duplicates.
    package var includesDataInfo: Bool
    /// Nil for a train without responses. A train with them sends the data of its subevents instead of `data`.
    package var subevents: HCI.PeriodicSubevents?

    /// The default interval is 100 ms to 150 ms.
    package init(
        data: [UInt8], intervalMinimum: UInt16 = 80, intervalMaximum: UInt16 = 120, includesTransmitPower: Bool = false,
        includesDataInfo: Bool = false, subevents: HCI.PeriodicSubevents? = nil
    ) {
        self.subevents = subevents
        self.data = data
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
        self.includesTransmitPower = includesTransmitPower
        self.includesDataInfo = includesDataInfo
    }

    /// The reason why a controller cannot advertise so; nil if it can.
    func refusal(_ capabilities: ControllerCapabilities) -> HCI.ErrorCode? {
        guard capabilities.hasPeriodicAdvertising,
            !includesDataInfo || capabilities.features.contains(.periodicAdvertisingADI),
            subevents == nil || capabilities.hasPeriodicResponses
        else { return .unsupportedFeatureOrParameterValue }
        guard intervalMinimum >= 6, intervalMinimum <= intervalMaximum,
            subevents?.isValid(with: intervalMinimum) ?? true
        else { return .invalidHCICommandParameters }
        return data.count > capabilities.maximumAdvertisingData ? .memoryCapacityExceeded : nil
    }
}

/// A train of periodic advertising: its advertiser and the advertising set.
package struct PeriodicTrainIdentifier: Hashable, Sendable {
    package let address: DeviceAddress
    /// The Advertising SID, 0 to 15.
    package let sid: UInt8

    package init(address: DeviceAddress, sid: UInt8) {
        self.address = address
        self.sid = sid
    }
}

/// How a train is received (Vol 4, Part E, 7.8.67).
package struct PeriodicSyncParameters: Hashable, Sendable {
    /// The events that the controller may skip after a received one, 0 to 499.
    package var skip: UInt16
    /// In units of 10 ms, 10 to 16384.
    package var timeout: UInt16
    /// Whether the controller reports data.
    package var reports: Bool
    package var filtersDuplicates: Bool

    /// The default timeout is 10 s.
    package init(skip: UInt16 = 0, timeout: UInt16 = 1_000, reports: Bool = true, filtersDuplicates: Bool = false) {
        self.skip = skip
        self.timeout = timeout
        self.reports = reports
        self.filtersDuplicates = filtersDuplicates
    }

    var isValid: Bool { skip <= 499 && (10...0x4000).contains(timeout) }

    var enable: HCI.PeriodicReceiveEnable {
        var enable: HCI.PeriodicReceiveEnable = reports ? .reports : []
        if filtersDuplicates { enable.insert(.filtersDuplicates) }
        return enable
    }

    var options: HCI.PeriodicSyncOptions {
        var options: HCI.PeriodicSyncOptions = reports ? [] : .reportsAreOff
        if filtersDuplicates { options.insert(.filtersDuplicates) }
        return options
    }

    /// What the controller does with the trains that a peer tells it.
    var transferMode: HCI.SyncTransferMode {
        reports ? filtersDuplicates ? .reportWithoutDuplicates : .report : .synchronize
    }
}

extension ControllerCapabilities {
    /// Whether the controller advertises periodically.
    var hasPeriodicAdvertising: Bool {
        has(
            .periodicAdvertising,
            [.leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData, .leSetPeriodicAdvertisingEnable])
    }

    /// Whether the controller advertises periodically with responses.
    var hasPeriodicResponses: Bool {
        has(
            .periodicAdvertisingWithResponsesAdvertiser,
            [.leSetPeriodicAdvertisingParametersV2, .leSetPeriodicAdvertisingSubeventData])
    }

    /// Whether the controller receives trains with responses, and responds.
    var answersPeriodicAdvertising: Bool {
        has(
            .periodicAdvertisingWithResponsesScanner,
            [.leSetPeriodicSyncSubevent, .leSetPeriodicAdvertisingResponseData])
    }

    /// Whether the controller receives periodic advertising.
    var receivesPeriodicAdvertising: Bool {
        has(
            .periodicAdvertising,
            [
                .lePeriodicAdvertisingCreateSync, .lePeriodicAdvertisingCreateSyncCancel,
                .lePeriodicAdvertisingTerminateSync,
            ])
    }

    /// Whether the controller looks for several trains at a time.
    var hasPeriodicAdvertiserList: Bool {
        has(
            .periodicAdvertising,
            [
                .leAddDeviceToPeriodicAdvertiserList, .leRemoveDeviceFromPeriodicAdvertiserList,
                .leReadPeriodicAdvertiserListSize,
            ])
    }

    /// Whether the controller tells peers of trains.
    var sendsSyncTransfers: Bool {
        has(
            .periodicSyncTransferSender, [.lePeriodicAdvertisingSyncTransfer, .lePeriodicAdvertisingSetInfoTransfer])
    }

    /// Whether the controller synchronizes with trains of which peers tell.
    var receivesSyncTransfers: Bool {
        has(.periodicSyncTransferRecipient, [.leSetPeriodicAdvertisingSyncTransferParameters])
    }

    private func has(_ feature: HCI.LEFeatures, _ commands: [HCI.Opcode]) -> Bool {
        usesExtendedAdvertising && features.contains(feature) && commands.allSatisfy(has)
    }
}
