import BLEAttribute
import BLELink
import BLEWire

extension HostStack {
    /// The time that a power-off waits for the disconnection of the links.
    static var powerOffPeriod: TimeSpan { .seconds(1) }

    /// Resets the controller (Vol 4, Part E, 7.3.2) and runs the start-up sequence. `.ready` or `.failed` follows. Has
    /// no effect unless the host is off or has failed.
    package mutating func start(at now: Instant) {
        guard phase == .off else { return }
        failures = 0
        lastFailure = nil
        setState(.starting)
        beginStartUp(at: now)
        finish(at: now)
    }

    /// Ends links, scan and advertising. `.off` follows.
    package mutating func powerOff(at now: Instant) {
        switch phase {
        case .off:
            setState(.off)
        case .stopping, .closing:
            break
        case .starting:
            closeController(at: now)
        case .running:
            phase = .stopping(until: now + Self.powerOffPeriod)
            scanner.request(nil)
            if advertiser.requested != nil { advertiser.request(nil) }
            initiator.cancelAll()
            postponed.removeAll()
            for connection in connections { end(connection, .host(.powerOff), at: now) }
            stopIfQuiet(at: now)
        }
        finish(at: now)
    }

    /// Takes the permanent end of the transport.
    package mutating func transportClosed(at now: Instant) {
        let wasStopping = phase == .closing || isStopping
        phase = .off
        tearDown(.controllerLost, at: now)
        setState(wasStopping ? .off : .failed(.transportClosed))
        outgoing.removeAll(keepingCapacity: true)
    }

    var isStopping: Bool {
        if case .stopping = phase { true } else { false }
    }

    mutating func beginStartUp(at now: Instant) {
        phase = .starting
        outgoing.removeAll(keepingCapacity: true)
        startUp = StartUp(
            configuration: configuration, fallbackAddress: fallbackAddress, hasCryptography: crypto != nil)
        perform(startUp.begin(), at: now)
    }

    /// Performs an action of the start-up sequence.
    mutating func perform(_ action: StartUp.Action, at now: Instant) {
        switch action {
        case .send(let step): send(step)
        case .fail(let failure): fail(failure, at: now)
        case .finish(let address):
            capabilities = startUp.capabilities
            endStartUp()
            ownAddress = address
            transmitter.configure(
                fragmentLength: capabilities.bufferLength, bufferCount: capabilities.bufferCount)
            initiator = ConnectionInitiator(capacity: capabilities.acceptListSize)
            phase = .running
            beginPrivacy(at: now)
            setState(.ready)
        }
    }

    private mutating func send(_ step: StartUp.Step) {
        switch step {
        case .reset: enqueue(HCI.Reset(), for: .startUp)
        case .readVersion: enqueue(HCI.ReadLocalVersionInformation(), for: .startUp)
        case .readCommands: enqueue(HCI.ReadLocalSupportedCommands(), for: .startUp)
        case .readClassicFeatures: enqueue(HCI.ReadLocalSupportedFeatures(), for: .startUp)
        case .setEventMask:
            enqueue(
                HCI.SetEventMask(mask: [
                    .disconnectionComplete, .encryptionChange, .hardwareError, .dataBufferOverflow,
                    .encryptionKeyRefreshComplete, .leMeta,
                ]),
                for: .startUp)
        case .writeLEHostSupport: enqueue(HCI.WriteLEHostSupport(leSupportedHost: true), for: .startUp)
        case .readFeatures: enqueue(HCI.LEReadLocalSupportedFeatures(), for: .startUp)
        case .setLEEventMask: enqueue(HCI.LESetEventMask(mask: leEventMask), for: .startUp)
        case .setEventMaskPage2:
            enqueue(HCI.SetEventMaskPage2(mask: .authenticatedPayloadTimeoutExpired), for: .startUp)
        case .readLEBufferSize: enqueue(HCI.LEReadBufferSize(), for: .startUp)
        case .readBufferSize: enqueue(HCI.ReadBufferSize(), for: .startUp)
        case .readStates: enqueue(HCI.LEReadSupportedStates(), for: .startUp)
        case .readAcceptListSize: enqueue(HCI.LEReadFilterAcceptListSize(), for: .startUp)
        case .clearAcceptList: enqueue(HCI.LEClearFilterAcceptList(), for: .startUp)
        case .readResolvingListSize: enqueue(HCI.LEReadResolvingListSize(), for: .startUp)
        case .readAddress: enqueue(HCI.ReadBDADDR(), for: .startUp)
        case .setRandomAddress:
            enqueue(HCI.LESetRandomAddress(address: startUp.ownAddress ?? fallbackAddress), for: .startUp)
        case .readMaximumDataLength: enqueue(HCI.LEReadMaximumDataLength(), for: .startUp)
        case .writeDefaultDataLength:
            let longest = startUp.capabilities.longestData
            enqueue(
                HCI.LEWriteSuggestedDefaultDataLength(maximumTxOctets: longest.octets, maximumTxTime: longest.time),
                for: .startUp)
        case .setDefaultPHY:
            let phys = startUp.capabilities.acceptablePHYs(uses2M: startUp.uses2MPHY)
            enqueue(HCI.LESetDefaultPHY(txPHYs: phys, rxPHYs: phys), for: .startUp)
        }
    }

    /// The LE events that this host handles and the controller can send (Vol 4, Part E, 7.8.1).
    private var leEventMask: HCI.LEEventMask {
        let features = startUp.capabilities.features
        var mask: HCI.LEEventMask = [
            .connectionComplete, .advertisingReport, .connectionUpdateComplete, .readRemoteFeaturesComplete,
        ]
        if features.contains(.encryption) { mask.insert(.longTermKeyRequest) }
        // The form of the event with private addresses.
        if crypto != nil, startUp.capabilities.hasResolvingList { mask.insert(.enhancedConnectionComplete) }
        if features.contains(.connectionParametersRequest) { mask.insert(.remoteConnectionParameterRequest) }
        if features.contains(.dataPacketLengthExtension) { mask.insert(.dataLengthChange) }
        if features.contains(.phy2M) || features.contains(.phyCoded) { mask.insert(.phyUpdateComplete) }
        return mask
    }

    /// Handles a controller failure. All state is lost, and the start-up runs again unless it has failed too often.
    mutating func fail(_ failure: HostError, at now: Instant) {
        guard phase != .off else { return }
        let wasStopping = phase == .closing || isStopping
        phase = .starting
        tearDown(.controllerLost, at: now)
        if wasStopping {
            phase = .off
            setState(.off)
            return
        }
        if let lastFailure, now - lastFailure < configuration.recoveryPeriod {
            failures += 1
        } else {
            failures = 1
        }
        lastFailure = now
        guard failures < configuration.startAttempts else {
            phase = .off
            setState(.failed(failure))
            return
        }
        if state == .ready { setState(.resetting(failure)) }
        beginStartUp(at: now)
    }

    /// Resets a controller that has a link without a known handle, because no command can end that link. Resets at most
    /// once in `recoveryPeriod`, because some controllers keep their links over a reset. Returns whether it did.
    mutating func recoverUnknownLink(at now: Instant) -> Bool {
        if let lastFailure, now - lastFailure < configuration.recoveryPeriod { return false }
        fail(.missingEvent, at: now)
        return true
    }

    /// Removes all state about the controller. Links end for `reason`.
    mutating func tearDown(_ reason: DisconnectionCause.HostReason, at now: Instant) {
        postponed.removeAll()
        while let connection = connections.last { remove(connection, .host(reason), at: now) }
        unconfirmed = 0
        undelivered = 0
        commands.reset()
        commandsChanged = true
        transmitter.reset()
        scanner = Scanner()
        advertiser = Advertiser()
        initiator = ConnectionInitiator(capacity: 1)
        privacy = nil
        listedAddresses.removeAll()
        targetAddress = nil
        isPrivacyDue = false
        isClearingStaleLink = false
        unknownLinks = 0
        stallEnds = nil
        (lastViolation, violationCount) = (nil, 0)
        ownAddress = nil
    }

    /// Continues a power-off after the last link has ended.
    mutating func stopIfQuiet(at now: Instant) {
        guard isStopping, connections.isEmpty, !scanner.isOn, scanner.isIdle, !advertiser.isOn, advertiser.isIdle,
            initiator.isIdle
        else { return }
        closeController(at: now)
    }

    mutating func closeController(at now: Instant) {
        tearDown(.powerOff, at: now)
        outgoing.removeAll(keepingCapacity: true)
        phase = .closing
        enqueue(HCI.Reset(), for: .powerOff)
    }
}
