import BLEWire
import Testing

@testable import BLEAttribute

/// Hostile peers: nothing traps, nothing loops, nothing grows without bound.
struct FuzzTests {
    /// Everything that goes over in a busy session of well-behaved bearers.
    private func session() throws -> (AttributeDatabase, toServer: [[UInt8]], toClient: [[UInt8]]) {
        var database = AttributeDatabase(deviceName: Array("Band".utf8))
        let included = try database.added(ServiceDefinition(ClientServerTests.long))
        let service = try database.added(
            ServiceDefinition(
                uuid(0xFEE7),
                [
                    CharacteristicDefinition(
                        uuid(0x36F5), 0x3E, 3, descriptors: [.init(uuid: uuid(0x2901), value: [65])]),
                    CharacteristicDefinition(uuid(0x36F6), 0x02, 1, value: pattern(60)),
                ]), included: [included.range])
        let pair = Pair(database, clientMTU: 64)
        let handle = service.characteristics[0].valueHandle
        pair.values[handle] = pattern(50)
        for operation: GATTOperation in [
            .discoverServices(nil), .discoverServices([uuid(0xFEE7)]),
            .discoverIncludedServices(service: service.range, nil),
            .discoverCharacteristics(service: service.range, nil),
            .discoverDescriptors(after: handle, end: handle + 2), .read(handle: handle),
            .write(handle: handle, value: pattern(50)), .write(handle: handle, value: pattern(5)),
            .setNotify(valueHandle: handle, end: handle + 2, mode: .notification), .read(handle: 0x7777),
        ] { pair.run(operation) }
        pair.now += .seconds(1)
        pair.run { $0.enableServiceChanged(id: $1, at: $2, output: &$3) }
        pair.run { $0.readDeviceName(id: $1, at: $2, output: &$3) }
        pair.exchangeMTU()
        let value = pattern(9)
        pair.onServer { $0.notify(handle: handle, value: value.span, output: &$1) }
        pair.onServer { $0.indicate(handle: handle, value: value.span, at: .zero, output: &$1) }
        pair.onServer { $0.indicateServicesChanged(handles(10, 20), database: database, at: .zero, output: &$1) }
        try pair.onClient { bearer, output in try bearer.writeCommand(value.span, handle: handle, output: &output) }
        let more = [
            "0E 0300 0500", "20 0300 0500", "D2 0E00 0102030405060708090A0B0C", "23 0300 0100 01 0500 0000", "18 00",
        ]
        return (database, pair.toServer + more.map(octets), pair.toClient)
    }

    private func mutate(_ pdu: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var pdu = pdu
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let octet = UInt8.random(in: 0...255, using: &random)
            let position = pdu.isEmpty ? 0 : Int.random(in: 0..<pdu.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: if !pdu.isEmpty { pdu[position] = octet }
            case 1: if !pdu.isEmpty { pdu[position] ^= 1 << (octet & 7) }
            case 2: pdu.removeSubrange(position...)
            case 3: pdu.insert(octet, at: position)
            case 4: if !pdu.isEmpty { pdu[position] = [0, 0xFF, 0x7F, 0x80][Int(octet & 3)] }
            default: pdu += [UInt8](repeating: octet, count: Int(octet) * 3)
            }
        }
        return pdu
    }

    @Test(arguments: 1...2 as ClosedRange<UInt64>)
    func mutatedPDUsNeitherTrapNorGrowMemory(seed: UInt64) throws {
        var (database, toServer, toClient) = try session()
        let corpus = toServer + toClient
        #expect(corpus.count > 60)
        var random = SeededRandom(seed: seed)
        var bearer = ATTBearer()
        var output = ATTOutput()
        var now = Instant.zero
        var submitted: UInt32 = 0
        /// Operations of this bearer that ended, and those submitted to the bearers before it.
        var ended: Set<UInt32> = []
        var before: UInt32 = 0
        var failures = 0
        for _ in 0..<30_000 {
            output = ATTOutput()
            now += .milliseconds(20)
            if Int.random(in: 0..<4, using: &random) == 0, bearer.client.waiting.count < 8 {
                submitted += 1
                bearer.submit(operation(&random), id: submitted, at: now, output: &output)
            }
            if let deadline = bearer.deadline, deadline <= now { bearer.handleTimeout(at: now, output: &output) }
            var pdu = mutate(corpus.randomElement(using: &random) ?? [], &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                pdu = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
                }
            case 1...3:
                // The right opcode for what is outstanding, so that the machines are reached.
                pdu = [(bearer.client.request?.response ?? .readResponse).rawValue] + pdu.dropFirst()
            default: break
            }
            let sent = output.pdus.count
            bearer.receive(pdu.span, database: &database, security: .none, at: now, output: &output)
            check(output.pdus.count - sent <= 2, "one PDU in, few out")
            check(output.pdus.allSatisfy { $0.count <= 517 && $0.upperBound <= output.pduOctets.count })
            // By index: what is done here may bring more.
            var index = 0
            while index < output.events.count {
                let event = output.events[index]
                index += 1
                switch event {
                case .completed(let id, _): check(ended.insert(id).inserted, "each operation ends once")
                case .readRequest(let request, _, let offset):
                    check(offset <= 0xFFFF)
                    let value = pattern(Int.random(in: 0...600, using: &random))
                    if Bool.random(using: &random) {
                        bearer.respondToRead(request, value: value.span, at: now, output: &output)
                    }
                case .writeRequest(let request, let items, _):
                    check(items.upperBound <= output.arena.writeItems.count)
                    if Bool.random(using: &random) { bearer.respondToWrite(request, at: now, output: &output) }
                case .value(let value):
                    check(value.octets.upperBound <= output.arena.octets.count)
                    if value.isIndication, Bool.random(using: &random) { bearer.confirmIndication(output: &output) }
                case .securityRequired:
                    check(bearer.client.deadline == nil, "no request is outstanding")
                    bearer.resume(repeating: Bool.random(using: &random), at: now, output: &output)
                case .rssiRequested(let id):
                    bearer.finishOperation(id, .success(.rssi(-1)), at: now, output: &output)
                case .servicesChanged: bearer.confirmIndication(output: &output)
                default: break
                }
            }
            check(bearer.server.prepareQueue.octets.count <= PrepareQueue.octetLimit)
            check(bearer.server.prepareQueue.items.count <= PrepareQueue.limit)
            check(bearer.server.configurations.count <= 3)
            if bearer.hasFailed || (bearer.server.pending != nil && Int.random(in: 0..<10, using: &random) == 0) {
                failures += bearer.hasFailed ? 1 : 0
                output = ATTOutput()
                if bearer.hasFailed { check(ended.count == Int(submitted - before), "none is forgotten") }
                bearer.close(output: &output)
                ended = []
                before = submitted
                bearer = ATTBearer(
                    localMTU: UInt16.random(in: 0...600, using: &random),
                    suspendsForSecurity: Bool.random(using: &random))
            }
        }
        #expect(failures > 10 && submitted > 1_000, "the machines were reached")
    }

    /// `#expect` for loops: quick when all is well.
    private func check(_ condition: Bool, _ comment: Comment = "", sourceLocation: SourceLocation = #_sourceLocation) {
        if !condition { Issue.record(comment, sourceLocation: sourceLocation) }
    }

    private func operation(_ random: inout SeededRandom) -> GATTOperation {
        let start = UInt16.random(in: 0...30, using: &random)
        let end = Bool.random(using: &random) ? 0xFFFF : UInt16.random(in: 0...40, using: &random)
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return .discoverServices(nil)
        case 1: return .discoverServices([uuid(0xFEE7), ClientServerTests.long])
        case 2: return .discoverIncludedServices(service: handles(start, end), nil)
        case 3: return .discoverCharacteristics(service: handles(start, end), nil)
        case 4: return .discoverDescriptors(after: start, end: end)
        case 5: return .read(handle: start)
        case 6: return .write(handle: start, value: pattern(Int.random(in: 0...520, using: &random)))
        case 7: return .setNotify(valueHandle: start, end: end, mode: .notification)
        default: return .readRSSI
        }
    }

    /// A peer that always has one more attribute still runs out of handles.
    @Test(
        arguments: [
            .discoverServices(nil), .discoverServices([uuid(0xFEE7)]), .discoverDescriptors(after: 0, end: 0xFFFF),
            .discoverCharacteristics(service: handles(1, 0xFFFF), nil),
            .setNotify(valueHandle: 0, end: 0xFFFF, mode: .off),
        ] as [GATTOperation])
    func anEndlessListEndsWithTheHandles(operation: GATTOperation) {
        var bearer = ATTBearer()
        var database = AttributeDatabase()
        var output = ATTOutput()
        bearer.submit(operation, id: 1, at: .zero, output: &output)
        var requests = 0
        while let range = output.pdus.last, requests < 70_000 {
            let request = Array(output.pduOctets[range])
            output = ATTOutput()
            requests += 1
            // The first answer leaps: what is left are still 16,384 handles, one in each answer.
            let handle = max(UInt16(request[1]) | UInt16(request[2]) << 8, 0xC000)
            let value = handle &+ 1
            let (low, high) = (UInt8(handle & 0xFF), UInt8(handle >> 8))
            let reply: [UInt8] =
                switch request[0] {
                case 0x04: [5, 1, low, high, 0x34, 0x12]
                case 0x06: [7, low, high, low, high]
                case 0x08: [9, 7, low, high, 2, UInt8(value & 0xFF), UInt8(value >> 8), 0xF5, 0x36]
                case 0x10: [0x11, 6, low, high, low, high, 0xE7, 0xFE]
                default: []
                }
            bearer.receive(reply.span, database: &database, security: .none, at: .zero, output: &output)
        }
        #expect((0x2000...0x4002).contains(requests), "\(operation)")
        #expect(output.events.count == 1, "\(operation)")
        #expect(bearer.deadline == nil)
    }

    /// A list of as many included services as there are handles, in answers of one.
    @Test func endlessIncludesEndWithTheHandles() {
        var bearer = ATTBearer()
        var database = AttributeDatabase()
        var output = ATTOutput()
        bearer.submit(
            .discoverIncludedServices(service: handles(0xC000, 0xFFFF), [uuid(0x180F)]), id: 1, at: .zero,
            output: &output)
        var requests = 0
        while let range = output.pdus.last, requests < 70_000 {
            let request = Array(output.pduOctets[range])
            output = ATTOutput()
            requests += 1
            let reply: [UInt8] = [9, 8, request[1], request[2], 1, 0, 2, 0, 0xE7, 0xFE]
            bearer.receive(reply.span, database: &database, security: .none, at: .zero, output: &output)
        }
        #expect(requests == 0x4000)
        #expect(output.events == [.completed(id: 1, .success(.services([])))])
    }

    @Test func theSameInputGivesTheSameOutput() throws {
        let (database, toServer, _) = try session()
        func run() -> [Reply] {
            var bearer = ATTBearer()
            var database = database
            var random = SeededRandom(seed: 9)
            return (0..<500).map { _ in
                bearer.answer(mutate(toServer.randomElement(using: &random) ?? [], &random), &database)
            }
        }
        #expect(run() == run())
    }
}
