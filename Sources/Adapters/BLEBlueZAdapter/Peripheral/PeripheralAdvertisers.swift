import BLEAdapter
import BLEWire
import SystemBus

/// The advertisements of sessions: one for each, which bluetoothd keeps apart.
struct PeripheralAdvertisers {
    struct Advertiser {
        let advertisement: Advertisement
        /// Whether the session waits for the answer to its start request.
        var isNew = true
        /// The number of further start requests of the session. They are refused after the first is answered.
        var refusals = 0
        /// The object for bluetoothd.
        var path: String?
        var export: BusCancellable?
        /// bluetoothd refused the advertisement as too long, so it goes on without its name.
        var isShort = false
        /// How often bluetoothd released it, one time soon after another.
        var releases = 0
        var lastRelease: Instant?

        /// The answers to the session's start requests.
        func answers(_ failure: AdvertisingError?) -> [AdvertisingError?] {
            guard isNew else { return [] }
            return [failure] + Array(repeating: failure ?? .alreadyAdvertising, count: refusals)
        }
    }

    private var advertisers: [Int: Advertiser] = [:]

    var sessions: [Int] { advertisers.keys.sorted() }

    subscript(session: Int) -> Advertiser? {
        get { advertisers[session] }
        set { advertisers[session] = newValue }
    }

    /// Returns false if the session advertises already: then it is answered now, or after its first request.
    mutating func start(_ advertisement: Advertisement, session: Int) -> Bool {
        guard let advertiser = advertisers[session] else {
            advertisers[session] = Advertiser(advertisement: advertisement)
            return true
        }
        if advertiser.isNew { advertisers[session]?.refusals += 1 }
        return false
    }

    mutating func started(_ session: Int) -> [AdvertisingError?] {
        guard let advertiser = advertisers[session] else { return [] }
        advertisers[session]?.isNew = false
        advertisers[session]?.refusals = 0
        return advertiser.answers(nil)
    }

    /// Withdraws the objects, and returns their paths.
    mutating func withdrawAll() -> [String] { sessions.compactMap { withdraw($0) } }

    mutating func withdraw(_ session: Int) -> String? {
        guard let advertiser = advertisers[session] else { return nil }
        advertiser.export?.cancel()
        advertisers[session]?.path = nil
        advertisers[session]?.export = nil
        return advertiser.path
    }

    /// Returns the answers of sessions that wait.
    mutating func end(forgetsAdvertisements: Bool) -> [(session: Int, AdvertisingError?)] {
        guard forgetsAdvertisements else { return [] }
        defer { advertisers = [:] }
        return sessions.flatMap { session in
            (advertisers[session]?.answers(.notPoweredOn) ?? []).map { (session, $0) }
        }
    }
}
