import BLESimulator
import CoreBluetooth
import Crypto
import Foundation
import Testing

@testable import BLETransfer

/// What an earlier transfer left, and the second round of everything that a transfer counts.
@Suite(.timeLimit(.minutes(10))) final class PartialFileTests {
    private let folder = NSTemporaryDirectory() + "partial-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func offer(_ data: Data) throws -> TransferOffer {
        try TransferOffer(name: "f", size: data.count, digest: Array(SHA256.hash(data: data)))
    }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }

    /// A partial file that is longer than the file holds nothing of it: the transfer begins anew, each time.
    @Test(arguments: [1, 2, 1000, 100_000]) func aPartialFileBeyondTheOfferIsEmptied(excess: Int) throws {
        let data = pattern(1000)
        let offer = try offer(data)
        let store = TransferFolder(path: folder)
        for _ in 0..<2 {
            try store.open(offer).append(data.prefix(10))
            let partial = try #require(try names().first { $0.hasSuffix(".partial") })
            try pattern(1000 + excess, seed: 5).write(to: URL(filePath: "\(folder)/\(partial)"))
            let sink = try store.open(offer)
            #expect(sink.count == 0)
            var stored = Data()
            try sink.readStored { stored.append($0) }
            #expect(stored.isEmpty)
            try sink.append(data)
            try sink.commit()
            #expect(FileManager.default.contents(atPath: "\(folder)/f") == data)
            #expect(try names() == ["f"])
            try FileManager.default.removeItem(atPath: "\(folder)/f")
        }
    }

    /// Octets that are not the beginning of the file, fewer, as many and more than it has: the file arrives right, over each carrier.
    @Test(arguments: [1, 500, 999, 1000, 1001, 5000], [TransferCarrier.attributes, .channel])
    func otherOctetsOfAnEarlierTransferAreReplaced(count: Int, carrier: TransferCarrier) async throws {
        let data = pattern(1000)
        let bench = try TransferBench(TransferMemory(name: "f", data), carrier: carrier)
        bench.store.partial[try offer(data)] = pattern(count, seed: 6)
        await bench.runToTheEnd(.seconds(20))
        #expect(bench.centralLog.ends == [nil])
        #expect(bench.store.files == ["f": data])
    }

    /// The right beginning continues, and one octet that is wrong at any place does not.
    @Test(arguments: [0, 1, 499]) func oneWrongOctetOfAnEarlierTransferIsFound(place: Int) async throws {
        let data = pattern(1000)
        let bench = try TransferBench(TransferMemory(name: "f", data))
        var beginning = data.prefix(500)
        beginning[place] ^= 1
        bench.store.partial[try offer(data)] = beginning
        await bench.runToTheEnd(.seconds(20))
        #expect(bench.centralLog.ends == [nil])
        #expect(bench.store.files == ["f": data] && bench.store.appended == 1000)
    }

    @Test(arguments: [false, true]) func aFileIsOnTheDiskBeforeItsNameAndTheNameAfterIt(replaces: Bool) throws {
        let steps = Steps()
        let store = TransferFolder(
            path: folder, largestSize: 5000, replacesFiles: replaces, didCall: { steps.add($0) })
        for round in 1...2 {
            if !replaces { try? FileManager.default.removeItem(atPath: "\(folder)/f") }
            let data = pattern(1000, seed: UInt64(round))
            let sink = try store.open(try offer(data))
            try sink.append(data)
            #expect(steps.take().isEmpty)
            try sink.commit()
            #expect(steps.take() == [.synchronize, .name, .synchronizeFolder])
            #expect(FileManager.default.contents(atPath: "\(folder)/f") == data)
        }
    }

    private final class Steps: @unchecked Sendable {
        private let lock = NSLock()
        private var steps: [TransferFolder.Step] = []

        func add(_ step: TransferFolder.Step) { lock.withLock { steps.append(step) } }
        func take() -> [TransferFolder.Step] {
            lock.withLock {
                defer { steps = [] }
                return steps
            }
        }
    }

    /// Offsets of a file above each small counter.
    @Test func aFileOfMoreThanAMebibyteIsContinuedAtItsEnd() throws {
        let data = pattern((1 << 20) + 70_000)
        let store = TransferFolder(path: folder)
        var start = 0
        for length in [65_535, 65_537, 900_000, data.count] {
            let sink = try store.open(try offer(data))
            #expect(sink.count == start)
            let end = min(data.count, start + length)
            try sink.append(data[start..<end])
            start = end
            if end == data.count { try sink.commit() }
        }
        #expect(FileManager.default.contents(atPath: "\(folder)/f") == data)
    }

    // MARK: Machines

    /// A complete file begins the count of offers anew, so a link carries any number of files.
    @Test func aLinkCarriesAnyNumberOfFiles() {
        var machine = ReceiverMachine()
        for number in 0..<3 * ReceiverMachine.offerLimit {
            machine.receive(.offer(version: 1, ReceiverMachineTests.offer), at: .zero)
            machine.accept(received: 0, hash: SHA256())
            ReceiverMachineTests.take(&machine, 0..<1000)
            machine.committed()
            #expect(machine.events.last == .ended(nil), "file \(number)")
            machine.events = []
        }
    }

    /// The acknowledgements and the gaps of one transfer are none of the next.
    @Test func theNextTransferBeginsWithNothingOfTheLast() {
        var machine = ReceiverMachine(window: 800)
        for round in 0..<3 {
            machine.receive(.offer(version: 1, ReceiverMachineTests.offer), at: .zero)
            machine.accept(received: 0, hash: SHA256())
            machine.outgoing = []
            ReceiverMachineTests.take(&machine, 0..<90)
            #expect(machine.outgoing.isEmpty, "round \(round)")
            // A value is missing: asked for once, again in each transfer.
            ReceiverMachineTests.take(&machine, 200..<300)
            #expect(machine.outgoing == [.resend(offset: 90)], "round \(round)")
            ReceiverMachineTests.take(&machine, 90..<100)
            #expect(machine.outgoing.last == .acknowledge(offset: 100), "round \(round)")
            // Another gap after the first was filled.
            machine.outgoing = []
            ReceiverMachineTests.take(&machine, 400..<500)
            #expect(machine.outgoing == [.resend(offset: 100)], "round \(round)")
            machine.linkClosed()
            machine.events = []
        }
    }

    /// A sender that comes back has its repetitions and its checks again.
    @Test func aSenderThatConnectsAgainBeginsItsCountsAnew() {
        var machine = SenderMachine(SenderMachineTests.offer, at: .zero)
        for round in 0..<3 {
            machine.linkOpened(at: .zero)
            machine.receive(.accept(offset: 0, window: 2000, digest: SenderMachineTests.prefix), at: .zero)
            while let piece = machine.nextPiece(limit: 1000) { machine.sent(piece, at: .zero) }
            #expect(machine.deadline == .seconds(2), "round \(round)")
            for _ in 0..<SenderMachine.repetitionLimit { machine.receive(.resend(offset: 0), at: .zero) }
            #expect(!machine.isEnded, "round \(round)")
            machine.handleTimeout(at: .seconds(2))
            machine.linkClosed(at: .zero)
        }
        // Octets that this link has not carried are not acknowledged.
        machine.linkOpened(at: .zero)
        machine.receive(.accept(offset: 0, window: 100, digest: SenderMachineTests.prefix), at: .zero)
        if let piece = machine.nextPiece(limit: 50) { machine.sent(piece, at: .zero) }
        machine.receive(.acknowledge(offset: 51), at: .zero)
        #expect(machine.isEnded)
    }

    @Test func progressBeginsTheRepetitionsAnew() {
        var machine = SenderMachine(SenderMachineTests.offer, at: .zero)
        machine.linkOpened(at: .zero)
        machine.receive(.accept(offset: 0, window: 2000, digest: SenderMachineTests.prefix), at: .zero)
        while let piece = machine.nextPiece(limit: 1000) { machine.sent(piece, at: .zero) }
        for offset in 1...5 {
            for _ in 0..<SenderMachine.repetitionLimit { machine.receive(.resend(offset: offset), at: .zero) }
            #expect(!machine.isEnded, "offset \(offset)")
            while let piece = machine.nextPiece(limit: 1000) { machine.sent(piece, at: .zero) }
        }
        // A check that was answered is over.
        machine.handleTimeout(at: .seconds(2))
        machine.receive(.acknowledge(offset: 10), at: .seconds(3))
        #expect(machine.deadline == .seconds(5))
    }

    /// The window moves with the acknowledgements for the whole file.
    @Test func theWindowMovesBeyondTheFirstOne() {
        var machine = SenderMachine(SenderMachineTests.offer, at: .zero)
        machine.linkOpened(at: .zero)
        machine.receive(.accept(offset: 0, window: 100, digest: SenderMachineTests.prefix), at: .zero)
        var sent = 0
        for _ in 0..<20 {
            while let piece = machine.nextPiece(limit: 50) {
                machine.sent(piece, at: .zero)
                sent = piece.upperBound
            }
            machine.receive(.acknowledge(offset: sent), at: .zero)
        }
        #expect(sent == 1000)
    }
}
