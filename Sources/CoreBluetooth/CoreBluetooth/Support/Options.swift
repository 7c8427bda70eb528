import Foundation

/// Typed access to option dictionaries, whose values are Swift values or Foundation objects.
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
}
