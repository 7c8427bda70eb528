import BLEController

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
}
