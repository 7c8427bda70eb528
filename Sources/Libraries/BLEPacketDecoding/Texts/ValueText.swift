import BLEAssignedNumbers
import BLEValues
import BLEWire

/// Describes attribute values in words.
enum ValueText {
    /// The most characters of a text value.
    static let characterLimit = 60

    /// The value of a characteristic or a descriptor: decoded if its format is adopted, as text if it reads as text, otherwise as
    /// hexadecimal digits.
    static func describe(_ value: Span<UInt8>, of type: BluetoothUUID?, in language: TextLanguage) -> String {
        if value.isEmpty { return language.empty }
        let octets = [UInt8](value)
        if let short = type?.shortValue, let schema = Schemas.schema(of: short) ?? Schemas.descriptorSchema(of: short),
            let decoded = try? schema.decode(octets), decoded.rest.isEmpty, !decoded.entries.isEmpty
        {
            return bounded(ValueWords.summary(decoded, in: language))
        }
        return text(octets) ?? octetText(value, in: language)
    }

    /// The octets as a quoted text; nil if they are not printable ASCII.
    private static func text(_ octets: [UInt8]) -> String? {
        guard octets.count >= 3, octets.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
        return bounded("\"\(String(decoding: octets, as: UTF8.self))\"")
    }

    private static func bounded(_ text: String) -> String {
        text.count > characterLimit ? text.prefix(characterLimit) + "\u{2026}" : text
    }

    /// The assigned name of a UUID with its short form, otherwise the UUID.
    static func name(_ uuid: BluetoothUUID) -> String { AssignedNumbers.name(of: uuid) ?? "\(uuid)" }

    /// The assigned name of a 16-bit type, otherwise its digits.
    static func name(_ type: UInt16) -> String { name(BluetoothUUID(type)) }
}
