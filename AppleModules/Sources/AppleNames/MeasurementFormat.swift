import Foundation

extension Measurement {
    /// Converts the measurement to another representation, such as a text.
    public func formatted<Style: FormatStyle>(_ style: Style) -> Style.FormatOutput where Style.FormatInput == Self {
        style.format(self)
    }
}

/// The style of `.byteCount(style:)` for an amount of storage. On Apple's systems its name is `Measurement.FormatStyle.ByteCount`.
public struct StorageByteCountFormatStyle: FormatStyle, Sendable {
    private var style: ByteCountFormatStyle

    fileprivate init(_ style: ByteCountFormatStyle) { self.style = style }

    /// The text of an amount, rounded to whole bytes. Amounts beyond the range of `Int64` have the text of its limit.
    public func format(_ value: Measurement<UnitInformationStorage>) -> String {
        let bytes = value.converted(to: .bytes).value.rounded()
        return style.format(bytes.isNaN ? 0 : Int64(exactly: bytes) ?? (bytes < 0 ? .min : .max))
    }

    /// The same style in the language of a locale.
    public func locale(_ locale: Locale) -> Self { Self(style.locale(locale)) }
}

extension FormatStyle where Self == StorageByteCountFormatStyle {
    /// An amount of storage in the unit that fits, such as "40 kB".
    public static func byteCount(
        style: ByteCountFormatStyle.Style, allowedUnits: ByteCountFormatStyle.Units = .all, spellsOutZero: Bool = true,
        includesActualByteCount: Bool = false
    ) -> Self {
        Self(
            ByteCountFormatStyle(
                style: style, allowedUnits: allowedUnits, spellsOutZero: spellsOutZero,
                includesActualByteCount: includesActualByteCount))
    }
}
