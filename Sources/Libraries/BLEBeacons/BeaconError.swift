import Foundation

/// Why a beacon cannot have a value.
public enum BeaconError: Error, Hashable, Sendable, CustomStringConvertible {
    /// An identifier, a namespace, an instance or a ciphertext has another number of octets than its format.
    case length(Int, expected: Int)
    /// The URL does not begin with http:// or https://, contains other characters than printable ASCII, or does not fit into 17 octets after its
    /// scheme.
    case url
    /// The advertising interval is shorter than 20 ms or longer than 10.24 s.
    case interval(Duration)

    /// A sentence about the error.
    public var description: String {
        switch self {
        case .length(let count, let expected): "The field has \(count) octets instead of \(expected)."
        case .url: "The URL is not http:// or https:// and at most 17 octets of printable ASCII."
        case .interval(let interval): "An advertising interval of \(interval) is not possible: use 20 ms to 10.24 s."
        }
    }

    static func check(_ data: Data, _ count: Int) throws(BeaconError) {
        guard data.count == count else { throw .length(data.count, expected: count) }
    }
}
