import Testing

@testable import MQTTClient

/// The octets of each packet, by the figures of MQTT 3.1.1 and 5.0.
@Suite struct MQTTPacketTests {
    private func decode(
        _ octets: [UInt8], _ version: MQTTConfiguration.Version = .v5
    ) throws(MQTTProtocolError) -> MQTTIncoming? {
        guard let header = try MQTTFixedHeader.decode(octets.span) else { return nil }
        let body = octets.span.extracting(droppingFirst: header.count)
        return try .decode(header, body.extracting(first: min(body.count, header.remaining)), version)
    }

    private func violation(_ text: String, _ version: MQTTConfiguration.Version = .v5) -> MQTTProtocolError? {
        do throws(MQTTProtocolError) {
            _ = try decode(hexadecimal(text), version)
            return nil
        } catch {
            return error
        }
    }

    // MARK: From the client

    @Test func connectOfBothVersions() throws {
        var settings = configuration(.v311)
        let plain = try MQTTOutgoing.connect(settings, keepAlive: 30)
        #expect(plain == hexadecimal("10 0D 00 04 4D 51 54 54 04 02 00 1E 00 01 63"))
        settings.version = .v5
        let five = try MQTTOutgoing.connect(settings, keepAlive: 30)
        // Property 39: 256 KiB and 4096 octets.
        #expect(five == hexadecimal("10 13 00 04 4D 51 54 54 05 02 00 1E 05 27 00 04 10 00 00 01 63"))
        settings.sessionExpiry = 300
        settings.will = MQTTPublication(topic: "w", payload: [1, 2], isAcknowledged: true, isRetained: true)
        settings.user = "u"
        settings.password = .init("p")
        let all = try MQTTOutgoing.connect(settings, keepAlive: 0x1234)
        #expect(
            all
                == hexadecimal(
                    "10 26 00 04 4D 51 54 54 05 EC 12 34 0A 11 00 00 01 2C 27 00 04 10 00 00 01 63 "
                        + "00 00 01 77 00 02 01 02 00 01 75 00 01 70"))
        settings.version = .v311
        settings.will?.isAcknowledged = false
        let old = try MQTTOutgoing.connect(settings, keepAlive: 0x1234)
        #expect(
            old
                == hexadecimal(
                    "10 1A 00 04 4D 51 54 54 04 E4 12 34 00 01 63 00 01 77 00 02 01 02 00 01 75 00 01 70"))
    }

    @Test func aConnectThatCannotBeSentIsSaid() throws {
        let long = String(repeating: "x", count: 65_536)
        let changes: [(inout MQTTConfiguration) -> Void] = [
            { $0.clientIdentifier = long }, { $0.clientIdentifier = "a\0" }, { $0.user = long },
            { $0.password = .init(long) }, { $0.will = MQTTPublication(topic: "a/#", payload: []) },
            { $0.will = MQTTPublication(topic: "a", payload: [UInt8](repeating: 0, count: 65_536)) },
        ]
        for change in changes {
            var settings = configuration()
            change(&settings)
            let failure = #expect(throws: MQTTClientError.self) { try MQTTOutgoing.connect(settings, keepAlive: 1) }
            #expect(failure?.description.contains("xxx") == false)
        }
    }

    @Test func publishOfBothVersions() {
        func octetsOf(
            _ message: MQTTPublication, _ identifier: UInt16?, _ version: MQTTConfiguration.Version
        ) -> [UInt8] {
            var octets: [UInt8] = []
            MQTTOutgoing.publish(message, identifier: identifier, version, to: &octets)
            #expect(octets.count == MQTTOutgoing.publishSize(message, version))
            return octets
        }
        let message = MQTTPublication(topic: "a/b", payload: [7], isRetained: true)
        // The topic of figure 3.3.
        #expect(octetsOf(message, 10, .v311) == hexadecimal("33 08 00 03 61 2F 62 00 0A 07"))
        #expect(octetsOf(message, 10, .v5) == hexadecimal("33 09 00 03 61 2F 62 00 0A 00 07"))
        let quick = MQTTPublication(topic: "a/b", payload: [7], isAcknowledged: false)
        #expect(octetsOf(quick, nil, .v311) == hexadecimal("30 06 00 03 61 2F 62 07"))
        #expect(octetsOf(quick, nil, .v5) == hexadecimal("30 07 00 03 61 2F 62 00 07"))
        // The bounds of table 2.4.
        for (count, length) in [
            (127, "7F"), (128, "80 01"), (16_383, "FF 7F"), (16_384, "80 80 01"), (2_097_151, "FF FF 7F"),
            (2_097_152, "80 80 80 01"),
        ] {
            let payload = [UInt8](repeating: 0, count: count - 3)
            let octets = octetsOf(MQTTPublication(topic: "t", payload: payload, isAcknowledged: false), nil, .v311)
            #expect(octets.starts(with: hexadecimal("30 \(length) 00 01 74")))
        }
    }

    @Test func theOtherPackets() {
        var sent: [UInt8] = []
        MQTTOutgoing.subscribe("a/b", identifier: 10, .v311, to: &sent)
        #expect(sent == hexadecimal("82 08 00 0A 00 03 61 2F 62 01"))
        sent = []
        MQTTOutgoing.subscribe("a/b", identifier: 10, .v5, to: &sent)
        #expect(sent == hexadecimal("82 09 00 0A 00 00 03 61 2F 62 01"))
        sent = []
        MQTTOutgoing.unsubscribe("a/b", identifier: 10, .v311, to: &sent)
        #expect(sent == hexadecimal("A2 07 00 0A 00 03 61 2F 62"))
        sent = []
        MQTTOutgoing.unsubscribe("a/b", identifier: 10, .v5, to: &sent)
        #expect(sent == hexadecimal("A2 08 00 0A 00 00 03 61 2F 62"))
        sent = []
        MQTTOutgoing.puback(0x1234, to: &sent)
        #expect(sent == hexadecimal("40 02 12 34"))
        #expect(MQTTOutgoing.pingreq == hexadecimal("C0 00"))
        #expect(MQTTOutgoing.disconnect() == hexadecimal("E0 00"))
        #expect(MQTTOutgoing.disconnect(.packetTooLarge) == hexadecimal("E0 01 95"))
    }

    // MARK: From the broker

    @Test func aHeaderThatIsNotCompleteWaits() throws {
        for text in ["", "30", "30 80", "30 FF FF FF"] {
            #expect(try MQTTFixedHeader.decode(hexadecimal(text).span) == nil)
        }
        let header = try #require(try MQTTFixedHeader.decode(hexadecimal("35 FF FF FF 7F").span))
        #expect(header == MQTTFixedHeader(type: .publish, flags: 5, count: 5, remaining: 268_435_455))
        for text in ["30 FF FF FF FF", "30 80 80 80 80 01", "00 00", "0F 00"] {
            #expect(throws: MQTTProtocolError.self) { try MQTTFixedHeader.decode(hexadecimal(text).span) }
        }
    }

    @Test func connackOfBothVersions() throws {
        #expect(
            try decode(hexadecimal("20 02 01 00"), .v311)
                == .connack(isSessionPresent: true, code: 0, MQTTProperties()))
        #expect(
            try decode(hexadecimal("20 02 00 05"), .v311)
                == .connack(isSessionPresent: false, code: 5, MQTTProperties()))
        var properties = MQTTProperties()
        properties.assignedIdentifier = "x"
        properties.serverKeepAlive = 60
        properties.reason = "no"
        properties.receiveMaximum = 20
        properties.maximumPacketSize = 0x01_0000
        properties.takesAcknowledged = false
        properties.takesRetained = false
        let text =
            "20 38 00 87 35 11 00 00 00 01 12 00 01 78 13 00 3C 16 00 01 FF 1A 00 00 1C 00 00 1F 00 02 6E 6F "
            + "21 00 14 22 00 05 24 00 25 00 26 00 00 00 00 27 00 01 00 00 28 01 29 00 2A 01"
        #expect(try decode(hexadecimal(text)) == .connack(isSessionPresent: false, code: 0x87, properties))
        // A broker of version 3.1.1 answers like this.
        #expect(
            try decode(hexadecimal("20 02 00 01")) == .connack(isSessionPresent: false, code: 1, MQTTProperties()))
        for text in ["20 02 02 00", "20 02 00 00", "20 03 00 00", "20 04 00 00 00 00", "21 03 00 00 00"] {
            #expect(violation(text)?.code == .malformedPacket, "\(text)")
        }
        #expect(violation("20 03 00 00 00", .v311)?.what == "CONNACK with octets after its end")
    }

    @Test func publishFromTheBroker() throws {
        let message = MQTTMessage(topic: "a/b", payload: [7], isRetained: true)
        #expect(
            try decode(hexadecimal("3B 08 00 03 61 2F 62 00 0A 07"), .v311) == .publish(message, identifier: 10))
        let properties = "1D 01 01 02 00 00 00 05 03 00 00 08 00 01 72 09 00 01 FF 0B 80 01 0B 02 26 00 01 61 00 00"
        #expect(
            try decode(hexadecimal("31 25 00 03 61 2F 62 \(properties) 07"))
                == .publish(message, identifier: nil))
        for (text, code) in [
            ("34 08 00 03 61 2F 62 00 0A 00", MQTTProtocolError.Code.protocolError),  // quality of service 2
            ("36 08 00 03 61 2F 62 00 0A 00", .malformedPacket),  // and 3
            ("38 06 00 03 61 2F 62 00", .malformedPacket),  // DUP with quality of service 0
            ("32 08 00 03 61 2F 62 00 00 00", .protocolError),  // no packet identifier
            ("30 04 00 01 2B 00", .protocolError), ("30 06 00 03 61 2F 23 00", .protocolError),
            ("30 03 00 00 00", .protocolError), ("30 04 00 01 00 00", .malformedPacket),
            ("30 05 00 02 C0 80 00", .malformedPacket), ("30 06 00 03 ED A0 80 00", .malformedPacket),
            ("30 07 00 01 61 03 23 00 01", .topicAliasInvalid),
            ("30 06 00 01 61 02 0B 00", .protocolError), ("30 06 00 01 61 02 01 02", .protocolError),
        ] {
            #expect(violation(text)?.code == code, "\(text)")
        }
    }

    @Test func answersFromTheBroker() throws {
        #expect(try decode(hexadecimal("40 02 00 0A"), .v311) == .puback(identifier: 10, code: 0, reason: nil))
        #expect(try decode(hexadecimal("40 02 00 0A")) == .puback(identifier: 10, code: 0, reason: nil))
        #expect(try decode(hexadecimal("40 03 00 0A 10")) == .puback(identifier: 10, code: 0x10, reason: nil))
        #expect(
            try decode(hexadecimal("40 08 00 0A 97 04 1F 00 01 78"))
                == .puback(identifier: 10, code: 0x97, reason: "x"))
        #expect(try decode(hexadecimal("90 03 00 0A 80"), .v311) == .suback(identifier: 10, code: 0x80, reason: nil))
        #expect(
            try decode(hexadecimal("90 08 00 0A 04 1F 00 01 78 87"))
                == .suback(identifier: 10, code: 0x87, reason: "x"))
        #expect(try decode(hexadecimal("B0 02 00 0A"), .v311) == .unsuback(identifier: 10))
        #expect(try decode(hexadecimal("B0 04 00 0A 00 11")) == .unsuback(identifier: 10))
        #expect(try decode(hexadecimal("D0 00")) == .pingresp)
        #expect(try decode(hexadecimal("E0 00")) == .disconnect(code: 0, reason: nil))
        #expect(try decode(hexadecimal("E0 01 8B")) == .disconnect(code: 0x8B, reason: nil))
        #expect(
            try decode(hexadecimal("E0 0C 9C 0A 1F 00 01 78 1C 00 03 61 3A 31"))
                == .disconnect(code: 0x9C, reason: "x"))
        for text in [
            "40 02 00 00", "40 01 00", "90 04 00 0A 00 03", "90 05 00 0A 00 00 00", "90 03 00 0A 00",
            "B0 03 00 0A 00", "D0 01 00", "D1 00", "E0 04 00 01 1F 00", "42 02 00 0A",
        ] {
            #expect(violation(text) != nil, "\(text)")
        }
        #expect(violation("40 03 00 0A 00", .v311) != nil)
    }

    @Test func packetsOfClientsAndUnknownOnesAreViolations() {
        for type in [1, 5, 6, 7, 8, 10, 12, 15] as [UInt8] {
            for version in [MQTTConfiguration.Version.v311, .v5] {
                #expect(violation(String(type << 4, radix: 16) + " 00", version) != nil)
            }
        }
        // DISCONNECT comes from a broker of version 5 alone.
        #expect(violation("E0 00", .v311)?.what == "DISCONNECT, which a client does not expect")
    }

    // MARK: Texts

    @Test func topicsAndFilters() {
        let long = String(repeating: "x", count: 65_536)
        for text in ["", "a/+", "#", "a\0", long] { #expect(!MQTTTopic.isName(text)) }
        for text in ["/", "a", "a//b", "ü", "$SYS", String(long.dropLast())] { #expect(MQTTTopic.isName(text)) }
        for text in ["", "a+", "a/#/b", "#/", "#a", "a/b#", "\0", long] { #expect(!MQTTTopic.isFilter(text)) }
        for text in ["#", "+", "a/+/b", "a/#", "/", "+/+/#", "$share/g/a/+"] { #expect(MQTTTopic.isFilter(text)) }
    }
}
