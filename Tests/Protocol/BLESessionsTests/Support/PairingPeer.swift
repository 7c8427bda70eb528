import BLEAdapter
import BLECrypto
import BLEHost
import BLESecurity
import BLEWire
import Testing

@testable import BLESessions

/// A peer of the scripted controller that pairs, in either role, and its keys.
final class PairingPeer {
    static let address: UInt64 = 0xC0DE_0000_0001

    private let bench: SessionBench
    private var crypto = SwiftCryptoProvider(generator: SeededRandom(seed: 77))
    private var pairing: Pairing?
    private var handle: UInt16 = 0
    /// The key of a Secure Connections pairing, or of its bond.
    private var startedKey: LongTermKey?
    private(set) var bond: Bond?
    private(set) var results: [PairingResult] = []
    private(set) var failures: [PairingProcedureError] = []
    private(set) var asked: [AgentRequest] = []
    private(set) var received: [UInt8] = []
    private(set) var isEncrypted = false
    var ioCapability = SMP.IOCapability.noInputNoOutput
    var policy = PairingPolicy()
    var address = DeviceAddress(kind: .random, value: PairingPeer.address)
    var identity: LocalIdentity?
    /// Whether the peer answers PDUs and requests for encryption.
    var isSilent = false
    /// Whether reads need encryption.
    var protects = true

    init(_ bench: SessionBench) {
        self.bench = bench
        bench.controller.encrypts = true
        bench.controller.takeSecurity = { [weak self] in self?.receive($1, on: $0) }
        bench.controller.takeKey = { [weak self] in self?.takeKey($0, $1, $2) }
        bench.controller.readError = { [weak self] _ in
            guard let self, protects, !isEncrypted else { return nil }
            return bond == nil ? 0x05 : 0x0F
        }
    }

    private func begin(_ handle: UInt16, _ role: PairingRole) {
        guard self.handle != handle || pairing == nil else { return }
        self.handle = handle
        isEncrypted = false
        startedKey = nil
        let host = bench.sessions.host.ownAddress ?? DeviceAddress(kind: .public, value: 0)
        var parameters = PairingParameters(
            role: role, localAddress: address, peerAddress: host, ioCapability: ioCapability, policy: policy)
        parameters.localIdentity = identity
        pairing = Pairing(parameters: parameters)
    }

    /// The peer's device has forgotten its keys.
    func forget() { bond = nil }

    /// A new link is not encrypted.
    func linkEnded() {
        pairing = nil
        isEncrypted = false
    }

    /// Connects as central to a new service of this peripheral session, bonds, subscribes, and ends the link.
    ///
    /// - Returns: The characteristic with the subscription.
    func bondAndSubscribe(session: Int) throws -> CharacteristicReference {
        let definition = ServiceDefinition(
            uuid: BluetoothUUID(UInt16(0xFEE7)), isPrimary: true, includedServices: [],
            characteristics: [
                CharacteristicDefinition(
                    uuid: BluetoothUUID(UInt16(0x36F5)), properties: 0x10, permissions: 1, value: nil, descriptors: [])
            ])
        bench.call { $0.add(definition, token: 7, session: session, at: $1) }
        let reference = CharacteristicReference(service: 7, index: 0)
        let value = try #require(bench.sessions.server.services.valueHandle(of: reference, session: session))
        let link = bench.controller.acceptLink(from: Self.address)
        bench.settle()
        pair(as: link)
        bench.settle()
        bench.controller.attribute([0x12, UInt8(value + 1), 0, 1, 0], on: link)
        bench.settle()
        bench.controller.end(link, 0x13)
        bench.settle()
        linkEnded()
        return reference
    }

    /// Starts to pair as the central of this link.
    func pair(as handle: UInt16) {
        begin(handle, .initiator)
        perform(pairing?.start(at: bench.now, using: &crypto) ?? [])
    }

    /// Encrypts as the central with the keys of the bond.
    func encryptWithBond(as handle: UInt16) {
        begin(handle, .initiator)
        startedKey = bond?.peerKey?.key
        bench.controller.requestKey(handle)
    }

    private func receive(_ pdu: [UInt8], on handle: UInt16) {
        received.append(pdu[0])
        guard !isSilent else { return }
        // A Security Request comes to a central.
        begin(handle, pdu[0] == 0x0B ? .initiator : .responder)
        perform(pairing?.receive(pdu.span, at: bench.now, using: &crypto) ?? [])
    }

    func answer(_ answer: AgentAnswer) {
        perform(pairing?.answer(answer, at: bench.now, using: &crypto) ?? [])
    }

    private func takeKey(_ handle: UInt16, _ opcode: UInt16, _ parameters: [UInt8]) {
        guard !isSilent else { return }
        begin(handle, .responder)
        let octets = opcode == 0x2019 ? Array(parameters[10...]) : parameters
        let given = LongTermKey(value: octets.reversed().reduce(0 as UInt128) { $0 << 8 | UInt128($1) })
        switch opcode {
        case 0x2019:
            // The host is the central.
            let own = pairing?.longTermKey(diversifier: 0, random: 0) ?? bond?.localKey?.key
            if let own, own == given {
                encrypted(true)
            } else {
                bench.controller.encryptionChanged(handle, status: 0x06)
            }
        case 0x201A: encrypted(given == startedKey)
        default: encrypted(false)
        }
    }

    private func encrypted(_ isOn: Bool) {
        isEncrypted = isOn
        if isOn { bench.controller.encryptionChanged(handle) }
        perform(pairing?.encryptionChanged(isEncrypted: isOn, at: bench.now, using: &crypto) ?? [])
    }

    private func perform(_ actions: [PairingAction]) {
        for action in actions {
            switch action {
            case .send(let packet): bench.controller.security(packet.octets, on: handle)
            case .ask(let request): asked.append(request)
            case .startEncryption(let key):
                startedKey = key
                bench.controller.requestKey(handle)
            case .completed(let result):
                results.append(result)
                bond = result.bond
            case .failed(let failure): failures.append(failure)
            case .dismissAgent, .provideKey, .encryptWithBond, .keypress: break
            }
        }
    }
}
