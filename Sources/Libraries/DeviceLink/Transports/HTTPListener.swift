import BLETransport
import CoreBluetooth
import LocalHTTP

/// The listener of the device's own access point for HTTP: a TCP port.
///
/// A request has to authenticate, in a body of the secure channel; a page in a browser gets no further than that. At most 64 connections are open, 16 of
/// them without a request that authenticates, for ten seconds each.
///
/// `@unchecked Sendable`: all state is used on the queue that it was created with.
public final class HTTPListener: DeviceListener, @unchecked Sendable {
    /// The time for which a request of a client waits for something to say. It is shorter than the client's limit.
    private static let holdTime = DispatchTimeInterval.seconds(20)

    /// `http`.
    public let name = "http"
    private let address: TransportAddress
    private let queue: DispatchQueue
    private let start = ContinuousClock.now
    private var posted: PostedServer
    private var listener: StreamListener?
    private var server: HTTPServer?
    private var report: (@Sendable (DeviceListenerEvent) -> Void)?
    /// The requests that wait, by client.
    private var held: [UInt64: HTTPExchange] = [:]

    /// Prepares the listener.
    ///
    /// - Parameters:
    ///   - key: The key of the device.
    ///   - address: The address and port to listen at. Port 0 lets the system choose.
    ///   - queue: The serial queue of the device.
    public init(
        key: LinkKey, at address: (host: String, port: UInt16) = ("0.0.0.0", HTTPTransport.port),
        queue: DispatchQueue = .main
    ) {
        self.address = .tcp(host: address.host, port: address.port)
        self.queue = queue
        posted = PostedServer(key: key)
    }

    /// Listens.
    public func open(_ report: @escaping @Sendable (DeviceListenerEvent) -> Void) {
        self.report = report
        var limits = HTTPLimits()
        limits.body = PostedDatagrams.longest
        let server = HTTPServer(limits: limits, scheduler: QueueScheduler(queue)) { [weak self] request, exchange in
            self?.receive(request, exchange)
        }
        self.server = server
        do throws(TransportError) {
            let listener = try StreamListener(at: address, queue: queue)
            self.listener = listener
            listener.onAccept = { stream in server.accept(stream, from: NetworkListener.source(of: stream)) }
            listener.start()
            report(.opened(listener.address.description))
        } catch {
            report(.failed("\(error)"))
        }
    }

    /// Sends an envelope to a client, as the response to a request of it.
    public func send(_ envelope: [UInt8], to client: UInt64) {
        guard posted.post(envelope, to: client), held[client] != nil else { return }
        // Envelopes that follow at once go into the same response.
        queue.async { [weak self] in self?.answerHeld(client) }
    }

    /// Closes all connections.
    public func close() {
        report = nil
        listener?.close()
        server?.stop()
        (listener, server, held) = (nil, nil, [:])
    }

    private func receive(_ request: HTTPRequest, _ exchange: HTTPExchange) {
        if let status = Self.refusal(of: request) { return exchange.answer(Self.response(status)) }
        switch posted.receive(request.body, from: exchange.source, at: ContinuousClock.now - start) {
        case .malformed: exchange.answer(Self.response(.badRequest))
        case .refused: exchange.answer(Self.response(.forbidden))
        case .greeted(let body): exchange.answer(Self.response(.ok, body))
        case .received(let envelopes, let client, let waits):
            exchange.recognize()
            for envelope in envelopes { report?(.received(envelope, client: client)) }
            guard waits, !posted.hasMail(for: client) else {
                return exchange.answer(Self.response(.ok, posted.takeMail(for: client)))
            }
            hold(exchange, client)
        }
    }

    private func hold(_ exchange: HTTPExchange, _ client: UInt64) {
        // A client waits with one request at a time.
        held[client]?.answer(Self.response(.ok))
        held = held.filter { $0.value.isOpen }
        held[client] = exchange
        queue.asyncAfter(deadline: .now() + Self.holdTime) { [weak self] in
            guard let self, held[client] === exchange else { return }
            held[client] = nil
            exchange.answer(Self.response(.ok))
        }
    }

    private func answerHeld(_ client: UInt64) {
        guard posted.hasMail(for: client), let exchange = held.removeValue(forKey: client), exchange.isOpen else {
            return
        }
        exchange.answer(Self.response(.ok, posted.takeMail(for: client)))
    }

    /// The status of a request that no client sends; nil for one whose body decides.
    static func refusal(of request: HTTPRequest) -> HTTPStatus? {
        // A page whose name resolves to this device sends that name (DNS rebinding). Clients send the address to which they connect.
        guard let host = request.host, NumericAddress.octets(of: host) != nil else { return .misdirectedRequest }
        // A browser sends it with each POST. No page is a client.
        guard request.headers["origin"] == nil else { return .forbidden }
        guard request.path == PostedDatagrams.path else { return .notFound }
        guard request.method == "POST" else { return .methodNotAllowed }
        guard request.headers["content-length"] != nil else { return .lengthRequired }
        guard request.headers["content-type"] == PostedDatagrams.type else { return .unsupportedMediaType }
        return nil
    }

    private static func response(_ status: HTTPStatus, _ body: [UInt8] = []) -> HTTPResponse {
        var headers = [(name: "Cache-Control", value: "no-store"), (name: "X-Content-Type-Options", value: "nosniff")]
        if status == .ok { headers.append(("Content-Type", PostedDatagrams.type)) }
        // RFC 9110, 15.5.6.
        if status == .methodNotAllowed { headers.append(("Allow", "POST")) }
        return HTTPResponse(status: status, headers: headers, body: Data(body))
    }
}
