import CoreBluetooth
import DeviceLink
import Foundation

extension LinkAskCommand {
    /// The requests that wait at the same time, as many as a device takes of one client.
    private static let ahead = 16

    private struct Answer: Sendable {
        let number: Int
        let way: String
        let result: Result<LinkValue, any Error>
    }

    /// Sends the requests of the standard input, and prints the results as they come.
    func askAll(_ link: DeviceConnection, _ used: LastTransport) async throws {
        let (answers, continuation) = AsyncStream.makeStream(of: Answer.self)
        // A semaphore that ends below its first value traps.
        let room = DispatchSemaphore(value: 0)
        for _ in 0..<Self.ahead { room.signal() }
        let limit = timeout
        Thread.detachNewThread {
            var count = 0
            while let line = readLine() {
                let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
                guard let operation = parts.first else { continue }
                count += 1
                let number = count
                room.wait()
                do {
                    let value = try LinkAskCommand.value(of: parts.count > 1 ? parts[1] : nil)
                    link.request(operation, value, limit: limit) { result in
                        continuation.yield(Answer(number: number, way: used.name ?? "", result: result.mapError { $0 }))
                        room.signal()
                    }
                } catch {
                    continuation.yield(Answer(number: number, way: "", result: .failure(error)))
                    room.signal()
                }
            }
            for _ in 0..<Self.ahead { room.wait() }
            continuation.finish()
        }
        var failures = 0
        var count = 0
        var first: ToolError?
        for await answer in answers {
            count += 1
            switch answer.result {
            case .success(let value):
                let record = LinkReplyRecord(number: answer.number, way: answer.way, result: value)
                try emit(options.client.json ? jsonLine(record, type: "link-reply") : value.json)
            case .failure(let error):
                guard let failure = failure(error) as? ToolError else { throw error }
                failures += 1
                first = first ?? failure
                try report(error, failure, answer.number)
            }
        }
        if let first { throw ToolError(first.kind, "\(failures) of \(count) requests failed.") }
    }

    private func report(_ error: any Error, _ failure: ToolError, _ number: Int) throws {
        let text = failure.lines.first ?? ""
        guard options.client.json else { return printError("\(number): \(text)") }
        var record = LinkFailureRecord(number: number, message: text)
        switch error {
        case DeviceRequestError.unanswered(let failure): record.stage = failure.stage.rawValue
        case DeviceRequestError.refused(let refusal): record.code = refusal.code
        default: break
        }
        try emit(jsonLine(record, type: "link-failure"))
    }
}

struct LinkFailureRecord: Encodable {
    let number: Int
    /// How far the request came; nil if the device refused it, or it is no request.
    var stage: String?
    var code: String?
    let message: String
}
