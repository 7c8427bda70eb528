import BLELink
import BLEWire

extension HostStack {
    /// Scans with these parameters, or stops the scan if nil. While scanning is requested, each packet that the
    /// controller reports becomes one `advertisingReport`, and so does each extended advertisement of several packets. Anonymous ones have an
    /// address of the kind `.anonymous`; they are left out if they need several reports. Has no effect unless the host is ready.
    package mutating func setScanning(_ parameters: ScanParameters?, at now: Instant) {
        guard lifecycle.isRunning else { return }
        access.scan(parameters, &output)
        finish(at: now)
    }

    /// Starts or, with nil, stops the advertising of a set. `advertisingChanged` answers. Has no effect unless the host
    /// is ready. A connection does not end the request: the host enables advertising again as soon as the controller
    /// allows it (Vol 6, Part B, 4.4.2.2).
    ///
    /// Sets other than `.legacy` and extended PDUs fail with Unsupported Feature or Parameter Value if the controller has no extended advertising.
    /// A set exists in the controller as long as it is requested.
    package mutating func setAdvertising(
        _ parameters: AdvertisingParameters?, of set: AdvertisingSet = .legacy, at now: Instant
    ) {
        guard lifecycle.isRunning else { return }
        if access.advertise(parameters, of: set, &output) { finish(at: now) }
    }

    /// Starts an attempt without a timeout. Any number may run at once. An attempt ends in one `connected` (as central)
    /// or `connectionFailed`, unless `cancelConnect` ends it. The host makes one attempt: if its link ends before the
    /// peer's first packet, `connectionFailed` follows, and the caller decides about a retry. Has no effect unless the
    /// host is ready.
    ///
    /// - Parameter phy: The PHY of the primary channel on which the peer was last heard, 1M or Coded; nil if it was not heard.
    package mutating func connect(to address: DeviceAddress, heardOn phy: HCI.PHY? = nil, at now: Instant) {
        guard lifecycle.isRunning else { return }
        if let connection = connections.current(to: address) {
            // An unconfirmed link belongs to the running attempt.
            if connection.visibility == .unconfirmed { return }
            output.events.append(.connectionFailed(address, .connectionAlreadyExists))
            return
        }
        if connections.contains(address) {
            connections.postpone(address, heardOn: phy)
        } else {
            access.connect(to: address, heardOn: phy)
        }
        finish(at: now)
    }

    /// Ends an attempt. Neither `connected` nor `connectionFailed` follows. An established but unreported link ends
    /// without an event.
    package mutating func cancelConnect(to address: DeviceAddress, at now: Instant) {
        access.initiator.cancel(address)
        connections.cancelPostponed(address)
        for connection in connections where connection.peer == address && connections.silence(connection) {
            connection.end(.requested, at: now, &output)
        }
        finish(at: now)
    }

    /// Ends a link (Vol 3, Part C, 9.3.10). One `disconnected` follows. Unfinished operations get no `completed`,
    /// client subscriptions end, and values that the controller has not taken yet are dropped.
    package mutating func disconnect(_ link: LinkIdentifier, at now: Instant) {
        guard let connection = connections[link] else { return }
        connection.end(.requested, at: now, &output)
        finish(at: now)
    }

    /// Whether the host advertises, scans and connects by the commands of extended advertising. False until the host is ready.
    package var usesExtendedAdvertising: Bool { lifecycle.capabilities.usesExtendedAdvertising }

    /// The PHYs for the scans of sessions (`HostConfiguration.scansCodedPHY`).
    package var scanPHYs: HCI.PHYMask { configuration.scansCodedPHY ? [.le1M, .leCoded] : .le1M }

    /// Sets the security of a link (Vol 3, Part C, 10.2.1), from an encryption change or the keys of a bond. It applies
    /// to packets received after this call.
    package mutating func setSecurity(_ security: LinkSecurity, of link: LinkIdentifier) {
        connections[link]?.apply(security, database: database, &output)
    }

    /// The security of a link; nil if the link has ended.
    package func security(of link: LinkIdentifier) -> LinkSecurity? { connections[link]?.security }

    /// Whether the link has ended, or this host has begun to end it.
    package func isEnding(_ link: LinkIdentifier) -> Bool { connections[link]?.isEnding ?? true }

    /// The links, in the order in which they were established.
    package var links: [LinkInformation] {
        connections.filter { !$0.isSilent }.map(\.information)
    }

    package func information(of link: LinkIdentifier) -> LinkInformation? {
        connections[link].flatMap { $0.isSilent ? nil : $0.information }
    }

    package func link(to address: DeviceAddress) -> LinkIdentifier? {
        connections.first { $0.peer == address && !$0.isSilent && !$0.isEnding }?.identifier
    }

    /// The ATT_MTU in octets; nil if the link has ended.
    package func mtu(of link: LinkIdentifier) -> Int? {
        connections[link].map { Int($0.bearer.mtu) }
    }

    /// The services that the attribute cache has for the bonded peer of a link.
    package func cachedServices(on link: LinkIdentifier) -> [BluetoothUUID] {
        connections[link]?.bearer.cachedServices ?? []
    }

    /// The ATT_MTU in octets of the link with a connection handle; nil without such a link.
    package func mtu(ofHandle handle: UInt16) -> Int? {
        connections[handle: handle].map { Int($0.bearer.mtu) }
    }

    /// The identity address of the peer, if it is known, of the link with a connection handle.
    package func peer(ofHandle handle: UInt16) -> DeviceAddress? { connections[handle: handle]?.peer }

    /// The handle of the peer's Service Changed, if this host is subscribed to it on the link with a connection handle.
    package func serviceChangedHandle(ofHandle handle: UInt16) -> UInt16? {
        connections[handle: handle]?.bearer.serviceChangedHandle
    }
}
