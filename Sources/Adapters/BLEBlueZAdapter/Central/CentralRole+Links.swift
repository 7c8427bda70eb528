import BLEAdapter
import BLEWire
import SystemBus

/// Links to devices: from the wish of a session to the end.
extension CentralRole {
    /// The time in which bluetoothd has to discover the services of a connected device.
    private static let resolveTimeout = TimeSpan.seconds(30)
    /// Longer than the kernel tries to connect. Sessions wait without a limit: the attempt is repeated.
    private static let connectTimeout = TimeSpan.seconds(120)
    /// The time in which changes of services belong to one change.
    private static let changeDelay = TimeSpan.milliseconds(200)

    /// The time in which an adapter that ends its links is switched off.
    private static let powerDelay = TimeSpan.milliseconds(500)

    // MARK: Requests

    func connect(_ peer: PeerIdentifier) {
        links[peer] = DeviceLink(number: nextNumber())
        approach(peer)
    }

    /// The device of a peer that bluetoothd has an object of.
    private func device(of peer: PeerIdentifier) -> BlueZDevice? {
        guard let adapter else { return nil }
        return uplink.objects.devices(of: adapter).first { identification.identifier(for: $0.address) == peer }
    }

    /// Connects if bluetoothd knows the device, and searches for it otherwise.
    private func approach(_ peer: PeerIdentifier) {
        guard let device = device(of: peer) else {
            links[peer]?.phase = .searching
            return updateDiscovery()
        }
        if let name = device.name { central.snapshot.learnAdvertisedName(name, of: peer) }
        links[peer]?.path = device.path
        peers[device.path] = peer
        if uplink.objects.isLinked(device.path) {
            links[peer]?.isForeign = true
            resolve(peer)
        } else {
            links[peer]?.isBesideClassic = device.isConnected
            callConnect(peer, device.path)
        }
        updateDiscovery()
    }

    private func callConnect(_ peer: PeerIdentifier, _ path: String) {
        guard let number = links[peer]?.number else { return }
        links[peer]?.phase = .connecting
        log.debug("Connect of \(path)")
        // For a device with both bearers and a link of BR/EDR, `Device1` connects LE.
        let call = BusMessage.call(
            BlueZ.service, path, uplink.objects.bearers(path)?.interface ?? BlueZ.device, "Connect")
        uplink.bus?.call(call, timeout: Self.connectTimeout) { [weak self] result in
            guard let self, let link = links[peer], link.number == number, link.phase == .connecting else { return }
            log.debug("Connect of \(path) answered")
            uplink.readLinks()
            answered(peer, path, result)
            settle()
        }
    }

    private func answered(_ peer: PeerIdentifier, _ path: String, _ result: Result<BusMessage, BusCallError>) {
        switch result {
        // The change of `Connected` may come after the answer.
        case .success, .failure(.error(BlueZ.Failure.alreadyConnected, _)): resolve(peer)
        case .failure where uplink.objects.isLinked(path): resolve(peer)
        // bluetoothd still tries, or has lost the call.
        case .failure(.timeout):
            links[peer]?.reason = .establishmentFailed
            disconnect(peer)
        case .failure where uplink.objects.device(path) == nil: lose(path, of: peer)
        case .failure(let error):
            log.debug("Connect of \(path): \(error)")
            finish(peer, .establishmentFailed)
        }
    }

    /// bluetoothd has forgotten the device: it has to be found again.
    private func lose(_ path: String, of peer: PeerIdentifier) {
        peers[path] = nil
        links[peer]?.path = nil
        approach(peer)
    }

    private func resolve(_ peer: PeerIdentifier) {
        links[peer]?.phase = .resolving(deadline: now + Self.resolveTimeout)
        checkServices(peer)
    }

    /// Reports the link once bluetoothd knows the services.
    private func checkServices(_ peer: PeerIdentifier) {
        guard let link = links[peer], let path = link.path, let device = uplink.objects.device(path),
            uplink.objects.isLinked(path), device.hasServices
        else { return }
        let attributes = RemoteAttributes(uplink.objects, of: path)
        // The services of BR/EDR count as resolved, too.
        if link.isBesideClassic, attributes.services.isEmpty { return }
        links[peer]?.attributes = attributes
        links[peer]?.phase = .up
        central.connected(peer, mtu: attributes.mtu)
    }

    func disconnect(_ peer: PeerIdentifier) {
        guard let link = links[peer] else { return central.ended(peer, .endedByHost, at: now) }
        closeSockets(peer)
        links[peer]?.waits = []
        if case .ended = link.phase { return finish(peer, .endedByHost) }
        guard let path = link.path, link.phase != .searching else { return finish(peer, .endedByHost) }
        // What another program connected stays connected, as a link of several programs does on Apple's systems.
        guard !link.isForeign else { return finish(peer, link.reason ?? .endedByHost) }
        let bearers = uplink.objects.bearers(path)
        let interface = bearers?.interface ?? BlueZ.device
        if interface == BlueZ.device, link.isBesideClassic || bearers?.hasClassic == true {
            log.debug("\(path) keeps its link of LE: bluetoothd has no call that leaves the one of BR/EDR alone.")
            return finish(peer, link.reason ?? .endedByHost)
        }
        links[peer]?.phase = .ending
        uplink.bus?.call(BlueZ.service, path, interface, "Disconnect") { [weak self] _ in
            guard let self, links[peer]?.number == link.number else { return }
            // The change of `Connected` may come after the answer.
            if !uplink.objects.isLinked(path) { finish(peer, link.reason ?? .endedByHost) }
            settle()
        }
    }

    /// Removes a link and reports its end.
    private func finish(_ peer: PeerIdentifier, _ failure: ConnectionError) {
        remove(peer)
        central.ended(peer, failure, at: now)
        releaseWriters()
    }

    /// Discards the values and the write commands of a link, of attributes in some ranges or of all.
    func closeSockets(_ peer: PeerIdentifier, in ranges: [HandleRange] = [HandleRange(start: 1, end: .max)]) {
        guard let link = links[peer] else { return }
        for (handle, values) in link.values where ranges.contains(handle) {
            // bluetoothd would subscribe again with the next link.
            guard case .started = values, let path = link.attributes[handle]?.path else { continue }
            uplink.bus?.call(BlueZ.service, path, BlueZ.characteristic, "StopNotify") { _ in }
        }
        central.wrote(links[peer]?.close(in: ranges) ?? 0)
    }

    func remove(_ peer: PeerIdentifier) {
        guard links[peer] != nil else { return }
        closeSockets(peer)
        if let path = links.removeValue(forKey: peer)?.path, peers[path] == peer { peers[path] = nil }
        updateDiscovery()
    }

    // MARK: Changes of devices

    func appeared(_ path: String, _ objects: BlueZObjects) {
        guard let device = objects.device(path) else { return }
        updateServices(device)
        report(device)
        let peer = identification.identifier(for: device.address)
        if links[peer]?.phase == .searching { approach(peer) }
    }

    func changed(_ path: String, _ names: Set<String>, _ objects: BlueZObjects) {
        guard let device = objects.device(path) else { return }
        if names != ["RSSI"] {
            log.debug("\(path): \(names.sorted()) connected \(objects.isLinked(path)) resolved \(device.hasServices)")
        }
        if names.contains("Address") { learn(device) }
        if !names.isDisjoint(with: ["Connected", "ServicesResolved", "UUIDs"]) { updateServices(device) }
        if names.contains("Name"), device.isConnected, let name = device.name {
            central.named(peers[path] ?? identification.identifier(for: device.address), name)
        }
        if DeviceReport.isNews(names) { report(device) }
        guard let peer = peers[path] else { return }
        if names.contains("Connected") { linkChanged(path) }
        guard names.contains("ServicesResolved") else { return }
        switch links[peer]?.phase {
        case .resolving: checkServices(peer)
        // A link of LE may end beside one of BR/EDR.
        case .up: linkChanged(path)
        default: break
        }
    }

    /// The link of a device may have begun or ended.
    func linkChanged(_ path: String) {
        if let device = uplink.objects.device(path) { updateServices(device) }
        guard let peer = peers[path] else { return }
        switch (links[peer]?.phase, uplink.objects.isLinked(path)) {
        case (.connecting, true): resolve(peer)
        // Keys that a side has lost do not come back with another attempt.
        case (.resolving, false):
            finish(peer, links[peer]?.reason == .encryptionFailed ? .encryptionFailed : .establishmentFailed)
        case (.up, false): end(peer)
        case (.ending, false): finish(peer, links[peer]?.reason ?? .endedByHost)
        default: break
        }
    }

    /// An adapter that is switched off ends its links first, which is no event of theirs: the state says it. An end that a device or the radio
    /// caused is reported at once, if bluetoothd tells the reason.
    private func end(_ peer: PeerIdentifier) {
        let reason = links[peer]?.reason
        if let reason, reason != .endedByHost { return finish(peer, reason) }
        links[peer]?.phase = .ended(deadline: now + Self.powerDelay)
    }

    func vanished(_ path: String) {
        guard let peer = peers[path] else { return }
        switch links[peer]?.phase {
        case .connecting: lose(path, of: peer)
        case .resolving: finish(peer, .establishmentFailed)
        case .up, .ending, .ended: finish(peer, links[peer]?.reason ?? .endedByHost)
        case .searching, nil: break
        }
    }

    /// Takes the name of a reason.
    func ended(_ path: String, _ reason: String) {
        if let peer = peers[path], links[peer]?.reason == nil { links[peer]?.reason = DeviceLink.failure(reason) }
    }

    /// A device has told its identity address, by which it keeps its identifier.
    private func learn(_ device: BlueZDevice) {
        guard let peer = peers[device.path], let store = identification as? any IdentityStore,
            identification.identifier(for: device.address) != peer
        else { return }
        store.learn(device.address, of: peer)
    }

    // MARK: Changes of services

    /// The peer with a link whose attribute an object is.
    func peer(below path: String) -> PeerIdentifier? { peers.first { path.isPath(below: $0.key) }?.value }

    /// An attribute is new, or gone. bluetoothd tells neither the range of a Service Changed nor its end.
    func attributeChanged(_ path: String) {
        guard let peer = peer(below: path), let link = links[peer], let service = RemoteAttributes.service(of: path)
        else { return }
        if case .resolving = link.phase, link.isBesideClassic {
            links[peer]?.changeDeadline = now + Self.changeDelay
        }
        guard link.phase == .up else { return }
        links[peer]?.changes.insert(service)
        links[peer]?.changeDeadline = now + Self.changeDelay
    }

    private func renewServices(_ peer: PeerIdentifier) {
        guard let link = links[peer], let path = link.path else { return }
        guard link.phase == .up else {
            links[peer]?.changeDeadline = nil
            return checkServices(peer)
        }
        let attributes = RemoteAttributes(uplink.objects, of: path)
        let ranges = link.attributes.services.changes(link.changes, to: attributes.services)
        closeSockets(peer, in: ranges)
        links[peer]?.renew(attributes)
        for range in ranges { central.servicesChanged(range, of: peer) }
        releaseWriters()
    }

    // MARK: Time

    func handleTimeout(_ peer: PeerIdentifier) {
        guard let link = links[peer] else { return }
        if let deadline = link.changeDeadline, deadline <= now { renewServices(peer) }
        for wait in links[peer]?.takeWaits(where: { $0.deadline <= now }) ?? [] { wait.resume() }
        if case .ended(let deadline) = link.phase, deadline <= now {
            return finish(peer, link.reason ?? DeviceLink.failure(nil))
        }
        guard case .resolving(let deadline) = link.phase, deadline <= now else { return }
        let address = link.path.flatMap { uplink.objects.device($0)?["Address"]?.text } ?? "the device"
        log.warning(
            "bluetoothd did not discover the services of \(address) within 30 s: it connects again. Try: bluetoothctl remove \(address)"
        )
        // Another attempt follows.
        links[peer]?.reason = .establishmentFailed
        disconnect(peer)
    }
}
