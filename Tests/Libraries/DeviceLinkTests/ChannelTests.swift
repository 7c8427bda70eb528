import NoiseChannel
import TestConditions
import Testing

@testable import DeviceLink

/// The secure channels, and attacks on them.
struct ChannelTests {
    private let key = LinkKey.random()

    /// A client and a device that have finished the handshake.
    private func streams() throws -> (client: SecureStream, device: SecureStream) {
        var client = SecureStream(isClient: true, key: key)
        var device = SecureStream(isClient: false, key: key)
        client.start()
        #expect(try device.receive(client.takeOutgoing()).isEmpty)
        #expect(try client.receive(device.takeOutgoing()).isEmpty)
        #expect(client.isReady && device.isReady)
        return (client, device)
    }

    @Test func aStreamCarriesEnvelopesInBothDirectionsHoweverItIsCut() throws {
        var (client, device) = try streams()
        let envelopes = [[], [1], [UInt8](repeating: 7, count: LinkEnvelope.longest)]
        for envelope in envelopes { client.send(envelope) }
        var received: [[UInt8]] = []
        for octet in client.takeOutgoing() { received += try device.receive([octet]) }
        #expect(received == envelopes)
        device.send([9])
        device.send([8])
        #expect(try client.receive(device.takeOutgoing()) == [[9], [8]])
        client.send([UInt8](repeating: 7, count: LinkEnvelope.longest + 1))
        #expect(client.takeOutgoing().isEmpty)
    }

    @Test func anotherKeyIsRefusedBeforeTheFirstEnvelope() {
        var client = SecureStream(isClient: true, key: .random())
        var device = SecureStream(isClient: false, key: key)
        client.start()
        let first = client.takeOutgoing()
        #expect(throws: LinkChannelError.authentication) { try device.receive(first) }
        #expect(device.takeOutgoing().isEmpty, "a stranger gets no octet")
        #expect(throws: LinkChannelError.malformed) { try device.receive([0]) }
    }

    @Test func aStreamRefusesChangedRepeatedAndMissingFrames() throws {
        let (client, device) = try streams()
        func frames(_ count: Int) -> [[UInt8]] {
            var sender = client
            return (0..<count).map { number in
                sender.send([UInt8(number), 1, 2, 3])
                return sender.takeOutgoing()
            }
        }
        let sent = frames(3)
        var receiver = device
        #expect(try receiver.receive(sent[0]) == [[0, 1, 2, 3]])
        #expect(throws: LinkChannelError.authentication) { try receiver.receive(sent[0]) }
        receiver = device
        #expect(throws: LinkChannelError.authentication) { try receiver.receive(sent[1]) }
        for place in 2..<sent[0].count {
            receiver = device
            var changed = sent[0]
            changed[place] ^= 1
            #expect(throws: LinkChannelError.authentication) { try receiver.receive(changed) }
        }
        // A recording of the whole connection means nothing to another one: its keys are new.
        var other = SecureStream(isClient: false, key: key)
        var again = SecureStream(isClient: true, key: key)
        again.start()
        _ = try other.receive(again.takeOutgoing())
        #expect(throws: LinkChannelError.authentication) { try other.receive(sent[0]) }
    }

    @Test func aLongFrameIsRefusedWithoutWaitingForIt() throws {
        var stranger = SecureStream(isClient: false, key: key)
        #expect(throws: LinkChannelError.malformed) { try stranger.receive([0, 97]) }
        var (_, device) = try streams()
        #expect(throws: LinkChannelError.malformed) { try device.receive([0xFF, 0xFF]) }
    }

    /// The first message of a handshake can be a recording. Its sender never seals a frame.
    @Test func aRecordedGreetingDoesNotConfirmAConnection() throws {
        var client = SecureStream(isClient: true, key: key)
        client.start()
        let recorded = client.takeOutgoing()
        var device = SecureStream(isClient: false, key: key)
        _ = try device.receive(recorded)
        #expect(device.isReady && !device.isConfirmed && !client.isConfirmed)
        _ = try client.receive(device.takeOutgoing())
        #expect(client.isConfirmed && !device.isConfirmed)
        client.send([1])
        let sealed = client.takeOutgoing()
        #expect(try device.receive(sealed) == [[1]])
        #expect(device.isConfirmed)
        var other = SecureStream(isClient: false, key: key)
        _ = try other.receive(recorded)
        #expect(throws: LinkChannelError.authentication) { try other.receive(sealed) }
        #expect(!other.isConfirmed)
    }

    // MARK: Datagrams

    private func datagrams() -> (client: DatagramClient, server: DatagramServer<Int>, number: UInt64) {
        var client = DatagramClient(key: key)
        var server = DatagramServer<Int>(key: key)
        let answer = server.receive(client.greeting!, from: 1, at: .zero).answer!
        #expect(client.receive(answer) == nil)
        #expect(client.isReady && client.greeting == nil)
        let received = server.receive(client.seal([1])!, from: 1, at: .zero).received!
        #expect(received.envelope == [1])
        return (client, server, received.client)
    }

    @Test func datagramsCarryEnvelopesInAnyOrderAndEachOnce() throws {
        var (client, server, number) = datagrams()
        let sent = (2..<50).map { client.seal([UInt8($0)])! }
        var random = Seeded(1)
        let order = (sent + sent + sent).shuffled(using: &random)
        let received = order.compactMap { server.receive($0, from: 1, at: .zero).received?.envelope[0] }
        #expect(received.sorted() == (2..<50).map { UInt8($0) })
        #expect(server.dropped == 96)
        let (address, back) = server.seal([7], to: number)!
        #expect(address == 1)
        #expect(client.receive(back) == [7])
        #expect(client.receive(back) == nil)
    }

    @Test func changedDatagramsAreDropped() {
        var (client, server, _) = datagrams()
        let genuine = client.seal([1, 2, 3])!
        for place in genuine.indices {
            var changed = genuine
            changed[place] ^= 1
            #expect(server.receive(changed, from: 9, at: .zero).received == nil)
        }
        for count in 0..<genuine.count {
            #expect(server.receive(Array(genuine[..<count]), from: 9, at: .zero).received == nil)
        }
        #expect(server.receive(genuine, from: 1, at: .zero).received != nil)
    }

    @Test func anAnswerOfAStrangerDoesNotEndTheHandshake() {
        var client = DatagramClient(key: key)
        var server = DatagramServer<Int>(key: key)
        let answer = server.receive(client.greeting!, from: 1, at: .zero).answer!
        var forged = answer
        forged[20] ^= 1
        #expect(client.receive(forged) == nil)
        #expect(client.receive([]) == nil)
        #expect(!client.isReady)
        _ = client.receive(answer)
        #expect(client.isReady)
    }

    @Test func aClientIsHeardAtItsNewAddressOnlyAfterItAuthenticates() {
        var (client, server, number) = datagrams()
        _ = server.receive([3] + client.seal([1])![1..<9] + [UInt8](repeating: 0, count: 40), from: 66, at: .zero)
        #expect(server.seal([1], to: number)!.address == 1)
        _ = server.receive(client.seal([1])!, from: 2, at: .zero)
        #expect(server.seal([1], to: number)!.address == 2)
    }

    @Test func aFloodOfGreetingsLeavesConnectionsWithTheKeyAlone() {
        var (client, server, number) = datagrams()
        var answers = 0
        for second in 1..<5 {
            for index in 0..<100 {
                let greeting = DatagramClient(key: key).greeting!
                if server.receive(greeting, from: 60 + index % 10, at: .seconds(second)).answer != nil { answers += 1 }
            }
        }
        #expect(answers == 4 * DatagramServer<Int>.handshakesInASecond)
        #expect(server.connectionCount == 1 + DatagramServer<Int>.mostUnconfirmed)
        #expect(server.receive(client.seal([5])!, from: 1, at: .seconds(5)).received?.client == number)
        // A recorded greeting gives its sender nothing it can use, and recorded envelopes do nothing.
        let stranger = DatagramServer<Int>(key: .random())
        var other = stranger
        #expect(other.receive(client.seal([5])!, from: 1, at: .zero).received == nil)
        #expect(other.receive(DatagramClient(key: key).greeting!, from: 1, at: .zero).answer == nil)
    }

    @Test func oneSourceWithManyRecordedGreetingsLeavesHandshakesToOthers() {
        let limit = DatagramServer<Int>.handshakesOfASource
        // Two ports of one machine are one source.
        var server = DatagramServer<Int>(key: key) { $0 < 100 ? "machine" : "\($0)" }
        let recorded = (0..<200).map { _ in DatagramClient(key: key).greeting! }
        var random = Seeded(1)
        for second in 0..<3 {
            var answers = 0
            for (index, greeting) in recorded.shuffled(using: &random).enumerated()
            where server.receive(greeting, from: index % 100, at: .seconds(second)).answer != nil { answers += 1 }
            // A greeting whose connection waits is answered again without a handshake.
            #expect((limit...limit + DatagramServer<Int>.mostUnconfirmed).contains(answers), "\(answers)")
            var client = DatagramClient(key: key)
            _ = client.receive(server.receive(client.greeting!, from: 100 + second, at: .seconds(second)).answer!)
            #expect(server.receive(client.seal([1])!, from: 100 + second, at: .seconds(second)).received != nil)
        }
        // All sources together have a limit, too.
        var answers = 0
        for source in 200..<300
        where server.receive(DatagramClient(key: key).greeting!, from: source, at: .seconds(9)).answer != nil {
            answers += 1
        }
        #expect(answers == DatagramServer<Int>.handshakesInASecond)
    }

    @Test func onlyTheGreetingOfAConnectionIsAnsweredAgain() {
        var client = DatagramClient(key: key)
        var server = DatagramServer<Int>(key: key)
        let greeting = client.greeting!
        let answer = server.receive(greeting, from: 1, at: .zero).answer!
        #expect(server.receive(greeting, from: 1, at: .zero).answer == answer)
        var changed = greeting
        changed[greeting.count - 1] ^= 1
        for forged in [Array(greeting[..<10]), Array(greeting.dropLast()), greeting + [0], changed] {
            #expect(server.receive(forged, from: 66, at: .zero).answer == nil)
        }
        _ = client.receive(answer)
        #expect(server.receive(client.seal([1])!, from: 1, at: .zero).received != nil)
        // The client has the answer, so only a recording comes now.
        #expect(server.receive(greeting, from: 66, at: .zero).answer == nil)
        #expect(server.receive(client.seal([2])!, from: 1, at: .zero).received != nil)
    }

    @Test func aNewClientConnectsDuringAFlood() {
        var server = DatagramServer<Int>(key: key)
        for _ in 0..<200 {
            #expect(server.receive(DatagramClient(key: .random()).greeting!, from: 66, at: .zero).answer == nil)
        }
        for _ in 0..<9 {
            #expect(server.receive(DatagramClient(key: key).greeting!, from: 66, at: .zero).answer != nil)
        }
        var client = DatagramClient(key: key)
        _ = client.receive(server.receive(client.greeting!, from: 1, at: .zero).answer!)
        // The flood goes on before the client's first envelope.
        for _ in 0..<9 {
            #expect(server.receive(DatagramClient(key: key).greeting!, from: 66, at: .seconds(1)).answer != nil)
        }
        #expect(server.connectionCount == DatagramServer<Int>.mostUnconfirmed)
        #expect(server.receive(client.seal([1])!, from: 1, at: .zero).received?.envelope == [1])
    }

    @Test func moreClientsThanPlacesForgetTheOldest() {
        var server = DatagramServer<Int>(key: key)
        var clients: [DatagramClient] = []
        for number in 0..<40 {
            var client = DatagramClient(key: key)
            _ = client.receive(server.receive(client.greeting!, from: number, at: .seconds(number)).answer!)
            #expect(server.receive(client.seal([1])!, from: number, at: .seconds(number)).received != nil)
            clients.append(client)
        }
        #expect(server.connectionCount == DatagramServer<Int>.mostConfirmed)
        #expect(server.receive(clients[0].seal([1])!, from: 0, at: .seconds(50)).received == nil)
        #expect(server.receive(clients[39].seal([1])!, from: 39, at: .seconds(50)).received != nil)
    }

    @Test func noDescriptionShowsTheKey() throws {
        let (client, device) = try streams()
        var text = "\(key) \(String(reflecting: key))"
        dump(key, to: &text)
        dump(client, to: &text)
        dump(device, to: &text)
        dump(datagrams().server, to: &text)
        #expect(!text.contains(key.base64Text.prefix(12)))
        #expect((try? LinkKey(base64: key.base64Text + "\n")) == key)
        #expect((try? LinkKey(base64: "short")) == nil)
    }
}
