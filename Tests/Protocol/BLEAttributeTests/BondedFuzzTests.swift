import BLECrypto
import BLEWire
import Testing

@testable import BLEAttribute

/// Hostile peers of bearers that remember clients and cache servers.
struct BondedFuzzTests {
    /// The PDUs of an ordinary bonded session.
    private func session() throws -> (bonded: BondedPair, toServer: [[UInt8]], toClient: [[UInt8]]) {
        let bonded = try BondedPair()
        bonded.reconnect()
        bonded.enableServiceChanged()
        for operation in operations(bonded) { bonded.run(operation) }
        try bonded.add()
        bonded.run(.read(handle: bonded.value.valueHandle))
        bonded.pause()
        return (bonded, bonded.pair.toServer, bonded.pair.toClient)
    }

    private func operations(_ bonded: BondedPair) -> [GATTOperation] {
        [
            .discoverServices(nil), .discoverServices([uuid(0xFEE7)]),
            .discoverIncludedServices(service: bonded.service.range, nil),
            .discoverCharacteristics(service: bonded.service.range, nil),
            .discoverDescriptors(after: bonded.value.valueHandle, end: bonded.value.valueHandle + 2),
            bonded.subscribe(bonded.value, end: bonded.value.valueHandle + 2),
            bonded.subscribe(bonded.secret, end: bonded.secret.valueHandle + 1, .indication),
            .read(handle: bonded.secret.valueHandle), .write(handle: bonded.value.valueHandle, value: pattern(60)),
        ]
    }

    private func mutate(_ pdu: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var pdu = pdu
        for _ in 0..<Int.random(in: 0...2, using: &random) where !pdu.isEmpty {
            pdu[Int.random(in: 0..<pdu.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        if Int.random(in: 0..<8, using: &random) == 0 { pdu = Array(pdu.prefix(Int.random(in: 0...6, using: &random))) }
        return pdu
    }

    @Test(arguments: 0..<4) func aHostileClientStaysWithinItsBounds(seed: UInt64) throws {
        let (bonded, toServer, _) = try session()
        var random = SeededRandom(seed: seed)
        var database = bonded.database
        var bearer = ATTBearer()
        var (reports, refusals, links) = (0, 0, 0)
        var state: [UInt8]?
        var security = LinkSecurity.none
        for _ in 0..<6_000 {
            var output = ATTOutput()
            switch Int.random(in: 0..<40, using: &random) {
            case 0: bearer.databaseChanged(database, security: security, output: &output)
            case 1:
                security = [.none, .keyAvailable, .encrypted].randomElement(using: &random) ?? .none
                bearer.securityChanged(to: security, database: database, output: &output)
            case 2:
                bearer.restoreClient(state, database: database, security: security, at: .zero, output: &output)
            case 3:
                bearer.close(output: &output)
                bearer = ATTBearer()
                links += 1
            default:
                let pdu = mutate(toServer.randomElement(using: &random) ?? [], &random)
                bearer.receive(pdu.span, database: &database, security: security, at: .zero, output: &output)
            }
            for event in output.events {
                switch event {
                case .readRequest(let request, _, _):
                    bearer.respondToRead(request, value: [1].span, at: .zero, output: &output)
                case .writeRequest(let request, _, _): bearer.respondToWrite(request, at: .zero, output: &output)
                case .clientStateChanged(let octets):
                    state = octets
                    reports += 1
                    if octets.count > 4_096 { Issue.record("too long") }
                default: break
                }
            }
            refusals += output.pdus.count { output.pduOctets[$0].last == 0x12 && output.pduOctets[$0].first == 1 }
            if bearer.server.configurations.count > 4 { Issue.record("more configurations than characteristics") }
            for configuration in bearer.server.configurations where configuration.isProtected && !security.isEncrypted {
                if configuration.active != 0 { Issue.record("an update without encryption") }
            }
        }
        #expect(reports > 50 && refusals > 5 && links > 50, "the machines were reached")
    }

    @Test(arguments: 0..<4) func aHostileServerStaysWithinItsBounds(seed: UInt64) throws {
        let (bonded, _, toClient) = try session()
        let operations = operations(bonded)
        var random = SeededRandom(seed: seed)
        var database = AttributeDatabase()
        var bearer = ATTBearer(suspendsForSecurity: true)
        var (ended, reports, id) = (0, 0, UInt32(0))
        var open: Set<UInt32> = []
        var cache = bonded.cache
        var now = Instant.zero
        for _ in 0..<20_000 {
            var output = ATTOutput()
            switch Int.random(in: 0..<60, using: &random) {
            case 0: bearer.useAttributeCache(cache, at: now, output: &output)
            case 1:
                now += .seconds(1)
                bearer.handleTimeout(at: now, output: &output)
            case 2...8 where open.count < 8:
                id += 1
                open.insert(id)
                bearer.submit(
                    operations.randomElement(using: &random) ?? .readRSSI, id: id, subscriber: Int(id % 3), at: now,
                    output: &output)
            case 9: bearer.dropSubscriber(Int(id % 3), at: now, output: &output)
            default:
                // Answers that match the outstanding request get further than others. Without one, any PDU ends the bearer or is
                // dropped.
                if bearer.client.current == nil, Int.random(in: 0..<4, using: &random) > 0 { break }
                let response = bearer.client.request?.response.rawValue
                let matching = toClient.filter { $0.first == response || $0.first == 0x1D }
                var pdu = (matching.isEmpty ? toClient : matching).randomElement(using: &random) ?? []
                if case .validation? = bearer.client.current?.task, Bool.random(using: &random) {
                    pdu = toClient.first { $0.starts(with: [0x09, 18]) } ?? pdu
                }
                if Int.random(in: 0..<4, using: &random) == 0 { pdu = mutate(pdu, &random) }
                if Int.random(in: 0..<6, using: &random) == 0, let request = bearer.client.request {
                    pdu = [1, request.rawValue, 0, 0, [0x0A, 0x12, 0x05, 0x0F].randomElement(using: &random) ?? 1]
                }
                bearer.receive(pdu.span, database: &database, security: .encrypted, at: now, output: &output)
            }
            for event in output.events {
                switch event {
                case .completed(let id, _):
                    ended += 1
                    // `dropSubscriber` withdraws without a word.
                    open.remove(id)
                case .attributeCacheChanged(let octets):
                    reports += 1
                    cache = octets
                    if octets.count > AttributeCache.capacity || (try? decode(octets)) == nil {
                        Issue.record("bad octets")
                    }
                case .value, .servicesChanged: bearer.confirmIndication(output: &output)
                case .securityRequired: bearer.resume(repeating: true, at: now, output: &output)
                default: break
                }
            }
            if bearer.hasFailed || Int.random(in: 0..<400, using: &random) == 0 {
                var end = ATTOutput()
                bearer.close(output: &end)
                for case .attributeCacheChanged(let octets) in end.events {
                    reports += 1
                    cache = octets
                }
                bearer = ATTBearer(suspendsForSecurity: true)
                open = []
            }
            if open.count >= 8, bearer.client.current == nil { open = [] }
        }
        #expect(ended > 200 && reports > 10, "the machines were reached")
    }

    private func decode(_ octets: [UInt8]) throws -> AttributeCache { try AttributeCache(decoding: octets.span) }
}
