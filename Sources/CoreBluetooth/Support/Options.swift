#if !canImport(Darwin)
import Foundation

/// Reads the option dictionaries, whose values come as Swift values or as Foundation's.
extension Dictionary where Value == Any {
    func flag(_ key: Key) -> Bool {
        switch self[key] {
        case let value as Bool: value
        case let value as NSNumber: value.boolValue
        default: false
        }
    }

    func seconds(_ key: Key) -> Double? {
        switch self[key] {
        case let value as Double: value
        case let value as Int: Double(value)
        case let value as NSNumber: value.doubleValue
        default: nil
        }
    }

    func text(_ key: Key) -> String? {
        switch self[key] {
        case let value as String: value
        case let value as NSString: String(describing: value)
        default: nil
        }
    }

    func uuids(_ key: Key) -> [CBUUID] {
        self[key] as? [CBUUID] ?? []
    }
}
#endif
