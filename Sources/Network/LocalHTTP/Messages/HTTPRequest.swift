/// A request (RFC 9112).
package struct HTTPRequest: Hashable, Sendable {
    package var method: String
    /// The target up to `?`, as sent.
    package var path: String
    /// The target after `?`, as sent.
    package var query: String
    /// The fields by their names in lower case.
    package var headers: [String: String]
    package var body: [UInt8]
    /// Whether the client speaks HTTP/1.0, which has one request a connection.
    package var isOld: Bool

    package init(
        method: String, path: String, query: String = "", headers: [String: String] = [:], body: [UInt8] = [],
        isOld: Bool = false
    ) {
        (self.method, self.path, self.query) = (method, path, query)
        (self.headers, self.body, self.isOld) = (headers, body, isOld)
    }

    /// The elements of a field that is a list, such as `Connection`, in lower case.
    package func tokens(of header: String) -> [String] { HTTPHead.tokens(headers[header]) }

    /// Whether the client expects a further request on the same connection.
    package var keepsConnection: Bool { !isOld && !tokens(of: "connection").contains("close") }

    /// The name or address in the field Host, without its port and without brackets. Nil if the field is missing or wrong.
    package var host: String? {
        guard let text = headers["host"] else { return nil }
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]"), Self.isPort(text[text.index(after: end)...]) else { return nil }
            return String(text[..<end].dropFirst())
        }
        let end = text.firstIndex(of: ":") ?? text.endIndex
        return Self.isPort(text[end...]) ? String(text[..<end]) : nil
    }

    /// Whether a text is empty or a colon with a port.
    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty
            || text.first == ":" && text.count <= 6 && text.dropFirst().utf8.allSatisfy { (48...57).contains($0) }
    }
}

/// The reason why a request is refused before it is complete.
package struct HTTPRequestError: Error, Hashable {
    package var status: HTTPStatus

    package init(_ status: HTTPStatus) { self.status = status }
}
