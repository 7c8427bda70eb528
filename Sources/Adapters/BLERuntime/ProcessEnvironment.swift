import BLEAdapter
import Glibc
import Logging

/// The environment variables of this process.
enum ProcessEnvironment {
    /// The text of a variable; nil if it is not set.
    static func text(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The setting that a variable selects. A complaint about its text goes to the log.
    static func setting<Value>(_ name: String, _ parse: (String?) -> (setting: Value, complaint: String?)) -> Value {
        let (setting, complaint) = parse(text(name))
        if let complaint { LibraryLog.logger().error("\(complaint)") }
        return setting
    }
}
