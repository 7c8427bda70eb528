import BLELink
import BLESecurity
import BLEWire

/// The roles of a host in the Generic Access Profile (Vol 3, Part C, 2.2.2): observer, broadcaster, and the initiator of connections, with
/// periodic advertising and the privacy of their addresses.
struct GenericAccess {
    var scanner = Scanner()
    var advertisers = AdvertisingSets()
    var initiator = ConnectionInitiator(capacity: 1)
    var syncs = PeriodicSyncs()
    var privacy: PrivacyCoordinator
    /// The identity address of this host; nil until the host is ready.
    private(set) var identityAddress: DeviceAddress?
    /// The address of a controller without one.
    let fallbackAddress: DeviceAddress
    /// The parameters of new links as central.
    let connectionParameters: RequestedConnectionParameters
    /// Whether the PHY of a peer that was not heard may be Coded.
    let seeksCodedPHY: Bool
    /// The commands and the PHYs that the controller has.
    private(set) var controller = AccessCapabilities()
    var pieces = ReportAssembler()

    init(configuration: HostConfiguration, fallbackAddress: DeviceAddress) {
        privacy = PrivacyCoordinator(configuration: configuration.privacy)
        connectionParameters = configuration.connectionParameters
        seeksCodedPHY = configuration.scansCodedPHY
        self.fallbackAddress = fallbackAddress
    }

    /// Begins after the start-up sequence.
    mutating func begin(_ address: DeviceAddress, _ capabilities: ControllerCapabilities) {
        identityAddress = address
        initiator = ConnectionInitiator(capacity: capabilities.acceptListSize)
        advertisers = AdvertisingSets(capabilities)
        syncs = PeriodicSyncs(capabilities)
        controller = AccessCapabilities(capabilities)
    }

    /// Forgets what belongs to a controller that is lost.
    mutating func reset() {
        scanner = Scanner()
        advertisers = AdvertisingSets()
        controller = AccessCapabilities()
        pieces = ReportAssembler()
        initiator = ConnectionInitiator(capacity: 1)
        syncs = PeriodicSyncs()
        privacy.reset()
        identityAddress = nil
    }

    /// Ends all roles.
    mutating func end() {
        scanner.request(nil)
        advertisers.end()
        initiator.cancelAll()
        syncs.endAll()
    }

    /// Whether the controller neither scans, advertises, initiates nor looks for trains, and no command about that is outstanding.
    var isQuiet: Bool {
        !scanner.isOn && scanner.isIdle && advertisers.isQuiet && initiator.isIdle && syncs.isIdle
    }

    // MARK: Requests

    /// Requests a scan, or its end.
    mutating func scan(_ parameters: ScanParameters?, _ output: inout HostOutput) {
        var parameters = parameters
        parameters?.phys.formIntersection(controller.primaryPHYs)
        if let parameters, parameters.phys.isEmpty {
            scanner.request(nil)
            output.events.append(.scanningFailed(.unsupportedFeatureOrParameterValue))
        } else {
            scanner.request(parameters)
        }
    }

    /// Requests the advertising of a set, or its end. Returns whether the request is possible.
    mutating func advertise(
        _ parameters: AdvertisingParameters?, of set: AdvertisingSet, _ output: inout HostOutput
    ) -> Bool {
        guard let error = advertisers.request(parameters, of: set) else { return true }
        output.events.append(.advertisingChanged(set, error))
        return false
    }

    /// Requests a connection.
    ///
    /// - Parameter phy: The PHY of the primary channel on which the peer was last heard; nil if it was not heard. A peer that was heard on 1M may
    ///   be out of its range when the attempt runs.
    mutating func connect(to address: DeviceAddress, heardOn phy: HCI.PHY? = nil) {
        let isCoded = phy == .leCoded || seeksCodedPHY
        initiator.connect(to: address, onCodedPHY: isCoded && controller.primaryPHYs.contains(.leCoded))
    }

    // MARK: Links

    /// Takes a new link. Returns whether it is wanted.
    mutating func linkMade(_ link: NewLink, to peer: DeviceAddress, _ output: inout HostOutput) -> Bool {
        switch link.role {
        case .central:
            // The caller may have requested a private address before the bond with its device.
            return initiator.connected(to: peer) || initiator.connected(to: link.reported.asDevice)
        case .peripheral:
            advertisers.connectionMade()
            // A later request to connect to this peer gets the same answer.
            if initiator.requested.contains(peer) {
                initiator.cancel(peer)
                output.events.append(.connectionFailed(peer, .connectionAlreadyExists))
            }
            return true
        }
    }

    /// Takes the end of an attempt without a link.
    mutating func attemptEnded(_ status: HCI.ErrorCode, reported: DeviceAddress, _ output: inout HostOutput) {
        // The controller repeats the address of the request, which is not that of a packet.
        let requested = reported.asDevice
        let peer = privacy.isTarget(requested) ? initiator.target ?? requested : requested
        act(on: initiator.ended(status, address: peer), &output)
        scanner.retry()
    }

    /// Acts on the outcome of an attempt.
    mutating func act(on outcome: ConnectionInitiator.Outcome, _ output: inout HostOutput) {
        switch outcome {
        case .none: break
        case .failed(let addresses, let error):
            for address in addresses { output.events.append(.connectionFailed(address, error)) }
        case .refused:
            // Many controllers refuse to initiate while they scan (Vol 4, Part E, 7.8.27).
            scanner.isPaused = true
        }
    }

    /// The addresses of a new link in its CONNECT_IND.
    func addressesOnAir(_ link: NewLink) -> LinkAddresses {
        func used(_ address: DeviceAddress?) -> DeviceAddress? { address.flatMap { $0.isZero ? nil : $0 } }
        let identity = identityAddress ?? fallbackAddress
        return LinkAddresses(
            local: used(link.localPrivateAddress) ?? privacy.reference?.manager.appliedAddress ?? identity,
            peer: used(link.peerPrivateAddress) ?? link.reported.asDevice, localIdentity: identity)
    }

    // MARK: Reports

    /// Whether a report reaches the driver under the address in its packet.
    var passesReports: Bool { scanner.requested != nil && privacy.reference == nil }

    /// Emits each report of an event and stores its data in the arena. Returns whether the host has work.
    mutating func receive(
        _ event: consuming HCI.LEAdvertisingReport, using crypto: (any CryptoProvider)?, _ output: inout HostOutput
    ) -> Bool {
        guard scanner.requested != nil || scanner.background != nil else { return false }
        while let report = event.next() {
            guard let kind = AdvertisingReport.Kind(rawValue: report.eventType.rawValue) else { continue }
            deliver(
                AdvertisingReport(kind: kind, address: report.address, rssi: report.rssi, data: 0..<0), report.data,
                using: crypto, &output)
        }
        return privacy.isDue
    }

    /// Emits each advertisement that an extended event completes. Some controllers use the extended form although the legacy commands started the
    /// scan. Returns whether the host has work.
    mutating func receive(
        _ event: consuming HCI.LEExtendedAdvertisingReport, at now: Instant, using crypto: (any CryptoProvider)?,
        _ output: inout HostOutput
    ) -> Bool {
        // What comes late is no part of the next scan.
        guard scanner.isOn || !scanner.isIdle else { return false }
        var hasWork = false
        while var report = event.next() {
            report.ignoreReservedBits()
            guard var heard = AdvertisingReport(report, isLegacyScan: !controller.usesExtendedCommands) else {
                continue
            }
            // Pieces are joined although no scan is requested: the next request may come before the controller has stopped.
            let result = pieces.receive(report, at: now)
            guard scanner.requested != nil || scanner.background != nil else { continue }
            let device: DeviceAddress?
            switch result {
            case .nothing: continue
            case .alone(let isTruncated):
                heard.isTruncated = isTruncated
                device = deliver(heard, report.data, using: crypto, &output)
            case .joined(let isTruncated):
                heard.isTruncated = isTruncated
                let joined = pieces.joined
                device = deliver(heard, joined.span, using: crypto, &output)
            }
            if let device, heard.form.primaryPHY == HCI.PHY.leCoded.rawValue, initiator.heardOnCodedPHY(device) {
                hasWork = true
            }
            // The private address of a device whose train is requested may be new.
            if let device, device != heard.address, syncs.isSearching { hasWork = true }
        }
        return hasWork || privacy.isDue
    }

    /// Emits a report under the address of its device, which this returns. Nil for a report that privacy ignores.
    @discardableResult
    private mutating func deliver(
        _ report: AdvertisingReport, _ data: Span<UInt8>, using crypto: (any CryptoProvider)?,
        _ output: inout HostOutput
    ) -> DeviceAddress? {
        guard let address = privacy.identify(advertiser: report.address, for: &initiator, using: crypto) else {
            return nil
        }
        if scanner.requested != nil {
            var report = report
            report.address = address
            report.data = output.events.attributes.arena.store(data)
            output.events.append(.advertisingReport(report))
        }
        return address
    }
}

/// What the roles need to know of a controller.
struct AccessCapabilities: Hashable, Sendable {
    var usesExtendedCommands = false
    /// Those on which it scans and initiates.
    var primaryPHYs = HCI.PHYMask.le1M
    /// Whether links may begin on 2M.
    var has2MPHY = false
    /// Whether links may begin on Coded. An advertiser on 1M may have its secondary channel there, and an attempt on 1M follows it (Vol 4, Part E, 7.8.66).
    var mayConnectOnCoded: Bool { usesExtendedCommands && primaryPHYs.contains(.leCoded) }

    init() {}

    init(_ capabilities: ControllerCapabilities) {
        usesExtendedCommands = capabilities.usesExtendedAdvertising
        primaryPHYs = capabilities.primaryPHYs
        has2MPHY = capabilities.features.contains(.phy2M)
    }
}

extension AdvertisingReport {
    /// Nil for a legacy packet that cannot be one: it has at most 31 octets of data, in one report.
    ///
    /// - Parameter isLegacyScan: Whether the controller scans by the legacy commands, so that every packet is a legacy one.
    fileprivate init?(_ report: HCI.ExtendedAdvertisingReport, isLegacyScan: Bool) {
        let type = report.eventType
        guard let kind = Kind(rawValue: type.legacyKind.rawValue) else { return nil }
        self.init(kind: kind, address: report.address, rssi: report.rssi, data: 0..<0)
        form.isLegacy = isLegacyScan || type.contains(.legacy)
        if form.isLegacy, !type.isComplete || report.data.count > HCI.AdvertisingData.maximumCount { return nil }
        form.transmitPower = report.txPower
        // A legacy packet is on 1M and has no secondary packet, whatever the report says.
        guard !form.isLegacy else { return }
        form.primaryPHY = report.primaryPHY
        form.secondaryPHY = report.secondaryPHY
        form.sid = report.advertisingSID
        form.periodicInterval = report.periodicAdvertisingInterval
    }
}
