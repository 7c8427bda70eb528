import TestConditions
import Testing

@testable import BLETransfer

struct MessageTests {
    // check-tests: trap: the arguments are constants or made by the test, and valid.
    static let offer = try! TransferOffer(name: "firmware.bin", size: 204_800, digest: Array(0..<32))
    static let messages: [TransferMessage] = [
        .offer(version: 1, offer), .accept(offset: 65_536, window: 131_072, digest: Array(1...32)), .restart,
        .acknowledge(offset: 0x0403_0201), .resend(offset: Int(UInt32.max)), .check(offset: 0), .end(.digestMismatch),
    ]

    @Test(arguments: messages) func aMessageDecodesToItself(_ message: TransferMessage) {
        #expect(TransferMessage(message.octets) == message)
        #expect(message.octets.count <= TransferMessage.longest)
    }

    @Test func theOctetsAreThoseOfTheDocument() {
        #expect(TransferMessage.acknowledge(offset: 0x0403_0201).frame == [5, 0, 4, 1, 2, 3, 4])
        #expect(TransferMessage.restart.frame == [1, 0, 3])
        #expect(TransferMessage.end(.noSpace).frame == [2, 0, 7, 6])
        #expect(TransferMessage.check(offset: 1).octets == [6, 1, 0, 0, 0])
        #expect(TransferMessage.resend(offset: 256).octets == [5, 0, 1, 0, 0])
        let accept = TransferMessage.accept(offset: 1, window: 2, digest: Array(repeating: 9, count: 32)).octets
        #expect(accept == [2, 1, 0, 0, 0, 2, 0, 0, 0] + Array(repeating: 9, count: 32))
        let offer = TransferMessage.offer(version: 1, Self.offer).octets
        #expect(offer == [1, 1, 0, 0x20, 3, 0] + Array(0..<32) + Array("firmware.bin".utf8))
    }

    @Test(arguments: messages) func everyOtherLengthIsRefused(_ message: TransferMessage) {
        let octets = message.octets
        for count in 0..<octets.count {
            // The name of an offer has any length from 1 on.
            if case .offer = message, count > 38 { continue }
            #expect(TransferMessage(octets[..<count]) == nil, "\(count) octets")
        }
        if case .offer = message { return }
        #expect(TransferMessage(octets + [0]) == nil)
    }

    @Test func invalidOffersAreRefused() {
        let head: [UInt8] = [1, 1, 0, 0, 0, 0] + Array(0..<32)
        #expect(TransferMessage(head) == nil, "no name")
        #expect(TransferMessage(head + [0xFF, 0xFE]) == nil, "no UTF-8")
        #expect(TransferMessage(head + Array(repeating: 65, count: 256)) == nil, "a name of 256 octets")
        #expect(TransferMessage(head + Array(repeating: 65, count: 255)) != nil)
        #expect(TransferMessage([0, 0]) == nil)
        #expect(TransferMessage([8, 0, 0, 0, 0]) == nil, "data is no message")
    }

    @Test func randomOctetsDecodeOrNot() {
        var random = Seeded(1)
        var decoded = 0
        for _ in 0..<20_000 {
            let octets = (0..<Int.random(in: 0...60, using: &random)).map { index in
                index == 0 ? UInt8.random(in: 0...9, using: &random) : UInt8.random(in: 0...255, using: &random)
            }
            if let message = TransferMessage(octets) {
                decoded += 1
                #expect(message.octets == octets)
            }
        }
        #expect(decoded > 20, "\(decoded)")
    }

    @Test func framesAreFoundWhateverThePieces() {
        let frames = Self.messages.map(\.frame)
        let stream = frames.flatMap { $0 }
        for seed in 0..<200 as Range<UInt64> {
            var random = Seeded(seed)
            var assembler = FrameAssembler(limit: TransferMessage.longest)
            var found: [TransferMessage?] = []
            var rest = stream[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...40, using: &random))
                rest = rest.dropFirst(piece.count)
                assembler.append(piece)
                while let frame = assembler.next() { found.append(TransferMessage(frame)) }
            }
            #expect(found == Self.messages)
        }
    }

    @Test func aFrameBeyondTheLimitBreaksTheStream() {
        var assembler = FrameAssembler(limit: 10)
        assembler.append([3, 0, 1, 2, 3, 11, 0])
        #expect(assembler.next() == [1, 2, 3])
        #expect(assembler.next() == nil)
        #expect(assembler.isBroken)
        assembler.append([1, 0, 7])
        #expect(assembler.next() == nil)
    }
}
