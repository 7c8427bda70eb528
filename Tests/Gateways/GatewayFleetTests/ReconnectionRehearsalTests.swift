import BLEWire
import Testing

@testable import GatewayFleet

/// Real sessions of gateways in virtual time, with a broker that comes back and admits a number of them in a second.
@Suite struct ReconnectionRehearsalTests {
    @Test func allGatewaysReturnToABrokerThatAdmitsEnough() throws {
        // The first pause has 0.5 to 1 s, so that all attempts come within that half second.
        let result = try ReconnectionRehearsal(gateways: 1000, away: .milliseconds(100), admitted: 10_000).run()
        #expect(result.attempts == 1000)
        #expect(result.busiestSecond == 1000)
        #expect(result.all <= .milliseconds(900))
        #expect(result.half >= .milliseconds(400))
    }

    @Test func aLimitOfTheBrokerSpreadsTheReturn() throws {
        let result = try ReconnectionRehearsal(gateways: 1000, away: .milliseconds(100), admitted: 50).run()
        // At least 20 s are necessary. Pauses of up to 60 s leave some capacity unused.
        #expect(result.all >= .seconds(19))
        #expect(result.all <= .seconds(180))
        #expect(result.half <= result.mostly && result.mostly <= result.all)
        #expect(result.attempts > 1000)
    }

    @Test func aLongAbsenceSpreadsTheAttemptsBeforeTheReturn() throws {
        let result = try ReconnectionRehearsal(gateways: 2000, away: .seconds(600), admitted: 100_000).run()
        // After ten minutes each gateway waits 30 to 60 s between two attempts.
        #expect(result.all >= .seconds(30) && result.all <= .seconds(60))
        #expect(result.busiestSecond < 2000 / 10)
    }

    @Test func theGatewaysOfALostBrokerAreBackAtOnceIfTheOthersTakeThem() throws {
        let result = try ReconnectionRehearsal(
            gateways: 1000, away: .milliseconds(1), admitted: 10_000, brokers: 3
        ).run()
        #expect(result.attempts == 1000)
        #expect(result.all <= .milliseconds(500))
    }

    @Test func theSeedDecidesEverything() throws {
        let first = try ReconnectionRehearsal(gateways: 300, away: .seconds(7), admitted: 20, seed: 3).run()
        #expect(try ReconnectionRehearsal(gateways: 300, away: .seconds(7), admitted: 20, seed: 3).run() == first)
        #expect(try ReconnectionRehearsal(gateways: 300, away: .seconds(7), admitted: 20, seed: 4).run() != first)
    }
}
