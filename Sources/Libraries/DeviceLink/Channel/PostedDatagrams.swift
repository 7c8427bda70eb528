import BLETransport
import BLEWire

/// The body of a request or a response of the way over HTTP: datagrams of the secure channel, each after its length in two octets, the most significant
/// first.
enum PostedDatagrams {
    /// The path of the requests; the number is the version.
    static let path = "/device-link/1"
    static let type = "application/octet-stream"
    /// The most octets of a body. The longest datagram fits.
    static let longest = 16_384
    /// The most datagrams of a body.
    static let most = 8
    private static let overhead = SecureDatagram.sealedHeaderLength + 16 + 2

    static func encode(_ datagrams: [[UInt8]]) -> [UInt8] {
        datagrams.reduce(into: []) { body, datagram in
            body.append(UInt8(truncatingIfNeeded: datagram.count >> 8))
            body.append(UInt8(truncatingIfNeeded: datagram.count))
            body += datagram
        }
    }

    /// Returns nil for octets that are no body.
    static func decode(_ body: some Collection<UInt8>) -> [[UInt8]]? {
        guard body.count <= longest else { return nil }
        var datagrams: [[UInt8]] = []
        var rest = body[...]
        while let high = rest.popFirst() {
            guard datagrams.count < most, let low = rest.popFirst() else { return nil }
            let count = Int(high) << 8 | Int(low)
            guard rest.count >= count else { return nil }
            datagrams.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return datagrams
    }

    /// Takes the first envelopes that fit in one body.
    static func takeBatch(from envelopes: inout [[UInt8]]) -> [[UInt8]] {
        var room = longest
        let batch = envelopes.prefix(most).prefix { envelope in
            room -= envelope.count + overhead
            return room >= 0
        }
        defer { envelopes.removeFirst(batch.count) }
        return Array(batch)
    }
}

/// The device's end of the way over HTTP, as a value: bodies of requests go in, envelopes and bodies of responses come out.
///
/// An envelope for a client waits until the client asks. The memory is bounded: `mostWaiting` envelopes for each connection of the `DatagramServer`.
struct PostedServer: Sendable {
    enum Outcome: Equatable, Sendable {
        /// The body is no list of datagrams.
        case malformed
        /// No datagram authenticates.
        case refused
        /// The answer to the first message of a handshake.
        case greeted([UInt8])
        /// Envelopes of a client. One that waits takes the response when there is something for it.
        case received([[UInt8]], client: UInt64, waits: Bool)
    }

    static let mostWaiting = 64

    private var server: DatagramServer<String>
    private var waiting: [UInt64: [[UInt8]]] = [:]

    init(key: LinkKey) { server = DatagramServer(key: key) { $0 } }

    var clientCount: Int { waiting.count }

    /// - Parameter source: What the client cannot choose of its address.
    mutating func receive(_ body: [UInt8], from source: String, at now: Duration) -> Outcome {
        guard let datagrams = PostedDatagrams.decode(body), !datagrams.isEmpty else { return .malformed }
        var answers: [[UInt8]] = []
        var envelopes: [[UInt8]] = []
        var client: UInt64?
        var waits = false
        for datagram in datagrams {
            let (received, answer) = server.receive(datagram, from: source, at: now)
            if let answer { answers.append(answer) }
            // All datagrams of a body belong to one connection.
            guard let received, client == nil || client == received.client else { continue }
            client = received.client
            // A sealed datagram without an envelope asks for what the device has.
            if received.envelope.isEmpty { waits = true } else { envelopes.append(received.envelope) }
        }
        if let client {
            if waiting[client] == nil {
                waiting = waiting.filter { server.knows($0.key) }
                waiting[client] = []
            }
            return .received(envelopes, client: client, waits: waits)
        }
        return answers.isEmpty ? .refused : .greeted(PostedDatagrams.encode(answers))
    }

    /// Keeps an envelope until the client asks. Returns false if the client is unknown.
    mutating func post(_ envelope: [UInt8], to client: UInt64) -> Bool {
        guard waiting[client] != nil else { return false }
        waiting[client]?.append(envelope)
        // The link repeats what is lost.
        if waiting[client, default: []].count > Self.mostWaiting { waiting[client]?.removeFirst() }
        return true
    }

    func hasMail(for client: UInt64) -> Bool { waiting[client]?.isEmpty == false }

    /// The body with the first envelopes for a client. It is empty without any.
    mutating func takeMail(for client: UInt64) -> [UInt8] {
        guard var envelopes = waiting[client] else { return [] }
        let batch = PostedDatagrams.takeBatch(from: &envelopes)
        waiting[client] = envelopes
        return PostedDatagrams.encode(batch.compactMap { server.seal($0, to: client)?.datagram })
    }
}
