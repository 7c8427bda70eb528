import BLETransport
import NoiseChannel

/// The datagrams of a secure channel that loses, repeats and reorders them: a kind, the number of the connection in 8 octets, and content.
enum SecureDatagram {
    static let hello: UInt8 = 1
    static let answer: UInt8 = 2
    static let sealed: UInt8 = 3
    static let connectionLength = 8
    static let headerLength = 1 + connectionLength
    /// Of a sealed one, with the counter.
    static let sealedHeaderLength = headerLength + 8
    static let longest = sealedHeaderLength + LinkEnvelope.longest + NoiseCipher.tagLength
    private static let prologue = Array("OpenCoreBluetooth device link datagrams 1".utf8)

    static func handshake(
        _ role: HandshakeState.Role, _ key: LinkKey, connection: [UInt8], _ ephemeralKey: EphemeralKey = EphemeralKey()
    ) -> HandshakeState {
        HandshakeState(role: role, key: key.key, prologue: prologue + connection, ephemeralKey: ephemeralKey)
    }
}

/// The keys of one connection, and the counters that arrived.
struct DatagramCiphers: Sendable {
    private let connection: [UInt8]
    private var sending: NoiseCipher
    private let receiving: NoiseCipher
    private var window = ReplayWindow()

    init(_ ciphers: (sending: NoiseCipher, receiving: NoiseCipher), connection: [UInt8]) {
        (sending, receiving) = ciphers
        self.connection = connection
    }

    mutating func seal(_ envelope: [UInt8]) -> [UInt8]? {
        guard envelope.count <= LinkEnvelope.longest else { return nil }
        var datagram = [SecureDatagram.sealed] + connection
        for shift in stride(from: 56, through: 0, by: -8) {
            datagram.append(UInt8(truncatingIfNeeded: sending.nextNonce >> UInt64(shift)))
        }
        guard (try? sending.seal(envelope.span, header: datagram, into: &datagram)) != nil else { return nil }
        return datagram
    }

    /// Returns nil for a datagram that does not authenticate or was received before.
    mutating func open(_ datagram: [UInt8]) -> [UInt8]? {
        guard datagram.count > SecureDatagram.sealedHeaderLength else { return nil }
        let header = Array(datagram[..<SecureDatagram.sealedHeaderLength])
        let counter = header[SecureDatagram.headerLength...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard window.accepts(counter),
            let envelope = try? receiving.open(
                datagram.span.extracting(droppingFirst: header.count), nonce: counter, header: header)
        else { return nil }
        window.insert(counter)
        return envelope
    }
}

/// The client's end of a secure channel over datagrams, as a value.
package struct DatagramClient: Sendable {
    private let connection: [UInt8]
    private let hello: [UInt8]
    private var handshake: HandshakeState
    private var ciphers: DatagramCiphers?
    package private(set) var dropped = 0

    package init(key: LinkKey) {
        var random = SystemRandomNumberGenerator()
        connection = (0..<SecureDatagram.connectionLength).map { _ in random.next() as UInt8 }
        handshake = SecureDatagram.handshake(.initiator, key, connection: connection)
        // The first call of a new handshake does not fail.
        hello = [SecureDatagram.hello] + connection + ((try? handshake.writeMessage()) ?? [])
    }

    package var isReady: Bool { ciphers != nil }

    /// The datagram that begins the channel. The caller repeats it until the channel is ready.
    package var greeting: [UInt8]? { isReady ? nil : hello }

    package mutating func seal(_ envelope: [UInt8]) -> [UInt8]? { ciphers?.seal(envelope) }

    /// Takes a datagram and returns its envelope, if it has one.
    package mutating func receive(_ datagram: [UInt8]) -> [UInt8]? {
        guard datagram.count > SecureDatagram.headerLength,
            datagram[1..<SecureDatagram.headerLength].elementsEqual(connection)
        else {
            dropped += 1
            return nil
        }
        if datagram[0] == SecureDatagram.answer, ciphers == nil {
            // A forged answer must not end the handshake: each one is tried with a copy.
            var attempt = handshake
            guard (try? attempt.readMessage(Array(datagram[SecureDatagram.headerLength...]))) != nil,
                let keys = try? attempt.ciphers()
            else {
                dropped += 1
                return nil
            }
            ciphers = DatagramCiphers(keys, connection: connection)
            return nil
        }
        guard datagram[0] == SecureDatagram.sealed, let envelope = ciphers?.open(datagram) else {
            dropped += 1
            return nil
        }
        return envelope
    }
}

/// The device's end of secure channels over datagrams, as a value. `Address` is where a client is heard.
///
/// The memory is bounded: 32 connections of clients that have shown that they know the key, and 8 that have not yet. The first message of a
/// handshake can be a recording, so only a sealed datagram shows it. When a connection needs the place of another one, the source with the most
/// connections that have not shown the key loses its oldest, so that a flood displaces itself.
package struct DatagramServer<Address: Hashable & Sendable>: Sendable {
    private struct Connection {
        let number: UInt64
        /// The datagram that began the connection, and the answer to it.
        let hello: [UInt8]
        let answer: [UInt8]
        var ciphers: DatagramCiphers
        var address: Address
        var lastHeard: Duration
        var isConfirmed = false
    }

    package struct Received: Sendable {
        package let envelope: [UInt8]
        /// The connection: another number for each.
        package let client: UInt64
    }

    package static var mostConfirmed: Int { 32 }
    package static var mostUnconfirmed: Int { 8 }
    package static var handshakesInASecond: Int { 50 }
    /// A source that repeats recorded greetings leaves the other handshakes of a second to other sources.
    package static var handshakesOfASource: Int { 10 }

    private let key: LinkKey
    private let source: @Sendable (Address) -> String
    /// The key of the next handshake. A datagram that does not authenticate does not use it up.
    private var ephemeralKey = EphemeralKey()
    private var connections: [[UInt8]: Connection] = [:]
    private var identifiers: [UInt64: [UInt8]] = [:]
    private var nextNumber: UInt64 = 1
    private var handshakeSecond: Int64 = 0
    /// Those of this second, in all and by their source.
    private var handshakes = 0
    private var handshakesBySource: [String: Int] = [:]
    private var latest = Duration.zero
    package private(set) var dropped = 0
    package var connectionCount: Int { connections.count }

    /// - Parameter source: The part of an address that a client cannot choose.
    package init(key: LinkKey, source: @escaping @Sendable (Address) -> String = { "\($0)" }) {
        (self.key, self.source) = (key, source)
    }

    /// Whether the connection has not been forgotten.
    package func knows(_ client: UInt64) -> Bool { identifiers[client] != nil }

    /// Seals an envelope for a connection. Returns nil if the connection was forgotten.
    package mutating func seal(_ envelope: [UInt8], to client: UInt64) -> (address: Address, datagram: [UInt8])? {
        guard let identifier = identifiers[client], let address = connections[identifier]?.address,
            let datagram = connections[identifier]?.ciphers.seal(envelope)
        else { return nil }
        return (address, datagram)
    }

    /// Takes a datagram. Returns its envelope, and a datagram to send back to where it came from.
    package mutating func receive(
        _ datagram: [UInt8], from address: Address, at now: Duration
    ) -> (received: Received?, answer: [UInt8]?) {
        latest = max(latest, now)
        guard datagram.count > SecureDatagram.headerLength else {
            dropped += 1
            return (nil, nil)
        }
        let identifier = Array(datagram[1..<SecureDatagram.headerLength])
        switch datagram[0] {
        case SecureDatagram.hello: return (nil, answer(datagram, identifier, address))
        case SecureDatagram.sealed:
            guard let envelope = connections[identifier]?.ciphers.open(datagram) else { break }
            // Only what authenticates moves a client to another address.
            connections[identifier]!.address = address
            connections[identifier]!.lastHeard = latest
            if !connections[identifier]!.isConfirmed { confirm(identifier) }
            return (Received(envelope: envelope, client: connections[identifier]!.number), nil)
        default: break
        }
        dropped += 1
        return (nil, nil)
    }

    private mutating func confirm(_ identifier: [UInt8]) {
        connections[identifier]!.isConfirmed = true
        let confirmed = connections.filter { $0.value.isConfirmed }
        if confirmed.count > Self.mostConfirmed { removeOldest(confirmed) }
    }

    private mutating func answer(_ datagram: [UInt8], _ identifier: [UInt8], _ address: Address) -> [UInt8]? {
        if let connection = connections[identifier] {
            // The answer was lost, or the datagram is a recording: its sender cannot read the answer. A client with the answer has no use for
            // another one. Any other datagram gets nothing, so that the device is no mirror for forged addresses.
            guard !connection.isConfirmed, connection.hello == datagram else {
                dropped += 1
                return nil
            }
            return connection.answer
        }
        let second = Int64(latest / .seconds(1))
        if second != handshakeSecond { (handshakeSecond, handshakes, handshakesBySource) = (second, 0, [:]) }
        let place = source(address)
        // Only a message that authenticates counts, so that octets without the key leave the handshakes of a second to clients.
        var handshake = SecureDatagram.handshake(.responder, key, connection: identifier, ephemeralKey)
        guard handshakes < Self.handshakesInASecond, handshakesBySource[place, default: 0] < Self.handshakesOfASource,
            (try? handshake.readMessage(Array(datagram[SecureDatagram.headerLength...]))) != nil
        else {
            dropped += 1
            return nil
        }
        handshakes += 1
        handshakesBySource[place, default: 0] += 1
        ephemeralKey = EphemeralKey()
        guard let message = try? handshake.writeMessage(), let keys = try? handshake.ciphers() else {
            dropped += 1
            return nil
        }
        let unconfirmed = connections.filter { !$0.value.isConfirmed }
        if unconfirmed.count >= Self.mostUnconfirmed,
            let displaced = unconfirmed.sorted(by: { $0.value.number < $1.value.number })
                .firstOfLargestGroup(by: { source($0.value.address) })
        {
            remove(displaced.key)
        }
        let answer = [SecureDatagram.answer] + identifier + message
        connections[identifier] = Connection(
            number: nextNumber, hello: datagram, answer: answer, ciphers: DatagramCiphers(keys, connection: identifier),
            address: address, lastHeard: latest)
        identifiers[nextNumber] = identifier
        nextNumber += 1
        return answer
    }

    private mutating func removeOldest(_ connections: [[UInt8]: Connection]) {
        let oldest = connections.min { ($0.value.lastHeard, $0.value.number) < ($1.value.lastHeard, $1.value.number) }
        if let oldest { remove(oldest.key) }
    }

    private mutating func remove(_ identifier: [UInt8]) {
        guard let connection = connections.removeValue(forKey: identifier) else { return }
        identifiers[connection.number] = nil
    }
}
