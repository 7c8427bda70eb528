import BLESecurity
import BLEWire
import Testing

/// The keys of a bond answer a Security Request only if they have what it requires (Vol 3, Part H, 2.4.6).
struct SecurityRequestTests {
    @Test(arguments: [false, true], [false, true])
    func aBondAnswersNoRequestForMoreThanItHas(isAuthenticated: Bool, isSecureConnections: Bool) {
        let security = LinkSecurity(
            keySize: 16, isAuthenticated: isAuthenticated, isSecureConnections: isSecureConnections, isBonded: true)
        for (wantsAuthentication, wantsSecureConnections) in [
            (false, false), (true, false), (false, true), (true, true),
        ] {
            var requirements: SMP.AuthenticationRequirements = [.bonding]
            if wantsAuthentication { requirements.insert(.manInTheMiddle) }
            if wantsSecureConnections { requirements.insert(.secureConnections) }
            var harness = PairHarness(
                .initiator {
                    $0.peerIdentity = .peripheral
                    $0.knownBonds = [KnownBond(identity: .peripheral, security: security)]
                    $0.isEncrypted = true
                })
            // A second request is judged like the first one.
            for round in 1...2 {
                harness.inject(.securityRequest(.init(requirements: requirements)), to: .initiator)
                let suffices =
                    (isAuthenticated || !wantsAuthentication) && (isSecureConnections || !wantsSecureConnections)
                #expect(harness.initiator.encryptionsWithBond == (suffices ? round : 0), "\(requirements)")
                let requests = harness.transcript.count { $0.packet.code == .pairingRequest }
                #expect(requests == (suffices ? 0 : round), "\(requirements)")
            }
        }
    }
}
