import BLESecurity
import BLEWire
import SystemBus

/// What the answer of bluetoothd to Pair means (new_authentication_return in src/device.c).
enum PairingFailure: Hashable {
    /// The keys were there.
    case alreadyPaired
    /// bluetoothd is busy with the device: with its connection, or with a pairing of another program.
    case busy
    case failed(PairingProcedureError)

    /// - Parameter isConnected: Whether the link still exists.
    init(_ error: BusCallError, isConnected: Bool) {
        guard case .error(let name, _) = error else {
            self = .failed(error == .timeout ? .timeout : .disconnected)
            return
        }
        self =
            switch name {
            case BlueZ.Failure.alreadyExists: .alreadyPaired
            case BlueZ.Failure.inProgress: .busy
            case BlueZ.Failure.authenticationTimeout: .failed(.timeout)
            // The controller or the kernel rejected it, also if it pairs with another device.
            case BlueZ.Failure.authenticationRejected: .failed(.local(.pairingNotSupported))
            // Cancelled, without resources, or the link ended.
            case BlueZ.Failure.authenticationCanceled: .failed(isConnected ? .local(.unspecified) : .disconnected)
            // The kernel does not tell the reason of the Security Manager, nor which side ended the pairing: a wrong passkey, different
            // numbers and requirements that are not met are all the same.
            case BlueZ.Failure.authenticationFailed: .failed(.remote(.unspecified))
            case BlueZ.Failure.failed where isConnected: .failed(.local(.unspecified))
            // The link could not be opened, the adapter is off, or the device is unknown by now.
            default: .failed(.disconnected)
            }
    }
}
