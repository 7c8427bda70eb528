import Foundation

/// Names that Foundation and Dispatch bring on Apple's systems.
public enum FoundationNames {
    /// Joins names to a list.
    public static func list(_ names: [String]) -> String {
        let formatter = ListFormatter()
        formatter.locale = Locale(identifier: "en_US")
        return formatter.string(from: names) ?? ""
    }

    /// A length of time.
    public static func duration(_ seconds: TimeInterval) -> String {
        let formatter = DateComponentsFormatter()
        formatter.allowedUnits = [.hour, .minute, .second]
        formatter.unitsStyle = .positional
        return formatter.string(from: seconds) ?? ""
    }

    /// The time since another.
    public static func seconds(since time: CFAbsoluteTime) -> CFTimeInterval { CFAbsoluteTimeGetCurrent() - time }

    /// The time between two.
    public static func milliseconds(from first: DispatchTime, to second: DispatchTime) -> Int {
        guard case .nanoseconds(let count) = first.distance(to: second) else { return 0 }
        return count / 1_000_000
    }
}
