import BLEValues
import BLEWire

extension DeviceScript {
    /// The script as a YAML file that reads back as the same script.
    package var text: String {
        var lines: [String] = []
        if let name { lines.append("name: \(Self.scalar(name))") }
        lines.append("steps:")
        for step in steps { lines += Self.lines(step, indentation: 2) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(_ step: ScriptStep, indentation: Int) -> [String] {
        let space = String(repeating: " ", count: indentation)
        var lines: [String] = []
        if let comment = step.comment {
            lines.append("\(space)# " + comment.map { $0.isNewline ? " " : String($0) }.joined())
        }
        let fields = Fields(step.action)
        if let nested = fields.nested {
            lines.append("\(space)- repeat:")
            lines.append("\(space)    times: \(nested.times)")
            lines.append("\(space)    steps:")
            for step in nested.steps { lines += Self.lines(step, indentation: indentation + 6) }
        } else if fields.entries.isEmpty {
            lines.append("\(space)- \(fields.word.rawValue)" + (fields.scalar.map { ": \(scalar($0))" } ?? ""))
        } else {
            lines.append("\(space)- \(fields.word.rawValue):")
            for (key, value) in fields.entries { lines.append("\(space)    \(key): \(value)") }
        }
        return lines
    }

    /// A text as a YAML scalar, in quotes if its plain form could be read in another way.
    static func scalar(_ text: String) -> String {
        let isPlain =
            text.first.map { $0.isLetter || $0.isNumber } == true && text.last != " "
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || " -_./+".contains($0)) }
            && !["null", "true", "false", "yes", "no", "on", "off"].contains(text.lowercased())
        if isPlain { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            default:
                if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
                    quoted += "\\x" + hexadecimal(scalar.value, digits: 2).lowercased()
                } else {
                    quoted.unicodeScalars.append(scalar)
                }
            }
        }
        return quoted + "\""
    }

    /// The word of an action, and what follows it.
    private struct Fields {
        let word: StepKind
        var scalar: String?
        /// Keys with their values as YAML.
        var entries: [(String, String)] = []
        var nested: (times: Int, steps: [ScriptStep])?

        /// One case for each kind of action: the length is that of the vocabulary.
        init(_ action: ScriptAction) {
            switch action {
            case .scan(let pattern, let isAbsent, let limit):
                word = .scan
                add("name", pattern.name)
                add("service", pattern.service)
                add("minimum-rssi", pattern.minimumRSSI)
                if isAbsent { entries.append(("absent", "true")) }
                add(within: limit)
            case .connect(let device, let limit):
                word = .connect
                add("device", device)
                add(within: limit)
            case .connectToConnected(let service, let limit):
                word = .connect
                add("connected", "\(service)")
                add(within: limit)
            case .expectName(let name, let limit):
                word = .expectName
                add("name", name)
                add(within: limit)
            case .disconnect: word = .disconnect
            case .expectDisconnect(let limit):
                word = .expectDisconnect
                add(within: limit)
            case .discover: word = .discover
            case .read(let characteristic, let expectation, let isRefused):
                word = .read
                add("characteristic", characteristic)
                add(expectation)
                if isRefused { entries.append(("refused", "true")) }
            case .write(let characteristic, let value, let response, let isRefused, let count):
                word = .write
                add("characteristic", characteristic)
                add("value", value.text)
                add("format", value.format.name)
                if let response { entries.append(("response", "\(response)")) }
                if isRefused { entries.append(("refused", "true")) }
                if count > 1 { add("count", count) }
            case .subscribe(let characteristic, let isRefused):
                word = .subscribe
                add("characteristic", characteristic)
                if isRefused { entries.append(("refused", "true")) }
            case .unsubscribe(let characteristic):
                word = .unsubscribe
                scalar = characteristic
            case .waitForNotification(let characteristic, let expectation, let count, let limit):
                word = .waitForNotification
                add("characteristic", characteristic)
                add(expectation)
                add("count", count)
                add(within: limit)
            case .repeated(let times, let steps):
                word = .repeat
                nested = (times, steps)
            case .sleep(let duration):
                word = .sleep
                scalar = YAMLReader.text(duration)
            case .rssi(let bounds):
                word = .rssi
                add(bounds)
            case .mtu(let bounds):
                word = .mtu
                add(bounds)
            case .pair(let security):
                word = .pair
                scalar = security.rawValue
            case .expectBond: word = .expectBond
            case .serve(let profile):
                word = .serve
                scalar = profile
            case .stopServing: word = .stopServing
            case .waitForRead(let characteristic, let limit):
                word = .waitForRead
                add("characteristic", characteristic)
                add(within: limit)
            case .waitForWrite(let characteristic, let expectation, let count, let limit):
                word = .waitForWrite
                add("characteristic", characteristic)
                add(expectation)
                if count > 1 { add("count", count) }
                add(within: limit)
            case .waitForSubscription(let characteristic, let limit):
                word = .waitForSubscription
                add("characteristic", characteristic)
                add(within: limit)
            }
        }

        private mutating func add(_ key: String, _ text: String?) {
            if let text { entries.append((key, DeviceScript.scalar(text))) }
        }

        private mutating func add(_ key: String, _ number: Int?) {
            if let number { entries.append((key, "\(number)")) }
        }

        private mutating func add(within limit: Duration) { entries.append(("within", YAMLReader.text(limit))) }

        private mutating func add(_ bounds: Bounds) {
            add("minimum", bounds.minimum)
            add("maximum", bounds.maximum)
        }

        private mutating func add(_ expectation: ValueExpectation) {
            switch expectation.condition {
            case .any: break
            case .equals(let text): add("equals", text)
            case .matches(let pattern): add("matches", pattern)
            case .range(let range): entries.append(("in", "[\(range.lowerBound), \(range.upperBound)]"))
            }
            add("format", expectation.format?.name)
        }
    }
}
