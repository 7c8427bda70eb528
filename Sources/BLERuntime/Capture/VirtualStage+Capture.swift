import BLECapture
import BLEWire

extension VirtualStage {
    /// Records the packets on the air from now on.
    package func record(_ capture: AirCapture) {
        change { scene in scene.airObservers.append { capture.add($0) } }
    }

    /// Records the HCI packets of one member, or of all members, from now on.
    package func record(_ capture: HCICapture, clock: CaptureClock, member number: Int? = nil) {
        change { scene in
            scene.hciObservers.append { owner, direction, time, packet in
                guard number == nil || number == owner else { return }
                capture.add(
                    packet, direction == .toController ? .sent : .received, time: clock.nanoseconds(time),
                    controller: owner)
            }
            scene.removalObservers.append { owner, time in
                guard number == nil || number == owner else { return }
                capture.removeController(owner, time: clock.nanoseconds(time))
            }
        }
    }
}
