internal import BLEWire
import Foundation

/// The octets of a value on the way to the delegate's queue.
enum WaitingValue {
    /// A `Data` of this length needs no storage.
    case data(Data)
    case short(ShortValue)
    /// An array needs one allocation less than a longer `Data`, and most values are then copied into the storage of the one before.
    case long([UInt8])

    /// The length in octets up to which a `Data` has its octets in place.
    static let dataLimit = 14

    init(_ octets: Span<UInt8>) {
        self =
            octets.count <= Self.dataLimit
            ? .data(Data(copying: octets))
            : octets.count <= ShortValue.limit ? .short(ShortValue(octets)) : .long([UInt8](octets))
    }

    var octets: [UInt8] {
        switch self {
        case .data(let data): [UInt8](data)
        case .short(let value): value.withOctets { [UInt8]($0) }
        case .long(let octets): octets
        }
    }
}

/// A value of at most the length that fits in a PDU of the smallest ATT_MTU.
struct ShortValue {
    static let limit = 22

    private var storage: [22 of UInt8] = .init(repeating: 0)
    private let count: UInt8

    init(_ octets: Span<UInt8>) {
        count = UInt8(octets.count)
        withUnsafeMutableBytes(of: &storage) { target in octets.withUnsafeBytes { target.copyMemory(from: $0) } }
    }

    func withOctets<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        body(storage.span.extracting(first: Int(count)))
    }
}
