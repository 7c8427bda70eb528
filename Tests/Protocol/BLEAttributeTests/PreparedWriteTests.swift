import BLEAttribute
import BLEWire
import Testing

/// The prepare queue of one client (Vol 3, Part F, 3.4.6).
struct PreparedWriteTests {
    var database = AttributeDatabase()
    let first: UInt16
    let second: UInt16

    init() throws {
        let service = try database.added(
            ServiceDefinition(
                uuid(0xFEE7),
                [CharacteristicDefinition(uuid(0x36F5), 0x08, 2), CharacteristicDefinition(uuid(0x36F6), 0x08, 2)]))
        first = service.characteristics[0].valueHandle
        second = service.characteristics[1].valueHandle
    }

    private func prepare(_ handle: UInt16, _ offset: UInt16, _ value: [UInt8]) -> [UInt8] {
        [0x16, UInt8(handle), 0, UInt8(offset & 0xFF), UInt8(offset >> 8)] + value
    }

    @Test func preparedWritesAreDeliveredInOrder() {
        var bearer = ATTBearer()
        var database = database
        let parts: [(UInt16, UInt16, [UInt8])] = [(first, 0, [1, 2]), (second, 5, [3]), (first, 2, [4])]
        for (handle, offset, value) in parts {
            let request = prepare(handle, offset, value)
            #expect(bearer.answer(request, &database).pdus == [[0x17] + request[1...]], "echoed")
        }
        var output = ATTOutput()
        bearer.receive([0x18, 1].span, database: &database, security: .none, at: .zero, output: &output)
        #expect(output.events == [.writeRequest(request: 1, items: 0..<3, needsResponse: true)])
        #expect(output.arena.writeItems.map(\.handle) == [first, second, first])
        #expect(output.arena.writeItems.map(\.offset) == [0, 5, 2])
        #expect(output.arena.writeItems.map { Array(output.arena.octets[$0.value]) } == [[1, 2], [3], [4]])
        #expect(bearer.act { $0.respondToWrite(1, at: .zero, output: &$1) }.pdus == [[0x19]])
        #expect(bearer.answer([0x18, 1], &database).events.isEmpty, "the queue is empty afterwards")
    }

    @Test func aRefusedExecuteWriteHasTheFirstHandle() {
        var bearer = ATTBearer()
        var database = database
        _ = bearer.answer(prepare(second, 0, [1]), &database)
        _ = bearer.answer([0x18, 1], &database)
        #expect(
            bearer.act { $0.respondToWrite(1, error: .invalidOffset, at: .zero, output: &$1) }.pdus
                == [[1, 0x18, UInt8(second), 0, 7]])
    }

    @Test func cancellingEmptiesTheQueue() {
        var bearer = ATTBearer()
        var database = database
        _ = bearer.answer(prepare(first, 0, [1]), &database)
        let cancelled = bearer.answer([0x18, 0], &database)
        #expect(cancelled.pdus == [[0x19]] && cancelled.events.isEmpty)
        #expect(bearer.answer([0x18, 1], &database).events.isEmpty)
    }

    @Test func theQueueIsBounded() {
        var bearer = ATTBearer(localMTU: 517)
        var database = database
        _ = bearer.answer([2, 0xFF, 0xFF], &database)
        var taken = 0
        while taken < 10_000,
            bearer.answer(prepare(first, 0, []), &database).pdus == [prepare(first, 0, []).replacing(0x17)]
        {
            taken += 1
        }
        #expect(taken == 64)
        #expect(bearer.answer(prepare(first, 0, []), &database).pdus == [[1, 0x16, UInt8(first), 0, 9]])
        _ = bearer.answer([0x18, 0], &database)
        taken = 0
        while taken < 100, bearer.answer(prepare(first, 0, pattern(500)), &database).pdus[0][0] == 0x17 { taken += 1 }
        #expect(taken == 4, "octets count as well")
        // The rest of 2048 octets is filled, and no more.
        for (count, opcode) in [(49, 1), (48, 0x17), (1, 1), (0, 0x17)] as [(Int, UInt8)] {
            #expect(bearer.answer(prepare(first, 0, pattern(count)), &database).pdus[0][0] == opcode, "\(count)")
        }
    }

    @Test func valuesBeyond512OctetsFailAllOfThem() {
        var bearer = ATTBearer()
        var database = database
        _ = bearer.answer(prepare(second, 0, [1]), &database)
        _ = bearer.answer(prepare(first, 510, [1, 2, 3]), &database)
        #expect(bearer.answer([0x18, 1], &database).pdus == [[1, 0x18, UInt8(first), 0, 0x0D]])
        _ = bearer.answer(prepare(first, 513, []), &database)
        #expect(bearer.answer([0x18, 1], &database).pdus == [[1, 0x18, UInt8(first), 0, 0x07]])
        #expect(bearer.answer([0x18, 1], &database).pdus == [[0x19]], "the queue was emptied")
        // 512 octets are no error, and neither is their end as an offset.
        for (offset, value) in [(510, [1, 2]), (512, [])] as [(UInt16, [UInt8])] {
            var other = ATTBearer()
            _ = other.answer(prepare(first, offset, value), &database)
            let written = other.answer([0x18, 1], &database)
            #expect(written.pdus.isEmpty && written.events.count == 1)
        }
    }

    @Test("GATT/SR/GAW/BI-41-C: Database Out Of Sync")
    func aRemovedAttributeFailsTheWrite() {
        var bearer = ATTBearer()
        var database = database
        _ = bearer.answer(prepare(first, 0, [1]), &database)
        let isRemoved = database.remove(HandleRange(start: 10, end: 14))
        #expect(isRemoved)
        #expect(bearer.answer([0x18, 1], &database).pdus == [[1, 0x18, UInt8(first), 0, 0x12]])
        #expect(bearer.answer(prepare(first, 0, [1]), &database).pdus == [[1, 0x16, UInt8(first), 0, 1]])
    }
}

extension [UInt8] {
    fileprivate func replacing(_ opcode: UInt8) -> [UInt8] { [opcode] + self[1...] }
}
