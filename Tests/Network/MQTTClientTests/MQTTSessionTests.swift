import BLEWire
import Testing

@testable import MQTTClient

/// A connection to a broker in virtual time.
@Suite struct MQTTSessionTests {
    private typealias Version = MQTTConfiguration.Version

    // MARK: The beginning

    @Test func connectIsTheFirstPacketAndCONNACKAcceptsTheClient() {
        var bench = SessionBench()
        #expect(!bench.session.hasOutput)
        bench.publish(1)
        bench.session.opened(at: bench.now)
        let connect = bench.output()
        #expect(connect.first == 0x10)
        bench.session.opened(at: bench.now)
        bench.publish(1)
        bench.session.subscribe("a", at: bench.now)
        bench.session.unsubscribe("a", at: bench.now)
        #expect(!bench.session.hasOutput && bench.events().isEmpty)
        bench.receive("20 03 00 00 00")
        #expect(bench.events() == [.connected] && bench.session.isAccepted)
    }

    @Test(
        arguments: [
            (Version.v311, 1, "version of MQTT"), (.v311, 2, "client identifier"), (.v311, 3, "not available"),
            (.v311, 4, "user or the password"), (.v311, 5, "not authorize"), (.v311, 6, "Reason code 6."),
            (.v5, 1, "version of MQTT"), (.v5, 0x84, "version of MQTT"), (.v5, 0x85, "client identifier"),
            (.v5, 0x86, "user or the password"), (.v5, 0x87, "not authorize"), (.v5, 0x88, "not available"),
            (.v5, 0x8A, "Banned."), (.v5, 0x97, "Quota exceeded."), (.v5, 0x9C, "Use another server."),
            (.v5, 0x9F, "Connection rate exceeded."), (.v5, 0xFE, "Reason code 254."),
        ] as [(MQTTConfiguration.Version, UInt8, String)])
    func aRefusalIsSaidPlainly(version: MQTTConfiguration.Version, code: UInt8, words: String) throws {
        var bench = SessionBench(configuration(version))
        bench.open()
        bench.receive(packet(0x20, version == .v5 && code != 1 ? [0, code, 0] : [0, code]))
        let end = bench.end()
        let reason = try #require(end)
        #expect(reason.contains(words) && bench.session.isEnded, "\(reason)")
        // No DISCONNECT follows a refusal.
        #expect(bench.output().isEmpty && bench.session.deadline == nil)
    }

    @Test func theWordsOfABrokerAreShortAndHaveNoControlCharacters() throws {
        var bench = SessionBench()
        bench.open()
        let words = "a\u{1B}[31m\nb\u{7F}\u{85}\u{202E}\u{2028}\u{2029}" + String(repeating: "x", count: 1000)
        let text = [UInt8(words.utf8.count >> 8), UInt8(words.utf8.count & 0xFF)] + Array(words.utf8)
        let list = [0x1F] + text
        bench.receive(packet(0x20, [0, 0x8A, UInt8(list.count & 0x7F) | 0x80, UInt8(list.count >> 7)] + list))
        let end = bench.end()
        let reason = try #require(end)
        #expect(reason.hasPrefix("The broker refused the connection: Banned (a [31m b     x"))
        #expect(reason.count < 300 && !reason.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    @Test func aSecondConnectionFollowsAFailure() {
        for version in [Version.v311, .v5] {
            var first = SessionBench.accepted(version)
            first.publish(1)
            first.session.closed("gone")
            #expect(first.events() == [.disconnected(reason: "gone")])
            first.session.closed("again")
            first.receive("D0 00")
            first.publish(2)
            first.advance(.seconds(1000))
            #expect(first.events().isEmpty)
            var second = SessionBench.accepted(version)
            second.publish(1)
            #expect(second.session.hasOutput)
        }
    }

    // MARK: The session at the broker

    @Test func aSessionIsKeptIfTheClientAskedForIt() {
        for version in [Version.v311, .v5] {
            for isKept in [false, true] {
                var settings = configuration(version)
                settings.sessionExpiry = 60
                var bench = SessionBench(settings)
                bench.session.opened(at: bench.now)
                let flags = bench.output().dropFirst(9).first
                #expect(flags.map { $0 & 2 } == 0)
                bench.receive(packet(0x20, [isKept ? 1 : 0, 0] + (version == .v5 ? [0] : [])))
                #expect(bench.events() == [.connected])
            }
            var bench = SessionBench(configuration(version))
            bench.session.opened(at: bench.now)
            let flags = bench.output().dropFirst(9).first
            #expect(flags.map { $0 & 2 } == 2)
            bench.receive(packet(0x20, [1, 0] + (version == .v5 ? [0] : [])))
            #expect(bench.end()?.contains("a session that the client did not ask for") == true)
        }
    }

    /// 3.2.2.3.7. A client with a name keeps it: another one would take over the session of another client.
    @Test func theBrokerNamesAClientWithoutANameAlone() {
        var bench = SessionBench()
        bench.open()
        bench.receive("20 08 00 00 05 12 00 02 78 79")
        #expect(bench.end()?.contains("an identifier for a client that has one") == true)
        #expect(bench.output() == hexadecimal("E0 01 82"))
        var unnamed = configuration(.v5)
        unnamed.clientIdentifier = ""
        bench = SessionBench(unnamed)
        bench.open()
        bench.receive("20 08 00 00 05 12 00 02 78 79")
        #expect(bench.events() == [.connected] && bench.session.assignedIdentifier == "xy")
        bench.receive("20 03 00 00 00")
        #expect(bench.end() == "The broker violates MQTT: it sent a second CONNACK.")
        #expect(bench.output() == hexadecimal("E0 01 82"))
    }

    // MARK: Messages from the broker

    @Test func messagesArriveAndAreAcknowledged() {
        for version in [Version.v311, .v5] {
            var bench = SessionBench.accepted(version)
            bench.receive(publish("a", [1], version))
            bench.receive(publish("b", [2], flags: 0xB, identifier: 0x1234, version))
            #expect(
                bench.events() == [
                    .received(MQTTMessage(topic: "a", payload: [1])),
                    .received(MQTTMessage(topic: "b", payload: [2], isRetained: true)),
                ])
            #expect(bench.output() == hexadecimal("40 02 12 34"))
        }
    }

    @Test func aMessageAboveTheLimitIsDroppedWithoutItsOctets() {
        for size in [MQTTMessage.payloadLimit, MQTTMessage.payloadLimit + 1, 1 << 20] {
            for identifier in [nil, 5] as [UInt16?] {
                var bench = SessionBench.accepted(.v311)
                let payload = [UInt8](repeating: 1, count: size)
                let message = publish(
                    "large", payload, flags: identifier == nil ? 0 : 2, identifier: identifier, .v311)
                var start = 0
                while start < message.count {
                    let end = min(message.count, start + 8192)
                    bench.receive(Array(message[start..<end]))
                    start = end
                    #expect(bench.session.keptOctets <= MQTTFixedHeader.remainingLimit)
                    if size > MQTTFixedHeader.remainingLimit { #expect(bench.session.keptOctets == 0) }
                }
                bench.receive(publish("a", [1], .v311))
                let isTaken = size <= MQTTMessage.payloadLimit
                if isTaken {
                    #expect(bench.session.droppedOctets == nil)
                } else {
                    // The payload, or the packet if that is too long.
                    let dropped = bench.session.droppedOctets ?? 0
                    #expect((size...message.count).contains(dropped))
                    bench.receive(publish("large", payload + payload, .v311))
                    #expect(bench.session.droppedOctets == dropped, "the first message is named")
                }
                let events = bench.events()
                #expect(events.count == (isTaken ? 2 : 1))
                #expect(events.last == .received(MQTTMessage(topic: "a", payload: [1])))
                #expect(bench.output() == (identifier == nil ? [] : hexadecimal("40 02 00 05")))
            }
        }
        // A broker of version 5 knows the limit.
        var bench = SessionBench.accepted()
        bench.receive([0x30] + hexadecimal("FF FF FF 7F"))
        #expect(bench.end() == "The broker violates MQTT: it sent PUBLISH with 268435455 octets.")
        #expect(bench.output() == hexadecimal("E0 01 95"))
    }

    @Test func subscriptionsAreAnswered() {
        for version in [Version.v311, .v5] {
            var bench = SessionBench.accepted(version)
            let property = version == .v5 ? " 00" : ""
            for filter in ["a", "b", "c"] { bench.session.subscribe(filter, at: bench.now) }
            bench.session.unsubscribe("a", at: bench.now)
            _ = bench.output()
            bench.receive("90 \(version == .v5 ? "04" : "03") 00 02\(property) 80")
            bench.receive("90 \(version == .v5 ? "04" : "03") 00 01\(property) 00")
            bench.receive(version == .v5 ? "B0 04 00 04 00 00" : "B0 02 00 04")
            // PUBACK for a subscription, SUBACK for nothing, UNSUBACK for nothing.
            bench.receive("40 02 00 03")
            bench.receive("90 \(version == .v5 ? "04" : "03") 00 09\(property) 01")
            bench.receive(version == .v5 ? "B0 04 00 03 00 00" : "B0 02 00 03")
            bench.receive("90 \(version == .v5 ? "04" : "03") 00 03\(property) 02")
            #expect(
                bench.events() == [
                    .subscribed("b", refusal: "Unspecified error."), .subscribed("a", refusal: nil),
                    .subscribed("c", refusal: nil),
                ])
        }
    }

    // MARK: Time

    @Test func aClientWithoutAnAnswerGivesUp() {
        var bench = SessionBench()
        bench.advance(.milliseconds(29_999))
        #expect(!bench.session.isEnded)
        bench.advance(.milliseconds(1))
        #expect(bench.end() == "The broker cannot be reached within 30 s.")
        bench = SessionBench()
        bench.advance(.seconds(20))
        bench.open()
        bench.advance(.milliseconds(9999))
        #expect(!bench.session.isEnded)
        bench.advance(.milliseconds(1))
        #expect(bench.end()?.contains("did not answer as a broker does") == true)
    }

    @Test func aSilentClientAsksAndASilentBrokerIsDead() {
        var bench = SessionBench.accepted()
        bench.advance(.milliseconds(14_999))
        #expect(!bench.session.hasOutput)
        bench.advance(.milliseconds(1))
        #expect(bench.output() == hexadecimal("C0 00"))
        bench.advance(.seconds(1))
        bench.receive("D0 00")
        #expect(bench.session.deadline == bench.now + .seconds(14))
        // Messages without an answer do not hide a dead broker.
        for _ in 0..<2 {
            bench.advance(.seconds(8))
            bench.publish(1, isAcknowledged: false)
        }
        #expect(bench.output() == hexadecimal("30 04 00 01 74 00 C0 00 30 04 00 01 74 00"))
        bench.advance(.seconds(29))
        bench.publish(1, isAcknowledged: false)
        #expect(!bench.session.isEnded)
        bench.advance(.seconds(1))
        #expect(bench.end() == "The broker sent nothing for 30 s.")
    }

    @Test func eachPacketOfTheClientCounts() {
        let calls: [(inout SessionBench) -> Void] = [
            { $0.publish(1) }, { $0.publish(1, isAcknowledged: false) }, { $0.session.subscribe("a", at: $0.now) },
            { $0.session.unsubscribe("a", at: $0.now) },
            { $0.receive("32 06 00 01 61 00 01 00") },
        ]
        for call in calls {
            var bench = SessionBench.accepted()
            bench.advance(.seconds(10))
            call(&bench)
            bench.advance(.seconds(1))
            bench.receive("D0 00")
            #expect(bench.session.deadline == .zero + .seconds(25))
        }
    }

    /// The client's own keep alive is 30 s, and the first PINGREQ is due after half of it.
    @Test func aShorterKeepAliveOfTheBrokerCounts() {
        var bench = SessionBench.accepted(properties: "13 00 64")
        #expect(bench.session.deadline == .zero + .seconds(15))
        bench = .accepted(properties: "13 FF FF")
        #expect(bench.session.deadline == .zero + .seconds(15))
        bench = .accepted(properties: "13 00 01")
        #expect(bench.session.deadline == .zero + .milliseconds(500))
        bench = .accepted(properties: "13 00 00")
        #expect(bench.session.deadline == .zero + .seconds(15))
    }

    // MARK: The end

    @Test func theReasonOfTheBrokerIsSaid() {
        var bench = SessionBench.accepted()
        bench.receive("E0 08 8B 06 1F 00 03 62 79 65")
        #expect(bench.end() == "The broker ended the connection: Server shutting down (bye).")
        #expect(bench.output().isEmpty)
    }

    @Test func theClientSaysGoodbye() {
        for version in [Version.v311, .v5] {
            var bench = SessionBench.accepted(version)
            bench.publish(1)
            bench.session.disconnect()
            #expect(bench.output().suffix(2) == hexadecimal("E0 00")[...])
            bench.session.closed("gone")
            #expect(bench.events().isEmpty && bench.session.isEnded)
        }
        var bench = SessionBench()
        bench.session.disconnect()
        #expect(!bench.session.hasOutput && bench.session.isEnded)
    }

    @Test func aPortWithTLSIsSaidPlainly() {
        var bench = SessionBench()
        bench.open()
        bench.receive("15 03 03 00 02 02 46")
        #expect(bench.end() == "The broker uses TLS at this port. Use an address with mqtts.")
    }

    @Test func packetsBeforeCONNACKEndTheConnection() {
        for text in ["D0 00", "30 04 00 01 61 00", "40 02 00 01", "E0 00", "90 04 00 01 00 00", "B0 04 00 01 00 00"] {
            var bench = SessionBench()
            bench.open()
            bench.receive(text)
            #expect(bench.end() == "The broker violates MQTT: it sent another packet before CONNACK.")
        }
    }
}
