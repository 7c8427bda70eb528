import BLETransport
import BLECrypto
import BLEWire
import Testing

/// Recordings of an encrypted connection, with the packets of the sample (Vol 6, Part C, 1).
struct AirDecryptionTests {
    private static let key = LongTermKey(value: 0x4C68_3841_39F5_74D8_36BC_F34E_9DFB_01BF)
    private static let other = LongTermKey(value: 1)
    private static let accessAddress: UInt32 = 0x1234_5678
    private static let crcInit: UInt32 = 0x33_4455

    private static func octets(_ text: String) -> [UInt8] { text.split(separator: " ").map { UInt8($0, radix: 16)! } }

    /// CONNECT_IND, the encryption start, one data packet in each direction, and the retransmission of the first.
    private static let packets: [(direction: LinkLayerFrame.Direction, octets: [UInt8])] = [
        (
            .unspecified,
            octets(
                "C5 22 01 02 03 04 05 C6 11 12 13 14 15 D6 78 56 34 12 55 44 33 02 03 00 18 00 00 00 C8 00 FF FF FF FF 1F E9"
            )
        ),
        (
            .centralToPeripheral,
            octets("03 17 03 90 78 56 34 12 EF CD AB 74 24 13 02 F1 E0 DF CE BD AC 24 AB DC BA")
        ),
        (.peripheralToCentral, octets("07 0D 04 79 68 57 46 35 24 13 02 BE BA AF DE")),
        (.centralToPeripheral, octets("0D 00")),
        (.peripheralToCentral, octets("0B 01 05")),
        (.centralToPeripheral, octets("07 05 9F CD A7 F4 48")),
        (.peripheralToCentral, octets("07 05 A3 4C 13 A4 15")),
        (.centralToPeripheral, data),
        (.centralToPeripheral, data),
        (
            .peripheralToCentral,
            octets(
                "0E 1F F3 88 81 E7 BD 94 C9 C3 69 B9 A6 68 46 DD 47 86 AA 8C 39 CE 54 0D 0D AE 3A DC DF 89 B9 60 88")
        ),
    ]
    private static let data = octets(
        "0E 1F 7A 70 D6 64 15 22 6D F2 6B 17 83 9A 06 04 05 59 6B D6 56 4F 79 6B 5B 9C E6 FF 32 F7 5A 6D 33")

    private static let plain = [
        "07 01 06", "07 01 06",
        "0E 1B 17 00 63 64 65 66 67 68 69 6A 6B 6C 6D 6E 6F 70 71 31 32 33 34 35 36 37 38 39 30",
        "0E 1B 17 00 63 64 65 66 67 68 69 6A 6B 6C 6D 6E 6F 70 71 31 32 33 34 35 36 37 38 39 30",
        "0E 1B 17 00 37 36 35 34 33 32 31 30 41 42 43 44 45 46 47 48 49 4A 4B 4C 4D 4E 4F 50 51",
    ].map(octets)

    private static func recording(_ change: (inout [UInt8]) -> Void = { _ in }) -> [UInt8] {
        var writer = PcapngWriter()
        var output: [UInt8] = []
        writer.appendHeader(interface: "virtual radio", to: &output)
        for (number, packet) in packets.enumerated() {
            var octets = packet.octets
            if number >= 5 { change(&octets) }
            let isAdvertising = packet.direction == .unspecified
            let frame = LinkLayerFrame(
                channel: isAdvertising ? 37 : 9, phy: .oneM, signalPower: -60,
                accessAddress: isAdvertising ? LL.advertisingAccessAddress : accessAddress,
                crcInit: isAdvertising ? LL.advertisingCRCInit : crcInit, direction: packet.direction)
            writer.append(
                frame, pdu: octets.span, time: Int64(number), comment: number == 7 ? "missed by B" : "", to: &output)
        }
        return output
    }

    private static func contains(_ octets: [UInt8], in other: [UInt8]) -> Bool {
        guard octets.count <= other.count else { return false }
        return (0...other.count - octets.count).contains { other[$0..<$0 + octets.count].elementsEqual(octets) }
    }

    @Test func theKeyTurnsTheRecordingIntoPlaintext() throws {
        var decryption = AirDecryption(keys: [Self.other, Self.key], crypto: SwiftCryptoProvider())
        let recording = Self.recording()
        let result = try decryption.decrypt(recording)
        #expect(decryption.decryptedPackets == 5 && decryption.undecryptedPackets == 0)
        for pdu in Self.plain {
            // The CRC belongs to the new content.
            let crc = LL.crc(of: pdu.span, initial: Self.crcInit)
            #expect(Self.contains(pdu + [0, 8, 16].map { UInt8(truncatingIfNeeded: crc >> UInt32($0)) }, in: result))
            #expect(!Self.contains(pdu, in: recording) || pdu.count == 3)
        }
        #expect(Self.contains(Array("missed by B".utf8), in: result))
        // A second pass has nothing to do and changes nothing.
        var again = AirDecryption(keys: [], crypto: SwiftCryptoProvider())
        #expect(try again.decrypt(recording) == recording)
        #expect(again.undecryptedPackets == 5)
    }

    @Test func anotherKeyChangesNothing() throws {
        var decryption = AirDecryption(keys: [Self.other], crypto: SwiftCryptoProvider())
        let recording = Self.recording()
        #expect(try decryption.decrypt(recording) == recording)
        #expect(decryption.decryptedPackets == 0 && decryption.undecryptedPackets == 5)
    }

    @Test func aChangedPacketStaysEncrypted() throws {
        var decryption = AirDecryption(keys: [Self.key], crypto: SwiftCryptoProvider())
        let recording = Self.recording { $0[$0.count - 1] ^= 1 }
        #expect(try decryption.decrypt(recording) == recording)
        #expect(decryption.undecryptedPackets == 5)
    }

    /// No octets trap, and only complete recordings are read.
    @Test func brokenRecordingsAreRefused() throws {
        let recording = Self.recording()
        var refused = 0
        for count in 1..<recording.count {
            var decryption = AirDecryption(keys: [Self.key], crypto: SwiftCryptoProvider())
            do {
                _ = try decryption.decrypt(Array(recording[..<count]))
            } catch {
                refused += 1
            }
        }
        // Complete blocks form a recording.
        #expect(refused == recording.count - 1 - 11)
        var random = SeededRandom(seed: 3)
        for _ in 0..<2_000 {
            var octets = recording
            for _ in 0..<3 {
                octets[Int(random.next() % UInt64(octets.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            var decryption = AirDecryption(keys: [Self.key], crypto: SwiftCryptoProvider())
            _ = try? decryption.decrypt(octets)
        }
        var decryption = AirDecryption(keys: [], crypto: SwiftCryptoProvider())
        #expect(throws: AirDecryption.DecryptionError.notARecording) { try decryption.decrypt([1, 2, 3, 4]) }
    }
}
