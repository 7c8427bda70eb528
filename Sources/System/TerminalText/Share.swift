extension ClosedRange<Double> {
    /// The position of a value in the range, 0 to 1; 0 in an empty range.
    package func share(of value: Double) -> Double {
        // Half of each bound keeps the difference finite.
        let span = upperBound / 2 - lowerBound / 2
        let share = (value / 2 - lowerBound / 2) / span
        return share.isFinite ? Swift.min(1, Swift.max(0, share)) : 0
    }
}
