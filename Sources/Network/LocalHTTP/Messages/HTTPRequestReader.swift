import BLEWire

/// Reads requests from the octets of a connection. What it keeps is bounded: a caller that passes no octets while `isFull` keeps at most one head, one
/// body and the octets of one read.
package struct HTTPRequestReader: Sendable {
    /// The most octets of a head.
    package static let headLimit = HTTPHead.limit
    package static let fieldLimit = HTTPHead.fieldLimit

    private let bodyLimit: Int
    private let acceptsOldVersion: Bool
    package private(set) var buffer: [UInt8] = []
    /// The octets that were searched for the end of the head.
    private var searched = 0
    /// A request whose body has not arrived.
    private var incomplete: (request: HTTPRequest, length: Int)?
    private var owesContinue = false

    /// - Parameters:
    ///   - bodyLimit: The most octets of a body.
    ///   - acceptsOldVersion: Whether a client may speak HTTP/1.0.
    package init(bodyLimit: Int = 0, acceptsOldVersion: Bool = false) {
        self.bodyLimit = bodyLimit
        self.acceptsOldVersion = acceptsOldVersion
    }

    /// Whether a part of a request has arrived.
    package var isReading: Bool { !buffer.isEmpty || incomplete != nil }

    /// Whether the buffer has as many octets as the longest request.
    package var isFull: Bool { buffer.count > Self.headLimit + bodyLimit }

    package mutating func receive(_ octets: Span<UInt8>) { buffer.append(octets) }

    /// Takes the octets after the last request, for the protocol to which the connection switches.
    package mutating func takeRest() -> [UInt8] {
        searched = 0
        defer { buffer = [] }
        return buffer
    }

    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110, 10.1.1). Returns true once.
    package mutating func takeContinue() -> Bool {
        defer { owesContinue = false }
        return owesContinue && incomplete != nil
    }

    /// The next complete request; nil if octets are missing. After an error the reader has no use.
    package mutating func next() throws(HTTPRequestError) -> HTTPRequest? {
        if incomplete == nil { try readHead() }
        guard let (request, length) = incomplete, buffer.count >= length else { return nil }
        incomplete = nil
        var complete = request
        complete.body = Array(buffer[..<length])
        buffer.removeFirst(length)
        return complete
    }

    private mutating func readHead() throws(HTTPRequestError) {
        guard let end = HTTPHead.end(in: buffer, searched: searched) else {
            searched = buffer.count
            if buffer.count > Self.headLimit { throw HTTPRequestError(.headTooLarge) }
            return
        }
        guard end <= Self.headLimit else { throw HTTPRequestError(.headTooLarge) }
        let (line, fields) = try HTTPHead.parse(Array(buffer[..<(end - 4)]))
        buffer.removeFirst(end)
        searched = 0
        var request = try requestLine(line)
        request.headers = fields
        let length = try bodyLength(of: request)
        owesContinue = length > buffer.count && request.tokens(of: "expect").contains("100-continue")
        incomplete = (request, length)
    }

    private func bodyLength(of request: HTTPRequest) throws(HTTPRequestError) -> Int {
        let text = request.headers["content-length"]
        guard request.headers["transfer-encoding"] == nil else {
            // Two ways to measure a body are a mark of request smuggling (RFC 9112, 6.1).
            if text != nil { throw HTTPRequestError(.badRequest) }
            throw HTTPRequestError(bodyLimit == 0 ? .contentTooLarge : .lengthRequired)
        }
        guard let text else { return 0 }
        guard let length = HTTPHead.length(text) else { throw HTTPRequestError(.badRequest) }
        guard length <= bodyLimit else { throw HTTPRequestError(.contentTooLarge) }
        return length
    }

    private func requestLine(_ line: Substring) throws(HTTPRequestError) -> HTTPRequest {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].utf8.allSatisfy(HTTPHead.isToken), words[1].first == "/"
        else { throw HTTPRequestError(.badRequest) }
        let isOld = words[2] == "HTTP/1.0"
        guard words[2] == "HTTP/1.1" || isOld && acceptsOldVersion else {
            throw HTTPRequestError(words[2].hasPrefix("HTTP/") ? .versionNotSupported : .badRequest)
        }
        let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return HTTPRequest(
            method: String(words[0]), path: String(target[0]), query: target.count > 1 ? String(target[1]) : "",
            isOld: isOld)
    }
}
