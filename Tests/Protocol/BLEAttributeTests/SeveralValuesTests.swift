import BLEWire
import Testing

@testable import BLEAttribute

/// Reads of several values (Vol 3, Part G, 4.8.5).
struct ValuesReadTests {
    private func begin(_ handles: [UInt16], mtu: Int = 23) -> (ValuesRead, ClientStep<[[UInt8]]>) {
        var machine = ValuesRead(handles: handles)
        let step = machine.start(mtu: mtu)
        return (machine, step)
    }

    @Test("GATT/CL/GAR/BV-08-C: one request reads all values")
    func oneRequestReadsAllValues() throws {
        var (machine, step) = begin([3, 4, 5])
        #expect(step.request == .readMultipleVariable([3, 4, 5]))
        #expect(try machine.feed("21 0200 AABB 0100 CC 0000").output == [[0xAA, 0xBB], [0xCC], []])
    }

    @Test func aCutValueContinuesWithReadBlob() throws {
        var (machine, _) = begin([3, 4, 5])
        let start = try machine.feed([0x21, 2, 0, 8, 9, 20, 0] + pattern(16))
        #expect(start.request == .readBlob(handle: 4, offset: 16))
        #expect(try machine.feed([0x0D] + pattern(20)[16...]).request == .read(handle: 5))
        #expect(try machine.feed("0B 07").output == [[8, 9], pattern(20), [7]])
    }

    @Test func valuesWithoutRoomInTheResponseAreRequestedAgain() throws {
        var (machine, _) = begin([3, 4, 5, 6])
        let next = try machine.feed([0x21, 8, 0] + pattern(8) + [10, 0] + pattern(10))
        #expect(next.request == .readMultipleVariable([5, 6]))
        #expect(try machine.feed("21 0000 0100 07").output == [pattern(8), pattern(10), [], [7]])
        // A length alone, without an octet of its value.
        (machine, _) = begin([3, 4])
        #expect(try machine.feed([0x21, 18, 0] + pattern(18) + [5, 0]).request == .read(handle: 4))
    }

    @Test func aRequestHasAsManyHandlesAsFit() throws {
        var (machine, step) = begin(Array(1...12))
        #expect(step.request == .readMultipleVariable(Array(1...11)))
        let list = [UInt8](repeating: 0, count: 22)
        #expect(try machine.feed([0x21] + list).request == .read(handle: 12))
        (machine, step) = begin([3])
        #expect(step.request == .read(handle: 3))
        (machine, step) = begin([])
        #expect(step.output == [])
    }

    @Test func aServerWithoutTheRequestGetsReads() throws {
        var (machine, _) = begin([3, 4, 5])
        #expect(try machine.feed("01 20 0000 06").request == .read(handle: 3))
        #expect(try machine.feed("0B 01").request == .read(handle: 4))
        #expect(try machine.feed("0B 02").request == .read(handle: 5))
        #expect(try machine.feed("0B 03").output == [[1], [2], [3]])
    }

    @Test(
        "GATT/CL/GAR/BI-36-C, BI-38-C, BI-40-C, BI-42-C, BI-44-C: a refused value fails all",
        arguments: [0x02, 0x01, 0x08, 0x05, 0x0C] as [UInt8])
    func aRefusedValueFailsAll(_ code: UInt8) throws {
        var (machine, _) = begin([3, 4])
        #expect(try machine.feed([0x01, 0x20, 4, 0, code]).failure == .attribute(code))
    }

    @Test func inconsistentListsFail() throws {
        // Not full, and a value or a length is missing; an octet too many; an impossible length; another response.
        let answers: [([UInt8], GATTError)] = [
            ([0x21, 0, 0, 2, 0, 1], .malformed), ([0x21, 1, 0, 9, 5], .malformed),
            ([0x21, 0, 0, 0, 0, 1], .malformed), ([0x21, 1, 2] + pattern(20), .attribute(0x0D)),
            ([0x0B, 1], .nonsense),
        ]
        for (answer, failure) in answers {
            var (machine, _) = begin([3, 4])
            #expect(try machine.feed(answer).failure == failure, "\(answer)")
        }
    }

    @Test(arguments: [23, 64, 498] as [UInt16])
    func valuesOfAnyLengthsAreRead(_ mtu: UInt16) throws {
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var database = AttributeDatabase()
            let count = Int.random(in: 1...20, using: &random)
            let service = try database.added(
                ServiceDefinition(uuid(0xFEE7), (0..<count).map { _ in CharacteristicDefinition(uuid(0x36F5), 2, 1) }))
            let pair = Pair(database, clientMTU: mtu)
            pair.exchangeMTU()
            let handles = service.characteristics.map(\.valueHandle)
            let longest = [10, 30, 512].randomElement(using: &random) ?? 0
            for handle in handles { pair.values[handle] = pattern(Int.random(in: 0...longest, using: &random)) }
            let result = pair.run { $0.readValues(handles, id: $1, at: $2, output: &$3) }
            #expect(result == .success(.values(handles.compactMap { pair.values[$0] })))
        }
    }

    @Test func aRefusalForSecurityWaitsForThePairing() throws {
        var database = AttributeDatabase()
        let service = try database.added(
            ServiceDefinition(
                uuid(0xFEE7), [CharacteristicDefinition(uuid(1), 2, 1), CharacteristicDefinition(uuid(2), 2, 4)]))
        let pair = Pair(database, suspendsForSecurity: true)
        let handles = service.characteristics.map(\.valueHandle)
        for handle in handles { pair.values[handle] = [UInt8(handle)] }
        let early = pair.run { $0.readValues(handles, id: $1, at: $2, output: &$3) }
        #expect(early == nil)
        #expect(pair.clientEvents.last == .securityRequired(id: 1, .insufficientAuthentication))
        pair.serverSecurity = .encrypted
        pair.onClient { $0.resume(repeating: true, at: pair.now, output: &$1) }
        #expect(pair.result(1) == .success(.values(handles.map { [UInt8($0)] })))
    }
}

/// Reliable writes (Vol 3, Part G, 4.9.5).
struct ReliableWriteTests {
    private let values = [AttributeValue(handle: 3, value: [1]), AttributeValue(handle: 4, value: pattern(20))]

    @Test("GATT/CL/GAW/BV-06-C: each part is echoed before all are executed")
    func eachPartIsEchoedBeforeAllAreExecuted() throws {
        var machine = PreparedWrites(values)
        #expect(machine.start(mtu: 23).request == .prepareWrite(handle: 3, value: [1], part: 0..<1))
        let long = pattern(20)
        #expect(
            try machine.feed("17 0300 0000 01").request == .prepareWrite(handle: 4, value: long, part: 0..<18))
        #expect(
            try machine.feed([0x17, 4, 0, 0, 0] + long[..<18]).request
                == .prepareWrite(handle: 4, value: long, part: 18..<20))
        #expect(try machine.feed([0x17, 4, 0, 18, 0] + long[18...]).request == .executeWrite(true))
        #expect(try machine.feed("19").output != nil)
    }

    @Test("GATT/CL/GAW/BI-32-C: an echo that differs cancels the write")
    func anEchoThatDiffersCancelsTheWrite() throws {
        // Another value, handle or offset; more octets.
        for echo in ["17 0300 0000 02", "17 0400 0000 01", "17 0300 0100 01", "17 0300 0000 0101", "17 0300 0000"] {
            var machine = PreparedWrites(values)
            _ = machine.start(mtu: 23)
            #expect(try machine.feed(echo).request == .executeWrite(false))
            #expect(try machine.feed("19").failure == .nonsense)
        }
    }

    @Test func aRefusedPartCancelsTheOthers() throws {
        var machine = PreparedWrites(values)
        _ = machine.start(mtu: 23)
        #expect(try machine.feed("01 16 0300 03").failure == .attribute(3), "nothing is prepared")
        machine = PreparedWrites(values)
        _ = machine.start(mtu: 23)
        _ = try machine.feed("17 0300 0000 01")
        #expect(try machine.feed("01 16 0400 09").request == .executeWrite(false))
        #expect(try machine.feed("19").failure == .attribute(9))
    }

    @Test func emptyAndLongValues() throws {
        var machine = PreparedWrites([AttributeValue(handle: 3, value: [])])
        #expect(machine.start(mtu: 23).request == .prepareWrite(handle: 3, value: [], part: 0..<0))
        #expect(try machine.feed("17 0300 0000").request == .executeWrite(true))
        #expect(try machine.feed("01 18 0300 80").failure == .attribute(0x80))
        machine = PreparedWrites([])
        #expect(machine.start(mtu: 23).output != nil)
        machine = PreparedWrites(values + [AttributeValue(handle: 5, value: pattern(513))])
        #expect(machine.start(mtu: 23).failure == .valueTooLong)
    }

    @Test("GATT/SR/GAW/BV-06-C: the server applies all values in one write, or none")
    func theServerAppliesAllValuesOrNone() throws {
        var database = AttributeDatabase()
        let definitions = [0x08, 0x08, 0x02].map { CharacteristicDefinition(uuid(0x36F5), $0, $0 == 2 ? 1 : 2) }
        let service = try database.added(ServiceDefinition(uuid(0xFEE7), definitions))
        let handles = service.characteristics.map(\.valueHandle)
        let pair = Pair(database)
        func write(_ values: (Int, [UInt8])...) -> Result<GATTResult, GATTError>? {
            let values = values.map { AttributeValue(handle: handles[$0.0], value: $0.1) }
            return pair.run { $0.writeReliably(values, id: $1, at: $2, output: &$3) }
        }
        #expect(write((0, pattern(40)), (1, [7])) == .success(.done))
        #expect(pair.writes.count == 1 && pair.values == [handles[0]: pattern(40), handles[1]: [7]])
        // The third value cannot be written: the first ones are not either, and leave nothing in the queue.
        #expect(write((0, [1]), (2, [2])) == .failure(.attribute(3)))
        #expect(pair.writes.count == 1)
        #expect(write((1, [3])) == .success(.done))
        #expect(pair.writes.last == [.init(handle: handles[1], offset: 0, value: [3])])
        pair.refusals[handles[1]] = .init(rawValue: 0x81)
        #expect(write((1, [4]), (0, [5])) == .failure(.attribute(0x81)))
    }
}

/// Signed writes in the server (Vol 3, Part F, 3.4.5.4). The owner of the bearer verifies the signature.
struct SignedWriteServerTests {
    private enum Value: Int, CaseIterable { case signed, both, secret, unsigned, fixed }
    private var database = AttributeDatabase()
    private let handles: [UInt16]

    init() throws {
        let definitions = [
            CharacteristicDefinition(uuid(0x36F0), 0x40, 2), CharacteristicDefinition(uuid(0x36F1), 0x44, 2),
            CharacteristicDefinition(uuid(0x36F2), 0x48, 10), CharacteristicDefinition(uuid(0x36F3), 0x0C, 2),
            CharacteristicDefinition(uuid(0x36F4), 0x40, 2, value: [1]),
        ]
        handles = try database.added(ServiceDefinition(uuid(0xFEE7), definitions)).characteristics.map(\.valueHandle)
    }

    private func handle(_ value: Value) -> UInt16 { handles[value.rawValue] }

    private func writes(_ value: Value, _ count: Int = 1, security: LinkSecurity = .none) -> Bool {
        var bearer = ATTBearer()
        let octets = pattern(count)
        let reply = bearer.act {
            let command = ATT.SignedWriteCommand(
                handle: handle(value), value: octets.span, signature: InlineArray(repeating: 0))
            $0.receiveAuthentic(command, database: database, security: security, output: &$1)
        }
        #expect(reply.pdus.isEmpty)
        return reply.events == [.writeRequest(request: 1, items: 0..<1, needsResponse: false)]
    }

    @Test("GATT/SR/GAW/BV-02-C, BI-40-C: an authentic command writes a value that has the property, up to 512 octets")
    func anAuthenticCommandWritesAValueWithTheProperty() {
        #expect(Value.allCases.map { writes($0) } == [true, true, false, false, false])
        #expect(writes(.signed, 512) && !writes(.signed, 513))
        #expect(!writes(.secret, security: .authenticated), "the link has to protect it")
        #expect(database.hasSignedWrites && !AttributeDatabase().hasSignedWrites)
    }

    @Test func aValueWithSignedWritesAloneNeedsASignatureOrEncryption() {
        var database = database
        func reply(_ opcode: UInt8, _ value: Value, _ security: LinkSecurity) -> Reply {
            var bearer = ATTBearer()
            return bearer.answer([opcode, UInt8(handle(value)), 0, 9], &database, security: security)
        }
        #expect(reply(0x52, .signed, .none).events.isEmpty)
        #expect(reply(0x52, .signed, .encrypted).events.count == 1)
        #expect(reply(0x12, .signed, .none).pdus == [[1, 0x12, UInt8(handle(.signed)), 0, 0x05]])
        #expect(reply(0x12, .signed, .keyAvailable).pdus == [[1, 0x12, UInt8(handle(.signed)), 0, 0x05]])
        #expect(reply(0x52, .both, .none).events.count == 1)
    }

    @Test("GATT/SR/GAW/BI-38-C: a signed write on an enhanced bearer is ignored")
    func aSignedWriteOnAnEnhancedBearerIsIgnored() throws {
        let pair = try BearerPair(bearers: 1)
        pair.database = database
        for bearer: UInt32 in [0, 1] {
            pair.injectAtServer(bearer, [0xD2, UInt8(handle(.signed)), 0, 9] + [UInt8](repeating: 0, count: 12))
        }
        #expect(pair.serverEvents.isEmpty && pair.toClient.isEmpty)
    }

    @Test func theClientSendsTheSignature() throws {
        var bearer = ATTBearer()
        let signature = InlineArray<12, UInt8> { UInt8($0) }
        let reply = bearer.act { try? $0.writeCommand([9].span, handle: 3, signature: signature, output: &$1) }
        #expect(reply.pdus == [[0xD2, 3, 0, 9] + Array(0..<12)])
        #expect(bearer.signedValueLimit == 8)
        #expect(throws: GATTError.valueTooLong) {
            var output = ATTOutput()
            try bearer.writeCommand(pattern(9).span, handle: 3, signature: signature, output: &output)
        }
    }
}
