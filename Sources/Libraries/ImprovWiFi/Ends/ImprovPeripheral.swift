internal import BLEAdapter
internal import BLEWire
import CoreBluetooth

/// A device that publishes the Improv service, advertises it, and joins the network that a client names.
///
/// The advertisement contains the UUID of the service. Apple's API has no way to advertise the service data of version 2 of the
/// specification, so a client sees the state after it has connected. The object uses a peripheral manager of its own.
public final class ImprovPeripheral: NSObject, @unchecked Sendable {
    /// What happens on the device.
    public enum Event: Hashable, Sendable {
        /// The state is another one.
        case state(ImprovState)
        /// The error that clients see is another one, or occurred again.
        case error(ImprovError)
        /// The device has to show which one it is, such as with a light.
        case identify
        /// The service is advertised.
        case advertising
        /// The service cannot be published or advertised; the text has the reason.
        case failed(String)
    }

    private let name: String?
    private let joiner: any WiFiJoining
    private let queue: DispatchQueue
    private let clock: any QueueClock
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

    /// Prepares the service.
    ///
    /// - Parameters:
    ///   - name: The advertised name; nil advertises none.
    ///   - capabilities: What the device can do besides joining. `deviceInformation` follows from `information`.
    ///   - information: What the device says about itself.
    ///   - requiresAuthorization: Whether a client can join a network only after ``authorize()``.
    ///   - joiner: Joins the networks.
    ///   - timing: The time limits.
    ///   - queue: The serial queue of the events and the joiner.
    ///   - clock: The clock of the time limits.
    ///   - onEvent: Receives the events on `queue`.
    public init(
        name: String?, capabilities: ImprovCapabilities = [], information: ImprovDeviceInformation? = nil,
        requiresAuthorization: Bool, joiner: any WiFiJoining, timing: ImprovTiming = ImprovTiming(),
        queue: DispatchQueue = .main, clock: any QueueClock = SystemQueueClock(),
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.name = name
        self.joiner = joiner
        self.queue = queue
        self.clock = clock
        self.onEvent = onEvent
        machine = ProvisioningMachine(
            capabilities: capabilities, information: information, requiresAuthorization: requiresAuthorization,
            timing: timing)
    }

    /// Publishes the service and advertises it. Call it once, and keep a reference to the object until ``stop()``.
    public func start() { keptManager = CBPeripheralManager(delegate: self, queue: queue, options: nil) }

    /// The user has authorised the device, such as with a button. Clients can join a network until the authorisation ends.
    public func authorize() {
        queue.async { [self] in
            machine.authorize(at: clock.now)
            perform()
        }
    }

    /// Removes the service and ends advertising.
    public func stop() {
        queue.async { [self] in
            isStopped = true
            guard let manager, manager.state == .poweredOn else { return }
            manager.stopAdvertising()
            manager.removeAllServices()
        }
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

extension ImprovPeripheral: CBPeripheralManagerDelegate {
    /// Publishes the service.
    public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
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
    public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { return onEvent(.failed("The service cannot be published: \(error.localizedDescription)")) }
        isPublished = true
        advertise()
    }

    /// Reports the result of advertising.
    public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error {
            return onEvent(.failed("The service cannot be advertised: \(error.localizedDescription)"))
        }
        // Each change of the state changes the advertisement.
        if !isAdvertisingReported { onEvent(.advertising) }
        isAdvertisingReported = true
    }

    /// Answers with the value of the moment.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        guard let value = value(of: request.characteristic) else {
            return peripheral.respond(to: request, withResult: .readNotPermitted)
        }
        guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
        request.value = value.dropFirst(request.offset)
        peripheral.respond(to: request, withResult: .success)
    }

    /// Receives a command, or a part of one.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
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
    public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { flush(peripheral) }

    /// The client has gone, or will not see the answer of its command: the beginning of one is dropped.
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        guard central.identifier == writer else { return }
        machine.linkEnded()
        writer = nil
    }
}
