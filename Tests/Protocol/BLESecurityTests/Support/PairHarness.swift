import BLECrypto
import BLESecurity
import BLEWire
import Testing

/// Two pairings that talk in memory. The link between them "encrypts" only if both present the same key.
struct PairHarness {
    typealias Crypto = SwiftCryptoProvider<SeededRandom>

    enum Event: Equatable {
        case receive(SMP.Code)
        case answer
        case encryption
    }

    /// A pairing before an event that it then had.
    struct Snapshot {
        let pairing: Pairing
        let event: Event
        /// The PDU of the event, if it is one.
        let packet: SMP.Packet?
        /// Whether the agent has a question without an answer.
        let isAsked: Bool
    }

    struct Side {
        var pairing: Pairing
        var results: [PairingResult] = []
        var failures: [PairingProcedureError] = []
        var asked: [AgentRequest] = []
        var keypresses: [SMP.KeypressNotification.Kind] = []
        var encryptionsWithBond = 0
        var dismissals = 0
        var isEncrypted = false
        var providedKey: LongTermKey?
        /// Questions without an answer yet.
        fileprivate var open: [AgentRequest] = []

        var passkey: Passkey? {
            asked.compactMap { if case .display(let passkey) = $0 { passkey } else { nil } }.last
        }
        var comparison: ComparisonValue? {
            asked.compactMap { if case .compare(let value) = $0 { value } else { nil } }.last
        }
    }

    var now = Instant(nanoseconds: 1_000_000_000)
    var crypto: Crypto
    private(set) var sides: [PairingRole: Side]
    /// What was sent, before any tampering.
    private(set) var transcript: [(from: PairingRole, packet: SMP.Packet)] = []
    private(set) var snapshots: [Snapshot] = []
    private var inFlight: [(to: PairingRole, packet: SMP.Packet)] = []

    /// Changes what is sent; nil loses it.
    var tamper: (PairingRole, SMP.Packet) -> SMP.Packet? = { $1 }
    /// The answers of the person at a side; nil: those that make a pairing succeed.
    var agent: (PairingRole, AgentRequest) -> AgentAnswer? = { _, _ in nil }
    var keepsSnapshots = false

    init(
        _ initiator: PairingParameters = .initiator(), _ responder: PairingParameters = .responder(), seed: UInt64 = 1
    ) {
        crypto = Crypto(generator: SeededRandom(seed: seed))
        sides = [
            .initiator: Side(pairing: Pairing(parameters: initiator)),
            .responder: Side(pairing: Pairing(parameters: responder)),
        ]
    }

    var initiator: Side {
        get { sides[.initiator]! }
        set { sides[.initiator] = newValue }
    }
    var responder: Side {
        get { sides[.responder]! }
        set { sides[.responder] = newValue }
    }

    /// Starts at one side and runs until nothing happens.
    mutating func run(from role: PairingRole = .initiator) {
        let actions = sides[role]!.pairing.start(at: now, using: &crypto)
        perform(actions, role)
        pump()
    }

    /// Delivers a PDU that the other side did not send.
    mutating func inject(_ packet: SMP.Packet, to role: PairingRole) {
        inFlight.append((role, packet))
        pump()
    }

    mutating func timeOut(_ role: PairingRole) {
        guard let deadline = sides[role]!.pairing.deadline else { return }
        now = max(now, deadline)
        perform(sides[role]!.pairing.handleTimeout(at: now), role)
        pump()
    }

    mutating func answer(_ answer: AgentAnswer, at role: PairingRole) {
        record(role, .answer)
        perform(sides[role]!.pairing.answer(answer, at: now, using: &crypto), role)
        pump()
    }

    private mutating func pump() {
        for _ in 0..<10_000 {
            if !inFlight.isEmpty {
                let next = inFlight.removeFirst()
                record(next.to, .receive(next.packet.code), next.packet)
                let octets = next.packet.octets
                perform(sides[next.to]!.pairing.receive(octets.span, at: now, using: &crypto), next.to)
            } else if !answerOne() {
                return
            }
        }
        Issue.record("the sides send packets without end")
    }

    /// Gives one open question its answer.
    private mutating func answerOne() -> Bool {
        for role in PairingRole.allCases {
            for (index, request) in sides[role]!.open.enumerated() {
                guard let answer = agent(role, request) ?? usualAnswer(role, request) else { continue }
                sides[role]!.open.remove(at: index)
                record(role, .answer)
                perform(sides[role]!.pairing.answer(answer, at: now, using: &crypto), role)
                return true
            }
        }
        return false
    }

    private func usualAnswer(_ role: PairingRole, _ request: AgentRequest) -> AgentAnswer? {
        switch request {
        case .accept, .compare: return .accept(true)
        case .display: return nil
        case .enterPasskey:
            let other = sides[role.other]!
            if let shown = other.passkey { return .passkey(shown) }
            return other.asked.contains(.enterPasskey) ? .passkey(Passkey(value: 123_456)) : nil
        }
    }

    private mutating func record(_ role: PairingRole, _ event: Event, _ packet: SMP.Packet? = nil) {
        guard keepsSnapshots else { return }
        let isAsked = sides[role]!.open.contains { if case .display = $0 { false } else { true } }
        snapshots.append(
            Snapshot(pairing: sides[role]!.pairing, event: event, packet: packet, isAsked: isAsked))
    }

    private mutating func perform(_ actions: [PairingAction], _ role: PairingRole) {
        for action in actions {
            switch action {
            case .send(let packet):
                transcript.append((role, packet))
                if let packet = tamper(role, packet) { inFlight.append((role.other, packet)) }
            case .ask(let request):
                sides[role]!.asked.append(request)
                sides[role]!.open.append(request)
            case .dismissAgent:
                sides[role]!.open = []
                sides[role]!.dismissals += 1
            case .provideKey(let key): sides[role]!.providedKey = key
            case .startEncryption(let key):
                let answer = sides[role.other]!.pairing.longTermKey(diversifier: 0, random: 0)
                encrypt(answer == key)
            case .encryptWithBond: sides[role]!.encryptionsWithBond += 1
            case .keypress(let kind): sides[role]!.keypresses.append(kind)
            case .completed(let result): sides[role]!.results.append(result)
            case .failed(let failure): sides[role]!.failures.append(failure)
            }
        }
    }

    mutating func encrypt(_ succeeds: Bool) {
        // The peripheral's controller reports first.
        for role in [PairingRole.responder, .initiator] {
            sides[role]!.isEncrypted = succeeds
            record(role, .encryption)
            perform(
                sides[role]!.pairing.encryptionChanged(isEncrypted: succeeds, at: now, using: &crypto), role)
        }
    }
}

extension PairingRole {
    var other: PairingRole { self == .initiator ? .responder : .initiator }
}

extension DeviceAddress {
    static let central = DeviceAddress(kind: .random, value: 0xC111_2222_3333)
    static let peripheral = DeviceAddress(kind: .public, value: 0x0011_2233_4455)
}

extension PairingParameters {
    static func initiator(
        _ ioCapability: SMP.IOCapability = .keyboardDisplay, _ change: (inout PairingParameters) -> Void = { _ in }
    ) -> PairingParameters {
        var parameters = PairingParameters(
            role: .initiator, localAddress: .central, peerAddress: .peripheral, ioCapability: ioCapability)
        parameters.localIdentity = LocalIdentity(address: .central, key: IdentityResolvingKey(value: 0xAAAA))
        change(&parameters)
        return parameters
    }

    static func responder(
        _ ioCapability: SMP.IOCapability = .keyboardDisplay, _ change: (inout PairingParameters) -> Void = { _ in }
    ) -> PairingParameters {
        var parameters = PairingParameters(
            role: .responder, localAddress: .peripheral, peerAddress: .central, ioCapability: ioCapability)
        parameters.localIdentity = LocalIdentity(address: .peripheral, key: IdentityResolvingKey(value: 0xBBBB))
        change(&parameters)
        return parameters
    }

    /// A pairing by the IO capabilities, with a man in the middle kept out where they allow it.
    func authenticated(secureConnections: Bool) -> PairingParameters {
        var result = self
        result.policy.allowsSecureConnections = secureConnections
        result.policy.localKeys = [.encryption, .identity, .signing]
        result.policy.peerKeys = [.encryption, .identity, .signing]
        return result
    }
}
