internal import BLEAdapter
import Foundation

/// The subevents that a scanner receives of its trains with responses, and the answers of the program.
final class PeriodicAnswers: Sendable {
    typealias Answering = @Sendable (PeriodicReport) -> PeriodicAnswer?
    typealias Answer = CheckedContinuation<Result<Void, PeriodicError>, Never>

    private struct Train {
        var answering: Answering?
        var refused = 0
        /// The calls without an answer of the session. One answer is for all.
        var waiting: [Answer] = []
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
            trains.withLock { trains in
                trains[token, default: Train()].answering = answering
                trains[token, default: Train()].waiting.append(answer)
            }
            session.chooseSubevents(subevents, includesTransmitPower: includesTransmitPower, token: token)
        }
        try result.get()
    }

    func chosen(_ failure: PeriodicFailure?, token: Int) {
        answer(token, failure.map { .failure(PeriodicError($0)) } ?? .success(()))
    }

    /// Takes the end of a train.
    func remove(_ token: Int) {
        answer(token, .failure(.cancelled))
        trains.withLock { $0[token] = nil }
    }

    private func answer(_ token: Int, _ result: Result<Void, PeriodicError>) {
        let waiting = trains.withLock { trains in
            defer { trains[token]?.waiting = [] }
            return trains[token]?.waiting ?? []
        }
        for answer in waiting { answer.resume(returning: result) }
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
