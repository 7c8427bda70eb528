import BLEAdapter
import BLEHostAdapter
import BLESimulator
import CoreBluetooth
import Foundation
import Testing

/// Rows 149 to 156 of the table of behaviours, end to end on the virtual radio.
struct ChannelRowTests {
    @Test func row149_publishingReturnsADynamicPSM() async throws {
        let it = try await ChannelWorld()
        for _ in 0..<3 { it.peripheral.manager.publishL2CAPChannel(withEncryption: false) }
        try await it.wait("numbers") { it.peripheral.psms.value.count == 4 }
        let psms = it.peripheral.psms.value
        #expect(psms.allSatisfy { (0x0080...0x00FF).contains($0) })
        #expect(Set(psms).count == 4)
        #expect(it.peripheral.events.value == [String](repeating: "published well", count: 4))
    }

    @Test func row149_exhaustedPSMsAreAnErrorAndUnpublishingFreesThem() async throws {
        let it = try await ChannelWorld()
        for _ in 0..<128 { it.peripheral.manager.publishL2CAPChannel(withEncryption: false) }
        try await it.wait("answers") { it.peripheral.events.value.count == 129 }
        #expect(it.peripheral.events.value.last == "published 4")
        #expect(Set(it.peripheral.psms.value) == Set(0x80...0xFF))
        it.peripheral.manager.unpublishL2CAPChannel(0x90)
        it.peripheral.manager.publishL2CAPChannel(withEncryption: false)
        try await it.wait("the number") { it.peripheral.psms.value.count == 129 }
        #expect(it.peripheral.psms.value.last == 0x90)
    }

    @Test func row150_withEncryptionAnUnpairedClientIsRefused() async throws {
        let it = try await ChannelWorld()
        it.device.refusePairing()
        it.peripheral.manager.publishL2CAPChannel(withEncryption: true)
        try await it.wait("number") { it.peripheral.psms.value.count == 2 }
        it.central.peripheral?.openL2CAPChannel(it.peripheral.psms.value[1])
        try await it.wait("answer") { it.central.events.value.count == 1 }
        #expect(it.central.events.value == ["failed true CBATTErrorDomain 5"])
        #expect(it.peripheral.channels.value.isEmpty)
    }

    @Test func row150_withEncryptionAClientPairsFirst() async throws {
        let it = try await ChannelWorld()
        it.peripheral.manager.publishL2CAPChannel(withEncryption: true)
        try await it.wait("number") { it.peripheral.psms.value.count == 2 }
        it.central.peripheral?.openL2CAPChannel(it.peripheral.psms.value[1])
        try await it.wait("channel") { it.central.channels.value.count == 1 && it.peripheral.channels.value.count == 1 }
        #expect(it.device.adapter.openPairing(observer: SilentTool()).bonds.count == 1)
    }

    /// A refusal names no channel, so the order of the results is all that a program has.
    @Test func theResultsComeInTheOrderOfTheCalls() async throws {
        let it = try await ChannelWorld()
        it.peripheral.manager.publishL2CAPChannel(withEncryption: true)
        try await it.wait("number") { it.peripheral.psms.value.count == 2 }
        let (plain, encrypted) = (it.psm, it.peripheral.psms.value[1])
        for _ in 0..<2 {
            it.central.events { $0 = [] }
            // The second one needs a pairing in the first round; number 0 is refused without the peer, 200 by it.
            let numbers = [plain, encrypted, 0, plain, 200, 0, plain]
            for number in numbers { it.central.peripheral?.openL2CAPChannel(number) }
            try await it.wait("the results") { it.central.events.value.count == numbers.count }
            let expected = numbers.map { [plain, encrypted].contains($0) ? "opened true \($0)" : "failed true" }
            let found = it.central.events.value
            #expect(zip(found, expected).allSatisfy { $0.hasPrefix($1) }, "\(found)")
        }
    }

    /// The end of a link ends what waits, and the next link begins without it.
    @Test func theEndOfTheLinkEndsTheRequestsThatWait() async throws {
        let it = try await ChannelWorld()
        let peripheral = try #require(it.central.peripheral)
        for _ in 0..<3 { peripheral.openL2CAPChannel(it.psm) }
        it.central.manager.cancelPeripheralConnection(peripheral)
        try await it.wait("the end") { it.central.events.value.contains("disconnected") }
        it.central.manager.connect(peripheral)
        try await it.wait("the link") { it.central.isConnected.value }
        it.central.events { $0 = [] }
        peripheral.openL2CAPChannel(it.psm)
        try await it.wait("the channel") { !it.central.events.value.isEmpty }
        await it.world.run(for: .seconds(5))
        #expect(it.central.events.value == ["opened true \(it.psm)"])
    }

    @Test func row151_unpublishingClosesItsChannelsAndRefusesNewOnes() async throws {
        let it = try await ChannelWorld()
        it.peripheral.manager.publishL2CAPChannel(withEncryption: false)
        try await it.wait("number") { it.peripheral.psms.value.count == 2 }
        let (near, far) = try await it.openUsers()
        it.central.peripheral?.openL2CAPChannel(it.peripheral.psms.value[1])
        try await it.wait("other channel") { it.central.channels.value.count == 1 }
        let other = StreamUser(it.central.channels.value[0], on: it.central.queue)

        it.peripheral.manager.unpublishL2CAPChannel(it.psm)
        try await it.wait("end") { near.events.contains("in end") && far.events.contains("in end") }
        #expect(it.peripheral.events.value.contains("unpublished true well"))
        #expect(near.events.contains("out end"))
        #expect(other.events == ["in open", "out open"])
        it.central.peripheral?.openL2CAPChannel(it.psm)
        try await it.wait("refusal") { it.central.events.value.contains("failed true CBErrorDomain 1") }
        it.peripheral.manager.unpublishL2CAPChannel(it.psm)
        try await it.wait("answer") { it.peripheral.events.value.last == "unpublished true 1" }
    }

    @Test func row152_anUnknownPSMIsANilChannelAndAnError() async throws {
        let it = try await ChannelWorld()
        for psm in [0x00FF, 0x0100, 0x0000] as [CBL2CAPPSM] { it.central.peripheral?.openL2CAPChannel(psm) }
        try await it.wait("answers") { it.central.events.value.count == 3 }
        #expect(it.central.events.value == [String](repeating: "failed true CBErrorDomain 1", count: 3))
        _ = try await it.open()
        #expect(it.central.events.value.last == "opened true \(it.psm)")
    }

    @Test func row153_aClientsChannelIsDeliveredToThePeripheralManager() async throws {
        let it = try await ChannelWorld()
        let (_, far) = try await it.open()
        #expect(it.peripheral.events.value.last == "opened true true")
        #expect(far.psm == it.psm)
        #expect(far.inputStream.streamStatus == .notOpen)
        #expect(far.outputStream.streamStatus == .notOpen)
        #expect(far.inputStream.hasBytesAvailable == false)
        #expect(far.outputStream.hasSpaceAvailable == false)
    }

    @Test func row154_octetsArriveInBothDirections() async throws {
        let it = try await ChannelWorld()
        let (near, far) = try await it.openUsers()
        near.send(.pattern(10_000))
        far.send(.pattern(7_000, seed: 3))
        try await it.wait("octets") { near.received.count >= 7_000 && far.received.count >= 10_000 }
        #expect(far.received == .pattern(10_000))
        #expect(near.received == .pattern(7_000, seed: 3))
        #expect(near.events == ["in open", "out open"])
        #expect(far.events == ["in open", "out open"])
    }

    @Test func row154_aReleasedChannelIsClosed() async throws {
        let it = try await ChannelWorld()
        // Nobody keeps the central's end: the tuple with it is gone after this line.
        let user = StreamUser(try await it.open().peripheral, on: it.peripheral.queue)
        try await it.wait("end") { user.events.contains("in end") }
    }

    @Test func row155_thePSMInACharacteristicIsLittleEndian() async throws {
        // What a program does with it: two octets, the least significant first.
        let it = try await ChannelWorld()
        #expect(CBUUIDL2CAPPSMCharacteristicString == "ABDD3056-28FA-441D-A470-55A75A52553A")
        let value = withUnsafeBytes(of: it.psm.littleEndian) { Data($0) }
        #expect(value == Data([UInt8(it.psm), 0]))
        let psm = value.withUnsafeBytes { UInt16(littleEndian: $0.loadUnaligned(as: UInt16.self)) }
        it.central.peripheral?.openL2CAPChannel(psm)
        try await it.wait("channel") { it.central.channels.value.count == 1 }
    }

    @Test func row156_closingBothStreamsEndsTheChannelAtThePeer() async throws {
        for centralCloses in [true, false] {
            let it = try await ChannelWorld()
            let (near, far) = try await it.openUsers()
            let (closing, other) = centralCloses ? (near, far) : (far, near)
            closing.send(.pattern(20_000))
            try await it.wait("all written") { closing.state.value.toSend.isEmpty }
            // What was written still arrives.
            closing.close()
            try await it.wait("end") { other.events.contains("in end") }
            #expect(other.received == .pattern(20_000))
            #expect(other.events.contains("out end"))
            #expect(other.input.streamStatus == .atEnd)
            #expect(closing.input.streamStatus == .closed)
            #expect(!closing.events.contains("in end"))
            #expect(it.central.isConnected.value)
        }
    }

    @Test func row156_closingOneStreamKeepsTheChannelOpen() async throws {
        let it = try await ChannelWorld()
        let (near, far) = try await it.openUsers()
        near.input.close()
        far.send(.pattern(100_000))
        try await it.wait("all written") { far.state.value.toSend.isEmpty }
        near.send(.pattern(1_000))
        try await it.wait("octets") { far.received.count == 1_000 }
        #expect(!far.events.contains("in end"))
        near.output.close()
        try await it.wait("end") { far.events.contains("in end") }
    }

    @Test func row156_releasingTheChannelEndsItAtThePeer() async throws {
        let it = try await ChannelWorld()
        let (near, far) = try await it.openUsers()
        far.releaseChannel()
        try await it.wait("end") { near.events.contains("in end") }
        #expect(near.input.read(UnsafeMutablePointer<UInt8>.allocate(capacity: 1), maxLength: 1) == 0)
        #expect(near.output.write([1], maxLength: 1) == -1)
    }
}

/// An observer of pairings that needs no event.
final class SilentTool: PairingObserver {}
