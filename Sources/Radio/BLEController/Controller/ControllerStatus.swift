import BLEWire

/// The current state of a controller, for tools.
package struct ControllerStatus: Hashable, Sendable {
    /// The random address if the host set one, else that of an advertising set, else the public address; nil without any.
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
            address: (shared.privacy.randomAddress ?? advertising.randomAddress).map {
                DeviceAddress(kind: .random, value: $0)
            } ?? shared.capabilities.configuration.publicAddress,
            position: position, loss: loss, isAdvertising: advertising.isEnabled,
            isScanning: discovery.scanning.isEnabled, isConnecting: discovery.initiating.isEnabled,
            linkCount: shared.connections.links.openSlots.count)
    }
}

extension Controller {
    /// The open links, oldest first.
    var linkStatuses: [LinkStatus] {
        shared.connections.links.openSlots.map { slot in
            let link = shared.connections.links[slot]
            let encryption = link.procedures.encryption
            return LinkStatus(
                handle: link.handle, role: link.role, accessAddress: link.access.address,
                interval: link.timing.interval,
                latency: link.timing.latency, timeout: link.timing.timeout, sendingPHY: link.phys.tx,
                receivingPHY: link.phys.rx,
                isEncrypted: encryption.isSending && encryption.isReceiving,
                // 127 means that the RSSI is not available (Vol 4, Part E, 7.5.4).
                rssi: link.signal.rssi == 127 ? nil : link.signal.rssi)
        }
    }

    /// The payload of the link's PDU that is on the air, before its encryption; nil if it is not encrypted.
    var sealedPlaintext: [UInt8]? {
        guard case .link(let slot) = shared.radio.owner else { return nil }
        return shared.connections.links[slot].sealedPlaintext
    }
}
