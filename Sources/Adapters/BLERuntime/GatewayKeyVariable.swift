import NoiseChannel

/// The key for a gateway. It comes from the environment: other users of the machine can read command lines.
package enum GatewayKeyVariable {
    package static let name = "BLUETOOTH_GATEWAY_KEY"

    /// The key of the environment; nil if the variable is unset or empty.
    package static func key(for place: GatewayAddress) throws(ControllerError) -> PreSharedKey? {
        guard let text = ProcessEnvironment.text(name), !text.isEmpty else { return nil }
        do throws(PreSharedKey.FormatError) {
            return try PreSharedKey(base64: text)
        } catch {
            throw ControllerError(gateway: place, error)
        }
    }
}
