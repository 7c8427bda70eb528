import Crypto
import Devices
import TestConditions
import Testing

/// A node and its provisioner, with nothing between them.
private final class Bench {
    var node: MeshNode
    var provisioner: MeshProvisioner

    init() throws {
        node = MeshNode(try Self.secrets(3))
        provisioner = try MeshProvisioner()
    }

    static func secrets(_ seed: UInt8) throws -> Provisionee.Secrets {
        .init(
            key: try P256.KeyAgreement.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32)),
            random: [UInt8](repeating: seed, count: 16))
    }

    /// Exchanges messages until both are silent.
    func exchange(_ messages: [ProxyPDU], drops: (Int) -> Bool = { _ in false }) {
        var (toNode, count) = (messages, 0)
        while !toNode.isEmpty, count < 1000 {
            var toProvisioner: [ProxyPDU] = []
            for message in toNode {
                count += 1
                if !drops(count) { toProvisioner += node.receive(message) }
            }
            toNode = toProvisioner.flatMap { provisioner.receive($0) }
        }
    }

    func deliver(_ message: ProxyPDU) -> [ProxyPDU] { node.receive(message) }

    func provision() {
        exchange(provisioner.invite())
        for message in node.connected() { _ = provisioner.receive(message) }
    }

    func configure() {
        exchange(provisioner.addKey())
        exchange(provisioner.bind())
    }
}

struct MeshNodeTests {
    @Test func aNodeIsProvisionedConfiguredAndSwitched() throws {
        let bench = try Bench()
        bench.provision()
        #expect(bench.provisioner.beacon == bench.provisioner.stack.network.beacon(ivIndex: 0x1234_5678))
        bench.exchange(bench.provisioner.requestComposition())
        bench.configure()
        bench.exchange(bench.provisioner.turn(true))
        #expect(bench.node.models?.isOn == true)
        bench.exchange(bench.provisioner.turn(false))
        #expect(
            bench.provisioner.steps == [
                .provisioned, .composition(hex("ffff 0100 0100 4000 0200 0000 02 00 0000 0010")), .keyAdded(0),
                .bound(0),
                .state(true), .state(false),
            ])
    }

    @Test func aKeyThatIsNotBoundDoesNotSwitch() throws {
        let bench = try Bench()
        bench.provision()
        bench.exchange(bench.provisioner.addKey())
        bench.exchange(bench.provisioner.turn(true))
        #expect(bench.node.models?.isOn == false)
        bench.exchange(bench.provisioner.bind(model: 0x1002))
        bench.exchange(bench.provisioner.bind(index: 1))
        bench.exchange(bench.provisioner.addKey([UInt8](repeating: 1, count: 16)))
        bench.exchange(bench.provisioner.bind())
        bench.exchange(bench.provisioner.turn(true))
        #expect(
            bench.provisioner.steps == [
                .provisioned, .keyAdded(0), .bound(2), .bound(3), .keyAdded(6), .bound(0), .state(true),
            ])
    }

    @Test func theKeysOfANodeHaveALimit() throws {
        let bench = try Bench()
        bench.provision()
        for index: UInt8 in 0..<6 {
            bench.exchange(bench.provisioner.addKey([UInt8](repeating: index, count: 16), index: index))
        }
        let statuses = bench.provisioner.steps.dropFirst()
        #expect(statuses == [.keyAdded(0), .keyAdded(0), .keyAdded(0), .keyAdded(0), .keyAdded(5), .keyAdded(5)])
    }

    @Test func aCopyOfAMessageIsNotHeard() throws {
        let bench = try Bench()
        bench.provision()
        bench.configure()
        let on = bench.provisioner.turn(true)
        bench.exchange(on)
        bench.exchange(bench.provisioner.turn(false))
        bench.exchange(on)
        #expect(bench.node.models?.isOn == false)
        #expect(bench.provisioner.steps.suffix(2) == [.state(true), .state(false)])
    }

    /// One octet of a message is wrong: neither the light nor the sequence numbers change.
    @Test func aDamagedMessageIsNotHeard() throws {
        let bench = try Bench()
        bench.provision()
        bench.configure()
        let message = try #require(bench.provisioner.turn(true).first)
        for index in message.octets.indices {
            var damaged = message
            damaged.octets[index] ^= 0x10
            #expect(bench.deliver(damaged).isEmpty, "octet \(index)")
        }
        for length in 0..<message.octets.count {
            #expect(bench.deliver(ProxyPDU(.network, Array(message.octets[..<length]))).isEmpty)
        }
        #expect(bench.node.models?.isOn == false)
        bench.exchange([message])
        #expect(bench.node.models?.isOn == true)
    }

    /// The first of two segments is lost once and sent again.
    @Test func aLostSegmentIsSentAgain() throws {
        let bench = try Bench()
        bench.provision()
        bench.exchange(bench.provisioner.addKey()) { $0 == 1 }
        #expect(bench.provisioner.steps == [.provisioned, .keyAdded(0)])
    }

    @Test func aStackWithoutSequenceNumbersIsSilent() throws {
        var credentials = try MeshProvisioner().credentials
        credentials.deviceKey = [UInt8](repeating: 1, count: 16)
        var stack = MeshStack(credentials, sequence: 0xFF_FEFF)
        #expect(!stack.isExhausted)
        var pdus = stack.send([1], to: 2, key: .device)
        #expect(pdus.count == 1)
        #expect(stack.isExhausted)
        pdus = stack.send([1], to: 2, key: .device)
        #expect(pdus.isEmpty)
    }

    @Test func theFilterOfTheProxyIsConfigured() throws {
        let bench = try Bench()
        bench.provision()
        bench.exchange(bench.provisioner.setFilter([0, 0]))
        bench.exchange(bench.provisioner.setFilter([1, 0, 1, 0xC0, 0]))
        bench.exchange(bench.provisioner.setFilter([2, 0xC0, 0]))
        bench.exchange(bench.provisioner.setFilter([0, 1]))
        bench.exchange(bench.provisioner.setFilter([0, 9]))
        var many: [UInt8] = [1]
        for address: UInt16 in 2..<7 { many += address.bigEndianOctets }
        for _ in 0..<3 { bench.exchange(bench.provisioner.setFilter(many)) }
        #expect(
            bench.provisioner.steps == [
                .provisioned, .filtered(type: 0, count: 0), .filtered(type: 0, count: 2), .filtered(type: 0, count: 1),
                .filtered(type: 1, count: 0), .filtered(type: 1, count: 5), .filtered(type: 1, count: 5),
                .filtered(type: 1, count: 5),
            ])
    }

    @Test func aNodeThatWasResetIsProvisionedAgain() throws {
        let bench = try Bench()
        bench.provision()
        bench.exchange(bench.provisioner.send([0x80, 0x49]))
        #expect(bench.provisioner.steps.last == .reset)
        #expect(bench.node.effect == .reset)
        bench.node.reset(try Bench.secrets(4))
        #expect(!bench.node.isProvisioned)
        bench.provisioner = try MeshProvisioner(seed: 9)
        bench.provision()
        #expect(bench.provisioner.steps == [.provisioned])
    }
}

struct ProvisioneeTests {
    private func started() throws -> Provisionee {
        var device = Provisionee(try Bench.secrets(3))
        _ = device.receive([0, 0])
        _ = device.receive([2, 0, 0, 0, 0, 0])
        return device
    }

    @Test func pdusThatAreWrongEndTheProvisioning() throws {
        func first(_ pdu: [UInt8]) throws -> [UInt8]? {
            var device = Provisionee(try Bench.secrets(3))
            return device.receive(pdu)
        }
        #expect(try first([]) == [9, 2])
        #expect(try first([0]) == [9, 2])
        #expect(try first([0, 0, 0]) == [9, 2])
        #expect(try first([7] + [UInt8](repeating: 0, count: 33)) == [9, 3])
        #expect(try first([0x55]) == [9, 1], "an unknown type")
        var device = Provisionee(try Bench.secrets(3))
        _ = device.receive([0, 0])
        let unsupported = device.receive([2, 0, 0, 1, 0, 0])
        #expect(unsupported == [9, 2], "static out-of-band data")
        let after = device.receive([2, 0, 0, 0, 0, 0])
        #expect(after == nil, "the link has to begin anew")
    }

    @Test func aPublicKeyThatIsNotOnTheCurveIsRefused() throws {
        var device = try started()
        let wrong = device.receive([3] + [UInt8](repeating: 1, count: 64))
        #expect(wrong == [9, 2])
        device = try started()
        let own = Array(
            try P256.KeyAgreement.PrivateKey(rawRepresentation: [UInt8](repeating: 3, count: 32)).publicKey
                .rawRepresentation)
        let reflected = device.receive([3] + own)
        #expect(reflected == [9, 2], "the own key")
    }

    @Test func aConfirmationThatIsWrongIsRefused() throws {
        let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: [UInt8](repeating: 7, count: 32))
        var device = try started()
        _ = device.receive([3] + key.publicKey.rawRepresentation)
        let response = device.receive([5] + [UInt8](repeating: 0, count: 16))
        let confirmation = try #require(response)
        let refusal = device.receive([6] + [UInt8](repeating: 1, count: 16))
        #expect(refusal == [9, 4])
        // A provisioner without a secret returns what it was told.
        device = try started()
        _ = device.receive([3] + key.publicKey.rawRepresentation)
        let reflected = device.receive(confirmation)
        #expect(reflected == [9, 4])
    }

    @Test func dataThatIsDamagedOrWithoutAnAddressIsRefused() throws {
        for (address, damages, code) in [(0, false, 8), (0x8000, false, 8), (5, true, 6)] as [(UInt16, Bool, UInt8)] {
            var provisioner = try MeshProvisioner()
            provisioner.credentials.address = address
            var device = Provisionee(try Bench.secrets(3))
            var messages = provisioner.invite()
            var rounds = 0
            while !messages.isEmpty, rounds < 20 {
                rounds += 1
                var answers: [ProxyPDU] = []
                for message in messages {
                    var octets = message.octets
                    if damages, octets.first == 7 { octets[9] ^= 1 }
                    if let answer = device.receive(octets) { answers.append(ProxyPDU(.provisioning, answer)) }
                }
                messages = answers.flatMap { provisioner.receive($0) }
            }
            #expect(provisioner.steps == [.failed(code)])
            #expect(device.credentials == nil)
        }
    }
}

struct ProxyPDUTests {
    @Test func aMessageTakesAsManyPartsAsItNeeds() {
        let octets = (0..<65).map { UInt8($0) }
        for length in [20, 33, 66, 100] {
            let parts = ProxyPDU(.provisioning, octets).parts(length)
            #expect(parts.count == (65 + length - 2) / (length - 1))
            #expect(parts.allSatisfy { $0.count <= length })
            var reassembly = ProxyReassembly()
            let messages = parts.map { reassembly.receive($0) }
            #expect(messages.dropLast().allSatisfy { $0 == nil })
            #expect(messages.last == ProxyPDU(.provisioning, octets))
        }
    }

    @Test func partsThatDoNotFitAreDropped() {
        var reassembly = ProxyReassembly()
        var results = [[], [0xC3, 1], [0x83, 1], [0x04], [0x43, 1], [0x80, 2], [0xC3, 3]].map { reassembly.receive($0) }
        #expect(results.allSatisfy { $0 == nil })
        // A message without an end.
        results = [reassembly.receive([0x43] + [UInt8](repeating: 0, count: 100))]
        for _ in 0..<50 { results.append(reassembly.receive([0x83] + [UInt8](repeating: 0, count: 100))) }
        results.append(reassembly.receive([0xC3, 0]))
        #expect(results.allSatisfy { $0 == nil })
        let whole = reassembly.receive([0x03, 8])
        #expect(whole == ProxyPDU(.provisioning, [8]))
    }
}
