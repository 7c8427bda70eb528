import BLEAdapter
import BLEWire
import SystemBus

/// Advertisements.
extension PeripheralRole {
    /// The pause after bluetoothd has released an advertisement, times the number of releases.
    private static let pause = TimeSpan.seconds(1)
    private static let mostReleases = 5

    func startAdvertising(_ advertisement: Advertisement, session: Int) {
        guard let observer = observer(session) else { return }
        guard state == .poweredOn else { return observer.advertisingStarted(.notPoweredOn) }
        if advertisers[session] == nil {
            do throws(AdvertisementProperties.Problem) { _ = try AdvertisementProperties(advertisement) } catch {
                log.warning("The advertisement is refused: \(error).")
                return observer.advertisingStarted(error.error)
            }
        }
        guard advertisers.start(advertisement, session: session) else {
            if advertisers[session]?.isNew == false { observer.advertisingStarted(.alreadyAdvertising) }
            return
        }
        register(session)
    }

    func stopAdvertising(session: Int) {
        guard let advertiser = advertisers[session] else { return }
        if let path = advertisers.withdraw(session) { unregisterAdvertisement(path) }
        advertisers[session] = nil
        // A start that the session itself stops does not count as failed.
        for answer in advertiser.answers(nil) { observer(session)?.advertisingStarted(answer) }
    }

    /// Makes an object of a session's advertisement, and registers it.
    func register(_ session: Int) {
        guard let connection, let advertiser = advertisers[session], advertiser.path == nil,
            let properties = try? AdvertisementProperties(advertiser.advertisement, withName: !advertiser.isShort)
        else { return }
        let path = "\(connection.base)/advertisement\(nextNumber())"
        let export = connection.bus.export(
            path, [BlueZ.advertisement: ["Release"], BlueZ.properties: Self.propertyMembers]
        ) { [weak self] call in
            if call.message.interface == BlueZ.properties {
                self?.answer(call, BlueZ.advertisement, properties.values)
            } else {
                call.reply()
                self?.released(session, path)
            }
        }
        advertisers[session]?.path = path
        advertisers[session]?.export = export
        connection.bus.call(
            BlueZ.service, connection.adapter, BlueZ.advertisingManager, "RegisterAdvertisement",
            [.path(path), .properties([:])]
        ) { [weak self] result in
            // A path is used once.
            guard let self, advertisers[session]?.path == path else { return }
            registered(session, result)
        }
    }

    private func registered(_ session: Int, _ result: Result<BusMessage, BusCallError>) {
        guard case .failure(let error) = result else {
            for answer in advertisers.started(session) { observer(session)?.advertisingStarted(answer) }
            return
        }
        // Without an answer, bluetoothd may have it.
        if let path = advertisers.withdraw(session), case .timeout = error { unregisterAdvertisement(path) }
        if case .error(BlueZ.Failure.invalidLength, _) = error, let advertiser = advertisers[session],
            !advertiser.isShort,
            advertiser.advertisement.localName != nil
        {
            advertisers[session]?.isShort = true
            return register(session)
        }
        log.warning("\(PublishingFailure.sentence(advertising: error))")
        let failed = advertisers[session]
        advertisers[session] = nil
        for answer in failed?.answers(PublishingFailure.code(error)) ?? [] {
            observer(session)?.advertisingStarted(answer)
        }
    }

    /// bluetoothd has ended an advertisement by itself.
    private func released(_ session: Int, _ path: String) {
        guard let connection, let advertiser = advertisers[session], advertiser.path == path else { return }
        _ = advertisers.withdraw(session)
        let releases = advertiser.releases + 1
        advertisers[session]?.releases = releases
        guard releases <= Self.mostReleases else {
            log.warning(
                "bluetoothd has ended the advertisement \(releases) times; see its reason with sudo journalctl -u bluetooth"
            )
            advertisers[session] = nil
            return
        }
        log.warning("bluetoothd has ended the advertisement. It begins again in \(releases) s.")
        let generation = connection.generation
        scheduler.submit(after: Self.pause * releases) { [weak self] in
            if let self, isCurrent(generation) { register(session) }
        }
    }

    func unregisterAdvertisement(_ path: String) {
        guard let connection else { return }
        connection.bus.call(
            BlueZ.service, connection.adapter, BlueZ.advertisingManager, "UnregisterAdvertisement", [.path(path)]
        ) { _ in }
    }
}
