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
    func setLatency(_ latency: LatencyWish, of central: PeerIdentifier)

    /// Takes L2CAP channels under a new number; `channelPublished` answers with it.
    func publishChannel(requiresEncryption: Bool)
    /// Takes no channels any more and closes those there are; `channelUnpublished` answers.
    func unpublishChannel(psm: UInt16)
}

package enum LatencyWish: Int, Sendable { case low, medium, high }

/// Advertising data as Apple's peripheral manager takes it; the adapter decides what fits where.
package struct Advertisement: Hashable, Sendable {
    package var localName: String?
    package var services: [BluetoothUUID]
    package init(localName: String?, services: [BluetoothUUID]) {
        self.localName = localName
        self.services = services
    }
}

/// Names a characteristic of an added service: the service's token and the index in its definition.
package struct CharacteristicReference: Hashable, Sendable {
    package var service: Int
    package var index: Int
    package init(service: Int, index: Int) {
        self.service = service
        self.index = index
    }
}

package struct RequestIdentifier: Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A connected client of the local database.
package struct CentralRecord: Hashable, Sendable {
    package var identifier: PeerIdentifier
    /// ATT_MTU - 3, octets.
    package var maximumUpdateLength: Int
    package init(identifier: PeerIdentifier, maximumUpdateLength: Int) {
        self.identifier = identifier
        self.maximumUpdateLength = maximumUpdateLength
    }
}

package struct WriteItem: Hashable, Sendable {
    package var characteristic: CharacteristicReference
    package var offset: Int
    package var value: [UInt8]
    package init(characteristic: CharacteristicReference, offset: Int, value: [UInt8]) {
        self.characteristic = characteristic
        self.offset = offset
        self.value = value
    }
}

package enum PublishFailure: Error, Hashable, Sendable {
    /// The database has no handles left.
    case outOfSpace
    /// An included service is not in the database.
    case unknownIncludedService
    /// The adapter is not powered on.
    case notPoweredOn
}

package enum AdvertisingFailure: Error, Hashable, Sendable {
    case alreadyAdvertising
    case notPoweredOn
    /// The controller refused, with its error code.
    case controller(UInt8)
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
