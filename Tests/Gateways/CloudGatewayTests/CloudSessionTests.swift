import BLEAdapter
import BLEWire
import Foundation
import MQTTClient
import Testing

@testable import CloudGateway

@Suite struct CloudSessionTests {
    // MARK: The broker

    @Test func aConnectionAnnouncesTheGatewayAndSubscribes() throws {
        var bench = try CloudBench { $0.homeAssistantPrefix = "homeassistant" }
        bench.session.start(at: bench.now)
        #expect(bench.take() == [.connectBroker])
        bench.session.brokerConnected(at: bench.now)
        let actions = bench.take()
        #expect(actions.subscriptions == ["bluetooth/hall/command/+", "homeassistant/status"])
        let status = actions.publications[0]
        #expect(status.topic == "bluetooth/hall/status")
        #expect(status.isRetained && status.isAcknowledged)
        #expect(try json(status.payload)["state"] as? String == "online")
        let configurations = actions.publications.filter { $0.topic.hasSuffix("/config") }
        #expect(configurations.count == 3)
        #expect(configurations.allSatisfy { $0.isRetained && $0.topic.hasPrefix("homeassistant/") })
    }

    @Test func withoutCommandsTheGatewaySubscribesToNothing() throws {
        var bench = try CloudBench { $0.allowsCommands = false }
        bench.session.start(at: bench.now)
        bench.session.brokerConnected(at: bench.now)
        #expect(bench.take().subscriptions == [])
        bench.session.adapterStateChanged(.poweredOn, time: 0)
        _ = bench.take()
        // A broker that lies delivers what the gateway did not subscribe to.
        bench.send(#"{"id":"1","op":"connect","target":"\#(CloudBench.target)"}"#)
        #expect(bench.take() == [])
    }

    @Test func theWillSaysOffline() throws {
        let will = CloudSession.will(try CloudTopics(prefix: "bluetooth", name: "hall"))
        #expect(will.isRetained && will.topic == "bluetooth/hall/status")
        #expect(try json(will.payload)["state"] as? String == "offline")
    }

    @Test func homeAssistantIsAnsweredAfterItsStart() throws {
        var bench = try CloudBench.ready {
            $0.homeAssistantPrefix = "ha"
            $0.homeAssistantDevices = [CloudBench.address]
        }
        bench.session.brokerReceived(MQTTMessage(topic: "ha/status", payload: Array("offline".utf8)), at: bench.now)
        #expect(bench.take() == [])
        bench.session.brokerReceived(MQTTMessage(topic: "ha/status", payload: Array("online".utf8)), at: bench.now)
        let topics = bench.take().publications.map(\.topic)
        #expect(topics.contains("ha/sensor/hall/ACBC32890EA9/config"))
        #expect(topics.count == 4)
    }

    @Test func pausesBetweenAttemptsGrowUntilAConnectionLasts() throws {
        var bench = try CloudBench()
        bench.session.start(at: bench.now)
        var pauses: [TimeSpan] = []
        for _ in 0..<8 {
            bench.session.brokerDisconnected("refused", at: bench.now)
            let deadline = try #require(bench.session.deadline)
            pauses.append(deadline - bench.now)
            bench.now = deadline
            bench.session.handleTimeout(at: bench.now, time: 0)
            #expect(bench.take().contains(.connectBroker))
        }
        #expect(pauses[0] <= .seconds(1))
        #expect(pauses[7] >= .seconds(30) && pauses[7] <= .seconds(60))
        // A broker that accepts and ends the connection at once gets no attempts in quick succession.
        bench.session.brokerConnected(at: bench.now)
        bench.session.brokerDisconnected("ended", at: bench.now)
        #expect(try #require(bench.session.deadline) - bench.now >= .seconds(30))
        bench.now = try #require(bench.session.deadline)
        bench.session.handleTimeout(at: bench.now, time: 0)
        bench.session.brokerConnected(at: bench.now)
        bench.advance(.seconds(60))
        bench.session.brokerDisconnected("ended", at: bench.now)
        #expect(try #require(bench.session.deadline) - bench.now <= .seconds(1))
    }

    @Test func aBrokerThatDoesNotAnswerIsAbandoned() throws {
        var bench = try CloudBench()
        bench.session.start(at: bench.now)
        _ = bench.take()
        bench.advance(CloudBrokerConnection.connectionTimeout)
        bench.session.handleTimeout(at: bench.now, time: 0)
        #expect(bench.take() == [.disconnectBroker])
        #expect(bench.session.brokerFailure?.contains("30 s") == true)
    }

    @Test func theEndIsPublishedAndWaitsForItsAcknowledgement() throws {
        var bench = try CloudBench.ready()
        bench.session.stop(at: bench.now, time: 0)
        let actions = bench.take()
        let message = try #require(actions.publications.first)
        #expect(try json(message.payload)["state"] as? String == "offline")
        #expect(!actions.contains(.finish))
        bench.session.brokerPublished(actions.numbers[0])
        #expect(bench.take() == [.disconnectBroker, .finish])
    }

    @Test func theEndDoesNotWaitForASilentBroker() throws {
        var bench = try CloudBench.ready()
        bench.session.stop(at: bench.now, time: 0)
        _ = bench.take()
        bench.advance(CloudBrokerConnection.stopTimeout)
        bench.session.handleTimeout(at: bench.now, time: 0)
        #expect(bench.take() == [.disconnectBroker, .finish])
    }

    // MARK: Advertisements

    @Test func anAdvertisementIsStoredRawAndDecoded() throws {
        var bench = try CloudBench.ready()
        bench.session.discovered(CloudBench.advertisement(), at: bench.now, time: 1234)
        let stored = try #require(bench.take().stored.first)
        #expect(stored.topic == "bluetooth/hall/advertisement/ACBC32890EA9")
        let object = try json(stored.payload)
        #expect(object["address"] as? String == CloudBench.target)
        #expect(object["addressType"] as? String == "public")
        #expect(object["rssi"] as? Int == -60)
        #expect(object["time"] as? Int == 1234)
        #expect(object["data"] as? String == "020106060950756c736503030d18")
        #expect(object["name"] as? String == "Pulse")
        #expect(object["services"] as? [String] == ["180D"])
    }

    @Test func aHostileNameStaysOneText() throws {
        var bench = try CloudBench.ready()
        let name = "\"},\n\u{7}{\"\\"
        bench.session.discovered(CloudBench.advertisement(name: name), at: bench.now, time: 0)
        let object = try json(try #require(bench.take().stored.first).payload)
        #expect(object["name"] as? String == name)
    }

    @Test func truncatedAdvertisementsAreStored() throws {
        var bench = try CloudBench.ready { $0.advertisementInterval = .zero }
        for count in 0..<31 {
            let whole = CloudBench.advertisement()
            let discovery = Discovery(
                peer: whole.peer, address: whole.address, data: [UInt8](repeating: 0xFF, count: count),
                isConnectable: true, rssi: whole.rssi)
            bench.session.discovered(discovery, at: bench.now, time: 0)
        }
        for stored in bench.take().stored { _ = try json(stored.payload) }
        #expect(bench.session.counts.advertisements == 31)
    }

    @Test func aDeviceIsLimitedAndSoAreAllTogether() throws {
        var bench = try CloudBench.ready { $0.advertisementRate = 50 }
        for _ in 0..<10 { bench.session.discovered(CloudBench.advertisement(), at: bench.now, time: 0) }
        #expect(bench.take().stored.count == 1)
        bench.advance(.seconds(1))
        for address in 0..<500 as Range<UInt64> {
            bench.session.discovered(CloudBench.advertisement(address), at: bench.now, time: 0)
        }
        #expect(bench.take().stored.count == 50)
        #expect(bench.session.counts.limitedAdvertisements == 9 + 450)
    }

    @Test func aCrowdOfAddressesHasBoundedMemory() throws {
        var bench = try CloudBench.ready { $0.advertisementRate = 100_000 }
        for address in 0..<50_000 as Range<UInt64> {
            bench.session.discovered(CloudBench.advertisement(address), at: bench.now, time: 0)
            bench.advance(.microseconds(100))
            bench.session.actions = []
        }
        #expect(bench.session.deviceCount <= 4096)
        #expect(bench.session.counts.advertisements == 50_000)
    }

    @Test func allTopicsHaveAtMostSevenSlashesAnd256Octets() throws {
        let topics = try CloudTopics(prefix: "a/b/c/d", name: "hall")
        let client = String(repeating: "c", count: 64)
        for topic in [
            topics.status, topics.statistics, topics.commands, topics.advertisement(1), topics.link(1),
            topics.value(.max, handle: .max), topics.reply(to: client),
        ] {
            #expect(topic.utf8.count <= 256)
            #expect(topic.utf8.count(where: { $0 == UInt8(ascii: "/") }) <= 7)
        }
        #expect(throws: MQTTClientError.self) { try CloudTopics(prefix: "a/b/c/d/e", name: "hall") }
        #expect(throws: MQTTClientError.self) {
            try CloudTopics(prefix: String(repeating: "a", count: 200), name: "hall")
        }
    }

    // MARK: The adapter

    @Test func theScanStartsWithTheAdapterAndItsStateIsPublished() throws {
        var bench = try CloudBench.ready()
        bench.session.adapterStateChanged(.poweredOff, time: 0)
        let off = bench.take()
        #expect(try json(off.publications[0].payload)["adapter"] as? String == "off")
        #expect(!bench.session.isHealthy)
        bench.session.adapterStateChanged(.poweredOn, time: 0)
        #expect(bench.take().commands == [.startScan])
        #expect(bench.session.isHealthy)
    }
}
