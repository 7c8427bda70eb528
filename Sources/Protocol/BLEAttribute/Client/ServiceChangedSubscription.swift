import BLEWire

/// Finds Service Changed in the peer's GATT service and enables its indications (Vol 3, Part G, 7.1).
struct ServiceChangedSubscription: ClientProcedure {
    private enum State {
        case service(ServiceDiscovery)
        case characteristic(CharacteristicDiscovery)
        case subscription(Subscription)
    }

    private var state = State.service(ServiceDiscovery(uuids: [GATTType.gattService], hidesSystemServices: false))
    /// The handle of the Service Changed value; nil until it is found.
    private(set) var valueHandle: UInt16?

    mutating func start(mtu: Int) -> ClientStep<Void> {
        guard case .service(var machine) = state else { return .nonsense }
        let step = machine.start(mtu: mtu)
        state = .service(machine)
        return found(services: step, mtu)
    }

    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<Void> {
        switch state {
        case .service(var machine):
            let step = machine.receive(packet, mtu: mtu)
            state = .service(machine)
            return found(services: step, mtu)
        case .characteristic(var machine):
            let step = machine.receive(packet, mtu: mtu)
            state = .characteristic(machine)
            return found(characteristics: step, mtu)
        case .subscription(var machine):
            let step = machine.receive(packet, mtu: mtu)
            state = .subscription(machine)
            return step
        }
    }

    private static var missing: ClientStep<Void> { .fail(.attribute(ATT.ErrorCode.attributeNotFound.rawValue)) }

    private mutating func found(services step: ClientStep<[DiscoveredService]>, _ mtu: Int) -> ClientStep<Void> {
        switch step {
        case .send(let request): return .send(request)
        case .fail(let failure): return .fail(failure)
        case .finish(let services):
            guard let service = services.first else { return Self.missing }
            var machine = CharacteristicDiscovery(service: service.range, uuids: [GATTType.serviceChanged])
            let step = machine.start(mtu: mtu)
            state = .characteristic(machine)
            return found(characteristics: step, mtu)
        }
    }

    private mutating func found(
        characteristics step: ClientStep<[DiscoveredCharacteristic]>, _ mtu: Int
    ) -> ClientStep<Void> {
        switch step {
        case .send(let request): return .send(request)
        case .fail(let failure): return .fail(failure)
        case .finish(let characteristics):
            guard let characteristic = characteristics.first else { return Self.missing }
            valueHandle = characteristic.valueHandle
            var machine = Subscription(
                valueHandle: characteristic.valueHandle, end: characteristic.end, mode: .indication)
            let step = machine.start(mtu: mtu)
            state = .subscription(machine)
            return step
        }
    }
}
