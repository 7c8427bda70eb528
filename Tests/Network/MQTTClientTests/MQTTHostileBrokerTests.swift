import BLEWire
import Testing

@testable import MQTTClient

/// A broker, or a machine between, that sends anything. A connection ends with a sentence, or goes on.
@Suite struct MQTTHostileBrokerTests {
    private typealias Version = MQTTConfiguration.Version

    /// Packets of a broker that are valid.
    private static let valid = [
        "20 03 00 00 00", "20 0A 00 00 07 21 00 0A 1F 00 01 61", "30 08 00 03 61 2F 62 00 07 08",
        "32 0F 00 03 61 2F 62 00 0A 05 02 00 00 00 05 07 08", "40 02 00 01", "40 08 00 01 97 04 1F 00 01 78",
        "90 08 00 02 04 1F 00 01 78 87", "B0 04 00 03 00 11", "D0 00", "E0 0C 9C 0A 1F 00 01 78 1C 00 03 61 3A 31",
    ]

    /// A session with a publication, a subscription and the end of one.
    private func bench(_ version: Version, isAccepted: Bool = true) -> SessionBench {
        var bench = isAccepted ? SessionBench.accepted(version) : SessionBench(configuration(version))
        bench.open()
        bench.publish(1)
        bench.session.subscribe("a", at: bench.now)
        bench.session.unsubscribe("b", at: bench.now)
        _ = bench.output()
        return bench
    }

    /// Whether an end is the last event, there is one alone, and what the session holds is bounded.
    private func check(_ bench: inout SessionBench, _ sent: Int, _ what: String) {
        let ends = bench.events().map { event in
            if case .disconnected(let reason) = event { reason.hasSuffix(".") } else { false }
        }
        #expect(ends.dropLast().allSatisfy { !$0 }, "\(what)")
        #expect(ends.last == true || !bench.session.isEnded, "\(what)")
        #expect(bench.session.keptOctets <= min(sent, MQTTFixedHeader.remainingLimit + 5))
        // Each octet of a broker makes less than one octet of acknowledgements.
        #expect(bench.session.takeOutput().count <= sent + 3, "\(what)")
    }

    /// CONNACK with the property 0x7F: libmosquitto 2.0.11 ended the process here.
    @Test func aCONNACKWithAnUnknownPropertyEndsTheConnection() {
        for isAccepted in [false, true] {
            var bench = bench(.v5, isAccepted: isAccepted)
            bench.receive("20 05 00 00 02 7F 00")
            #expect(
                bench.end() == "The broker violates MQTT: it sent CONNACK with an unknown property (127).")
        }
    }

    @Test func aPacketThatEndsEarlyWaitsOrEndsTheConnection() {
        for version in [Version.v311, .v5] {
            for isAccepted in [false, true] {
                for text in Self.valid {
                    let octets = hexadecimal(text)
                    for count in 0..<octets.count {
                        // The rest never arrives.
                        var bench = bench(version, isAccepted: isAccepted)
                        bench.receive(Array(octets.prefix(count)))
                        check(&bench, count, text)
                        // Its length says that this is all.
                        guard count >= 2 else { continue }
                        bench = self.bench(version, isAccepted: isAccepted)
                        bench.receive([octets[0], UInt8(count - 2)] + octets[2..<count])
                        check(&bench, count, text)
                    }
                }
            }
        }
    }

    @Test func lengthsOfFiveOctetsEndTheConnection() {
        for first in UInt8.min ... .max {
            for version in [Version.v311, .v5] {
                var bench = bench(version)
                bench.receive([first, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F])
                #expect(bench.session.isEnded)
                check(&bench, 6, "\(first)")
            }
        }
    }

    @Test func eachFirstOctetWithEachShortBodyIsHandled() {
        for first in UInt8.min ... .max {
            for version in [Version.v311, .v5] {
                for isAccepted in [false, true] {
                    for body in [[], [0], [0, 0], [0, 1], [0, 2, 0], [0, 1, 0xFF], [0, 1, 0x74, 0, 1, 0]] as [[UInt8]] {
                        var bench = bench(version, isAccepted: isAccepted)
                        let octets = packet(first, body)
                        bench.receive(octets)
                        check(&bench, octets.count, "\(octets)")
                    }
                }
            }
        }
    }

    /// What happens does not depend on the reads.
    @Test func octetsMayArriveInAnyParts() {
        let stream = (Self.valid.dropFirst(2).flatMap { hexadecimal($0) })
        func run(_ parts: [[UInt8]]) -> ([MQTTEvent], [UInt8]) {
            var bench = bench(.v5)
            for part in parts { bench.receive(part) }
            return (bench.events(), bench.output())
        }
        let whole = run([stream])
        #expect(whole.0.count == 5)
        for position in 0...stream.count {
            let parts = run([Array(stream.prefix(position)), Array(stream.dropFirst(position))])
            #expect(parts.0 == whole.0 && parts.1 == whole.1, "\(position)")
        }
        let single = run(stream.map { [$0] })
        #expect(single.0 == whole.0 && single.1 == whole.1)
    }

    @Test func changedPacketsAndRandomOctetsEndInAnEvent() {
        var random = SeededRandom(seed: 11)
        for round in 0..<20_000 {
            var bench = bench(round % 2 == 0 ? .v5 : .v311, isAccepted: round % 3 != 0)
            var sent = 0
            for _ in 0..<4 {
                var octets: [UInt8]
                if random.next() % 4 == 0 {
                    octets = (0..<Int(random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                } else {
                    octets = hexadecimal(Self.valid[Int(random.next() % UInt64(Self.valid.count))])
                    for _ in 0..<Int(random.next() % 3) {
                        octets[Int(random.next() % UInt64(octets.count))] = UInt8(truncatingIfNeeded: random.next())
                    }
                }
                sent += octets.count
                bench.receive(octets)
            }
            check(&bench, sent, "round \(round)")
            bench.advance(.seconds(100))
            _ = bench.events()
            bench.advance(.seconds(100))
            #expect(bench.session.isEnded)
        }
    }

    /// A packet of the largest size, in small parts.
    @Test func aPacketWithoutEndHoldsNoMoreThanTheLimit() {
        for version in [Version.v311, .v5] {
            for first in [0x20, 0x30, 0x32, 0x40, 0x90, 0xB0, 0xD0, 0xE0] as [UInt8] {
                for length in [MQTTFixedHeader.remainingLimit, MQTTFixedHeader.remainingLimit + 1, 268_435_455] {
                    var bench = bench(version)
                    var header = packet(first, [])
                    header.removeLast()
                    var rest = length
                    repeat {
                        header.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
                        rest >>= 7
                    } while rest > 0
                    bench.receive(header + [0xFF, 0xFF])
                    let part = [UInt8](repeating: 0x61, count: 8192)
                    for _ in 0..<64 where !bench.session.isEnded {
                        bench.receive(part)
                        #expect(bench.session.keptOctets <= MQTTFixedHeader.remainingLimit + header.count)
                    }
                    // A whole message, and the packet after it that is none.
                    #expect(bench.events().count <= 2)
                }
            }
        }
    }

    /// A broker that takes no octets but wants acknowledgements.
    @Test func acknowledgementsThatDoNotLeaveStopTheReading() {
        var bench = SessionBench.accepted()
        let messages = (0..<1000).flatMap { _ in publish("t", [], flags: 2, identifier: 1) }
        var reads = 0
        while bench.session.wantsInput, reads < 10_000 {
            bench.receive(messages)
            _ = bench.events()
            reads += 1
        }
        #expect(reads == (MQTTSession.Limit.waitingOctets / 4000) + 1)
        #expect(bench.session.takeOutput().count <= MQTTSession.Limit.waitingOctets + 4000)
        #expect(bench.session.wantsInput)
    }
}
