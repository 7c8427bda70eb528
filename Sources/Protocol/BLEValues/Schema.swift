/// The format of an adopted characteristic's or descriptor's value: its fields in the order of the octets.
package struct Schema: Sendable {
    package let fields: [Field]

    init(_ fields: [Field]) { self.fields = fields }
}

/// One field of a value.
package struct Field: Sendable {
    enum Layout: Sendable {
        /// A little-endian integer.
        case unsigned(octets: Int)
        case signed(octets: Int)
        /// An IEEE 11073 number with 16 or 32 bits.
        case medical(octets: Int)
        /// Named bits. Conditions of later fields refer to the first such field.
        case flags(octets: Int, names: [Int: String])
        /// An integer with named values.
        case choice(octets: Int, names: [UInt64: String])
        /// An octet with named values of its low and its high four bits.
        case halves(low: [UInt64: String], high: [UInt64: String])
        /// An integer whose bits, from the lowest one, hold several values.
        case parts(octets: Int, [Part])
        /// An IEEE 754 number with 32 bits.
        case real
        /// An octet N for the duration of 1.1 to the power of N - 64 seconds (Time Exponential 8).
        case exponentialTime
        /// Year, month, day, hours, minutes, seconds: 7 octets.
        case dateTime
        /// Year, month, day: 4 octets.
        case date
        /// Days since 1970-01-01: 3 octets (Date UTC).
        case day
        /// UTF-8 text up to the end of the value.
        case text
        /// UTF-8 text up to a zero.
        case terminatedText
        /// Octets as hexadecimal digits; nil reads up to the end of the value.
        case octets(Int?)
        /// A little-endian UUID; nil reads up to the end of the value, 2 or 16 octets.
        case uuid(octets: Int?)
        /// A 16-bit number with a name in Assigned Numbers.
        case assigned(AssignedName)
    }

    enum AssignedName: Sendable { case appearance, company, unit }

    /// Some bits of an integer.
    struct Part: Sendable {
        /// The text before a value without a name.
        let name: String
        let bits: Int
        /// The texts of values. An empty text omits the part.
        let names: [UInt64: String]

        init(_ name: String, bits: Int, _ names: [UInt64: String] = [:]) {
            self.name = name
            self.bits = bits
            self.names = names
        }
    }

    /// A bit of the flags on which a field depends.
    struct Condition: Sendable {
        let bit: Int
        let isSet: Bool
    }

    package private(set) var name: String
    let layout: Layout
    package private(set) var unit = ""
    /// The value is the integer times `factor`, times 10 to the power of `decimals`, divided by `divisor`.
    private(set) var factor = 1
    private(set) var decimals = 0
    private(set) var divisor = 1
    /// The conditions of the field's presence. All must be true.
    private(set) var conditions: [Condition] = []
    /// Whether the field repeats up to the end of the value.
    private(set) var isRepeated = false
    /// Whether a value may end before the field.
    private(set) var isOptional = false
    /// The integers that are not a quantity, such as one for "unknown".
    private(set) var special: [UInt64: String] = [:]

    init(_ name: String, _ layout: Layout) {
        self.name = name
        self.layout = layout
    }

    func unit(_ unit: String) -> Field { changed { $0.unit = unit } }
    /// The integer counts steps of 10 to the power of `exponent`.
    func times(ten exponent: Int) -> Field { changed { $0.decimals = exponent } }
    func times(_ factor: Int) -> Field { changed { $0.factor = factor } }
    func divided(by divisor: Int) -> Field { changed { $0.divisor = divisor } }
    func when(_ bit: Int) -> Field { changed { $0.conditions.append(Condition(bit: bit, isSet: true)) } }
    func unless(_ bit: Int) -> Field { changed { $0.conditions.append(Condition(bit: bit, isSet: false)) } }
    func repeated() -> Field { changed { $0.isRepeated = true } }
    func optional() -> Field { changed { $0.isOptional = true } }
    func unknown(_ value: UInt64) -> Field { special(value, "unknown") }
    func special(_ value: UInt64, _ text: String) -> Field { changed { $0.special[value] = text } }
    func named(_ name: String) -> Field { changed { $0.name = name } }

    private func changed(_ change: (inout Field) -> Void) -> Field {
        var field = self
        change(&field)
        return field
    }

    static func u8(_ name: String) -> Field { Field(name, .unsigned(octets: 1)) }
    static func u16(_ name: String) -> Field { Field(name, .unsigned(octets: 2)) }
    static func u24(_ name: String) -> Field { Field(name, .unsigned(octets: 3)) }
    static func u48(_ name: String) -> Field { Field(name, .unsigned(octets: 6)) }
    static func u32(_ name: String) -> Field { Field(name, .unsigned(octets: 4)) }
    static func s8(_ name: String) -> Field { Field(name, .signed(octets: 1)) }
    static func s16(_ name: String) -> Field { Field(name, .signed(octets: 2)) }
    static func s24(_ name: String) -> Field { Field(name, .signed(octets: 3)) }
    static func s32(_ name: String) -> Field { Field(name, .signed(octets: 4)) }
    static func sfloat(_ name: String) -> Field { Field(name, .medical(octets: 2)) }
    static func float(_ name: String) -> Field { Field(name, .medical(octets: 4)) }
    static func octets(_ name: String, _ count: Int? = nil) -> Field { Field(name, .octets(count)) }
    static func date(_ name: String) -> Field { Field(name, .date) }
    static func day(_ name: String) -> Field { Field(name, .day).unknown(0) }
    static func exponentialTime(_ name: String) -> Field {
        Field(name, .exponentialTime).unit("s").special(0, "0 s").special(254, "the device's lifetime").unknown(255)
    }
    static func text(_ name: String) -> Field { Field(name, .text) }
    static func time(_ name: String) -> Field { Field(name, .dateTime) }
    static func flags(_ octets: Int = 1, _ names: [Int: String] = [:]) -> Field {
        Field("Flags", .flags(octets: octets, names: names))
    }
    /// Named bits of a field that is not the first one.
    static func bits(_ name: String, _ octets: Int, _ names: [Int: String] = [:]) -> Field {
        Field(name, .flags(octets: octets, names: names))
    }
    static func parts(_ name: String, _ octets: Int, _ parts: [Part]) -> Field {
        Field(name, .parts(octets: octets, parts))
    }
    static func choice(_ name: String, _ names: [UInt64: String], octets: Int = 1) -> Field {
        Field(name, .choice(octets: octets, names: names))
    }
}
