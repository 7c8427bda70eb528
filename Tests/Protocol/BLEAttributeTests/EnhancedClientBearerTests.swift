import BLEWire
import Testing

@testable import BLEAttribute

/// Operations of a client over several bearers (Vol 3, Part F, 3.2.11 and 3.3.2).
struct EnhancedClientBearerTests {
    @Test("Reads run side by side on all bearers, and end in the order of the calls")
    func readsRunSideBySide() throws {
        let pair = try BearerPair(bearers: 2)
        let handles = pair.handles
        for round: UInt32 in 0..<3 {
            let first = round * 10
            for index in 0..<5 { pair.submit(.read(handle: handles[index]), first + UInt32(index)) }
            #expect(pair.asked.map(\.handle) == Array(handles[0..<3]))
            pair.answer(handles[2])
            pair.answer(handles[1])
            // Both wait for the first, and their bearers run the next ones.
            #expect(pair.ended.count == Int(round) * 5)
            #expect(pair.asked.map(\.handle) == [handles[0], handles[3], handles[4]])
            pair.answer(handles[0])
            #expect(pair.ended.suffix(3).elementsEqual(first...first + 2))
            pair.answer(handles[4])
            pair.answer(handles[3])
            #expect(pair.ended.suffix(5).elementsEqual(first...first + 4))
            for index in 0..<5 { #expect(pair.result(first + UInt32(index)) == pair.value(handles[index])) }
        }
        #expect(pair.client.client.order.isEmpty && pair.client.deadline == nil)
        #expect(Set(pair.toServer.map(\.bearer)) == [0, 1, 2])
    }

    @Test func aSequentialProgramUsesTheUnenhancedBearerAlone() throws {
        let pair = try BearerPair()
        for id: UInt32 in 0..<5 {
            pair.submit(.read(handle: pair.handles[0]), id)
            pair.answer(pair.handles[0])
        }
        #expect(pair.toServer.allSatisfy { $0.bearer == 0 } && pair.ended.count == 5)
    }

    @Test("A write waits for the operations before it, and those after it wait for the write")
    func aWriteRunsAlone() throws {
        let pair = try BearerPair()
        let handles = pair.handles
        pair.submit(.read(handle: handles[0]), 1)
        pair.submit(.read(handle: handles[1]), 2)
        pair.submit(.write(handle: handles[2], value: [7]), 3)
        pair.submit(.read(handle: handles[3]), 4)
        pair.submit(.setNotify(valueHandle: handles[4], end: handles[4] + 1, mode: .notification), 5)
        #expect(pair.asked.map(\.handle) == [handles[0], handles[1]])
        pair.answer(handles[0])
        #expect(pair.asked.map(\.handle) == [handles[1]])
        pair.answer(handles[1])
        #expect(pair.asked.map(\.handle) == [handles[2]])
        pair.answer(handles[2])
        #expect(pair.asked.map(\.handle) == [handles[3]])
        pair.answer(handles[3])
        #expect(pair.ended == [1, 2, 3, 4, 5])
        #expect(pair.toServer.filter { $0.pdu[0] == 0x12 }.allSatisfy { $0.bearer == 0 })
    }

    @Test func anOperationThatRanBeforeTheBearersKeepsItsTurn() throws {
        let pair = try BearerPair(bearers: 0)
        let handles = pair.handles
        pair.submit(.read(handle: handles[0]), 1)
        pair.submit(.read(handle: handles[1]), 2)
        pair.open(1)
        #expect(pair.asked.map(\.handle) == [handles[0]], "the first began alone")
        pair.answer(handles[0])
        #expect(pair.ended == [1] && pair.asked.map(\.handle) == [handles[1]])
        pair.submit(.read(handle: handles[2]), 3)
        pair.answer(handles[2])
        pair.answer(handles[1])
        #expect(pair.ended == [1, 2, 3])
    }

    @Test func theEndOfABearerRepeatsItsReadOnTheUnenhancedOne() throws {
        let pair = try BearerPair(bearers: 1)
        let handles = pair.handles
        pair.submit(.read(handle: handles[0]), 1)
        pair.submit(.read(handle: handles[1]), 2)
        pair.submit(.read(handle: handles[2]), 3)
        pair.asked.removeAll { $0.handle == handles[1] }
        pair.close(1)
        pair.answer(handles[0])
        #expect(pair.ended == [1] && pair.asked.map(\.handle) == [handles[1]])
        pair.answer(handles[1])
        pair.answer(handles[2])
        #expect(pair.ended == [1, 2, 3])
        #expect((1...3).allSatisfy { pair.result($0) == pair.value(handles[Int($0) - 1]) })
        #expect(pair.client.client.order.isEmpty && pair.client.enhancedCount == 0)
        // The same number never comes again; another one works.
        pair.open(2)
        pair.submit(.read(handle: handles[0]), 4)
        pair.submit(.read(handle: handles[1]), 5)
        #expect(pair.toServer.last?.bearer == 2)
    }

    @Test("A bearer that violates the protocol ends alone")
    func aViolationEndsOneBearer() throws {
        let pair = try BearerPair()
        let handles = pair.handles
        for index in 0..<3 { pair.submit(.read(handle: handles[index]), UInt32(index)) }
        pair.injectAtClient(1, [0x13])
        #expect(pair.failures == [.enhancedBearerFailed(1, .violation)])
        #expect(pair.client.enhancedCount == 1 && !pair.client.hasFailed && pair.client.failure == nil)
        pair.close(1)
        pair.asked.removeAll { $0.handle == handles[1] }
        pair.answer(handles[0])
        pair.answer(handles[2])
        pair.answer(handles[1])
        #expect(pair.ended == [0, 1, 2])
        // Answers to nothing, and PDUs of bearers that have ended, have no effect.
        pair.injectAtClient(2, [0x0B, 1])
        pair.injectAtClient(1, [0x0B, 1])
        pair.injectAtServer(1, [0x0A, 1, 0])
        #expect(pair.failures.count == 1 && pair.asked.isEmpty)
    }

    @Test("A bearer without an answer for 30 s ends alone")
    func aTimeoutEndsOneBearer() throws {
        let pair = try BearerPair()
        let handles = pair.handles
        pair.submit(.read(handle: handles[0]), 1)
        pair.later(.seconds(10))
        pair.submit(.read(handle: handles[1]), 2)
        pair.later(.seconds(10))
        pair.answer(handles[0])
        #expect(pair.client.deadline == .zero + .seconds(40))
        pair.later(.seconds(20))
        #expect(pair.failures == [.enhancedBearerFailed(1, .timeout)])
        #expect(pair.result(2) == .failure(.bearerLost))
        pair.submit(.read(handle: handles[2]), 3)
        pair.answer(handles[2])
        #expect(pair.result(3) == pair.value(handles[2]) && !pair.client.hasFailed)
    }

    @Test func theFailureOfTheUnenhancedBearerEndsAllOperations() throws {
        let pair = try BearerPair()
        for index in 0..<5 { pair.submit(.read(handle: pair.handles[index]), UInt32(index)) }
        pair.answer(pair.handles[1])
        pair.injectAtClient(0, [0x13])
        #expect(pair.ended == [0, 1, 2, 3, 4])
        #expect(pair.result(1) == pair.value(pair.handles[1]) && pair.result(3) == .failure(.bearerLost))
        #expect(pair.client.failure == .violation && pair.client.enhancedCount == 0)
    }

    @Test("A refusal for lack of security moves the operation to the unenhanced bearer")
    func aRefusalForSecurityMovesTheOperation() throws {
        let pair = try BearerPair(bearers: 1, suspendsForSecurity: true)
        let handles = pair.handles
        pair.submit(.read(handle: handles[0]), 1)
        pair.submit(.read(handle: handles[1]), 2)
        pair.submit(.read(handle: handles[2]), 3)
        let refused = try #require(pair.asked.first { $0.handle == handles[1] })
        pair.asked.removeAll { $0.handle == handles[1] }
        pair.onServer {
            $0.respondToRead(refused.request, error: .insufficientAuthentication, at: pair.now, output: &$1)
        }
        pair.answer(handles[0])
        let repeated = try #require(pair.asked.first)
        #expect(repeated.handle == handles[1] && pair.toServer.last == .init(0, [0x0A, UInt8(handles[1]), 0]))
        pair.asked.removeAll()
        pair.onServer {
            $0.respondToRead(repeated.request, error: .insufficientAuthentication, at: pair.now, output: &$1)
        }
        #expect(pair.clientEvents.last == .securityRequired(id: 2, .insufficientAuthentication))
        #expect(pair.asked.isEmpty, "the others wait for the decision")
        pair.onClient { $0.resume(repeating: true, at: pair.now, output: &$1) }
        pair.answer(handles[1])
        pair.answer(handles[2])
        #expect(pair.ended == [1, 2, 3])
    }

    @Test func aWithdrawnOperationHoldsNoOtherBack() throws {
        let pair = try BearerPair(bearers: 1, suspendsForSecurity: true)
        let handles = pair.handles
        pair.submit(.read(handle: handles[0]), 1)
        pair.submit(.read(handle: handles[1]), 2)
        pair.submit(.write(handle: handles[2], value: [1]), 3)
        pair.submit(.read(handle: handles[3]), 4)
        var isTaken = false
        pair.onClient { isTaken = $0.cancelOperation(3, at: pair.now, output: &$1) }
        #expect(isTaken)
        pair.answer(handles[1])
        #expect(pair.asked.map(\.handle) == [handles[0], handles[3]])
        // A suspended operation, with a result that waits for it.
        pair.answer(handles[3])
        let refused = try #require(pair.asked.first)
        pair.asked.removeAll()
        pair.onServer {
            $0.respondToRead(refused.request, error: .insufficientAuthentication, at: pair.now, output: &$1)
        }
        #expect(pair.ended.isEmpty)
        pair.onClient { isTaken = $0.cancelOperation(1, at: pair.now, output: &$1) }
        #expect(isTaken && pair.ended == [2, 4])
    }

    @Test func bearersAndResultsThatWaitAreLimited() throws {
        let pair = try BearerPair(bearers: 5)
        #expect(!pair.open(6) && pair.client.enhancedCount == 5)
        #expect(!pair.open(0) && !pair.open(3))
        pair.close(3)
        #expect(pair.open(7) && pair.client.enhancedCount == 5)
        // One answer is kept back.
        pair.submit(.read(handle: pair.handles[0]), 0)
        for id: UInt32 in 1..<200 { pair.submit(.read(handle: pair.handles[1]), id) }
        var answered = 0
        while pair.asked.contains(where: { $0.handle == pair.handles[1] }), answered < 300 {
            pair.answer(pair.handles[1])
            answered += 1
        }
        #expect(answered + 1 == CompletionOrder.limit && pair.ended.isEmpty)
        pair.answer(pair.handles[0])
        while pair.asked.contains(where: { $0.handle == pair.handles[1] }) { pair.answer(pair.handles[1]) }
        #expect(pair.ended == Array(0..<200))
    }

    @Test func backgroundTasksWaitForAllBearers() throws {
        let pair = try BearerPair(bearers: 1)
        pair.submit(.read(handle: pair.handles[0]), 1)
        pair.submit(.read(handle: pair.handles[1]), 2)
        pair.answer(pair.handles[0])
        pair.onClient { $0.readDeviceName(id: 9, at: pair.now, output: &$1) }
        pair.later(.seconds(6))
        #expect(pair.result(9) == nil && pair.client.deadline == .zero + .seconds(30))
        pair.answer(pair.handles[1])
        pair.later(.seconds(1))
        #expect(pair.result(9) == .success(.value([])))
    }
}
