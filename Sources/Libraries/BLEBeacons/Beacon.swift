public import Foundation

/// A beacon in one of the supported formats.
public enum Beacon: Hashable, Sendable {
    case iBeacon(IBeacon)
    case altBeacon(AltBeacon)
    case eddystone(Eddystone)

    /// Decodes the beacon of an advertisement. Nil if no known format matches.
    ///
    /// - Parameters:
    ///   - manufacturerData: The value of `CBAdvertisementDataManufacturerDataKey`.
    ///   - eddystoneData: The value of the UUID FEAA in `CBAdvertisementDataServiceDataKey`.
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

    /// The signal strength at 1 m in dBm, as the beacon advertises it; nil if it does not.
    public var measuredPower: Int? {
        switch self {
        case .iBeacon(let beacon): Int(beacon.measuredPower)
        case .altBeacon(let beacon): Int(beacon.referenceRSSI)
        // The path loss over the first metre at 2.4 GHz, as the format defines it.
        case .eddystone(let frame): frame.powerAtZeroMetres.map { Int($0) - 41 }
        }
    }
}
