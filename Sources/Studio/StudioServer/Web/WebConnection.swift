import BLETransport
import Dispatch
import Foundation
import LocalHTTP
import TLSChannel

/// One connection of a browser: TLS if the server has a certificate, then requests, then perhaps a WebSocket.
///
/// Threads: used only on the server's queue.
final class WebConnection: @unchecked Sendable {
    enum Limit {
        /// The octets that wait to be sent, above which the connection reads nothing more.
        static let waitingOctets = 1 << 20
        /// The octets of a message of the page.
        static let message = 1 << 20
        /// The octets of a message of a page that has proven nothing.
        static let proof = 512
    }

    private enum Stage {
        case handshake
        case request
        case responding
        /// A WebSocket whose page has to prove that it has the key.
        case proving(WebSocketReader, ReconnectProof, PageAdmission)
        case socket(WebSocketReader, PageSocket)
        case closed
    }

    private let stream: DispatchStream
    private let tls: TLSSession?
    private unowned let server: WebServerCore
    private var stage: Stage
    private var requests = HTTPRequestReader()
    /// Whether the page handles a message. Further ones wait.
    private var isBusy = false
    private var isPaused = false
    /// Whether the answer to the request is complete. The next request is read when all its octets are sent, so that a client that
    /// reads nothing makes nothing wait.
    private var isAnswered = false
    private var isReadingRequests = false

    private var outgoing: [Data] = []
    private var outgoingOctets = 0
    /// Whether the connection ends when all octets are sent.
    private var isEnding = false
    /// Whether the connection has neither shown the token nor proven that its page has the key.
    private var isStranger = true
    /// The time at which the server ends the connection; nil for a WebSocket. Nothing that a stranger sends or reads moves it.
    private(set) var deadline: DispatchTime?

    init(_ stream: DispatchStream, tls: TLSSession?, server: WebServerCore) {
        self.stream = stream
        self.tls = tls
        self.server = server
        stage = tls == nil ? .request : .handshake
        deadline = .now() + server.times.stranger
        stream.onReceive = { [weak self] octets in self?.receive(octets) }
        stream.onClose = { [weak self] _ in self?.close() }
        stream.onEmpty = { [weak self] in self?.pump() }
    }

    func start() {
        stream.start()
        stream.readNow()
    }

    // MARK: Input

    private func receive(_ octets: Span<UInt8>) {
        guard let tls else { return accept(octets) }
        var plain: [UInt8] = []
        let outcome = tls.receive(octets, into: &plain)
        sendEncrypted()
        if case .handshake = stage, tls.isEstablished { stage = .request }
        if !plain.isEmpty { accept(plain.span) }
        if outcome == .closed { close() }
    }

    private func accept(_ octets: Span<UInt8>) {
        switch stage {
        case .socket(var reader, let page):
            reader.receive(octets)
            stage = .socket(reader, page)
            readMessages()
        case .proving(var reader, let proof, let admission):
            guard !isEnding else { return }
            reader.receive(octets)
            stage = .proving(reader, proof, admission)
            readProof()
        case .request:
            if !requests.isReading { allow(server.times.request) }
            requests.receive(octets)
            readRequest()
        case .responding:
            requests.receive(octets)
            if requests.isFull { pause() }
        case .handshake, .closed: break
        }
    }

    private func readRequest() {
        // An answer may come at once. The loop then reads the next request, and the stack does not grow.
        guard !isReadingRequests else { return }
        isReadingRequests = true
        defer { isReadingRequests = false }
        while case .request = stage, !isEnding {
            do throws(HTTPRequestError) {
                guard let request = try requests.next() else { return }
                stage = .responding
                let keeps = request.keepsConnection
                server.respond(to: request, of: self) { [weak self] answer in self?.send(answer, keeps: keeps) }
            } catch {
                stage = .responding
                send(.response(HTTPResponse(status: error.status, headers: server.headers)), keeps: false)
            }
        }
    }

    private func send(_ answer: WebAnswer, keeps: Bool) {
        guard case .responding = stage else { return }
        switch answer {
        case .response(let response):
            allow(server.times.stall)
            // A client that asks for what it may not have gets one answer, and so does a stranger.
            isEnding = !keeps || isStranger || response.status == .forbidden
            isAnswered = true
            enqueue(Data(response.head(closes: isEnding)))
            enqueue(response.body)
            pump()
        case .socket(let response, let admission):
            write(Data(response.head(closes: false)))
            var reader = WebSocketReader(messageLimit: admission.proof == nil ? Limit.message : Limit.proof)
            reader.receive(requests.takeRest().span)
            if let proof = admission.proof {
                stage = .proving(reader, proof, admission)
                readProof()
            } else {
                openPage(reader, admission)
            }
        }
        resumeIfPossible()
        readRequest()
    }

    private func openPage(_ reader: WebSocketReader, _ admission: PageAdmission) {
        var reader = reader
        reader.messageLimit = Limit.message
        recognize()
        let isAdmitted = server.openPage(self)
        stage = .socket(reader, PageSocket(hub: admission.hub, queue: server.queue, connection: self))
        guard isAdmitted else { return endSocket(.tryAgainLater, reason: "too many pages") }
        send(admission.greeting)
        readMessages()
    }

    /// Reads the messages of a page that proves itself. Anything else ends the connection.
    private func readProof() {
        while !isEnding, case .proving(var reader, var proof, let admission) = stage {
            let event: WebSocketReader.Event?
            do throws(WebSocketError) { event = try reader.next() } catch { return endSocket(error.code, reason: "") }
            guard let event else { return stage = .proving(reader, proof, admission) }
            guard case .text(let text) = event else { return endSocket(.policyViolation, reason: "") }
            let outcome = proof.receive(text)
            stage = .proving(reader, proof, admission)
            switch outcome {
            case .answer(let message): write(Data(WebSocketFrame.text(message)))
            case .proven: openPage(reader, admission)
            case .refused: endSocket(.policyViolation, reason: "")
            }
        }
    }

    private func readMessages() {
        while !isBusy, !isEnding, case .socket(var reader, let page) = stage {
            do throws(WebSocketError) {
                let event = try reader.next()
                stage = .socket(reader, page)
                switch event {
                case nil: return resumeIfPossible()
                case .text(let text):
                    isBusy = true
                    page.receive(text) { [weak self] in
                        self?.isBusy = false
                        self?.readMessages()
                    }
                case .ping(let payload): write(Data(WebSocketFrame.pong(payload)))
                case .pong: break
                case .close(let code): return endSocket(code ?? WebSocketCloseCode.normal.rawValue, reason: "")
                }
            } catch {
                return endSocket(error.code, reason: "")
            }
        }
        if case .socket(let reader, _) = stage, reader.keptOctets > Limit.message { pause() }
    }

    // MARK: Output

    /// Sends a message to the page.
    func send(_ text: String) {
        guard case .socket = stage, !isEnding else { return }
        write(Data(WebSocketFrame.text(text)))
    }

    func endSocket(_ code: WebSocketCloseCode, reason: String) { endSocket(code.rawValue, reason: reason) }

    private func endSocket(_ code: UInt16, reason: String) {
        switch stage {
        case .socket, .proving: break
        case .handshake, .request, .responding, .closed: return
        }
        guard !isEnding else { return }
        isEnding = true
        allow(server.times.stall)
        write(Data(WebSocketFrame.close(code, reason: reason)))
    }

    private func write(_ octets: Data) {
        enqueue(octets)
        pump()
        if outgoingOctets > Limit.waitingOctets { pause() }
    }

    private func enqueue(_ octets: Data) {
        guard !octets.isEmpty else { return }
        outgoing.append(octets)
        outgoingOctets += octets.count
    }

    /// Gives the stream as much as it should hold.
    private func pump() {
        while let octets = outgoing.first, stream.queuedOctets == 0, !stream.isClosed {
            let part = octets.prefix(1 << 16)
            outgoingOctets -= part.count
            if part.count == octets.count { outgoing.removeFirst() } else { outgoing[0] = octets.dropFirst(part.count) }
            if deadline != nil { allow(server.times.stall) }
            part.withUnsafeBytes { buffer in
                let octets = buffer.bindMemory(to: UInt8.self).span
                if let tls {
                    if tls.send(octets) { sendEncrypted() } else { isEnding = true }
                } else {
                    stream.send(octets)
                }
            }
        }
        if stream.isClosed { return close() }
        resumeIfPossible()
        guard outgoing.isEmpty, stream.queuedOctets == 0 else { return }
        if isEnding { return close() }
        guard isAnswered, case .responding = stage else { return }
        isAnswered = false
        stage = .request
        allow(requests.isReading ? server.times.request : server.times.idle)
        resumeIfPossible()
        readRequest()
    }

    private func sendEncrypted() {
        guard let octets = tls?.takeOutput(), !octets.isEmpty else { return }
        stream.send(octets.span)
    }

    // MARK: State

    /// The connection has shown the token, or its page the key. The answer has no limit of time while a part makes it.
    func recognize() {
        isStranger = false
        deadline = nil
    }

    /// Gives a connection that is no stranger some more time.
    private func allow(_ time: DispatchTimeInterval) { if !isStranger { deadline = .now() + time } }

    private func pause() {
        guard !isPaused else { return }
        isPaused = true
        stream.pause()
    }

    private func resumeIfPossible() {
        guard isPaused, outgoingOctets <= Limit.waitingOctets / 2, !isEnding else { return }
        switch stage {
        case .responding, .closed: return
        case .socket(let reader, _): if reader.keptOctets > Limit.message { return }
        case .handshake, .request, .proving: break
        }
        isPaused = false
        stream.resume()
    }

    /// Ends the connection.
    func close() {
        if case .closed = stage { return }
        if case .socket(_, let page) = stage { page.end() }
        stage = .closed
        deadline = nil
        outgoing = []
        outgoingOctets = 0
        tls?.close()
        sendEncrypted()
        stream.close()
        server.remove(self)
    }
}
