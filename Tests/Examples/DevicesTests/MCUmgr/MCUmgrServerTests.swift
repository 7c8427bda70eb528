import Crypto
import Devices
import TestConditions
import Testing

/// A server, the sequence of its requests, and firmware for it.
private final class Bench {
    static let second = MCUbootImage.make(version: (2, 0, 1), program: (0..<3000).map { UInt8(truncatingIfNeeded: $0) })

    var server = MCUmgrServer(ImageSlots(running: MCUbootImage.make(version: (1, 0, 0), program: [1, 2, 3])))
    private var sequence: UInt8 = 0

    func send(
        _ operation: SMPPacket.Operation, _ group: UInt16, _ command: UInt8, _ content: [String: CBOR] = [:],
        version: UInt8 = 1
    ) throws -> CBOR {
        sequence &+= 1
        let request = SMPPacket(
            version: version, operation, group: group, command: command, sequence: sequence, .map(content))
        let answer = server.answer(request)
        let response = try #require(answer)
        #expect(response.sequence == sequence)
        #expect(response.group == group)
        #expect(response.command == command)
        #expect(response.operation == (operation == .read ? .readResponse : .writeResponse))
        return try CBOR.decode(response.payload)
    }

    func upload(_ image: [UInt8], from offset: Int = 0, chunk: Int = 500, hash: [UInt8]? = nil) throws -> CBOR {
        var content: [String: CBOR] = [
            "off": .unsigned(UInt64(offset)), "data": .bytes(Array(image[offset..<min(offset + chunk, image.count)])),
        ]
        if offset == 0 {
            content["len"] = .unsigned(UInt64(image.count))
            content["sha"] = .bytes(hash ?? Array(SHA256.hash(data: image)))
        }
        return try send(.write, 1, 1, content)
    }

    /// Uploads a whole image, and returns the last response.
    func uploadAll(_ image: [UInt8], hash: [UInt8]? = nil) throws -> CBOR {
        var response = try upload(image, hash: hash)
        var rounds = 0
        while let offset = response["off"]?.number, offset < UInt64(image.count), rounds < 10_000 {
            response = try upload(image, from: Int(offset))
            rounds += 1
        }
        return response
    }

    /// The flags of each slot that are set.
    func flags() throws -> [[String]] {
        let images = try #require(try send(.read, 1, 0)["images"]?.items)
        return images.map { image in
            ["active", "confirmed", "pending", "permanent"].filter { image[$0]?.truth == true }
        }
    }

    func code(_ content: CBOR) -> UInt64? { content["err"]?["rc"]?.number }
}

struct MCUmgrServerTests {
    private let bench = Bench()

    @Test func echoAndParameters() throws {
        #expect(try bench.send(.write, 0, 0, ["d": .text("héllo")])["r"]?.string == "héllo")
        let parameters = try bench.send(.read, 0, 6)
        #expect(parameters["buf_size"]?.number == 2475)
        #expect(parameters["buf_count"]?.number == 4)
    }

    @Test func aTestedImageThatNobodyConfirmsGoesAway() throws {
        let image = Bench.second
        #expect(try bench.uploadAll(image)["match"]?.truth == true)
        let hash = try #require(MCUbootImage(image)?.hash)
        #expect(try bench.flags() == [["active", "confirmed"], []])
        _ = try bench.send(.write, 1, 0, ["hash": .bytes(hash), "confirm": .boolean(false)])
        #expect(try bench.flags() == [["active", "confirmed"], ["pending"]])
        #expect(try bench.send(.write, 0, 5) == .map([:]))
        #expect(bench.server.wantsReset)
        bench.server.reset()
        #expect(bench.server.slots.running?.version == "2.0.1")
        #expect(try bench.flags() == [["active"], ["confirmed"]])
        bench.server.reset()
        #expect(bench.server.slots.running?.version == "1.0.0")
        #expect(try bench.flags() == [["active", "confirmed"], []])
    }

    @Test func aConfirmedImageStaysAndAnotherUpdateFollows() throws {
        _ = try bench.uploadAll(Bench.second)
        let hash = try #require(MCUbootImage(Bench.second)?.hash)
        _ = try bench.send(.write, 1, 0, ["hash": .bytes(hash), "confirm": .boolean(false)])
        bench.server.reset()
        // The predecessor must not be lost before the confirmation.
        let third = MCUbootImage.make(version: (3, 0, 0), program: [UInt8](repeating: 7, count: 1200))
        #expect(bench.code(try bench.upload(third)) == 9)
        #expect(bench.code(try bench.send(.write, 1, 5)) == 9)
        _ = try bench.send(.write, 1, 0, ["confirm": .boolean(true)])
        bench.server.reset()
        #expect(bench.server.slots.running?.version == "2.0.1")
        #expect(try bench.uploadAll(third)["match"]?.truth == true)
        _ = try bench.send(
            .write, 1, 0, ["hash": .bytes(try #require(MCUbootImage(third)?.hash)), "confirm": .boolean(true)])
        #expect(try bench.flags() == [["active", "confirmed"], ["pending", "permanent"]])
        bench.server.reset()
        bench.server.reset()
        #expect(bench.server.slots.running?.version == "3.0.0")
    }

    @Test func aLostOrRepeatedChunkIsAnsweredWithTheOffset() throws {
        let image = Bench.second
        #expect(try bench.upload(image)["off"]?.number == 500)
        #expect(try bench.upload(image, from: 1000)["off"]?.number == 500, "the chunk at 500 was lost")
        #expect(try bench.upload(image, from: 500)["off"]?.number == 1000)
        #expect(try bench.upload(image, from: 500)["off"]?.number == 1000, "the chunk at 500 comes again")
        #expect(bench.server.slots.secondary == Array(image[..<1000]))
    }

    @Test func anUploadGoesOnWhereItWasInterrupted() throws {
        let image = Bench.second
        _ = try bench.upload(image)
        _ = try bench.upload(image, from: 500)
        #expect(try bench.upload(image)["off"]?.number == 1000, "the same image")
        let other = MCUbootImage.make(version: (4, 0, 0), program: [UInt8](repeating: 1, count: 3000))
        #expect(try bench.upload(other)["off"]?.number == 500, "another image starts anew")
        #expect(try bench.uploadAll(image)["match"]?.truth == true)
        #expect(try bench.upload(image, from: 1000)["off"]?.number == 0, "nothing is under way")
        _ = try bench.upload(image)
        bench.server.reset()
        #expect(try bench.upload(image, from: 500)["off"]?.number == 0, "a reset forgets it")
        let content: [String: CBOR] = [
            "off": .unsigned(0), "len": .unsigned(UInt64(image.count)), "data": .bytes(Array(image[..<200])),
            "sha": .bytes([]),
        ]
        for _ in 0..<2 {
            #expect(try bench.send(.write, 1, 1, content)["off"]?.number == 200, "without a hash it starts anew")
        }
    }

    /// What was requested before a reset can be requested again, and nothing else.
    @Test func aRequestIsNotChangedBeforeTheReset() throws {
        _ = try bench.uploadAll(Bench.second)
        let (first, second) = (
            try #require(bench.server.slots.running?.hash), try #require(bench.server.slots.second?.hash)
        )
        func state(_ hash: [UInt8], _ isPermanent: Bool) throws -> UInt64? {
            bench.code(try bench.send(.write, 1, 0, ["hash": .bytes(hash), "confirm": .boolean(isPermanent)]))
        }
        #expect(try state(first, false) == 33, "the image that runs")
        #expect(try state(first, true) == nil, "it is confirmed already")
        #expect(try state(Array(second.dropLast()), true) == 24)
        #expect(try state([], false) == 24)
        for _ in 0..<2 { #expect(try state(second, false) == nil) }
        #expect(try state(second, true) == 28)
        #expect(try state(first, true) == 28)
        bench.server.reset()
        #expect(try state(first, false) == 28, "the first version is the second image now")
        #expect(try state(first, true) == nil, "it runs after the reset anyway")
        #expect(try bench.flags() == [["active"], ["confirmed"]])
        #expect(try state(second, true) == nil)
        for _ in 0..<2 { #expect(try state(first, true) == nil) }
        #expect(try state(first, false) == 28)
        #expect(try state(second, true) == 28)
        #expect(try bench.flags() == [["active", "confirmed"], ["pending", "permanent"]])
    }

    /// A device accepts it, as real ones do. The bootloader erases it.
    @Test func aDamagedImageDoesNotRun() throws {
        var image = Bench.second
        image[100] ^= 1
        #expect(try bench.uploadAll(image, hash: Array(SHA256.hash(data: Bench.second)))["match"]?.truth == false)
        #expect(try bench.flags() == [["active", "confirmed"], []])
        let hash = try #require(MCUbootImage(Bench.second)?.hash)
        _ = try bench.send(.write, 1, 0, ["hash": .bytes(hash), "confirm": .boolean(true)])
        #expect(try bench.flags() == [["active", "confirmed"], ["pending", "permanent"]])
        bench.server.reset()
        #expect(bench.server.slots.running?.version == "1.0.0")
        #expect(try bench.flags() == [["active", "confirmed"]])
    }

    @Test func firstChunksThatAreWrongAreRefused() throws {
        let image = Bench.second
        func first(_ changes: [String: CBOR?]) -> [String: CBOR] {
            var content: [String: CBOR] = [
                "off": .unsigned(0), "data": .bytes(Array(image[..<100])), "len": .unsigned(UInt64(image.count)),
            ]
            for (key, value) in changes { content[key] = value }
            return content
        }
        #expect(bench.code(try bench.send(.write, 1, 1, first(["len": nil]))) == 21)
        #expect(bench.code(try bench.send(.write, 1, 1, first(["len": .unsigned(0)]))) == 21)
        #expect(bench.code(try bench.send(.write, 1, 1, first(["len": .unsigned(.max)]))) == 30)
        #expect(
            bench.code(try bench.send(.write, 1, 1, first(["sha": .bytes([UInt8](repeating: 0, count: 33))]))) == 24)
        #expect(bench.code(try bench.send(.write, 1, 1, first(["data": .bytes([0x3D])]))) == 22)
        #expect(
            bench.code(try bench.send(.write, 1, 1, first(["data": .bytes([UInt8](repeating: 0, count: 32))]))) == 23)
        #expect(bench.code(try bench.send(.write, 1, 1, first(["len": .unsigned(50)]))) == 31)
        #expect(bench.code(try bench.send(.write, 1, 1, first(["image": .unsigned(1)]))) == 9)
        #expect(try bench.send(.write, 1, 1, first(["off": .text("0")]))["rc"]?.number == 3)
        #expect(try bench.send(.write, 1, 1, first([:]))["off"]?.number == 100)
    }

    /// The first version of the protocol has no groups of errors.
    @Test func theFirstVersionHasPlainCodes() throws {
        let unknown: [String: CBOR] = ["hash": .bytes([UInt8](repeating: 1, count: 32)), "confirm": .boolean(true)]
        #expect(try bench.send(.write, 1, 0, unknown, version: 0) == .map(["rc": .unsigned(1)]))
        #expect(try bench.send(.write, 1, 0, version: 0) == .map(["rc": .unsigned(3)]), "a test without a hash")
        #expect(
            try bench.send(.write, 1, 0, unknown) == .map(["err": .map(["group": .unsigned(1), "rc": .unsigned(8)])]))
        #expect(try bench.send(.read, 64, 0) == .map(["rc": .unsigned(8)]), "an unknown group")
        #expect(try bench.send(.read, 0, 6, version: 2) == .map(["rc": .unsigned(13)]), "a later version")
    }

    @Test func responsesAreNotAnsweredAndRubbishIsRefused() throws {
        let echo = bench.server.answer(SMPPacket(.writeResponse, group: 0, command: 0, sequence: 1, .map([:])))
        #expect(echo == nil)
        var request = SMPPacket(.write, group: 0, command: 0, sequence: 1, .map([:]))
        request.payload = [0xBF, 0x61]
        let answer = bench.server.answer(request)
        let response = try #require(answer)
        #expect(try CBOR.decode(response.payload) == .map(["rc": .unsigned(3)]))
    }
}

struct SMPReassemblyTests {
    private let packet = SMPPacket(.write, group: 0, command: 0, sequence: 9, .map(["d": .text("0123456789")]))

    @Test func aPacketMayTakeSeveralWritesAndAWriteSeveralPackets() {
        var reassembly = SMPReassembly(limit: 100)
        var outcomes = packet.octets.dropLast().flatMap { reassembly.receive([$0]) }
        #expect(outcomes.isEmpty)
        outcomes = reassembly.receive(packet.octets.suffix(1))
        #expect(outcomes == [.packet(packet)])
        outcomes = reassembly.receive(packet.octets + packet.octets + [1])
        #expect(outcomes == [.packet(packet), .packet(packet)])
    }

    @Test func aPacketThatIsTooLongIsSkipped() {
        var reassembly = SMPReassembly(limit: packet.octets.count)
        let long = SMPPacket(
            .write, group: 1, command: 1, sequence: 3, .map(["data": .bytes([UInt8](repeating: 0, count: 500))]))
        var outcomes: [SMPReassembly.Outcome] = []
        for start in stride(from: 0, to: long.octets.count, by: 20) {
            outcomes += reassembly.receive(long.octets[start..<min(start + 20, long.octets.count)])
        }
        var refused = long
        refused.payload = []
        #expect(outcomes == [.tooLong(refused)])
        let next = reassembly.receive(packet.octets)
        #expect(next == [.packet(packet)], "the next packet is read")
    }

    @Test func randomOctetsNeverTrap() {
        var random = Seeded(5)
        var reassembly = SMPReassembly(limit: MCUmgrServer.bufferSize)
        var server = MCUmgrServer(ImageSlots(running: []))
        var count = 0
        for _ in 0..<2000 {
            let octets = (0..<random.next(60)).map { _ in UInt8(truncatingIfNeeded: random.next()) & 0x1F }
            for outcome in reassembly.receive(octets) {
                count += 1
                if case .packet(let packet) = outcome { _ = server.answer(packet) }
            }
        }
        #expect(count > 0)
        #expect(server.slots.running == nil)
    }
}

struct MCUbootImageTests {
    @Test func everyCutAndEveryChangedOctetIsNoticed() throws {
        let image = MCUbootImage.make(version: (1, 2, 3), program: Array("program".utf8))
        let original = try #require(MCUbootImage(image))
        #expect(original.version == "1.2.3")
        #expect(original.isIntact(in: image))
        for length in 0..<image.count { #expect(MCUbootImage(Array(image[..<length])) == nil) }
        for index in image.indices where index != image.count - 35 {
            var changed = image
            changed[index] ^= 0xFF
            #expect(MCUbootImage(changed)?.isIntact(in: changed) != true, "octet \(index)")
        }
    }
}
