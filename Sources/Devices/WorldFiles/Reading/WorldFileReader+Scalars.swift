import BLESimulator
import DeviceFiles

extension WorldFileReader {
    /// An identifier of a device or a wall.
    mutating func identifier(_ node: YAMLNode) -> String? {
        guard let text = node.text, Self.isIdentifier(text) else {
            yaml.expected(
                "an id of at most \(WorldFile.Limit.identifier) letters, digits, -, _ and . that begins with a letter or a digit",
                found: node)
            return nil
        }
        return text
    }

    static func isIdentifier(_ text: String) -> Bool {
        guard text.utf8.count <= WorldFile.Limit.identifier, let first = text.utf8.first else { return false }
        func isWord(_ octet: UInt8) -> Bool {
            (0x30...0x39).contains(octet) || (0x41...0x5A).contains(octet) || (0x61...0x7A).contains(octet)
        }
        return isWord(first) && text.utf8.allSatisfy { isWord($0) || "-_.".utf8.contains($0) }
    }

    /// A position in metres: `[x, y]` or `[x, y, z]`.
    mutating func position(_ node: YAMLNode) -> Position? {
        guard let elements = node.elements, (2...3).contains(elements.count) else {
            yaml.expected("a position in metres such as [1.5, 2] or [1.5, 2, 0.8]", found: node)
            return nil
        }
        let limit = WorldFile.Limit.distance
        var numbers: [Double] = []
        for element in elements {
            guard let number = yaml.number(element, in: -limit...limit, "a number of metres") else { return nil }
            numbers.append(number)
        }
        return Position(x: numbers[0], y: numbers[1], z: numbers.count == 3 ? numbers[2] : 0)
    }

    /// A number with a unit: `12 dB`.
    mutating func quantity(_ node: YAMLNode, _ unit: String, in range: ClosedRange<Double>) -> Double? {
        let shown =
            "a value from \(WorldText.number(range.lowerBound)) \(unit) to \(WorldText.number(range.upperBound)) \(unit)"
        guard let text = node.text, text.hasSuffix(unit) else {
            yaml.expected(shown, found: node)
            return nil
        }
        let digits = text.dropLast(unit.count)
        let number = digits.last == " " ? Double(digits.dropLast()) : Double(digits)
        guard let number, number.isFinite, range.contains(number) else {
            yaml.expected(shown, found: node)
            return nil
        }
        return number
    }

    /// A percentage. Returns a share from 0 to 1.
    mutating func share(_ node: YAMLNode) -> Double? {
        quantity(node, "%", in: 0...100).map { WorldFile.share($0 / 100) }
    }

    /// The error of a clock in whole parts per million.
    mutating func clockError(_ node: YAMLNode) -> Int? {
        guard let value = quantity(node, "ppm", in: -500...500) else { return nil }
        guard let error = Int(exactly: value) else {
            yaml.expected("a whole number of ppm", found: node)
            return nil
        }
        return error
    }

    /// A time or a length in whole nanoseconds.
    mutating func time(_ node: YAMLNode) -> Duration? { yaml.duration(node, in: .zero...WorldFile.Limit.time) }

    /// The required time of a key.
    mutating func time(_ key: String, of mapping: YAMLMapping) -> Duration? {
        yaml.required(key, of: mapping).flatMap { time($0) }
    }

    /// A value for the parameters or the action of a program.
    static func value(_ node: YAMLNode) -> WorldValue {
        switch node.content {
        case .sequence(let elements): return .array(elements.map(value))
        case .mapping(let entries):
            return .object(Dictionary(entries.map { ($0.key, value($0.value)) }, uniquingKeysWith: { _, last in last }))
        case .scalar(let text, let isQuoted):
            if isQuoted { return .string(text) }
            if node.isNull { return .null }
            if text == "true" || text == "false" { return .bool(text == "true") }
            if let number = YAMLReader.integer(text) { return .integer(number) }
            if let number = Double(text), number.isFinite { return .number(number) }
            return .string(text)
        }
    }
}

/// Values as texts of a world file.
enum WorldText {
    /// A number without a fraction if it is whole.
    static func number(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
    }

    /// A share from 0 to 1 as a percentage.
    static func share(_ share: Double) -> String { number((share * 1e8).rounded() / 1e6) + " %" }

    static func position(_ position: Position) -> String {
        let numbers = [position.x, position.y] + (position.z == 0 ? [] : [position.z])
        return "[" + numbers.map(number).joined(separator: ", ") + "]"
    }
}
