import Foundation

/// Builds an ``OSLogMessage`` from a literal with values.
public struct OSLogInterpolation: StringInterpolationProtocol {
    var text: String

    /// Starts a message.
    public init(literalCapacity: Int, interpolationCount: Int) {
        text = ""
        text.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    /// Adds the text between values.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Adds any value, as `String(describing:)` writes it.
    public mutating func appendInterpolation<Value>(
        _ value: @autoclosure () -> Value, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        add(String(describing: value()), align, privacy)
    }

    /// Adds an optional value: itself, or `nil`.
    public mutating func appendInterpolation<Value>(
        _ value: @autoclosure () -> Value?, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        add(value().map { String(describing: $0) } ?? "nil", align, privacy)
    }

    /// Adds an integer.
    public mutating func appendInterpolation<Value: FixedWidthInteger>(
        _ number: @autoclosure () -> Value, format: OSLogIntegerFormatting = .decimal,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        add(format.text(number()), align, privacy)
    }

    /// Adds a floating point number.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> Double, format: OSLogFloatFormatting, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        add(format.text(number()), align, privacy)
    }

    /// Adds a floating point number.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> Float, format: OSLogFloatFormatting, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        add(format.text(Double(number())), align, privacy)
    }

    /// Adds a Boolean value.
    public mutating func appendInterpolation(
        _ boolean: @autoclosure () -> Bool, format: OSLogBoolFormat, privacy: OSLogPrivacy = .auto
    ) {
        let value = boolean()
        switch format {
        case .truth: add(value ? "true" : "false", .none, privacy)
        case .answer: add(value ? "yes" : "no", .none, privacy)
        }
    }

    private mutating func add(_ value: String, _ alignment: OSLogStringAlignment, _ privacy: OSLogPrivacy) {
        text += alignment.apply(to: privacy.apply(to: value))
    }
}

/// The text for a Boolean value.
public enum OSLogBoolFormat: Sendable {
    /// `true` and `false`.
    case truth
    /// `yes` and `no`.
    case answer
}

/// How an integer is written.
public struct OSLogIntegerFormatting: Sendable {
    let radix: Int
    let prefix: String
    let uppercase: Bool
    let plus: Bool
    let minimumDigits: Int

    /// In decimal digits.
    public static let decimal = decimal()
    /// In hexadecimal digits.
    public static let hex = hex()
    /// In octal digits.
    public static let octal = octal()

    /// In decimal digits, with an optional plus sign and leading zeros.
    public static func decimal(explicitPositiveSign: Bool = false, minDigits: Int = 1) -> Self {
        Self(radix: 10, prefix: "", uppercase: false, plus: explicitPositiveSign, minimumDigits: minDigits)
    }

    /// In hexadecimal digits.
    public static func hex(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false, minDigits: Int = 1
    ) -> Self {
        Self(
            radix: 16, prefix: includePrefix ? "0x" : "", uppercase: uppercase, plus: explicitPositiveSign,
            minimumDigits: minDigits)
    }

    /// In octal digits.
    public static func octal(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false, minDigits: Int = 1
    ) -> Self {
        Self(
            radix: 8, prefix: includePrefix ? "0o" : "", uppercase: uppercase, plus: explicitPositiveSign,
            minimumDigits: minDigits)
    }

    func text<Value: FixedWidthInteger>(_ value: Value) -> String {
        let digits = String(value.magnitude, radix: radix, uppercase: uppercase)
        let zeros = String(repeating: "0", count: max(0, minimumDigits - digits.count))
        return (value < 0 ? "-" : plus ? "+" : "") + prefix + zeros + digits
    }
}

/// How a floating point number is written.
public struct OSLogFloatFormatting: Sendable {
    let specifier: String

    /// With six digits after the point.
    public static let fixed = fixed(precision: 6)
    /// With an exponent.
    public static let exponential = Self(specifier: "%e")
    /// In the shorter of both forms.
    public static let hybrid = Self(specifier: "%g")
    /// With hexadecimal digits.
    public static let hex = Self(specifier: "%a")

    /// With a number of digits after the point.
    public static func fixed(
        precision: @autoclosure () -> Int, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> Self { Self(specifier: "%\(explicitPositiveSign ? "+" : "").\(precision())\(uppercase ? "F" : "f")") }

    func text(_ value: Double) -> String { String(format: specifier, value) }
}
