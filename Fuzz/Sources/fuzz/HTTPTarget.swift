import BLEWire
import LocalHTTP

/// A connection of a hostile client, with responses and time between its octets, and a client with a hostile server.
enum HTTPTarget {
    static func run(_ input: inout Input) {
        if input.octet() & 1 == 0 { checkServer(&input) } else { checkClient(&input) }
    }

    private static func checkServer(_ input: inout Input) {
        var limits = HTTPLimits()
        limits.body = 64
        limits.acceptsOldVersion = true
        var now = Instant.zero
        var connection = HTTPConnection(limits, at: now)
        var received: [UInt8] = []
        var taken: [HTTPRequest] = []
        var steps = 0
        while !input.isAtEnd, steps < 300 {
            steps += 1
            let what = input.octet()
            switch what % 4 {
            case 0: now += .milliseconds(Int(what) * 10)
            case 1: connection.recognize()
            default:
                let octets = input.take(Int(what))
                if connection.hasRoom {
                    received += octets
                    connection.receive(octets.span, at: now)
                }
            }
            if let deadline = connection.deadline, deadline <= now { connection.handleTimeout(at: now) }
            require(connection.deadline.map { $0 > now } ?? true, "a deadline has passed")
            for _ in 0..<200 {
                if let request = connection.takeRequest() {
                    require(request.body.count <= 64, "a body is too long")
                    connection.answer(HTTPResponse(status: request.path == "/" ? .ok : .notFound), at: now)
                    taken.append(request)
                }
                guard !connection.takeOutgoing().isEmpty else { break }
                connection.sent(at: now)
            }
            require(!connection.isAnswering, "a request has no response")
            if connection.isEnded { break }
        }
        // The requests do not depend on the responses, the time and the reads between the octets.
        var reader = HTTPRequestReader(bodyLimit: limits.body, acceptsOldVersion: limits.acceptsOldVersion)
        reader.receive(received.span)
        for request in taken { require((try? reader.next()) == request, "a request differs from what was sent") }
        // A connection that waits for octets has taken all requests before them.
        if !connection.isEnded, connection.hasRoom, taken.allSatisfy(\.keepsConnection) {
            require((try? reader.next()) == nil, "a request was left")
        }
    }

    /// What a server sends does not depend on its division into reads.
    private static func checkClient(_ input: inout Input) {
        let octets = input.rest()
        func replies(_ size: Int) -> ([HTTPReply], HTTPReplyError?) {
            var reader = HTTPReplyReader(bodyLimit: 64)
            var replies: [HTTPReply] = []
            var start = 0
            do throws(HTTPReplyError) {
                while start < octets.count {
                    let end = min(octets.count, start + size)
                    reader.receive(Array(octets[start..<end]).span)
                    start = end
                    while let reply = try reader.next() { replies.append(reply) }
                }
            } catch {
                return (replies, error)
            }
            return (replies, nil)
        }
        let (whole, failure) = replies(max(1, octets.count))
        let (parts, other) = replies(1)
        require(whole == parts, "the responses depend on the reads")
        // A head without an end is too long at an earlier octet.
        require((failure == nil) == (other == nil), "the failure depends on the reads")
    }
}
