import BLEWire

/// The start-up sequence as a table of steps. Each step has a condition and is either required or optional. Optional
/// commands are sent only if the controller lists them as supported, because some controllers do not even refuse the
/// others.
struct StartUp: Sendable {
    /// In the order of execution.
    enum Step: Int, CaseIterable, Sendable {
        case reset
        case readVersion
        case readCommands
        case readClassicFeatures
        case setEventMask
        case writeLEHostSupport
        case readFeatures
        case setLEEventMask
        case readMaximumAdvertisingData
        case readAdvertisingSets
        case clearAdvertisingSets
        /// A command that some controllers claim to have and refuse.
        case setExtendedScanParameters
        case stopExtendedScan
        case readPeriodicListSize
        case setEventMaskPage2
        case readLEBufferSize
        case readBufferSize
        case readStates
        case readAcceptListSize
        case clearAcceptList
        case readResolvingListSize
        case readAddress
        case setRandomAddress
        case readMaximumDataLength
        case writeDefaultDataLength
        case setDefaultPHY
        case enableSubrating
        case setDefaultSubrate

        var isMandatory: Bool {
            switch self {
            case .reset, .setEventMask, .readFeatures, .setLEEventMask, .readLEBufferSize, .readBufferSize,
                .setRandomAddress:
                true
            default: false
            }
        }

        /// Whether the command is one of extended advertising or scanning. None of them has an effect that lasts in a controller that was reset.
        var isExtended: Bool {
            switch self {
            case .readMaximumAdvertisingData, .readAdvertisingSets, .clearAdvertisingSets, .setExtendedScanParameters,
                .stopExtendedScan:
                true
            default: false
            }
        }

        /// The number of octets of the return parameters to decode.
        var answerCount: Int {
            switch self {
            case .readVersion, .readClassicFeatures, .readFeatures, .readStates, .readMaximumDataLength: 9
            case .readCommands: 65
            case .readLEBufferSize: 4
            case .readBufferSize: 8
            case .readAcceptListSize, .readResolvingListSize, .readAdvertisingSets, .readPeriodicListSize: 2
            case .readMaximumAdvertisingData: 3
            case .readAddress: 7
            case .reset, .setEventMask, .writeLEHostSupport, .setLEEventMask, .setEventMaskPage2, .clearAcceptList,
                .setRandomAddress, .writeDefaultDataLength, .setDefaultPHY, .clearAdvertisingSets,
                .setExtendedScanParameters, .stopExtendedScan, .enableSubrating, .setDefaultSubrate:
                1
            }
        }

        var opcode: HCI.Opcode {
            switch self {
            case .reset: .reset
            case .readVersion: .readLocalVersionInformation
            case .readCommands: .readLocalSupportedCommands
            case .readClassicFeatures: .readLocalSupportedFeatures
            case .setEventMask: .setEventMask
            case .writeLEHostSupport: .writeLEHostSupport
            case .readFeatures: .leReadLocalSupportedFeatures
            case .setLEEventMask: .leSetEventMask
            case .readMaximumAdvertisingData: .leReadMaximumAdvertisingDataLength
            case .readAdvertisingSets: .leReadNumberOfSupportedAdvertisingSets
            case .clearAdvertisingSets: .leClearAdvertisingSets
            case .setExtendedScanParameters: .leSetExtendedScanParameters
            case .stopExtendedScan: .leSetExtendedScanEnable
            case .readPeriodicListSize: .leReadPeriodicAdvertiserListSize
            case .setEventMaskPage2: .setEventMaskPage2
            case .readLEBufferSize: .leReadBufferSize
            case .readBufferSize: .readBufferSize
            case .readStates: .leReadSupportedStates
            case .readAcceptListSize: .leReadFilterAcceptListSize
            case .clearAcceptList: .leClearFilterAcceptList
            case .readResolvingListSize: .leReadResolvingListSize
            case .readAddress: .readBDADDR
            case .setRandomAddress: .leSetRandomAddress
            case .readMaximumDataLength: .leReadMaximumDataLength
            case .writeDefaultDataLength: .leWriteSuggestedDefaultDataLength
            case .setDefaultPHY: .leSetDefaultPHY
            case .enableSubrating: .leSetHostFeature
            case .setDefaultSubrate: .leSetDefaultSubrate
            }
        }
    }

    enum Action: Hashable, Sendable {
        case send(Step)
        /// The host is ready; this is its address.
        case finish(DeviceAddress)
        case fail(HostError)
    }

    private(set) var capabilities = ControllerCapabilities()
    private(set) var step = Step.reset
    /// The address of the host, known after `readAddress`.
    private(set) var ownAddress: DeviceAddress?
    private let identityAddress: DeviceAddress?
    /// Used if there is neither an identity address nor a public address.
    let fallbackAddress: DeviceAddress
    private let usesDataLengthExtension: Bool
    private let usesExtendedAdvertising: Bool
    /// Whether the controller has refused a command of extended advertising that it claims to have.
    private var refusesExtendedAdvertising: Bool
    let hasCryptography: Bool
    let uses2MPHY: Bool
    let acceptedSubrates: RequestedSubrate?

    /// - Parameters:
    ///   - hasCryptography: Whether the host has the cryptography for pairings and private addresses.
    ///   - refusesExtendedAdvertising: Whether the controller has failed at a command of extended advertising before.
    init(
        configuration: HostConfiguration, fallbackAddress: DeviceAddress, hasCryptography: Bool = false,
        refusesExtendedAdvertising: Bool = false
    ) {
        self.refusesExtendedAdvertising = refusesExtendedAdvertising
        self.hasCryptography = hasCryptography
        identityAddress = configuration.identityAddress
        self.fallbackAddress = fallbackAddress
        usesDataLengthExtension = configuration.usesDataLengthExtension
        uses2MPHY = configuration.uses2MPHY
        acceptedSubrates = configuration.acceptedSubrates
        usesExtendedAdvertising = configuration.usesExtendedAdvertising
    }

    mutating func begin() -> Action { .send(.reset) }

    /// Takes the return parameters of the current step's command.
    mutating func answered(_ parameters: Span<UInt8>) -> Action {
        guard !parameters.isEmpty else { return refused(.malformedAnswer(step.opcode)) }
        let status = HCI.ErrorCode(rawValue: parameters[0])
        guard status == .success else { return refused(.commandFailed(step.opcode, status)) }
        do throws(DecodeError) {
            // Ignores octets beyond the return parameters that the step decodes, which a later version may append.
            try learn(from: parameters.extracting(first: min(parameters.count, step.answerCount)))
        } catch {
            return refused(.malformedAnswer(step.opcode))
        }
        if step == .readLEBufferSize, capabilities.bufferLength == 0 || capabilities.bufferCount == 0 {
            capabilities.bufferLength = 0
        }
        if step == .readBufferSize, capabilities.bufferLength == 0 || capabilities.bufferCount == 0 {
            return .fail(.noDataBuffers)
        }
        return advance()
    }

    /// The current step's command was refused with Command Status.
    mutating func refused(with status: HCI.ErrorCode) -> Action {
        refused(.commandFailed(step.opcode, status))
    }

    mutating func timedOut() -> Action { refused(.noAnswer(step.opcode)) }

    private mutating func refused(_ failure: HostError) -> Action {
        if step.isExtended {
            // The controller accepts legacy commands only after a reset (Vol 4, Part E, 3.1.1).
            refusesExtendedAdvertising = true
            capabilities = ControllerCapabilities()
            step = .reset
            return .send(.reset)
        }
        return step.isMandatory ? .fail(failure) : advance()
    }

    private mutating func advance() -> Action {
        while let next = Step(rawValue: step.rawValue + 1) {
            step = next
            if next == .setRandomAddress { chooseAddress() }
            if isNeeded(next) { return .send(next) }
        }
        chooseAddress()
        return ownAddress.map { .finish($0) } ?? .finish(fallbackAddress)
    }

    private mutating func chooseAddress() {
        guard ownAddress == nil else { return }
        let publicAddress = capabilities.publicAddress
        ownAddress = identityAddress ?? (publicAddress.isZero ? fallbackAddress : publicAddress)
    }

    private func isNeeded(_ step: Step) -> Bool {
        switch step {
        case .reset, .readVersion, .readCommands, .setEventMask, .readFeatures, .setLEEventMask, .readLEBufferSize:
            true
        case .writeLEHostSupport:
            // If the controller also supports BR/EDR, the host has to enable LE (Vol 4, Part E, 7.3.79).
            capabilities.has(.writeLEHostSupport) && capabilities.classicFeatures.contains(.leSupportedController)
                && !capabilities.classicFeatures.contains(.brEDRNotSupported)
        case .readBufferSize:
            // LE shares the buffers of BR/EDR (Vol 4, Part E, 7.8.2).
            capabilities.bufferLength == 0
        case .readMaximumAdvertisingData, .readAdvertisingSets, .clearAdvertisingSets, .setExtendedScanParameters,
            .stopExtendedScan:
            capabilities.usesExtendedAdvertising
        case .readPeriodicListSize: capabilities.hasPeriodicAdvertiserList
        case .setRandomAddress:
            // Only a random address has to be set (Vol 4, Part E, 7.8.4).
            ownAddress?.kind == .random
        case .readMaximumDataLength, .writeDefaultDataLength:
            // Vol 4, Part E, 7.8.35 and 7.8.46.
            usesDataLengthExtension && capabilities.features.contains(.dataPacketLengthExtension)
                && capabilities.has(step.opcode)
        case .setDefaultPHY:
            // Vol 4, Part E, 7.8.48.
            capabilities.acceptablePHYs(uses2M: uses2MPHY) != .le1M && capabilities.has(.leSetDefaultPHY)
        case .enableSubrating, .setDefaultSubrate:
            // Vol 4, Part E, 7.8.115 and 7.8.123.
            acceptedSubrates != nil && capabilities.features.contains(.subrating) && capabilities.has(step.opcode)
        case .readResolvingListSize:
            hasCryptography && capabilities.hasResolvingList
        case .setEventMaskPage2:
            // The page has one event for this host (Vol 4, Part E, 7.3.69).
            hasCryptography && capabilities.features.isSuperset(of: [.encryption, .ping])
                && capabilities.has(.setEventMaskPage2)
        case .readClassicFeatures, .readStates, .readAcceptListSize, .clearAcceptList, .readAddress:
            capabilities.has(step.opcode)
        }
    }

    private mutating func learn(from parameters: Span<UInt8>) throws(DecodeError) {
        switch step {
        case .readVersion:
            capabilities.version = try HCI.ReadLocalVersionInformation.ReturnParameters(decoding: parameters).hciVersion
        case .readCommands:
            capabilities.commands =
                try HCI.ReadLocalSupportedCommands.ReturnParameters(decoding: parameters).supportedCommands
        case .readClassicFeatures:
            capabilities.classicFeatures =
                try HCI.ReadLocalSupportedFeatures.ReturnParameters(decoding: parameters).features
        case .readFeatures:
            capabilities.features =
                try HCI.LEReadLocalSupportedFeatures.ReturnParameters(decoding: parameters).features
            capabilities.usesExtendedAdvertising =
                usesExtendedAdvertising && !refusesExtendedAdvertising && capabilities.hasExtendedAdvertising
        case .readMaximumAdvertisingData:
            let maximum = try HCI.LEReadMaximumAdvertisingDataLength.ReturnParameters(decoding: parameters)
            capabilities.maximumAdvertisingData = Int(maximum.maximumLength)
        case .readAdvertisingSets:
            let sets = try HCI.LEReadNumberOfSupportedAdvertisingSets.ReturnParameters(decoding: parameters)
            guard sets.count > 0 else { throw .invalidValue }
            capabilities.advertisingSets = Int(sets.count)
        case .readPeriodicListSize:
            capabilities.periodicListSize =
                Int(try HCI.LEReadPeriodicAdvertiserListSize.ReturnParameters(decoding: parameters).size)
        case .readLEBufferSize:
            let size = try HCI.LEReadBufferSize.ReturnParameters(decoding: parameters)
            capabilities.bufferLength = Int(size.leACLDataPacketLength)
            capabilities.bufferCount = Int(size.totalLEACLDataPackets)
        case .readBufferSize:
            let size = try HCI.ReadBufferSize.ReturnParameters(decoding: parameters)
            capabilities.bufferLength = Int(size.aclDataPacketLength)
            capabilities.bufferCount = Int(size.totalACLDataPackets)
        case .readStates:
            capabilities.states = try HCI.LEReadSupportedStates.ReturnParameters(decoding: parameters).states
        case .readAcceptListSize:
            capabilities.acceptListSize =
                Int(try HCI.LEReadFilterAcceptListSize.ReturnParameters(decoding: parameters).size)
        case .readResolvingListSize:
            capabilities.resolvingListSize =
                Int(try HCI.LEReadResolvingListSize.ReturnParameters(decoding: parameters).size)
        case .readAddress:
            capabilities.publicAddress = try HCI.ReadBDADDR.ReturnParameters(decoding: parameters).address
        case .readMaximumDataLength:
            capabilities.maximumDataLength = try HCI.LEReadMaximumDataLength.ReturnParameters(decoding: parameters)
        case .reset, .setEventMask, .writeLEHostSupport, .setLEEventMask, .setEventMaskPage2, .clearAcceptList,
            .setRandomAddress, .writeDefaultDataLength, .setDefaultPHY, .clearAdvertisingSets,
            .setExtendedScanParameters, .stopExtendedScan, .enableSubrating, .setDefaultSubrate:
            break
        }
    }
}
