import BLETransport
import BLEWire
import Foundation
import TestDoubles
import Testing

@testable import LocalHTTP

/// The connections of a server, in virtual time.
@Suite final class HTTPServerTests {
    private final class Client {
        let stream: MemoryStream
        var received = ""
        var isEnded = false

        init(_ stream: MemoryStream) {
            self.stream = stream
            stream.onReceive = { [unowned self] octets in received += String(decoding: [UInt8](octets), as: UTF8.self) }
            stream.onClose = { [unowned self] _ in isEnded = true }
            stream.start()
        }

        func send(_ text: String) { _ = stream.send(Array(text.utf8).span) }
    }

    private let scheduler = ManualScheduler()
    private var exchanges: [HTTPExchange] = []
    private lazy var server = HTTPServer(limits: HTTPLimits(), scheduler: scheduler) {
        [unowned self] request, exchange in
        switch request.path {
        case "/hold": exchanges.append(exchange)
        case "/known":
            exchange.recognize()
            exchange.answer(HTTPResponse(status: .ok))
        default: exchange.answer(HTTPResponse(status: .notFound))
        }
    }

    private func client(from source: String = "a") -> Client {
        let (ours, theirs) = MemoryStream.pair(("client", "server"), on: scheduler)
        server.accept(theirs, from: source)
        return Client(ours)
    }

    private func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\n\r\n" }

    @Test func aConnectionHasManyRequestsAndAnErrorEndsIt() {
        let client = client()
        client.send(get("/known") + get("/known"))
        scheduler.run()
        #expect(client.received.components(separatedBy: "200 OK").count == 3)
        client.send(get("/other"))
        scheduler.run()
        #expect(client.received.contains("404 Not Found") && client.isEnded)
        #expect(server.connectionCount == 0)
    }

    @Test func aResponseThatComesLateReachesItsRequestOnly() {
        let client = client()
        client.send(get("/known") + get("/hold"))
        scheduler.run()
        #expect(exchanges.count == 1 && exchanges[0].isOpen)
        scheduler.run(for: .seconds(25))
        exchanges[0].answer(HTTPResponse(status: .ok, body: Data("late".utf8)))
        scheduler.run()
        #expect(client.received.hasSuffix("late") && !exchanges[0].isOpen)
        client.send(get("/hold"))
        scheduler.run()
        exchanges[0].answer(HTTPResponse(status: .ok, body: Data("again".utf8)))
        scheduler.run()
        #expect(client.received.hasSuffix("late"))
    }

    @Test func aClientThatLeavesTakesItsExchangeAlong() {
        let client = client()
        client.send(get("/hold"))
        scheduler.run()
        client.stream.close()
        scheduler.run()
        #expect(!exchanges[0].isOpen && server.connectionCount == 0)
        exchanges[0].answer(HTTPResponse(status: .ok))
    }

    @Test func aFloodOfSilentConnectionsDisplacesItself() {
        let known = client(from: "phone")
        known.send(get("/known"))
        let other = client(from: "tablet")
        scheduler.run()
        let flood = (0..<200).map { _ in client(from: "stranger") }
        scheduler.run()
        let open = flood.filter { !$0.isEnded }
        #expect(open.count == HTTPLimits().strangers - 1)
        #expect(!known.isEnded && !other.isEnded)
        other.send(get("/known"))
        scheduler.run()
        #expect(other.received.hasPrefix("HTTP/1.1 200"))
        scheduler.run(for: .seconds(10))
        let late = flood.filter { !$0.isEnded }
        #expect(late.isEmpty)
        #expect(!known.isEnded)
        #expect(server.connectionCount == 2)
    }

    @Test func aClientThatReadsNothingEnds() {
        let client = client()
        client.send(get("/known"))
        scheduler.run()
        client.stream.pause()
        client.send(get("/known"))
        scheduler.run(for: .seconds(11))
        #expect(server.connectionCount == 0)
    }

    @Test func moreKnownConnectionsThanPlacesAreRefused() {
        let clients = (0..<80).map { _ in
            let client = client()
            client.send(get("/known"))
            scheduler.run()
            return client
        }
        let ended = clients.map(\.isEnded)
        #expect(ended == Array(repeating: false, count: 64) + Array(repeating: true, count: 16))
        server.stop()
        scheduler.run()
        #expect(clients.map(\.isEnded) == Array(repeating: true, count: 80))
    }
}
