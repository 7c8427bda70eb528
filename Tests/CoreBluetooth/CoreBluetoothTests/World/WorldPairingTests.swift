import BLEAdapter
import BLEHostAdapter
import BLESecurity
import BLESimulator
import BLEWire
import CoreBluetooth
import Testing

/// Pairing between two managers of a world: the programs see its outcome alone.
@Suite struct WorldPairingTests {
    /// The pairing session of a device, and its events.
    final class Tool: PairingObserver, @unchecked Sendable {
        let events = Locked<[String]>([])
        let numbers = Locked<[PairingQuestionNumber]>([])
        private(set) var session: (any PairingSession)!
        /// Whether it answers comparisons with yes.
        let accepts = Locked(true)

        init(_ adapter: any BluetoothAdapter) { session = adapter.openPairing(observer: self) }

        func asked(_ request: AgentRequest, number: PairingQuestionNumber, by peer: PeerRecord) {
            switch request {
            case .accept: events { $0.append("accept") }
            case .compare(let value): events { $0.append("compare \(value.digits.count)") }
            case .display: events { $0.append("display") }
            case .enterPasskey: events { $0.append("enter") }
            }
            session.answer(number, .accept(accepts.value))
        }
        func pairingCompleted(_ peer: PeerRecord, _ result: Result<LinkSecurity, PairingProcedureError>) {
            switch result {
            case .success(let security): events { $0.append("paired \(security.level)") }
            case .failure(let failure): events { $0.append("failed \(failure)") }
            }
        }
        func bondAdded(_ bond: BondRecord) { events { $0.append("bond") } }
        func bondRemoved(_ peer: PeerIdentifier) { events { $0.append("no bond") } }
    }

    private func secretService(_ value: Data? = nil) -> (CBMutableService, CBMutableCharacteristic) {
        let characteristic = characteristic("AB01", .read, .readEncryptionRequired, value: value)
        return (service("FEE8", [characteristic]), characteristic)
    }

    @Test func row102_row122_theFirstReadPairsAndSucceeds() async throws {
        let scene = try await Scene()
        let tool = Tool(scene.phone.adapter)
        let (secret, _) = secretService()
        scene.gadget.storeContent { $0 = Data([4, 2]) }
        try await scene.publish(secret)
        let (peripheral, characteristics) = try await scene.characteristics(in: secret)
        peripheral.readValue(for: characteristics[0])
        try await scene.wait("value")
        #expect(characteristics[0].value == Data([4, 2]) && scene.gadget.recorder.reads.value.count == 1)
        #expect(tool.events.value == ["bond", "paired unauthenticated"])
        #expect(tool.session.bonds.count == 1)
    }

    /// A bonded reconnect is encrypted before `didConnect`, so a read needs no pairing.
    @Test func aBondEncryptsTheNextConnection() async throws {
        let scene = try await Scene()
        let (secret, _) = secretService(Data([7]))
        try await scene.publish(secret)
        let (peripheral, characteristics) = try await scene.characteristics(in: secret)
        peripheral.readValue(for: characteristics[0])
        try await scene.wait("value")
        scene.phone.manager.cancelPeripheralConnection(peripheral)
        try await scene.wait("disconnect")
        let tool = Tool(scene.phone.adapter)
        scene.phone.manager.connect(peripheral)
        try await scene.wait("connect")
        // The host has the services of a bonded device in its cache, although no program discovered them on this link. A gateway's client has no host.
        if !PhonePath.isOverGateway {
            let connected = scene.phone.manager.retrieveConnectedPeripherals(withServices: [secret.uuid])
            #expect(connected.count == 1 && connected.first === peripheral && peripheral.services == nil)
        }
        peripheral.discoverServices([secret.uuid])
        try await scene.wait("services")
        let found = try #require(peripheral.services?.first { $0.uuid == secret.uuid })
        peripheral.discoverCharacteristics(nil, for: found)
        try await scene.wait("characteristics")
        peripheral.readValue(for: try #require(found.characteristics?.first))
        try await scene.wait("value")
        #expect(tool.events.value.isEmpty && tool.session.bonds.count == 1)
    }

    @Test func row048_aPeerThatForgotItsKeysFailsTheConnection() async throws {
        let scene = try await Scene()
        let (secret, _) = secretService(Data([7]))
        try await scene.publish(secret)
        let (peripheral, characteristics) = try await scene.characteristics(in: secret)
        peripheral.readValue(for: characteristics[0])
        try await scene.wait("value")
        let other = Tool(scene.gadgetDevice.adapter)
        let bond = try #require(other.session.bonds.first)
        // Unpairing ends the link at once.
        other.session.unpair(bond.peer.identifier)
        try await scene.wait("disconnect")
        #expect(other.events.value.contains("no bond") && other.session.bonds.isEmpty)
        let tool = Tool(scene.phone.adapter)
        scene.phone.manager.connect(peripheral)
        try await scene.wait("fail")
        #expect(scene.phone.recorder.errors.value.last.map { ($0 as NSError).code } == 14)
        #expect(peripheral.state == .disconnected)
        #expect(tool.session.bonds.count == 1, "the user removes the bond")
        // After that the devices pair anew.
        tool.session.unpair(try #require(tool.session.bonds.first).peer.identifier)
        scene.phone.manager.connect(peripheral)
        try await scene.wait("connect")
        tool.session.pair(PeerIdentifier(peripheral), minimum: .unauthenticated)
        let isPaired = await scene.world.run(timeout: .seconds(10)) {
            tool.events.value.contains("paired unauthenticated")
        }
        #expect(isPaired)
    }

    @Test func twoAgentsCompareDigits() async throws {
        let scene = try await Scene()
        let tools = [Tool(scene.phone.adapter), Tool(scene.gadgetDevice.adapter)]
        for tool in tools { tool.session.setAgent(PairingAgentCapability(ioCapability: .displayYesNo)) }
        let peripheral = try await scene.connect()
        tools[0].session.pair(PeerIdentifier(peripheral), minimum: .secureConnections)
        let isPaired = await scene.world.run(timeout: .seconds(10)) {
            tools.allSatisfy { $0.events.value.contains("paired secureConnections") }
        }
        #expect(isPaired, "\(tools.map(\.events.value))")
        #expect(
            tools[0].events.value.first == "compare 6" && tools[1].events.value.prefix(2) == ["accept", "compare 6"])
    }

    @Test func aUserWhoRefusesLeavesThePeersError() async throws {
        let scene = try await Scene()
        let tools = [Tool(scene.phone.adapter), Tool(scene.gadgetDevice.adapter)]
        for tool in tools { tool.session.setAgent(PairingAgentCapability(ioCapability: .displayYesNo)) }
        tools[1].accepts { $0 = false }
        let (secret, _) = secretService(Data([7]))
        try await scene.publish(secret)
        let (peripheral, characteristics) = try await scene.characteristics(in: secret)
        peripheral.readValue(for: characteristics[0])
        try await scene.wait("value [] CBATTErrorDomain 5")
        #expect(tools.allSatisfy { $0.session.bonds.isEmpty } && peripheral.state == .connected)
    }

    @Test func aRunWithPairingRepeats() async throws {
        func run() async throws -> [String] {
            let scene = try await Scene(seed: 5)
            let octets = Locked<[String]>([])
            scene.phone.device.observeHCI { _, _, packet in
                // Security Manager PDUs (channel 6).
                guard packet.count > 9, packet[0] == 2, packet[7] == 6 else { return }
                let text = (0..<packet.count).map { String(packet[$0], radix: 16) }.joined(separator: " ")
                octets { $0.append(text) }
            }
            let (secret, _) = secretService(Data([7]))
            try await scene.publish(secret)
            let (peripheral, characteristics) = try await scene.characteristics(in: secret)
            peripheral.readValue(for: characteristics[0])
            try await scene.wait("value")
            return octets.value
        }
        let first = try await run()
        #expect(first.count > 8)
        #expect(try await run() == first)
    }
}

extension PeerIdentifier {
    /// The identifier of a peripheral.
    fileprivate init(_ peripheral: CBPeripheral) {
        let uuid = peripheral.identifier.uuid
        let octets = withUnsafeBytes(of: uuid) { Array($0) }
        func number(_ range: Range<Int>) -> UInt64 { octets[range].reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: number(0..<8), low: number(8..<16))
    }
}
