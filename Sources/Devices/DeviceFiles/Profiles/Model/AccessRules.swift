import BLEWire

/// The answer to reads.
package struct ReadRule: Hashable, Sendable {
    /// Refuses every read with this error.
    package var error: ErrorCode?
    /// The time before the answer.
    package var delay: Duration?

    package init(error: ErrorCode? = nil, delay: Duration? = nil) {
        self.error = error
        self.delay = delay
    }
}

/// The values that clients may write, and what a write does besides storing the value.
package struct WriteRule: Hashable, Sendable {
    /// Octets.
    package var length: ClosedRange<Int>?
    /// The bounds of the number in the format of the characteristic.
    package var range: ClosedRange<Double>?
    /// The only valid values; empty allows all.
    package var allowed: [[UInt8]]
    /// The answer to a value that violates a rule. Nil selects an error that fits the rule.
    package var error: ErrorCode?
    package var effects: [WriteEffect]

    package init(
        length: ClosedRange<Int>? = nil, range: ClosedRange<Double>? = nil, allowed: [[UInt8]] = [],
        error: ErrorCode? = nil, effects: [WriteEffect] = []
    ) {
        self.length = length
        self.range = range
        self.allowed = allowed
        self.error = error
        self.effects = effects
    }
}

/// A change of another characteristic, which a write causes.
package struct WriteEffect: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
        /// Sends the written octets to the writing client.
        case echo
        /// Sets the value, and sends it to all subscribers.
        case value([UInt8])
        /// Sets the value to `factor` times the written number plus `offset`, and sends it to all subscribers.
        case linear(factor: Double, offset: Double)
    }

    package let target: CharacteristicIndex
    package let change: Change

    package init(target: CharacteristicIndex, change: Change) {
        self.target = target
        self.change = change
    }
}

/// An ATT error code (Vol 3, Part F, 3.4.1.1; Core Specification Supplement, Part B, 1.2).
package struct ErrorCode: Hashable, Sendable {
    package let value: UInt8

    package init(_ value: UInt8) { self.value = value }

    package static let invalidOffset = ErrorCode(0x07)
    package static let invalidLength = ErrorCode(0x0D)
    package static let valueNotAllowed = ErrorCode(0x13)
    package static let outOfRange = ErrorCode(0xFF)

    static let words: [(word: String, code: UInt8)] = [
        ("read-not-permitted", 0x02), ("write-not-permitted", 0x03), ("insufficient-authentication", 0x05),
        ("request-not-supported", 0x06), ("invalid-offset", 0x07), ("insufficient-authorization", 0x08),
        ("attribute-not-found", 0x0A), ("invalid-length", 0x0D), ("unlikely-error", 0x0E),
        ("insufficient-encryption", 0x0F), ("insufficient-resources", 0x11), ("value-not-allowed", 0x13),
        ("write-request-rejected", 0xFC), ("procedure-in-progress", 0xFE), ("out-of-range", 0xFF),
    ]

    /// The word in the file; 0x and two digits for other codes.
    package var word: String {
        if let entry = Self.words.first(where: { $0.code == value }) { return entry.word }
        return "0x" + hexadecimal(value, digits: 2)
    }

    init?(word: String) {
        if let entry = Self.words.first(where: { $0.word == word }) {
            value = entry.code
        } else if word.lowercased().hasPrefix("0x"), let code = UInt8(word.dropFirst(2), radix: 16), code > 0 {
            value = code
        } else {
            return nil
        }
    }
}
