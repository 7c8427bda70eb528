internal import BLEAdapter
internal import BLEWire
import CoreBluetooth

/// The work of an ``ImprovPeripheral``, and the delegate of its manager.
///
/// `@unchecked Sendable`: `start`, `authorize` and `stop` may be called from any thread; all state is used on `queue`.
final class ImprovPeripheralSession: NSObject, @unchecked Sendable {
    typealias Event = ImprovPeripheral.Event

    private let name: String?
    private let joiner: any WiFiJoining
    private let queue: DispatchQueue
    private let clock: QueueClock
    private let onEvent: @Sendable (Event) -> Void
    private var machine: ProvisioningMachine
    /// Keeps the manager alive; no other code reads it.
    private var keptManager: CBPeripheralManager?
    private var manager: CBPeripheralManager?
    private var isStopped = false
    /// Whether the service is published, and whether its advertisement was reported.
    private var isPublished = false
    private var isAdvertisingReported = false
    /// The client that wrote last: a command of another one begins anew.
    private var writer: UUID?
    private var result = Data()
    /// Values that found no space in the manager's queue. One result at most waits: a newer one replaces it.
    private var waiting: [(characteristic: CBMutableCharacteristic, value: Data)] = []
    private var scheduled: Duration?

    private let state = CBMutableCharacteristic(
        type: ImprovService.state, properties: [.read, .notify], value: nil, permissions: .readable)
    private let error = CBMutableCharacteristic(
        type: ImprovService.error, properties: [.read, .notify], value: nil, permissions: .readable)
    private let command = CBMutableCharacteristic(
        type: ImprovService.command, properties: [.write, .writeWithoutResponse], value: nil, permissions: .writeable)
    private let results = CBMutableCharacteristic(
        type: ImprovService.result, properties: [.read, .notify], value: nil, permissions: .readable)
    private let capabilities = CBMutableCharacteristic(
        type: ImprovService.capabilities, properties: .read, value: nil, permissions: .readable)

    init(
        name: String?, capabilities: ImprovCapabilities, information: ImprovDeviceInformation?,
        requiresAuthorization: Bool, joiner: any WiFiJoining, timing: ImprovTiming, queue: DispatchQueue,
        clock: any Clock<Duration>, onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.name = name
        self.joiner = joiner
        self.queue = queue
        self.clock = QueueClock(clock)
        self.onEvent = onEvent
        machine = ProvisioningMachine(
            capabilities: capabilities, information: information, requiresAuthorization: requiresAuthorization,
            timing: timing)
    }

    func start() { keptManager = CBPeripheralManager(delegate: self, queue: queue, options: nil) }

    func authorize() {
        queue.async { [self] in
            machine.authorize(at: clock.now)
            perform()
        }
    }

    func stop(after delay: Duration) {
        queue.async { [self] in
            guard delay > .zero else { return end() }
            clock.schedule(at: clock.now + delay, on: queue) { [weak self] in self?.end() }
        }
    }

    private func end() {
        isStopped = true
        guard let manager, manager.state == .poweredOn else { return }
        manager.stopAdvertising()
        manager.removeAllServices()
    }

    // MARK: Machine

    private func perform() {
        for action in machine.takeActions() {
            switch action {
            case .setState(let value):
                notify(state, [value.rawValue])
                advertise()
                onEvent(.state(value))
            case .setError(let value):
                notify(error, [value.rawValue])
                onEvent(.error(value))
            case .sendResult(let octets): send(octets)
            case .identify: onEvent(.identify)
            case .join(let credentials, let attempt):
                joiner.join(credentials) { [weak self] result in
                    guard let self else { return }
                    queue.async { [self] in
                        machine.joined(attempt: attempt, result, at: clock.now)
                        perform()
                    }
                }
            case .abandon: joiner.cancel()
            case .scan:
                joiner.scan { [weak self] networks in
                    guard let self else { return }
                    queue.async { [self] in
                        machine.scanned(networks)
                        perform()
                    }
                }
            }
        }
        schedule()
    }

    private func schedule() {
        guard let deadline = machine.deadline, deadline != scheduled else { return }
        scheduled = deadline
        clock.schedule(at: deadline, on: queue) { [weak self] in
            guard let self, scheduled == deadline else { return }
            scheduled = nil
            machine.handleTimeout(at: clock.now)
            perform()
        }
    }

    // MARK: Advertising

    /// Advertises the service, and its state and capabilities as service data: clients look for these in a scan.
    private func advertise() {
        guard let manager, isPublished, !isStopped, manager.state == .poweredOn,
            let service = BluetoothUUID(ImprovService.service.uuidString)
        else { return }
        manager.stopAdvertising()
        // 16-bit service data of the UUID 0x4677: state, capabilities, and four octets that are reserved.
        let data: [UInt8] = [0x77, 0x46, machine.state.rawValue, machine.capabilities.rawValue, 0, 0, 0, 0]
        manager.startAdvertising(
            Advertisement(
                localName: name, services: [service],
                structures: [.init(type: AD.StructureType.serviceData16.rawValue, octets: data)]))
    }

    // MARK: Values

    /// Sends a result in parts that each subscriber can receive. A client reads the whole result as well.
    private func send(_ octets: [UInt8]) {
        result = Data(octets)
        waiting.removeAll { $0.characteristic === results }
        let limit = max(20, results.subscribedCentrals?.map(\.maximumUpdateValueLength).min() ?? 20)
        for start in stride(from: 0, to: octets.count, by: limit) {
            notify(results, Array(octets[start..<min(start + limit, octets.count)]))
        }
    }

    private func notify(_ characteristic: CBMutableCharacteristic, _ octets: [UInt8]) {
        guard let manager, manager.state == .poweredOn else { return }
        // Of a state and of an error only the newest value matters.
        if characteristic !== results { waiting.removeAll { $0.characteristic === characteristic } }
        waiting.append((characteristic, Data(octets)))
        flush(manager)
    }

    private func flush(_ manager: CBPeripheralManager) {
        while let next = waiting.first,
            manager.updateValue(next.value, for: next.characteristic, onSubscribedCentrals: nil)
        {
            waiting.removeFirst()
        }
    }

    private func value(of characteristic: CBCharacteristic) -> Data? {
        switch characteristic.uuid {
        case ImprovService.state: Data([machine.state.rawValue])
        case ImprovService.error: Data([machine.error.rawValue])
        case ImprovService.capabilities: Data([machine.capabilities.rawValue])
        case ImprovService.result: result
        default: nil
        }
    }
}

extension ImprovPeripheralSession: CBPeripheralManagerDelegate {
    /// Publishes the service.
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        manager = peripheral
        waiting = []
        (isPublished, isAdvertisingReported) = (false, false)
        machine.linkEnded()
        switch peripheral.state {
        case .poweredOn:
            guard !isStopped else { return }
            peripheral.removeAllServices()
            let service = CBMutableService(type: ImprovService.service, primary: true)
            service.characteristics = [state, error, command, results, capabilities]
            peripheral.add(service)
        case .unsupported, .unauthorized: onEvent(.failed("Bluetooth LE is not available: \(peripheral.state)"))
        default: break
        }
    }

    /// Advertises.
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { return onEvent(.failed("The service cannot be published: \(error.localizedDescription)")) }
        isPublished = true
        advertise()
    }

    /// Reports the result of advertising.
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error {
            return onEvent(.failed("The service cannot be advertised: \(error.localizedDescription)"))
        }
        // Each change of the state changes the advertisement.
        if !isAdvertisingReported { onEvent(.advertising) }
        isAdvertisingReported = true
    }

    /// Answers with the value of the moment.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        guard let value = value(of: request.characteristic) else {
            return peripheral.respond(to: request, withResult: .readNotPermitted)
        }
        guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
        request.value = value.dropFirst(request.offset)
        peripheral.respond(to: request, withResult: .success)
    }

    /// Receives a command, or a part of one.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        // Parts of a long write follow each other from offset 0 (Vol 3, Part F, 3.4.6).
        var value = Data()
        for request in requests {
            guard request.characteristic.uuid == ImprovService.command, request.offset == value.count else {
                return peripheral.respond(to: first, withResult: .invalidOffset)
            }
            value += request.value ?? Data()
        }
        peripheral.respond(to: first, withResult: .success)
        if writer != first.central.identifier { machine.linkEnded() }
        writer = first.central.identifier
        machine.receive([UInt8](value), at: clock.now)
        perform()
    }

    /// Sends more.
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { flush(peripheral) }

    /// The client has gone, or will not see the answer of its command: the beginning of one is dropped.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        guard central.identifier == writer else { return }
        machine.linkEnded()
        writer = nil
    }
}
