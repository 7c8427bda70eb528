import DeviceLink
import LocalDiscovery
import NoiseChannel

/// Datagrams of the local network: messages of multicast DNS, a responder and a browser that receive them, and datagrams of a group.
enum NetworkTarget {
    static func run(_ input: inout Input) {
        switch input.octet() % 3 {
        case 0: checkMessage(input.rest())
        case 1: checkEnds(&input)
        default: checkGroup(&input)
        }
    }

    /// What decodes has to encode, and to decode again to the same message, also in parts.
    private static func checkMessage(_ octets: [UInt8]) {
        guard let message = try? DNSMessage(decoding: octets) else { return }
        guard let again = try? DNSMessage(decoding: message.encoded) else {
            fatalError("a message does not decode again")
        }
        require(again == message, "a message has two forms")
        var answers: [DNSRecord] = []
        for part in message.encoded(limit: 300) {
            guard let decoded = try? DNSMessage(decoding: part) else { fatalError("a part does not decode") }
            answers += decoded.answers
        }
        require(answers == message.answers, "the parts have other answers")
    }

    /// A responder and a browser with messages of two hosts in virtual time.
    private static func checkEnds(_ input: inout Input) {
        guard var responder = try? MulticastResponder(host: "a", seed: 1),
            var browser = try? ServiceBrowser(type: "_a._tcp", seed: 1),
            let service = try? LocalService("a", type: "_a._tcp", port: 1)
        else { fatalError("the ends of the test are valid") }
        let own = IPAddress(10, 0, 0, 1)
        var now = Duration.zero
        responder.setInterfaces([1: [own]], at: now)
        browser.setInterfaces([1], at: now)
        guard (try? responder.publish(service, at: now)) != nil else { fatalError("one service has space") }
        var sent = 0
        var steps = 0
        while !input.isAtEnd, steps < 200 {
            steps += 1
            let what = input.octet()
            if what & 1 == 0 {
                now += .milliseconds(Int(what) * 20)
            } else {
                let source = Endpoint(IPAddress(10, 0, 0, what >> 2), what & 2 == 0 ? 5353 : 4000)
                let octets = input.take(Int(input.octet()))
                if let message = try? DNSMessage(decoding: octets) {
                    responder.receive(message, from: source, on: 1, at: now)
                    browser.receive(message, from: source, on: 1, at: now)
                }
            }
            for _ in 0..<100 {
                let deadlines = [responder.deadline, browser.deadline].compactMap { $0 }
                guard let next = deadlines.min(), next <= now else { break }
                responder.handleTimeout(at: now)
                browser.handleTimeout(at: now)
            }
            require(
                [responder.deadline, browser.deadline].compactMap { $0 }.allSatisfy { $0 > now },
                "a deadline repeats at one instant")
            for message in responder.takeOutgoing() + browser.takeOutgoing() {
                sent += 1
                require((try? DNSMessage(decoding: message.octets)) != nil, "an end sends what does not decode")
            }
            _ = browser.takeEvents()
            require(browser.recordCount <= 1024, "the browser keeps \(browser.recordCount) records")
        }
        require(sent <= 40 * (steps + 1), "\(sent) messages in \(steps) steps")
    }

    /// A member and its controller, datagrams between them, and changed ones.
    private static func checkGroup(_ input: inout Input) {
        guard let shared = PreSharedKey(octets: [UInt8](repeating: 1, count: 32)),
            let first = GroupSession([UInt8](repeating: 2, count: 16)),
            let second = GroupSession([UInt8](repeating: 3, count: 16)),
            var member = GroupMember<Int>(name: "a", key: GroupKey(shared), session: first)
        else { fatalError("the ends of the test are valid") }
        var controller = GroupController<Int>(members: ["a"], key: GroupKey(shared), session: second)
        var done: [UInt64] = []
        var now = Duration.zero
        var recorded: [[UInt8]] = []
        while !input.isAtEnd, recorded.count < 200 {
            let what = input.octet()
            switch what % 6 {
            case 0: _ = try? controller.submit(input.take(3), at: now)
            case 1: now += .milliseconds(Int(what) * 10)
            case 2 where !recorded.isEmpty:
                let octets = recorded[input.below(recorded.count)]
                member.receive(octets, from: 0, at: now)
                controller.receive(octets, from: 1, at: now)
            case 3 where !recorded.isEmpty:
                var octets = recorded[input.below(recorded.count)]
                octets[input.below(octets.count)] ^= input.octet()
                member.receive(octets, from: 0, at: now)
                controller.receive(octets, from: 1, at: now)
            case 4:
                let octets = input.take(Int(input.octet()))
                member.receive(octets, from: 0, at: now)
                controller.receive(octets, from: 1, at: now)
            default: controller.handleTimeout(at: now)
            }
            for command in member.takeCommands() {
                done.append(command.sequence)
                member.finish(command)
            }
            recorded += member.takeOutgoing().map(\.octets) + controller.takeOutgoing().map(\.octets)
            _ = controller.takeEvents()
        }
        require(done == Array(Set(done)).sorted(), "a command was carried out twice or out of order: \(done)")
    }
}
