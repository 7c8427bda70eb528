import BLELink
import BLEWire

extension HostStack {
    /// Sends what the machines of GAP want sent now.
    mutating func drive(at now: Instant) {
        guard phase == .running || isStopping else { return }
        resumeAfterConnecting()
        if let action = scanner.next() { send(action) }
        if let action = advertiser.next() {
            send(action)
        } else if advertiser.settle() == .settled, !isStopping {
            events.append(.advertisingChanged(nil))
        }
        if let action = connector.next(at: now) { send(action) }
        stopIfQuiet()
    }

    private var ownAddressType: HCI.OwnAddressType { ownAddress?.kind == .random ? .random : .public }

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

    private mutating func send(_ action: Connector.Action) {
        switch action {
        case .add(let address): enqueue(HCI.LEAddDeviceToFilterAcceptList(address: address), for: .connector(action))
        case .remove(let address):
            enqueue(HCI.LERemoveDeviceFromFilterAcceptList(address: address), for: .connector(action))
        case .create(let target):
            let wish = configuration.connectionParameters
            enqueue(
                HCI.LECreateConnection(
                    scanInterval: 48, scanWindow: 48, filterPolicy: target == nil ? .acceptList : .peerAddress,
                    peerAddress: target ?? DeviceAddress(kind: .public, value: 0), ownAddressType: ownAddressType,
                    intervalMinimum: wish.intervalMinimum, intervalMaximum: wish.intervalMaximum,
                    maximumLatency: wish.latency, supervisionTimeout: wish.timeout,
                    minimumConnectionEventLength: 0, maximumConnectionEventLength: 0),
                for: .connector(action))
        case .cancel: enqueue(HCI.LECreateConnectionCancel(), for: .connector(action))
        }
    }

    /// Takes Command Complete.
    mutating func commandComplete(_ event: borrowing HCI.CommandComplete, at now: Instant) {
        commandsChanged = true
        switch commands.answered(opcode: event.opcode, credits: event.numberOfCommandPackets) {
        case .creditsOnly: break
        case .unexpected: report(.unexpectedAnswer(event.opcode))
        case .command(let entry): completed(entry, event.returnParameters, at: now)
        }
    }

    /// Takes Command Status.
    mutating func commandStatus(_ event: HCI.CommandStatus, at now: Instant) {
        commandsChanged = true
        if event.status == .success, !Self.endsWithStatus(event.opcode) {
            // The answer proper is still to come.
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

    /// Whether the controller answers this command with Command Status alone.
    private static func endsWithStatus(_ opcode: HCI.Opcode) -> Bool {
        switch opcode {
        case .disconnect, .leCreateConnection, .leConnectionUpdate, .leReadRemoteFeatures, .leSetPHY, .none: true
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
            if case .failed(let error) = advertiser.completed(status) { events.append(.advertisingChanged(error)) }
        case .connector(let action):
            if case .create(let target?) = action, status == .connectionAlreadyExists, phase == .running,
                !connections.contains(where: { $0.peer == target }), recoverUnknownLink(at: now)
            {
                return
            }
            settle(connector.completed(action, status, at: now))
        case .link(let link, let command):
            if let connection = connection(link) {
                completed(command, opcode: entry.opcode, status, parameters, on: connection, at: now)
            }
        case .staleLink: isClearingStaleLink = false
        case .powerOff:
            phase = .off
            setState(.off)
        }
    }

    /// Does what the connector reports.
    mutating func settle(_ outcome: Connector.Outcome) {
        switch outcome {
        case .none: break
        case .failed(let addresses, let error):
            for address in addresses { events.append(.connectionFailed(address, error)) }
        case .refused:
            // Many controllers cannot scan and initiate at once.
            scanner.isPaused = true
        }
    }

    /// Lets the connector try again once the scanner is quiet, and the scanner go on once nobody is to be connected.
    private mutating func resumeAfterConnecting() {
        guard scanner.isPaused else { return }
        if connector.wanted.isEmpty {
            scanner.isPaused = false
        } else if connector.isHeld, !scanner.isOn, scanner.isIdle {
            connector.retry()
        }
    }

    /// A command had no answer in time.
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
