import BLEWire

/// The current state of a controller, for tools.
package struct ControllerStatus: Hashable, Sendable {
    /// The random address if the host set one, else the public address; nil without both.
    package var address: DeviceAddress?
    package var position: RadioPosition
    /// The share of lost packets to and from the controller, 0 to 1.
    package var loss: Double
    package var isAdvertising: Bool
    package var isScanning: Bool
    package var isConnecting: Bool
    package var linkCount: Int
}

extension Controller {
    func status(position: RadioPosition, loss: Double) -> ControllerStatus {
        ControllerStatus(
            address: privacy.randomAddress.map { DeviceAddress(kind: .random, value: $0) }
                ?? capabilities.configuration.publicAddress,
            position: position, loss: loss, isAdvertising: advertising.isEnabled, isScanning: scanning.isEnabled,
            isConnecting: initiating.isEnabled, linkCount: connections.links.openSlots.count)
    }
}
