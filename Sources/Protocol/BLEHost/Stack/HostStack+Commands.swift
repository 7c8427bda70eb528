import BLELink
import BLEWire

extension HostStack {
    /// Sends the next commands of the scanner, the advertiser and the initiator.
    mutating func drive(at now: Instant) {
        guard phase == .running || isStopping else { return }
        resumeAfterInitiating()
        drivePrivacy()
        if let action = scanner.next() { send(action) }
        if let action = advertiser.next() {
            send(action)
        } else if advertiser.takeReport() == .applied, !isStopping {
            events.append(.advertisingChanged(.legacy, nil))
        }
        if let action = initiator.next(at: now) { send(action) }
        stopIfQuiet(at: now)
    }

    private var ownAddressType: HCI.OwnAddressType {
        if let manager = privacy?.manager, manager.appliedAddress != nil { return manager.ownAddressType }
        return ownAddress?.kind == .random ? .random : .public
    }

    private mutating func send(_ action: Scanner.Action) {
        switch action {
        case .setParameters(let parameters):
            enqueue(
                HCI.LESetScanParameters(
                    scanType: parameters.isActive ? .active : .passive, interval: parameters.interval,
                    window: parameters.window, ownAddressType: ownAddressType, filterPolicy: .everyone),
                for: .scanner)
        case .enable(let filtersDuplicates):
            enqueue(HCI.LESetScanEnable(enable: true, filterDuplicates: filtersDuplicates), for: .scanner)
        case .disable:
            enqueue(HCI.LESetScanEnable(enable: false, filterDuplicates: false), for: .scanner)
        }
    }

    private mutating func send(_ action: Advertiser.Action) {
        switch action {
        case .setParameters(let isConnectable, let hasScanResponse, let minimum, let maximum):
            enqueue(
                HCI.LESetAdvertisingParameters(
                    intervalMinimum: minimum, intervalMaximum: maximum,
                    advertisingType: isConnectable
                        ? .connectableUndirected : hasScanResponse ? .scannableUndirected : .nonconnectableUndirected,
                    ownAddressType: ownAddressType),
                for: .advertiser)
        case .setData:
            let data = HCI.AdvertisingData(advertiser.data.span) ?? HCI.AdvertisingData()
            enqueue(HCI.LESetAdvertisingData(data: data), for: .advertiser)
        case .setScanResponse:
            let data = HCI.AdvertisingData(advertiser.data.span) ?? HCI.AdvertisingData()
            enqueue(HCI.LESetScanResponseData(data: data), for: .advertiser)
        case .enable: enqueue(HCI.LESetAdvertisingEnable(enable: true), for: .advertiser)
        case .disable: enqueue(HCI.LESetAdvertisingEnable(enable: false), for: .advertiser)
        }
    }

    private mutating func send(_ action: ConnectionInitiator.Action) {
        switch action {
        case .add(let peer):
            let address = privacy?.manager.connectionAddress(of: peer) ?? peer
            if address != peer { listedAddresses[peer] = address }
            enqueue(HCI.LEAddDeviceToFilterAcceptList(address: address), for: .initiator(action))
        case .remove(let peer):
            let address = listedAddresses.removeValue(forKey: peer) ?? peer
            enqueue(HCI.LERemoveDeviceFromFilterAcceptList(address: address), for: .initiator(action))
        case .create(let target):
            // Scans for the advertiser without a pause: the window is as long as the interval (Vol 4, Part E, 7.8.12).
            // Both are 30 ms, the recommended fast scan interval (Vol 3, Part C, 9.3.11).
            let requested = configuration.connectionParameters
            targetAddress = target.map { privacy?.manager.connectionAddress(of: $0) ?? $0 }
            enqueue(
                HCI.LECreateConnection(
                    scanInterval: 48, scanWindow: 48, filterPolicy: target == nil ? .acceptList : .peerAddress,
                    peerAddress: targetAddress ?? DeviceAddress(kind: .public, value: 0),
                    ownAddressType: ownAddressType,
                    intervalMinimum: requested.intervalMinimum, intervalMaximum: requested.intervalMaximum,
                    maximumLatency: requested.latency, supervisionTimeout: requested.timeout,
                    minimumConnectionEventLength: 0, maximumConnectionEventLength: 0),
                for: .initiator(action))
        case .cancel: enqueue(HCI.LECreateConnectionCancel(), for: .initiator(action))
        }
    }

    /// Takes Command Complete (Vol 4, Part E, 7.7.14).
    mutating func commandComplete(_ event: borrowing HCI.CommandComplete, at now: Instant) {
        commandsChanged = true
        switch commands.answered(opcode: event.opcode, credits: event.numberOfCommandPackets) {
        case .creditsOnly: break
        case .unexpected: report(.unexpectedAnswer(event.opcode))
        case .command(let entry): completed(entry, event.returnParameters, at: now)
        }
    }

    /// Takes Command Status (Vol 4, Part E, 7.7.15).
    mutating func commandStatus(_ event: HCI.CommandStatus, at now: Instant) {
        commandsChanged = true
        if event.status == .success, !Self.endsWithStatus(event.opcode) {
            // Command Complete follows.
            _ = commands.answered(opcode: .none, credits: event.numberOfCommandPackets)
            return
        }
        switch commands.answered(opcode: event.opcode, credits: event.numberOfCommandPackets) {
        case .creditsOnly: break
        case .unexpected: report(.unexpectedAnswer(event.opcode))
        case .command(let entry):
            let status: [1 of UInt8] = [event.status.rawValue]
            completed(entry, status.span, at: now)
        }
    }

    /// Whether Command Status is the controller's only answer to this command (Vol 4, Part E, 7.7.15).
    private static func endsWithStatus(_ opcode: HCI.Opcode) -> Bool {
        switch opcode {
        case .disconnect, .leCreateConnection, .leConnectionUpdate, .leReadRemoteFeatures, .leSetPHY,
            .leEnableEncryption,
            .none:
            true
        default: false
        }
    }

    private mutating func completed(
        _ entry: CommandQueue<CommandPurpose>.Entry, _ parameters: Span<UInt8>, at now: Instant
    ) {
        if entry.purpose == .startUp {
            guard phase == .starting, entry.opcode == startUp.step.opcode else { return }
            perform(startUp.answered(parameters), at: now)
            return
        }
        let status = parameters.isEmpty ? HCI.ErrorCode.unspecifiedError : HCI.ErrorCode(rawValue: parameters[0])
        ended(entry, status, parameters, at: now)
    }

    private mutating func ended(
        _ entry: CommandQueue<CommandPurpose>.Entry, _ status: HCI.ErrorCode, _ parameters: Span<UInt8>, at now: Instant
    ) {
        switch entry.purpose {
        case .startUp: break
        case .scanner:
            if let error = scanner.completed(status) { events.append(.scanningFailed(error)) }
        case .advertiser:
            if case .failed(let error) = advertiser.completed(status) {
                events.append(.advertisingChanged(.legacy, error))
            }
        case .initiator(let action):
            if case .create(let target?) = action, status == .connectionAlreadyExists, phase == .running,
                !connections.contains(where: { $0.peer == target }), recoverUnknownLink(at: now)
            {
                return
            }
            act(on: initiator.completed(action, status, at: now))
        case .link(let link, let command):
            if let connection = connection(link) {
                completed(command, opcode: entry.opcode, status, parameters, on: connection, at: now)
            }
        case .privacy:
            if status != .success { events.append(.controllerError(entry.opcode, status)) }
            privacy?.manager.completed(status)
        case .staleLink: isClearingStaleLink = false
        case .powerOff:
            phase = .off
            setState(.off)
        }
    }

    /// Acts on the outcome of an attempt.
    mutating func act(on outcome: ConnectionInitiator.Outcome) {
        switch outcome {
        case .none: break
        case .failed(let addresses, let error):
            for address in addresses { events.append(.connectionFailed(address, error)) }
        case .refused:
            // Many controllers refuse to initiate while they scan (Vol 4, Part E, 7.8.27).
            scanner.isPaused = true
        }
    }

    /// Lets the initiator retry after the scanner has stopped. Resumes the scan when no connection is requested.
    private mutating func resumeAfterInitiating() {
        guard scanner.isPaused else { return }
        if initiator.requested.isEmpty {
            scanner.isPaused = false
        } else if initiator.isHeld, !scanner.isOn, scanner.isIdle {
            initiator.retry()
        }
    }

    /// Handles a command that the controller did not answer in time.
    mutating func expired(_ entry: CommandQueue<CommandPurpose>.Entry, at now: Instant) {
        switch entry.purpose {
        case .startUp:
            guard phase == .starting, entry.opcode == startUp.step.opcode else { return }
            perform(startUp.timedOut(), at: now)
        case let purpose where purpose.isOptional:
            capabilities.commands.remove(entry.opcode)
            events.append(.controllerError(entry.opcode, .unknownHCICommand))
            ended(entry, .unknownHCICommand, Span(), at: now)
        default: fail(.noAnswer(entry.opcode), at: now)
        }
    }
}
