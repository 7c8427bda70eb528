import Foundation

/// Eddystone-URL: a URL of at most 17 octets after the compression of its scheme and of common endings.
public struct EddystoneURL: Hashable, Sendable {
    /// The signal strength at a distance of 0 m in dBm.
    public var powerAtZeroMetres: Int8
    /// One octet for the scheme, and up to 17 octets of compressed text.
    let encoded: Data

    /// The whole URL, such as "https://www.example.com/".
    public var text: String {
        encoded.dropFirst().reduce(into: Self.schemes[Int(encoded[encoded.startIndex])]) { text, octet in
            if Int(octet) < Self.expansions.count {
                text += Self.expansions[Int(octet)]
            } else {
                text.unicodeScalars.append(Unicode.Scalar(octet))
            }
        }
    }

    /// Compresses a URL.
    ///
    /// - Throws: ``BeaconError/url`` unless it begins with http:// or https://, contains only printable ASCII, and fits into 17 octets
    ///   after the scheme.
    public init(powerAtZeroMetres: Int8, text: String) throws(BeaconError) {
        guard let scheme = Self.longestPrefix(of: text, in: Self.schemes) else { throw .url }
        var encoded = Data([UInt8(scheme)])
        var rest = text.dropFirst(Self.schemes[scheme].count)
        while let character = rest.first {
            if let expansion = Self.longestPrefix(of: rest, in: Self.expansions) {
                encoded.append(UInt8(expansion))
                rest = rest.dropFirst(Self.expansions[expansion].count)
            } else {
                guard let octet = character.asciiValue, Self.isText(octet) else { throw .url }
                encoded.append(octet)
                rest = rest.dropFirst()
            }
        }
        guard encoded.count <= 1 + Self.maximumCount else { throw .url }
        self.powerAtZeroMetres = powerAtZeroMetres
        self.encoded = encoded
    }

    static let frameType: UInt8 = 0x10

    init?(_ reader: inout OctetReader) {
        guard let power = reader.octet(), let encoded = reader.octets(reader.count), let scheme = encoded.first,
            Int(scheme) < Self.schemes.count, encoded.count <= 1 + Self.maximumCount,
            encoded.dropFirst().allSatisfy({ Int($0) < Self.expansions.count || Self.isText($0) })
        else { return nil }
        powerAtZeroMetres = Int8(bitPattern: power)
        self.encoded = encoded
    }

    var serviceData: Data { Data([Self.frameType, UInt8(bitPattern: powerAtZeroMetres)]) + encoded }

    private static let maximumCount = 17
    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
    private static let expansions = [
        ".com/", ".org/", ".edu/", ".net/", ".info/", ".biz/", ".gov/", ".com", ".org", ".edu", ".net", ".info", ".biz",
        ".gov",
    ]

    /// The values 0x00 to 0x20 and 0x7F to 0xFF are reserved.
    private static func isText(_ octet: UInt8) -> Bool { (0x21...0x7E).contains(octet) }

    private static func longestPrefix(of text: some StringProtocol, in table: [String]) -> Int? {
        table.indices.filter { text.hasPrefix(table[$0]) }.max { table[$0].count < table[$1].count }
    }
}
