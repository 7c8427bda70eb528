/// One message between a client and a device. Its octets are a JSON object; Documentation/DeviceLink.md describes the fields.
package struct LinkEnvelope: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// A client asks for a session; `id` is a number that the answer repeats.
        case hello
        /// The device offers a session.
        case welcome
        /// A client asks the device to carry out `op`.
        case request
        /// The device has received the request.
        case accepted
        /// The device has carried out the request: `args` is the result, or `error` the reason why not.
        case reply
        /// Something happened at the device.
        case event
        /// A client asks for a sign of life, and for the events after `seen`.
        case ping
        case pong
        /// The device does not know the session; `op` is the reason.
        case refused
    }

    package static let version: Int64 = 1
    /// The most octets of an envelope.
    package static let longest = 8192
    /// The most octets of an identifier of a device, an operation, a session and the code of an error.
    package static let longestName = 64
    /// The greatest number, which all programs with JSON can represent.
    package static let greatestNumber: Int64 = 1 << 53 - 1

    package var kind: Kind
    /// The identifier of the device, in both directions.
    package var target: String
    package var session: String?
    package var id: Int64 = 0
    /// Of a request: the first one whose reply the client still wants. Of an event: the first one that the device still has.
    package var first: Int64 = 0
    /// The last event that the client has received.
    package var seen: Int64 = 0
    package var op: String?
    package var args = LinkValue.null
    package var error: LinkError?

    package init(_ kind: Kind, target: String, session: String? = nil, id: Int64 = 0) {
        self.kind = kind
        self.target = target
        self.session = session
        self.id = id
    }

    package static func isName(_ text: String) -> Bool { (1...longestName).contains(text.utf8.count) }

    /// - Throws: `LinkFormatError.tooLong` if the envelope has more than 8,192 octets.
    package func encoded() throws(LinkFormatError) -> [UInt8] {
        var members: [String: LinkValue] = [
            "v": .integer(Self.version), "kind": .text(kind.rawValue), "target": .text(target), "id": .integer(id),
        ]
        if let session { members["session"] = .text(session) }
        if first != 0 { members["first"] = .integer(first) }
        if seen != 0 { members["seen"] = .integer(seen) }
        if let op { members["op"] = .text(op) }
        if args != .null { members["args"] = args }
        if let error { members["error"] = ["code": .text(error.code), "message": .text(error.message)] }
        let octets = JSONWriter.octets(of: .object(members))
        guard octets.count <= Self.longest else { throw .tooLong }
        return octets
    }

    /// Decodes the octets of a peer. Members with other names are ignored.
    package init(decoding octets: [UInt8]) throws(LinkFormatError) {
        let value = try JSONReader.value(of: octets)
        guard case .object(let members) = value else { throw .notJSON }
        guard members["v"] == .integer(Self.version) else { throw .version }
        guard let kind = members["kind"]?.text.flatMap(Kind.init) else { throw .field("kind") }
        guard let target = try Self.name("target", members) else { throw .field("target") }
        self.init(kind, target: target)
        session = try Self.name("session", members)
        op = try Self.name("op", members)
        id = try Self.number("id", members)
        first = try Self.number("first", members)
        seen = try Self.number("seen", members)
        args = members["args"] ?? .null
        if let error = members["error"] {
            guard let code = error["code"]?.text, Self.isName(code), let message = error["message"]?.text else {
                throw .field("error")
            }
            self.error = LinkError(code, message)
        }
        switch kind {
        case .hello: break
        case .request, .event, .refused:
            guard op != nil else { throw .field("op") }
            fallthrough
        default: guard session != nil else { throw .field("session") }
        }
    }

    private static func name(_ key: String, _ members: [String: LinkValue]) throws(LinkFormatError) -> String? {
        guard let value = members[key] else { return nil }
        guard let text = value.text, isName(text) else { throw .field(key) }
        return text
    }

    private static func number(_ key: String, _ members: [String: LinkValue]) throws(LinkFormatError) -> Int64 {
        guard let value = members[key] else { return 0 }
        guard let number = value.integer, (0...greatestNumber).contains(number) else { throw .field(key) }
        return number
    }
}

/// The reason why a device did not carry out a request.
public struct LinkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A word for programs, such as `unknownOperation`: 1 to 64 octets.
    public let code: String
    /// A sentence for people.
    public let message: String

    /// Creates an error. A longer code is cut to 64 octets, a longer message to 1,000.
    public init(_ code: String, _ message: String) {
        self.code = Self.cut(code.isEmpty ? "error" : code, LinkEnvelope.longestName)
        self.message = Self.cut(message, 1000)
    }

    private static func cut(_ text: String, _ count: Int) -> String {
        var result = text
        while result.utf8.count > count { result.unicodeScalars.removeLast() }
        return result
    }

    /// The message and the code.
    public var description: String { "\(message) (\(code))" }
}
