import BLETransport
import BLEWire

extension VirtualRadioRuntime {
    /// Records the packets on the air from now on.
    package func record(_ capture: AirCapture) {
        change { network in network.observeAir { capture.add($0) } }
    }

    /// Records the HCI packets of one slot, or of all slots, from now on.
    package func record(_ capture: HCICapture, clock: CaptureClock, slot: Int? = nil) {
        change { network in
            network.observeHCI { owner, direction, time, packet in
                guard slot == nil || slot == owner else { return }
                capture.add(
                    packet, direction == .toController ? .sent : .received, time: clock.nanoseconds(time),
                    controller: owner)
            }
            network.removalObservers.append { owner, time in
                guard slot == nil || slot == owner else { return }
                capture.removeController(owner, time: clock.nanoseconds(time))
            }
        }
    }
}
