internal import BLEAdapter
import CoreBluetooth

/// The work of an ``ImprovCentral``, and the delegate of its manager.
///
/// `@unchecked Sendable`: `start`, `submit` and `disconnect` may be called from any thread; all state is used on `queue`.
final class ImprovCentralSession: NSObject, @unchecked Sendable {
    typealias Peer = ImprovCentral.Peer
    typealias Event = ImprovCentral.Event

    private struct Request {
        let packet: ImprovPacket
        var answers: Bool { packet.command != ImprovPacket.Command.identify }
    }

    private let characteristics = [
        ImprovService.capabilities, ImprovService.state, ImprovService.error, ImprovService.result,
        ImprovService.command,
    ]

    private let peer: Peer
    private let timing: ImprovTiming
    private let queue: DispatchQueue
    private let clock: QueueClock
    private let onEvent: @Sendable (Event) -> Void
    private var keptManager: CBCentralManager?
    private var manager: CBCentralManager?
    private var peripheral: CBPeripheral?
    private var found: [CBUUID: CBCharacteristic] = [:]
    private var isReady = false
    private var isOver = false
    private var end: ImprovClientError?
    private var state = ImprovState(rawValue: 0)
    private var capabilities: ImprovCapabilities = []
    private var requests: [Request] = []
    private var running: Request?
    /// The parts of the running command that are not written.
    private var parts: [Data] = []
    private var assembler = PacketAssembler()
    /// Counts what the client waits for, so that a late time limit ends nothing else.
    private var wait = 0

    init(
        peer: Peer, timing: ImprovTiming, queue: DispatchQueue, clock: any Clock<Duration>,
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.peer = peer
        self.timing = timing
        self.queue = queue
        self.clock = QueueClock(clock)
        self.onEvent = onEvent
    }

    func start() {
        keptManager = CBCentralManager(delegate: self, queue: queue)
        queue.async { [self] in limit(.noDevice) }
    }

    func disconnect() { queue.async { [self] in finish(nil) } }

    // MARK: Commands

    func submit(_ packet: ImprovPacket) {
        queue.async { [self] in
            guard !isOver else { return }
            requests.append(Request(packet: packet))
            next()
        }
    }

    private func next() {
        guard isReady, running == nil, !requests.isEmpty, let peripheral else { return }
        let request = requests.removeFirst()
        running = request
        assembler.removeAll()
        let octets = request.packet.encoded
        let length = max(20, peripheral.maximumWriteValueLength(for: .withoutResponse))
        parts = stride(from: 0, to: octets.count, by: length).map { Data(octets[$0..<min($0 + length, octets.count)]) }
        limit(.noAnswer)
        writePart()
    }

    private func writePart() {
        guard let peripheral, let command = found[ImprovService.command], !parts.isEmpty else { return }
        peripheral.writeValue(parts.removeFirst(), for: command, type: .withResponse)
    }

    private func complete(_ event: Event) {
        running = nil
        parts = []
        wait += 1
        onEvent(event)
        next()
    }

    private func receive(result value: Data) {
        guard let running else { return }
        switch assembler.add([UInt8](value)) {
        case .incomplete: break
        case .invalid: complete(.commandFailed(.invalidAnswer))
        case .packet(let packet):
            // A result of an earlier command, which the client no longer waits for.
            guard packet.command == running.packet.command else { return }
            guard let strings = packet.strings, let event = Self.event(packet.command, strings) else {
                return complete(.commandFailed(.invalidAnswer))
            }
            complete(event)
        }
    }

    private static func event(_ command: UInt8, _ strings: [String]) -> Event? {
        switch command {
        case ImprovPacket.Command.join: .provisioned(strings.filter { !$0.isEmpty })
        case ImprovPacket.Command.deviceInformation: ImprovDeviceInformation(strings: strings).map { .information($0) }
        case ImprovPacket.Command.networkScan: networks(strings).map { .networks($0) }
        default: nil
        }
    }

    private static func networks(_ strings: [String]) -> [VisibleNetwork]? {
        guard strings.count % 3 == 0 else { return nil }
        return stride(from: 0, to: strings.count, by: 3).map {
            VisibleNetwork(name: strings[$0], signal: Int(strings[$0 + 1]) ?? 0, security: strings[$0 + 2])
        }
    }

    /// Ends what the client waits for now, unless it is there in time.
    private func limit(_ error: ImprovClientError) {
        wait += 1
        let number = wait
        clock.schedule(at: clock.now + timing.answer, on: queue) { [weak self] in
            guard let self, wait == number, !isOver else { return }
            if running != nil { complete(.commandFailed(error)) } else { finish(error) }
        }
    }

    private func finish(_ error: ImprovClientError?) {
        guard !isOver else { return }
        isOver = true
        wait += 1
        if let manager, manager.state == .poweredOn {
            manager.stopScan()
            if let peripheral, peripheral.state != .disconnected { manager.cancelPeripheralConnection(peripheral) }
        }
        onEvent(.ended(error))
    }
}

extension ImprovCentralSession: CBCentralManagerDelegate {
    /// Looks for the device.
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        manager = central
        switch central.state {
        case .poweredOn: if peripheral == nil { central.scanForPeripherals(withServices: [ImprovService.service]) }
        case _ where peripheral != nil: finish(.linkLost)
        case .unsupported, .unauthorized: finish(.notPoweredOn)
        default: break
        }
    }

    /// Connects to the device.
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard !isOver, self.peripheral == nil else { return }
        if case .named(let name) = peer,
            advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name != name
        {
            return
        }
        self.peripheral = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    /// Looks for the service.
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([ImprovService.service])
    }

    /// The device cannot be connected.
    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) { finish(.linkLost) }

    /// The link has ended.
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) { finish(.linkLost) }
}

extension ImprovCentralSession: CBPeripheralDelegate {
    /// Looks for the characteristics.
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first(where: { $0.uuid == ImprovService.service }) else {
            return finish(.noService)
        }
        peripheral.discoverCharacteristics(characteristics, for: service)
    }

    /// Subscribes, then reads the capabilities and the state.
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] { found[characteristic.uuid] = characteristic }
        guard characteristics.allSatisfy({ found[$0] != nil }) else { return finish(.noService) }
        for uuid in [ImprovService.state, ImprovService.error, ImprovService.result] {
            peripheral.setNotifyValue(true, for: found[uuid]!)
        }
        peripheral.readValue(for: found[ImprovService.capabilities]!)
        peripheral.readValue(for: found[ImprovService.state]!)
    }

    /// Receives a value that was read or notified.
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard !isOver, error == nil, let value = characteristic.value else { return }
        switch characteristic.uuid {
        case ImprovService.result: receive(result: value)
        case ImprovService.capabilities:
            if let octet = value.first { capabilities = ImprovCapabilities(rawValue: octet) }
        case ImprovService.state:
            guard let octet = value.first else { return }
            let isNew = state.rawValue != octet
            state = ImprovState(rawValue: octet)
            if isReady, isNew { onEvent(.state(state)) }
            guard !isReady else { return }
            isReady = true
            wait += 1
            onEvent(.ready(state, capabilities))
            next()
        case ImprovService.error:
            guard let octet = value.first, octet != 0, running != nil else { return }
            complete(.commandFailed(.refused(ImprovError(rawValue: octet))))
        default: break
        }
    }

    /// Writes the next part of the command.
    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let running, characteristic.uuid == ImprovService.command else { return }
        if error != nil { return complete(.commandFailed(.linkLost)) }
        if !parts.isEmpty { return writePart() }
        if !running.answers { complete(.identified) }
    }
}
