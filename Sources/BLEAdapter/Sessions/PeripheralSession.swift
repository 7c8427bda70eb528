import BLEWire

/// The peripheral role as one manager uses it.
package protocol PeripheralSession: AnyObject, Sendable {
    /// Adds a service to the database; `serviceAdded` answers with `token`. `token` names the service from then on.
    func add(_ service: ServiceDefinition, token: Int)
    func remove(token: Int)
    func removeAll()

    /// `advertisingStarted` answers.
    func startAdvertising(_ advertisement: Advertisement)
    func stopAdvertising()

    /// Answers a read (with `value`, the octets from the request's offset on) or a write. A request that is unknown or already
    /// answered is ignored.
    func respond(to request: RequestIdentifier, error: UInt8, value: [UInt8]?)

    /// Sends a notification, or an indication where the client asked for those, to `centrals` (nil: every subscriber). False if
    /// the transmit queue is full: then nothing was queued for anyone, and `readyToUpdate` follows when there is room.
    /// Values longer than a subscriber's ATT_MTU - 3 are cut for that subscriber.
    func update(_ value: Span<UInt8>, of characteristic: CharacteristicReference, centrals: [PeerIdentifier]?) -> Bool

    /// Asks the link's central for another connection interval.
    func setLatency(_ latency: RequestedLatency, of central: PeerIdentifier)

    /// Takes L2CAP channels under a new number; `channelPublished` answers with it.
    func publishChannel(requiresEncryption: Bool)
    /// Takes no channels any more and closes those there are; `channelUnpublished` answers.
    func unpublishChannel(psm: UInt16)
}

/// What happens to a peripheral session. Called on the adapter's executor, in order.
package protocol PeripheralObserver: AnyObject, Sendable {
    func adapterStateChanged(_ state: AdapterState)
    func serviceAdded(token: Int, _ failure: PublishFailure?)
    func advertisingStarted(_ failure: AdvertisingFailure?)
    func subscribed(_ central: CentralRecord, to characteristic: CharacteristicReference)
    func unsubscribed(_ central: CentralRecord, from characteristic: CharacteristicReference)
    func receivedRead(
        _ request: RequestIdentifier, of characteristic: CharacteristicReference, offset: Int,
        from central: CentralRecord)
    /// All items of one request: one Write Request, one Write Command (`needsResponse` false) or one Execute Write.
    func receivedWrite(
        _ request: RequestIdentifier, _ items: [WriteItem], needsResponse: Bool, from central: CentralRecord)
    func readyToUpdate()
    /// The ATT_MTU of a client changed.
    func maximumUpdateLengthChanged(_ central: CentralRecord)
    func channelPublished(_ result: Result<UInt16, ChannelFailure>)
    func channelUnpublished(psm: UInt16, _ failure: ChannelFailure?)
    /// A peer opened a channel. It is open until somebody closes it.
    func channelOpened(_ channel: ChannelHandle, by central: CentralRecord)
}

// Observers without channels need not mention them.
extension PeripheralObserver {
    package func channelPublished(_ result: Result<UInt16, ChannelFailure>) {}
    package func channelUnpublished(psm: UInt16, _ failure: ChannelFailure?) {}
    package func channelOpened(_ channel: ChannelHandle, by central: CentralRecord) {}
}
