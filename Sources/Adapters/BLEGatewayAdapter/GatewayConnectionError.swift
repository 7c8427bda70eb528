import ESPHomeAPI

/// Why a gateway cannot be used, or is no longer in use. The description is a sentence.
package enum GatewayConnectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no connection to it, with the reason.
    case network(String)
    /// It answers, and not as it should.
    case conversation(APIError)
    /// A program wants to advertise, and ESPHome's native API has no peripheral role.
    case noPeripheralRole

    package var description: String {
        switch self {
        case .network(let reason): reason
        case .conversation(let failure): failure.description
        case .noPeripheralRole: "A gateway does not advertise: advertise with an adapter of this machine."
        }
    }

    /// Whether another key is necessary, or none: the same attempt fails again.
    package var isOfKey: Bool {
        switch self {
        case .conversation(.wrongKey), .conversation(.peerRequiresKey), .conversation(.peerIsNotEncrypted): true
        default: false
        }
    }
}
