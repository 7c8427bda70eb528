import BLETransport
import BLEWire
import Dispatch

/// Sends commands to a running radio.
package enum RadioControlClient {
    /// Sends one line to the radio at `endpoint` and returns the line of its answer, in JSON.
    package static func ask(
        _ line: String, at endpoint: SharedRadioEndpoint, timeout: TimeSpan = .seconds(5)
    ) async throws(SharedRadioEndpoint.EndpointError) -> String {
        try endpoint.check()
        let answer = await withCheckedContinuation { continuation in
            let queue = DispatchQueue(label: "bluetooth.radio")
            queue.async { Request(line, at: endpoint, queue, continuation).begin(timeout) }
        }
        return try answer.get()
    }

    private typealias Answer = Result<String, SharedRadioEndpoint.EndpointError>

    /// One command. Used only on its queue. It lives until the answer or a failure.
    private final class Request {
        static let lengthLimit = 1 << 20

        private let line: String
        private let endpoint: SharedRadioEndpoint
        private let queue: DispatchQueue
        private var continuation: CheckedContinuation<Answer, Never>?
        private var stream: DispatchStream?
        private var timer: (any DispatchSourceTimer)?
        private var octets: [UInt8] = []

        init(
            _ line: String, at endpoint: SharedRadioEndpoint, _ queue: DispatchQueue,
            _ continuation: CheckedContinuation<Answer, Never>
        ) {
            self.line = line
            self.endpoint = endpoint
            self.queue = queue
            self.continuation = continuation
        }

        func begin(_ timeout: TimeSpan) {
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + .nanoseconds(Int(timeout.nanoseconds)))
            timer.setEventHandler { [self] in
                fail("The virtual radio at \(endpoint.address) does not answer: restart it.")
            }
            self.timer = timer
            timer.resume()
            StreamConnector.connect(to: endpoint.controlAddress, queue: queue) { [self] result in
                switch result {
                case .success(let connection): send(on: DispatchStream(connection, queue: queue))
                case .failure(let error): fail(endpoint.sentence(for: error))
                }
            }
        }

        private func send(on stream: DispatchStream) {
            guard continuation != nil else { return stream.close() }
            self.stream = stream
            stream.onReceive = { [self] part in
                octets.append(part)
                if let end = octets.firstIndex(of: UInt8(ascii: "\n")) {
                    finish(.success(String(decoding: octets[..<end], as: UTF8.self)))
                } else if octets.count > Self.lengthLimit {
                    fail("What is at \(endpoint.controlAddress) is no virtual radio: remove it.")
                }
            }
            stream.onClose = { [self] _ in
                fail(
                    "The virtual radio at \(endpoint.address) has too many connections to its control socket, or has just ended: try again."
                )
            }
            stream.start()
            stream.send(Array((line + "\n").utf8).span)
        }

        private func fail(_ sentence: String) {
            finish(.failure(SharedRadioEndpoint.EndpointError(description: sentence)))
        }

        private func finish(_ answer: Answer) {
            timer?.cancel()
            timer = nil
            stream?.close()
            stream = nil
            continuation?.resume(returning: answer)
            continuation = nil
        }
    }
}
