import BLEWire
import SystemBus

/// The table of bluetoothd's errors of GATT calls (src/gatt-client.c, src/error.c). Where it has no code, its text decides.
enum AttributeFailure {
    private static let invalidHandle: UInt8 = 0x01
    private static let readNotPermitted: UInt8 = 0x02
    private static let writeNotPermitted: UInt8 = 0x03
    private static let insufficientAuthentication: UInt8 = 0x05
    private static let requestNotSupported: UInt8 = 0x06
    private static let invalidOffset: UInt8 = 0x07
    private static let insufficientAuthorization: UInt8 = 0x08
    private static let invalidLength: UInt8 = 0x0D
    private static let unlikelyError: UInt8 = 0x0E

    /// The error of a failure without a code.
    static let unexplained = GATTError.attribute(unlikelyError)

    /// - Parameter isRead: Whether the call reads. A refusal without a reason is one of that kind.
    static func error(_ failure: BusCallError, isRead: Bool) -> GATTError {
        guard case .error(let name, let text) = failure else {
            // The bus or bluetoothd is gone, which ends the link, or the device does not answer.
            return failure == .timeout ? .bearerLost : .notConnected
        }
        switch name {
        case BlueZ.Failure.notConnected: return .notConnected
        case BlueZ.Failure.failed where text == "Not connected" || text == "No ATT transport": return .notConnected
        case BlueZ.Failure.failed: return code(in: text).map { .attribute($0) } ?? unexplained
        case BlueZ.Failure.notPermitted:
            switch text {
            case "Read not permitted": return .attribute(readNotPermitted)
            case "Write not permitted": return .attribute(writeNotPermitted)
            case "Not paired": return .attribute(insufficientAuthentication)
            default: return .attribute(isRead ? readNotPermitted : writeNotPermitted)
            }
        case BlueZ.Failure.notAuthorized: return .attribute(insufficientAuthorization)
        case BlueZ.Failure.notSupported: return .attribute(requestNotSupported)
        case BlueZ.Failure.invalidOffset: return .attribute(invalidOffset)
        case BlueZ.Failure.invalidLength, BlueZ.Failure.invalidValueLength: return .attribute(invalidLength)
        case BlueZ.Failure.invalidArguments:
            return .attribute(text == "Invalid offset" ? invalidOffset : invalidLength)
        case BusCallError.Name.unknownObject, BusCallError.Name.unknownMethod, BusCallError.Name.unknownInterface:
            return .attribute(invalidHandle)
        case BusCallError.Name.serviceUnknown, BusCallError.Name.nameHasNoOwner: return .notConnected
        case "org.freedesktop.DBus.Error.NoReply": return .notConnected
        default: return unexplained
        }
    }

    /// Whether bluetoothd gives no socket, which says nothing about notifications: another program has them, or the version cannot do it.
    static func isRefusal(_ error: BusCallError) -> Bool {
        guard case .error(let name, let text) = error else { return false }
        return [BlueZ.Failure.inProgress, BlueZ.Failure.notSupported, BusCallError.Name.unknownMethod].contains(name)
            || name == BlueZ.Failure.notPermitted && text == "Notify acquired"
    }

    /// The code at the end of a text such as "Operation failed with ATT error: 0x80".
    static func code(in text: String) -> UInt8? {
        guard let digits = text.split(separator: " ").last, digits.hasPrefix("0x") else { return nil }
        return UInt8(digits.dropFirst(2), radix: 16).flatMap { $0 == 0 ? nil : $0 }
    }
}
