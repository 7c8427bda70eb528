import BLEAdapter
import BLEVirtualRadio
import BLEWire

/// A Bluetooth device address of 48 bits, public or random.
public struct RadioAddress: Hashable, Sendable, CustomStringConvertible {
    let value: DeviceAddress

    init(_ value: DeviceAddress) { self.value = value }

    /// Parses six octets, the most significant first, such as `02:00:5E:00:00:01`.
    ///
    /// - Parameters:
    ///   - text: The octets in hexadecimal digits, with colons between them.
    ///   - isRandom: Whether the address is random. A static random address has its two top bits set (`C0` to `FF`).
    /// - Throws: ``FormatError`` for other text, for all zeros and all ones, for a public group address (odd first octet), and for a random
    ///   address of the reserved type (`80` to `BF`).
    public init(_ text: String, isRandom: Bool = false) throws(FormatError) {
        guard let value = DeviceAddress(text: text, kind: isRandom ? .random : .public) else {
            throw FormatError(description: "\(text) is no \(isRandom ? "random" : "public") device address.")
        }
        self.value = value
    }

    /// The reason why a text is no address.
    public struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
        /// A sentence with the text.
        public let description: String
    }

    /// Whether the address is random and not public.
    public var isRandom: Bool { value.kind == .random }

    /// Six octets in hexadecimal, the most significant first.
    public var description: String { value.description }
}
