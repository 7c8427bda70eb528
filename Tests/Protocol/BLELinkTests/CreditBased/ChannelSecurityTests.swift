import BLEWire
import Testing

@testable import BLELink

/// Channels that require security (Vol 3, Part A, 4.23; Vol 3, Part C, 10.3).
struct ChannelSecurityTests {
    private static func configuration(suspends: Bool = true) -> CreditBasedConfiguration {
        var configuration = CreditBasedConfiguration()
        configuration.suspendsForSecurity = suspends
        return configuration
    }

    private func pair(
        _ requirement: SecurityRequirement = .encryption, suspends: Bool = true
    ) -> (ChannelPair, UInt32) {
        var pair = ChannelPair(client: Self.configuration(suspends: suspends))
        pair.server.listeners = [CreditBasedListener(spsm: 0x81, requiresEncryption: true, requirement: requirement)]
        let number = pair.client.connect(0x81)
        pair.settle()
        return (pair, number)
    }

    private static let strict = SecurityRequirement(level: .authenticated, keySize: 16)

    @Test(
        arguments: [
            (LinkSecurity(keySize: 0, isAuthenticated: false, isSecureConnections: false, isBonded: false), 0x0005),
            (LinkSecurity(keySize: 0, isAuthenticated: true, isSecureConnections: true, isBonded: true), 0x0008),
            (LinkSecurity(keySize: 16, isAuthenticated: false, isSecureConnections: true, isBonded: true), 0x0005),
            (LinkSecurity(keySize: 15, isAuthenticated: true, isSecureConnections: true, isBonded: true), 0x0007),
            (LinkSecurity(keySize: 16, isAuthenticated: true, isSecureConnections: true, isBonded: true), 0x0000),
        ] as [(LinkSecurity, UInt16)])
    func theResultNamesWhatTheLinkLacks(security: LinkSecurity, result: UInt16) {
        var pair = ChannelPair()
        pair.server.listeners = [
            CreditBasedListener(spsm: 0x81, requiresEncryption: true, requirement: Self.strict),
            CreditBasedListener(spsm: 0x82, requiresEncryption: false),
        ]
        pair.server.security = security
        let answer = pair.server.answer([0x14, 1, 10, 0, 0x81, 0, 0x40, 0, 100, 0, 100, 0, 1, 0])
        #expect(answer.first?.suffix(2) == [UInt8(result), 0])
        let open = pair.server.answer([0x14, 2, 10, 0, 0x82, 0, 0x41, 0, 100, 0, 100, 0, 1, 0])
        #expect(open.first?.suffix(2) == [0, 0], "without the requirement every link will do")
    }

    @Test func theClientRepeatsTheRequestAfterThePairing() {
        var (pair, number) = pair()
        #expect(pair.client.events == [.securityRequired(number, .insufficientAuthentication)])
        #expect(pair.client.machine.deadline == nil, "pairing takes its time")
        pair.server.security.keySize = 16
        pair.client.machine.resume(number, repeating: true, at: .zero)
        #expect(pair.client.machine.deadline != nil)
        pair.settle()
        #expect(pair.client.events.last == .opened(number, .init(spsm: 0x81, isIncoming: false, sendMTU: 2_002)))
        #expect(pair.client.send([1, 2], on: number) == .queued)
        pair.settle()
        #expect(pair.server.sdus.map(\.octets) == [[1, 2]])
        pair.client.machine.resume(number, repeating: false, at: .zero)
        #expect(pair.client.machine.events.isEmpty, "there is nothing to resume")
    }

    @Test func aFailedPairingEndsTheChannelWithThePeersResult() {
        var (pair, number) = pair()
        pair.client.machine.resume(number, repeating: false, at: .zero)
        pair.client.collect()
        #expect(pair.client.events.last == .refused(number, .result(.insufficientAuthentication)))
        #expect(pair.client.machine.count == 0 && pair.client.frames().isEmpty)
    }

    @Test func aSecondRefusalIsFinal() {
        var (pair, number) = pair(Self.strict)
        pair.server.security = LinkSecurity(
            keySize: 15, isAuthenticated: true, isSecureConnections: true, isBonded: true)
        pair.client.machine.resume(number, repeating: true, at: .zero)
        pair.settle()
        #expect(pair.client.events.last == .refused(number, .result(.keySizeTooShort)))
        #expect(pair.client.machine.count == 0)
    }

    @Test func withoutTheOptionTheRefusalIsFinal() {
        let (pair, number) = pair(suspends: false)
        #expect(pair.client.events == [.refused(number, .result(.insufficientAuthentication))])
    }

    @Test func pairingDoesNotHelpAgainstOtherResults() {
        for result in [0x0002, 0x0004, 0x0006, 0x000B] as [UInt8] {
            var client = ChannelEnd(Self.configuration())
            let number = client.connect(0x81)
            let request = client.frames()[0].payload
            client.receive([0x15, request[1], 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, result, 0], on: 5)
            #expect(client.events == [.refused(number, .result(.init(rawValue: UInt16(result))))])
        }
    }

    @Test func aWaitingChannelCanBeClosedAndEndsWithItsLink() {
        var (pair, number) = pair()
        pair.client.close(number)
        #expect(pair.client.events.last == .refused(number, .cancelled) && pair.client.machine.count == 0)
        let second = pair.client.connect(0x81)
        pair.settle()
        #expect(pair.client.events.last == .securityRequired(second, .insufficientAuthentication))
        pair.client.handleTimeout(at: .zero + .seconds(1_000))
        #expect(pair.client.machine.count == 1)
        pair.client.linkLost()
        #expect(pair.client.events.last == .refused(second, .linkLost))
    }

    @Test func aHostilePeerCannotUseAWaitingChannel() {
        var (pair, number) = pair()
        let before = pair.client.events
        pair.client.receive([1, 0, 7], on: 0x40)
        pair.client.receive([0x16, 9, 4, 0, 0, 0, 1, 0], on: 5)
        pair.client.receive([0x06, 9, 4, 0, 0x40, 0, 0, 0], on: 5)
        #expect(pair.client.events == before && pair.client.send([1], on: number) == .notOpen)
    }
}
