import BLEWire

/// The peripheral role of one manager.
package protocol PeripheralSession: AnyObject, Sendable {
    /// Adds a service to the database. `serviceAdded` follows with `token`, which identifies the service.
    func add(_ service: ServiceDefinition, token: Int)
    func remove(token: Int)
    func removeAll()

    /// Starts advertising. `advertisingStarted` follows.
    func startAdvertising(_ advertisement: Advertisement)
    func stopAdvertising()

    /// Answers a read (with `value`, the octets from the request's offset on) or a write. Has no effect if the request
    /// is unknown or already answered.
    func respond(to request: RequestIdentifier, error: UInt8, value: [UInt8]?)

    /// Sends a notification, or an indication if the client enabled those alone (Vol 3, Part G, 3.3.3.3), to
    /// `centrals`, or to every subscriber if nil. Returns false if the transmit queue is full: then no client gets the
    /// value, and `readyToUpdate` follows when there is room. Values longer than a subscriber's ATT_MTU - 3 are cut for
    /// that subscriber.
    func update(_ value: Span<UInt8>, of characteristic: CharacteristicReference, centrals: [PeerIdentifier]?) -> Bool

    /// Requests another connection interval from the central (Vol 3, Part C, 9.3.9).
    func setLatency(_ latency: RequestedLatency, of central: PeerIdentifier)

    /// Accepts L2CAP channels under a new SPSM. `channelPublished` follows with it.
    func publishChannel(requiresEncryption: Bool)
    /// Stops accepting channels and closes the open ones. `channelUnpublished` follows.
    func unpublishChannel(psm: UInt16)
}

/// Receives the events of a peripheral session, on the adapter's executor and in order.
package protocol PeripheralObserver: AnyObject, Sendable {
    func adapterStateChanged(_ state: AdapterState)
    func serviceAdded(token: Int, _ failure: PublishingError?)
    func advertisingStarted(_ failure: AdvertisingError?)
    func subscribed(_ central: CentralRecord, to characteristic: CharacteristicReference)
    func unsubscribed(_ central: CentralRecord, from characteristic: CharacteristicReference)
    func receivedRead(
        _ request: RequestIdentifier, of characteristic: CharacteristicReference, offset: Int,
        from central: CentralRecord)
    /// All items of one request: a Write Request, a Write Command (`needsResponse` false) or an Execute Write Request
    /// (Vol 3, Part F, 3.4.5 and 3.4.6).
    func receivedWrite(
        _ request: RequestIdentifier, _ items: [WriteItem], needsResponse: Bool, from central: CentralRecord)
    func readyToUpdate()
    /// The ATT_MTU of a client changed.
    func maximumUpdateLengthChanged(_ central: CentralRecord)
    func channelPublished(_ result: Result<UInt16, ChannelError>)
    func channelUnpublished(psm: UInt16, _ failure: ChannelError?)
    /// A peer opened a channel. It stays open until one side closes it.
    func channelOpened(_ channel: ChannelHandle, by central: CentralRecord)
}

// Observers without channels need not implement these methods.
extension PeripheralObserver {
    package func channelPublished(_ result: Result<UInt16, ChannelError>) {}
    package func channelUnpublished(psm: UInt16, _ failure: ChannelError?) {}
    package func channelOpened(_ channel: ChannelHandle, by central: CentralRecord) {}
}
