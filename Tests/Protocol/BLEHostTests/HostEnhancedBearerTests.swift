import BLEAttribute
import BLEController
import BLECrypto
import BLEWire
import Testing

@testable import BLEHost
@testable import BLELink

/// Enhanced bearers of two hosts (Vol 3, Part G, 5.3 and 5.4).
struct HostEnhancedBearerTests {
    /// The frames that a host sends.
    private final class Sent {
        var signals: [[UInt8]] = []
        var channels: [UInt8] = []
    }

    private let pair: PairingBench
    private let handles: [UInt16]
    private let sent = Sent()

    init() throws { try self.init(central: 3, peripheral: 3) }

    private init(central: Int, peripheral: Int) throws {
        pair = PairingBench(central: { $0.enhancedBearers = central }, peripheral: { $0.enhancedBearers = peripheral })
        var definition = TestService.definition
        definition.characteristics = (0..<6).map {
            CharacteristicDefinition(
                uuid: BluetoothUUID(UInt16(0x36F0 + $0)), properties: 0x3E, permissions: 3, value: nil, descriptors: [])
        }
        let service = try #require(pair.peripheral.addService(definition))
        handles = service.characteristics.map(\.valueHandle)
        for handle in handles { pair.peripheral.values[handle] = [UInt8(truncatingIfNeeded: handle)] }
        pair.central.controller.passesData = { [sent] packet in
            guard packet.count > 9, packet[2] >> 4 & 3 != 1 else { return true }
            if packet[7] == 5 { sent.signals.append(Array(packet[9...])) }
            sent.channels.append(packet[7])
            return true
        }
    }

    private var central: BenchHost { pair.central }
    private var peripheral: BenchHost { pair.peripheral }

    private func bearers(_ host: BenchHost) -> Int? {
        host.host.connections[pair.link(of: host)]?.bearer.enhancedCount
    }

    /// Delivers a frame that the other host did not send.
    private func inject(_ payload: [UInt8], channel: UInt8, to host: BenchHost) {
        guard let handle = host.controller.links.first?.handle else {
            Issue.record("no link")
            return
        }
        let field = handle | 0x2000
        let head: [UInt8] = [2, UInt8(truncatingIfNeeded: field), UInt8(truncatingIfNeeded: field >> 8)]
        let length = UInt16(payload.count)
        let lengths: [UInt8] = [
            UInt8(truncatingIfNeeded: length + 4), UInt8(truncatingIfNeeded: (length + 4) >> 8),
            UInt8(truncatingIfNeeded: length), UInt8(truncatingIfNeeded: length >> 8),
        ]
        host.controller.emit(head + lengths + [channel, 0] + payload)
        pair.settle()
    }

    private func secure() {
        pair.pair()
        pair.bench.run(.seconds(8))
    }

    @Test("Encrypted links get their bearers, and reads run on all of them in order")
    func encryptedLinksGetTheirBearers() throws {
        pair.bench.run(.seconds(10))
        #expect(bearers(pair.central) == 0 && sent.signals.isEmpty, "not encrypted")
        for round: UInt32 in 1...2 {
            secure()
            #expect(bearers(pair.central) == 3 && bearers(pair.peripheral) == 3)
            #expect(sent.signals.filter { $0[0] == 0x17 }.count == round)
            sent.channels = []
            for (index, handle) in handles.enumerated() {
                pair.central.host.submit(
                    .read(handle: handle), id: round * 10 + UInt32(index), on: pair.link, at: pair.bench.now)
            }
            pair.settle()
            #expect(Array(pair.central.completions.suffix(6)) == (0..<6).map { round * 10 + $0 })
            for (index, handle) in handles.enumerated() {
                let value = GATTResult.value([UInt8(truncatingIfNeeded: handle)])
                #expect(pair.central.result(round * 10 + UInt32(index)) == .success(value))
            }
            #expect(Set(sent.channels.filter { $0 >= 0x40 }).count == 3)
            #expect(pair.central.violations.isEmpty && pair.peripheral.violations.isEmpty)
            if round == 1 { pair.reconnect() }
        }
    }

    @Test("A peer without the bit gets no request")
    func aPeerWithoutTheBitGetsNoRequest() throws {
        for (central, peripheral) in [(3, 0), (0, 3)] {
            let test = try Self(central: central, peripheral: peripheral)
            test.secure()
            #expect(test.bearers(test.central) == 0 && test.bearers(test.peripheral) == 0)
            #expect(!test.sent.signals.contains { (0x17...0x1A).contains($0[0]) })
            #expect(test.pair.central.violations.isEmpty && test.pair.peripheral.violations.isEmpty)
        }
    }

    @Test func theSmallerLimitCounts() throws {
        for (first, second) in [(5, 2), (2, 5), (9, 9)] {
            let test = try Self(central: first, peripheral: second)
            test.secure()
            let count = min(first, second, 5)
            #expect(test.bearers(test.central) == count && test.bearers(test.peripheral) == count)
            #expect(test.sent.signals.filter { $0[0] == 0x17 }.count == 1)
        }
    }

    @Test("Both sides may open bearers; together they stay within the limit")
    func aPeerMayOpenBearersToo() throws {
        let test = try Self(central: 3, peripheral: 3)
        test.pair.pair()
        test.inject([0x17, 9, 12, 0, 0x27, 0, 100, 0, 100, 0, 5, 0, 0x70, 0, 0x71, 0], channel: 5, to: test.central)
        #expect(test.bearers(test.central) == 2)
        test.pair.bench.run(.seconds(8))
        #expect(test.bearers(test.central) == 3 && test.bearers(test.peripheral) == 1)
        let request = test.sent.signals.first { $0[0] == 0x17 }
        #expect(request.map { $0[2] } == 10, "one channel")
        // Without encryption there are none.
        test.pair.reconnect()
        test.inject([0x17, 9, 10, 0, 0x27, 0, 100, 0, 100, 0, 5, 0, 0x70, 0], channel: 5, to: test.central)
        #expect(test.bearers(test.central) == 0)
        #expect([0x05, 0x08].contains(test.sent.signals.last.map { $0[10] }))
    }

    /// A bearer that the peer of the central opened with its end 0070: this side's end.
    private func openForeign(credits: UInt8) throws -> UInt8 {
        inject([0x17, 9, 10, 0, 0x27, 0, 100, 0, 100, 0, credits, 0, 0x70, 0], channel: 5, to: central)
        let channel = central.host.connections[pair.link]?.channels.channels.first { $0.remote.rawValue == 0x70 }
        return UInt8(truncatingIfNeeded: try #require(channel).local.rawValue)
    }

    @Test("A peer that gives no credits for its responses loses the bearer alone")
    func aPeerWithoutCreditsLosesTheBearer() throws {
        let test = try Self(central: 2, peripheral: 0)
        test.pair.pair()
        let end = try test.openForeign(credits: 1)
        #expect(test.bearers(test.central) == 1)
        for _ in 0..<2_000 where test.bearers(test.central) == 1 {
            test.inject([7, 0, 0x08, 1, 0, 0xFF, 0xFF, 0x03, 0x28], channel: end, to: test.central)
        }
        #expect(test.bearers(test.central) == 0 && test.central.disconnected.isEmpty)
        #expect(test.sent.channels.filter { $0 == 0x70 }.count == 1)
        // Another one works.
        test.inject([0x17, 8, 10, 0, 0x27, 0, 100, 0, 100, 0, 5, 0, 0x72, 0], channel: 5, to: test.central)
        #expect(test.bearers(test.central) == 1)
    }

    @Test("A PDU longer than the MTU, or without a credit, ends the bearer alone")
    func aPDUAboveTheMTUEndsTheBearer() throws {
        let test = try Self(central: 2, peripheral: 0)
        test.pair.pair()
        let end = try test.openForeign(credits: 5)
        test.inject([0xF3, 1, 0x0A, 3, 0], channel: end, to: test.central)
        #expect(test.bearers(test.central) == 0 && test.central.disconnected.isEmpty)
        #expect(test.central.violations.contains(.channel(.sduTooLong)))
        #expect(test.central.host.connections[test.pair.link]?.enhanced.listener?.channelLimit == 2)
        // Bearers that come and go for ever.
        for number: UInt8 in 1..<200 {
            test.inject([0x07, 0xFF, 4, 0, 0x70, 0, end, 0], channel: 5, to: test.central)
            test.inject(
                [0x17, number, 10, 0, 0x27, 0, 100, 0, 100, 0, 5, 0, 0x71, 0], channel: 5, to: test.central)
            let local = test.central.host.connections[test.pair.link]?.channels.channels.last?.local.rawValue ?? 0
            #expect(test.bearers(test.central) == 1)
            test.inject(
                [0x06, number, 4, 0, UInt8(truncatingIfNeeded: local), 0, 0x71, 0], channel: 5, to: test.central)
            #expect(test.bearers(test.central) == 0)
        }
        #expect(!test.central.events.contains { if case .channel = $0.event { true } else { false } })
    }

    @Test func theEndOfTheLinkEndsBearersSilently() throws {
        secure()
        pair.central.answersRequests = false
        pair.lose()
        #expect(pair.central.disconnected.count == 1)
        for host in [pair.central, pair.peripheral] {
            #expect(!host.events.contains { if case .channel = $0.event { true } else { false } })
        }
    }

    /// The time of eight reads over the air.
    private func timeOfReads(bearers: Int) throws -> TimeSpan {
        let bench = RadioBench()
        var configuration = HostConfiguration()
        configuration.enhancedBearers = bearers
        let central = bench.ready(configuration, crypto: SwiftCryptoProvider(generator: SeededRandom(seed: 1)))
        let peripheral = bench.ready(
            at: RadioPosition(x: 1), configuration, crypto: SwiftCryptoProvider(generator: SeededRandom(seed: 2)))
        peripheral.value = [7]
        let service = try #require(peripheral.addService())
        let (link, _) = try #require(bench.link(central, peripheral))
        central.host.secure(link, minimum: .unauthenticated, at: bench.now)
        bench.run(.seconds(10))
        #expect(central.host.connections[link]?.bearer.enhancedCount == bearers)
        let begin = bench.now
        let handle = service.characteristics[0].valueHandle
        for id: UInt32 in 0..<8 { central.host.submit(.read(handle: handle), id: id, on: link, at: bench.now) }
        bench.run(.seconds(10)) { central.result(7) != nil }
        #expect((0..<8).allSatisfy { central.result($0) == .success(.value([7])) })
        #expect(central.violations.isEmpty && peripheral.violations.isEmpty)
        return bench.now - begin
    }

    @Test("Over the air, several bearers carry requests in one connection event")
    func readsOverTheAirTakeLessTime() throws {
        let alone = try timeOfReads(bearers: 0)
        let shared = try timeOfReads(bearers: 3)
        #expect(shared * 2 <= alone, "\(shared) \(alone)")
    }

    @Test("Several values in one notification")
    func severalValuesInOneNotification() throws {
        secure()
        let values = handles.prefix(2).map { AttributeValue(handle: $0, value: [1, 2]) }
        let isSent = pair.peripheral.host.notify(values, on: pair.peripheralLink, at: pair.bench.now)
        #expect(isSent)
        pair.settle()
        #expect(pair.central.notifications == [[1, 2], [1, 2]])
    }
}

/// When bearers are requested again (Vol 3, Part G, 5.4).
struct BearerCollisionTests {
    private func collide(_ machine: inout EnhancedBearers) -> TimeSpan? {
        #expect(machine.take() == 2)
        machine.requested([1, 2])
        machine.refused(1, .result(.noResources))
        #expect(machine.collisionDelay() == nil)
        machine.refused(2, .result(.noResources))
        return machine.collisionDelay()
    }

    @Test("L2CAP/TIM/BV-03-C: after a collision the request is repeated, after a random delay and not for ever")
    func aCollisionIsRepeatedAfterARandomDelay() {
        var delays: Set<TimeSpan> = []
        for seed: UInt64 in 0..<20 {
            var machine = EnhancedBearers(count: 2, mtu: 100, seed: seed)
            let isFirst = (machine.find(), machine.find())
            #expect(isFirst.0 && !isFirst.1)
            machine.supported()
            for attempt in 1...EnhancedBearers.attemptLimit {
                let delay = collide(&machine)
                let isInRange = delay.map { $0 >= .milliseconds(10) && $0 <= .milliseconds(200) }
                #expect(isInRange == (attempt == EnhancedBearers.attemptLimit ? nil : true))
                delays.formUnion([delay].compactMap { $0 })
            }
            #expect(machine.take() == 0)
        }
        #expect(delays.count > 5)
    }

    @Test func otherRefusalsAreFinal() {
        for error in [.result(.insufficientAuthorization), .noAnswer, .notUnderstood] as [CreditBasedConnectionError] {
            var machine = EnhancedBearers(count: 2, mtu: 100, seed: 1)
            _ = machine.find()
            machine.supported()
            machine.requested(machine.take() == 2 ? [1, 2] : [])
            machine.refused(1, error)
            machine.refused(2, error)
            #expect(machine.collisionDelay() == nil)
            #expect(machine.take() == 0)
        }
        // A peer that opened its own channels meanwhile has what both want.
        var machine = EnhancedBearers(count: 2, mtu: 100, seed: 1)
        _ = machine.find()
        machine.supported()
        machine.requested(machine.take() == 2 ? [1, 2] : [])
        machine.refused(1, .result(.noResources))
        machine.opened(7)
        machine.refused(2, .result(.noResources))
        #expect(machine.collisionDelay() == nil)
        #expect(machine.take() == 0)
        // Off.
        machine = EnhancedBearers(count: 0, mtu: 100, seed: 1)
        let finds = machine.find()
        #expect(!finds && machine.listener == nil)
    }
}
