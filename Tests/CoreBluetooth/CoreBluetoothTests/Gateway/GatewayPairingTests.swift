import BLEAdapter
import BLEGatewayAdapter
import BLESecurity
import BLEWire
import Testing

@testable import BLESimulator
@testable import CoreBluetooth

private final class PairingRecorder: PairingObserver {
    let questions = Locked<[PairingQuestionNumber]>([])
    let results = Locked<[Result<LinkSecurity, PairingProcedureError>]>([])

    func asked(_ request: AgentRequest, number: PairingQuestionNumber, by peer: PeerRecord) {
        questions { $0.append(number) }
    }

    func pairingCompleted(_ peer: PeerRecord, _ result: Result<LinkSecurity, PairingProcedureError>) {
        results { $0.append(result) }
    }
}

/// A program over a gateway that pairs with a gadget. The gadget's user has not answered the question whether it may pair.
private struct RunningPairing {
    let scene: Scene
    let gateway: GatewayRoom
    let phone: Phone
    let peripheral: CBPeripheral
    let session: any PairingSession
    let recorder = PairingRecorder()
    let agent: any PairingSession
    let user = PairingRecorder()

    /// - Parameter isHeard: Whether the request reaches the gateway.
    init(isHeard: Bool = true) async throws {
        scene = try await Scene(seed: 6)
        gateway = GatewayRoom(scene.world, at: Position(x: 2))
        let adapter = gateway.adapter()
        phone = Phone(over: gateway, adapter)
        session = adapter.openPairing(observer: recorder)
        agent = scene.gadgetDevice.adapter.openPairing(observer: user)
        agent.setAgent(PairingAgentCapability(ioCapability: .noInputNoOutput))
        try await scene.wait("state 5", on: phone)
        peripheral = try await scene.connect(on: phone)
        if !isHeard {
            gateway.loseOctets()
            // The octets of requests before are on their way.
            await scene.world.run(for: .milliseconds(100))
        }
        session.pair(PeerIdentifier(peripheral.identifier), minimum: .unauthenticated)
        if isHeard {
            let questions = user.questions
            try #require(await scene.world.run(timeout: .seconds(5)) { questions.value.count == 1 })
            #expect(recorder.results.value.isEmpty)
        }
    }

    func waitForResult(_ count: Int = 1) async {
        let results = recorder.results
        #expect(await scene.world.run(timeout: .seconds(5)) { results.value.count == count })
    }
}

@Suite struct GatewayPairingTests {
    @Test func aLostNetworkEndsAPairing() async throws {
        let pairing = try await RunningPairing()
        pairing.gateway.setAway(true)
        await pairing.waitForResult()
        pairing.gateway.setAway(false)
        try await pairing.scene.wait("state 5", on: pairing.phone)
        #expect(pairing.recorder.results.value == [.failure(.disconnected)])
    }

    @Test func aCancelledLinkEndsItsPairing() async throws {
        let pairing = try await RunningPairing()
        pairing.phone.manager.cancelPeripheralConnection(pairing.peripheral)
        try await pairing.scene.wait("disconnect 0", on: pairing.phone)
        // The gateway answers for the pairing, too.
        await pairing.scene.world.run(for: .seconds(5))
        #expect(pairing.recorder.results.value == [.failure(.disconnected)])
    }

    @Test func aDeviceThatPowersOffEndsAPairingOnce() async throws {
        let pairing = try await RunningPairing()
        pairing.scene.gadgetDevice.powerOff()
        try await pairing.scene.wait("disconnect", on: pairing.phone)
        #expect(pairing.recorder.results.value.count == 1)
    }

    @Test func aGatewayThatNeverAnswersEndsAPairingInTime() async throws {
        let pairing = try await RunningPairing(isHeard: false)
        let results = pairing.recorder.results
        await pairing.scene.world.run(for: .seconds(39))
        #expect(results.value.isEmpty)
        await pairing.scene.world.run(for: .seconds(3))
        #expect(results.value == [.failure(.timeout)])
        #expect(pairing.peripheral.state == .connected, "the link goes on")
        // The next pairing has its own time.
        pairing.session.pair(PeerIdentifier(pairing.peripheral.identifier), minimum: .unauthenticated)
        await pairing.scene.world.run(for: .seconds(39))
        #expect(results.value.count == 1)
        await pairing.scene.world.run(for: .seconds(3))
        #expect(results.value == [.failure(.timeout), .failure(.timeout)])
    }

    @Test func theAnswerForACancelledPairingIsIgnored() async throws {
        let pairing = try await RunningPairing()
        let peer = PeerIdentifier(pairing.peripheral.identifier)
        pairing.session.cancelPairing(with: peer)
        await pairing.waitForResult()
        // A second call has no effect.
        pairing.session.cancelPairing(with: peer)
        let question = try #require(pairing.user.questions.value.first)
        pairing.agent.answer(question, .accept(true))
        let user = pairing.user.results
        #expect(await pairing.scene.world.run(timeout: .seconds(5)) { user.value.count == 1 })
        await pairing.scene.world.run(for: .seconds(5))
        #expect(pairing.recorder.results.value == [.failure(.local(.unspecified))])
        // The devices have paired all the same.
        pairing.session.pair(peer, minimum: .unauthenticated)
        await pairing.waitForResult(2)
        guard case .success = pairing.recorder.results.value.last else {
            Issue.record("\(pairing.recorder.results.value)")
            return
        }
    }
}
