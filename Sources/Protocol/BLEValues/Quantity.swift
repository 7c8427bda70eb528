extension Schema {
    /// The names of the fields whose values are numbers.
    package var numberNames: [String] {
        fields.compactMap { field in
            switch field.layout {
            case .unsigned, .signed, .medical, .real, .exponentialTime: field.name
            case .flags, .choice, .halves, .parts, .dateTime, .date, .day, .text, .terminatedText, .octets, .uuid,
                .assigned:
                nil
            }
        }
    }
}

/// A number in a value.
package struct Quantity: Hashable, Sendable {
    package let number: Double
    /// The unit; nil for a number without one.
    package let unit: String?

    /// The number of a value in `format`, else in the format that the SIG defines for the characteristic, else of an integer of 1, 2 or 4
    /// octets.
    ///
    /// - Parameters:
    ///   - schema: The adopted format of the characteristic; nil if there is none.
    ///   - field: A part of the name of the field; nil selects the first number.
    package init?(_ octets: [UInt8], _ schema: Schema?, _ format: ValueFormat?, field: String? = nil) {
        if let format {
            guard let number = format.number(octets) else { return nil }
            self.init(number: number, unit: nil)
        } else if let schema {
            let entries = (try? schema.decode(octets))?.entries ?? []
            let entry = entries.first { entry in
                entry.number != nil && field.map { Self.isName(entry.name, $0) } ?? true
            }
            guard let entry, let number = entry.number else { return nil }
            self.init(number: number, unit: entry.unit.isEmpty ? nil : entry.unit)
        } else {
            guard [1, 2, 4].contains(octets.count),
                let number = ValueFormat(.unsigned(bits: 8 * octets.count)).number(octets)
            else { return nil }
            self.init(number: number, unit: nil)
        }
    }

    /// Whether `part` selects the field of this name.
    package static func isName(_ name: String, _ part: String) -> Bool { name.lowercased().contains(part.lowercased()) }

    package init?(number: Double, unit: String?) {
        // JSON has no NaN and no infinity.
        guard number.isFinite else { return nil }
        self.number = number
        self.unit = unit
    }
}
