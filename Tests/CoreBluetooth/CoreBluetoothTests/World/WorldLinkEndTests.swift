import BLEAdapter
import BLEHostAdapter
import BLESimulator
import CoreBluetooth
import Testing

@testable import BLEHost

/// Every way in which a connection ends, as a program sees it.
@Suite struct WorldLinkEndTests {
    enum Ending: CaseIterable {
        case cancelled
        case peerEnds, peerWithoutResources, peerWithoutPower, peerFailsToAuthenticate, peerWithAnotherReason
        case lost
        case noResponse, responseToAnotherRequest, errorOfAnotherRequest, shortErrorResponse
        case adapterPoweredOff

        /// The `CBError` code that the delegate receives; nil: no error.
        var code: Int? {
            switch self {
            case .cancelled, .adapterPoweredOff: nil
            case .peerEnds, .peerWithoutResources, .peerWithoutPower: 7
            case .peerFailsToAuthenticate: 14
            case .peerWithAnotherReason: 0
            case .lost, .noResponse: 6
            case .responseToAnotherRequest, .errorOfAnotherRequest, .shortErrorResponse: 10
            }
        }

        func reconnects(_ isWanted: Bool) -> Bool { isWanted && self != .cancelled && self != .adapterPoweredOff }
    }

    /// The methods of two delegates that a platform calls: the one with a time stamp is that of iOS 17 and later, and has the lower rank.
    @Test(
        arguments: [(.iPhone, ["long"]), (.iPhoneIOS11, [])] as [(Platform, [String])])
    func row053_thePlatformSelectsTheDisconnectionMethod(_ platform: Platform, _ long: [String]) async throws {
        final class Long: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
            let calls = Locked<[String]>([])
            func centralManagerDidUpdateState(_ central: CBCentralManager) {}
            func centralManager(
                _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
                timestamp: CFAbsoluteTime, isReconnecting: Bool, error: (any Error)?
            ) { calls { $0.append("long") } }
        }
        final class Both: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
            let calls = Locked<[String]>([])
            func centralManagerDidUpdateState(_ central: CBCentralManager) {}
            func centralManager(
                _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
            ) { calls { $0.append("short") } }
            func centralManager(
                _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
                timestamp: CFAbsoluteTime, isReconnecting: Bool, error: (any Error)?
            ) { calls { $0.append("long") } }
        }
        let scene = try await Scene(platform: platform)
        let manager = scene.phone.manager
        let peripheral = try await scene.connect(options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        let (first, second) = (Long(), Both())
        manager.delegate = first
        scene.gadgetDevice.move(to: Position(x: 100_000))
        await scene.world.run(for: .seconds(5))
        #expect(first.calls.value == long)
        // Before iOS 17 there is no automatic connection.
        #expect(peripheral.state == (long.isEmpty ? .disconnected : .connecting))
        manager.cancelPeripheralConnection(peripheral)
        scene.gadgetDevice.move(to: .origin)
        manager.delegate = scene.phone.recorder
        await scene.world.run(for: .seconds(5))
        _ = try await scene.connect()
        manager.delegate = second
        scene.gadgetDevice.move(to: Position(x: 100_000))
        await scene.world.run(for: .seconds(5))
        #expect(second.calls.value == ["short"])
    }

    @Test(arguments: Ending.allCases, [false, true])
    func row043_row046_row047_row051_row052_row104_eachDisconnectionIsReportedAndRecoverable(
        _ ending: Ending, _ isAutomatic: Bool
    ) async throws {
        let scene = try await MisbehavingScene()
        let manager = scene.phone.manager
        let peripheral = try await scene.connect(reconnects: isAutomatic)
        begin(ending, peripheral, scene)

        if ending == .adapterPoweredOff {
            try await scene.wait("state 4")
            #expect(peripheral.state == .disconnected)
            scene.phone.device.powerOn()
            try await scene.wait("state 5")
            #expect(scene.phone.events.isEmpty, "row 7: the state says it")
        } else {
            let isReconnecting = ending.reconnects(isAutomatic)
            let event = try await scene.wait("")
            let error = ending.code.map { " CBErrorDomain \($0)" } ?? ""
            #expect(event == (isReconnecting ? "disconnect 1 reconnecting" : "disconnect 0") + error)
            #expect(peripheral.state == (isReconnecting ? .connecting : .disconnected))
        }

        scene.peer.change { $0 = nil }
        scene.peer.move(x: 1)
        if !ending.reconnects(isAutomatic) {
            await scene.world.run(for: .seconds(30))
            #expect(scene.phone.newEvents().isEmpty, "nothing comes by itself")
            manager.connect(peripheral)
        }
        try await scene.wait("connect 2")
        #expect(peripheral.state == .connected)
        peripheral.discoverServices(nil)
        #expect(try await scene.wait("services") == "services [\"FEE7\"]")
        manager.cancelPeripheralConnection(peripheral)
        #expect(try await scene.wait("disconnect") == "disconnect 0")
        await scene.world.run(for: .seconds(30))
        #expect(scene.phone.newEvents().isEmpty && peripheral.state == .disconnected)
    }

    private func begin(_ ending: Ending, _ peripheral: CBPeripheral, _ scene: MisbehavingScene) {
        /// Answers the discovery of services, whose response is 0x11, with something else.
        func answer(_ pdu: [UInt8]?) {
            scene.peer.change { $0 = { $0[0] == 0x11 || $0[0] == 0x01 ? pdu : $0 } }
            // The second waits behind the first. Row 104: the end of the link is the only callback for both.
            peripheral.discoverServices(nil)
            peripheral.discoverServices([MisbehavingPeer.service])
        }
        switch ending {
        case .cancelled: scene.phone.manager.cancelPeripheralConnection(peripheral)
        case .peerEnds: scene.peer.disconnect(0x13)
        case .peerWithoutResources: scene.peer.disconnect(0x14)
        case .peerWithoutPower: scene.peer.disconnect(0x15)
        case .peerFailsToAuthenticate: scene.peer.disconnect(0x05)
        case .peerWithAnotherReason: scene.peer.disconnect(0x1A)
        case .lost: scene.peer.move(x: 100_000)
        case .noResponse: answer(nil)
        case .responseToAnotherRequest: answer([0x0B, 1])
        case .errorOfAnotherRequest: answer([0x01, 0x0A, 1, 0, 0x0A])
        case .shortErrorResponse: answer([0x01, 0x10])
        case .adapterPoweredOff: scene.phone.device.powerOff()
        }
    }

    @Test func row055_onlyTheCancellingManagerSeesACancellation() async throws {
        let scene = try await MisbehavingScene()
        let second = Phone(beside: scene.phone)
        let third = Phone(beside: scene.phone)
        let first = try await scene.connect()
        _ = try await scene.connect(on: second)
        _ = try await scene.connect(on: third, reconnects: true)
        scene.phone.manager.cancelPeripheralConnection(first)
        #expect(try await scene.wait("disconnect") == "disconnect 0")
        scene.peer.change { $0 = { $0[0] == 0x11 ? [0x0B, 1] : $0 } }
        second.recorder.peripherals.value.first?.discoverServices(nil)
        #expect(try await scene.wait("", on: second) == "disconnect 0 CBErrorDomain 10")
        #expect(try await scene.wait("", on: third) == "disconnect 1 reconnecting CBErrorDomain 10")
        try await scene.wait("connect 2", on: third)
        #expect(scene.phone.events.isEmpty && second.events.isEmpty)
    }

    @Test func row043_aCancellationOfALostLinkIsReported() async throws {
        let scene = try await MisbehavingScene()
        let peripheral = try await scene.connect()
        // The peer's host does not acknowledge: the end of the link takes its supervision timeout.
        scene.peer.change { $0 = { _ in nil } }
        peripheral.discoverServices(nil)
        await scene.world.run(for: .seconds(29))
        scene.peer.move(x: 100_000)
        await scene.world.run(for: .milliseconds(1100))
        #expect(scene.phone.events.isEmpty && peripheral.state == .connected, "30 s are over, the link is ending")
        scene.phone.manager.cancelPeripheralConnection(peripheral)
        #expect(try await scene.wait("") == "disconnect 0")
        scene.peer.change { $0 = nil }
        scene.peer.move(x: 1)
        scene.phone.manager.connect(peripheral)
        try await scene.wait("connect 2")
    }

    @Test func row044_row045_aLinkCancelledBeforeItIsReadyDoesNotFailTheNextAttempt() async throws {
        let scene = try await MisbehavingScene()
        // Without a response to the MTU exchange, didConnect follows after 3 s.
        scene.peer.change { $0 = { $0[0] == 0x03 ? nil : $0 } }
        let peripheral = try await scene.discover()
        scene.phone.manager.connect(peripheral)
        await scene.world.run(for: .seconds(1))
        #expect(peripheral.state == .connecting && scene.phone.newEvents().isEmpty)
        scene.phone.manager.cancelPeripheralConnection(peripheral)
        scene.phone.manager.connect(peripheral)
        scene.peer.change { $0 = nil }
        #expect(try await scene.wait("") == "disconnect 1")
        #expect(try await scene.wait("") == "connect 2")
    }

    @Test func row048_aProtocolViolationBeforeTheLinkIsReadyFailsTheAttempt() async throws {
        let scene = try await MisbehavingScene()
        scene.peer.change { $0 = { $0[0] == 0x03 ? [0x0B, 1] : $0 } }
        let peripheral = try await scene.discover()
        scene.phone.manager.connect(peripheral)
        #expect(try await scene.wait("") == "fail CBErrorDomain 10")
        #expect(peripheral.state == .disconnected)
        scene.peer.change { $0 = nil }
        scene.phone.manager.connect(peripheral)
        try await scene.wait("connect 2")
    }
}
