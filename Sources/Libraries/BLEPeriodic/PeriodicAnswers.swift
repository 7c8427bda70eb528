internal import BLEAdapter
import Foundation

/// The subevents that a scanner receives of its trains with responses, and the answers of the program.
final class PeriodicAnswers: Sendable {
    typealias Answering = @Sendable (PeriodicReport) -> PeriodicAnswer?
    typealias Answer = CheckedContinuation<Result<Void, PeriodicError>, Never>

    private struct Call {
        let answer: Answer
        let answering: Answering?
    }

    private struct Train {
        var answering: Answering?
        var refused = 0
        /// The calls without an answer of the session, which answers in their order.
        var calls: [Call] = []
    }

    /// By token.
    private let trains = Lock<[Int: Train]>([:])

    /// The answers of a train that were not sent.
    func refused(_ token: Int) -> Int { trains.withLock { $0[token]?.refused ?? 0 } }

    /// Receives subevents, and waits for the answer of the session.
    func choose(
        _ subevents: [UInt8], includesTransmitPower: Bool, token: Int, over session: (any PeriodicSession)?,
        _ answering: Answering?
    ) async throws(PeriodicError) {
        guard let session else { throw .cancelled }
        let result = await withCheckedContinuation { (answer: Answer) in
            let call = Call(answer: answer, answering: answering)
            trains.withLock { $0[token, default: Train()].calls.append(call) }
            session.chooseSubevents(subevents, includesTransmitPower: includesTransmitPower, token: token)
        }
        try result.get()
    }

    /// Takes the answer to the first call. A choice that is refused changes nothing.
    func chosen(_ failure: PeriodicFailure?, token: Int) {
        let call = trains.withLock { trains -> Call? in
            guard var train = trains[token], !train.calls.isEmpty else { return nil }
            let call = train.calls.removeFirst()
            if failure == nil { train.answering = call.answering }
            // A train that has ended leaves nothing.
            trains[token] = failure == .noTrain && train.calls.isEmpty ? nil : train
            return call
        }
        call?.answer.resume(returning: failure.map { .failure(PeriodicError($0)) } ?? .success(()))
    }

    /// Takes the end of a train.
    func remove(_ token: Int) {
        let train = trains.withLock { $0.removeValue(forKey: token) }
        for call in train?.calls ?? [] { call.answer.resume(returning: .failure(.cancelled)) }
    }

    func refuse(_ token: Int) { trains.withLock { $0[token]?.refused += 1 } }

    /// Answers a packet as the program says, which it must do before the slot.
    func answer(
        _ report: PeriodicReport, to packet: PeriodicPacket, token: Int, over session: (any PeriodicSession)?
    ) {
        guard let answering = trains.withLock({ $0[token]?.answering }), let answer = answering(report) else { return }
        guard let slot = UInt8(exactly: answer.slot),
            let subevent = UInt8(exactly: answer.subevent ?? Int(packet.subevent)), let session
        else { return refuse(token) }
        session.respond(to: packet, in: subevent, slot: slot, Array(answer.data), token: token)
    }
}
