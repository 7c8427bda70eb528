import ArgumentParser
import DeviceFiles
import BLEValues
import CoreBluetooth

/// The format of the value of `write`.
struct WriteFormatOption: ParsableArguments {
    enum Choice {
        case format(ValueFormat)
        /// The format that the SIG defines for the characteristic.
        case adopted
    }

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            """
            hex (the default), utf8, base64, u8 to u64, i8 to i64, f32, f64, a big-endian number such as u16be, or sig: the values that \
            read prints, such as "21.5", "high alert" or "2026-02-28 13:45:00".
            """,
            valueName: "format"),
        transform: choice)
    var format: Choice?

    /// Parses a value.
    ///
    /// - Parameter attribute: Nil before the connection: `sig` needs a characteristic, and gets nil.
    func octets(_ text: String, for attribute: FoundAttribute? = nil) throws -> [UInt8]? {
        do throws(ValueError) {
            switch format ?? .format(ValueFormat(.hexadecimal)) {
            case .format(let format): return try format.octets(text)
            case .adopted:
                guard let attribute else { return nil }
                let schema =
                    switch attribute {
                    case .characteristic(let found): found.uuid.shortValue.flatMap(Schemas.schema)
                    case .descriptor(let found): found.uuid.shortValue.flatMap(Schemas.descriptorSchema)
                    }
                guard let schema else {
                    throw ValueError(
                        description:
                            "the SIG defines no format for \(displayName(attribute.uuid)) that this tool knows.")
                }
                return try schema.encode(text)
            }
        } catch {
            throw ToolError(.usage, error.description, "Try: bluelab help write")
        }
    }
}

private func choice(_ text: String) throws -> WriteFormatOption.Choice {
    if text.lowercased() == "sig" { return .adopted }
    guard let format = ValueFormat(name: text) else {
        throw ValidationError(
            "a format must be sig or one of \(ValueFormat.all.map(\.name).joined(separator: ", ")).")
    }
    return .format(format)
}
