import BLEAdapter
import BLEController
import BLEVirtualRadio
import BLEWire

extension World {
    /// Adds an observer of every transmission. The world calls it at the end of the transmission on its queue, while time stands still. Its second
    /// argument returns the slot of a controller's device. The observer must not block.
    @discardableResult
    package func observeAir(
        _ observer: @escaping @Sendable (borrowing AirPacket, _ slot: (ControllerIdentifier) -> Int?) -> Void
    ) -> PacketObservation {
        let observation = PacketObservation(radio)
        radio.change { network in
            network.observeAir(observation) { [unowned network] (packet: borrowing AirPacket) in
                observer(packet, network.slot(of:))
            }
        }
        return observation
    }

    /// Adds an observer of the H4 packets between all hosts and their controllers, with the slots of the devices. The world calls it on its queue,
    /// while time stands still. The observer must not block.
    package func observeHCI(
        _ observer:
            @escaping @Sendable (
                _ slot: Int, _ direction: HCIDirection, _ time: Instant, _ packet: Span<UInt8>
            ) -> Void
    ) {
        radio.change { $0.observeHCI(nil, observer) }
    }
}

extension VirtualDevice {
    /// Adds an observer of every H4 packet, with its type octet, between this device's host and controller. The world calls it on
    /// its queue, while time stands still. The observer receives the packets of the start-up if this call precedes the first run of
    /// the world.
    @discardableResult
    package func observeHCI(
        _ observer: @escaping @Sendable (_ direction: HCIDirection, _ time: Instant, _ packet: Span<UInt8>) -> Void
    ) -> PacketObservation {
        let slot = host.slot
        let observation = PacketObservation(radio)
        radio.change { network in
            network.observeHCI(observation) { owner, direction, time, packet in
                if owner == slot { observer(direction, time, packet) }
            }
        }
        return observation
    }
}
