import BLEWire

/// The trains of periodic advertising that SyncInfo fields announced, by the access addresses of their PDUs (Vol 6, Part B, 2.1.2).
struct PeriodicTrains: Hashable, Sendable {
    /// The most access addresses that are remembered. Beyond it, all are forgotten.
    static let limit = 1024

    struct Train: Hashable, Sendable {
        /// Of the PDUs that are not chained.
        var place: AdvertisingPlace
        /// The conversation of the advertiser.
        var conversation: Int
    }

    private var trains: [UInt32: Train] = [:]

    var count: Int { trains.count }

    subscript(accessAddress: UInt32) -> Train? { trains[accessAddress] }

    /// Remembers the train that a PDU announces. ACAD says whether the train has responses (Vol 6, Part B, 2.3.1.6).
    mutating func add(_ pdu: borrowing LL.ExtendedAdvertisement, conversation: Int) {
        guard let sync = pdu.syncInfo else { return }
        var timing: AD.PeriodicResponseTiming?
        var structures = AD.Structures(pdu.controllerData)
        while timing == nil, let structure = structures.next() { timing = structure.content() }
        remember(sync.accessAddress, Train(place: timing == nil ? .periodic : .subevent, conversation: conversation))
        if let timing {
            remember(timing.responseAccessAddress, Train(place: .subeventResponse, conversation: conversation))
        }
    }

    private mutating func remember(_ accessAddress: UInt32, _ train: Train) {
        guard accessAddress != LL.advertisingAccessAddress else { return }
        if trains.count >= Self.limit, trains[accessAddress] == nil { trains.removeAll() }
        trains[accessAddress] = train
    }
}
