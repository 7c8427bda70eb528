import BLEWire
import Testing

@testable import BLEAttribute

/// The bearer itself: transactions, their time limits, and peers that break the protocol.
struct BearerTests {
    private var database = AttributeDatabase()

    private func bearer(reading handle: UInt16 = 3) -> ATTBearer {
        var bearer = ATTBearer()
        _ = bearer.act { $0.submit(.read(handle: handle), id: 1, at: .zero, output: &$1) }
        return bearer
    }

    /// Who counts what is not confirmed yet would else wait for ever.
    @Test func indicationsDroppedWithTheirServiceCountAsConfirmed() {
        var bearer = ATTBearer()
        var output = ATTOutput()
        let value: [1 of UInt8] = [1]
        for handle: UInt16 in [20, 20, 30, 20] {
            bearer.indicate(handle: handle, value: value.span, at: .zero, output: &output)
        }
        output = ATTOutput()
        bearer.removed(HandleRange(start: 18, end: 22), output: &output)
        #expect(output.events == [.indicationConfirmed(valueHandle: 20), .indicationConfirmed(valueHandle: 20)])
        #expect(bearer.unconfirmedIndications == 2)
    }

    @Test func aRequestTimesOutAfter30Seconds() {
        var bearer = bearer()
        let limit = Instant.zero + .seconds(30)
        #expect(bearer.deadline == limit)
        _ = bearer.act { $0.submit(.read(handle: 4), id: 2, at: .zero + .seconds(29), output: &$1) }
        _ = bearer.act { $0.exchangeMTU(at: .zero, output: &$1) }
        #expect(bearer.act { $0.handleTimeout(at: limit - .nanoseconds(1), output: &$1) }.events.isEmpty)
        #expect(
            bearer.act { $0.handleTimeout(at: limit, output: &$1) }.events == [
                .completed(id: 1, .failure(.bearerLost)), .completed(id: 2, .failure(.bearerLost)), .bearerFailed,
            ])
        #expect(bearer.hasFailed && bearer.failure == .timeout && bearer.deadline == nil)
    }

    /// A short request and the end of a read are apart from other output, but keep their places.
    @Test func outputKeepsTheOrderOfTheCalls() {
        var bearer = bearer()
        var database = database
        var output = ATTOutput()
        func receive(_ text: String) {
            bearer.receive(
                octets(text).span, database: &database, security: .none, at: .zero, output: &output)
        }
        func submit(_ operation: GATTOperation, id: UInt32) {
            bearer.submit(operation, id: id, at: .zero, output: &output)
        }
        submit(.read(handle: 4), id: 2)
        submit(.read(handle: 5), id: 3)
        receive("0B 0102")
        receive("1D 0900 AA")
        bearer.confirmIndication(output: &output)
        receive("0B 030405")
        receive("01 0A 0500 02")
        let reply = Reply(output)
        #expect(reply.pdus == [octets("0A 0400"), octets("1E"), octets("0A 0500")])
        #expect(reply.events.count == 4)
        #expect(reply.events.first == .completed(id: 1, .success(.value([1, 2]))))
        #expect(reply.events.dropFirst(2).first == .completed(id: 2, .success(.value([3, 4, 5]))))
        #expect(reply.events.last == .completed(id: 3, .failure(.attribute(2))))
        #expect(output.takeRead()?.id == 1 && output.takeRequest()?.count == 3)
        #expect(output.events.count == 3 && output.pdus.count == 2 && output.takeCompletion() == nil)
    }

    /// A response with as many octets as the ATT_MTU permits may be a part of the value (Vol 3, Part G, 4.8.3).
    @Test(arguments: [0, 1, 21, 22]) func onlyAShortResponseIsAWholeValue(count: Int) {
        var bearer = bearer()
        var database = database
        let value = [UInt8](repeating: 7, count: count)
        let reply = bearer.answer([0x0B] + value, &database)
        if count < 22 {
            #expect(reply.events == [.completed(id: 1, .success(.value(value)))] && reply.pdus.isEmpty)
        } else {
            #expect(reply.events.isEmpty && reply.pdus == [octets("0C 0300 1600")])
            #expect(
                bearer.answer(octets("0D 08"), &database).events == [
                    .completed(id: 1, .success(.value(value + [8])))
                ])
        }
    }

    @Test func aFailedBearerSendsAndReceivesNothing() {
        var bearer = bearer()
        var database = database
        _ = bearer.act { $0.handleTimeout(at: .zero + .seconds(30), output: &$1) }
        #expect(
            bearer.act { $0.submit(.read(handle: 3), id: 7, at: .zero, output: &$1) }.events
                == [.completed(id: 7, .failure(.bearerLost))])
        #expect(bearer.answer(octets("0A 0300"), &database).pdus.isEmpty)
        #expect(bearer.answer(octets("1B 0300 01"), &database).events.isEmpty)
        let value: [UInt8] = [1]
        #expect(bearer.act { $0.notify(handle: 3, value: value.span, output: &$1) }.pdus.isEmpty)
        #expect(bearer.act { $0.indicate(handle: 3, value: value.span, at: .zero, output: &$1) }.pdus.isEmpty)
        var output = ATTOutput()
        #expect(throws: GATTError.bearerLost) {
            try bearer.writeCommand(value.span, handle: 3, output: &output)
        }
        #expect(bearer.act { $0.handleTimeout(at: .zero + .seconds(90), output: &$1) }.events.isEmpty, "it dies once")
    }

    @Test func anIndicationTimesOutAfter30Seconds() {
        var bearer = ATTBearer()
        var database = database
        let value: [UInt8] = [1]
        _ = bearer.act { $0.indicate(handle: 3, value: value.span, at: .zero, output: &$1) }
        _ = bearer.act { $0.indicate(handle: 4, value: value.span, at: .zero + .seconds(9), output: &$1) }
        #expect(bearer.deadline == .zero + .seconds(30))
        let reply = bearer.answer([0x1E], &database, at: .zero + .seconds(20))
        #expect(reply.events == [.indicationConfirmed(valueHandle: 3)])
        #expect(reply.pdus == [[0x1D, 4, 0, 1]])
        #expect(bearer.deadline == .zero + .seconds(50), "from when it was sent")
        #expect(bearer.act { $0.handleTimeout(at: .zero + .seconds(50), output: &$1) }.events == [.bearerFailed])
        var idle = ATTBearer()
        #expect(idle.answer([0x1E], &database).events.isEmpty, "nothing to confirm")
    }

    @Test func eachTransactionHasItsOwnTimeout() {
        var bearer = bearer()
        var database = database
        let full: [UInt8] = [0x0B] + pattern(22)
        let reply = bearer.answer(full, &database, at: .zero + .seconds(25))
        #expect(reply.pdus == [octets("0C 0300 1600")])
        #expect(bearer.deadline == .zero + .seconds(55))
    }

    @Test(arguments: ["13", "0D 01", "01 10 0100 0A", "03 1700", "19", "07 0100 0200", "17", "01"])
    func aResponseToAnotherRequestFailsTheBearer(pdu: String) {
        var bearer = bearer()
        var database = database
        #expect(
            bearer.answer(octets(pdu), &database).events == [.completed(id: 1, .failure(.bearerLost)), .bearerFailed])
        #expect(bearer.hasFailed == true)
        #expect(bearer.failure == .violation)
    }

    @Test func anUnsolicitedResponseIsIgnored() {
        var bearer = ATTBearer()
        var database = database
        for pdu in ["0B 01", "13", "01 0A 0300 0A", "03 F201", "11 06 0100 0500 0018", "09"] {
            let reply = bearer.answer(octets(pdu), &database)
            #expect(reply.pdus.isEmpty && reply.events.isEmpty, "\(pdu)")
        }
        #expect(!bearer.hasFailed && bearer.mtu == 23)
    }

    @Test func aMalformedResponseEndsItsOperationAlone() {
        var bearer = ATTBearer()
        var database = database
        _ = bearer.act { $0.submit(.discoverServices(nil), id: 1, at: .zero, output: &$1) }
        _ = bearer.act { $0.submit(.read(handle: 3), id: 2, at: .zero, output: &$1) }
        let reply = bearer.answer(octets("11 00"), &database)
        #expect(reply.events == [.completed(id: 1, .failure(.attribute(4)))])
        #expect(reply.pdus == [octets("0A 0300")], "the next one goes on")
        #expect(bearer.hasFailed == false)
    }

    @Test func aMalformedMTUResponseKeepsTheMTU() {
        var bearer = ATTBearer()
        var database = database
        _ = bearer.act { $0.exchangeMTU(at: .zero, output: &$1) }
        #expect(bearer.answer(octets("03 F2"), &database).events == [.mtuChanged(23)])
        var small = ATTBearer()
        _ = small.act { $0.exchangeMTU(at: .zero, output: &$1) }
        #expect(small.answer(octets("03 0100"), &database).events == [.mtuChanged(23)])
    }

    @Test func backgroundTasksWaitForAPauseOfTheProgram() {
        var bearer = ATTBearer()
        var database = database
        _ = bearer.act { $0.submit(.read(handle: 3), id: 1, at: .zero, output: &$1) }
        _ = bearer.act { $0.readDeviceName(id: 2, at: .zero, output: &$1) }
        _ = bearer.act { $0.submit(.read(handle: 5), id: 3, at: .zero, output: &$1) }
        #expect(bearer.answer(octets("0B 01"), &database).pdus == [octets("0A 0500")])
        #expect(bearer.answer(octets("0B 02"), &database).pdus.isEmpty)
        let pause = Instant.zero + .milliseconds(250)
        #expect(bearer.deadline == pause)
        #expect(bearer.act { $0.handleTimeout(at: pause, output: &$1) }.pdus == [octets("08 0100 FFFF 002A")])
    }

    @Test func backgroundTasksWaitFiveSecondsAtMost() {
        var bearer = ATTBearer()
        _ = bearer.act { $0.submit(.read(handle: 3), id: 1, at: .zero, output: &$1) }
        _ = bearer.act { $0.readDeviceName(id: 2, at: .zero, output: &$1) }
        _ = bearer.act { $0.submit(.read(handle: 5), id: 3, at: .zero, output: &$1) }
        var database = database
        let later = Instant.zero + .seconds(5)
        let output = bearer.act {
            $0.receive(octets("0B 01").span, database: &database, security: .none, at: later, output: &$1)
        }
        #expect(output.pdus == [octets("08 0100 FFFF 002A")])
    }

    @Test func operationsEndSilentlyWithTheirLink() {
        var bearer = bearer()
        #expect(bearer.act { $0.close(output: &$1) }.events.isEmpty)
        #expect(bearer.deadline == nil)
    }

    @Test func aMalformedServiceChangedIsConfirmedAndDropped() {
        let pair = Pair()
        pair.run { $0.enableServiceChanged(id: $1, at: $2, output: &$3) }
        let before = pair.clientEvents.count
        var database = pair.database
        for value in ["", "0100", "0100FFFF00", "05000400", "00000000", "0000FFFF"] {
            #expect(pair.client.answer([0x1D, 8, 0] + octets(value), &database).pdus == [[0x1E]], "\(value)")
        }
        #expect(pair.clientEvents.count == before)
        #expect(
            pair.client.answer(octets("1D 0800 0100FFFF"), &database).events == [.servicesChanged(handles(1, 0xFFFF))])
    }

    @Test func anIndicationIsConfirmedByItsOwner() {
        var bearer = ATTBearer()
        var database = database
        let first = bearer.answer(octets("1D 0300 01"), &database)
        #expect(first.pdus.isEmpty, "not before the owner says so")
        #expect(
            first.events == [.value(ReceivedValue(handle: 3, octets: 0..<1, isIndication: true, subscribers: 0..<0))])
        let second = bearer.answer(octets("1D 0300 02"), &database)
        #expect(second.pdus.isEmpty && second.events.isEmpty, "the peer has to wait for the confirmation")
        #expect(bearer.answer(octets("1B 0300 03"), &database).events.count == 1, "notifications go on")
        #expect(bearer.act { $0.confirmIndication(output: &$1) }.pdus == [[0x1E]])
        #expect(bearer.act { $0.confirmIndication(output: &$1) }.pdus.isEmpty, "there is nothing to confirm")
        #expect(bearer.answer(octets("1D 0300 04"), &database).events.count == 1)
        _ = bearer.act { $0.close(output: &$1) }
        #expect(bearer.act { $0.confirmIndication(output: &$1) }.pdus.isEmpty, "nothing is sent on a bearer that ended")
    }

    @Test func notificationsInOnePDUAreDeliveredSeparately() {
        var bearer = ATTBearer()
        var database = database
        #expect(
            bearer.answer(octets("23 0300 0200 AABB 0500 0100 CC"), &database).events == [
                .value(ReceivedValue(handle: 3, octets: 0..<2, isIndication: false, subscribers: 0..<0)),
                .value(ReceivedValue(handle: 5, octets: 2..<3, isIndication: false, subscribers: 0..<0)),
            ])
        for pdu in ["23 0300 0500 AA", "1B 03", "1D 03", "1E 00", "1B"] {
            let reply = bearer.answer(octets(pdu), &database)
            #expect(reply.pdus.isEmpty && reply.events.isEmpty, "\(pdu)")
        }
        #expect(bearer.answer([], &database).pdus.isEmpty)
    }

    /// The end of a transaction, however it ends, leaves nothing outstanding.
    @Test func anEndedTransactionHasNoDeadline() {
        var bearer = ATTBearer()
        var database = database
        // A malformed response, a response of the other kind of error, and one that is right.
        for (id, answer) in ["0B" + String(repeating: "07", count: 23), "01 0A 0300 01", "0B 01", "01"].enumerated() {
            _ = bearer.act { $0.submit(.read(handle: 3), id: UInt32(id), at: .zero, output: &$1) }
            #expect(bearer.deadline == .zero + .seconds(30))
            guard answer != "01" else { continue }
            _ = bearer.answer(octets(answer), &database)
            if bearer.client.current != nil { _ = bearer.answer(octets("0D"), &database) }
            #expect(bearer.deadline == nil && !bearer.hasFailed, "\(answer)")
            // Nothing is outstanding, so no response is out of sequence.
            #expect(bearer.answer(octets("13"), &database).events.isEmpty && !bearer.hasFailed)
            #expect(bearer.act { $0.handleTimeout(at: .zero + .seconds(60), output: &$1) }.events.isEmpty)
        }
        var malformed = ATTBearer()
        _ = malformed.act { $0.submit(.discoverServices(nil), id: 1, at: .zero, output: &$1) }
        #expect(malformed.answer(octets("11 00"), &database).events == [.completed(id: 1, .failure(.attribute(4)))])
        #expect(malformed.deadline == nil)
        #expect(malformed.answer(octets("13"), &database).events.isEmpty && !malformed.hasFailed)
        #expect(malformed.act { $0.handleTimeout(at: .zero + .seconds(60), output: &$1) }.events.isEmpty)
    }

    /// `submit` says whether the operation only waits: then there is no output, and the deadline is the same.
    @Test func submittingSaysWhetherTheOperationWaits() {
        var bearer = ATTBearer()
        var database = database
        func submit(_ id: UInt32, at time: Instant) -> (Bool, [[UInt8]]) {
            var output = ATTOutput()
            let isWaiting = bearer.submit(.read(handle: UInt16(id)), id: id, at: time, output: &output)
            return (isWaiting, Reply(output).pdus)
        }
        for _ in 0..<2 {
            #expect(submit(3, at: .zero) == (false, [octets("0A 0300")]))
            #expect(submit(4, at: .zero) == (true, []))
            #expect(bearer.answer(octets("0B 01"), &database).pdus == [octets("0A 0400")])
            #expect(bearer.answer(octets("0B 02"), &database).events.count == 1)
        }
        // A task of the host that has waited long enough precedes the program's.
        _ = bearer.act { $0.submit(.read(handle: 3), id: 1, at: .zero, output: &$1) }
        _ = bearer.act { $0.readDeviceName(id: 2, at: .zero, output: &$1) }
        _ = bearer.answer(octets("0B 01"), &database)
        let (isWaiting, sent) = submit(5, at: .zero + .seconds(5))
        #expect(!isWaiting && sent == [octets("08 0100 FFFF 002A")])
        #expect(bearer.answer(octets("01 08 0100 0A"), &database).pdus == [octets("0A 0500")])
    }

    /// Each task of the host waits for a pause of its own, and for five seconds of its own.
    @Test func laterBackgroundTasksWaitAgain() {
        var bearer = ATTBearer()
        var database = database
        var now = Instant.zero
        let name = octets("08 0100 FFFF 002A")
        for round in 0..<3 {
            let start = now
            _ = bearer.act { $0.submit(.read(handle: 3), id: 1, at: now, output: &$1) }
            _ = bearer.act { $0.readDeviceName(id: 2, at: now, output: &$1) }
            // The program reads twice a pause for almost five seconds.
            while now + .milliseconds(100) < start + .seconds(5) {
                now += .milliseconds(100)
                #expect(bearer.answer(octets("0B 01"), &database, at: now).pdus.isEmpty, "round \(round)")
                #expect(bearer.deadline == min(now + .milliseconds(250), start + .seconds(5)))
                _ = bearer.act { $0.submit(.read(handle: 3), id: 1, at: now, output: &$1) }
            }
            now = start + .seconds(5)
            #expect(bearer.answer(octets("0B 01"), &database, at: now).pdus == [name])
            #expect(bearer.answer(octets("01 08 0100 0A"), &database, at: now).events.count == 1)
            #expect(bearer.deadline == nil)
            // With a pause.
            now += .seconds(10)
            _ = bearer.act { $0.submit(.read(handle: 3), id: 1, at: now, output: &$1) }
            _ = bearer.act { $0.readDeviceName(id: 2, at: now, output: &$1) }
            now += .milliseconds(400)
            #expect(bearer.answer(octets("0B 01"), &database, at: now).pdus.isEmpty)
            #expect(
                bearer.act { $0.handleTimeout(at: now + .milliseconds(249), output: &$1) }.pdus.isEmpty)
            now += .milliseconds(250)
            #expect(bearer.act { $0.handleTimeout(at: now, output: &$1) }.pdus == [name])
            _ = bearer.answer(octets("01 08 0100 0A"), &database, at: now)
            now += .seconds(10)
        }
    }

    /// Operations one after another use one object: a warm path allocates nothing.
    @Test(arguments: [false, true]) func operationsInTurnUseOneObject(suspends: Bool) throws {
        var bearer = ATTBearer(suspendsForSecurity: suspends)
        var database = database
        let tasks: [(GATTOperation, String)] = [
            (.read(handle: 3), "0B 01"), (.write(handle: 3, value: [1]), "13"),
            (.write(handle: 3, value: [1]), "01 12 0300 03"),
            (.read(handle: 3), "01 0A 0300 02"), (.discoverServices([uuid(0xFEE7)]), "01 06 0100 0A"),
            (.read(handle: 3), "0B"), (.read(handle: 3), "0B 02"),
        ]
        _ = bearer.act { $0.submit(.read(handle: 3), id: 1, at: .zero, output: &$1) }
        let current = bearer.client.current
        let first = try #require(current)
        _ = bearer.answer(octets("0B 01"), &database)
        for (operation, answer) in tasks {
            _ = bearer.act { $0.submit(operation, id: 1, at: .zero, output: &$1) }
            let next = bearer.client.current
            #expect(next === first, "\(operation)")
            #expect(bearer.answer(octets(answer), &database).events.count == 1)
        }
    }

    /// 23 to 517 octets (Vol 3, Part F, 3.4.2; a value has at most 512 octets).
    @Test(
        arguments: [(0, 23), (22, 23), (23, 23), (24, 24), (517, 517), (518, 517), (0xFFFF, 517)] as [(UInt16, UInt16)])
    func theOfferedMTUIsWithinItsLimits(wanted: UInt16, offered: UInt16) {
        var bearer = ATTBearer(localMTU: wanted)
        var database = database
        let sent: [UInt8] = [0x02, UInt8(offered & 0xFF), UInt8(offered >> 8)]
        #expect(bearer.act { $0.exchangeMTU(at: .zero, output: &$1) }.pdus == [sent])
        #expect(bearer.answer(octets("03 FFFF"), &database).events == [.mtuChanged(offered)])
        #expect(bearer.mtu == offered)
    }
}
