import BLELink
import BLEWire

extension HostStack {
    /// Scans with these parameters, or stops the scan if nil. While scanning is requested, each packet that the
    /// controller reports becomes one `advertisingReport`. Has no effect unless the host is ready.
    package mutating func setScanning(_ parameters: ScanParameters?, at now: Instant) {
        guard phase == .running else { return }
        scanner.request(parameters)
        finish(at: now)
    }

    /// Starts or, with nil, stops the advertising of a set. `advertisingChanged` answers. Has no effect unless the host
    /// is ready. A connection does not end the request: the host enables advertising again as soon as the controller
    /// allows it (Vol 6, Part B, 4.4.2.2).
    ///
    /// A set other than `.legacy` fails with Unknown Advertising Identifier: extended advertising is not implemented.
    package mutating func setAdvertising(
        _ parameters: AdvertisingParameters?, of set: AdvertisingSet = .legacy, at now: Instant
    ) {
        guard phase == .running else { return }
        guard set == .legacy else {
            events.append(.advertisingChanged(set, .unknownAdvertisingIdentifier))
            return
        }
        if let parameters, max(parameters.data.count, parameters.scanResponse.count) > HCI.AdvertisingData.maximumCount
        {
            events.append(.advertisingChanged(set, .invalidHCICommandParameters))
            return
        }
        advertiser.request(parameters)
        finish(at: now)
    }

    /// Starts an attempt without a timeout. Any number may run at once. An attempt ends in one `connected` (as central)
    /// or `connectionFailed`, unless `cancelConnect` ends it. The host makes one attempt: if its link ends before the
    /// peer's first packet, `connectionFailed` follows, and the caller decides about a retry. Has no effect unless the
    /// host is ready.
    package mutating func connect(to address: DeviceAddress, at now: Instant) {
        guard phase == .running else { return }
        if let connection = connections.first(where: {
            $0.peer == address && $0.visibility != .silent && !$0.isEnding
        }) {
            // An unconfirmed link belongs to the running attempt.
            if connection.visibility == .unconfirmed { return }
            events.append(.connectionFailed(address, .connectionAlreadyExists))
            return
        }
        if connections.contains(where: { $0.peer == address }) {
            if !postponed.contains(address) { postponed.append(address) }
        } else {
            initiator.connect(to: address)
        }
        finish(at: now)
    }

    /// Ends an attempt. Neither `connected` nor `connectionFailed` follows. An established but unreported link ends
    /// without an event.
    package mutating func cancelConnect(to address: DeviceAddress, at now: Instant) {
        initiator.cancel(address)
        postponed.removeAll { $0 == address }
        for connection in connections where connection.peer == address && connection.visibility == .unconfirmed {
            connection.visibility = .silent
            unconfirmed -= 1
            end(connection, .requested, at: now)
        }
        finish(at: now)
    }

    /// Ends a link (Vol 3, Part C, 9.3.10). One `disconnected` follows. Unfinished operations get no `completed`,
    /// client subscriptions end, and values that the controller has not taken yet are dropped.
    package mutating func disconnect(_ link: LinkIdentifier, at now: Instant) {
        guard let connection = connection(link) else { return }
        end(connection, .requested, at: now)
        finish(at: now)
    }

    /// Sets the security of a link (Vol 3, Part C, 10.2.1), from an encryption change or the keys of a bond. It applies
    /// to packets received after this call.
    package mutating func setSecurity(_ security: LinkSecurity, of link: LinkIdentifier) {
        if let connection = connection(link) { apply(security, to: connection) }
    }

    /// Sets the security of a link, which its bearer needs before the next update.
    mutating func apply(_ security: LinkSecurity, to connection: Connection) {
        connection.security = security
        connection.bearer.securityChanged(to: security, database: database, output: &attributeOutput)
        flush(connection)
    }

    /// The security of a link; nil if the link has ended.
    package func security(of link: LinkIdentifier) -> LinkSecurity? { connection(link)?.security }

    /// Whether the link has ended, or this host has begun to end it.
    package func isEnding(_ link: LinkIdentifier) -> Bool { connection(link)?.isEnding ?? true }

    /// The links, in the order in which they were established.
    package var links: [LinkInformation] {
        connections.filter { !$0.isSilent }.map(\.information)
    }

    package func information(of link: LinkIdentifier) -> LinkInformation? {
        connection(link).flatMap { $0.isSilent ? nil : $0.information }
    }

    package func link(to address: DeviceAddress) -> LinkIdentifier? {
        connections.first { $0.peer == address && !$0.isSilent && !$0.isEnding }?.identifier
    }

    /// The ATT_MTU in octets; nil if the link has ended.
    package func mtu(of link: LinkIdentifier) -> Int? {
        connection(link).map { Int($0.bearer.mtu) }
    }

    /// The services that the attribute cache has for the bonded peer of a link.
    package func cachedServices(on link: LinkIdentifier) -> [BluetoothUUID] {
        connection(link)?.bearer.cachedServices ?? []
    }

    /// The ATT_MTU in octets of the link with a connection handle; nil without such a link.
    package func mtu(ofHandle handle: UInt16) -> Int? {
        connections.first { $0.handle == handle }.map { Int($0.bearer.mtu) }
    }
}
