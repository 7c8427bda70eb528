import Crypto
import Foundation
import TestConditions
import Testing

@testable import BLETransfer

/// A sender and a receiver with a bad link between them, by seed.
private struct Pair {
    var random: Seeded
    let file: Data
    let offer: TransferOffer
    var sender: SenderMachine
    var receiver: ReceiverMachine
    var stored = Data()
    var committed: Data?
    var now = Duration.zero
    var toReceiver: [TransferMessage] = []
    var toSender: [TransferMessage] = []
    var data: [Range<Int>] = []
    var senderEnd: TransferError??
    var receiverEnd: TransferError??
    var cuts = 0
    let pieceLimit: Int
    let queueLimit: Int

    init(_ seed: UInt64) {
        random = Seeded(seed)
        file = pattern(Int.random(in: 0...6000, using: &random), seed: seed)
        // check-tests: trap: the arguments are constants or made by the test, and valid.
        offer = try! TransferOffer(name: "f", size: file.count, digest: Array(SHA256.hash(data: file)))
        sender = SenderMachine(offer, at: .zero)
        receiver = ReceiverMachine(window: Int.random(in: 1...3000, using: &random))
        pieceLimit = Int.random(in: 1...500, using: &random)
        queueLimit = Int.random(in: 1...40, using: &random)
    }

    mutating func deliver() {
        while true {
            let (sent, received) = (sender.events, receiver.events)
            sender.events = []
            receiver.events = []
            toReceiver += sender.outgoing
            toSender += receiver.outgoing
            sender.outgoing = []
            receiver.outgoing = []
            if sent.isEmpty, received.isEmpty { return }
            for event in sent {
                switch event {
                case .checkPrefix(let count, let digest):
                    sender.prefixChecked(isEqual: Array(SHA256.hash(data: file.prefix(count))) == digest, at: now)
                case .ended(let error): senderEnd = .some(error)
                default: break
                }
            }
            for event in received {
                switch event {
                case .offered:
                    // The receiver may have lost the end of its partial file, or have another file's octets.
                    if chance(10) { stored = stored.prefix(stored.count / 2) }
                    if chance(5), !stored.isEmpty { stored[stored.startIndex] ^= 1 }
                    receiver.accept(received: stored.count, hash: hash(stored))
                case .discard:
                    stored = Data()
                    receiver.restarted()
                case .commit:
                    committed = stored
                    receiver.committed()
                case .ended(let error): receiverEnd = .some(error)
                default: break
                }
            }
        }
    }

    private func hash(_ data: Data) -> SHA256 {
        var hash = SHA256()
        hash.update(data: data)
        return hash
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func cut() {
        cuts += 1
        toReceiver = []
        toSender = []
        data = []
        sender.linkClosed(at: now)
        receiver.linkClosed()
        deliver()
        sender.linkOpened(at: now)
        deliver()
    }

    /// One step: something moves, or time passes.
    mutating func step() {
        deliver()
        var hasMoved = false
        if chance(50), !toReceiver.isEmpty {
            receiver.receive(toReceiver.removeFirst(), at: now)
            hasMoved = true
        }
        if chance(50), !toSender.isEmpty {
            sender.receive(toSender.removeFirst(), at: now)
            hasMoved = true
        }
        if data.count < queueLimit, let piece = sender.nextPiece(limit: pieceLimit) {
            sender.sent(piece, at: now)
            hasMoved = true
            if !chance(8) { data.append(piece) }
            if chance(3), let last = data.last { data.append(last) }
            if chance(5), data.count > 1 { data.swapAt(data.count - 1, data.count - 2) }
        }
        if chance(70), !data.isEmpty {
            let piece = data.removeFirst()
            hasMoved = true
            if let wanted = receiver.receiveData(at: piece.lowerBound, count: piece.count, at: now) {
                let octets = file[piece.lowerBound + wanted.lowerBound..<piece.lowerBound + wanted.upperBound]
                stored.append(octets)
                receiver.stored(octets)
            }
        }
        if chance(1), cuts < 20, senderEnd == nil { cut() }
        if !hasMoved, toReceiver.isEmpty, toSender.isEmpty, data.isEmpty {
            let next = [sender.deadline, receiver.deadline].compactMap { $0 }.min()
            now = max(now + .milliseconds(1), next ?? now)
            sender.handleTimeout(at: now)
            receiver.handleTimeout(at: now)
        } else {
            now += .milliseconds(1)
        }
        deliver()
    }
}

struct MachinePairTests {
    /// Values are lost, repeated and reordered; links are cut; the receiver's partial file loses its end or is another's.
    @Test func theWholeFileArrivesWhateverTheLinkDoes() {
        var cuts = 0
        for seed in 0..<400 as Range<UInt64> {
            var pair = Pair(seed)
            pair.sender.linkOpened(at: .zero)
            var steps = 0
            while pair.senderEnd == nil, steps < 400_000 {
                pair.step()
                steps += 1
            }
            cuts += pair.cuts
            #expect(pair.senderEnd == .some(nil), "seed \(seed) after \(steps) steps: \(pair.sender.state)")
            #expect(pair.committed == pair.file, "seed \(seed)")
        }
        #expect(cuts > 500)
    }

    /// Neither machine traps, and no call of a hostile peer makes it keep or send more than a few messages.
    @Test func hostileMessagesDoNoHarm() {
        for seed in 0..<500 as Range<UInt64> {
            var pair = Pair(seed)
            pair.sender.linkOpened(at: .zero)
            func offset(_ random: inout Seeded) -> Int {
                Bool.random(using: &random)
                    ? Int(UInt32.random(in: 0...UInt32.max, using: &random)) : Int.random(in: 0...6000, using: &random)
            }
            for _ in 0..<300 {
                let message: TransferMessage =
                    switch Int.random(in: 0..<7, using: &pair.random) {
                    case 0: .offer(version: UInt8.random(in: 0...2, using: &pair.random), pair.offer)
                    case 1:
                        .accept(
                            offset: offset(&pair.random), window: offset(&pair.random),
                            digest: Array(repeating: 0, count: 32))
                    case 2: .restart
                    case 3: .acknowledge(offset: offset(&pair.random))
                    case 4: .resend(offset: offset(&pair.random))
                    case 5: .check(offset: offset(&pair.random))
                    default: .end(TransferReason(rawValue: UInt8.random(in: 0...20, using: &pair.random)))
                    }
                if Bool.random(using: &pair.random) {
                    pair.sender.receive(message, at: pair.now)
                } else {
                    pair.receiver.receive(message, at: pair.now)
                }
                let (start, count) = (offset(&pair.random), Int.random(in: 0...600, using: &pair.random))
                if let wanted = pair.receiver.receiveData(at: start, count: count, at: pair.now) {
                    pair.stored.append(Data(count: wanted.count))
                    pair.receiver.stored(Data(count: wanted.count))
                }
                #expect(pair.sender.outgoing.count <= 2 && pair.receiver.outgoing.count <= 3)
                pair.deliver()
                pair.toReceiver = []
                pair.toSender = []
                if pair.sender.isEnded {
                    pair.sender = SenderMachine(pair.offer, at: pair.now)
                    pair.sender.linkOpened(at: pair.now)
                }
                if let piece = pair.sender.nextPiece(limit: 100) { pair.sender.sent(piece, at: pair.now) }
                #expect(pair.stored.count <= pair.file.count)
                pair.now += .milliseconds(100)
            }
        }
    }
}
