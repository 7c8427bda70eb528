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
        if let (set, action) = advertisers.next() { send(action, of: set, &output) }
        while let applied = advertisers.takeApplied() {
            guard isRunning else { continue }
            switch applied {
            case .set(let set): output.events.append(.advertisingChanged(set, nil))
            case .train(let set): output.events.append(.periodic(.advertisingChanged(set, nil)))
            }
        }
        if let action = initiator.next(at: now) { send(action, &output) }
        if !syncs.isUnused { driveSyncs(at: now, &output) }
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
        guard let reference = privacy.reference else {
            scanner.background = backgroundScan(seeksPeers: false)
            return advertisers.prepare(isSuspended: false, address: randomAddress)
        }
        let isSuspended = reference.manager.needsIdleRoles && isRunning
        scanner.isSuspended = isSuspended
        advertisers.prepare(isSuspended: isSuspended, address: randomAddress)
        initiator.isSuspended = isSuspended
        syncs.isSuspended = isSuspended
        scanner.background = backgroundScan(
            seeksPeers: reference.manager.hasPeers
                && initiator.requested.contains { reference.manager.resolvesInHost($0) })
        if isRunning { privacy.drive(rolesAreIdle: isQuiet, &output) }
    }

    /// A scan that finds requested trains, and the private addresses of requested peers for a controller that does not resolve them.
    private func backgroundScan(seeksPeers: Bool) -> ScanParameters? {
        if syncs.isSearching { return ScanParameters(isActive: false, phys: controller.primaryPHYs) }
        guard seeksPeers else { return nil }
        // Coded takes a third of the time from 1M, so it needs a reason.
        let isCoded = seeksCodedPHY || initiator.seeksCodedPHY
        return ScanParameters(isActive: false, phys: isCoded ? controller.primaryPHYs : .le1M)
    }

    private var ownAddressType: HCI.OwnAddressType {
        if let manager = privacy.reference?.manager, manager.appliedAddress != nil { return manager.ownAddressType }
        return identityAddress?.kind == .random ? .random : .public
    }

    /// The random address of this host for its advertising sets; nil if it uses its public address.
    private var randomAddress: DeviceAddress? {
        if let address = privacy.reference?.manager.appliedAddress { return address }
        return identityAddress?.kind == .random ? identityAddress : nil
    }

    private func send(_ action: Scanner.Action, _ output: inout HostOutput) {
        if controller.usesExtendedCommands { return sendExtended(action, &output) }
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

    private func sendExtended(_ action: Scanner.Action, _ output: inout HostOutput) {
        switch action {
        case .setParameters(let parameters):
            let type = parameters.isActive ? HCI.ScanType.active : .passive
            output.commands.enqueue(
                HCI.LESetExtendedScanParameters(
                    ownAddressType: ownAddressType, phys: parameters.phys,
                    entries: ScanShare(parameters.phys, interval: parameters.interval, window: parameters.window)
                        .windows.map { .init(scanType: type, interval: parameters.interval, window: $0) }),
                for: .scanner)
        case .enable(let filtersDuplicates):
            output.commands.enqueue(
                HCI.LESetExtendedScanEnable(enable: true, filterDuplicates: filtersDuplicates ? .on : .off),
                for: .scanner)
        case .disable: output.commands.enqueue(HCI.LESetExtendedScanEnable(enable: false), for: .scanner)
        }
    }

    private func send(_ action: AdvertisingSets.Action, of set: AdvertisingSet, _ output: inout HostOutput) {
        switch action {
        case .set(let action): send(action, of: set, &output)
        case .train(let action): advertisers.train(of: set)?.enqueue(action, of: set, &output.commands)
        }
    }

    private func send(_ action: Advertiser.Action, of set: AdvertisingSet, _ output: inout HostOutput) {
        if controller.usesExtendedCommands { return sendExtended(action, of: set, &output) }
        let purpose = CommandPurpose.advertiser(set)
        let octets = advertisers[set]?.transfer?.octets ?? []
        let data = HCI.AdvertisingData(octets.span) ?? HCI.AdvertisingData()
        switch action {
        case .setParameters(let events):
            output.commands.enqueue(
                HCI.LESetAdvertisingParameters(
                    intervalMinimum: events.intervalMinimum, intervalMaximum: events.intervalMaximum,
                    advertisingType: events.isConnectable
                        ? .connectableUndirected
                        : events.hasScanResponse ? .scannableUndirected : .nonconnectableUndirected,
                    ownAddressType: ownAddressType),
                for: purpose)
        case .setData: output.commands.enqueue(HCI.LESetAdvertisingData(data: data), for: purpose)
        case .setScanResponse: output.commands.enqueue(HCI.LESetScanResponseData(data: data), for: purpose)
        case .enable: output.commands.enqueue(HCI.LESetAdvertisingEnable(enable: true), for: purpose)
        case .disable: output.commands.enqueue(HCI.LESetAdvertisingEnable(enable: false), for: purpose)
        // Those of sets.
        case .setAddress, .remove: break
        }
    }

    private func sendExtended(_ action: Advertiser.Action, of set: AdvertisingSet, _ output: inout HostOutput) {
        let purpose = CommandPurpose.advertiser(set)
        let entry = HCI.LESetExtendedAdvertisingEnable.Entry(advertisingHandle: set.handle)
        switch action {
        case .setParameters(let events):
            output.commands.enqueue(
                HCI.LESetExtendedAdvertisingParameters(set, events, ownAddressType: ownAddressType), for: purpose)
        case .setAddress(let address):
            output.commands.enqueue(
                HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: set.handle, address: address), for: purpose)
        case .setData:
            guard let transfer = advertisers[set]?.transfer else { return }
            output.commands.enqueue(
                HCI.LESetExtendedAdvertisingData(
                    advertisingHandle: set.handle, operation: transfer.operation, mayFragment: false,
                    data: transfer.octets.span.extracting(transfer.range)),
                for: purpose)
        case .setScanResponse:
            guard let transfer = advertisers[set]?.transfer else { return }
            output.commands.enqueue(
                HCI.LESetExtendedScanResponseData(
                    advertisingHandle: set.handle, operation: transfer.operation, mayFragment: false,
                    data: transfer.octets.span.extracting(transfer.range)),
                for: purpose)
        case .enable:
            output.commands.enqueue(HCI.LESetExtendedAdvertisingEnable(enable: true, sets: [entry]), for: purpose)
        case .disable:
            output.commands.enqueue(HCI.LESetExtendedAdvertisingEnable(enable: false, sets: [entry]), for: purpose)
        case .remove:
            output.commands.enqueue(HCI.LERemoveAdvertisingSet(advertisingHandle: set.handle), for: purpose)
        }
    }

    private mutating func send(_ action: InitiatorCommand, _ output: inout HostOutput) {
        let purpose = CommandPurpose.initiator(action)
        switch action {
        case .add(let peer):
            output.commands.enqueue(HCI.LEAddDeviceToFilterAcceptList(address: privacy.list(peer)), for: purpose)
        case .remove(let peer):
            output.commands.enqueue(HCI.LERemoveDeviceFromFilterAcceptList(address: privacy.unlist(peer)), for: purpose)
        case .create(let target) where controller.usesExtendedCommands:
            output.commands.enqueue(
                HCI.LEExtendedCreateConnection(
                    filterPolicy: target == nil ? .acceptList : .peerAddress, ownAddressType: ownAddressType,
                    peerAddress: privacy.target(target) ?? DeviceAddress(kind: .public, value: 0), phys: initiatingPHYs,
                    entries: initiatingEntries),
                for: purpose)
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

    /// The parameters of 2M are those of links that begin on it.
    private var initiatingPHYs: HCI.PHYMask {
        var phys = HCI.PHYMask.le1M
        if controller.has2MPHY { phys.insert(.le2M) }
        if initiator.usesCodedPHY { phys.insert(.leCoded) }
        return phys
    }

    /// Scans as LE Create Connection does, with a share of the time for each primary PHY.
    private var initiatingEntries: [HCI.LEExtendedCreateConnection.Entry] {
        let requested = connectionParameters
        return ScanShare(initiatingPHYs, interval: 48, window: 48).windows.map {
            .init(
                scanInterval: 48, scanWindow: $0, intervalMinimum: requested.intervalMinimum,
                intervalMaximum: requested.intervalMaximum, maximumLatency: requested.latency,
                supervisionTimeout: requested.timeout)
        }
    }

    // MARK: Answers

    /// Takes the answer to a command of the scanner.
    mutating func scannerCompleted(_ status: HCI.ErrorCode, _ output: inout HostOutput) {
        if let error = scanner.completed(status) { output.events.append(.scanningFailed(error)) }
        // A controller sends nothing about a scan after the answer to its end, so the rest of what is unfinished does not come.
        if !scanner.isOn { pieces = ReportAssembler() }
    }

    /// Takes the answer to a command of the advertiser.
    mutating func advertiserCompleted(_ set: AdvertisingSet, _ status: HCI.ErrorCode, _ output: inout HostOutput) {
        report(advertisers.completed(set, status), of: set, &output)
    }

    /// Takes LE Advertising Set Terminated.
    mutating func advertisingTerminated(_ event: HCI.LEAdvertisingSetTerminated, _ output: inout HostOutput) {
        let set = AdvertisingSet(handle: event.advertisingHandle)
        report(advertisers.terminated(set, event.status), of: set, &output)
    }

    private mutating func report(_ report: Advertiser.Report, of set: AdvertisingSet, _ output: inout HostOutput) {
        guard case .failed(let error) = report else { return }
        output.events.append(.advertisingChanged(set, error))
        reportTrain(advertisers.setFailed(set, error), of: set, &output)
    }

    /// Takes the answer to a command of the initiator.
    mutating func initiatorCompleted(
        _ action: InitiatorCommand, _ status: HCI.ErrorCode, at now: Instant, _ output: inout HostOutput
    ) {
        act(on: initiator.completed(action, status, at: now), &output)
    }
}

/// The scan windows of the PHYs in a mask, the lowest bit first.
struct ScanShare: Hashable, Sendable {
    /// In units of 0.625 ms.
    let windows: [UInt16]

    /// On 1M and Coded together the windows are so short that both fit into the interval, and Coded gets at most a third of it: most devices are
    /// on 1M.
    ///
    /// - Parameters:
    ///   - interval: In units of 0.625 ms. It is the same for each PHY.
    ///   - window: The window of a scan on one PHY.
    init(_ phys: HCI.PHYMask, interval: UInt16, window: UInt16) {
        let isShared = phys.isSuperset(of: [.le1M, .leCoded]) && interval >= 12
        let coded = isShared ? min(window, interval / 3) : window
        let uncoded = isShared ? min(window, interval - coded) : window
        windows = [.le1M, .le2M, .leCoded].filter { phys.contains($0) }.map { $0 == .leCoded ? coded : uncoded }
    }
}

extension HCI.LESetExtendedAdvertisingParameters {
    init(_ set: AdvertisingSet, _ events: AdvertisingEvents, ownAddressType: HCI.OwnAddressType) {
        self.init(
            advertisingHandle: set.handle, properties: events.properties,
            intervalMinimum: UInt32(events.intervalMinimum), intervalMaximum: UInt32(events.intervalMaximum),
            ownAddressType: ownAddressType)
        guard case .extended(let extended) = events.pdus else { return }
        primaryPHY = extended.primaryPHY
        secondaryPHY = extended.secondaryPHY
        advertisingSID = extended.sid
    }
}
