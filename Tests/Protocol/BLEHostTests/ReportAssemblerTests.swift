import BLEWire
import Testing

@testable import BLEHost

/// Joining the pieces of extended reports (Vol 4, Part E, 7.7.65.13).
struct ReportAssemblerTests {
    private struct Joined: Hashable {
        var octets: [UInt8]
        var isTruncated: Bool
    }

    private enum Status: UInt16 { case complete = 0x00, more = 0x20, truncated = 0x40, reserved = 0x60 }

    private final class Runner {
        var pieces = ReportAssembler()
        var now = Instant.zero

        func receive(
            _ status: Status, _ data: [UInt8], from address: UInt64 = 1, kind: UInt8 = 1, sid: UInt8 = 0,
            type: UInt16 = 0, secondary: UInt8 = 1
        ) -> Joined? {
            let report = HCI.ExtendedAdvertisingReport(
                eventType: .init(rawValue: type | status.rawValue),
                address: DeviceAddress(kind: .init(rawValue: kind), value: address), secondaryPHY: secondary,
                advertisingSID: sid, rssi: -40, data: data.span)
            return switch pieces.receive(report, at: now) {
            case .nothing: nil
            case .alone(let isTruncated): Joined(octets: data, isTruncated: isTruncated)
            case .joined(let isTruncated): Joined(octets: pieces.joined, isTruncated: isTruncated)
            }
        }
    }

    private let runner = Runner()

    private func piece(_ number: UInt8, _ count: Int = 229) -> [UInt8] { [UInt8](repeating: number, count: count) }

    @Test func aReportAloneIsWhole() {
        for _ in 0..<3 { #expect(runner.receive(.complete, [1, 2]) == Joined(octets: [1, 2], isTruncated: false)) }
        #expect(runner.receive(.complete, []) == Joined(octets: [], isTruncated: false))
        #expect(runner.receive(.truncated, [1]) == Joined(octets: [1], isTruncated: true))
        #expect(runner.receive(.reserved, [1]) == Joined(octets: [1], isTruncated: true))
    }

    /// 1,650 octets are the most (7.8.54), in eight pieces of 229 or 206 octets. The second round is like the first.
    @Test func piecesAreJoined() {
        for round in 0..<3 {
            var whole: [UInt8] = []
            for number in 0..<7 as Range<UInt8> {
                #expect(runner.receive(.more, piece(number)) == nil)
                whole += piece(number)
            }
            whole += piece(9, 47)
            #expect(
                runner.receive(.complete, piece(9, 47)) == Joined(octets: whole, isTruncated: false), "round \(round)")
            #expect(whole.count == 1650 && runner.pieces.count == 0)
        }
    }

    /// 1,651 octets are no advertisement. What is reported has at most 1,650, and is not whole.
    @Test func moreThanTheMaximumIsTruncated() {
        for last in [48, 229] {
            for number in 0..<7 as Range<UInt8> { #expect(runner.receive(.more, piece(number)) == nil) }
            let result = runner.receive(.complete, piece(9, last))
            #expect(result?.isTruncated == true && result?.octets.count == 1650)
        }
        #expect(runner.receive(.complete, [1]) == Joined(octets: [1], isTruncated: false))
    }

    @Test func moreToComeForEverTakesBoundedMemory() {
        for number in 0..<10_000 {
            #expect(runner.receive(.more, piece(UInt8(truncatingIfNeeded: number))) == nil)
        }
        #expect(runner.pieces.count == 1)
        let result = runner.receive(.complete, [1])
        #expect(result?.isTruncated == true && result?.octets.count == 1650)
    }

    @Test func aTruncatedEndIsTruncated() {
        for status in [Status.truncated, .reserved] {
            #expect(runner.receive(.more, piece(1)) == nil)
            #expect(runner.receive(status, piece(2, 3)) == Joined(octets: piece(1) + piece(2, 3), isTruncated: true))
        }
        #expect(runner.receive(.more, piece(1)) == nil)
        #expect(runner.receive(.complete, piece(2, 3)) == Joined(octets: piece(1) + piece(2, 3), isTruncated: false))
    }

    /// Pieces of others between, which differ in the address, its kind, the SID, or as scan responses.
    @Test func nothingOfTwoAdvertisementsIsJoined() {
        let others: [(UInt64, UInt8, UInt8, UInt16)] = [
            (1, 1, 0, 0), (2, 1, 0, 0), (1, 0, 0, 0), (1, 1, 1, 0), (1, 1, 0, 0x08), (1, 1, 0xFF, 0),
        ]
        for _ in 0..<2 {
            for part in 0..<3 as Range<UInt8> {
                for (number, other) in others.enumerated() {
                    let result = runner.receive(
                        part == 2 ? .complete : .more, [UInt8(number), part], from: other.0, kind: other.1,
                        sid: other.2, type: other.3)
                    let octets = (0...part).flatMap { [UInt8(number), $0] }
                    #expect(result == (part == 2 ? Joined(octets: octets, isTruncated: false) : nil))
                }
            }
        }
    }

    /// The end of the first advertisement is lost: its piece is not joined with the next advertisement as if that were the rest.
    @Test func theFirstPieceOfTheNextAdvertisementDiscardsTheOld() {
        #expect(runner.receive(.more, piece(1)) == nil)
        #expect(runner.receive(.more, piece(2)) == nil)
        // Again from its begin.
        #expect(runner.receive(.more, piece(1)) == nil)
        #expect(runner.receive(.more, piece(2)) == nil)
        #expect(
            runner.receive(.complete, [3]) == Joined(octets: piece(1) + piece(2) + [3], isTruncated: true),
            "perhaps not the begin")
        for _ in 0..<2 {
            #expect(runner.receive(.more, piece(1)) == nil)
            #expect(runner.receive(.complete, [3])?.isTruncated == false)
        }
        // With other properties it is another advertisement.
        for (type, secondary) in [(0x01, 1), (0, 2)] as [(UInt16, UInt8)] {
            #expect(runner.receive(.more, piece(1)) == nil)
            #expect(runner.receive(.more, piece(4), type: type, secondary: secondary) == nil)
            let result = runner.receive(.complete, [5], type: type, secondary: secondary)
            #expect(result == Joined(octets: piece(4) + [5], isTruncated: true))
        }
    }

    /// Pieces without octets say nothing about the begin of another advertisement.
    @Test func emptyPiecesAreJoined() {
        for _ in 0..<2 {
            for _ in 0..<3 { #expect(runner.receive(.more, []) == nil) }
            #expect(runner.receive(.more, [1]) == nil)
            #expect(runner.receive(.more, []) == nil)
            #expect(runner.receive(.complete, [2]) == Joined(octets: [1, 2], isTruncated: false))
        }
    }

    /// An AuxPtr points at most 2.46 s ahead (Vol 6, Part B, 2.3.4.5).
    @Test func aPieceThatComesTooLateBeginsAnew() {
        #expect(runner.receive(.more, [1]) == nil)
        runner.now += .milliseconds(2_460)
        #expect(runner.receive(.more, [2]) == nil)
        runner.now += .milliseconds(2_460)
        #expect(runner.receive(.complete, [3]) == Joined(octets: [1, 2, 3], isTruncated: false))
        #expect(runner.receive(.more, [1]) == nil)
        runner.now += .milliseconds(2_501)
        #expect(runner.receive(.complete, [3]) == Joined(octets: [3], isTruncated: true))
        #expect(runner.receive(.complete, [3]) == Joined(octets: [3], isTruncated: false))
    }

    /// 255 SIDs that never end. The rest of an advertisement that lost its place is never reported as whole.
    @Test func unfinishedAdvertisementsAreBounded() {
        for round in 0..<2 {
            for sid in 0...255 as ClosedRange<UInt8> {
                #expect(runner.receive(.more, [sid], sid: sid) == nil)
                #expect(runner.pieces.count <= ReportAssembler.maximumUnfinished)
            }
            for sid in 0...255 as ClosedRange<UInt8> {
                let result = runner.receive(.complete, [9], sid: sid)
                // Also those that found a place: they may be the rests of others.
                let isKnown = sid > 255 - UInt8(ReportAssembler.maximumUnfinished)
                #expect(result == Joined(octets: isKnown ? [sid, 9] : [9], isTruncated: true), "\(sid) round \(round)")
            }
            // A legacy packet has no rest.
            #expect(runner.receive(.complete, [9], sid: 0xFF, type: 0x10)?.isTruncated == false)
            runner.now += .milliseconds(2_501)
            #expect(runner.receive(.complete, [9]) == Joined(octets: [9], isTruncated: false))
        }
    }

    /// Advertisements whose end never came, seconds ago, take no place from a new one: nothing of them can come.
    @Test func deadAdvertisementsMakeNoOtherDoubtful() {
        for round in 0..<3 {
            for sid in 0..<UInt8(ReportAssembler.maximumUnfinished) {
                #expect(runner.receive(.more, [sid], from: UInt64(round) + 10, sid: sid) == nil)
            }
            runner.now += .milliseconds(2_501)
            for _ in 0..<3 {
                #expect(runner.receive(.more, [1], from: 1) == nil)
                #expect(runner.receive(.complete, [2], from: 2)?.isTruncated == false, "round \(round)")
                #expect(runner.receive(.complete, [2], from: 1)?.isTruncated == false)
            }
            runner.now += .milliseconds(2_501)
        }
    }

    /// A connectable advertisement is one packet, so it is not the rest of another.
    @Test func aConnectableAdvertisementIsNeverDoubtful() {
        for sid in 0...20 as ClosedRange<UInt8> { #expect(runner.receive(.more, [1], sid: sid) == nil) }
        #expect(runner.receive(.complete, [2], from: 2)?.isTruncated == true)
        #expect(runner.receive(.complete, [2], from: 3, type: 0x01)?.isTruncated == false)
    }

    /// Two devices may have sent the pieces.
    @Test func anonymousPiecesAreNotJoined() {
        for _ in 0..<2 {
            #expect(runner.receive(.more, [1], from: 0, kind: 0xFF) == nil)
            #expect(runner.receive(.truncated, [1], from: 0, kind: 0xFF) == nil)
            #expect(runner.pieces.count == 0)
        }
        #expect(runner.receive(.complete, [1], from: 0, kind: 0xFF) == Joined(octets: [1], isTruncated: false))
    }

    /// Whatever comes, whole advertisements have the pieces of one chain alone, in order.
    @Test func randomPiecesNeverMakeAWholeOfTwo() {
        var random = SeededRandom(seed: 7)
        var sent: [UInt64: UInt8] = [:]
        var wholes = 0
        for step in 0..<50_000 {
            let device = UInt64.random(in: 1...12, using: &random)
            runner.now += .microseconds(Int.random(in: 0...200_000, using: &random))
            // Each device sends the numbers 1, 2, 3, ... and the last one ends its chain. Some of them are lost.
            let number = (sent[device] ?? 0) + 1
            let isLast = number == 4
            sent[device] = isLast ? 0 : number
            if step % 97 == 0, number > 1 { continue }
            let result = runner.receive(isLast ? .complete : .more, [number, UInt8(device)], from: device)
            guard let result, !result.isTruncated else { continue }
            wholes += 1
            #expect(result.octets.count <= 8)
            #expect(stride(from: 1, to: result.octets.count, by: 2).allSatisfy { result.octets[$0] == UInt8(device) })
        }
        #expect(wholes > 100)
    }
}
