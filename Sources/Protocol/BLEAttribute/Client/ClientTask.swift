import BLEWire

/// A task of the client side: one of its procedures, with its result in a common form.
enum ClientTask {
    /// The result of a task that is not an operation.
    enum Outcome {
        /// The server's receive MTU; nil if it does not support the request (Vol 3, Part G, 4.3.1).
        case mtu(UInt16?)
        // Indirect, so that frequent steps stay small.
        indirect case validated(CacheValidation.Outcome)
        indirect case resynchronized(Resynchronization.Outcome)
        /// Whether the server has enhanced bearers for this client.
        case bearerSupport(Bool)
    }

    /// The next step of a task. It is not copyable, so that results are moved to their destination.
    enum Step: ~Copyable {
        case send(ClientRequest)
        case result(GATTResult)
        case outcome(Outcome)
        case fail(GATTError)
    }

    case exchangeMTU(MTUExchange)
    case services(ServiceDiscovery)
    case includedServices(IncludedServiceDiscovery)
    case characteristics(CharacteristicDiscovery)
    case descriptors(DescriptorDiscovery)
    case read(ValueRead)
    case write(ValueWrite)
    case subscription(Subscription)
    case serviceChanged(ServiceChangedSubscription)
    case deviceName(DeviceNameRead)
    /// The controller measures the RSSI (Vol 4, Part E, 7.5.4). The task occupies the queue until the owner supplies
    /// the result.
    case rssi
    // Indirect, so that frequent tasks stay small.
    indirect case validation(CacheValidation)
    indirect case resynchronization(Resynchronization)
    indirect case bearerSupport(EnhancedBearerSupport)
    indirect case values(ValuesRead)
    indirect case preparedWrites(PreparedWrites)
    /// Reports the attribute cache. The task causes no traffic; it waits like every background task until the program pauses.
    case cacheReport

    init(_ operation: GATTOperation) {
        switch operation {
        case .discoverServices(let uuids): self = .services(ServiceDiscovery(uuids: uuids))
        case .discoverIncludedServices(let service, let uuids):
            self = .includedServices(IncludedServiceDiscovery(service: service, uuids: uuids))
        case .discoverCharacteristics(let service, let uuids):
            self = .characteristics(CharacteristicDiscovery(service: service, uuids: uuids))
        case .discoverDescriptors(let after, let end): self = .descriptors(DescriptorDiscovery(after: after, end: end))
        case .read(let handle): self = .read(ValueRead(handle: handle))
        case .write(let handle, let value): self = .write(ValueWrite(handle: handle, value: value))
        case .setNotify(let valueHandle, let end, let mode):
            self = .subscription(Subscription(valueHandle: valueHandle, end: end, mode: mode))
        case .readRSSI: self = .rssi
        }
    }

    /// Whether the bearer decides at the start of the task whether a request is necessary.
    var startsConditionally: Bool {
        switch self {
        case .exchangeMTU, .subscription, .serviceChanged, .rssi, .cacheReport: true
        default: false
        }
    }

    /// Whether the host itself submits the task. Such a task waits until the program pauses.
    var isBackground: Bool {
        switch self {
        case .serviceChanged, .deviceName, .bearerSupport, .cacheReport: true
        default: false
        }
    }

    /// The handle of the peer's Service Changed value, after a `serviceChanged` task has found it.
    var serviceChangedHandle: UInt16? {
        if case .serviceChanged(let machine) = self { machine.valueHandle } else { nil }
    }

    /// The length of a full response to the first request of a read, in octets; nil for another task.
    var fullReadLength: Int? {
        if case .read(let machine) = self { machine.fullLength } else { nil }
    }

    mutating func start(mtu: Int) -> Step { step(nil, mtu) }

    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> Step { step(packet, mtu) }

    @inline(__always)
    private mutating func step(_ packet: ATT.Packet?, _ mtu: Int) -> Step {
        // Consumes `self`, so that a procedure changes its arrays in place.
        switch consume self {
        case .exchangeMTU(var machine):
            defer { self = .exchangeMTU(machine) }
            return machine.step(packet, mtu) { .outcome(.mtu($0)) }
        case .services(var machine):
            defer { self = .services(machine) }
            return machine.step(packet, mtu) { .result(.services($0)) }
        case .includedServices(var machine):
            defer { self = .includedServices(machine) }
            return machine.step(packet, mtu) { .result(.services($0)) }
        case .characteristics(var machine):
            defer { self = .characteristics(machine) }
            return machine.step(packet, mtu) { .result(.characteristics($0)) }
        case .descriptors(var machine):
            defer { self = .descriptors(machine) }
            return machine.step(packet, mtu) { .result(.descriptors($0)) }
        case .read(var machine):
            defer { self = .read(machine) }
            return machine.step(packet, mtu) { .result(.value($0)) }
        case .write(var machine):
            defer { self = .write(machine) }
            return machine.step(packet, mtu) { .result(.done) }
        case .subscription(var machine):
            defer { self = .subscription(machine) }
            return machine.step(packet, mtu) { .result(.done) }
        case .serviceChanged(var machine):
            defer { self = .serviceChanged(machine) }
            return machine.step(packet, mtu) { .result(.done) }
        case .deviceName(var machine):
            defer { self = .deviceName(machine) }
            return machine.step(packet, mtu) { .result(.value($0)) }
        case .validation(var machine):
            defer { self = .validation(machine) }
            return machine.step(packet, mtu) { .outcome(.validated($0)) }
        case .resynchronization(var machine):
            defer { self = .resynchronization(machine) }
            return machine.step(packet, mtu) { .outcome(.resynchronized($0)) }
        case .bearerSupport(var machine):
            defer { self = .bearerSupport(machine) }
            return machine.step(packet, mtu) { .outcome(.bearerSupport($0)) }
        case .values(var machine):
            defer { self = .values(machine) }
            return machine.step(packet, mtu) { .result(.values($0)) }
        case .preparedWrites(var machine):
            defer { self = .preparedWrites(machine) }
            return machine.step(packet, mtu) { .result(.done) }
        case .rssi:
            self = .rssi
            return .fail(.attribute(ATT.ErrorCode.unlikelyError.rawValue))
        case .cacheReport:
            self = .cacheReport
            return .fail(.attribute(ATT.ErrorCode.unlikelyError.rawValue))
        }
    }
}

extension ClientProcedure {
    /// Starts (without a packet) or continues, and converts the output to the common form.
    @inline(__always)
    fileprivate mutating func step(
        _ packet: ATT.Packet?, _ mtu: Int, _ finish: (Output) -> ClientTask.Step
    ) -> ClientTask.Step {
        let step = if let packet { receive(packet, mtu: mtu) } else { start(mtu: mtu) }
        switch consume step {
        case .send(let request): return .send(request)
        case .finish(let output): return finish(output)
        case .fail(let failure): return .fail(failure)
        }
    }
}
