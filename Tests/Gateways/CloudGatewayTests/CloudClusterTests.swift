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
        bench.advance(CloudBrokerConnection.stableTime)
        bench.session.brokerDisconnected("killed", at: bench.now)
        #expect(CloudBrokerConnection.nextBrokerPause.contains(try #require(bench.session.deadline) - bench.now))
    }
}
