import BLETransport
import BLEWire
import Dispatch

/// Why a request has no response.
package enum HTTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
    case connection(String)
    case reply(HTTPReplyError)
    case timeLimit

    package var description: String {
        switch self {
        case .connection(let reason): reason
        case .reply(let failure): failure.description
        case .timeLimit: "The device did not answer in time."
        }
    }
}

/// Sends requests to one server, one after another, over a connection that it keeps as long as the server does.
///
/// Threads: use it on the serial queue given. The completion of a request is called once on that queue, unless the client was closed.
package final class HTTPClient: @unchecked Sendable {
    package typealias Completion = (Result<HTTPReply, HTTPClientError>) -> Void

    private struct Exchange {
        let number: Int
        let head: (Int) -> String
        /// Makes the body for each attempt.
        let body: () -> [UInt8]
        let completion: Completion
        /// Whether the connection had an earlier exchange, so that the server may have ended it in the meantime.
        var isReused = false
        var hasReply = false
    }

    private let address: TransportAddress
    private let queue: DispatchQueue
    private let bodyLimit: Int
    private var connector: StreamConnector?
    private var stream: DispatchStream?
    private var reader: HTTPReplyReader
    private var exchange: Exchange?
    private var count = 0

    /// - Parameter bodyLimit: The most octets of the body of a response.
    package init(to address: TransportAddress, queue: DispatchQueue, bodyLimit: Int) {
        (self.address, self.queue, self.bodyLimit) = (address, queue, bodyLimit)
        reader = HTTPReplyReader(bodyLimit: bodyLimit)
    }

    /// Posts octets. Call it again after the completion.
    ///
    /// - Parameters:
    ///   - path: The path, which has only characters that a target allows.
    ///   - host: The content of the field Host.
    ///   - limit: The time for the connection and the response.
    ///   - body: Makes the octets. It is called again when a connection that the server kept turns out to be at its end.
    package func post(
        to path: String, host: String, within limit: DispatchTimeInterval, body: @escaping () -> [UInt8],
        completion: @escaping Completion
    ) {
        count += 1
        let number = count
        exchange = Exchange(
            number: number,
            head: { length in
                "POST \(path) HTTP/1.1\r\nHost: \(host)\r\nContent-Type: application/octet-stream\r\n"
                    + "Content-Length: \(length)\r\n\r\n"
            }, body: body, completion: completion, isReused: stream != nil)
        queue.asyncAfter(deadline: .now() + limit) { [weak self] in
            if self?.exchange?.number == number { self?.finish(.failure(.timeLimit), keeps: false) }
        }
        if stream != nil { send() } else { connect() }
    }

    /// Ends the connection. No completion follows.
    package func close() {
        exchange = nil
        disconnect()
    }

    private func disconnect() {
        connector?.cancel()
        stream?.close()
        (connector, stream) = (nil, nil)
        reader = HTTPReplyReader(bodyLimit: bodyLimit)
    }

    private func connect() {
        connector = StreamConnector.connect(to: address, queue: queue, timeout: .seconds(60)) { [weak self] result in
            guard let self else { return }
            connector = nil
            switch result {
            case .success(let connection): open(connection)
            case .failure(let error): finish(.failure(.connection("\(error)")), keeps: false)
            }
        }
    }

    private func open(_ connection: TransportConnection) {
        let stream = DispatchStream(connection, queue: queue, queueLimit: 1 << 18)
        self.stream = stream
        stream.onReceive = { [weak self] octets in self?.receive(octets) }
        stream.onClose = { [weak self] reason in self?.ended("\(reason)") }
        stream.start()
        send()
    }

    private func send() {
        guard let exchange else { return }
        let body = exchange.body()
        let octets = Array(exchange.head(body.count).utf8) + body
        switch stream?.send(octets.span) {
        case .sent, .queued: break
        // A stream that failed reports its end.
        case .closed, nil: break
        case .full: finish(.failure(.connection("The device takes no octets.")), keeps: false)
        }
    }

    private func ended(_ reason: String) {
        disconnect()
        guard let exchange else { return }
        if exchange.isReused, !exchange.hasReply {
            self.exchange?.isReused = false
            return connect()
        }
        finish(.failure(.connection("The connection has ended: \(reason).")), keeps: false)
    }

    private func receive(_ octets: Span<UInt8>) {
        // Octets that no request asked for.
        guard exchange != nil else { return disconnect() }
        exchange?.hasReply = true
        reader.receive(octets)
        do throws(HTTPReplyError) {
            if let reply = try reader.next() { finish(.success(reply), keeps: reply.keepsConnection) }
        } catch {
            finish(.failure(.reply(error)), keeps: false)
        }
    }

    private func finish(_ result: Result<HTTPReply, HTTPClientError>, keeps: Bool) {
        if !keeps { disconnect() }
        guard let completion = exchange?.completion else { return }
        exchange = nil
        completion(result)
    }
}
