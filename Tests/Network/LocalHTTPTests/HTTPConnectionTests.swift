import BLEWire
import Foundation
import Testing

@testable import LocalHTTP

/// Hostile and slow clients of one connection, in virtual time.
@Suite final class HTTPConnectionTests {
    private static let limits: HTTPLimits = {
        var limits = HTTPLimits()
        limits.body = 100
        return limits
    }()
    private var connection = HTTPConnection(HTTPConnectionTests.limits, at: .zero)

    private func time(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    private func receive(_ text: String, at seconds: Int64 = 0) {
        connection.receive(Array(text.utf8).span, at: time(seconds))
    }

    private func output() -> String { String(decoding: connection.takeOutgoing(), as: UTF8.self) }

    private func answer(_ status: HTTPStatus = .ok, _ body: String = "", at seconds: Int64 = 0) -> String {
        connection.answer(HTTPResponse(status: status, body: Data(body.utf8)), at: time(seconds))
        return output()
    }

    private let post = "POST /a HTTP/1.1\r\nContent-Length: 1\r\n\r\n"

    @Test func requestsAreAnsweredOneAfterAnother() {
        receive(post + "x" + post + "y")
        #expect(connection.takeRequest()?.body == Array("x".utf8))
        #expect(connection.takeRequest() == nil)
        #expect(answer(.ok, "1").hasSuffix("Content-Length: 1\r\n\r\n1"))
        #expect(connection.takeRequest() == nil, "the client has not taken the response")
        connection.sent(at: time(0))
        #expect(connection.takeRequest()?.body == Array("y".utf8))
        #expect(answer(.forbidden).contains("Connection: close\r\n"))
        connection.sent(at: time(0))
        #expect(connection.isEnded)
    }

    @Test func aSecondResponseIsNotSent() {
        receive(post + "x")
        #expect(!answer().isEmpty)
        #expect(answer().isEmpty)
    }

    @Test func theResponseToHEADHasALengthAndNoBody() {
        receive("HEAD /a HTTP/1.1\r\n\r\n")
        #expect(answer(.ok, "abc").hasSuffix("Content-Length: 3\r\n\r\n"))
    }

    @Test func aClientThatWaitsForPermissionGetsItOnce() {
        receive("POST /a HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(output() == "HTTP/1.1 100 Continue\r\n\r\n")
        connection.sent(at: time(0))
        receive("x")
        #expect(output().isEmpty)
        receive("y")
        #expect(connection.takeRequest()?.body == Array("xy".utf8))
    }

    /// Slowloris: a request that never ends.
    @Test func aStrangerHasTenSecondsWhateverItSends() {
        for second in 0..<10 as Range<Int64> {
            receive("P", at: second)
            connection.handleTimeout(at: time(second))
            #expect(!connection.isEnded)
        }
        #expect(connection.deadline == time(10))
        connection.handleTimeout(at: time(10))
        #expect(connection.isEnded)
    }

    @Test func requestsOfAStrangerDoNotProlongItsTime() {
        for second in 0..<9 as Range<Int64> {
            receive(post + "x", at: second)
            _ = answer(at: second)
            connection.sent(at: time(second))
            #expect(connection.deadline == time(10))
        }
    }

    @Test func aKnownClientHasTimeForEachRequestAndBetweenThem() {
        receive(post + "x")
        connection.recognize()
        #expect(connection.deadline == nil, "the server may wait before it answers")
        _ = answer(at: 60)
        #expect(connection.deadline == time(70), "the client takes the response in time")
        connection.sent(at: time(61))
        #expect(connection.deadline == time(91))
        receive("P", at: 80)
        receive("O", at: 85)
        #expect(connection.deadline == time(90), "the time of a request runs from its first octet")
        connection.handleTimeout(at: time(90))
        #expect(connection.isEnded)
    }

    @Test func aClientThatDoesNotReadEnds() {
        receive(post + "x")
        connection.recognize()
        _ = answer(at: 5)
        connection.handleTimeout(at: time(14))
        #expect(!connection.isEnded)
        connection.handleTimeout(at: time(15))
        #expect(connection.isEnded)
    }

    /// The response survives: the connection takes the rest of the body for a while.
    @Test func aRefusedBodyIsDrained() {
        receive("POST /a HTTP/1.1\r\nContent-Length: 101\r\n\r\n")
        #expect(output().hasPrefix("HTTP/1.1 413 "))
        connection.sent(at: time(0))
        #expect(!connection.isEnded && connection.hasRoom)
        receive(String(repeating: "x", count: 100_000), at: 1)
        #expect(connection.takeRequest() == nil && output().isEmpty)
        #expect(connection.deadline == time(2))
        connection.handleTimeout(at: time(2))
        #expect(connection.isEnded)
    }

    @Test func octetsAheadOfTheResponseAreBounded() {
        receive(post + "x")
        #expect(connection.hasRoom)
        receive(String(repeating: "x", count: HTTPHead.limit + 101))
        #expect(!connection.hasRoom)
    }
}
