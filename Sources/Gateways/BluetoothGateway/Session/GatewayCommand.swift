import BLEAdapter
import BLEWire

/// What a session of the gateway asks of the adapter.
package enum GatewayCommand: Hashable, Sendable {
    case startScan
    case stopScan
    case connect(PeerIdentifier)
    case cancelConnection(PeerIdentifier)
    case submit(GATTOperation, PeerIdentifier)
    case writeCommand([UInt8], handle: UInt16, PeerIdentifier)
    case pair(PeerIdentifier)
    case unpair(PeerIdentifier)
}

/// The links that a gateway has room for, shared by its clients.
///
/// Clients that use the same device share its link, as all sessions of an adapter do, so they share its slot.
package struct ConnectionSlots: Sendable {
    package let limit: Int
    private var users: [UInt64: Int] = [:]

    package init(limit: Int) { self.limit = limit }

    package var free: Int { max(0, limit - users.count) }
    /// The addresses with a slot, in a stable order.
    package var allocated: [UInt64] { users.keys.sorted() }

    /// - Returns: false if no slot is free.
    package mutating func reserve(_ address: UInt64) -> Bool {
        guard users[address] != nil || users.count < limit else { return false }
        users[address, default: 0] += 1
        return true
    }

    package mutating func release(_ address: UInt64) {
        guard let count = users[address] else { return }
        users[address] = count > 1 ? count - 1 : nil
    }
}

/// Error codes of the API. Those of links are HCI codes, and those of operations are ATT codes or these of the ESP32's host.
package enum GatewayError {
    /// ESP_GATT_NO_RESOURCES.
    package static let noResources: Int32 = 0x80
    /// ESP_GATT_ERROR.
    package static let failed: Int32 = 0x85
    /// ESP_GATT_NOT_CONNECTED.
    package static let notConnected: Int32 = 0x8F

    static func code(_ failure: GATTError) -> Int32 {
        switch failure {
        case .attribute(let code): Int32(code)
        case .bearerLost, .notConnected: notConnected
        // Invalid Attribute Value Length.
        case .valueTooLong: 0x0D
        }
    }

    /// The HCI error code of a link's end (Vol 1, Part F).
    static func code(_ failure: ConnectionError) -> Int32 {
        switch failure {
        case .endedByPeer: 0x13
        case .supervisionTimeout: 0x08
        case .attributeTimeout: 0x22
        case .protocolViolation, .endedByHost: 0x16
        case .establishmentFailed: 0x3E
        case .limitReached: 0x09
        case .adapterLost: 0x03
        case .peerRemovedPairingInformation: 0x06
        case .encryptionTimedOut: 0x22
        case .encryptionFailed: 0x3D
        case .controller(let code): Int32(code)
        }
    }
}
