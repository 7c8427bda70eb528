import BLEAttribute
import BLEWire
import Testing

@testable import BLEHost

/// Every cause of a disconnection that the host reports.
struct DisconnectionCauseTests {
    enum Event: CaseIterable {
        case disconnect, disconnectThatCrossesALoss, disconnectOfALinkThatIsGone
        case unansweredRequest, unconfirmedIndication
        case responseToAnotherRequest, errorOfAnotherRequest, shortErrorResponse, unaskedMalformedResponse
        case silentController, handleInUse, newLinkOfThePeer
        case powerOff, hardwareError, transportClosed
        case endedByPeer, peerWithoutPower, lost, neverEstablished, endedByThisSideUnasked, authenticationFailure

        var cause: DisconnectionCause {
            switch self {
            case .disconnect, .disconnectThatCrossesALoss, .disconnectOfALinkThatIsGone: .requested
            case .unansweredRequest, .unconfirmedIndication: .host(.attributeTimeout)
            case .responseToAnotherRequest, .errorOfAnotherRequest, .shortErrorResponse, .unaskedMalformedResponse:
                .host(.attributeViolation)
            case .silentController: .host(.stalledController)
            case .handleInUse, .newLinkOfThePeer: .host(.replaced)
            case .powerOff: .host(.powerOff)
            case .hardwareError, .transportClosed: .host(.controllerLost)
            case .endedByPeer: .controller(.remoteUserTerminatedConnection)
            case .peerWithoutPower: .controller(.remoteDeviceTerminatedConnectionDueToPowerOff)
            case .lost: .controller(.connectionTimeout)
            case .neverEstablished: .controller(.connectionFailedToBeEstablished)
            case .endedByThisSideUnasked: .controller(.connectionTerminatedByLocalHost)
            case .authenticationFailure: .controller(.authenticationFailure)
            }
        }
    }

    @Test(arguments: Event.allCases) func everyDisconnectionHasItsCause(_ event: Event) throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (link, _) = try #require(bench.link(central, peripheral))
        try begin(event, link, central, peripheral, bench)
        #expect(central.disconnected == [event.cause])
    }

    private func begin(
        _ event: Event, _ link: LinkIdentifier, _ central: BenchHost, _ peripheral: BenchHost, _ bench: Bench
    ) throws {
        let handle = try #require(central.controller.links.first?.handle)
        func complete(_ reason: HCI.ErrorCode) {
            central.controller.emit(
                HCI.DisconnectionComplete(status: .success, connectionHandle: handle, reason: reason))
            bench.settle()
        }
        func answer(_ pdu: [UInt8]) {
            peripheral.controller.isStalled = true
            central.host.submit(.discoverServices(nil), id: 1, on: link, at: bench.now)
            bench.settle()
            let low = UInt8(truncatingIfNeeded: handle)
            let high = UInt8(truncatingIfNeeded: handle >> 8) | 0x20
            let count = UInt8(pdu.count)
            central.controller.emit([2, low, high, count + 4, 0, count, 0, 4, 0] + pdu)
            bench.settle()
        }
        func connectAgain(handle: UInt16, peer: DeviceAddress) {
            central.controller.emit(
                le: HCI.LEConnectionComplete(
                    status: .success, connectionHandle: handle, role: .central, peerAddress: peer, interval: 24,
                    latency: 0, supervisionTimeout: 200))
            bench.settle()
        }
        switch event {
        case .disconnect:
            central.host.disconnect(link, at: bench.now)
            bench.settle()
        case .disconnectThatCrossesALoss:
            central.controller.silent = [.disconnect]
            central.host.disconnect(link, at: bench.now)
            complete(.connectionTimeout)
        case .disconnectOfALinkThatIsGone:
            central.controller.refusals = [.disconnect: .unknownConnectionIdentifier]
            central.host.disconnect(link, at: bench.now)
            bench.settle()
        case .unansweredRequest:
            peripheral.controller.isStalled = true
            central.host.submit(.discoverServices(nil), id: 1, on: link, at: bench.now)
            bench.run(.seconds(31))
        case .unconfirmedIndication:
            peripheral.controller.isStalled = true
            let value: [UInt8] = [1]
            central.host.indicate(value.span, handle: 3, on: link, at: bench.now)
            bench.run(.seconds(31))
        case .responseToAnotherRequest: answer([0x0B, 1])
        case .errorOfAnotherRequest: answer([0x01, 0x0A, 1, 0, 0x0A])
        case .shortErrorResponse: answer([0x01, 0x10])
        case .unaskedMalformedResponse: answer([0x03])
        case .silentController:
            central.controller.isStalled = true
            let value = [UInt8](repeating: 1, count: 18)
            for _ in 0..<40 { central.host.notify(value.span, handle: 3, on: link, at: bench.now) }
            bench.run(.seconds(46))
        case .handleInUse: connectAgain(handle: handle, peer: DeviceAddress(kind: .random, value: 0xC000_0000_0042))
        case .newLinkOfThePeer: connectAgain(handle: 0x99, peer: peripheral.controller.address)
        case .powerOff:
            central.host.powerOff(at: bench.now)
            bench.settle()
        case .hardwareError:
            central.controller.emit(HCI.HardwareError(hardwareCode: 7))
            bench.settle()
        case .transportClosed:
            central.host.transportClosed(at: bench.now)
            bench.settle()
        case .endedByPeer, .peerWithoutPower, .lost, .neverEstablished, .endedByThisSideUnasked, .authenticationFailure:
            if case .controller(let reason) = event.cause { complete(reason) }
        }
    }
}
