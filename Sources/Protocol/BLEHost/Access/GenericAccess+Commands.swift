import BLELink
import BLEWire

/// The commands of the roles.
extension GenericAccess {
    /// Sends the next commands of privacy and the roles.
    ///
    /// - Parameter isRunning: False while the host powers off.
    mutating func drive(isRunning: Bool, at now: Instant, _ output: inout HostOutput) {
        resumeAfterInitiating()
        drivePrivacy(isRunning: isRunning, &output)
        if let action = scanner.next() { send(action, &output) }
        if let action = advertiser.next() {
            send(action, &output)
        } else if advertiser.takeReport() == .applied, isRunning {
            output.events.append(.advertisingChanged(.legacy, nil))
        }
        if let action = initiator.next(at: now) { send(action, &output) }
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

    /// Suspends the roles while the privacy manager has commands for an idle controller, and sends its next command.
    private mutating func drivePrivacy(isRunning: Bool, _ output: inout HostOutput) {
        privacy.settle()
        guard let reference = privacy.reference else { return }
        let isSuspended = reference.manager.needsIdleRoles && isRunning
        scanner.isSuspended = isSuspended
        advertiser.isSuspended = isSuspended
        initiator.isSuspended = isSuspended
        // Finds the private addresses of requested peers for a controller that does not resolve them.
        scanner.background =
            reference.manager.hasPeers && initiator.requested.contains { reference.manager.resolvesInHost($0) }
            ? ScanParameters(isActive: false) : nil
        if isRunning { privacy.drive(rolesAreIdle: isQuiet, &output) }
    }

    private var ownAddressType: HCI.OwnAddressType {
        if let manager = privacy.reference?.manager, manager.appliedAddress != nil { return manager.ownAddressType }
        return identityAddress?.kind == .random ? .random : .public
    }

    private func send(_ action: Scanner.Action, _ output: inout HostOutput) {
        switch action {
        case .setParameters(let parameters):
            output.commands.enqueue(
                HCI.LESetScanParameters(
                    scanType: parameters.isActive ? .active : .passive, interval: parameters.interval,
                    window: parameters.window, ownAddressType: ownAddressType, filterPolicy: .everyone),
                for: .scanner)
        case .enable(let filtersDuplicates):
            output.commands.enqueue(
                HCI.LESetScanEnable(enable: true, filterDuplicates: filtersDuplicates), for: .scanner)
        case .disable:
            output.commands.enqueue(HCI.LESetScanEnable(enable: false, filterDuplicates: false), for: .scanner)
        }
    }

    private func send(_ action: Advertiser.Action, _ output: inout HostOutput) {
        switch action {
        case .setParameters(let isConnectable, let hasScanResponse, let minimum, let maximum):
            output.commands.enqueue(
                HCI.LESetAdvertisingParameters(
                    intervalMinimum: minimum, intervalMaximum: maximum,
                    advertisingType: isConnectable
                        ? .connectableUndirected : hasScanResponse ? .scannableUndirected : .nonconnectableUndirected,
                    ownAddressType: ownAddressType),
                for: .advertiser)
        case .setData:
            let data = HCI.AdvertisingData(advertiser.data.span) ?? HCI.AdvertisingData()
            output.commands.enqueue(HCI.LESetAdvertisingData(data: data), for: .advertiser)
        case .setScanResponse:
            let data = HCI.AdvertisingData(advertiser.data.span) ?? HCI.AdvertisingData()
            output.commands.enqueue(HCI.LESetScanResponseData(data: data), for: .advertiser)
        case .enable: output.commands.enqueue(HCI.LESetAdvertisingEnable(enable: true), for: .advertiser)
        case .disable: output.commands.enqueue(HCI.LESetAdvertisingEnable(enable: false), for: .advertiser)
        }
    }

    private mutating func send(_ action: InitiatorCommand, _ output: inout HostOutput) {
        let purpose = CommandPurpose.initiator(action)
        switch action {
        case .add(let peer):
            output.commands.enqueue(HCI.LEAddDeviceToFilterAcceptList(address: privacy.list(peer)), for: purpose)
        case .remove(let peer):
            output.commands.enqueue(HCI.LERemoveDeviceFromFilterAcceptList(address: privacy.unlist(peer)), for: purpose)
        case .create(let target):
            // Scans for the advertiser without a pause: the window is as long as the interval (Vol 4, Part E, 7.8.12).
            // Both are 30 ms, the recommended fast scan interval (Vol 3, Part C, 9.3.11).
            let requested = connectionParameters
            output.commands.enqueue(
                HCI.LECreateConnection(
                    scanInterval: 48, scanWindow: 48, filterPolicy: target == nil ? .acceptList : .peerAddress,
                    peerAddress: privacy.target(target) ?? DeviceAddress(kind: .public, value: 0),
                    ownAddressType: ownAddressType,
                    intervalMinimum: requested.intervalMinimum, intervalMaximum: requested.intervalMaximum,
                    maximumLatency: requested.latency, supervisionTimeout: requested.timeout,
                    minimumConnectionEventLength: 0, maximumConnectionEventLength: 0),
                for: purpose)
        case .cancel: output.commands.enqueue(HCI.LECreateConnectionCancel(), for: purpose)
        }
    }

    // MARK: Answers

    /// Takes the answer to a command of the scanner.
    mutating func scannerCompleted(_ status: HCI.ErrorCode, _ output: inout HostOutput) {
        if let error = scanner.completed(status) { output.events.append(.scanningFailed(error)) }
    }

    /// Takes the answer to a command of the advertiser.
    mutating func advertiserCompleted(_ status: HCI.ErrorCode, _ output: inout HostOutput) {
        if case .failed(let error) = advertiser.completed(status) {
            output.events.append(.advertisingChanged(.legacy, error))
        }
    }

    /// Takes the answer to a command of the initiator.
    mutating func initiatorCompleted(
        _ action: InitiatorCommand, _ status: HCI.ErrorCode, at now: Instant, _ output: inout HostOutput
    ) {
        act(on: initiator.completed(action, status, at: now), &output)
    }
}
