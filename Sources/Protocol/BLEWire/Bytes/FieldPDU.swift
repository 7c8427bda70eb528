/// A PDU that consists of fixed fields, such as an HCI command.
///
/// The declaration states each field once, as a stored property with its type, its units and its range, in the order of the
/// wire. `Scripts/generate-pdus` writes the rest to `Sources/Protocol/BLEWire/Generated`: the initializer, decoding and encoding. The
/// type of a property selects its format: an integer is little endian, and a type with a raw value has the format of its
/// raw value. The default value of a property is also the default value of the initializer's parameter.
///
/// The initializer exists because the implicit memberwise one is internal. Its last parameter, which has no name and no
/// content, makes the two differ.
package protocol FieldPDU: PDU, Sendable {
    /// The number of octets of all fields.
    static var octetCount: Int { get }
}

extension FieldPDU {
    package var encodedCount: Int { Self.octetCount }
}
