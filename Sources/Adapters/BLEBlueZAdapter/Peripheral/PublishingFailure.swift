import BLEAdapter
import BLEWire
import SystemBus

/// Why bluetoothd did not take services or an advertisement, as sentences that end with what helps.
enum PublishingFailure {
    private static let log = "see its reason with sudo journalctl -u bluetooth"
    private static let missing: Set<String> = [
        BusCallError.Name.unknownMethod, BusCallError.Name.unknownInterface, BusCallError.Name.unknownObject,
    ]

    /// bluetoothd answers this for objects that it cannot read, and for flags that its version does not know.
    static func isUnreadable(_ error: BusCallError) -> Bool {
        if case .error(BlueZ.Failure.failed, "No valid service object found") = error { return true }
        return false
    }

    /// Whether the connection has ended: then the adapter ends the role, which answers what waits.
    static func isEndOfBus(_ error: BusCallError) -> Bool {
        switch error {
        case .noBus, .unreadableAddress, .refused, .silent, .broken, .violation, .closed: true
        case .timeout, .full, .invalid, .tooLong, .noDescriptors, .nameTaken, .error: false
        }
    }

    static func sentence(services: String, _ error: BusCallError) -> String {
        let start = "bluetoothd did not take \(services)"
        guard case .error(let name, let text) = error else { return "\(start): \(error)" }
        return switch (name, text) {
        case (BlueZ.Failure.alreadyExists, _):
            "\(start): they are registered twice. Restart it: sudo systemctl restart bluetooth"
        case (BlueZ.Failure.invalidArguments, _):
            "\(start): its version takes other arguments. Show it with bluetoothctl --version"
        case (BlueZ.Failure.failed, "No object received"):
            "\(start): it could not read this program's objects; \(log)"
        case (BlueZ.Failure.failed, "No valid service object found"):
            "\(start): its version cannot read a service, a characteristic or a descriptor; \(log)"
        case (BlueZ.Failure.failed, "Failed to create entry in database"):
            "\(start): its database is full, or the UUID is one of its own services (1800, 1801); \(log)"
        case (BusCallError.Name.accessDenied, _): denied(start)
        case let (name, _) where missing.contains(name):
            "\(start): this adapter has no local services in bluetoothd; \(log)"
        default: "\(start) (\(error)); \(log)"
        }
    }

    static func sentence(advertising error: BusCallError) -> String {
        let start = "bluetoothd does not advertise"
        guard case .error(let name, let text) = error else { return "\(start): \(error)" }
        return switch (name, text) {
        case (BlueZ.Failure.notPermitted, _):
            "\(start): all advertising sets are in use. Stop another advertiser, and show their number with: bluetoothctl show"
        case (BlueZ.Failure.alreadyExists, _):
            "\(start): the advertisement is registered twice. Restart it: sudo systemctl restart bluetooth"
        case (BlueZ.Failure.invalidLength, _): "\(start): the advertisement is too long; \(log)"
        case (BlueZ.Failure.notSupported, _): "\(start): this adapter does not support the advertisement; \(log)"
        case (BlueZ.Failure.failed, "Failed to parse advertisement."):
            "\(start): its version cannot read the advertisement; \(log)"
        case (BlueZ.Failure.failed, "Failed to register advertisement"):
            "\(start): the kernel or the controller refused; \(log)"
        case (BusCallError.Name.accessDenied, _): denied(start)
        case let (name, _) where missing.contains(name): "\(start): this adapter cannot advertise; \(log)"
        default: "\(start) (\(error)); \(log)"
        }
    }

    private static func denied(_ start: String) -> String {
        "\(start): the policy of the bus refuses this user. Join the group of its users: sudo usermod -aG bluetooth $USER"
    }

    static func code(_ error: BusCallError) -> AdvertisingError {
        guard case .error(let name, _) = error else { return .controller(HCI.ErrorCode.unspecifiedError.rawValue) }
        let code: HCI.ErrorCode =
            switch name {
            case BlueZ.Failure.notPermitted: .memoryCapacityExceeded
            case BlueZ.Failure.notSupported: .unsupportedFeatureOrParameterValue
            case BlueZ.Failure.invalidLength: .packetTooLong
            case BusCallError.Name.accessDenied: .commandDisallowed
            default: .unspecifiedError
            }
        return .controller(code.rawValue)
    }
}
