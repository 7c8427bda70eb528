/// The head of a request (RFC 9112). The studio answers requests without a body only.
struct HTTPRequest: Hashable, Sendable {
    var method: String
    /// The target up to `?`, as sent.
    var path: String
    /// The target after `?`, as sent.
    var query = ""
    /// The fields by their names in lower case.
    var headers: [String: String] = [:]

    /// The elements of a field that is a list, such as `Connection`, in lower case.
    func tokens(of header: String) -> [String] {
        (headers[header] ?? "").split(separator: ",").map { $0.trimmed.lowercased() }
    }

    /// Whether the client expects a further request on the same connection.
    var keepsConnection: Bool { !tokens(of: "connection").contains("close") }
}

/// The reason why a request is refused before it is complete.
struct HTTPFailure: Error, Hashable {
    var status: HTTPStatus

    init(_ status: HTTPStatus) { self.status = status }
}

/// Reads requests from the octets of a connection. It keeps at most `headLimit` octets, and is strict: a line ends with CR LF, and nothing folds.
struct HTTPRequestReader {
    /// The most octets of a head.
    static let headLimit = 8192
    static let fieldLimit = 64

    private(set) var buffer: [UInt8] = []
    /// The octets that are searched for the end of the head.
    private var searched = 0

    /// Whether a part of a request has arrived.
    var isReading: Bool { !buffer.isEmpty }

    mutating func receive(_ octets: Span<UInt8>) { buffer.append(octets) }

    /// Takes the octets after the last request, for the protocol to which the connection switches.
    mutating func takeRest() -> [UInt8] {
        searched = 0
        defer { buffer = [] }
        return buffer
    }

    /// The next complete request; nil if octets are missing.
    mutating func next() throws(HTTPFailure) -> HTTPRequest? {
        guard let end = headEnd() else {
            if buffer.count > Self.headLimit { throw HTTPFailure(.headTooLarge) }
            return nil
        }
        guard end <= Self.headLimit else { throw HTTPFailure(.headTooLarge) }
        let head = Array(buffer[..<(end - 4)])
        buffer.removeFirst(end)
        searched = 0
        return try Self.parse(head)
    }

    /// The index after the empty line that ends the head.
    private mutating func headEnd() -> Int? {
        var index = max(searched, 3)
        while index < buffer.count {
            if buffer[index] == 10, buffer[index - 1] == 13, buffer[index - 2] == 10, buffer[index - 3] == 13 {
                return index + 1
            }
            index += 1
        }
        searched = max(0, buffer.count)
        return nil
    }

    private static func parse(_ head: [UInt8]) throws(HTTPFailure) -> HTTPRequest {
        // Visible ASCII and spaces; CR and LF only as the end of a line. Names and values with other octets are not needed.
        guard head.allSatisfy({ (32...126).contains($0) || $0 == 9 || $0 == 13 || $0 == 10 }) else {
            throw HTTPFailure(.badRequest)
        }
        var lines: [Substring] = []
        let text = String(decoding: head, as: Unicode.ASCII.self)
        // "\r\n" is one Character, so a CR or LF alone stays in a line and is refused.
        for line in text.split(separator: "\r\n" as Character, omittingEmptySubsequences: false) {
            guard !line.unicodeScalars.contains(where: { $0 == "\r" || $0 == "\n" }) else {
                throw HTTPFailure(.badRequest)
            }
            lines.append(line)
        }
        var request = try requestLine(lines.removeFirst())
        guard lines.count <= fieldLimit else { throw HTTPFailure(.headTooLarge) }
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else { throw HTTPFailure(.badRequest) }
            let name = line[..<colon]
            guard name.utf8.allSatisfy(isToken) else { throw HTTPFailure(.badRequest) }
            let key = name.lowercased()
            let value = line[line.index(after: colon)...].trimmed
            if let present = request.headers[key] {
                guard !singleFields.contains(key) else { throw HTTPFailure(.badRequest) }
                request.headers[key] = "\(present), \(value)"
            } else {
                request.headers[key] = String(value)
            }
        }
        guard request.headers["transfer-encoding"] == nil, request.headers["content-length", default: "0"] == "0" else {
            throw HTTPFailure(.contentTooLarge)
        }
        return request
    }

    private static func requestLine(_ line: Substring) throws(HTTPFailure) -> HTTPRequest {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].utf8.allSatisfy(isToken), words[1].first == "/" else {
            throw HTTPFailure(.badRequest)
        }
        guard words[2] == "HTTP/1.1" else {
            throw HTTPFailure(words[2].hasPrefix("HTTP/") ? .versionNotSupported : .badRequest)
        }
        let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return HTTPRequest(
            method: String(words[0]), path: String(target[0]), query: target.count > 1 ? String(target[1]) : "")
    }

    /// Fields that decide on security or framing, and must not be ambiguous.
    private static let singleFields: Set<String> = [
        "host", "origin", "content-length", "transfer-encoding", "upgrade", "sec-websocket-key",
        "sec-websocket-version",
        "sec-fetch-site", "sec-fetch-mode",
    ]

    /// RFC 9110, 5.6.2.
    private static func isToken(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(octet)
        }
    }
}

extension Substring {
    /// The text without spaces and tabs at its ends.
    fileprivate var trimmed: Substring {
        var rest = self
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}
