import BLEAdapter
import BLESecurity
import BLEWire

/// A pairing session over bluetoothd.
final class BlueZPairingSession: PairingSession {
    private let role: PairingRole
    private let number: Int

    init(_ role: PairingRole, _ number: Int) { (self.role, self.number) = (role, number) }

    deinit {
        let (role, number) = (role, number)
        role.scheduler.submit { role.close(number) }
    }

    func setAgent(_ agent: PairingAgentCapability?) {
        role.scheduler.submit { [role, number] in role.setAgent(agent, session: number) }
    }

    /// bluetoothd has no call for requirements: they are those of its configuration.
    func setPolicy(_ policy: PairingPolicy) {
        role.scheduler.submit { [role] in
            role.say(
                "bluetoothd takes no requirements on pairings from a program. Those of the system are in /etc/bluetooth/main.conf."
            )
        }
    }

    func pair(_ peer: PeerIdentifier, minimum: LinkSecurity.Level) {
        role.scheduler.submit { [role] in role.pair(peer) }
    }

    func cancelPairing(with peer: PeerIdentifier) { role.scheduler.submit { [role] in role.cancelPairing(with: peer) } }

    func answer(_ question: PairingQuestionNumber, _ answer: AgentAnswer) {
        role.scheduler.submit { [role, number] in role.answer(question, answer, session: number) }
    }

    /// bluetoothd has no call for it.
    func makeOutOfBandData(
        _ kind: OutOfBandBlock.Kind, completion: @escaping @Sendable (OutOfBandBlock?) -> Void
    ) {
        role.scheduler.submit { [role] in
            role.say(Self.outOfBandLine)
            completion(nil)
        }
    }

    /// bluetoothd has no call for it.
    func setOutOfBandData(_ block: OutOfBandBlock?, of peer: PeerIdentifier?) {
        role.scheduler.submit { [role] in role.say(Self.outOfBandLine) }
    }

    func unpair(_ peer: PeerIdentifier) { role.scheduler.submit { [role] in role.unpair(peer) } }

    var bonds: [BondRecord] { role.bondList.withLock { $0 } }

    private static let outOfBandLine =
        "bluetoothd takes no out-of-band data over D-Bus. A program that has the adapter for itself can use it: BLUETOOTH_CONTROLLER=hci0"
}
