import BLEAdapter
import BLEPacketDecoding
import BLESimulator
import CoreBluetooth
import Testing

/// Packets of a world, decoded. The tests use only the public API.
struct PacketDecoderTests {
    @Test func advertisementsHaveNamesTextsAndFields() async throws {
        let recording = Recording()
        let world = World(seed: 3)
        world.observePackets { recording.add($0) }
        let beacon = try world.addAdvertiser(
            "beacon", RawAdvertisement(.scannable, structures: [.flags(), .localName("Bulb")]))
        await world.run(for: .milliseconds(500))
        let packet = try #require(recording.packets.first)
        #expect(packet.sender == beacon.number)
        var decoder = PacketDecoder()
        let decoded = decoder.decode(packet)
        #expect(decoded.layer == .advertising && decoded.name == "ADV_SCAN_IND")
        #expect(decoded.link == nil && decoded.sender == nil && !decoded.isEncrypted)
        let sections = decoder.sections(of: decoded)
        #expect(sections.map(\.kind) == [.packet])
        #expect(sections[0].octets == packet.octets)
        let name = try #require(sections[0].fields.flatMap(\.leaves).first { $0.value.contains("Bulb") })
        #expect(Array(packet.octets[name.octets]) == Array("Bulb".utf8))
        #expect(decoder.decode(recording.packets[1]).conversation == decoded.conversation)
    }

    @Test func anEncryptedReadIsReadableWithItsPlaintextOnly() async throws {
        let scene = try await ProtectedRead.run()
        #expect(scene.link.isEncrypted)
        var decoder = PacketDecoder()
        let decoded = scene.packets.map { decoder.decode($0) }
        let names = decoded.map(\.name)
        for name in ["ADV_IND", "CONNECT_IND", "LL_ENC_REQ", "ATT_READ_REQ", "ATT_READ_RSP"] {
            #expect(names.contains(name), "\(name) is missing")
        }
        #expect(decoded.contains { $0.layer == .smp })
        let connection = try #require(decoded.last { $0.link != nil })
        #expect(connection.link == scene.link.accessAddress)
        // The value that the peripheral sent on the encrypted link.
        let index = try #require(decoded.lastIndex { $0.name == "ATT_READ_RSP" })
        let answer = decoded[index]
        #expect(answer.isEncrypted && answer.layer == .att && answer.sender == .peripheral)
        let section = try #require(decoder.sections(of: answer).first)
        let value = try #require(
            section.fields.flatMap(\.leaves).first { $0.octets.count == 2 && $0.value.contains("21.5") })
        #expect(Array(section.octets[value.octets]) == [0x66, 0x08])
        // The octets on the air differ from the plaintext: header, ciphertext and a MIC of 4 octets (Vol 6, Part B, 2.4).
        let packet = scene.packets[index]
        let plaintext = try #require(packet.plaintext)
        #expect(packet.octets.count == 2 + plaintext.count + 4)
        #expect(Array(packet.octets[2..<2 + plaintext.count]) != plaintext)

        var blind = PacketDecoder()
        let hidden = scene.packets.map { packet in
            var packet = packet
            packet.plaintext = nil
            return blind.decode(packet)
        }
        #expect(hidden[index].isEncrypted && hidden[index].layer == .data)
        #expect(!hidden.contains { $0.isEncrypted && $0.layer == .att })
    }

    @Test func noPacketContainsAKeyOfAPairing() async throws {
        let scene = try await ProtectedRead.run()
        // Identity Information on the channel of the Security Manager (Vol 3, Part H, 3.6.4).
        let keys = scene.packets.compactMap(\.plaintext).filter { $0.count == 21 && $0[2] == 0x06 && $0[4] == 0x08 }
        #expect(!keys.isEmpty)
        for key in keys { #expect(key[5...].allSatisfy { $0 == 0 }) }
    }

    @Test func packetsOfAnUnknownLinkAreDecodedWithoutRoles() {
        var decoder = PacketDecoder()
        // An ATT_EXCHANGE_MTU_REQ for 247 octets.
        let packet = RadioPacket(
            start: .zero, channel: 5, accessAddress: 0x5065_5C3A, octets: [0x02, 7, 3, 0, 4, 0, 0x02, 247, 0])
        let decoded = decoder.decode(packet)
        #expect(decoded.name == "ATT_EXCHANGE_MTU_REQ" && decoded.layer == .att)
        #expect(decoded.link == 0x5065_5C3A && decoded.sender == nil)
        #expect(decoded.text.contains("247"))
    }

    @Test func malformedPacketsAreDecodedUpToTheFault() {
        var decoder = PacketDecoder()
        var generator = Octets(state: 7)
        for round in 0..<4000 {
            let count = Int(generator.next() % 40)
            let octets = (0..<count).map { _ in generator.next() }
            let packet = RadioPacket(
                start: round.isMultiple(of: 5) ? .seconds(Int64.max) : .milliseconds(round), airTime: .seconds(-1),
                channel: round.isMultiple(of: 7) ? -1 : 4000, phy: .coded,
                accessAddress: round.isMultiple(of: 2) ? 0x8E89_BED6 : UInt32(round % 9), octets: octets,
                plaintext: round.isMultiple(of: 3) ? octets.reversed() : nil,
                sender: round.isMultiple(of: 11) ? .max : round,
                receptions: [.init(receiver: .min, rssi: .max, outcome: .received)])
            let decoded = decoder.decode(packet)
            #expect(!decoded.name.isEmpty)
            for section in decoder.sections(of: decoded) {
                for field in section.fields.flatMap(\.leaves) {
                    #expect(0 <= field.octets.lowerBound && field.octets.upperBound <= section.octets.count)
                }
            }
        }
    }
}

/// Octets from a seed.
private struct Octets {
    var state: UInt32

    mutating func next() -> UInt8 {
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
    }
}

extension DecodedPacket.Field {
    /// The fields without children in this field.
    var leaves: [DecodedPacket.Field] { children.isEmpty ? [self] : children.flatMap(\.leaves) }
}

final class Recording: Sendable {
    private let kept = Lock<[RadioPacket]>([])
    func add(_ packet: RadioPacket) { kept.withLock { $0.append(packet) } }
    var packets: [RadioPacket] { kept.withLock { $0 } }
}
