import Foundation

/// Estimates the distance of a beacon from its signal strength.
///
/// Absorption and reflection change single values by a factor of two and more. The estimate applies the log-distance model to a
/// smoothed signal strength.
public struct RangeEstimator: Hashable, Sendable {
    /// The exponent of the path loss: 2 in free space, 2 to 4 indoors.
    public var pathLossExponent: Double
    /// The weight of a new value in the smoothed one, above 0 up to 1 (no smoothing).
    public var smoothing: Double
    /// The smoothed signal strength in dBm; nil before the first value.
    public private(set) var rssi: Double?

    /// Creates an estimator without values.
    ///
    /// - Parameters:
    ///   - pathLossExponent: The exponent of the path loss: 2 in free space, 2 to 4 indoors.
    ///   - smoothing: The weight of a new value, above 0 up to 1.
    public init(pathLossExponent: Double = 2, smoothing: Double = 0.25) {
        self.pathLossExponent = pathLossExponent
        self.smoothing = smoothing
    }

    /// Adds a received signal strength in dBm. Ignores 127, which means "not available" (Vol 4, Part E, 7.7.65.2).
    public mutating func add(rssi new: Int) {
        guard new != 127 else { return }
        rssi = rssi.map { $0 + smoothing * (Double(new) - $0) } ?? Double(new)
    }

    /// The distance in metres; nil before the first value.
    ///
    /// - Parameter measuredPower: The signal strength at 1 m in dBm.
    public func distance(measuredPower: Int) -> Double? {
        rssi.map { pow(10, (Double(measuredPower) - $0) / (10 * pathLossExponent)) }
    }
}

/// The proximity of a beacon, with the names of Apple's CoreLocation.
public enum Proximity: Int, Hashable, Sendable {
    case unknown = 0
    /// Up to half a metre.
    case immediate = 1
    /// Up to four metres.
    case near = 2
    case far = 3

    /// - Parameter distance: The distance in metres; nil gives `unknown`.
    public init(distance: Double?) {
        switch distance {
        case .none: self = .unknown
        case .some(..<0.5): self = .immediate
        case .some(..<4): self = .near
        default: self = .far
        }
    }
}
