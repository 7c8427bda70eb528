import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth
import Testing

@Suite struct ConnectingTests {
    @Test func row040_anAttemptStaysPending() throws {
        let bench = CentralBench()
        let peripheral = try #require(bench.discover())
        _ = bench.newCommands()
        bench.manager.connect(peripheral)
        bench.manager.connect(peripheral)
        #expect(peripheral.state == .connecting)
        #expect(bench.newCommands() == [.connect(CentralBench.peer, ConnectionOptions())])
        bench.emit { $0.connected(PeerRecord(identifier: CentralBench.peer, name: nil)) }
        #expect(bench.newEvents().last == "connect 2")
    }

    @Test func row041_releasingThePeripheralEndsItsAttempt() throws {
        let bench = CentralBench()
        var peripheral = bench.discover()
        bench.recorder.peripherals { $0 = [] }
        bench.manager.connect(try #require(peripheral))
        let lines = misuses { peripheral = nil }
        #expect(bench.newCommands().last == .cancel(CentralBench.peer))
        #expect(lines.count == 1 && lines[0].contains("Cancelling connection for unused peripheral"))
        bench.emit { $0.connected(PeerRecord(identifier: CentralBench.peer, name: nil)) }
        bench.emit { $0.disconnected(CentralBench.peer, .cancelled, isReconnecting: false) }
        #expect(bench.newEvents() == ["state 5", "discover Thing -50"])
    }

    @Test func row042_theStateFollowsCallsAndCallbacks() throws {
        let bench = CentralBench()
        let peripheral = try #require(bench.discover())
        #expect(peripheral.state == .disconnected)
        bench.manager.connect(peripheral)
        #expect(peripheral.state == .connecting)
        bench.queue.suspend()
        bench.adapter.executor.sync {
            bench.session.observer?.connected(PeerRecord(identifier: CentralBench.peer, name: nil))
        }
        #expect(peripheral.state == .connecting, "what the callback announces changes with the callback")
        bench.queue.resume()
        bench.settle()
        #expect(peripheral.state == .connected)
        bench.manager.cancelPeripheralConnection(peripheral)
        #expect(peripheral.state == .disconnecting)
        bench.emit { $0.disconnected(CentralBench.peer, .cancelled, isReconnecting: false) }
        #expect(peripheral.state == .disconnected)
        #expect(bench.newEvents().suffix(2) == ["connect 2", "disconnect 0"])
    }

    @Test func row043_cancellingAConnectionCallsDidDisconnectWithoutAnError() {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        bench.manager.cancelPeripheralConnection(peripheral)
        bench.manager.cancelPeripheralConnection(peripheral)
        #expect(bench.newCommands() == [.cancel(CentralBench.peer)])
        bench.emit { $0.disconnected(CentralBench.peer, .cancelled, isReconnecting: false) }
        #expect(bench.newEvents() == ["disconnect 0"])
    }

    @Test func row043_aCancellationConcurrentWithThePeersDisconnectionHasNoError() {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        bench.manager.cancelPeripheralConnection(peripheral)
        bench.emit { $0.disconnected(CentralBench.peer, .failed(.endedByPeer), isReconnecting: false) }
        #expect(bench.newEvents() == ["disconnect 0"])
        bench.emit { $0.disconnected(CentralBench.peer, .cancelled, isReconnecting: false) }
        #expect(bench.newEvents().isEmpty)
    }

    @Test func row044_cancellingAnAttemptCallsDidDisconnect() throws {
        let bench = CentralBench()
        let peripheral = try #require(bench.discover())
        bench.manager.connect(peripheral)
        bench.manager.cancelPeripheralConnection(peripheral)
        // The link may have come up just before: that is no news any more.
        bench.emit { $0.connected(PeerRecord(identifier: CentralBench.peer, name: nil)) }
        bench.emit { $0.disconnected(CentralBench.peer, .cancelled, isReconnecting: false) }
        #expect(bench.newEvents().dropFirst(2) == ["disconnect 0"])
    }

    @Test func row044_aFailureConcurrentWithTheCancellationIsNotReported() throws {
        let bench = CentralBench()
        let peripheral = try #require(bench.discover())
        bench.manager.connect(peripheral)
        bench.manager.cancelPeripheralConnection(peripheral)
        bench.emit { $0.connectionFailed(CentralBench.peer, .establishmentFailed) }
        #expect(bench.newEvents().dropFirst(2) == ["disconnect 0"])
        #expect(peripheral.state == .disconnected)
    }

    @Test func row045_connectingRightAfterACancellationSucceeds() {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        bench.manager.cancelPeripheralConnection(peripheral)
        bench.manager.connect(peripheral)
        #expect(peripheral.state == .connecting)
        bench.emit { $0.disconnected(CentralBench.peer, .cancelled, isReconnecting: false) }
        #expect(peripheral.state == .connecting, "the new attempt is under way")
        bench.emit { $0.connected(PeerRecord(identifier: CentralBench.peer, name: nil)) }
        #expect(bench.newEvents() == ["disconnect 1", "connect 2"])
        #expect(peripheral.state == .connected)
    }

    @Test(arguments: [
        (ConnectionError.endedByPeer, 7, "The specified device has disconnected from us."),
        (.supervisionTimeout, 6, "The connection has timed out unexpectedly."),
        (.attributeTimeout, 6, "The connection has timed out unexpectedly."),
        (.protocolViolation, 10, "The connection has failed unexpectedly."),
        (.peerRemovedPairingInformation, 14, "Peer removed pairing information"),
        (
            .encryptionTimedOut, 15,
            "Failed to encrypt the connection, the connection has timed out unexpectedly."
        ),
        (.encryptionFailed, 10, "The connection has failed unexpectedly."),
        (.controller(0x16), 0, "Unknown error."), (.endedByHost, 0, "Unknown error."),
    ])
    func row046_row047_row081_row082_eachDisconnectionHasItsError(
        _ failure: ConnectionError, _ code: Int, _ text: String
    ) {
        let bench = CentralBench()
        _ = bench.connectedPeripheral()
        bench.emit { $0.disconnected(CentralBench.peer, .failed(failure), isReconnecting: false) }
        #expect(bench.newEvents() == ["disconnect 0 CBErrorDomain \(code)"])
        let error = bench.recorder.errors.value.last
        #expect((error as? CBError)?.errorCode == code && error?.localizedDescription == text)
        #expect((error as? CBError)?.userInfo[NSLocalizedDescriptionKey] as? String == text)
    }

    @Test(arguments: [
        (ConnectionError.establishmentFailed, 10), (.limitReached, 11), (.peerRemovedPairingInformation, 14),
        (.encryptionTimedOut, 15),
    ])
    func row048_aFailedAttemptCallsDidFailToConnect(_ failure: ConnectionError, _ code: Int) throws {
        let bench = CentralBench()
        let peripheral = try #require(bench.discover())
        bench.manager.connect(peripheral)
        bench.emit { $0.connectionFailed(CentralBench.peer, failure) }
        #expect(bench.newEvents().last == "fail CBErrorDomain \(code)")
        #expect(peripheral.state == .disconnected)
    }

    @Test func row049_row104_noCallbackFollowsDidDisconnect() {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        peripheral.readRSSI()
        bench.emit { $0.disconnected(CentralBench.peer, .failed(.endedByPeer), isReconnecting: false) }
        _ = bench.newEvents()
        bench.complete(.readRSSI, .success(.rssi(-3)))
        bench.emit { $0.readyForWriteCommands(to: CentralBench.peer) }
        bench.notify([1], handle: 3)
        bench.emit { $0.servicesChanged(HandleRange(start: 1, end: 0xFFFF), of: CentralBench.peer) }
        #expect(bench.newEvents().isEmpty)
    }

    @Test func row050_row096_attributesBecomeInvalidWithTheirConnection() throws {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        peripheral.discoverServices(nil)
        bench.answer(.success(.services([DiscoveredService(0x180F, 1, 5)])))
        let service = try #require(peripheral.services?.first)
        peripheral.discoverCharacteristics(nil, for: service)
        bench.answer(
            .success(.characteristics([DiscoveredCharacteristic(0x2A19, [.read, .notify], value: 3, end: 5)])))
        let characteristic = try #require(service.characteristics?.first)
        peripheral.setNotifyValue(true, for: characteristic)
        bench.answer(.success(.done))
        #expect(characteristic.isNotifying)
        bench.emit { $0.disconnected(CentralBench.peer, .failed(.endedByPeer), isReconnecting: false) }
        #expect(peripheral.services == nil && !characteristic.isNotifying)

        bench.manager.connect(peripheral)
        bench.emit { $0.connected(PeerRecord(identifier: CentralBench.peer, name: nil)) }
        _ = bench.newEvents()
        _ = bench.newCommands()
        peripheral.readValue(for: characteristic)
        peripheral.discoverCharacteristics(nil, for: service)
        bench.settle()
        #expect(bench.newCommands().isEmpty)
        #expect(
            bench.newEvents() == ["value [] CBErrorDomain 2", "characteristics [\"2A19\"] CBErrorDomain 2"])
    }

    @Test func row051_aLostLinkReconnectsAutomatically() {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral(options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        bench.emit { $0.disconnected(CentralBench.peer, .failed(.supervisionTimeout), isReconnecting: true) }
        #expect(peripheral.state == .connecting && peripheral.services == nil)
        bench.emit { $0.connected(PeerRecord(identifier: CentralBench.peer, name: nil)) }
        #expect(bench.newEvents() == ["disconnect 1 reconnecting CBErrorDomain 6", "connect 2"])
        #expect(bench.newCommands().isEmpty)
    }

    @Test func row051_row056_connectionOptionsReachTheAdapter() throws {
        let bench = CentralBench()
        let peripheral = try #require(bench.discover())
        _ = bench.newCommands()
        bench.manager.connect(
            peripheral,
            options: [
                CBConnectPeripheralOptionEnableAutoReconnect: NSNumber(value: true),
                CBConnectPeripheralOptionStartDelayKey: 1.5, CBConnectPeripheralOptionNotifyOnConnectionKey: true,
                CBConnectPeripheralOptionRequiresANCS: true,
            ])
        let options = ConnectionOptions(startDelay: .milliseconds(1500), reconnectsAutomatically: true)
        #expect(bench.newCommands() == [.connect(CentralBench.peer, options)])
        #expect(!peripheral.ancsAuthorized)
    }

    @Test(arguments: [Double.nan, -1, .infinity, 1e300, 0])
    func row056_invalidDelaysDoNotTrap(_ delay: Double) throws {
        let bench = CentralBench()
        let peripheral = try #require(bench.discover())
        bench.manager.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: delay])
        #expect(peripheral.state == .connecting)
    }

    @Test func row052_aCancellationEndsAutomaticReconnection() {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral(options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        bench.emit { $0.disconnected(CentralBench.peer, .failed(.supervisionTimeout), isReconnecting: true) }
        bench.manager.cancelPeripheralConnection(peripheral)
        #expect(bench.newCommands() == [.cancel(CentralBench.peer)])
        bench.emit { $0.disconnected(CentralBench.peer, .cancelled, isReconnecting: false) }
        #expect(bench.newEvents() == ["disconnect 1 reconnecting CBErrorDomain 6", "disconnect 0"])
    }

    @Test func row053_theShortDidDisconnectIsCalledIfItIsTheOnlyOne() throws {
        final class Old: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
            let events = Locked<[String]>([])
            func centralManagerDidUpdateState(_ central: CBCentralManager) {}
            func centralManager(
                _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
            ) { events { $0.append("short") } }
        }
        let bench = CentralBench()
        let old = Old()
        let peripheral = bench.connectedPeripheral()
        bench.manager.delegate = old
        bench.manager.cancelPeripheralConnection(peripheral)
        bench.emit { $0.disconnected(CentralBench.peer, .cancelled, isReconnecting: false) }
        #expect(old.events.value == ["short"])
    }

    /// As on iOS 17 and later: the short method alone is called, and the connection is not renewed.
    @Test func row053_aDelegateWithBothGetsTheShortDidDisconnectAndNoReconnection() {
        final class Both: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
            let events = Locked<[String]>([])
            let connectsAgain = Locked(false)
            func centralManagerDidUpdateState(_ central: CBCentralManager) {}
            func centralManager(
                _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
            ) {
                events { $0.append("short \(peripheral.state.rawValue)") }
                if connectsAgain.value { central.connect(peripheral) }
            }
            func centralManager(
                _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
                timestamp: CFAbsoluteTime, isReconnecting: Bool, error: (any Error)?
            ) { events { $0.append("long") } }
        }
        let bench = CentralBench()
        let both = Both()
        let options = [CBConnectPeripheralOptionEnableAutoReconnect: true]
        let peripheral = bench.connectedPeripheral(options: options)
        bench.manager.delegate = both
        let lost: (any CentralObserver) -> Void = {
            $0.disconnected(CentralBench.peer, .failed(.supervisionTimeout), isReconnecting: true)
        }
        bench.emit(lost)
        #expect(both.events.value == ["short 0"] && peripheral.state == .disconnected)
        #expect(bench.newCommands() == [.cancel(CentralBench.peer)])
        // The link that came up before the cancellation, and the end of the attempt, are not reported.
        bench.emit { $0.connected(PeerRecord(identifier: CentralBench.peer, name: nil)) }
        bench.emit { $0.disconnected(CentralBench.peer, .cancelled, isReconnecting: false) }
        #expect(both.events.value == ["short 0"] && peripheral.state == .disconnected)
        // A program that connects by itself keeps its attempt.
        both.connectsAgain { $0 = true }
        bench.manager.connect(peripheral, options: options)
        bench.emit { $0.connected(PeerRecord(identifier: CentralBench.peer, name: nil)) }
        _ = bench.newCommands()
        bench.emit(lost)
        #expect(both.events.value == ["short 0", "short 0"] && peripheral.state == .connecting)
        #expect(!bench.newCommands().contains(.cancel(CentralBench.peer)))
    }

    @Test func row054_theTimestampIsTheTimeOfTheDisconnection() throws {
        let bench = CentralBench()
        _ = bench.connectedPeripheral()
        let before = CFAbsoluteTimeGetCurrent()
        bench.emit { $0.disconnected(CentralBench.peer, .failed(.endedByPeer), isReconnecting: false) }
        let timestamp = try #require(bench.recorder.timestamps.value.last)
        #expect(timestamp >= before && timestamp <= CFAbsoluteTimeGetCurrent())
    }

    @Test func connectingAConnectedPeripheralCallsDidConnectAtOnce() {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        bench.manager.connect(peripheral)
        bench.settle()
        #expect(bench.newEvents() == ["connect 2"] && bench.newCommands().isEmpty)
    }

    @Test func row061_registeredDevicesCauseConnectionEvents() throws {
        let bench = CentralBench()
        let peripheral = try #require(bench.discover(data: [0x03, 0x03, 0x0F, 0x18]))
        bench.manager.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "180F")]])
        bench.manager.connect(peripheral)
        bench.emit { $0.connected(PeerRecord(identifier: CentralBench.peer, name: nil)) }
        #expect(bench.newEvents().suffix(2) == ["connect 2", "connectionEvent 1"])
        bench.manager.registerForConnectionEvents(options: [.peripheralUUIDs: [peripheral.identifier]])
        bench.emit { $0.disconnected(CentralBench.peer, .failed(.endedByPeer), isReconnecting: false) }
        #expect(bench.newEvents() == ["disconnect 0 CBErrorDomain 7", "connectionEvent 0"])
        bench.manager.registerForConnectionEvents(options: nil)
        bench.manager.connect(peripheral)
        bench.emit { $0.connected(PeerRecord(identifier: CentralBench.peer, name: nil)) }
        #expect(bench.newEvents() == ["connect 2"])
        let five = (0..<5).map { CBUUID(string: "18\($0)0") }
        #expect(misuses { bench.manager.registerForConnectionEvents(options: [.serviceUUIDs: five]) }.count == 1)
    }
}
