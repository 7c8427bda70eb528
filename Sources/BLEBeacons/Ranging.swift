import Foundation

/// Estimates how far a beacon is from the strength of its signal.
///
/// Radio waves are absorbed and reflected: single values are off by a factor of two and more. The estimate follows the log-distance model over
/// a smoothed signal strength.
public struct RangeEstimator: Hashable, Sendable {
    /// How fast the signal weakens: 2 in free space, 2 to 4 indoors.
    public var pathLossExponent: Double
    /// The share of a new value in the smoothed one, above 0 to 1 (no smoothing).
    public var smoothing: Double
    /// The smoothed signal strength, dBm; nil before the first value.
    public private(set) var rssi: Double?

    /// An estimator without values.
    ///
    /// - Parameters:
    ///   - pathLossExponent: 2 in free space, 2 to 4 indoors.
    ///   - smoothing: the share of a new value, above 0 to 1.
    public init(pathLossExponent: Double = 2, smoothing: Double = 0.25) {
        self.pathLossExponent = pathLossExponent
        self.smoothing = smoothing
    }

    /// Takes in a received signal strength, dBm. Ignores 127, which means "not available" (Vol 4, Part E, 7.7.65.2).
    public mutating func add(rssi new: Int) {
        guard new != 127 else { return }
        rssi = rssi.map { $0 + smoothing * (Double(new) - $0) } ?? Double(new)
    }

    /// The distance in metres; nil before the first value.
    ///
    /// - Parameter measuredPower: the signal strength at 1 m, dBm.
    public func distance(measuredPower: Int) -> Double? {
        rssi.map { pow(10, (Double(measuredPower) - $0) / (10 * pathLossExponent)) }
    }
}

/// How near a beacon is, in the words of Apple's CoreLocation.
public enum Proximity: Int, Hashable, Sendable {
    case unknown = 0
    /// Up to half a metre.
    case immediate = 1
    /// Up to four metres.
    case near = 2
    case far = 3

    /// - Parameter distance: metres; nil is `unknown`.
    public init(distance: Double?) {
        switch distance {
        case .none: self = .unknown
        case .some(..<0.5): self = .immediate
        case .some(..<4): self = .near
        default: self = .far
        }
    }
}
