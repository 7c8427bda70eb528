import BLEAdapter
import BLEController
import BLEVirtualRadio
import BLEWire

extension World {
    /// Calls `observer` with every transmission when it ends, on the world's queue, while time stands still. Several observers may be added;
    /// none may block.
    package func observeAir(_ observer: @escaping @Sendable (borrowing AirPacket) -> Void) {
        radio.change { $0.airObservers.append(observer) }
    }
}

extension VirtualDevice {
    /// Calls `observer` with every H4 packet (with its type octet) between this device's host and controller, on the world's queue, while
    /// time stands still. Packets of the start-up are seen if the observer comes before the world first runs.
    package func observeHCI(
        _ observer: @escaping @Sendable (_ direction: HCIDirection, _ time: Instant, _ packet: Span<UInt8>) -> Void
    ) {
        let slot = host.slot
        radio.change { network in
            network.hciObservers.append { owner, direction, time, packet in
                if owner == slot { observer(direction, time, packet) }
            }
        }
    }
}
