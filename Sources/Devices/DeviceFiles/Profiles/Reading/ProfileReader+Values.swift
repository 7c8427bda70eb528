import BLEValues
import Foundation

extension ProfileReader {
    private static let sources = ["constant", "counter", "sine", "random-walk", "replay", "clock"]
    private static let intervals = Duration.milliseconds(1)...Duration.seconds(86_400)

    /// A constant, or a mapping with the name of a source.
    mutating func value(_ node: YAMLNode, _ format: ValueFormat) -> ValueSource? {
        if node.entries == nil { return octets(node, format).map { .constant($0) } }
        let keys = Self.sources + ["factor", "prefix", "suffix"]
        guard let mapping = yaml.mapping(node, "a value", keys: keys) else { return nil }
        let named = Self.sources.filter { mapping.contains($0) }
        guard named.count == 1, let name = named.first, let content = mapping[name] else {
            yaml.complain("expected one of the sources \(Self.sources.joined(separator: ", ")).", at: mapping.position)
            return nil
        }
        let shift = mapping["factor"] ?? mapping["prefix"] ?? mapping["suffix"]
        if let shift, !["counter", "sine", "random-walk"].contains(name) {
            yaml.complain(
                "expected factor, prefix and suffix only with counter, sine or random-walk, found \(name).",
                at: shift.position)
        }
        switch name {
        case "constant": return octets(content, format).map { .constant($0) }
        case "replay": return replay(content, format).map { .replay($0) }
        case "clock":
            let words = ValueSource.Clock.allCases.map(\.rawValue)
            return yaml.choice(content, of: words).flatMap(ValueSource.Clock.init(rawValue:)).map { .clock($0) }
        default: return number(name, content, mapping, format).map { .number($0) }
        }
    }

    private mutating func number(
        _ name: String, _ node: YAMLNode, _ value: YAMLMapping, _ format: ValueFormat
    ) -> NumberSource? {
        requiresNumbers(format, node)
        let own: [String: [String]] = [
            "counter": ["step", "every"], "sine": ["period"], "random-walk": ["start", "step", "every", "seed"],
        ]
        let keys = ["minimum", "maximum"] + (own[name] ?? [])
        guard let mapping = yaml.mapping(node, "the source \(name)", keys: keys),
            let minimum = yaml.required("minimum", of: mapping).flatMap({ yaml.number($0) }),
            let maximum = yaml.required("maximum", of: mapping).flatMap({ yaml.number($0) })
        else { return nil }
        guard minimum < maximum else {
            yaml.complain(
                "expected a minimum below the maximum, found \(minimum) and \(maximum).", at: mapping.position)
            return nil
        }
        let every = mapping["every"].flatMap { yaml.duration($0, in: Self.intervals) } ?? .seconds(1)
        let shape: NumberSource.Shape
        switch name {
        case "counter":
            let step = mapping["step"].flatMap { yaml.number($0) } ?? 1
            guard step != 0, (maximum - minimum) / abs(step) < 1e9 else {
                yaml.complain("expected a step other than 0 that fits the bounds, found \(step).", at: mapping.position)
                return nil
            }
            shape = .counter(step: step, interval: every)
        case "sine":
            let period = yaml.required("period", of: mapping)
            shape = .sine(period: period.flatMap { yaml.duration($0, in: Self.intervals) } ?? .seconds(1))
        default:
            let step = mapping["step"].flatMap { yaml.number($0, in: 0...Double.greatestFiniteMagnitude) } ?? 1
            let start = mapping["start"].flatMap { yaml.number($0, in: minimum...maximum) } ?? (minimum + maximum) / 2
            let seed = mapping["seed"].flatMap { yaml.integer($0, in: 0...Int.max) } ?? 1
            shape = .randomWalk(start: start, step: step, interval: every, seed: UInt64(seed))
        }
        let factor = value["factor"].flatMap { yaml.number($0) } ?? 1
        if format.hasNumbers {
            for bound in [minimum, maximum] where format.octets(ofNumber: bound * factor) == nil {
                yaml.complain("expected bounds that fit \(format.name), found \(bound * factor).", at: mapping.position)
            }
        }
        return NumberSource(
            shape: shape, bounds: minimum...maximum, factor: factor,
            prefix: value["prefix"].flatMap { yaml.octets($0, count: 0...64) } ?? [],
            suffix: value["suffix"].flatMap { yaml.octets($0, count: 0...64) } ?? [])
    }

    // MARK: Replay

    private mutating func replay(_ node: YAMLNode, _ format: ValueFormat) -> ValueSource.Replay? {
        let keys = ["values", "file", "column", "every", "repeat"]
        guard let mapping = yaml.mapping(node, "the source replay", keys: keys) else { return nil }
        let every = mapping["every"].flatMap { yaml.duration($0, in: Self.intervals) } ?? .seconds(1)
        let repeats = mapping["repeat"].flatMap { yaml.boolean($0) } ?? true
        let rows: [[UInt8]]
        let origin: ValueSource.Replay.Origin
        switch (mapping["values"], mapping["file"]) {
        case (let values?, nil):
            rows = (yaml.list(values, "a list of values") ?? []).compactMap { octets($0, format) }
            origin = .inline
            if let column = mapping["column"] {
                yaml.complain("expected a column only with a file.", at: column.position)
            }
        case (nil, let file?):
            let column = mapping["column"].flatMap { yaml.string($0) } ?? "1"
            guard let name = yaml.string(file), let found = table(name, column, file, format) else { return nil }
            rows = found
            origin = .file(name, column: column)
        default:
            yaml.complain("expected either \"values\" or \"file\" in the source replay.", at: mapping.position)
            return nil
        }
        guard !rows.isEmpty else {
            if !yaml.hasProblems { yaml.complain("expected at least one value, found none.", at: mapping.position) }
            return nil
        }
        return ValueSource.Replay(origin: origin, rows: rows, interval: every, repeats: repeats)
    }

    /// The values of a column of a CSV file. Lines without a value in that column are skipped, and so is a first line with names.
    private mutating func table(
        _ name: String, _ column: String, _ node: YAMLNode, _ format: ValueFormat
    ) -> [[UInt8]]? {
        guard let folder else {
            yaml.complain(
                "expected values, found the file \(name): a profile without a folder has no files.", at: node.position)
            return nil
        }
        // A profile from elsewhere must not publish the user's other files.
        guard !name.hasPrefix("/"), !name.split(separator: "/").contains("..") else {
            yaml.complain("expected a file in the folder of the profile, found \(name).", at: node.position)
            return nil
        }
        let path = folder.appending(path: name).path
        otherFiles.append(path)
        let text: String
        do throws(YAMLError) {
            text = try YAMLDocument.text(of: path)
        } catch {
            yaml.complain("expected a CSV file that can be read: \(error)", at: node.position)
            return nil
        }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let names = Self.cells(lines.first ?? "")
        let number = YAMLReader.integer(column)
        guard let index = number.map({ $0 > 0 ? $0 - 1 : -1 }) ?? names.firstIndex(of: column), index >= 0 else {
            yaml.complain(
                "expected the column \(column) in \(name), found \(names.joined(separator: ", ")).", at: node.position)
            return nil
        }
        var rows: [[UInt8]] = []
        for (line, content) in lines.enumerated() {
            let cells = Self.cells(content)
            guard cells.indices.contains(index), !cells[index].isEmpty else { continue }
            do throws(ValueError) {
                rows.append(try format.octets(cells[index]))
            } catch {
                // The first line may have names instead of values.
                if line == 0 { continue }
                yaml.complain(
                    YAMLDiagnostic(
                        file: path, at: YAMLPosition(line: line + 1, column: 1),
                        "expected a value in the format \(format.name): \(error)"))
                if rows.isEmpty, line > 20 { return nil }
            }
        }
        return rows
    }

    private static func cells(_ line: Substring) -> [String] {
        line.split(separator: ",", omittingEmptySubsequences: false).map {
            let cell = String($0).trimmingSpaces
            return cell.count >= 2 && cell.hasPrefix("\"") && cell.hasSuffix("\"")
                ? String(cell.dropFirst().dropLast()) : cell
        }
    }
}
