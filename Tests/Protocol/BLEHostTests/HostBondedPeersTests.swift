import BLELink
import BLESecurity
import BLEWire
import Testing

@testable import BLEAttribute
@testable import BLEHost

/// What outlives a link to a bonded peer: the host's calls, with the octets that a driver keeps.
struct HostBondedPeersTests {
    private let pair = PairingBench()
    private let sent = SentPackets()
    private let service: AddedService

    /// The attribute PDUs that the central sends.
    private final class SentPackets {
        var pdus: [[UInt8]] = []
        func take() -> [[UInt8]] {
            defer { pdus = [] }
            return pdus
        }
    }

    init() throws {
        let protected = CharacteristicDefinition(
            uuid: BluetoothUUID(UInt16(0x36F6)), properties: 0x102, permissions: 4, value: nil, descriptors: [])
        var definition = TestService.definition
        definition.characteristics.append(protected)
        service = try #require(pair.peripheral.addService(definition))
        pair.peripheral.host.databaseChanged([service.range], at: pair.bench.now)
        pair.settle()
        pair.central.controller.passesData = { [sent] packet in
            if packet.count > 9, packet[7] == 4, packet[8] == 0 { sent.pdus.append(Array(packet[9...])) }
            return true
        }
    }

    /// What a driver does when a link is encrypted with the keys of a bond.
    private func restore(isNew: Bool = false) {
        let (state, cache) = (kept.state, kept.cache)
        pair.peripheral.host.restoreClientState(isNew ? nil : state, on: pair.peripheralLink, at: pair.bench.now)
        pair.central.host.useAttributeCache(isNew ? nil : cache, on: pair.link, at: pair.bench.now)
        pair.settle()
    }

    /// The latest octets of both hosts.
    private var kept: (state: [UInt8]?, cache: [UInt8]?) {
        var kept: (state: [UInt8]?, cache: [UInt8]?) = (nil, nil)
        for entry in pair.peripheral.events {
            if case .clientStateChanged(_, let octets) = entry.event { kept.state = octets }
        }
        for entry in pair.central.events {
            if case .attributeCacheChanged(_, let octets) = entry.event { kept.cache = octets }
        }
        return kept
    }

    private func run(_ operation: GATTOperation, id: UInt32) -> Result<GATTResult, GATTError>? {
        pair.central.host.submit(operation, id: id, subscriber: 1, on: pair.link, at: pair.bench.now)
        pair.settle()
        return pair.central.result(id)
    }

    private var discoveries: [GATTOperation] {
        let value = service.characteristics[0].valueHandle
        return [
            .discoverServices(nil), .discoverIncludedServices(service: service.range, nil),
            .discoverCharacteristics(service: service.range, [TestService.characteristic]),
            .discoverDescriptors(after: value, end: value + 2),
        ]
    }

    private var subscription: GATTOperation {
        let value = service.characteristics[1].valueHandle
        return .setNotify(valueHandle: value, end: value + 1, mode: .notification)
    }

    private func notify() -> Bool {
        let handle = service.characteristics[1].valueHandle
        guard pair.peripheral.host.clientConfiguration(ofValueHandle: handle, on: pair.peripheralLink) == 1 else {
            return false
        }
        pair.peripheral.host.notify([9].span, handle: handle, on: pair.peripheralLink, at: pair.bench.now)
        pair.settle()
        return true
    }

    /// Pairs, discovers everything and subscribes to the protected value.
    private func meet() -> [Result<GATTResult, GATTError>?] {
        pair.pair()
        restore(isNew: true)
        pair.central.host.enableServiceChanged(id: 1, on: pair.link, at: pair.bench.now)
        let results = zip(2..., discoveries).map { run($1, id: $0) }
        #expect(run(subscription, id: 90) == .success(.done))
        pair.bench.run(.seconds(10))
        return results
    }

    @Test func aBondedReconnectNeedsNoDiscovery() {
        let results = meet()
        #expect(results.allSatisfy { $0 != nil } && notify())
        pair.reconnect()
        #expect(!notify(), "not before the encryption")
        pair.pair()
        #expect(!notify())
        _ = sent.take()
        restore()
        #expect(sent.take() == [[0x08, 1, 0, 0xFF, 0xFF, 0x2A, 0x2B]])
        #expect(zip(102..., discoveries).map { run($1, id: $0) } == results)
        #expect(sent.take().isEmpty)
        #expect(notify(), "the subscription is back")
        #expect(run(subscription, id: 190) == .success(.done))
        #expect(sent.take().map(\.first) == [0x12])
        #expect(notify() && pair.central.notifications.last == [9])
    }

    @Test func serviceChangedReachesAClientThatWasAway() throws {
        _ = meet()
        pair.lose()
        let added = try #require(pair.peripheral.addService(TestService.definition))
        pair.peripheral.host.databaseChanged([added.range], at: pair.bench.now)
        pair.connect()
        pair.pair()
        restore()
        let changes = pair.central.events.compactMap {
            if case .servicesChanged(pair.link, let range) = $0.event { range } else { nil }
        }
        #expect(changes == [HandleRange(start: 1, end: 0xFFFF)])
        guard case .success(.services(let services)) = run(.discoverServices(nil), id: 101) else {
            Issue.record("no services")
            return
        }
        #expect(services.count == 2)
    }

    /// A server that changes must not send updates before the client knows it.
    @Test func updatesWaitForAClientThatDoesNotKnowTheDatabase() throws {
        _ = meet()
        let link = pair.peripheralLink
        pair.central.answersRequests = false
        let added = try #require(pair.peripheral.addService(TestService.definition))
        pair.peripheral.host.databaseChanged([added.range], at: pair.bench.now)
        pair.settle()
        #expect(pair.peripheral.host.takesValues(on: link) == false && !notify())
        let drained = pair.peripheral.drained
        pair.central.host.confirmIndication(on: pair.link, at: pair.bench.now)
        pair.settle()
        #expect(pair.peripheral.drained == drained + 1)
        #expect(pair.peripheral.host.takesValues(on: link) == true && notify())
    }

    @Test func anImpostorWithTheAddressGetsNothing() {
        _ = meet()
        pair.reconnect()
        let information = pair.peripheral.host.security(of: pair.peripheralLink)
        #expect(information?.isBonded == true && information?.isEncrypted == false)
        #expect(run(.read(handle: service.characteristics[1].valueHandle), id: 101) == nil, "Insufficient Encryption")
        #expect(!notify())
    }

    @Test func aChannelOpensAfterThePairing() {
        pair.peripheral.host.channelListeners = [CreditBasedListener(spsm: 0x81, requiresEncryption: true)]
        let number = pair.central.host.connectChannel(spsm: 0x81, on: pair.link, at: pair.bench.now)
        pair.settle()
        func events() -> [CreditBasedEvent] {
            pair.central.events.compactMap { if case .channel(_, let event) = $0.event { event } else { nil } }
        }
        #expect(events() == [.securityRequired(number ?? 0, .insufficientAuthentication)])
        pair.pair()
        pair.central.host.resumeChannel(number ?? 0, repeating: true, of: pair.link, at: pair.bench.now)
        pair.settle()
        guard case .opened(number, _)? = events().last else {
            Issue.record("\(events())")
            return
        }
    }
}
