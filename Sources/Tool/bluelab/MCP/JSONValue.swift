import DeviceLink

/// The messages of the Model Context Protocol are JSON values.
typealias JSONValue = LinkValue

extension JSONValue {
    /// The levels of lists and objects that a message has at most.
    private static var deepest: Int { 64 }

    /// Decodes one JSON text; nil if it is not one.
    init?(parsing octets: [UInt8]) {
        guard let value = try? JSONValue(json: octets, longest: octets.count, deepest: Self.deepest) else { return nil }
        self = value
    }
}
