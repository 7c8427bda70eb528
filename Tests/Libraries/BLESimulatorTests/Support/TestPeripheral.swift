import BLEAdapter
import BLEHostAdapter
import BLESimulator
import BLEWire

/// A program with a peripheral manager, at the level of the adapter: it records everything and answers requests.
///
/// Its service FEE7 has: 0 notify and indicate-free values (FEC8: notify), 1 (FEC7: read, write, write command; its value is
/// kept here), 2 (FEC9: indicate), 3 (FECA: static value).
final class TestPeripheral: PeripheralObserver {
    enum Event: Equatable {
        case state(AdapterState)
        case added(Int, PublishingError?)
        case advertising(AdvertisingError?)
        case subscribed(PeerIdentifier, CharacteristicReference)
        case unsubscribed(PeerIdentifier, CharacteristicReference)
        case read(CharacteristicReference, offset: Int)
        case write([WriteItem], needsResponse: Bool)
        case readyToUpdate
        case updateLength(Int)
        case published(Result<UInt16, ChannelError>)
        case unpublished(UInt16, ChannelError?)
        case channel(psm: UInt16)
    }

    static let service = BluetoothUUID(UInt16(0xFEE7))
    static let notifying = CharacteristicReference(service: 1, index: 0)
    static let writable = CharacteristicReference(service: 1, index: 1)
    static let indicating = CharacteristicReference(service: 1, index: 2)
    static let staticValue: [UInt8] = Array("static".utf8)

    static let definition = ServiceDefinition(
        uuid: service, isPrimary: true, includedServices: [],
        characteristics: [
            CharacteristicDefinition(
                uuid: BluetoothUUID(UInt16(0xFEC8)), properties: 0x10, permissions: 1, value: nil, descriptors: []),
            CharacteristicDefinition(
                uuid: BluetoothUUID(UInt16(0xFEC7)), properties: 0x02 | 0x04 | 0x08, permissions: 3, value: nil,
                descriptors: []),
            CharacteristicDefinition(
                uuid: BluetoothUUID(UInt16(0xFEC9)), properties: 0x20, permissions: 1, value: nil, descriptors: []),
            CharacteristicDefinition(
                uuid: BluetoothUUID(UInt16(0xFECA)), properties: 0x02, permissions: 1, value: staticValue,
                descriptors: []),
        ])

    /// The channels that were opened.
    let channels = Lock<[ChannelHandle]>([])

    private struct Content {
        var events: [Event] = []
        var session: (any PeripheralSession)?
        var value: [UInt8] = []
    }

    let world: World
    private let content = Lock(Content())
    private let reaction = Lock<(@Sendable (Event) -> Void)?>(nil)

    convenience init(_ device: VirtualDevice, in world: World) { self.init(device.adapter, in: world) }

    init(_ adapter: any BluetoothAdapter, in world: World) {
        self.world = world
        let session = adapter.openPeripheral(observer: self)
        content.withLock { $0.session = session }
    }

    var session: any PeripheralSession { content.withLock { $0.session! } }
    var events: [Event] { content.withLock { $0.events } }
    /// The value of the writable characteristic.
    var value: [UInt8] {
        get { content.withLock { $0.value } }
        set { content.withLock { $0.value = newValue } }
    }

    func close() { content.withLock { $0.session = nil } }

    func react(_ reaction: (@Sendable (Event) -> Void)?) { self.reaction.withLock { $0 = reaction } }

    private func record(_ event: Event) {
        content.withLock { $0.events.append(event) }
        reaction.withLock { $0 }?(event)
    }

    func adapterStateChanged(_ state: AdapterState) { record(.state(state)) }
    func serviceAdded(token: Int, _ failure: PublishingError?) { record(.added(token, failure)) }
    func advertisingStarted(_ failure: AdvertisingError?) { record(.advertising(failure)) }
    func subscribed(_ central: CentralRecord, to characteristic: CharacteristicReference) {
        record(.subscribed(central.identifier, characteristic))
    }
    func unsubscribed(_ central: CentralRecord, from characteristic: CharacteristicReference) {
        record(.unsubscribed(central.identifier, characteristic))
    }
    func receivedRead(
        _ request: RequestIdentifier, of characteristic: CharacteristicReference, offset: Int,
        from central: CentralRecord
    ) {
        record(.read(characteristic, offset: offset))
        let value = self.value
        if offset > value.count {
            session.respond(to: request, error: 7, value: nil)
        } else {
            session.respond(to: request, error: 0, value: Array(value[offset...]))
        }
    }
    func receivedWrite(
        _ request: RequestIdentifier, _ items: [WriteItem], needsResponse: Bool, from central: CentralRecord
    ) {
        content.withLock { content in
            for item in items {
                if item.offset == 0 { content.value.removeAll() }
                content.value.append(contentsOf: item.value)
            }
        }
        record(.write(items, needsResponse: needsResponse))
        session.respond(to: request, error: 0, value: nil)
    }
    func channelPublished(_ result: Result<UInt16, ChannelError>) { record(.published(result)) }
    func channelUnpublished(psm: UInt16, _ failure: ChannelError?) { record(.unpublished(psm, failure)) }
    func channelOpened(_ channel: ChannelHandle, by central: CentralRecord) {
        channels.withLock { $0.append(channel) }
        record(.channel(psm: channel.psm))
    }
    func readyToUpdate() { record(.readyToUpdate) }
    func maximumUpdateLengthChanged(_ central: CentralRecord) { record(.updateLength(central.maximumUpdateLength)) }

    func wait(timeout: Duration = .seconds(60), _ event: Event) async throws {
        let happened = await world.run(timeout: timeout) { self.events.contains(event) }
        if !happened { throw MissingResultError(description: "\(event) did not come; \(events)") }
    }

    func update(
        _ value: [UInt8], of characteristic: CharacteristicReference, centrals: [PeerIdentifier]? = nil
    ) -> Bool {
        session.update(value.span, of: characteristic, centrals: centrals)
    }

    /// Publishes the test service and advertises it.
    func publish(_ name: String) async throws {
        try await wait(.state(.poweredOn))
        session.add(Self.definition, token: 1)
        try await wait(.added(1, nil))
        session.startAdvertising(Advertisement(localName: name, services: [Self.service]))
        try await wait(.advertising(nil))
    }
}
