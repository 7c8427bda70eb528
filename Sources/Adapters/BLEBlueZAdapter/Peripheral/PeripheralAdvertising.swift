import BLEAdapter
import BLETransport
import BLEWire
import Logging
import SystemBus

/// The advertisements of sessions (org.bluez.LEAdvertisingManager1).
///
/// `@unchecked Sendable`: used on `scheduler`.
final class PeripheralAdvertising: @unchecked Sendable {
    /// The pause after bluetoothd has released an advertisement, times the number of releases.
    private static let pause = TimeSpan.seconds(1)
    private static let mostReleases = 5
    /// After this time without a release, the number starts again.
    private static let calm = TimeSpan.seconds(60)

    /// Called with the answer to a session's start request.
    var onAnswer: ((_ session: Int, AdvertisingError?) -> Void)?
    private let scheduler: any SerialScheduler
    private let log: Logger
    private var connection: PeripheralConnection?
    private var advertisers = PeripheralAdvertisers()
    private var count = 0

    init(scheduler: any SerialScheduler, log: Logger) { (self.scheduler, self.log) = (scheduler, log) }

    func begin(on connection: PeripheralConnection) {
        self.connection = connection
        for session in advertisers.sessions { register(session) }
    }

    func end(forgetsAdvertisements: Bool) {
        for path in advertisers.withdrawAll() { unregister(path) }
        connection = nil
        for (session, failure) in advertisers.end(forgetsAdvertisements: forgetsAdvertisements) {
            answer(session, failure)
        }
    }

    private func answer(_ session: Int, _ failure: AdvertisingError?) { onAnswer?(session, failure) }

    func start(_ advertisement: Advertisement, _ session: Int) {
        guard connection != nil else { return answer(session, .notPoweredOn) }
        if advertisers[session] == nil {
            do throws(AdvertisementProperties.LayoutError) { _ = try AdvertisementProperties(advertisement) } catch {
                log.warning("The advertisement is refused: \(error).")
                return answer(session, error.error)
            }
        }
        guard advertisers.start(advertisement, session: session) else {
            if advertisers[session]?.isNew == false { answer(session, .alreadyAdvertising) }
            return
        }
        register(session)
    }

    func stop(_ session: Int) {
        guard let advertiser = advertisers[session] else { return }
        if let path = advertisers.withdraw(session) { unregister(path) }
        advertisers[session] = nil
        // A start that the session itself stops does not count as failed.
        for failure in advertiser.answers(nil) { answer(session, failure) }
    }

    /// Makes an object of a session's advertisement, and registers it.
    private func register(_ session: Int) {
        guard let connection, let advertiser = advertisers[session], advertiser.path == nil,
            let properties = try? AdvertisementProperties(advertiser.advertisement, withName: !advertiser.isShort)
        else { return }
        count += 1
        let path = "\(connection.base)/advertisement\(count)"
        let export = connection.bus.export(
            path, [BlueZ.advertisement: ["Release"], BlueZ.properties: BlueZ.propertyMembers]
        ) { [weak self] call in
            if call.message.interface == BlueZ.properties {
                call.answer(BlueZ.advertisement, properties.values)
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
            for failure in advertisers.started(session) { answer(session, failure) }
            return
        }
        guard !PublishingFailure.isEndOfBus(error) else { return }
        // Without an answer, bluetoothd may have it.
        if let path = advertisers.withdraw(session), case .timeout = error { unregister(path) }
        if case .error(BlueZ.Failure.invalidLength, _) = error, let advertiser = advertisers[session],
            !advertiser.isShort, advertiser.advertisement.localName != nil
        {
            advertisers[session]?.isShort = true
            return register(session)
        }
        log.warning("\(PublishingFailure.sentence(advertising: error))")
        let failed = advertisers[session]
        advertisers[session] = nil
        for failure in failed?.answers(PublishingFailure.code(error)) ?? [] { answer(session, failure) }
    }

    /// bluetoothd has ended an advertisement by itself.
    private func released(_ session: Int, _ path: String) {
        guard let connection, let advertiser = advertisers[session], advertiser.path == path else { return }
        _ = advertisers.withdraw(session)
        let now = scheduler.now
        let isCalm = advertiser.lastRelease.map { now - $0 > Self.calm } ?? true
        let releases = isCalm ? 1 : advertiser.releases + 1
        advertisers[session]?.releases = releases
        advertisers[session]?.lastRelease = now
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
            if let self, self.connection?.generation == generation { register(session) }
        }
    }

    private func unregister(_ path: String) {
        guard let connection else { return }
        connection.bus.call(
            BlueZ.service, connection.adapter, BlueZ.advertisingManager, "UnregisterAdvertisement", [.path(path)]
        ) { _ in }
    }
}
