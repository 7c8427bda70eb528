import Foundation

/// The status of a response.
package enum HTTPStatus: Int, Hashable, Sendable {
    case switchingProtocols = 101
    case ok = 200
    case badRequest = 400
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case requestTimeout = 408
    case lengthRequired = 411
    case contentTooLarge = 413
    case unsupportedMediaType = 415
    case misdirectedRequest = 421
    case upgradeRequired = 426
    case headTooLarge = 431
    case failed = 500
    case unavailable = 503
    case versionNotSupported = 505

    package var phrase: String {
        switch self {
        case .switchingProtocols: "Switching Protocols"
        case .ok: "OK"
        case .badRequest: "Bad Request"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .requestTimeout: "Request Timeout"
        case .lengthRequired: "Length Required"
        case .contentTooLarge: "Content Too Large"
        case .unsupportedMediaType: "Unsupported Media Type"
        case .misdirectedRequest: "Misdirected Request"
        case .upgradeRequired: "Upgrade Required"
        case .headTooLarge: "Request Header Fields Too Large"
        case .failed: "Internal Server Error"
        case .unavailable: "Service Unavailable"
        case .versionNotSupported: "HTTP Version Not Supported"
        }
    }
}

/// A response. Its head has the fields of `headers` and the length of the body.
package struct HTTPResponse: Sendable {
    package var status: HTTPStatus
    /// Names and values. They contain no octets of a client, so no line can be added to the head.
    package var headers: [(name: String, value: String)]
    package var body: Data

    package init(status: HTTPStatus, headers: [(name: String, value: String)] = [], body: Data = Data()) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// The head as octets, with the empty line at its end.
    package func head(closes: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status.rawValue) \(status.phrase)\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if status != .switchingProtocols {
            text += "Content-Length: \(body.count)\r\n"
            if closes { text += "Connection: close\r\n" }
        }
        return Array((text + "\r\n").utf8)
    }
}
