internal import BLEAdapter
import Foundation

/// The calls that tell devices of trains. The session answers each.
final class PeriodicTransferCalls: Sendable {
    typealias Answer = CheckedContinuation<Result<Void, PeriodicError>, Never>

    private struct Content {
        var lastToken = 0
        /// The calls without an answer, by token.
        var waiting: [Int: Answer] = [:]
    }

    private let content = Lock(Content())

    /// Tells a device of a train, and waits for the answer of the session.
    func transfer(
        _ source: PeriodicTransferSource, value: UInt16, to device: UUID, over session: (any PeriodicSession)?
    ) async throws(PeriodicError) {
        guard let session else { throw .cancelled }
        let result = await withCheckedContinuation { (answer: Answer) in
            let token = content.withLock { content in
                content.lastToken += 1
                content.waiting[content.lastToken] = answer
                return content.lastToken
            }
            session.transfer(source, serviceData: value, to: PeerIdentifier(device), token: token)
        }
        try result.get()
    }

    /// Ends the calls whose session is gone.
    func cancelAll() {
        let waiting = content.withLock { content in
            defer { content.waiting = [:] }
            return content.waiting.values
        }
        for answer in waiting { answer.resume(returning: .failure(.cancelled)) }
    }

    func end(_ failure: PeriodicFailure?, token: Int) {
        let answer = content.withLock { $0.waiting.removeValue(forKey: token) }
        answer?.resume(returning: failure.map { .failure(PeriodicError($0)) } ?? .success(()))
    }
}
