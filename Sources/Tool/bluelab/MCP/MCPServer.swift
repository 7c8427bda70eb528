import Foundation

/// Runs the calls of a client, one after another, on one session. Pings and cancellations are answered while a call runs.
@MainActor
final class MCPServer {
    enum Input: Sendable {
        case line([UInt8])
        case lineTooLong
        case end
        case signal(ToolError.Kind)
        case finished(MCPResult)
        case idle(generation: Int)
    }

    /// Runs the command with these words.
    typealias CommandRunner = @Sendable ([String]) async throws -> Void

    private struct Call {
        let id: JSONValue
        let tool: MCPTool
        let arguments: JSONValue
        let revision: MCPProtocol.Revision
    }

    private var state: MCPProtocol
    private var session: ToolSession?
    private var queue: [Call] = []
    private var running: (call: Call, task: Task<Void, Never>, isCancelled: Bool)?
    private var isEnding = false
    /// Counts the calls, so that a timer of an earlier pause ends no link.
    private var generation = 0
    private let continuation: AsyncStream<Input>.Continuation
    private let execute: CommandRunner

    /// The largest number of calls that wait.
    private static let queueLimit = 16
    /// The time limit of a call.
    private static let callLimit = Duration.seconds(180)
    /// The time after which a link without calls ends, so that the device is free for others.
    private static let idleLimit = Duration.seconds(60)

    private init(
        _ state: MCPProtocol, _ continuation: AsyncStream<Input>.Continuation, _ execute: @escaping CommandRunner
    ) {
        self.state = state
        self.execute = execute
        self.continuation = continuation
    }

    /// Serves until the end of the input. Calls that were received before it are completed.
    ///
    /// - Parameters:
    ///   - state: The state before the first line.
    ///   - continuation: Receives the events of the server itself.
    ///   - execute: Runs a command.
    ///   - release: Called after each line.
    static func serve(
        _ state: MCPProtocol, _ input: AsyncStream<Input>, _ continuation: AsyncStream<Input>.Continuation,
        _ execute: @escaping CommandRunner, release: @MainActor () -> Void
    ) async throws {
        try await MCPServer(state, continuation, execute).serve(input, release)
    }

    private func serve(_ input: AsyncStream<Input>, _ release: @MainActor () -> Void) async throws {
        var reason: ToolError?
        loop: for await event in input {
            switch event {
            case .line(let line):
                try handle(state.receive(line))
                release()
            case .lineTooLong:
                try answer(MCPProtocol.error(nil, .parseError, "The line is longer than \(MCPInput.lineLimit) octets."))
            case .end:
                isEnding = true
                if running == nil { break loop }
            case .signal(let kind):
                reason = ToolError(kind)
                break loop
            case .finished(let result):
                // A cancelled call has no answer.
                if let running, !running.isCancelled {
                    try answer(state.result(running.call.id, result.json, running.call.revision))
                }
                running = nil
                startNext()
                if isEnding, running == nil { break loop }
            case .idle(let generation):
                if generation == self.generation, running == nil { await endSession() }
            }
        }
        running?.task.cancel()
        await running?.task.value
        await endSession()
        if let reason { throw reason }
    }

    private func answer(_ message: JSONValue) throws { try emit(message.json, collects: false) }

    private func handle(_ action: MCPProtocol.Action) throws {
        switch action {
        case .nothing: break
        case .answer(let message): try answer(message)
        case .cancel(let id):
            queue.removeAll { $0.id == id }
            if running?.call.id == id {
                running?.isCancelled = true
                running?.task.cancel()
            }
        case .call(let id, let name, let arguments, let revision):
            guard running?.call.id != id, !queue.contains(where: { $0.id == id }) else {
                return try answer(MCPProtocol.error(id, .invalidRequest, "A call with this id is not complete yet."))
            }
            guard queue.count < Self.queueLimit, let tool = state.tools.first(where: { $0.name == name }) else {
                return try answer(
                    MCPProtocol.error(
                        id, .invalidRequest, "\(Self.queueLimit) calls wait already: wait for their results."))
            }
            queue.append(Call(id: id, tool: tool, arguments: arguments, revision: revision))
            startNext()
        }
    }

    private func startNext() {
        guard running == nil, !queue.isEmpty else { return }
        let call = queue.removeFirst()
        generation += 1
        let task = Task { @MainActor in
            let result = await self.run(call)
            self.continuation.yield(.finished(result))
            self.startIdleTimer()
        }
        running = (call, task, false)
    }

    private func startIdleTimer() {
        guard session?.hasLink == true else { return }
        let generation = generation
        Task { @MainActor [continuation] in
            try await Task.sleep(for: Self.idleLimit)
            continuation.yield(.idle(generation: generation))
        }
    }

    private func endSession() async {
        await session?.end()
        session = nil
    }

    // MARK: A call

    private func run(_ call: Call) async -> MCPResult {
        let words: [String]
        do {
            words = try call.tool.words(call.arguments)
        } catch {
            return MCPResult("", error)
        }
        let wanted = call.arguments["device"]?.text
        let isLinked = wanted.flatMap { session?.device(fitting: $0) } != nil
        if call.tool.endsLink || !isLinked { await endSession() }
        let (output, error) = await attempt(words)
        // The open link may have ended since the last call. A write is not repeated, because the device may have received it.
        let isStale = isLinked && call.tool.isRepeatable && output.isEmpty && session == nil
        guard isStale, error is ToolError, !Task.isCancelled else { return MCPResult(output, error) }
        let (newOutput, newError) = await attempt(words)
        return MCPResult(newOutput, newError)
    }

    /// Runs a command in the session, and returns its output and its error. An error that leaves the link in an unknown state ends the
    /// session.
    private func attempt(_ words: [String]) async -> (String, (any Error)?) {
        let session = session ?? ToolSession()
        self.session = session
        let command = Task { @MainActor in
            try await session.run { try await execute(words) }
        }
        let timer = Task {
            try await Task.sleep(for: Self.callLimit)
            command.cancel()
        }
        defer { timer.cancel() }
        do {
            try await withTaskCancellationHandler {
                try await command.value
            } onCancel: {
                command.cancel()
            }
            return (session.output.take(), nil)
        } catch {
            let output = session.output.take()
            let kind = (error as? ToolError)?.kind
            if ![.refused, .security, .notFound, .usage].contains(kind) {
                // The end of the link is not part of a cancelled call.
                await Task { @MainActor in await self.endSession() }.value
            }
            return (output, error)
        }
    }
}

/// The result of a call: the records of the command, and its error.
struct MCPResult: Sendable {
    let json: JSONValue

    init(_ output: String, _ error: (any Error)?) {
        let lines = output.split(separator: "\n")
        let records = lines.compactMap { JSONValue(parsing: Array($0.utf8)) }
        var texts = lines.map(String.init)
        var code = ToolError.Kind.readerHasGone.rawValue
        switch error {
        case nil: break
        case let failure as ToolError:
            texts += failure.lines.map(ValueText.printable)
            code = failure.kind.rawValue
        case is CancellationError:
            texts.append("The call took too long and was ended.")
            code = ToolError.Kind.timeout.rawValue
        case .some(let error):
            texts.append(ValueText.printable("\(error)"))
            code = ToolError.Kind.failed.rawValue
        }
        if texts.isEmpty { texts = ["Nothing was found."] }
        json = [
            "content": [["type": "text", "text": .text(texts.joined(separator: "\n"))]],
            "structuredContent": ["records": .list(records), "code": .integer(Int64(code))],
            "isError": .bool(error != nil),
        ]
    }
}
