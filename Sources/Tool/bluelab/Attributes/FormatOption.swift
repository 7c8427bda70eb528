import ArgumentParser
import BLEValues

/// The format of values.
struct FormatOption: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "hex, utf8, base64, u8 to u64, i8 to i64, f32 or f64. Integers and floats are little endian, or big endian with the suffix be, such as u16be.",
            valueName: "format"),
        transform: formatValue)
    var format: ValueFormat?
}

private func formatValue(_ text: String) throws -> ValueFormat {
    guard let format = ValueFormat(name: text) else {
        throw ValidationError("a format must be one of \(ValueFormat.all.map(\.name).joined(separator: ", ")).")
    }
    return format
}
