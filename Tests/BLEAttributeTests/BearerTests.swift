import BLEAttribute
import BLEWire
import Testing

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
        #expect(throws: GATTFailure.bearerLost) {
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
        #expect(first.events == [.notification(valueHandle: 3, value: 0..<1, isIndication: true, subscribers: 0..<0)])
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
                .notification(valueHandle: 3, value: 0..<2, isIndication: false, subscribers: 0..<0),
                .notification(valueHandle: 5, value: 2..<3, isIndication: false, subscribers: 0..<0),
            ])
        for pdu in ["23 0300 0500 AA", "1B 03", "1D 03", "1E 00", "1B"] {
            let reply = bearer.answer(octets(pdu), &database)
            #expect(reply.pdus.isEmpty && reply.events.isEmpty, "\(pdu)")
        }
        #expect(bearer.answer([], &database).pdus.isEmpty)
    }
}
