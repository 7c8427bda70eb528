internal import BLEWire
import Foundation

/// The octets of a value on the way to the delegate's queue.
enum WaitingValue {
    /// A `Data` of this length needs no storage.
    case short(Data)
    /// An array needs one allocation less than a longer `Data`, and most values are then copied into the storage of the one before.
    case long([UInt8])

    private static let shortLimit = 14

    init(_ octets: Span<UInt8>) {
        self = octets.count <= Self.shortLimit ? .short(Data(copying: octets)) : .long([UInt8](octets))
    }
}
