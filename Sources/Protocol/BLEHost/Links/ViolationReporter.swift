/// Decides which violations of one source are reported: none that repeats the one before, and a limited number. A source that alternates
/// between two violations would otherwise fill the log.
struct ViolationReporter: Sendable {
    /// The violations of a link, and those of a controller until its next start, that are reported.
    static let limit = 32

    private var last: ProtocolViolation?
    private var count = 0

    /// Takes note of a violation. Returns whether to report it.
    mutating func admits(_ violation: ProtocolViolation) -> Bool {
        guard last != violation, count < Self.limit else { return false }
        last = violation
        count += 1
        return true
    }
}
