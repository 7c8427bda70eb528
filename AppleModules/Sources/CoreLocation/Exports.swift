// As with Apple's framework, `import CoreLocation` alone brings the names of Foundation.
@_exported import Foundation

/// A distance or an accuracy in metres. A negative accuracy is unknown.
public typealias CLLocationAccuracy = Double
/// A distance in metres.
public typealias CLLocationDistance = Double
/// The group of a beacon.
public typealias CLBeaconMajorValue = UInt16
/// The number of a beacon in its group.
public typealias CLBeaconMinorValue = UInt16
