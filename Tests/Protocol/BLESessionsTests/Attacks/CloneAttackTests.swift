import BLEAdapter
import BLEHost
import BLESecurity
import BLEWire
import Testing

@testable import BLESessions

/// A device uses the address of a bonded one, without its keys: what sessions see of it.
struct CloneAttackTests {
    private let store = MemoryBondStore()
    private let bench: SessionBench
    private let peer: PairingPeer
    private let identifier = SessionBench.peer(PairingPeer.address)
    private let record = PeerRecord(identifier: SessionBench.peer(PairingPeer.address), name: nil)

    init() {
        bench = SessionBench(bondStore: store)
        peer = PairingPeer(bench)
        bench.attach()
        bench.call { $0.openCentral(1, at: $1) }
        bench.call { $0.openPeripheral(3, at: $1) }
        bench.run(.milliseconds(5))
        _ = bench.take()
    }

    private var handle: UInt16 { bench.controller.handles.last ?? 0 }

    private func connect() {
        bench.connect(PairingPeer.address, session: 1)
        bench.run(.seconds(1))
    }

    /// BLESA (CVE-2020-9770): the clone of a peripheral sends values before the encryption, refuses nothing and answers nothing. No
    /// session gets the link or a value, and the attempt ends after 30 s.
    @Test func BLESA_CVE_2020_9770_aCloneOfAPeripheralReachesNoSession() throws {
        connect()
        bench.call { $0.submit(.read(handle: 9), to: identifier, session: 1, at: $1) }
        let bond = try #require(store.bonds.first)
        bench.controller.end(handle, 0x08)
        bench.settle()
        peer.linkEnded()
        peer.isSilent = true
        _ = bench.takeAll()
        connect()
        for pdu in [[0x1B, 9, 0, 0x66], [0x1D, 9, 0, 0x66], [0x0B, 0x66]] as [[UInt8]] {
            bench.controller.attribute(pdu, on: handle)
        }
        for pdu in [[0x0B, 0x0D], [0x05, 0x05], [0x02, 3, 0, 0, 7, 0, 0]] as [[UInt8]] {
            bench.controller.security(pdu, on: handle)
        }
        bench.run(.seconds(5))
        let events = bench.take()
        #expect(events.isEmpty, "\(events)")
        bench.run(.seconds(31))
        #expect(bench.take().last == .connectionFailed(identifier, .encryptionTimedOut, session: 1))
        #expect(store.bonds == [bond])
    }

    /// A clone of a central gets an encrypted link with the user's consent, but no bond. The subscriptions of the bonded central do
    /// not return for it: only the keys of the bond prove who the peer is.
    @Test func clonedCentral_encryptionWithOtherKeysRestoresNoSubscriptions() throws {
        _ = try peer.bondAndSubscribe(session: 3)
        let bond = try #require(store.bonds.first)
        let state = try #require(store.attributes(.clientState, of: peer.address))

        peer.forget()
        peer.policy.bonding = false
        bench.call { $0.setAgent(PairingAgentCapability(ioCapability: .noInputNoOutput), session: 11, at: $1) }
        _ = bench.takeAll()
        let second = bench.controller.acceptLink(from: PairingPeer.address)
        bench.settle()
        peer.pair(as: second)
        bench.settle()
        let number = try #require(bench.sessions.pairings.questions.first).number
        bench.call { $0.answer(number, .accept(true), session: 11, at: $1) }
        bench.settle()
        #expect(peer.isEncrypted)
        // The program asks for the level that the link has.
        bench.call { $0.pair(identifier, minimum: .unauthenticated, at: $1) }
        bench.settle()
        let subscribed = bench.takeAll().filter { if case .subscribed = $0 { true } else { false } }
        #expect(subscribed.isEmpty)
        #expect(store.bonds == [bond] && store.attributes(.clientState, of: peer.address) == state)
    }

    /// The user replaces a bond. What the store kept for its device does not pass to the device with the new keys.
    @Test func replacedBond_nothingOfTheFormerDeviceRemains() throws {
        connect()
        bench.call { $0.submit(.read(handle: 9), to: identifier, session: 1, at: $1) }
        bench.controller.end(handle, 0x08)
        bench.settle()
        peer.linkEnded()
        peer.forget()
        for kind in BondAttributes.allCases { store.keep([1, 2, 3], as: kind, of: peer.address) }
        bench.call { $0.setAgent(PairingAgentCapability(ioCapability: .noInputNoOutput), session: 11, at: $1) }
        let second = bench.controller.acceptLink(from: PairingPeer.address)
        bench.settle()
        peer.pair(as: second)
        bench.settle()
        let number = try #require(bench.sessions.pairings.questions.first).number
        bench.call { $0.answer(number, .accept(true), session: 11, at: $1) }
        bench.settle()
        #expect(peer.results.count == 2)
        for kind in BondAttributes.allCases { #expect(store.attributes(kind, of: peer.address) != [1, 2, 3]) }
    }

    /// A bond without a key for this role. The connection does not begin a pairing that no program requested.
    @Test func aBondWithoutAKeyOfThePeer_beginsNoPairing() throws {
        let stored = MemoryBondStore()
        let security = LinkSecurity(keySize: 16, isAuthenticated: false, isSecureConnections: false, isBonded: true)
        stored.keep(
            Bond(
                peer: DeviceAddress(kind: .random, value: PairingPeer.address), security: security,
                usesDebugKeys: false,
                localKey: StoredKey(key: LongTermKey(value: 5), diversifier: 1, random: 2), peerKey: nil,
                peerIdentityKey: nil, localSignatureKey: nil, peerSignatureKey: nil, linkKey: nil))
        let bench = SessionBench(bondStore: stored)
        bench.controller.encrypts = true
        var sent: [[UInt8]] = []
        bench.controller.takeSecurity = { sent.append($1) }
        bench.attach()
        bench.call { $0.openCentral(1, at: $1) }
        bench.connect(PairingPeer.address, session: 1)
        bench.run(.seconds(1))
        #expect(sent.isEmpty)
        #expect(bench.take().contains(.connected(record, session: 1)))
    }

    /// An answer that arrives after its pairing does not answer the next pairing's question, and another session's answer counts for
    /// nothing.
    @Test func aLateAnswer_doesNotAnswerTheNextQuestion() throws {
        bench.call { $0.setAgent(PairingAgentCapability(ioCapability: .noInputNoOutput), session: 11, at: $1) }
        let first = bench.controller.acceptLink(from: PairingPeer.address)
        bench.settle()
        peer.pair(as: first)
        bench.settle()
        let earlier = try #require(bench.sessions.pairings.questions.first).number
        bench.controller.end(first, 0x13)
        bench.settle()
        peer.linkEnded()
        let second = bench.controller.acceptLink(from: PairingPeer.address)
        bench.settle()
        peer.pair(as: second)
        bench.settle()
        let later = try #require(bench.sessions.pairings.questions.first).number
        #expect(earlier != later)
        bench.call { $0.answer(earlier, .accept(true), session: 11, at: $1) }
        bench.call { $0.answer(later, .accept(true), session: 12, at: $1) }
        bench.settle()
        #expect(peer.results.isEmpty && store.bonds.isEmpty)
        bench.call { $0.answer(later, .accept(true), session: 11, at: $1) }
        bench.settle()
        #expect(peer.results.count == 1)
    }
}
