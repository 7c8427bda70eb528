import BLEWire
import MQTTClient
import TestConditions
import Testing

@testable import DeviceLink

/// The use of a broker as a value.
struct BrokerSessionTests {
    private var random = Seeded(1)

    /// A session with one subscription that the broker has granted.
    private mutating func connected() -> (session: BrokerSession, number: Int) {
        var session = BrokerSession()
        let number = session.subscribe(to: "a/+", at: .zero)
        session.connected(at: .zero)
        session.subscribed("a/+", refusal: nil)
        #expect(session.takeActions() == [.connect, .subscribe("a/+"), .state(number, .connected)])
        return (session, number)
    }

    @Test mutating func eachConnectionGetsAllSubscriptionsAgain() throws {
        var (session, number) = connected()
        let second = session.subscribe(to: "b", at: .zero)
        #expect(session.takeActions() == [.subscribe("b")])
        session.subscribed("b", refusal: nil)
        session.disconnected("It is gone.", at: .seconds(5), using: &random)
        #expect(
            session.takeActions() == [
                .state(second, .connected), .state(number, .disconnected("It is gone.")),
                .state(second, .disconnected("It is gone.")),
            ])
        let deadline = try #require(session.deadline)
        #expect(deadline > .seconds(5) && deadline <= .seconds(6))
        session.handleTimeout(at: deadline, using: &random)
        session.connected(at: deadline)
        #expect(session.takeActions() == [.connect, .subscribe("a/+"), .subscribe("b")])
        // Nothing is said before the broker has answered.
        session.subscribed("b", refusal: nil)
        #expect(session.takeActions() == [.state(second, .connected)])
    }

    @Test mutating func pausesGrowWhileTheBrokerIsAwayAndAreShortAfterAStableConnection() throws {
        var (session, _) = connected()
        var now = Duration.seconds(40)
        var pauses: [Duration] = []
        for _ in 0..<8 {
            session.disconnected("It is gone.", at: now, using: &random)
            pauses.append(try #require(session.deadline) - now)
            now = try #require(session.deadline)
            session.handleTimeout(at: now, using: &random)
        }
        for (pause, limit) in zip(pauses, [1, 2, 4, 8, 16, 30, 30, 30]) {
            #expect(pause <= .seconds(limit) && pause >= .milliseconds(limit * 500))
        }
        session.connected(at: now)
        session.disconnected("It is gone.", at: now + .seconds(30), using: &random)
        #expect(try #require(session.deadline) <= now + .seconds(31))
    }

    @Test mutating func aReasonIsReportedOnceAndToEachNewSubscription() {
        var session = BrokerSession()
        let number = session.subscribe(to: "a", at: .zero)
        #expect(session.takeActions() == [.connect])
        session.disconnected("Wrong password.", at: .zero, using: &random)
        #expect(session.takeActions() == [.state(number, .disconnected("Wrong password."))])
        session.handleTimeout(at: .seconds(1), using: &random)
        session.disconnected("Wrong password.", at: .seconds(1), using: &random)
        #expect(session.takeActions() == [.connect])
        let later = session.subscribe(to: "b", at: .seconds(1))
        #expect(session.takeActions() == [.state(later, .disconnected("Wrong password."))])
    }

    @Test mutating func aRefusedSubscriptionSaysWhyAndIsTriedAgainWithTheNextOne() {
        var (session, _) = connected()
        let number = session.subscribe(to: "secret", at: .zero)
        session.subscribed("secret", refusal: "Not authorized.")
        session.subscribed("secret", refusal: nil)
        let reason = "The broker refused the subscription to secret: Not authorized."
        #expect(session.takeActions() == [.subscribe("secret"), .state(number, .disconnected(reason))])
        let again = session.subscribe(to: "secret", at: .zero)
        session.subscribed("secret", refusal: nil)
        #expect(
            session.takeActions() == [
                .subscribe("secret"), .state(number, .connected), .state(again, .connected),
            ])
    }

    @Test mutating func theLastSubscriptionOfAFilterEndsItAtTheBroker() {
        var (session, number) = connected()
        let twin = session.subscribe(to: "a/+", at: .zero)
        #expect(session.takeActions() == [.state(twin, .connected)])
        session.received(MQTTMessage(topic: "a/b", payload: [1]))
        #expect(
            session.takeActions() == [
                .message(number, topic: "a/b", payload: [1]), .message(twin, topic: "a/b", payload: [1]),
            ])
        session.unsubscribe(number, at: .zero)
        #expect(session.takeActions() == [])
        session.unsubscribe(twin, at: .zero)
        session.unsubscribe(twin, at: .zero)
        #expect(session.takeActions() == [.unsubscribe("a/+")])
        session.received(MQTTMessage(topic: "a/b", payload: [1]))
        #expect(session.takeActions() == [])
    }

    @Test mutating func aConnectionWithoutASubscriptionEndsAfterAMinute() {
        var (session, number) = connected()
        session.unsubscribe(number, at: .seconds(100))
        #expect(session.deadline == .seconds(160))
        session.handleTimeout(at: .seconds(159), using: &random)
        #expect(session.isConnected)
        session.handleTimeout(at: .seconds(160), using: &random)
        #expect(session.takeActions() == [.unsubscribe("a/+"), .disconnect])
        #expect(!session.isConnected && session.deadline == nil)
        _ = session.subscribe(to: "a/+", at: .seconds(200))
        #expect(session.takeActions() == [.connect])
    }

    /// So the clients of a broker that restarts come back at different moments, and their ways find the connection.
    @Test mutating func aLostConnectionIsMadeAgainAlsoBeforeItsWayOpensAgain() throws {
        var (session, number) = connected()
        session.disconnected("It is gone.", at: .seconds(50), using: &random)
        session.unsubscribe(number, at: .seconds(50))
        _ = session.takeActions()
        session.handleTimeout(at: try #require(session.deadline), using: &random)
        session.connected(at: .seconds(51))
        #expect(session.takeActions() == [.connect])
        let again = session.subscribe(to: "a/+", at: .seconds(52))
        session.subscribed("a/+", refusal: nil)
        #expect(session.takeActions() == [.subscribe("a/+"), .state(again, .connected)])
        // But not for longer than a minute.
        session.disconnected("It is gone.", at: .seconds(60), using: &random)
        session.unsubscribe(again, at: .seconds(60))
        while let deadline = session.deadline, deadline < .seconds(300) {
            session.handleTimeout(at: deadline, using: &random)
            session.disconnected("It is gone.", at: deadline, using: &random)
        }
        #expect(session.deadline == nil)
    }

    @Test mutating func aBrokerThatAnswersNothingIsTakenForDead() throws {
        var session = BrokerSession()
        let number = session.subscribe(to: "a", at: .zero)
        #expect(session.deadline == BrokerSession.connectionTimeout)
        session.handleTimeout(at: .seconds(30), using: &random)
        #expect(
            session.takeActions() == [
                .connect, .disconnect, .state(number, .disconnected("The broker did not answer within 30 s.")),
            ])
        let next = try #require(session.deadline)
        session.handleTimeout(at: next, using: &random)
        session.connected(at: next)
        #expect(session.deadline == next + BrokerSession.subscriptionTimeout)
        session.handleTimeout(at: next + BrokerSession.subscriptionTimeout, using: &random)
        #expect(
            session.takeActions().suffix(2) == [
                .disconnect,
                .state(number, .disconnected("The broker did not answer a subscription within 10 s.")),
            ])
        #expect(!session.isConnected)
        #expect(try #require(session.deadline) > next + BrokerSession.subscriptionTimeout)
    }

    @Test mutating func publicationsThatTheNetworkDoesNotTakeAreBounded() throws {
        var (session, _) = connected()
        for _ in 0..<1000 { session.publish([1], to: "a/b") }
        #expect(session.waitingCount == BrokerSession.mostPublications)
        #expect(session.dropped == 1000 - BrokerSession.mostPublications)
        let actions = session.takeActions()
        #expect(actions.count == BrokerSession.mostPublications)
        guard case .publish(let message, let number) = actions[0] else { Issue.record("no publication"); return }
        #expect(!message.isAcknowledged && !message.isRetained)
        session.published(number)
        session.published(number)
        session.published(9999)
        #expect(session.waitingCount == BrokerSession.mostPublications - 1)
        session.publish([1], to: "a/b")
        #expect(session.waitingCount == BrokerSession.mostPublications)
        // Octets have a bound as well, and a new connection begins without those of the last one.
        session.disconnected("It is gone.", at: .zero, using: &random)
        session.publish([1], to: "a/b")
        session.handleTimeout(at: try #require(session.deadline), using: &random)
        session.connected(at: .seconds(1))
        #expect(session.waitingCount == 0)
        for _ in 0..<40 { session.publish([UInt8](repeating: 0, count: BrokerSession.mostOctets / 16), to: "a/b") }
        #expect(session.waitingCount == 16)
    }

    @Test mutating func aBrokerThatLiesIsIgnored() {
        var (session, number) = connected()
        session.received(MQTTMessage(topic: "a/b", payload: [1], isRetained: true))
        session.received(MQTTMessage(topic: "b/a", payload: [1]))
        session.received(MQTTMessage(topic: "", payload: []))
        session.received(
            MQTTMessage(topic: "a/b", payload: [UInt8](repeating: 0, count: BrokerSession.longestMessage + 1)))
        session.subscribed("never asked", refusal: nil)
        session.published(77)
        session.connected(at: .seconds(1))
        #expect(session.takeActions() == [])
        session.disconnected("It is gone.", at: .seconds(1), using: &random)
        session.disconnected("Again.", at: .seconds(1), using: &random)
        session.received(MQTTMessage(topic: "a/b", payload: [1]))
        session.subscribed("a/+", refusal: nil)
        #expect(session.takeActions() == [.state(number, .disconnected("It is gone."))])
    }

    @Test mutating func topicsBeyondTheLimitsOfBrokersGoNowhere() throws {
        var (session, _) = connected()
        let tooDeep = String(repeating: "a/", count: 8) + "a"
        session.publish([1], to: tooDeep)
        session.publish([1], to: String(repeating: "a", count: 257))
        #expect(session.dropped == 2)
        let number = session.subscribe(to: tooDeep, at: .zero)
        guard case .state(number, .disconnected(let reason))? = session.takeActions().first else {
            Issue.record("no state")
            return
        }
        #expect(reason.contains("8 slashes"))
        // A new connection does not make it better.
        session.disconnected("It is gone.", at: .zero, using: &random)
        session.handleTimeout(at: try #require(session.deadline), using: &random)
        session.connected(at: .seconds(1))
        #expect(!session.takeActions().contains(.subscribe(tooDeep)))
    }

    @Test mutating func aClosedBusStaysClosed() {
        var (session, number) = connected()
        session.close()
        #expect(
            session.takeActions() == [.disconnect, .state(number, .disconnected("The program has closed the bus."))])
        session.connected(at: .seconds(1))
        session.disconnected("It is gone.", at: .seconds(1), using: &random)
        session.publish([1], to: "a/b")
        let later = session.subscribe(to: "b", at: .seconds(1))
        #expect(session.takeActions() == [.state(later, .disconnected("The program has closed the bus."))])
        #expect(session.deadline == nil)
    }
}
