public import Foundation

/// An advertisement that says "a beacon is here", in one of the formats that are in use.
public enum Beacon: Hashable, Sendable {
    case iBeacon(IBeacon)
    case altBeacon(AltBeacon)
    case eddystone(Eddystone)

    /// Finds the beacon in what a central was told of an advertisement. Nil if no known format matches.
    ///
    /// - Parameters:
    ///   - manufacturerData: the value of `CBAdvertisementDataManufacturerDataKey`.
    ///   - eddystoneData: the value of the UUID FEAA in `CBAdvertisementDataServiceDataKey`.
    public init?(manufacturerData: Data?, eddystoneData: Data? = nil) {
        if let data = manufacturerData {
            if let beacon = IBeacon(manufacturerData: data) {
                self = .iBeacon(beacon)
                return
            }
            if let beacon = AltBeacon(manufacturerData: data) {
                self = .altBeacon(beacon)
                return
            }
        }
        guard let data = eddystoneData, let frame = Eddystone(serviceData: data) else { return nil }
        self = .eddystone(frame)
    }

    /// The signal strength that the beacon says a receiver measures at 1 m, dBm; nil if it says nothing.
    public var measuredPower: Int? {
        switch self {
        case .iBeacon(let beacon): Int(beacon.measuredPower)
        case .altBeacon(let beacon): Int(beacon.referenceRSSI)
        // The path loss over the first metre at 2.4 GHz, as the format prescribes.
        case .eddystone(let frame): frame.powerAtZeroMetres.map { Int($0) - 41 }
        }
    }
}
