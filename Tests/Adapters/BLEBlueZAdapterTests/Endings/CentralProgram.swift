import BLEAdapter
import BLESecurity
import BLEWire
import BlueZBench
import SystemBus

@testable import BLEBlueZAdapter

/// A central that goes through all that a program does with a device, and tries again what fails, as a program does. It checks that each request
/// has one answer.
final class CentralProgram: CentralObserver, PairingObserver, @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.

    enum Link { case none, connecting, up, ending }

    enum Goal: Int, CaseIterable {
        case read, write, commands, socketOn, socketValue, socketOff, signalOn, signalValue, signalOff, channel, pairing
        case disconnect
    }

    static let address = "C0:00:00:00:00:01"
    static let measurement = "00002a37-0000-1000-8000-00805f9b34fb"
    static let control = "00002a39-0000-1000-8000-00805f9b34fb"
    static let location = "00002a38-0000-1000-8000-00805f9b34fb"
    static let long = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    private static let commandCount = 20

    static var device: ScriptedDevice {
        var device = ScriptedDevice(address, name: "strap")
        device.uuids = ["0000180d-0000-1000-8000-00805f9b34fb"]
        device.pairing = .asks(.confirmation(123456))
        device.services = [
            ScriptedService(
                "0000180d-0000-1000-8000-00805f9b34fb",
                [
                    ScriptedCharacteristic(measurement, ["read", "notify"], [0, 60]),
                    ScriptedCharacteristic(control, ["write", "write-without-response"]),
                    ScriptedCharacteristic(location, ["read", "indicate"], long),
                ])
        ]
        return device
    }

    private let bench: EndingBench
    private(set) var session: (any CentralSession)?
    private(set) var pairing: (any PairingSession)?
    /// What must not happen.
    private(set) var violations: [String] = []
    /// What happened, for people who read a failure.
    private(set) var trace: [String] = []
    private(set) var reached: Set<Goal> = []
    /// Whether answers may be wrong: then a value that was read may be, too.
    private let allowsWrongValues: Bool

    private var state = AdapterState.unknown
    private var isScanning = false
    private var peer: PeerIdentifier?
    private var link = Link.none
    private var operation: GATTOperation?
    private var since = Instant.zero
    private var pause = Instant.zero
    private var handles: [String: UInt16] = [:]
    private var services: [DiscoveredService] = []
    private var hasDescriptors = false
    private var valueSince: Instant?
    private var hasChannel: ChannelHandle?
    private var isOpening = false
    private var isPairing = false
    private var hasAgent = false
    private var commandsSent: Instant?
    private var firstWrite = 0
    private var notified = 0
    private var nextAdvertisement = Instant.zero

    init(_ bench: EndingBench, allowsWrongValues: Bool) {
        (self.bench, self.allowsWrongValues) = (bench, allowsWrongValues)
        session = bench.adapter?.openCentral(observer: self)
        pairing = bench.adapter?.openPairing(observer: self)
        pairing?.setAgent(PairingAgentCapability(ioCapability: .displayYesNo))
    }

    var isDone: Bool { reached.count == Goal.allCases.count && !isPairing && !isOpening }
    /// What the program waits for.
    var situation: String {
        "\(state), link \(link), operation \(operation.map { "\($0)" } ?? "-"), reached \(reached.map(\.rawValue).sorted()), channel \(isOpening), pairing \(isPairing)"
    }

    func release() { (session, pairing, hasChannel) = (nil, nil, nil) }

    private var now: Instant { bench.scheduler.now }
    private func note(_ line: String) { trace.append("\(now.nanoseconds / 1_000_000) ms: \(line)") }
    private func violate(_ line: String) {
        violations.append(line)
        note("VIOLATION \(line)")
    }

    // MARK: The surroundings

    private var path: String { "\(EndingBench.hci0)/dev_C0_00_00_00_00_01" }

    /// The device advertises, notifies, and takes channels.
    private func runDevice() {
        let bluez = bench.bluez
        guard bluez.bus != nil, now >= nextAdvertisement else { return }
        nextAdvertisement = now + .milliseconds(100)
        var device = Self.device
        device.isPaired = bluez.property(path, BlueZ.device, "Paired")?.flag == true
        if !bluez.isConnected(path) { bluez.advertise(device) }
        for uuid in [Self.measurement, Self.location] {
            guard let characteristic = bluez.characteristic(path, uuid), !bluez.notifyClients(characteristic).isEmpty
            else { continue }
            notified += 1
            bluez.notify(characteristic, [UInt8(truncatingIfNeeded: notified), 1, 2])
        }
        for socket in bench.channels.sockets where !socket.isClosed {
            if !bluez.isConnected(path) {
                socket.hangUp()
            } else if socket.progress == .waiting {
                socket.connect(sendMTU: 100)
            }
        }
    }

    // MARK: Steps

    func step() {
        runDevice()
        guard state == .poweredOn, now >= pause else { return }
        guard let peer else {
            if !isScanning {
                isScanning = true
                session?.startScan(ScanRequest())
            }
            return
        }
        switch link {
        case .none where reached.contains(.disconnect): break
        case .none:
            (link, since) = (.connecting, now)
            note("connect")
            session?.connect(peer, options: ConnectionOptions())
        case .connecting: break
        case .ending: break
        case .up:
            if operation != nil {
                if now - since > .seconds(150) {
                    violate("no end of \(operation!)")
                    operation = nil
                }
            } else {
                next(peer)
            }
        }
    }

    private func submit(_ operation: GATTOperation, _ peer: PeerIdentifier) {
        (self.operation, since) = (operation, now)
        note("submit \(operation)".prefix(90).description)
        session?.submit(operation, to: peer)
    }

    private func again(_ line: String) {
        note(line)
        pause = now + .milliseconds(300)
    }

    private func next(_ peer: PeerIdentifier) {
        guard let service = services.first else { return submit(.discoverServices(nil), peer) }
        guard let measurement = handles[Self.measurement], let control = handles[Self.control],
            let location = handles[Self.location]
        else { return submit(.discoverCharacteristics(service: service.range, nil), peer) }
        guard hasDescriptors else { return submit(.discoverDescriptors(after: location, end: service.range.end), peer) }
        guard let goal = Goal.allCases.first(where: { !reached.contains($0) }) else { return }
        switch goal {
        case .read: submit(.read(handle: location), peer)
        case .write: submit(.write(handle: control, value: [1, 2, 3]), peer)
        case .commands: sendCommands(control, peer)
        case .socketOn: submit(.setNotify(valueHandle: measurement, end: location, mode: .notification), peer)
        case .socketValue: awaitValue(.socketOn)
        case .socketOff: submit(.setNotify(valueHandle: measurement, end: location, mode: .off), peer)
        case .signalOn:
            if let characteristic = bench.bluez.characteristic(path, Self.location) {
                bench.bluez.always(
                    "GattCharacteristic1.AcquireNotify \(characteristic)", .fails(.inProgress))
            }
            submit(.setNotify(valueHandle: location, end: service.range.end, mode: .indication), peer)
        case .signalValue: awaitValue(.signalOn)
        case .signalOff: submit(.setNotify(valueHandle: location, end: service.range.end, mode: .off), peer)
        case .channel: openChannel(peer)
        case .pairing: pair(peer)
        case .disconnect:
            note("cancel")
            link = .ending
            session?.cancelConnection(peer)
        }
    }

    private func sendCommands(_ control: UInt16, _ peer: PeerIdentifier) {
        let expected = (0..<Self.commandCount).map { [UInt8(truncatingIfNeeded: $0), 9] }
        guard let commandsSent else {
            commandsSent = now
            firstWrite = bench.bluez.writes.count
            for value in expected { _ = session?.writeCommand(value.span, handle: control, to: peer) }
            return
        }
        if bench.bluez.writes.dropFirst(firstWrite).map(\.value) == expected {
            reached.insert(.commands)
            self.commandsSent = nil
        } else if now - commandsSent > .seconds(60) {
            self.commandsSent = nil
            if !allowsWrongValues { violate("write commands are lost") }
            again("commands again")
        }
    }

    /// A value arrives within some seconds; otherwise the subscription begins again.
    private func awaitValue(_ subscription: Goal) {
        if let valueSince {
            guard !bench.isHung else { return self.valueSince = now }
            guard now - valueSince > .seconds(5) else { return }
            self.valueSince = nil
            reached.remove(subscription)
            if !allowsWrongValues { violate("no value") }
            again("no value")
        } else {
            valueSince = now
        }
    }

    private func openChannel(_ peer: PeerIdentifier) {
        guard let channel = hasChannel else {
            guard !isOpening else {
                if now - since > .seconds(120) {
                    violate("no answer to a channel")
                    isOpening = false
                }
                return
            }
            (isOpening, since) = (true, now)
            session?.openChannel(psm: 0x80, to: peer)
            return
        }
        channel.put([1, 2, 3])
        channel.close()
        hasChannel = nil
        reached.insert(.channel)
    }

    private func pair(_ peer: PeerIdentifier) {
        guard !isPairing else {
            if now - since > .seconds(250) {
                violate("no end of a pairing")
                isPairing = false
            }
            return
        }
        (isPairing, since) = (true, now)
        note("pair")
        pairing?.pair(peer, minimum: .unauthenticated)
    }

    // MARK: CentralObserver

    func adapterStateChanged(_ new: AdapterState) {
        note("state \(new)")
        if new == state { violate("the state \(new) twice") }
        state = new
        guard new != .poweredOn else { return }
        isScanning = false
        linkEnded()
    }

    private func linkEnded() {
        (link, operation, services, handles, hasDescriptors) = (.none, nil, [], [:], false)
        (valueSince, commandsSent, isOpening, hasChannel) = (nil, nil, false, nil)
        // A new link has no subscriptions.
        for (on, off) in [(Goal.socketOn, Goal.socketValue), (.signalOn, .signalValue)] where !reached.contains(off) {
            reached.remove(on)
        }
        for (value, off) in [(Goal.socketValue, Goal.socketOff), (.signalValue, .signalOff)]
        where reached.contains(value) && !reached.contains(off) {
            reached.insert(off)
        }
    }

    func discovered(_ discovery: Discovery) {
        guard isScanning else { return }
        note("discovered")
        peer = discovery.peer.identifier
        isScanning = false
        session?.stopScan()
    }

    func connected(_ peer: PeerRecord) {
        note("connected")
        if link != .connecting { violate("connected while the link is \(link)") }
        link = .up
    }

    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) {
        note("failed \(failure)")
        if link != .connecting { violate("a failure while the link is \(link)") }
        linkEnded()
        pause = now + .milliseconds(300)
    }

    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {
        note("disconnected \(end)")
        switch link {
        case .ending: reached.insert(.disconnect)
        case .up: pause = now + .milliseconds(300)
        case .none, .connecting: violate("disconnected while the link is \(link)")
        }
        linkEnded()
    }

    func completed(_ ended: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {
        note("completed \(result)".prefix(120).description)
        guard operation == ended else {
            return violate("\(ended) ended, and the program waits for \(operation as Any)")
        }
        operation = nil
        switch (ended, result) {
        case (_, .failure): pause = now + .milliseconds(300)
        case (.discoverServices, .success(.services(let found))): services = found
        case (.discoverCharacteristics, .success(.characteristics(let found))):
            for characteristic in found {
                for name in [Self.measurement, Self.control, Self.location]
                where BluetoothUUID(name)?.attributeForm == characteristic.uuid {
                    handles[name] = characteristic.valueHandle
                }
            }
        case (.discoverDescriptors, .success(.descriptors)): hasDescriptors = true
        case (.read, .success(.value(let value))):
            if value == Self.long {
                reached.insert(.read)
            } else {
                // An answer without content is an empty value.
                if !allowsWrongValues || !value.isEmpty { violate("a wrong value \(value.prefix(8))") }
                again("a wrong value")
            }
        case (.write, .success(.done)): reached.insert(.write)
        case (.setNotify(handles[Self.measurement], _, .off), .success(.done)): reached.insert(.socketOff)
        case (.setNotify(_, _, .off), .success(.done)): reached.insert(.signalOff)
        case (.setNotify(handles[Self.measurement], _, _), .success(.done)): reached.insert(.socketOn)
        case (.setNotify, .success(.done)): reached.insert(.signalOn)
        default: violate("\(result) for \(ended)")
        }
    }

    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        if link != .up { violate("a value without a link") }
        if handle == handles[Self.measurement] {
            if reached.contains(.socketOff) { violate("a value after the end of the subscription") }
            if reached.contains(.socketOn) { reached.insert(.socketValue) }
        } else {
            if reached.contains(.signalOff) { violate("a value after the end of the subscription") }
            if reached.contains(.signalOn) { reached.insert(.signalValue) }
        }
        valueSince = nil
    }

    func readyForWriteCommands(to peer: PeerIdentifier) {}
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {
        note("services changed")
        if link != .up { violate("services changed without a link") }
        // As the end of a link, for what a program knows of the services.
        let operation = operation
        linkEnded()
        (link, self.operation) = (.up, operation)
    }
    func nameChanged(_ name: String?, of peer: PeerIdentifier) {}
    func channelOpened(_ result: Result<ChannelHandle, ChannelError>, psm: UInt16, of peer: PeerIdentifier) {
        note("channel \(result)".prefix(60).description)
        if !isOpening, case .success(let channel) = result {
            channel.close()
            // The link ended meanwhile.
        }
        isOpening = false
        switch result {
        case .success(let channel): if link == .up { hasChannel = channel }
        case .failure: pause = now + .milliseconds(300)
        }
    }

    // MARK: PairingObserver

    func asked(_ request: AgentRequest, number: PairingQuestionNumber, by peer: PeerRecord) {
        note("asked")
        pairing?.answer(number, .accept(true))
    }

    func pairingCompleted(_ peer: PeerRecord, _ result: Result<LinkSecurity, PairingProcedureError>) {
        note("pairing \(result)".prefix(90).description)
        if !isPairing { violate("the end of a pairing that the program did not begin") }
        isPairing = false
        if case .success = result { reached.insert(.pairing) } else { pause = now + .milliseconds(300) }
    }
}
