import BLEWire
import Testing

@testable import MQTTClient

@Suite struct MQTTClientTests {
    private struct Sequence: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state
        }
    }

    @Test func pausesGrowToTheLimitAndStayWithinHalfOfIt() {
        var backoff = Backoff(.seconds(1) ... .seconds(60))
        var random = SeededRandom(seed: 1)
        for limit in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
            let pause = backoff.next(using: &random)
            #expect(pause <= .seconds(limit))
            #expect(pause >= .milliseconds(limit * 500))
        }
        backoff.reset()
        #expect(backoff.next(using: &random) <= .seconds(1))
    }

    @Test func pausesDependOnTheGeneratorAlone() {
        func pauses(_ seed: UInt64) -> [TimeSpan] {
            var random = Sequence(state: seed)
            var backoff = Backoff(.seconds(1) ... .seconds(60))
            return (0..<8).map { _ in backoff.next(using: &random) }
        }
        #expect(pauses(1) == pauses(1))
        #expect(pauses(1) != pauses(2))
    }

    @Test func pausesOfAHugeRangeDoNotOverflow() {
        var backoff = Backoff(.seconds(1)...TimeSpan(nanoseconds: .max))
        var random = SeededRandom(seed: 1)
        for _ in 0..<200 { #expect(backoff.next(using: &random) >= .milliseconds(500)) }
    }

    @Test func aSecretIsInNoDescription() {
        var configuration = MQTTConfiguration(host: "h", port: 1, clientIdentifier: "c")
        configuration.password = .init("swordfish")
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!dumped.contains("swordfish"))
        #expect(!"\(configuration) \(String(reflecting: configuration))".contains("swordfish"))
    }

    @Test func aCertificateNeedsItsKey() {
        let tls = MQTTConfiguration.TLS(certificate: "/dev/null")
        #expect(throws: MQTTClientError.self) { try tls.check() }
        let absent = MQTTConfiguration.TLS(authorities: "/absent/ca.pem")
        let failure = #expect(throws: MQTTClientError.self) { try absent.check() }
        #expect(failure?.description.hasPrefix("/absent/ca.pem cannot be read") == true)
    }

    @Test func someReasonsAreTemporary() {
        #expect((0...255).filter { MQTTReasonText.isTemporary($0) } == [0x80, 0x83, 0x97])
    }
}
