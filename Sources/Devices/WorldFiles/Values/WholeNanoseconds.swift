import BLEWire

extension Duration {
    /// The duration in whole nanoseconds; the nearest limit if it is too long.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, hasOverflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !hasOverflow else { return seconds < 0 ? .min : .max }
        let (sum, overflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflows ? (seconds < 0 ? .min : .max) : sum
    }
}
