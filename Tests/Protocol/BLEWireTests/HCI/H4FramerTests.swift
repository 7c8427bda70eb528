import BLEWire
import Testing

@Suite struct H4FramerTests {
    private static let event = octets("04 0E 04 01 03 0C 00")
    private static let data = octets("02 40 20 07 00 03 00 04 00 0A 01 00")
    private static let report = octets("04 3E 0F 02 01 00 01 01 02 03 04 05 C6 03 02 01 06 C4")

    private func packets(_ framer: inout H4Framer, _ bytes: [UInt8]) -> [[UInt8]] {
        var result: [[UInt8]] = []
        framer.receive(bytes.span) { result.append([UInt8]($0)) }
        return result
    }

    @Test func oneReadContainsManyPackets() {
        var framer = H4Framer(reader: .host)
        let all = [Self.event, Self.data, Self.report, Self.event]
        #expect(packets(&framer, all.flatMap { $0 }) == all)
        #expect(framer.pendingOctets == 0 && framer.skippedOctets == 0)
    }

    @Test func packetsAreReassembledFromAnyFragments() {
        let all = [Self.event, Self.data, Self.report, Self.event, Self.data]
        let stream = all.flatMap { $0 }
        for size in 1...stream.count {
            var framer = H4Framer(reader: .host)
            var seen: [[UInt8]] = []
            for start in stride(from: 0, to: stream.count, by: size) {
                seen += packets(&framer, [UInt8](stream[start..<min(start + size, stream.count)]))
            }
            #expect(seen == all, "cut into \(size)")
            #expect(framer.skippedOctets == 0)
        }
    }

    @Test func aPacketIsDeliveredWithItsLastOctet() {
        var framer = H4Framer(reader: .host)
        #expect(packets(&framer, [UInt8](Self.event.dropLast())) == [])
        #expect(framer.pendingOctets == 6)
        #expect(packets(&framer, [0x00]) == [Self.event])
    }

    @Test func invalidOctetsAreSkippedAndCounted() {
        var framer = H4Framer(reader: .host)
        let seen = packets(&framer, octets("00 FF 55 AA") + Self.event + octets("77") + Self.data)
        #expect(seen == [Self.event, Self.data])
        #expect(framer.skippedOctets == 5)
    }

    @Test func aHostRejectsCommandsAndAControllerEvents() {
        var host = H4Framer(reader: .host)
        #expect(packets(&host, octets("01") + Self.event) == [Self.event])
        #expect(host.skippedOctets == 1)
        var controller = H4Framer(reader: .controller)
        let reset = octets("01 03 0C 00")
        #expect(packets(&controller, reset + octets("04") + reset) == [reset, reset])
        #expect(controller.skippedOctets == 1)
    }

    @Test func anExcessiveLengthIsInvalidAndAllocatesNothing() {
        var framer = H4Framer(reader: .host)
        #expect(packets(&framer, octets("02 40 20 FF FF") + Self.event + Self.event) == [Self.event, Self.event])
        #expect(framer.skippedOctets == 5 && framer.pendingOctets == 0)
        var random = SeededRandom(seed: 7)
        for _ in 0..<500 {
            let noise = (0..<Int.random(in: 0..<200, using: &random)).map { _ in UInt8.random(in: 0...5, using: &random)
            }
            _ = packets(&framer, noise)
            #expect(framer.pendingOctets <= 4096 + 5)
        }
    }

    @Test func framingRecoversAfterNoise() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<200 {
            var framer = H4Framer(reader: .host, maximumDataLength: 255)
            let noise = (0..<Int.random(in: 1..<100, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            var seen = packets(&framer, noise)
            for _ in 0..<100 { seen += packets(&framer, Self.event) }
            #expect(seen.suffix(30) == [[UInt8]](repeating: Self.event, count: 30)[...])
        }
    }

    @Test func packetsInSkippedOctetsAreFound() {
        // A data header whose length turns out hostile only when its last octet comes, with an event in it.
        var framer = H4Framer(reader: .host, maximumDataLength: 255)
        #expect(packets(&framer, octets("02 04 10 01")) == [])
        #expect(packets(&framer, octets("01")) == [octets("04 10 01 01")])
        #expect(framer.skippedOctets == 1 && framer.pendingOctets == 0)
        #expect(packets(&framer, Self.event) == [Self.event])
    }

    @Test func octetsAfterALongPauseStartANewPacket() {
        func read(_ pause: TimeSpan) -> [[UInt8]] {
            var framer = H4Framer(reader: .host)
            var result: [[UInt8]] = []
            // An octet of the header was lost, so that it says it is long; a whole event lies in what was kept.
            framer.receive((octets("02 40 F0 0E 01") + Self.event).span, at: .zero) { result.append([UInt8]($0)) }
            #expect(result.isEmpty)
            framer.receive(Self.event.span, at: .zero + pause) { result.append([UInt8]($0)) }
            return result
        }
        #expect(read(.milliseconds(900)) == [])
        #expect(read(.seconds(1)) == [Self.event, Self.event])
    }

    @Test func aSlowPacketIsDeliveredWhole() {
        var framer = H4Framer(reader: .host)
        var result: [[UInt8]] = []
        for (index, octet) in Self.report.enumerated() {
            framer.receive([octet].span, at: .zero + .milliseconds(900 * index)) { result.append([UInt8]($0)) }
        }
        #expect(result == [Self.report])
    }

    @Test func aNewStreamStartsWithoutOldOctets() {
        var framer = H4Framer(reader: .host)
        #expect(packets(&framer, octets("04 0E 04 01")) == [])
        framer.reset()
        #expect(packets(&framer, Self.event) == [Self.event])
    }

    /// After a lost octet, a known command is taken as it is, and an unknown one only if a packet may follow.
    @Test func aLostStreamTakesAKnownCommandAtOnce() {
        let reset = octets("01 03 0C 00")
        let vendor = octets("01 01 FC 01 AA")
        for (command, rest, isTaken) in [
            (reset, [0x77], true), (vendor, [0x77], false), (vendor, [0x01], true), (vendor, [], true),
        ] as [([UInt8], [UInt8], Bool)] {
            var framer = H4Framer(reader: .controller)
            // An octet that begins no packet, so that the framer has lost its place.
            let seen = packets(&framer, [0xFF] + command + rest)
            #expect((seen.first == command) == isTaken, "\(command), \(rest)")
            // Without a lost octet, both are taken.
            var other = H4Framer(reader: .controller)
            #expect(packets(&other, command + rest).first == command)
        }
    }

    /// The lengths that an event can have after a lost octet (Vol 4, Part E, 7.7).
    @Test func aLostStreamTakesEventsOfTheirLengths() {
        let lengths: [(UInt8, Set<Int>)] = [
            (0x05, [4]), (0x08, [4]), (0x0F, [4]), (0x0C, [8]), (0x0E, [3, 4, 5, 6, 7, 8, 9]), (0x10, [1]), (0x1A, [1]),
            (0x13, [1, 5, 9]), (0x30, [3]), (0x3E, [2, 3, 4, 5, 6, 7, 8, 9]), (0x57, [2]), (0x59, [5]), (0x60, []),
        ]
        for (code, accepted) in lengths {
            for length in 0...9 {
                var framer = H4Framer(reader: .host)
                // No octet of the parameters begins a packet.
                let event: [UInt8] = [4, code, UInt8(length)] + [UInt8](repeating: 0xFF, count: length)
                let seen = packets(&framer, [0xFF] + event)
                #expect(seen == (accepted.contains(length) ? [event] : []), "\(code), \(length)")
            }
        }
    }

    /// Boundary 3, broadcasts 2 and 3 and handles above 0x0EFF are reserved (Vol 4, Part E, 5.4.2), and data is never empty.
    @Test func aLostStreamTakesDataThatCanExist() {
        for (field, length, isTaken) in [
            (0x2040, 1, true), (0x0EFF, 1, true), (0x2F00, 1, false), (0x3040, 1, false), (0x8040, 1, false),
            (0xC040, 1, false), (0x6040, 1, true), (0x2040, 0, false),
        ] as [(UInt16, UInt8, Bool)] {
            var framer = H4Framer(reader: .host)
            let data =
                [2, UInt8(field & 0xFF), UInt8(field >> 8), length, 0] + [UInt8](repeating: 0xFF, count: Int(length))
            #expect(packets(&framer, [0xFF] + data) == (isTaken ? [data] : []), "\(field), \(length)")
        }
    }
}
