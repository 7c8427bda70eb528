import BLEAdapter
import BLEHostAdapter
import BLEWire
import Foundation

/// The script through the runtime's API: a session of the host's adapter, with an observer on its executor.
///
/// `@unchecked Sendable`: after `run` everything happens on the executor.
final class RuntimeClient: CentralObserver, @unchecked Sendable {
    private let script: Script
    private let clock = StepClock()
    private let done = DispatchSemaphore(value: 0)
    private var session: (any CentralSession)!
    private let value = [UInt8](repeating: 0, count: Script.valueLength)
    private var step: Step?
    private var count = 0
    private var peer: PeerIdentifier?
    private let peerToConnect: PeerIdentifier
    private var services = 0
    private var characteristics: [DiscoveredCharacteristic] = []
    private var descriptors = 0
    private var discoveries = 0
    private var again = 0

    init(_ script: Script, peer: PeerIdentifier) {
        self.script = script
        peerToConnect = peer
    }

    func run(_ adapter: any BluetoothAdapter) {
        session = adapter.openCentral(observer: self)
        done.wait()
    }

    func adapterStateChanged(_ state: AdapterState) {
        guard state == .poweredOn else {
            if state == .unsupported { fail("the stub does not start") }
            return
        }
        step = .advertisement
        clock.start()
        session.startScan(ScanRequest(allowDuplicates: true))
    }

    func discovered(_ discovery: Discovery) {
        count += 1
        guard step == .advertisement, count == script.advertisements + 1 else { return }
        clock.end(.advertisement, count)
        session.stopScan()
        step = .connection
        clock.start()
        session.connect(peerToConnect, options: ConnectionOptions())
    }

    func connected(_ peer: PeerRecord) {
        if step == nil {
            again += 1
            clock.end(.reconnection, 1)
            session.cancelConnection(peer.identifier)
            return
        }
        clock.end(.connection, 1)
        self.peer = peer.identifier
        step = .discovery
        discover(peer.identifier)
    }

    private func discover(_ peer: PeerIdentifier) {
        (services, characteristics, descriptors) = (0, [], 0)
        clock.start()
        session.submit(.discoverServices(nil), to: peer)
    }

    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) { fail("no connection: \(failure)") }
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {
        if step != nil { fail("the link ended") }
        guard again < Script.reconnections else {
            done.signal()
            return
        }
        clock.start()
        session.connect(peer, options: ConnectionOptions())
    }

    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {
        switch (operation, result) {
        case (.discoverServices, .success(.services(let found))):
            services = found.count
            for service in found { session.submit(.discoverCharacteristics(service: service.range, nil), to: peer) }
        case (.discoverCharacteristics, .success(.characteristics(let found))):
            characteristics += found
            for characteristic in found {
                session.submit(
                    .discoverDescriptors(after: characteristic.valueHandle, end: characteristic.end), to: peer)
            }
        case (.discoverDescriptors, .success(.descriptors(let found))):
            descriptors += found.count
            if descriptors == Script.characteristics { discovered(peer) }
        case (.setNotify, .success): break
        default: fail("\(operation) ended in \(result)")
        }
    }

    private func discovered(_ peer: PeerIdentifier) {
        guard services == Script.services, characteristics.count == Script.characteristics else {
            fail("found \(services) services, \(characteristics.count) characteristics")
        }
        clock.end(.discovery, 1)
        discoveries += 1
        if discoveries < Script.discoveries { return discover(peer) }
        step = .writeCommand
        count = 0
        clock.start()
        write(to: peer)
    }

    private func write(to peer: PeerIdentifier) {
        let value = self.value
        while count < script.writes {
            count += 1
            guard session.writeCommand(value.span, handle: characteristics[0].valueHandle, to: peer) else { return }
        }
        session.submit(.read(handle: characteristics[0].valueHandle), to: peer)
    }

    func read(_ value: Span<UInt8>, of handle: UInt16, from peer: PeerIdentifier) {
        guard value.count == 20 else { fail("a read of \(value.count) octets") }
        hasRead(peer)
    }

    func readyForWriteCommands(to peer: PeerIdentifier) {
        if step == .writeCommand { write(to: peer) }
    }

    private func hasRead(_ peer: PeerIdentifier) {
        let first = characteristics[0]
        switch step {
        case .writeCommand:
            clock.end(.writeCommand, count)
            step = .read
            count = 0
            clock.start()
        case .read:
            count += 1
            guard count == script.reads else { break }
            clock.end(.read, count)
            step = .notification
            count = 0
            clock.start()
            session.submit(
                .setNotify(valueHandle: first.valueHandle, end: first.end, mode: .notification), to: peer)
            return
        default: return
        }
        session.submit(.read(handle: first.valueHandle), to: peer)
    }

    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        count += 1
        guard value[0] == 0xFF else { return }
        guard count == script.notifications else { fail("\(count) notifications") }
        clock.end(.notification, count)
        step = nil
        session.cancelConnection(peer)
    }

    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {}
    func nameChanged(_ name: String?, of peer: PeerIdentifier) {}
}
