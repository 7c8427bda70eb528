/// Asks for services without multicast: a query to a broadcast address or to one host, and the responses to it.
///
/// This is the fallback where a network carries no multicast, and the way to a host whose address is known. The query is that of a client without
/// multicast DNS (RFC 6762, 5.5 and 6.7), so each responder of multicast DNS that receives it answers.
package struct ServiceProbe {
    /// When the query is sent, from the start.
    private static let times: [Duration] = [.zero, .milliseconds(250), .seconds(1), .seconds(2)]
    private static let length = Duration.seconds(3)

    private let type: DNSName
    private let identifier: UInt16
    private var browser: ServiceBrowser
    private let start: Duration
    private var asked = 0
    private(set) package var isOver = false

    /// - Parameter identifier: A random number, which the responses repeat.
    package init(type: String, identifier: UInt16, at now: Duration) throws(LocalServiceError) {
        guard let name = LocalService.typeName(type) else { throw .type(type) }
        self.type = name
        self.identifier = identifier
        browser = try ServiceBrowser(type: type, seed: UInt64(identifier))
        browser.setInterfaces([0], at: now)
        start = now
    }

    /// The services that have answered.
    package var found: [FoundService] { browser.found }

    package var deadline: Duration? {
        if isOver { return nil }
        return start + (asked < Self.times.count ? Self.times[asked] : Self.length)
    }

    /// Returns the query to send now, or nil.
    package mutating func handleTimeout(at now: Duration) -> [UInt8]? {
        guard let deadline, deadline <= now else { return nil }
        guard asked < Self.times.count else {
            isOver = true
            return nil
        }
        asked += 1
        var query = DNSMessage()
        query.identifier = identifier
        query.questions = [DNSQuestion(type, .ptr)]
        return query.encoded
    }

    /// Receives a datagram. Those that answer another query are ignored.
    package mutating func receive(_ octets: [UInt8], from source: Endpoint, at now: Duration) {
        guard !isOver, let message = try? DNSMessage(decoding: octets), message.isResponse,
            message.identifier == identifier
        else { return }
        browser.receive(message, from: source, on: 0, at: now)
    }
}
