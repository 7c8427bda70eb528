import BLEAdapter
import BLEWire
import MQTTClient

@testable import CloudGateway

/// The cloud gateway with hostile clients and a broker that lies: commands, topics, addresses, and a session with events of both sides.
enum CloudTarget {
    private static let address: UInt64 = 0xC0FF_EE00_0001

    static func run(_ input: inout Input) {
        switch input.octet() % 3 {
        case 0: checkRequest(input.rest())
        case 1: checkTopics(&input)
        default: checkSession(&input)
        }
    }

    private static func checkRequest(_ octets: [UInt8]) {
        guard let request = CloudRequest.decode(octets) else { return }
        require((1...CloudRequest.idLimit).contains(request.id.utf8.count), "an identifier is out of its bounds")
    }

    // MARK: Topics

    private static func checkTopics(_ input: inout Input) {
        let (first, second) = (text(input.block()), text(input.block()))
        _ = MQTTTopic.matches(first, filter: second)
        require(
            MQTTTopic.matches(first, filter: "#") == (first.utf8.first != UInt8(ascii: "$")),
            "# selects another set of topics")
        let level = MQTTTopic.level(first)
        require(MQTTTopic.level(level) == level && !level.isEmpty, "a level has two forms")
        require(!level.utf8.contains { "/+#$\0".utf8.contains($0) }, "a level contains a character with a meaning")
        if let topic = try? MQTTTopic.joined([first, second]) {
            require(topic.utf8.count <= MQTTTopic.maximumOctets, "a topic is too long")
            require(topic.utf8.count { $0 == UInt8(ascii: "/") } == 1, "a level has a slash")
            require(MQTTTopic.matches(topic, filter: topic), "a topic does not select itself")
        }
        if let address = MQTTAddress(first) {
            require((1...65_535).contains(address.port) && !address.host.isEmpty, "an address has no host")
            require(!address.host.contains("@"), "an address with a user")
        }
        let topics = Self.topics()
        for topic in [first, "bluetooth/hall/command/" + first] {
            guard let client = topics.client(ofCommand: topic) else { continue }
            let reply = topics.reply(to: client)
            require(MQTTTopic.matches(reply, filter: "bluetooth/hall/reply/+"), "a reply leaves its topics")
            require(reply.utf8.count <= MQTTTopic.maximumOctets, "a topic of a reply is too long")
        }
    }

    private static func topics() -> CloudTopics {
        guard let topics = try? CloudTopics(prefix: "bluetooth", name: "hall") else {
            fatalError("the topics are valid")
        }
        return topics
    }

    private static func text(_ octets: [UInt8]) -> String { String(decoding: octets, as: UTF8.self) }

    // MARK: The session

    private static func checkSession(_ input: inout Input) {
        var configuration = CloudConfiguration(name: "hall", version: "1")
        configuration.allowsCommands = true
        configuration.linkLimit = 2
        configuration.homeAssistantPrefix = "homeassistant"
        let topics = Self.topics()
        var session = CloudSession(
            configuration, topics: topics, queueName: "0", seed: 1,
            identify: { PeerIdentifier(high: UInt64($0.kind.rawValue), low: $0.value) })
        var now = Instant.zero
        session.start(at: now)
        session.brokerConnected(at: now)
        session.adapterStateChanged(.poweredOn, time: 0)
        var steps = 0
        while !input.isAtEnd, steps < 200 {
            steps += 1
            let what = input.octet()
            let peer = PeerIdentifier(high: UInt64(what >> 7), low: address + UInt64(input.below(3)))
            switch what % 12 {
            case 0: session.brokerDisconnected("gone", at: now)
            case 1: session.brokerConnected(at: now)
            case 2: session.brokerPublished(UInt64(input.octet()) | CloudSession.numberBit)
            case 3: session.brokerPostponed(UInt64(input.octet()) | CloudSession.numberBit)
            case 4: session.linkConnected(peer, at: now, time: 0)
            case 5: session.linkEnded(peer, "it ended", time: 0)
            case 6: session.completed(peer, at: now, result(&input))
            case 7: session.received(input.block(), handle: UInt16(input.octet()), from: peer, time: 0)
            case 8:
                now = now + .seconds(Int(what))
                for _ in 0..<8 where session.deadline.map({ $0 <= now }) == true {
                    session.handleTimeout(at: now, time: 0)
                }
                require(session.deadline.map { $0 > now } ?? true, "a deadline repeats at one instant")
            case 9: session.adapterStateChanged(what & 0x80 == 0 ? .poweredOn : .resetting, time: 0)
            case 10:
                let topic = what & 0x80 == 0 ? "bluetooth/hall/command/a" : "homeassistant/status"
                session.brokerReceived(MQTTMessage(topic: topic, payload: input.block()), at: now)
            default:
                let payload = command(&input)
                session.brokerReceived(MQTTMessage(topic: "bluetooth/hall/command/a", payload: payload), at: now)
            }
            for action in session.actions {
                if case .publish(let message, _) = action {
                    let isOwn = ["bluetooth/hall/", "homeassistant/"].contains { message.topic.hasPrefix($0) }
                    require(isOwn, "a message leaves the topics of the gateway")
                    require(message.payload.count <= CloudSession.replySizeLimit, "a message is too long")
                }
                if case .adapter(.writeCommand(_, _, _, let number)) = action, what & 1 == 0 {
                    session.wroteCommand(number, isAccepted: what & 2 == 0)
                }
            }
            session.actions = []
            require(session.linkCount <= configuration.linkLimit, "\(session.linkCount) links")
        }
    }

    private static func command(_ input: inout Input) -> [UInt8] {
        let op = input.one(of: ["connect", "disconnect", "read", "write", "subscribe", "unsubscribe", "x"])
        let device = hexadecimal(address + UInt64(input.below(3)), digits: 12)
        let pairs = stride(from: 0, to: 12, by: 2).map { String(device.dropFirst($0).prefix(2)) }
        let target = pairs.joined(separator: ":")
        let argument = input.one(of: [
            "\"handle\":3", "\"characteristic\":\"2A37\"", "\"handle\":3,\"value\":\"0102\"",
            "\"handle\":3,\"value\":\"01\",\"response\":false", "\"addressType\":\"random\"", "\"handle\":-1",
        ])
        return Array(
            "{\"id\":\"\(input.octet())\",\"op\":\"\(op)\",\"target\":\"\(target)\",\"args\":{\(argument)}}".utf8)
    }

    private static func result(_ input: inout Input) -> Result<GATTResult, GATTError> {
        let start = UInt16(input.octet())
        let range = HandleRange(start: start, end: max(start, input.number16()))
        switch input.octet() % 6 {
        case 0: return .failure(.attribute(input.octet()))
        case 1: return .success(.value(input.block()))
        case 2:
            let uuid = BluetoothUUID(UInt16(0x180D))
            return .success(.services([DiscoveredService(uuid: uuid, range: range, isPrimary: true)]))
        case 3:
            return .success(
                .characteristics([
                    DiscoveredCharacteristic(
                        uuid: BluetoothUUID(UInt16(0x2A37)), properties: input.octet(), declarationHandle: start,
                        valueHandle: 3, end: range.end)
                ]))
        case 4: return .failure(.bearerLost)
        default: return .success(.done)
        }
    }
}
