import BLEWire

/// The commands of the start-up sequence.
extension StartUp {
    /// Sends the command of the current step.
    func send(_ commands: inout CommandPump) {
        switch step {
        case .reset: commands.enqueue(HCI.Reset(), for: .startUp)
        case .readVersion: commands.enqueue(HCI.ReadLocalVersionInformation(), for: .startUp)
        case .readCommands: commands.enqueue(HCI.ReadLocalSupportedCommands(), for: .startUp)
        case .readClassicFeatures: commands.enqueue(HCI.ReadLocalSupportedFeatures(), for: .startUp)
        case .setEventMask:
            commands.enqueue(
                HCI.SetEventMask(mask: [
                    .disconnectionComplete, .encryptionChange, .hardwareError, .dataBufferOverflow,
                    .encryptionKeyRefreshComplete, .leMeta,
                ]),
                for: .startUp)
        case .writeLEHostSupport: commands.enqueue(HCI.WriteLEHostSupport(leSupportedHost: true), for: .startUp)
        case .readFeatures: commands.enqueue(HCI.LEReadLocalSupportedFeatures(), for: .startUp)
        case .setLEEventMask: commands.enqueue(HCI.LESetEventMask(mask: leEventMask), for: .startUp)
        case .readMaximumAdvertisingData:
            commands.enqueue(HCI.LEReadMaximumAdvertisingDataLength(), for: .startUp)
        case .readAdvertisingSets:
            commands.enqueue(HCI.LEReadNumberOfSupportedAdvertisingSets(), for: .startUp)
        case .clearAdvertisingSets: commands.enqueue(HCI.LEClearAdvertisingSets(), for: .startUp)
        case .setExtendedScanParameters:
            // The scanner sets its own.
            commands.enqueue(
                HCI.LESetExtendedScanParameters(
                    ownAddressType: .public, phys: .le1M,
                    entries: [.init(scanType: .passive, interval: 0x10, window: 0x10)]),
                for: .startUp)
        case .stopExtendedScan: commands.enqueue(HCI.LESetExtendedScanEnable(enable: false), for: .startUp)
        case .readPeriodicListSize: commands.enqueue(HCI.LEReadPeriodicAdvertiserListSize(), for: .startUp)
        case .setEventMaskPage2:
            commands.enqueue(HCI.SetEventMaskPage2(mask: .authenticatedPayloadTimeoutExpired), for: .startUp)
        case .readLEBufferSize: commands.enqueue(HCI.LEReadBufferSize(), for: .startUp)
        case .readBufferSize: commands.enqueue(HCI.ReadBufferSize(), for: .startUp)
        case .readStates: commands.enqueue(HCI.LEReadSupportedStates(), for: .startUp)
        case .readAcceptListSize: commands.enqueue(HCI.LEReadFilterAcceptListSize(), for: .startUp)
        case .clearAcceptList: commands.enqueue(HCI.LEClearFilterAcceptList(), for: .startUp)
        case .readResolvingListSize: commands.enqueue(HCI.LEReadResolvingListSize(), for: .startUp)
        case .readAddress: commands.enqueue(HCI.ReadBDADDR(), for: .startUp)
        case .setRandomAddress:
            commands.enqueue(HCI.LESetRandomAddress(address: ownAddress ?? fallbackAddress), for: .startUp)
        case .readMaximumDataLength: commands.enqueue(HCI.LEReadMaximumDataLength(), for: .startUp)
        case .writeDefaultDataLength:
            let longest = capabilities.longestData
            commands.enqueue(
                HCI.LEWriteSuggestedDefaultDataLength(maximumTxOctets: longest.octets, maximumTxTime: longest.time),
                for: .startUp)
        case .setDefaultPHY:
            let phys = capabilities.acceptablePHYs(uses2M: uses2MPHY)
            commands.enqueue(HCI.LESetDefaultPHY(txPHYs: phys, rxPHYs: phys), for: .startUp)
        case .enableSubrating:
            let bit = HCI.LEFeatures.subratingHostSupport.rawValue.trailingZeroBitCount
            commands.enqueue(HCI.LESetHostFeature(bitNumber: UInt8(bit), isOn: true), for: .startUp)
        case .setDefaultSubrate:
            // The step needs a value.
            if let acceptedSubrates { commands.enqueue(HCI.LESetDefaultSubrate(acceptedSubrates), for: .startUp) }
        }
    }

    /// The LE events that this host handles and the controller can send (Vol 4, Part E, 7.8.1).
    private var leEventMask: HCI.LEEventMask {
        let features = capabilities.features
        var mask: HCI.LEEventMask = [
            .connectionComplete, .advertisingReport, .connectionUpdateComplete, .readRemoteFeaturesComplete,
        ]
        if features.contains(.encryption) { mask.insert(.longTermKeyRequest) }
        // The form of the event with private addresses.
        if hasCryptography, capabilities.hasResolvingList { mask.insert(.enhancedConnectionComplete) }
        if features.contains(.connectionParametersRequest) { mask.insert(.remoteConnectionParameterRequest) }
        if features.contains(.dataPacketLengthExtension) { mask.insert(.dataLengthChange) }
        if features.contains(.phy2M) || features.contains(.phyCoded) { mask.insert(.phyUpdateComplete) }
        if features.contains(.powerControl) { mask.insert(.transmitPowerReporting) }
        if features.contains(.pathLossMonitoring) { mask.insert(.pathLossThreshold) }
        if features.contains(.subrating), acceptedSubrates != nil { mask.insert(.subrateChange) }
        if capabilities.usesExtendedAdvertising {
            mask.formUnion([.enhancedConnectionComplete, .extendedAdvertisingReport, .advertisingSetTerminated])
        }
        // With the second forms a controller does not send the first ones. Only trains with responses need them.
        if capabilities.receivesPeriodicAdvertising {
            mask.formUnion([
                .periodicAdvertisingSyncEstablished, .periodicAdvertisingReport, .periodicAdvertisingSyncLost,
            ])
        }
        if capabilities.receivesSyncTransfers { mask.insert(.periodicAdvertisingSyncTransferReceived) }
        if capabilities.hasPeriodicResponses {
            mask.formUnion([.periodicAdvertisingSubeventDataRequest, .periodicAdvertisingResponseReport])
        }
        if capabilities.answersPeriodicAdvertising {
            mask.formUnion([.periodicAdvertisingSyncEstablishedV2, .periodicAdvertisingReportV2])
            if capabilities.receivesSyncTransfers { mask.insert(.periodicAdvertisingSyncTransferReceivedV2) }
        }
        return mask
    }
}

extension HCI.LESetDefaultSubrate {
    fileprivate init(_ accepted: RequestedSubrate) {
        self.init(
            factorMinimum: accepted.factors.lowerBound, factorMaximum: accepted.factors.upperBound,
            maximumLatency: accepted.latency, continuationNumber: accepted.continuationNumber,
            supervisionTimeout: accepted.timeout)
    }
}
