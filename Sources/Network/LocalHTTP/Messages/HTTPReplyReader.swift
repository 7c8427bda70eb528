import BLEWire

/// A response, as a client receives it.
package struct HTTPReply: Hashable, Sendable {
    package let status: Int
    /// The fields by their names in lower case.
    package let headers: [String: String]
    package let body: [UInt8]
    /// Whether the server takes a further request on the same connection.
    package let keepsConnection: Bool
}

/// Why the octets of a server are no response that this end reads.
package enum HTTPReplyError: Error, Hashable, Sendable, CustomStringConvertible {
    case malformed
    case tooLong
    /// The body has no length.
    case noLength

    package var description: String {
        switch self {
        case .malformed: "The device does not answer by HTTP."
        case .tooLong: "The answer of the device is too long."
        case .noLength: "The answer of the device has no Content-Length."
        }
    }
}

/// Reads the responses of a server. It keeps at most one head and one body more than the octets of one read.
package struct HTTPReplyReader: Sendable {
    private let bodyLimit: Int
    private var buffer: [UInt8] = []
    private var searched = 0
    private var incomplete: (status: Int, headers: [String: String], length: Int, keeps: Bool)?

    /// - Parameter bodyLimit: The most octets of a body.
    package init(bodyLimit: Int) { self.bodyLimit = bodyLimit }

    package mutating func receive(_ octets: Span<UInt8>) { buffer.append(octets) }

    /// The next complete response that is final (RFC 9110, 15.2); nil if octets are missing.
    package mutating func next() throws(HTTPReplyError) -> HTTPReply? {
        while incomplete == nil {
            guard let end = HTTPHead.end(in: buffer, searched: searched) else {
                searched = buffer.count
                if buffer.count > HTTPHead.limit { throw .tooLong }
                return nil
            }
            try readHead(end)
        }
        guard let (status, headers, length, keeps) = incomplete, buffer.count >= length else { return nil }
        incomplete = nil
        defer { buffer.removeFirst(length) }
        return HTTPReply(status: status, headers: headers, body: Array(buffer[..<length]), keepsConnection: keeps)
    }

    private mutating func readHead(_ end: Int) throws(HTTPReplyError) {
        guard end <= HTTPHead.limit else { throw .tooLong }
        let start: Substring
        let fields: [String: String]
        do throws(HTTPRequestError) { (start, fields) = try HTTPHead.parse(Array(buffer[..<(end - 4)])) } catch {
            throw .malformed
        }
        buffer.removeFirst(end)
        searched = 0
        // The reason may be missing, and then the space before it too.
        let words = start.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count > 1, words[0] == "HTTP/1.1" || words[0] == "HTTP/1.0", words[1].utf8.count == 3,
            let status = Int(words[1]), (100...599).contains(status)
        else { throw .malformed }
        // A further response follows one of the class 1xx.
        guard status >= 200 else { return }
        guard fields["transfer-encoding"] == nil else { throw .noLength }
        var length = 0
        // RFC 9112, 6.3: these have no body.
        if status != 204, status != 304 {
            guard let text = fields["content-length"] else { throw .noLength }
            guard let number = HTTPHead.length(text) else { throw .malformed }
            guard number <= bodyLimit else { throw .tooLong }
            length = number
        }
        let keeps = words[0] == "HTTP/1.1" && !HTTPHead.tokens(fields["connection"]).contains("close")
        incomplete = (status, fields, length, keeps)
    }
}
