import BLEWire
import Testing

@testable import CloudGateway

/// The pauses between attempts when a cluster has several brokers.
@Suite struct CloudClusterTests {
    /// Fails the attempts one after the other, and returns the pauses after them.
    private func pauses(_ brokers: Int, attempts: Int) throws -> [TimeSpan] {
        var bench = try CloudBench { $0.brokerCount = brokers }
        bench.session.start(at: bench.now)
        return try (0..<attempts).map { _ in
            bench.session.brokerDisconnected("refused", at: bench.now)
            let deadline = try #require(bench.session.deadline)
            defer {
                bench.now = deadline
                bench.session.handleTimeout(at: deadline, time: 0)
            }
            return deadline - bench.now
        }
    }

    @Test func theNextBrokerIsTriedSoonAndTheRoundsGrowApart() throws {
        let pauses = try pauses(3, attempts: 24)
        for (index, pause) in pauses.enumerated() where index % 3 != 2 {
            #expect(CloudBrokerConnection.nextBrokerPause.contains(pause))
        }
        #expect(pauses[2] <= .seconds(1))
        #expect(pauses[5] >= .seconds(1))
        #expect(pauses[23] >= .seconds(30))
    }

    @Test func aSingleBrokerHasNoShortPauses() throws {
        #expect(try pauses(1, attempts: 8).dropFirst().allSatisfy { $0 >= .seconds(1) })
    }

    @Test func aConnectionThatLastedIsFollowedByTheNextBrokerSoon() throws {
        var bench = try CloudBench { $0.brokerCount = 3 }
        bench.session.start(at: bench.now)
        for _ in 0..<2 {
            bench.session.brokerDisconnected("refused", at: bench.now)
            bench.now = try #require(bench.session.deadline)
            bench.session.handleTimeout(at: bench.now, time: 0)
        }
        bench.session.brokerConnected(at: bench.now)
        bench.advance(.seconds(10))
        bench.session.brokerDisconnected("killed", at: bench.now)
        #expect(CloudBrokerConnection.nextBrokerPause.contains(try #require(bench.session.deadline) - bench.now))
    }

    /// 30 s for an attempt, 2 s for the last message, and 250 to 500 ms before the next broker.
    @Test func theConnectionToABrokerHasItsTimes() throws {
        var connection = CloudBrokerConnection(brokerCount: 2, seed: 7)
        #expect(connection.deadline == nil)
        connection.begin(at: .zero + .seconds(5))
        #expect(connection.deadline == .zero + .seconds(35))
        #expect(connection.timeout(at: .zero + .seconds(35) - .nanoseconds(1)) == nil)
        #expect(connection.timeout(at: .zero + .seconds(35)) == .attempt)
        let end = connection.end("refused", at: .zero)
        #expect(end == .attempt && connection.failure == "refused")
        let pause: TimeSpan = try #require(connection.deadline) - Instant.zero
        #expect(pause >= .milliseconds(250) && pause <= .milliseconds(500))
        #expect(CloudBrokerConnection.nextBrokerPause == .milliseconds(250) ... .milliseconds(500))
        connection.begin(at: .zero)
        let isAccepted = connection.accept(at: .zero)
        #expect(isAccepted && connection.deadline == nil && connection.failure == nil)
        connection.beginStop(after: 9, at: .zero)
        #expect(connection.deadline == .zero + .seconds(2) && connection.timeout(at: .zero + .seconds(2)) == .stop)
        #expect(connection.isStopping(after: 9) && !connection.isStopping(after: 8))
    }

    /// The reference sequence of SplitMix64 for this seed.
    @Test func theSequenceDependsOnTheSeedAlone() {
        for _ in 0..<2 {
            var random = SplitMix(state: 1_234_567)
            #expect(
                (0..<3).map { _ in random.next() } == [
                    6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                ])
        }
    }
}
