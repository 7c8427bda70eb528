import CoreBluetooth

/// Why a client of the Improv service ends, or a command fails.
public enum ImprovClientError: Error, Hashable, Sendable {
    /// No device was found in time.
    case noDevice
    /// The device has no Improv service, or it lacks characteristics.
    case noService
    /// The link ended.
    case linkLost
    /// The device did not answer in time.
    case noAnswer
    /// The device shows an error.
    case refused(ImprovError)
    /// The device sent octets that are no valid answer.
    case invalidAnswer
    /// Bluetooth is not available.
    case notPoweredOn
}

/// A client that finds a device with the Improv service and gives it the credentials of a network.
///
/// Commands run one after another. The object uses a central manager of its own.
public final class ImprovCentral: NSObject, @unchecked Sendable {
    /// The device that the client looks for.
    public enum Peer: Sendable {
        /// The first device with the service.
        case any
        /// A device that advertises this name.
        case named(String)
    }

    /// What happens.
    public enum Event: Hashable, Sendable {
        /// The device is connected and takes commands.
        case ready(ImprovState, ImprovCapabilities)
        /// The state of the device is another one.
        case state(ImprovState)
        /// The device was told to show which one it is.
        case identified
        /// What the device says about itself.
        case information(ImprovDeviceInformation)
        /// The networks that the device sees.
        case networks([VisibleNetwork])
        /// The device has joined the network; the user can open the addresses.
        case provisioned([String])
        /// A command failed. The link stays.
        case commandFailed(ImprovClientError)
        /// The client has ended.
        case ended(ImprovClientError?)
    }

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
    private let clock: any QueueClock
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

    /// Prepares a client.
    ///
    /// - Parameters:
    ///   - peer: The device.
    ///   - timing: The time limits.
    ///   - queue: The serial queue of the events.
    ///   - clock: The clock of the time limits.
    ///   - onEvent: Receives the events on `queue`. The last one is `ended`.
    public init(
        peer: Peer, timing: ImprovTiming = ImprovTiming(), queue: DispatchQueue = .main,
        clock: any QueueClock = SystemQueueClock(), onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.peer = peer
        self.timing = timing
        self.queue = queue
        self.clock = clock
        self.onEvent = onEvent
    }

    /// Looks for the device and connects. Call it once, and keep a reference to the object until the event `ended`.
    public func start() {
        keptManager = CBCentralManager(delegate: self, queue: queue)
        queue.async { [self] in limit(.noDevice) }
    }

    /// Tells the device to show which one it is.
    public func identify() { submit(ImprovPacket(ImprovPacket.Command.identify)) }
    /// Asks what the device says about itself.
    public func requestInformation() { submit(ImprovPacket(ImprovPacket.Command.deviceInformation)) }
    /// Asks for the networks that the device sees.
    public func requestNetworks() { submit(ImprovPacket(ImprovPacket.Command.networkScan)) }
    /// Gives the device the credentials of a network.
    public func provision(_ credentials: WiFiCredentials) { submit(.join(credentials)) }

    /// Ends the link.
    public func disconnect() { queue.async { [self] in finish(nil) } }

    // MARK: Commands

    private func submit(_ packet: ImprovPacket) {
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

extension ImprovCentral: CBCentralManagerDelegate {
    /// Looks for the device.
    public func centralManagerDidUpdateState(_ central: CBCentralManager) {
        manager = central
        switch central.state {
        case .poweredOn: if peripheral == nil { central.scanForPeripherals(withServices: [ImprovService.service]) }
        case _ where peripheral != nil: finish(.linkLost)
        case .unsupported, .unauthorized: finish(.notPoweredOn)
        default: break
        }
    }

    /// Connects to the device.
    public func centralManager(
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
    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([ImprovService.service])
    }

    /// The device cannot be connected.
    public func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) { finish(.linkLost) }

    /// The link has ended.
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) { finish(.linkLost) }
}

extension ImprovCentral: CBPeripheralDelegate {
    /// Looks for the characteristics.
    public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first(where: { $0.uuid == ImprovService.service }) else {
            return finish(.noService)
        }
        peripheral.discoverCharacteristics(characteristics, for: service)
    }

    /// Subscribes, then reads the capabilities and the state.
    public func peripheral(
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
    public func peripheral(
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
    public func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let running, characteristic.uuid == ImprovService.command else { return }
        if error != nil { return complete(.commandFailed(.linkLost)) }
        if !parts.isEmpty { return writePart() }
        if !running.answers { complete(.identified) }
    }
}
