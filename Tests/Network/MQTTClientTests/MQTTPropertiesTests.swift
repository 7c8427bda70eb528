import Testing

@testable import MQTTClient

/// Each property in each packet: known, unknown, doubled, truncated and in the wrong place (MQTT 5.0, 2.2.2.2).
@Suite struct MQTTPropertiesTests {
    /// The properties of table 2-4 with a value, and the packets of a broker that may have them.
    private static let properties: [(octets: String, packets: String)] = [
        ("01 01", "publish"), ("02 00 00 00 05", "publish"), ("03 00 01 61", "publish"), ("08 00 01 61", "publish"),
        ("09 00 01 FF", "publish"), ("0B 05", "publish"), ("11 00 00 00 05", "connack"), ("12 00 01 61", "connack"),
        ("13 00 05", "connack"), ("15 00 01 61", "connack"), ("16 00 01 FF", "connack"), ("17 01", ""),
        ("18 00 00 00 05", ""), ("19 01", ""), ("1A 00 01 61", "connack"), ("1C 00 01 61", "connack disconnect"),
        ("1F 00 01 61", "connack puback suback unsuback disconnect"), ("21 00 05", "connack"), ("22 00 05", "connack"),
        ("23 00 05", ""), ("24 00", "connack"), ("25 00", "connack"),
        ("26 00 01 61 00 01 62", "connack publish puback suback unsuback disconnect"), ("27 00 00 00 05", "connack"),
        ("28 01", "connack"), ("29 01", "connack"), ("2A 01", "connack"),
    ]

    /// The packets of a broker with properties: the octets before them, and those after them.
    private static let packets: [(name: String, first: UInt8, before: String, after: String)] = [
        ("connack", 0x20, "00 00", ""), ("publish", 0x30, "00 01 74", "FF"), ("puback", 0x40, "00 01 00", ""),
        ("suback", 0x90, "00 01", "01"), ("unsuback", 0xB0, "00 01", "00"), ("disconnect", 0xE0, "8B", ""),
    ]

    private static func properties(of packet: String) -> [String] {
        properties.filter { $0.packets.split(separator: " ").contains(Substring(packet)) }.map(\.octets)
    }

    private func violation(_ entry: (name: String, first: UInt8, before: String, after: String), _ list: [UInt8])
        -> MQTTProtocolError?
    {
        let body = hexadecimal(entry.before) + [UInt8(list.count)] + list + hexadecimal(entry.after)
        return violation(packet(entry.first, body))
    }

    private func violation(_ octets: [UInt8]) -> MQTTProtocolError? {
        do throws(MQTTProtocolError) {
            let header = try MQTTFixedHeader.decode(octets.span)
            guard let header else { throw MQTTProtocolError(.malformedPacket, "no header") }
            _ = try MQTTIncoming.decode(header, octets.span.extracting(droppingFirst: header.count), .v5)
            return nil
        } catch {
            return error
        }
    }

    @Test func eachPacketTakesItsPropertiesAlone() {
        for entry in Self.packets {
            #expect(violation(entry, []) == nil, "\(entry.name)")
            for (text, _) in Self.properties {
                let found = violation(entry, hexadecimal(text))
                let isAllowed = Self.properties(of: entry.name).contains(text)
                #expect((found == nil) == isAllowed, "\(text) in \(entry.name): \(String(describing: found))")
            }
        }
    }

    @Test func anUnknownPropertyIsNamed() {
        let known = Set(Self.properties.compactMap { hexadecimal($0.octets).first })
        for entry in Self.packets {
            for identifier in (0...0x7F as ClosedRange<UInt8>) where !known.contains(identifier) {
                let found = violation(entry, [identifier, 0])
                #expect(found?.code == .malformedPacket)
                #expect(found?.what == "\(entry.name.uppercased()) with an unknown property (\(identifier))")
            }
            // A variable byte integer of several octets.
            #expect(violation(entry, hexadecimal("80 01 00"))?.what.contains("unknown property (128)") == true)
            let long = violation(entry, hexadecimal("FF FF FF FF 7F"))
            #expect(long?.what == "\(entry.name.uppercased()) with a number of more than four octets")
        }
    }

    @Test func aDoubledPropertyIsAViolationUnlessItMayRepeat() {
        for entry in Self.packets {
            for text in Self.properties(of: entry.name) {
                let octets = hexadecimal(text)
                if octets.first == 0x26 || octets.first == 0x0B {
                    #expect(violation(entry, octets + octets) == nil)
                } else {
                    #expect(violation(entry, octets + octets)?.code == .protocolError, "\(text) in \(entry.name)")
                }
            }
        }
    }

    @Test func aTruncatedPropertyIsAViolation() {
        for entry in Self.packets {
            for text in Self.properties(of: entry.name) {
                let octets = hexadecimal(text)
                for count in 1..<octets.count {
                    #expect(violation(entry, Array(octets.prefix(count))) != nil, "\(count) of \(text)")
                }
            }
            // The properties are longer than the packet.
            #expect(violation(packet(entry.first, hexadecimal(entry.before) + [0x7F])) != nil)
            #expect(violation(packet(entry.first, hexadecimal(entry.before) + hexadecimal("FF FF FF 7F"))) != nil)
        }
    }

    @Test func aTextIsUTF8() {
        for entry in Self.packets {
            for text in Self.properties(of: entry.name) where text.hasSuffix(" 00 01 61") || text.hasPrefix("26") {
                let changed = text.replacing("61", with: "C0")
                #expect(violation(entry, hexadecimal(changed))?.code == .malformedPacket, "\(changed)")
                #expect(violation(entry, hexadecimal(text.replacing("61", with: "00"))) != nil)
            }
        }
        #expect(violation(Self.packets[0], hexadecimal("26 00 01 61 00 01 C0")) != nil)
    }

    @Test func aNumberHasUpToFourOctets() {
        let publish = Self.packets[1]
        for text in ["0B 7F", "0B 80 01", "0B FF 7F", "0B FF FF 7F", "0B FF FF FF 7F", "0B 80 80 80 01"] {
            #expect(violation(publish, hexadecimal(text)) == nil, "\(text)")
        }
        for text in ["0B 00", "0B FF FF FF FF 01", "0B 80 80 80 80 00"] {
            #expect(violation(publish, hexadecimal(text)) != nil, "\(text)")
        }
    }

    @Test func valuesOutsideOfTheirRangeAreViolations() {
        let connack = Self.packets[0]
        for text in ["21 00 00", "27 00 00 00 00", "24 02", "25 02", "28 02", "29 FF", "2A 02", "12 00 02 C0 80"] {
            #expect(violation(connack, hexadecimal(text)) != nil, "\(text)")
        }
        #expect(violation(connack, hexadecimal("13 00 00")) == nil)
    }
}
