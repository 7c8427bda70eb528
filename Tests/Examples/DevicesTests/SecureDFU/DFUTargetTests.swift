import Crypto
import Devices
import Foundation
import TestConditions
import Testing

struct CRC32Tests {
    @Test func checkValueOfTheCRC() {
        #expect(CRC32(Array("123456789".utf8)).value == 0xCBF4_3926)
        #expect(CRC32([]).value == 0)
        var crc = CRC32(Array("1234".utf8))
        crc.update(Array("56789".utf8))
        #expect(crc.value == 0xCBF4_3926)
    }
}

/// A client that sends an update in the order of Nordic's libraries.
private final class Updater {
    var target: DFUTarget
    let firmware: [UInt8]
    let command: [UInt8]

    init(_ target: DFUTarget, _ firmware: [UInt8], version: UInt64 = 2, key: P256.Signing.PrivateKey? = nil) throws {
        self.target = target
        self.firmware = firmware
        command = try InitPacket.make(firmwareVersion: version, firmware: firmware, key: key)
    }

    func control(_ request: [UInt8]) -> [UInt8]? { target.control(request) }
    func packet(_ octets: [UInt8]) -> [UInt8]? { target.packet(octets) }

    func send(_ request: [UInt8]) throws -> [UInt8] {
        let response = target.control(request)
        return try #require(response)
    }

    func create(_ type: UInt8, _ size: Int) throws -> [UInt8] {
        try send([1, type] + UInt32(truncatingIfNeeded: size).littleEndianOctets)
    }

    func write(_ octets: some Collection<UInt8>, packetLength: Int = 244) {
        var rest = Array(octets)[...]
        while !rest.isEmpty {
            #expect(packet(Array(rest.prefix(packetLength))) == nil)
            rest = rest.dropFirst(packetLength)
        }
    }

    func sendCommand(_ command: [UInt8]) throws -> [UInt8] {
        #expect(try create(1, command.count) == [0x60, 1, 1])
        write(command)
        return try send([4])
    }

    func sendObject(at start: Int) throws -> [UInt8] {
        let end = min(start + DFUTarget.objectLimit, firmware.count)
        #expect(try create(2, end - start) == [0x60, 1, 1])
        write(firmware[start..<end])
        #expect(try send([3]) == [0x60, 3, 1] + checksum(end))
        return try send([4])
    }

    func sendAll() throws -> [UInt8] {
        #expect(try sendCommand(command) == [0x60, 4, 1])
        var response: [UInt8] = []
        for start in stride(from: 0, to: firmware.count, by: DFUTarget.objectLimit) {
            response = try sendObject(at: start)
        }
        return response
    }

    func checksum(_ end: Int) -> [UInt8] {
        UInt32(truncatingIfNeeded: end).littleEndianOctets + CRC32(firmware[..<end]).value.littleEndianOctets
    }
}

struct DFUTargetTests {
    private static let firmware = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    private let target = DFUTarget(.init(), installedVersion: 1)

    @Test func anUpdateInThreeObjects() throws {
        let updater = try Updater(target, Self.firmware)
        #expect(try updater.send([6, 1]) == [0x60, 6, 1, 0, 2, 0, 0] + [UInt8](repeating: 0, count: 8))
        #expect(try updater.send([6, 2]) == [0x60, 6, 1, 0, 0x10, 0, 0] + [UInt8](repeating: 0, count: 8))
        #expect(try updater.sendAll() == [0x60, 4, 1])
        #expect(updater.target.finished == .init(version: 2, octets: Self.firmware))
        #expect(updater.target.progress == .init(), "nothing is left for the next update")
    }

    @Test func receiptsComeAfterTheNumberOfPackets() throws {
        let updater = try Updater(target, Self.firmware)
        _ = try updater.sendCommand(updater.command)
        _ = try updater.create(2, 4096)
        #expect(try updater.send([2, 3, 0]) == [0x60, 2, 1])
        for end in stride(from: 20, through: 180, by: 20) {
            let receipt = updater.packet(Array(Self.firmware[(end - 20)..<end]))
            #expect(receipt == (end % 60 == 0 ? [0x60, 3, 1] + updater.checksum(end) : nil))
        }
        updater.target.disconnected()
        #expect(try updater.send([6, 2]).suffix(8) == updater.checksum(180)[...])
        #expect((0..<9).allSatisfy { _ in updater.packet([0]) == nil }, "another link has no receipts until it asks")
    }

    /// The link is lost in the second object; the progress comes from the flash memory.
    @Test func anUpdateGoesOnAfterALossOfTheLink() throws {
        let first = try Updater(target, Self.firmware)
        _ = try first.sendCommand(first.command)
        _ = try first.sendObject(at: 0)
        _ = try first.create(2, 4096)
        first.write(Self.firmware[4096..<5000])
        let second = try Updater(
            DFUTarget(.init(), installedVersion: 1, progress: first.target.progress), Self.firmware)
        let command = UInt32(second.command.count).littleEndianOctets + CRC32(second.command).value.littleEndianOctets
        #expect(try second.send([6, 1]).suffix(8) == command[...])
        #expect(try second.send([4]) == [0x60, 4, 1], "the init packet is executed again")
        #expect(try second.send([6, 2]).suffix(8) == second.checksum(5000)[...])
        second.write(Self.firmware[5000..<8192])
        #expect(try second.send([4]) == [0x60, 4, 1])
        #expect(try second.send([4]) == [0x60, 4, 1], "an executed object may be executed again")
        #expect(try second.sendObject(at: 8192) == [0x60, 4, 1])
        #expect(second.target.finished?.octets == Self.firmware)
    }

    /// The file of the flash memory was changed by hand.
    @Test(arguments: [
        #""executed": 9223372036854775807, "objectSize": 0"#, #""executed": -9223372036854775808, "objectSize": 0"#,
        #""executed": 1, "objectSize": 0"#, #""executed": 0, "objectSize": -1"#, #""executed": 0, "objectSize": 4097"#,
    ])
    func progressThatIsImpossibleCountsAsNone(fields: String) throws {
        let text = #"{"command": "", "commandSize": 5, "isCommandExecuted": true, "firmware": "", \#(fields)}"#
        let progress = try JSONDecoder().decode(DFUTarget.Progress.self, from: Data(text.utf8))
        #expect(progress != .init())
        let updater = try Updater(DFUTarget(.init(), installedVersion: 1, progress: progress), Self.firmware)
        #expect(updater.target.progress == .init())
        #expect(try updater.sendAll() == [0x60, 4, 1])
    }

    @Test func aDamagedObjectIsSentAgain() throws {
        let updater = try Updater(target, Self.firmware)
        _ = try updater.sendCommand(updater.command)
        _ = try updater.create(2, 4096)
        updater.write([UInt8](repeating: 9, count: 4096))
        #expect(try updater.send([3]) != [0x60, 3, 1] + updater.checksum(4096))
        #expect(try updater.sendObject(at: 0) == [0x60, 4, 1])
        #expect(try updater.send([3]) == [0x60, 3, 1] + updater.checksum(4096))
    }

    @Test func aFirmwareWithAnotherHashIsDropped() throws {
        let updater = try Updater(target, Self.firmware)
        _ = try updater.sendCommand(try InitPacket.make(firmwareVersion: 2, firmware: Self.firmware.reversed()))
        _ = try updater.sendObject(at: 0)
        _ = try updater.sendObject(at: 4096)
        #expect(try updater.sendObject(at: 8192) == [0x60, 4, 11, 12])
        #expect(updater.target.finished == nil)
        #expect(try updater.sendAll() == [0x60, 4, 1], "the next update works")
    }

    @Test func signaturesOfTheKeyAreRequired() throws {
        let key = try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 1, count: 32))
        let other = try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 2, count: 32))
        var rules = DFUTarget.Rules()
        rules.key = key.publicKey
        let locked = DFUTarget(rules, installedVersion: 1)
        let plain = try Updater(locked, Self.firmware)
        #expect(try plain.sendCommand(plain.command) == [0x60, 4, 11, 8])
        #expect(try plain.create(2, 4096) == [0x60, 1, 8], "no firmware without an init packet")
        #expect(plain.packet([1]) == nil, "a packet without a receipt has no answer")
        #expect(try plain.send([2, 2, 0]) == [0x60, 2, 1])
        #expect(plain.packet([1]) == nil)
        #expect(plain.packet([1]) == [0x60, 3, 8], "the receipt has the reason")
        let forged = try Updater(locked, Self.firmware, key: other)
        #expect(try forged.sendCommand(forged.command) == [0x60, 4, 5])
        let signed = try Updater(locked, Self.firmware, key: key)
        #expect(try signed.sendAll() == [0x60, 4, 1])
    }

    @Test func firmwareThatDoesNotFitTheDeviceIsRefused() throws {
        let updater = try Updater(DFUTarget(.init(), installedVersion: 5), Self.firmware, version: 4)
        #expect(try updater.sendCommand(updater.command) == [0x60, 4, 11, 5])
        let hardware = try InitPacket.make(firmwareVersion: 6, hardwareVersion: 51, firmware: Self.firmware)
        #expect(try updater.sendCommand(hardware) == [0x60, 4, 11, 6])
        let large = try InitPacket.make(
            firmwareVersion: 6, firmware: [UInt8](repeating: 0, count: DFUTarget.firmwareLimit + 1))
        #expect(try updater.sendCommand(large) == [0x60, 4, 4])
        #expect(try updater.send([6, 1]).suffix(8).allSatisfy { $0 == 0 }, "a refused init packet is forgotten")
        #expect(try updater.sendCommand([1, 2, 3]) == [0x60, 4, 5], "no init packet")
        let same = try InitPacket.make(firmwareVersion: 5, firmware: Self.firmware)
        #expect(try updater.sendCommand(same) == [0x60, 4, 1])
    }

    @Test func objectsOfAWrongSizeAreRefused() throws {
        let updater = try Updater(target, Self.firmware)
        #expect(try updater.create(1, 0) == [0x60, 1, 3])
        #expect(try updater.create(1, 513) == [0x60, 1, 4])
        #expect(try updater.create(1, 0xFFFF_FFFF) == [0x60, 1, 4])
        #expect(try updater.send([4]) == [0x60, 4, 8], "no init packet")
        _ = try updater.sendCommand(updater.command)
        #expect(try updater.create(2, 0) == [0x60, 1, 3])
        #expect(try updater.create(2, 100) == [0x60, 1, 3], "a part of a page in the middle")
        #expect(try updater.create(2, 5000) == [0x60, 1, 3])
        #expect(try updater.create(2, 8192) == [0x60, 1, 4])
        #expect(try updater.create(2, 12288) == [0x60, 1, 4])
        #expect(try updater.create(2, 4096) == [0x60, 1, 1])
        updater.write(Self.firmware[..<4000])
        #expect(try updater.send([4]) == [0x60, 4, 8], "the object is incomplete")
        #expect(updater.packet([UInt8](repeating: 0, count: 97)) == nil)
        #expect(try updater.send([3]) == [0x60, 3, 1] + updater.checksum(4000), "more than the object has is dropped")
        #expect(updater.packet(Array(Self.firmware[4000..<4096])) == nil)
        #expect(try updater.send([4]) == [0x60, 4, 1])
        #expect(try updater.sendObject(at: 4096) == [0x60, 4, 1])
        #expect(try updater.create(2, 4096) == [0x60, 1, 8], "more than the firmware has")
    }

    @Test func requestsThatAreCutOrUnknownAreRefused() throws {
        let updater = try Updater(target, Self.firmware)
        #expect(updater.control([]) == nil)
        #expect(try updater.send([1]) == [0x60, 1, 11, 2])
        #expect(try updater.send([1, 1, 0, 0]) == [0x60, 1, 11, 2])
        #expect(try updater.send([2, 0]) == [0x60, 2, 11, 2])
        #expect(try updater.send([6]) == [0x60, 6, 11, 2])
        #expect(try updater.send([6, 9]) == [0x60, 6, 5])
        #expect(try updater.send([0x55]) == [0x60, 0x55, 2])
        #expect(try updater.send([9, 7]) == [0x60, 9, 1, 7])
        #expect(!updater.target.isAborted)
        #expect(updater.control([12]) == nil)
        #expect(updater.target.isAborted)
    }

    @Test func everyCutOfAnInitPacketIsRefused() throws {
        let key = try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 1, count: 32))
        let packet = try InitPacket.make(firmwareVersion: 2, firmware: [1, 2, 3], key: key)
        #expect(InitPacket(packet)?.hash == Array(SHA256.hash(data: [1, 2, 3])))
        for length in 0..<packet.count { #expect(InitPacket(Array(packet[..<length])) == nil) }
        #expect(InitPacket([UInt8](repeating: 0xFF, count: 40)) == nil)
        var random = Seeded(3)
        for _ in 0..<2000 {
            var changed = packet
            changed[random.next(changed.count)] = UInt8(truncatingIfNeeded: random.next())
            _ = InitPacket(changed)
        }
    }
}
