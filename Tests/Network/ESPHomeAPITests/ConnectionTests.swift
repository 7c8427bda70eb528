import BLEWire
import ESPHomeAPI
import NoiseChannel
import Testing

/// A server and a client of the API, whose octets a test passes on.
struct APIPair {
    var server: APIConnection
    var client: APIConnection
    var serverMessages: [IncomingMessage] = []
    var clientMessages: [IncomingMessage] = []

    static let key = PreSharedKey(octets: Array(1...32))!

    static func ephemeral(_ seed: UInt64) -> EphemeralKey {
        var random = SeededRandom(seed: seed)
        return EphemeralKey(using: &random)
    }

    static func server(key: PreSharedKey?, seed: UInt64 = 1) -> APIConnection {
        APIConnection(
            role: .server(
                DeviceInfoResponse(
                    name: "gateway", macAddress: "AC:BC:32:89:0E:A9", version: "1", bluetoothFeatures: 127)),
            key: key, ephemeralKey: ephemeral(seed), at: .zero)
    }

    static func client(key: PreSharedKey?, expectedName: String = "") -> APIConnection {
        APIConnection(
            role: .client(information: "test", expectedName: expectedName), key: key, ephemeralKey: ephemeral(2),
            at: .zero)
    }

    init(serverKey: PreSharedKey?, clientKey: PreSharedKey?, expectedName: String = "") {
        server = Self.server(key: serverKey)
        client = Self.client(key: clientKey, expectedName: expectedName)
    }

    /// Passes octets in pieces until neither end has more.
    mutating func exchange(piece: Int = .max) throws {
        var octets: [UInt8] = []
        while server.outgoingCount + client.outgoingCount > 0 {
            client.takeOutgoing(&octets)
            for part in pieces(octets, piece) {
                server.receive(part.span, at: .zero)
                while let message = try server.next() { serverMessages.append(message) }
            }
            server.takeOutgoing(&octets)
            for part in pieces(octets, piece) {
                client.receive(part.span, at: .zero)
                while let message = try client.next() { clientMessages.append(message) }
            }
        }
    }

    private func pieces(_ octets: [UInt8], _ size: Int) -> [[UInt8]] {
        stride(from: 0, to: octets.count, by: min(size, max(1, octets.count))).map {
            Array(octets[$0..<min(octets.count, $0 + min(size, octets.count))])
        }
    }
}

struct ConnectionTests {
    static let keys: [PreSharedKey?] = [nil, APIPair.key]

    @Test(arguments: keys, [1, 7, Int.max]) func bothEndsGreet(key: PreSharedKey?, piece: Int) throws {
        var pair = APIPair(serverKey: key, clientKey: key, expectedName: "gateway")
        try pair.client.greet()
        try pair.exchange(piece: piece)
        #expect(pair.server.isReady && pair.client.isReady)
        #expect(pair.server.peerName == "test")
        #expect(pair.client.peerName == "gateway")
        #expect(pair.server.peerMinorVersion == 14)
        let information = try #require(pair.clientMessages.first)
        #expect(information.type == DeviceInfoResponse.type)
        #expect(try information.decode(DeviceInfoResponse.self).bluetoothFeatures == 127)

        pair.client.send(
            GATTWriteRequest(address: 7, handle: 3, needsResponse: true, data: Array(repeating: 9, count: 512)))
        pair.client.send(PingRequest())
        pair.server.send(GATTReadResponse(address: 7, handle: 3, data: [1]))
        try pair.exchange(piece: piece)
        #expect(pair.serverMessages.map(\.type) == [GATTWriteRequest.type])
        #expect(try pair.serverMessages[0].decode(GATTWriteRequest.self).data.count == 512)
        #expect(pair.clientMessages.map(\.type) == [DeviceInfoResponse.type, GATTReadResponse.type])
    }

    @Test func anotherKeyIsNamed() throws {
        var pair = APIPair(serverKey: APIPair.key, clientKey: PreSharedKey(octets: Array(2...33)))
        try pair.client.greet()
        #expect(throws: APIError.wrongKey) { try pair.exchange() }
        // The server's explanation reaches the client.
        #expect(throws: APIError.wrongKey) { try pair.exchange() }
        #expect(pair.server.isClosed && pair.client.isClosed)
    }

    @Test func plaintextAndEncryptionDoNotMix() throws {
        var pair = APIPair(serverKey: APIPair.key, clientKey: nil)
        try pair.client.greet()
        #expect(throws: APIError.peerIsNotEncrypted) { try pair.exchange() }
        #expect(throws: APIError.peerRequiresKey) { try pair.exchange() }
        pair = APIPair(serverKey: nil, clientKey: APIPair.key)
        try pair.client.greet()
        #expect(throws: APIError.peerRequiresKey) { try pair.exchange() }
    }

    @Test func anotherNameIsRefused() throws {
        var pair = APIPair(serverKey: APIPair.key, clientKey: APIPair.key, expectedName: "kitchen")
        try pair.client.greet()
        #expect(throws: APIError.otherName("gateway")) { try pair.exchange() }
    }

    @Test func requestsBeforeTheGreetingEndTheConnection() {
        var server = APIPair.server(key: nil)
        // A plaintext frame: 0, length 2, type 73, and an address.
        let frame: [UInt8] = [0, 2, 73, 0x08, 0x01]
        server.receive(frame.span, at: .zero)
        #expect(throws: APIError.outOfOrder) { try server.next() }
        #expect(server.isClosed)
    }

    static let lengths: [([UInt8], APIError)] = [
        ([0, 0xFF, 0xFF, 0x7F, 1], .frameTooLong(2_097_151)), ([0, 0xFF, 0xFF, 0xFF, 0xFF], .malformed(.malformed)),
        ([0, 0x81, 0x40, 1], .frameTooLong(8193)), ([2], .otherProtocol), ([0x47, 0x45, 0x54], .otherProtocol),
        ([0, 1, 1, 0x08], .malformed(.truncated)),
    ]

    @Test(arguments: lengths) func hostileFramesEndAConnection(octets: [UInt8], failure: APIError) {
        var server = APIPair.server(key: nil)
        server.receive(octets.span, at: .zero)
        #expect(throws: failure) { try server.next() }
    }

    @Test func aHandshakeIsBounded() {
        var server = APIPair.server(key: APIPair.key)
        let frame: [UInt8] = [1, 0xFF, 0xFF]
        server.receive(frame.span, at: .zero)
        #expect(throws: APIError.frameTooLong(65_535)) { try server.next() }
    }

    /// A recorded connection, sent again to a server with other ephemeral keys.
    @Test func aReplayedConnectionEnds() throws {
        var pair = APIPair(serverKey: APIPair.key, clientKey: APIPair.key)
        try pair.client.greet()
        var recorded: [UInt8] = []
        var octets: [UInt8] = []
        for _ in 0..<8 {
            pair.client.takeOutgoing(&octets)
            recorded += octets
            pair.server.receive(octets.span, at: .zero)
            while try pair.server.next() != nil {}
            pair.server.takeOutgoing(&octets)
            pair.client.receive(octets.span, at: .zero)
            while try pair.client.next() != nil {}
        }
        #expect(pair.server.isReady)
        var other = APIPair.server(key: APIPair.key, seed: 99)
        other.receive(recorded.span, at: .zero)
        #expect(throws: APIError.noise(.authentication)) { while try other.next() != nil {} }
        #expect(!other.isReady)
    }

    /// A greeting of one octet a second does not extend the time for the greeting, although each octet arrives in time.
    @Test(arguments: keys) func aSlowGreetingEnds(key: PreSharedKey?) throws {
        var server = APIPair.server(key: key)
        var client = APIConnection(
            role: .client(information: String(repeating: "x", count: 40), expectedName: ""), key: key,
            ephemeralKey: APIPair.ephemeral(2), at: .zero)
        try client.greet()
        var greeting: [UInt8] = []
        client.takeOutgoing(&greeting)
        // Without a key the first message has more than 15 octets; with one the handshake has.
        #expect(greeting.count > 15)
        for second in 0..<15 {
            let now = Instant.zero + .seconds(second)
            let octet = [greeting[second]]
            server.receive(octet.span, at: now)
            #expect(try server.next() == nil)
            #expect(server.deadline == Instant.zero + APIConnection.greetingTimeout)
            try server.handleTimeout(at: now)
        }
        #expect(!server.isReady)
        #expect(throws: APIError.greetingTimeout) { try server.handleTimeout(at: .zero + .seconds(15)) }
        #expect(server.isClosed)
    }

    /// A message that no frame holds ends the connection with a sentence, and nothing after it leaves.
    @Test(arguments: keys) func aMessageThatIsTooLongEndsTheConnection(key: PreSharedKey?) throws {
        var pair = APIPair(serverKey: key, clientKey: key)
        try pair.client.greet()
        try pair.exchange()
        let longest = APIConnection.messageLimit
        pair.server.send(AdvertisementBatch.batchType) { $0.octets = Array(repeating: 0, count: longest) }
        #expect(pair.server.failure == nil && pair.server.outgoingCount > longest)
        var octets: [UInt8] = []
        pair.server.takeOutgoing(&octets)
        pair.server.send(AdvertisementBatch.batchType) { $0.octets = Array(repeating: 0, count: longest + 1) }
        #expect(pair.server.failure == .messageTooLong(longest + 1))
        #expect(pair.server.isClosed && pair.server.outgoingCount == 0)
        #expect(pair.server.failure?.description.contains("65515") == true)
        pair.server.send(PingRequest())
        #expect(pair.server.outgoingCount == 0)
    }

    @Test func aSilentPeerGetsAPingAndThenEnds() throws {
        var pair = APIPair(serverKey: nil, clientKey: nil)
        try pair.client.greet()
        try pair.exchange()
        #expect(pair.server.deadline == .zero + .seconds(60))
        try pair.server.handleTimeout(at: .zero + .seconds(60))
        #expect(pair.server.outgoingCount > 0)
        #expect(pair.server.deadline == .zero + .seconds(150))
        try pair.exchange()
        #expect(pair.server.deadline == .zero + .seconds(60))
        try pair.server.handleTimeout(at: .zero + .seconds(60))
        #expect(throws: APIError.silence) { try pair.server.handleTimeout(at: .zero + .seconds(150)) }
    }

    @Test func aDisconnectionIsAnswered() throws {
        var pair = APIPair(serverKey: APIPair.key, clientKey: APIPair.key)
        try pair.client.greet()
        try pair.exchange()
        pair.client.disconnect()
        #expect(throws: APIError.disconnected) { try pair.exchange() }
        #expect(throws: APIError.disconnected) { try pair.exchange() }
        #expect(pair.server.isClosed && pair.client.isClosed)
    }

    /// Octets at random end in a failure, in the silence of a frame that is not whole, or in messages, and never in a trap. After a
    /// failure a connection returns nothing more. Behind encryption no message of such octets arrives.
    @Test(arguments: keys) func hostileStreamsDoNotTrap(key: PreSharedKey?) throws {
        var random = SeededRandom(seed: 6053)
        var failures = 0
        var messages = 0
        for _ in 0..<500 {
            var pair = APIPair(serverKey: key, clientKey: key)
            try pair.client.greet()
            if Bool.random(using: &random) { try pair.exchange() }
            for _ in 0..<8 {
                var octets = (0..<Int.random(in: 0..<80, using: &random)).map { _ in random.next() as UInt8 }
                if !octets.isEmpty, Bool.random(using: &random) { octets[0] = key == nil ? 0 : 1 }
                pair.server.receive(octets.span, at: .zero)
                pair.client.receive(octets.span, at: .zero)
                Self.drain(&pair.server, &messages, &failures)
                Self.drain(&pair.client, &messages, &failures)
            }
        }
        #expect(failures > 500, "most of the octets are no frames")
        #expect(key == nil || messages == 0)
    }

    private static func drain(_ connection: inout APIConnection, _ messages: inout Int, _ failures: inout Int) {
        let wasClosed = connection.isClosed
        do {
            while let message = try connection.next() {
                #expect(!wasClosed)
                #expect(message.withPayload { $0.count } < 80 * 8)
                messages += 1
            }
        } catch {
            #expect(!wasClosed && connection.isClosed)
            failures += 1
        }
    }
}
