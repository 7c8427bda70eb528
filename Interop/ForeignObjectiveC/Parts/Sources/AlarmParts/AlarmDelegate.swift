import Foundation

/// How loud an alarm is.
@objc public enum Loudness: Int {
    /// Barely.
    case low
    /// As loud as possible.
    case high
}

/// The object that an alarm tells what happens.
@objc public protocol AlarmDelegate {
    /// An alarm rang.
    func alarmDidRing(_ name: String)
    /// An alarm was set.
    @objc optional func alarm(_ name: String, didSetAt date: Date)
    /// The loudness of an alarm.
    @objc optional func loudness(of name: String) -> Loudness
    /// The title of an alarm.
    @objc optional func title(
        of name: String,
        count: Int  // of the times that it rang
    ) -> String?
    /// The prefix of all titles.
    @objc optional var prefix: String { get }
}

/// What an alarm remembers.
@objcMembers public class AlarmRecord: NSObject {
    /// The name of the alarm.
    public dynamic var name: String
    /// How often it rang.
    @objc public dynamic var count = 0

    /// Makes a record.
    @objc public init(name: String) { self.name = name }
}
