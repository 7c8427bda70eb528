import BLELink
import BLESecurity
import BLEWire

/// The roles of a host in the Generic Access Profile (Vol 3, Part C, 2.2.2): observer, broadcaster, and the initiator of connections, with the
/// privacy of their addresses.
struct GenericAccess {
    var scanner = Scanner()
    var advertiser = Advertiser()
    var initiator = ConnectionInitiator(capacity: 1)
    var privacy: PrivacyCoordinator
    /// The identity address of this host; nil until the host is ready.
    private(set) var identityAddress: DeviceAddress?
    /// The address of a controller without one.
    let fallbackAddress: DeviceAddress
    /// The parameters of new links as central.
    let connectionParameters: RequestedConnectionParameters

    init(configuration: HostConfiguration, fallbackAddress: DeviceAddress) {
        privacy = PrivacyCoordinator(configuration: configuration.privacy)
        connectionParameters = configuration.connectionParameters
        self.fallbackAddress = fallbackAddress
    }

    /// Begins after the start-up sequence.
    mutating func begin(_ address: DeviceAddress, _ capabilities: ControllerCapabilities) {
        identityAddress = address
        initiator = ConnectionInitiator(capacity: capabilities.acceptListSize)
    }

    /// Forgets what belongs to a controller that is lost.
    mutating func reset() {
        scanner = Scanner()
        advertiser = Advertiser()
        initiator = ConnectionInitiator(capacity: 1)
        privacy.reset()
        identityAddress = nil
    }

    /// Ends all roles.
    mutating func end() {
        scanner.request(nil)
        if advertiser.requested != nil { advertiser.request(nil) }
        initiator.cancelAll()
    }

    /// Whether the controller neither scans, advertises nor initiates, and no command about that is outstanding.
    var isQuiet: Bool {
        !scanner.isOn && scanner.isIdle && !advertiser.isOn && advertiser.isIdle && initiator.isIdle
    }

    // MARK: Requests

    /// Requests the advertising of a set, or its end. Returns whether the request is possible.
    mutating func advertise(
        _ parameters: AdvertisingParameters?, of set: AdvertisingSet, _ output: inout HostOutput
    ) -> Bool {
        guard set == .legacy else {
            output.events.append(.advertisingChanged(set, .unknownAdvertisingIdentifier))
            return false
        }
        if let parameters, max(parameters.data.count, parameters.scanResponse.count) > HCI.AdvertisingData.maximumCount
        {
            output.events.append(.advertisingChanged(set, .invalidHCICommandParameters))
            return false
        }
        advertiser.request(parameters)
        return true
    }

    // MARK: Links

    /// Takes a new link. Returns whether it is wanted.
    mutating func linkMade(_ link: NewLink, to peer: DeviceAddress, _ output: inout HostOutput) -> Bool {
        switch link.role {
        case .central:
            // The caller may have requested a private address before the bond with its device.
            return initiator.connected(to: peer) || initiator.connected(to: link.reported.asDevice)
        case .peripheral:
            advertiser.connectionMade()
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

    /// Emits each report of an event and stores its data in the arena. Some controllers use the extended form although
    /// the legacy commands started the scan. Returns whether the privacy of the host has work.
    mutating func receive<Event: HCI.AdvertisingReportEvent & ~Escapable>(
        _ event: consuming Event, using crypto: (any CryptoProvider)?, _ output: inout HostOutput
    ) -> Bool {
        guard scanner.requested != nil || scanner.background != nil else { return false }
        while let report = event.nextLegacyReport() {
            guard let kind = AdvertisingReport.Kind(rawValue: report.eventType.rawValue),
                let address = privacy.identify(advertiser: report.address, for: &initiator, using: crypto),
                scanner.requested != nil
            else { continue }
            output.events.append(
                .advertisingReport(
                    AdvertisingReport(
                        kind: kind, address: address, rssi: report.rssi,
                        data: output.events.attributes.arena.store(report.data))))
        }
        return privacy.isDue
    }
}
