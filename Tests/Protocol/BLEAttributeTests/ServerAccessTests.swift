import BLEAttribute
import BLEWire
import Testing

/// The server's answers to reads, writes and everything else, octet by octet.
struct ServerAccessTests {
    var database: AttributeDatabase

    init() throws {
        database = AttributeDatabase(deviceName: Array("Band".utf8))
        // 000A FEE7; values: 000C static of 40 octets, 000E dynamic read and write with notify (CCCD 000F), 0011 dynamic behind
        // encryption with encrypted indications (CCCD 0012), 0014 dynamic, neither readable nor writeable.
        _ = try database.added(
            ServiceDefinition(
                uuid(0xFEE7),
                [
                    CharacteristicDefinition(uuid(0x36F5), 0x02, 1, value: pattern(40)),
                    CharacteristicDefinition(uuid(0x36F6), 0x1E, 3),
                    CharacteristicDefinition(uuid(0x36F7), 0x20A, 12),
                    CharacteristicDefinition(uuid(0x36F8), 0x10A, 0),
                ]))
    }

    private func answer(_ request: String, security: LinkSecurity = .none) -> [UInt8]? {
        var bearer = ATTBearer()
        var database = database
        return bearer.answer(octets(request), &database, security: security).pdus.first
    }

    @Test func staticValuesAreServedInParts() {
        #expect(answer("0A 0C00") == [0x0B] + pattern(40)[..<22])
        #expect(answer("0C 0C00 1600") == [0x0D] + pattern(40)[22...])
        #expect(answer("0C 0C00 2800") == [0x0D], "nothing is behind the end")
        #expect(answer("0C 0C00 2900") == octets("01 0C 0C00 07"))
        #expect(answer("0C 0C00 FFFF") == octets("01 0C 0C00 07"))
        #expect(answer("0A 0F00") == octets("0B 0000"))
        #expect(answer("0C 0F00 0100") == octets("0D 00"))
        #expect(answer("0C 0F00 0300") == octets("01 0C 0F00 07"))
    }

    @Test func declarationsContainEightBitsOfTheProperties() {
        #expect(answer("0A 0D00") == octets("0B 1E 0E00 F636"))
        #expect(answer("0A 1000") == octets("0B 2A 1100 F736"), "encrypted indications are indications")
        #expect(answer("12 0D00 00") == octets("01 12 0D00 03"))
    }

    @Test func refusalsHaveTheSpecifiedErrorCode() {
        #expect(answer("0A 0000") == octets("01 0A 0000 01"))
        #expect(answer("0A FFFF") == octets("01 0A FFFF 01"))
        #expect(answer("0A 1400") == octets("01 0A 1400 02"))
        #expect(answer("12 1400 01") == octets("01 12 1400 03"))
        #expect(answer("16 1400 0000 01") == octets("01 16 1400 03"))
        #expect(answer("12 0C00 01") == octets("01 12 0C00 03"))
        #expect(answer("16 0F00 0000 01") == octets("01 16 0F00 03"))
        #expect(answer("16 7700 0000 01") == octets("01 16 7700 01"))
    }

    @Test func encryptedAttributesNeedAnEncryptedLink() {
        #expect(answer("0A 1100") == octets("01 0A 1100 05"))
        #expect(answer("0A 1100", security: .keyAvailable) == octets("01 0A 1100 0F"))
        #expect(answer("0A 1100", security: .encrypted) == nil, "asked for")
        #expect(answer("12 1100 01") == octets("01 12 1100 05"))
        #expect(answer("12 1100 01", security: .keyAvailable) == octets("01 12 1100 0F"))
        #expect(answer("16 1100 0000 01") == octets("01 16 1100 05"))
        #expect(answer("12 1200 0200") == octets("01 12 1200 05"), "subscribing as well")
        #expect(answer("12 1200 0200", security: .authenticated) == octets("13"))
        #expect(answer("0E 0C00 1100") == octets("01 0E 1100 05"))
    }

    @Test func clientConfigurationsAreChecked() {
        #expect(answer("12 0F00 0100") == octets("13"))
        #expect(answer("12 0F00 0200") == octets("01 12 0F00 13"), "it cannot indicate")
        #expect(answer("12 0F00 0400") == octets("01 12 0F00 13"))
        #expect(answer("12 0F00 01") == octets("01 12 0F00 0D"))
        #expect(answer("12 0F00 010000") == octets("01 12 0F00 0D"))
    }

    @Test func aSubscriptionIsReportedWhenItChanges() {
        var bearer = ATTBearer()
        var database = database
        #expect(
            bearer.answer(octets("12 0F00 0100"), &database).events
                == [.subscriptionChanged(valueHandle: 14, configuration: 1)])
        #expect(bearer.answer(octets("12 0F00 0100"), &database).events.isEmpty, "it has not changed")
        #expect(bearer.answer(octets("0A 0F00"), &database).pdus == [octets("0B 0100")])
        #expect(
            bearer.act { $0.removed(HandleRange(start: 10, end: 20), output: &$1) }.events
                == [.subscriptionChanged(valueHandle: 14, configuration: 0)])
        _ = bearer.answer(octets("12 0F00 0100"), &database)
        #expect(
            bearer.act { $0.close(output: &$1) }.events == [.subscriptionChanged(valueHandle: 14, configuration: 0)])
        #expect(bearer.clientConfiguration(ofValueHandle: 14) == 0)
    }

    @Test func dynamicValuesAreRequestedWithTheirOffset() {
        var bearer = ATTBearer()
        var database = database
        #expect(
            bearer.answer(octets("0C 0E00 1600"), &database).events == [
                .readRequest(request: 1, handle: 14, offset: 22)
            ])
        let value = pattern(30)
        let wrong = bearer.act { $0.respondToRead(9, value: value.span, at: .zero, output: &$1) }
        #expect(wrong.pdus.isEmpty, "no such request")
        let write = bearer.act { $0.respondToWrite(1, at: .zero, output: &$1) }
        #expect(write.pdus.isEmpty, "no write")
        let reply = bearer.act { $0.respondToRead(1, value: value.span, at: .zero, output: &$1) }
        #expect(reply.pdus == [[0x0D] + value[..<22]], "cut to what fits")
        #expect(bearer.act { $0.respondToRead(1, value: value.span, at: .zero, output: &$1) }.pdus.isEmpty, "only once")
        _ = bearer.answer(octets("0A 0E00"), &database)
        #expect(
            bearer.act { $0.respondToRead(2, error: ATT.ErrorCode(rawValue: 0), at: .zero, output: &$1) }.pdus
                == [octets("01 0A 0E00 0E")], "code 0 would be no error")
    }

    @Test func aSecondRequestBeforeTheAnswerIsIgnored() {
        var bearer = ATTBearer()
        var database = database
        _ = bearer.answer(octets("0A 0E00"), &database)
        #expect(bearer.answer(octets("0A 0C00"), &database).pdus.isEmpty)
        #expect(bearer.answer(octets("12 0E00 01"), &database) == bearer.act { _, _ in })
        #expect(
            bearer.answer(octets("52 0E00 01"), &database).events == [
                .writeRequest(request: 2, items: 0..<1, needsResponse: false)
            ],
            "a command is no request")
        #expect(
            bearer.act { $0.respondToRead(1, value: [UInt8]([7]).span, at: .zero, output: &$1) }.pdus == [[0x0B, 7]])
        #expect(bearer.answer(octets("0A 0C00"), &database).pdus.count == 1)
    }

    @Test func readMultipleMixesStaticAndDynamicValues() {
        var bearer = ATTBearer()
        var database = database
        let value: [UInt8] = [7, 8]
        #expect(
            bearer.answer(octets("0E 0300 0E00 0F00 0E00"), &database).events == [
                .readRequest(request: 1, handle: 14, offset: 0)
            ])
        #expect(
            bearer.act { $0.respondToRead(1, value: value.span, at: .zero, output: &$1) }.events
                == [.readRequest(request: 2, handle: 14, offset: 0)])
        #expect(
            bearer.act { $0.respondToRead(2, value: value.span, at: .zero, output: &$1) }.pdus
                == [[0x0F] + Array("Band".utf8) + [7, 8, 0, 0, 7, 8]])
        _ = bearer.answer(octets("20 0300 0E00"), &database)
        #expect(
            bearer.act { $0.respondToRead(3, value: value.span, at: .zero, output: &$1) }.pdus
                == [[0x21, 4, 0] + Array("Band".utf8) + [2, 0, 7, 8]])
        #expect(bearer.answer(octets("0E 0C00 0300"), &database).pdus == [[0x0F] + pattern(40)[..<22]])
        let variable: [UInt8] = octets("21 0400") + Array("Band".utf8) + octets("2800") + pattern(40)[..<14]
        #expect(bearer.answer(octets("20 0300 0C00"), &database).pdus == [variable])
        #expect(bearer.answer(octets("0E 0300 7700"), &database).pdus == [octets("01 0E 7700 01")])
        #expect(bearer.answer(octets("20 0300 1400"), &database).pdus == [octets("01 20 1400 02")])
    }

    @Test func aLengthThatDoesNotFitIsOmitted() {
        var bearer = ATTBearer()
        var database = AttributeDatabase(deviceName: pattern(19))
        #expect(bearer.answer(octets("20 0300 0300"), &database).pdus == [[0x21, 19, 0] + pattern(19)])
    }

    @Test func writesAreReportedAndAnswered() {
        var bearer = ATTBearer()
        var database = database
        var output = ATTOutput()
        bearer.receive(octets("12 0E00 AABB").span, database: &database, security: .none, at: .zero, output: &output)
        #expect(output.events == [.writeRequest(request: 1, items: 0..<1, needsResponse: true)])
        #expect(output.arena.writeItems.map { Array(output.arena.octets[$0.value]) } == [[0xAA, 0xBB]])
        #expect(bearer.act { $0.respondToWrite(1, at: .zero, output: &$1) }.pdus == [[0x13]])
        _ = bearer.answer(octets("12 0E00 AABB"), &database)
        #expect(
            bearer.act { $0.respondToWrite(2, error: .init(rawValue: 0x81), at: .zero, output: &$1) }.pdus
                == [octets("01 12 0E00 81")])
        _ = bearer.answer(octets("12 0E00 AABB"), &database)
        #expect(bearer.act { $0.respondToWrite(3, error: .init(rawValue: 0), at: .zero, output: &$1) }.pdus == [[0x13]])
    }

    @Test func commandsAreRefusedWithoutAnAnswer() {
        var bearer = ATTBearer()
        var database = database
        for command in [
            "52 7700 01", "52 0C00 01", "52 1100 01", "52 1400 01", "52 0F00 0100", "52 0E", "52",
            "D2 0E00 0102030405060708090A0B0C", "C0 01", "54",
        ] {
            let reply = bearer.answer(octets(command), &database)
            #expect(reply.pdus.isEmpty && reply.events.isEmpty, "\(command)")
        }
        let tooLong = bearer.answer([0x52, 14, 0] + pattern(513), &database)
        #expect(tooLong.events.isEmpty)
        #expect(bearer.clientConfiguration(ofValueHandle: 14) == 0)
    }

    @Test func unknownAndMalformedRequestsAreAnswered() {
        #expect(answer("14 0000") == octets("01 14 0000 06"))
        #expect(answer("00") == octets("01 00 0000 06"))
        #expect(answer("3F 01") == octets("01 3F 0000 06"))
        for request in [
            "0A", "0A 01", "0A 010000", "0C 0100", "10 0100 FFFF", "10 0100 FFFF 002800", "08 0100 FFFF 00", "04 0100",
            "06 0100 FFFF 00", "12", "16 0100 00", "18", "18 02", "02 17", "0E 0100", "20 0100 02",
        ] {
            #expect(answer(request) == [1, octets(request)[0], 0, 0, 4], "\(request)")
        }
        #expect(answer("12 0E00" + String(repeating: "00", count: 21)) == octets("01 12 0000 04"), "beyond the ATT_MTU")
        var bearer = ATTBearer(localMTU: 517)
        var database = database
        _ = bearer.answer(octets("02 FFFF"), &database)
        #expect(bearer.answer([0x12, 0x0E, 0] + pattern(513), &database).pdus == [octets("01 12 0E00 0D")])
    }

    @Test func anMTUBelow23CountsAs23() {
        var bearer = ATTBearer(localMTU: 498)
        var database = database
        let reply = bearer.answer(octets("02 0000"), &database)
        #expect(reply.pdus == [octets("03 F201")])
        #expect(reply.events.isEmpty)
        #expect(bearer.mtu == 23)
        #expect(ATTBearer(localMTU: 0).mtu == 23)
    }

    @Test(arguments: ["02 1700", "02 0000", "02 6400", "02 FFFF"])
    func aSecondExchangeOfTheMTUChangesNothing(second: String) {
        var bearer = ATTBearer(localMTU: 498)
        var database = database
        #expect(bearer.answer(octets("02 F700"), &database).events == [.mtuChanged(247)])
        let reply = bearer.answer(octets(second), &database)
        #expect(reply.pdus == [octets("03 F201")], "an error would make the client fall back to 23")
        #expect(reply.events.isEmpty)
        #expect(bearer.mtu == 247)
    }

    /// Lengths above 255 have two octets, and are never cut (Vol 3, Part F, 3.4.4.12).
    @Test(arguments: [
        (300, 212), (300, 213), (300, 211), (300, 210), (256, 256), (255, 300), (512, 0), (512, 3), (511, 9),
    ])
    func longValuesOfAVariableReadKeepTheirLengths(first: Int, second: Int) throws {
        var database = AttributeDatabase()
        let service = try database.added(
            ServiceDefinition(
                uuid(0xFEE7),
                [first, second, 1].map { CharacteristicDefinition(uuid(0x36F5), 0x02, 1, value: pattern($0)) }))
        var bearer = ATTBearer(localMTU: 517)
        _ = bearer.answer(octets("02 0502"), &database)
        let handles: [UInt8] = service.characteristics.flatMap { [UInt8($0.valueHandle), 0] as [UInt8] }
        var expected: [UInt8] = []
        for count in [first, second, 1] {
            // A response has 516 octets after the opcode.
            guard expected.count + 2 <= 516 else { break }
            expected += [UInt8(count & 0xFF), UInt8(count >> 8)] + pattern(count)
            expected = Array(expected.prefix(516))
        }
        #expect(bearer.answer([0x20] + handles, &database).pdus == [[0x21] + expected])
        let whole = pattern(first) + pattern(second) + pattern(1)
        #expect(bearer.answer([0x0E] + handles, &database).pdus == [[0x0F] + whole.prefix(516)])
    }

    /// A value in the list has at most ATT_MTU - 4 octets, and at most 253 (Vol 3, Part F, 3.4.4.2).
    @Test(arguments: [(23, 19), (256, 252), (257, 253), (258, 253), (517, 253)] as [(UInt16, Int)])
    func aDynamicValueByTypeIsCut(mtu: UInt16, length: Int) {
        var bearer = ATTBearer(localMTU: 517)
        var database = database
        _ = bearer.answer([0x02, UInt8(mtu & 0xFF), UInt8(mtu >> 8)], &database)
        for count in [length - 1, length, length + 1, 512] {
            let events = bearer.answer(octets("08 0100 FFFF F636"), &database).events
            guard case .readRequest(let request, 14, offset: 0)? = events.first else {
                Issue.record("\(events)")
                return
            }
            let kept = min(count, length)
            #expect(
                bearer.act { $0.respondToRead(request, value: pattern(count).span, at: .zero, output: &$1) }.pdus
                    == [[0x09, UInt8(2 + kept), 14, 0] + pattern(kept)])
        }
    }

    /// Numbers of requests are not used again, so a late answer finds no other request.
    @Test func aLateAnswerReachesNoOtherRequest() {
        var bearer = ATTBearer()
        var database = database
        for number in 1...3 as ClosedRange<UInt32> {
            #expect(
                bearer.answer(octets("0A 0E00"), &database).events == [
                    .readRequest(request: number, handle: 14, offset: 0)
                ])
            for late in 0..<number {
                #expect(bearer.act { $0.respondToRead(late, value: [9].span, at: .zero, output: &$1) }.pdus.isEmpty)
                #expect(
                    bearer.act { $0.respondToRead(late, error: .unlikelyError, at: .zero, output: &$1) }.pdus.isEmpty)
            }
            #expect(
                bearer.act { $0.respondToRead(number, value: [7].span, at: .zero, output: &$1) }.pdus == [[0x0B, 7]])
        }
    }
}
