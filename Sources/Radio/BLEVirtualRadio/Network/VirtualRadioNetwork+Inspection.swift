import BLEController
import BLEWire

extension VirtualRadioNetwork {
    /// The slot of a controller's device; nil for a removed controller.
    package func slot(of controller: ControllerIdentifier) -> Int? {
        guard slotsOfControllers.indices.contains(controller.rawValue) else { return nil }
        let slot = slotsOfControllers[controller.rawValue]
        return slot >= 0 ? slot : nil
    }

    /// The state of the controller of a slot; nil without a controller.
    package func status(_ slot: Int) -> ControllerStatus? { controller(slot).flatMap { radio.status(of: $0) } }

    /// The open links of the controller of a slot, oldest first.
    package func links(_ slot: Int) -> [LinkStatus] { controller(slot).map { radio.links(of: $0) } ?? [] }

    /// Loses a share of all packets to and from the device of a slot from now on, 0 to 1.
    package func setLoss(_ slot: Int, to loss: Double) {
        if let controller = controller(slot) { radio.setLoss(loss, of: controller) }
    }

    /// Runs the clock of the controller of a slot with another error from now on, and announces its accuracy.
    package func setClock(_ slot: Int, to clock: ClockSetting) {
        if let controller = controller(slot) { radio.setClock(clock, of: controller) }
    }

    package func move(_ slot: Int, to position: RadioPosition) {
        guard let controller = controller(slot) else { return }
        radio.move(controller, to: position)
    }

    /// Tells the host of a slot that its controller has failed. The host resets it.
    package func failController(_ slot: Int) {
        guard let host = host(slot) else { return }
        // Hardware Error (Vol 4, Part E, 7.7.16). Its code is the vendor's.
        let packet: [UInt8] = [H4.PacketType.event.rawValue, 0x10, 1, 0]
        host.receive(packet.span)
        host.flush()
    }
}
