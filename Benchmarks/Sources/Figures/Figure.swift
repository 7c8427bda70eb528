import Glibc

/// One measured number. Printed as one line of JSON, which `Benchmarks/run` collects, compares with the thresholds and
/// prints as tables.
public struct Figure: Sendable {
    /// Names the figure in thresholds, in lower case, from the general to the special: `on-air.2m.400ms.notifications`.
    public var name: String
    /// The number, in `unit`.
    public var value: Double
    /// `us`, `%`, `allocations`, `packets/s`, ...
    public var unit: String
    /// What was measured, as a reader of the table would say it.
    public var title: String
    /// Whose figure it is, where there are several to compare.
    public var stack: String

    /// A figure of one stack.
    public init(_ name: String, _ value: Double, _ unit: String, title: String, stack: String = "ours") {
        self.name = name
        self.value = value
        self.unit = unit
        self.title = title
        self.stack = stack
    }

    /// Prints the line at once, so that the figures before a failed measurement are visible.
    public func report() {
        print(
            "{\"figure\":\(quoted(name)),\"value\":\(value.isFinite ? "\(value)" : "null"),\"unit\":\(quoted(unit)),"
                + "\"title\":\(quoted(title)),\"stack\":\(quoted(stack))}")
        fflush(nil)
    }
}

private func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
}
