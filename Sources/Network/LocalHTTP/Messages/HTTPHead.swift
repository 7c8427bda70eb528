/// The head of a request or a response (RFC 9112, 2.1): a start line, and fields. The parser is strict: a line ends with CR LF, and nothing folds.
enum HTTPHead {
    /// The most octets of a head.
    static let limit = 8192
    static let fieldLimit = 64

    /// Fields that decide on security or framing, and must not be ambiguous.
    private static let singleFields: Set<String> = [
        "host", "origin", "content-length", "transfer-encoding", "upgrade", "sec-websocket-key",
        "sec-websocket-version",
        "sec-fetch-site", "sec-fetch-mode",
    ]

    /// The index after the empty line that ends the head; nil if it has not arrived.
    ///
    /// - Parameter searched: The octets that were searched before.
    static func end(in buffer: [UInt8], searched: Int) -> Int? {
        var index = max(searched, 3)
        while index < buffer.count {
            if buffer[index] == 10, buffer[index - 1] == 13, buffer[index - 2] == 10, buffer[index - 3] == 13 {
                return index + 1
            }
            index += 1
        }
        return nil
    }

    /// The start line and the fields.
    static func parse(_ head: [UInt8]) throws(HTTPRequestError) -> (start: Substring, fields: [String: String]) {
        // Visible ASCII and spaces; CR and LF only as the end of a line. Names and values with other octets are not needed.
        guard head.allSatisfy({ (32...126).contains($0) || $0 == 9 || $0 == 13 || $0 == 10 }) else {
            throw HTTPRequestError(.badRequest)
        }
        var lines: [Substring] = []
        let text = String(decoding: head, as: Unicode.ASCII.self)
        // "\r\n" is one Character, so a CR or LF alone stays in a line and is refused.
        for line in text.split(separator: "\r\n" as Character, omittingEmptySubsequences: false) {
            guard !line.unicodeScalars.contains(where: { $0 == "\r" || $0 == "\n" }) else {
                throw HTTPRequestError(.badRequest)
            }
            lines.append(line)
        }
        let start = lines.removeFirst()
        guard lines.count <= fieldLimit else { throw HTTPRequestError(.headTooLarge) }
        var fields: [String: String] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else {
                throw HTTPRequestError(.badRequest)
            }
            let name = line[..<colon]
            guard name.utf8.allSatisfy(isToken) else { throw HTTPRequestError(.badRequest) }
            let key = name.lowercased()
            let value = line[line.index(after: colon)...].trimmed
            if let present = fields[key] {
                guard !singleFields.contains(key) else { throw HTTPRequestError(.badRequest) }
                fields[key] = "\(present), \(value)"
            } else {
                fields[key] = String(value)
            }
        }
        return (start, fields)
    }

    /// The number in the field Content-Length; nil for other text, and for a number that no machine has room for.
    static func length(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }

    static func tokens(_ list: String?) -> [String] {
        (list ?? "").split(separator: ",").map { $0.trimmed.lowercased() }
    }

    /// RFC 9110, 5.6.2.
    static func isToken(_ octet: UInt8) -> Bool {
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
