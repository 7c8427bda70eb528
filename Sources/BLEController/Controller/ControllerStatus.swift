import BLEWire

/// What a controller is doing, for who looks on.
package struct ControllerStatus: Hashable, Sendable {
    /// Its random address if its host set one, else its public one; nil if it has neither.
    package var address: DeviceAddress?
    package var position: Position
    /// The share of all packets to and from it that get lost, 0 to 1.
    package var loss: Double
    package var isAdvertising: Bool
    package var isScanning: Bool
    package var isConnecting: Bool
    package var linkCount: Int
}

extension Controller {
    func status(position: Position, loss: Double) -> ControllerStatus {
        ControllerStatus(
            address: randomAddress.map { DeviceAddress(kind: .random, value: $0) } ?? configuration.publicAddress,
            position: position, loss: loss, isAdvertising: advertising.isEnabled, isScanning: scanning.isEnabled,
            isConnecting: initiating.isEnabled, linkCount: openLinks.count)
    }
}
