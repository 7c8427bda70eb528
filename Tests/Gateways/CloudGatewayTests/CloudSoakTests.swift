import BLEAdapter
import BLEWire
import MQTTClient
import Testing

@testable import CloudGateway

/// Weeks of a gateway in virtual time: a broker that goes away, refuses, stalls and acknowledges late, devices, links and commands.
@Suite struct CloudSoakTests {
    private struct World {
        var bench: CloudBench
        var outbox = Outbox(MemoryStore(), queueName: "soak")
        var random: SplitMix
        var isConnected = false
        /// Publications that the broker has not acknowledged.
        var unanswered: [(number: UInt64, message: MQTTPublication)] = []
        var delivered: [UInt64: Int] = [:]
        var stored = 0
        var connects = 0
        var replies = 0
        var commands = 0

        init(seed: UInt64) throws {
            bench = try CloudBench { $0.homeAssistantPrefix = "ha" }
            random = SplitMix(state: seed)
        }

        func chance(_ one: Int, of all: Int, _ random: inout SplitMix) -> Bool {
            Int.random(in: 0..<all, using: &random) < one
        }

        mutating func carryOut() {
            while !bench.session.actions.isEmpty || !outbox.publications.isEmpty {
                for action in bench.take() {
                    switch action {
                    case .connectBroker: connects += 1
                    case .disconnectBroker:
                        isConnected = false
                        unanswered = []
                        outbox.disconnected()
                    case .publish(let message, let number):
                        if isConnected { unanswered.append((number, message)) }
                    case .store(let topic, let payload):
                        stored += 1
                        outbox.append(topic: topic, payload, at: bench.now)
                    case .adapter(.connect(let peer)):
                        if chance(2, of: 3, &random) {
                            bench.session.linkConnected(peer, at: bench.now, time: 0)
                            bench.session.completed(peer, at: bench.now, .success(.services([])))
                        } else {
                            bench.session.linkEnded(peer, "it could not be established", time: 0)
                        }
                    case .adapter(.submit(.read, let peer)):
                        bench.session.completed(
                            peer, at: bench.now,
                            chance(1, of: 4, &random) ? .failure(.attribute(5)) : .success(.value([1])))
                    case .adapter(.cancelConnection(let peer)):
                        bench.session.linkEnded(peer, "the gateway ended it", time: 0)
                    case .adapter, .subscribe, .finish: break
                    }
                }
                for (message, number) in outbox.publications where isConnected { unanswered.append((number, message)) }
                outbox.publications = []
            }
            outbox.commit()
        }

        mutating func acknowledge(_ count: Int) {
            for _ in 0..<min(count, unanswered.count) {
                let (number, message) = unanswered.removeFirst()
                if number & CloudSession.numberBit == 0 {
                    delivered[number, default: 0] += 1
                    outbox.published(number, refusal: nil, at: bench.now)
                } else {
                    if message.topic.contains("/reply/") { replies += 1 }
                    bench.session.brokerPublished(number)
                }
            }
            carryOut()
        }

        mutating func breakConnection() {
            // Messages that the broker has, and whose acknowledgement is lost.
            for (number, _) in unanswered.prefix(5) where number & CloudSession.numberBit == 0 {
                delivered[number, default: 0] += 1
            }
            isConnected = false
            unanswered = []
            outbox.disconnected()
            bench.session.brokerDisconnected("ended", at: bench.now)
            carryOut()
        }

        mutating func step() {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<40:
                let address = UInt64.random(in: 0..<300, using: &random)
                bench.session.discovered(CloudBench.advertisement(address), at: bench.now, time: 0)
            case 40..<45 where isConnected:
                commands += 1
                let op = chance(1, of: 2, &random) ? "connect" : chance(1, of: 2, &random) ? "read" : "disconnect"
                let address = CloudTopics.level(UInt64.random(in: 0..<20, using: &random))
                let target = stride(from: 0, to: 12, by: 2).map { String(address.dropFirst($0).prefix(2)) }.joined(
                    separator: ":")
                bench.send(#"{"id":"\#(commands)","op":"\#(op)","target":"\#(target)","args":{"handle":3}}"#)
            case 45..<85 where isConnected: acknowledge(Int.random(in: 1...40, using: &random))
            case 85 where isConnected && chance(1, of: 3, &random): breakConnection()
            case 86: bench.session.adapterStateChanged(chance(3, of: 4, &random) ? .poweredOn : .poweredOff, time: 0)
            default: break
            }
            carryOut()
            switch bench.session.broker {
            case .connecting where chance(1, of: 2, &random):
                if chance(2, of: 3, &random) {
                    isConnected = true
                    bench.session.brokerConnected(at: bench.now)
                    outbox.connected(at: bench.now)
                } else {
                    bench.session.brokerDisconnected("refused", at: bench.now)
                }
                carryOut()
            default: break
            }
            // Time goes to the next deadline, or a while.
            let wanted = bench.now + .milliseconds(Int.random(in: 1...60_000, using: &random))
            bench.now = min([bench.session.deadline, outbox.deadline].compactMap(\.self).min() ?? wanted, wanted)
            if let deadline = outbox.deadline, deadline <= bench.now {
                isConnected = false
                unanswered = []
                outbox.disconnected()
                bench.session.abandonBroker("stalled", at: bench.now)
            }
            bench.session.handleTimeout(at: bench.now, time: 0)
            carryOut()
        }
    }

    @Test(arguments: [1] as [UInt64])
    func fourWeeksLoseNothingThatWasStored(seed: UInt64) throws {
        var world = try World(seed: seed)
        world.bench.session.start(at: world.bench.now)
        world.bench.session.adapterStateChanged(.poweredOn, time: 0)
        world.carryOut()
        let end = Instant.zero + .seconds(28 * 86_400)
        var steps = 0
        while world.bench.now < end {
            world.step()
            steps += 1
            // A session that asks for the same moment again and again would never arrive.
            try #require(steps < 2_000_000)
            try #require(world.outbox.underWayCount <= 100)
            try #require(world.bench.session.linkCount <= 8)
        }
        // The broker works again, and takes everything.
        while !world.isConnected {
            steps += 1
            try #require(steps < 2_001_000)
            if case .connecting = world.bench.session.broker {
                world.isConnected = true
                world.bench.session.brokerConnected(at: world.bench.now)
                world.outbox.connected(at: world.bench.now)
            } else {
                world.bench.now = try #require(world.bench.session.deadline)
                world.bench.session.handleTimeout(at: world.bench.now, time: 0)
            }
            world.carryOut()
        }
        for _ in 0..<100_000 where !world.unanswered.isEmpty { world.acknowledge(.max) }
        #expect(world.unanswered.isEmpty)
        #expect(world.outbox.count == 0)
        #expect(world.stored > 1000)
        #expect(world.connects > 50)
        #expect(world.replies > 100)
        #expect(Set(world.delivered.keys) == Set((0..<UInt64(world.stored))))
    }
}
