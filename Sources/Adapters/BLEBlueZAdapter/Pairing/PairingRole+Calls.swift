import BLEAdapter
import BLESecurity
import BLEWire
import SystemBus

/// The calls of sessions: pairings, and the bonds of the system.
extension PairingRole {
    // MARK: Pairing

    /// Pair of bluetoothd knows no least protection. The result tells what is known of the link, and the caller compares.
    func pair(_ peer: PeerIdentifier) {
        guard bus != nil, let path = path(of: peer), let device = devices[path], device.isConnected else {
            return complete(peer, .failure(.disconnected))
        }
        // The answer to the running attempt is for all sessions.
        guard records[path] == nil else { return }
        // bluetoothd encrypts each link to a device whose keys it has. Pair would begin a pairing for the other bearer of a device that
        // has both.
        guard !device.isPaired || device.isLEPaired == false else {
            return complete(peer, .success(records.security(of: path, device)))
        }
        records.begin(path, peer)
        retryRegistration()
        register()
        chooseLE(path, device)
    }

    /// Makes bluetoothd choose LE for a device that has both bearers: if the keys of neither exist, it would choose the one that it heard
    /// last, and BR/EDR rather than LE (select_conn_bearer in src/device.c). The property needs 5.80 or later, and `bluetoothd
    /// --experimental`.
    private func chooseLE(_ path: String, _ device: PairingDevice) {
        guard device.bearers != .le, device.address.kind == .public else { return call(path) }
        guard let preferred = device.preferredBearer else {
            say(
                "A device supports LE and BR/EDR, and bluetoothd may pair it over BR/EDR. With --experimental a program can choose LE: "
                    + "sudo systemctl edit bluetooth")
            return call(path)
        }
        guard preferred != Self.bearer else { return call(path) }
        setBearer(Self.bearer, of: path) { [weak self] isSet in
            if isSet { self?.records[path]?.formerBearer = preferred }
            self?.call(path)
        }
    }

    private static var bearer: String { "le" }

    private func setBearer(_ bearer: String, of path: String, completion: @escaping (Bool) -> Void) {
        let arguments: [BusValue] = [.string(BlueZ.device), .string("PreferredBearer"), .variant(.string(bearer))]
        bus?.call(BlueZ.service, path, BlueZ.properties, "Set", arguments) { result in
            completion((try? result.get()) != nil)
        }
    }

    func call(_ path: String) {
        guard let bus, let attempt = records[path] else { return }
        guard !attempt.isCancelled else { return finish(path, .failure(.local(.unspecified))) }
        records[path]?.waitsForAgent = !hasAgent
        guard hasAgent else { return }
        records[path]?.isRunning = true
        bus.call(BlueZ.service, path, BlueZ.device, "Pair", timeout: PairingRecords.timeout) { [weak self] result in
            guard let self, self.records[path]?.number == attempt.number else { return }
            self.records[path]?.isRunning = false
            switch result {
            case .success: self.succeeded(path)
            case .failure(let error): self.failed(path, error)
            }
        }
    }

    private func succeeded(_ path: String) {
        guard let device = devices[path], device.isConnected else { return finish(path, .failure(.disconnected)) }
        finish(path, .success(device))
    }

    private func failed(_ path: String, _ error: BusCallError) {
        guard let attempt = records[path] else { return }
        switch PairingFailure(error, isConnected: devices[path]?.isConnected == true) {
        case .alreadyPaired: succeeded(path)
        case .failed(let failure): finish(path, .failure(failure))
        case .busy:
            guard attempt.tries < PairingRecords.mostTries, devices[path]?.isConnected == true else {
                return finish(path, .failure(.local(.busy)))
            }
            records[path]?.tries += 1
            scheduler.submit(after: PairingRecords.pause) { [weak self] in
                guard let self, self.records[path]?.number == attempt.number else { return }
                self.call(path)
            }
        }
    }

    private func finish(_ path: String, _ result: Result<PairingDevice, PairingProcedureError>) {
        if case .success = result { records.confirm(path) }
        let (attempt, refusal) = records.end(path)
        dismissQuestions(about: path)
        register()
        guard let attempt else { return }
        if let bearer = attempt.formerBearer { setBearer(bearer, of: path) { _ in } }
        switch result {
        case .success(let device):
            complete(attempt.peer, .success(records.security(of: path, device)))
            updateBonds()
        case .failure(let failure): complete(attempt.peer, .failure(refusal.map { .local($0) } ?? failure))
        }
    }

    /// Ends a pairing that this program began, or whose question its agent has. bluetoothd ends no other: it would remove the keys of the
    /// device in place of that (cancel_pairing in src/device.c).
    func cancelPairing(with peer: PeerIdentifier) {
        guard let path = path(of: peer) else { return }
        if records[path] != nil {
            records[path]?.isCancelled = true
            endPairing(path)
        } else {
            _ = cancelQuestion(about: path)
        }
    }

    /// Ends a pairing whose question needs no answer.
    func endPairing(_ path: String) {
        guard let bus, let attempt = records[path] else {
            // Nothing else ends a pairing that the peer began.
            return bus?.call(BlueZ.service, path, BlueZ.device, "Disconnect") { _ in } ?? ()
        }
        if attempt.isRunning {
            bus.call(BlueZ.service, path, BlueZ.device, "CancelPairing") { _ in }
        } else if attempt.tries > 0 {
            finish(path, .failure(.local(.unspecified)))
        }
    }

    // MARK: Bonds

    func unpair(_ peer: PeerIdentifier) {
        guard let bus, let path = path(of: peer) else { return }
        let adapter = devices.adapter
        bus.call(BlueZ.service, adapter, BlueZ.adapter, "RemoveDevice", [.path(path)]) { [weak self] result in
            // The report of the removal follows the answer, or is there already.
            guard case .failure(let error) = result else { return }
            self?.logger.warning("bluetoothd does not remove the bond: \(error)")
        }
    }

    func bond(_ path: String, _ device: PairingDevice) -> BondRecord {
        BondRecord(
            peer: record(identifier(device.address), device), address: device.address,
            security: records.security(of: path, device))
    }

    func updateBonds() {
        let bonds = devices.bonds.compactMap { path in devices[path].map { bond(path, $0) } }
        bondList.withLock { $0 = bonds }
    }

    // MARK: Peers

    func path(of peer: PeerIdentifier) -> String? {
        snapshot.identification.address(of: peer).flatMap { devices.path(of: $0) }
    }

    func identifier(_ address: DeviceAddress) -> PeerIdentifier { snapshot.identification.identifier(for: address) }

    /// The identifier that the program uses for the device of a running pairing, which may change the address.
    func identifier(_ path: String, _ device: PairingDevice) -> PeerIdentifier {
        records[path]?.peer ?? identifier(device.address)
    }

    func record(_ peer: PeerIdentifier, _ device: PairingDevice?) -> PeerRecord {
        var record = snapshot.record(peer)
        record.name = record.name ?? device?.name
        return record
    }

    func complete(_ peer: PeerIdentifier, _ result: Result<LinkSecurity, PairingProcedureError>) {
        let record = record(peer, path(of: peer).flatMap { devices[$0] })
        report { $0.pairingCompleted(record, result) }
    }
}
