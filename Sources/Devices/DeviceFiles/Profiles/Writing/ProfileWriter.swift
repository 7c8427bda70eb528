import BLEAssignedNumbers
import BLEValues
import BLEWire

extension DeviceProfile {
    /// The profile as a YAML file. Reading it gives an equal profile, apart from comments.
    package func yaml(heading: [String] = []) -> String {
        var writer = ProfileWriter()
        for line in heading { writer.comment(line) }
        writer.write(self)
        return writer.lines.joined(separator: "\n") + "\n"
    }
}

/// Writes a profile line by line.
private struct ProfileWriter {
    private(set) var lines: [String] = []
    private var depth = 0
    /// Whether the next line starts an element of a list.
    private var startsElement = false

    mutating func write(_ profile: DeviceProfile) {
        if let summary = profile.summary { line("summary", quoted(summary)) }
        write(profile.advertising)
        guard !profile.services.isEmpty else { return line("services", "[]") }
        line("services")
        nested {
            for service in profile.services { $0.write(service, of: profile) }
        }
    }

    mutating func comment(_ text: String) {
        for part in text.split(whereSeparator: \.isNewline) { lines.append(indentation + "# " + part) }
    }

    private mutating func write(_ advertising: AdvertisingProfile) {
        guard advertising != AdvertisingProfile() else { return }
        line("advertising")
        nested { writer in
            if let name = advertising.localName { writer.line("name", quoted(name)) }
            if !advertising.services.isEmpty {
                writer.line("services", list(advertising.services.map { quoted($0.description) }))
            }
            if let data = advertising.manufacturerData, data.count >= 2 {
                let company = hexadecimal(UInt16(data[0]) | UInt16(data[1]) << 8, digits: 4)
                writer.line("manufacturer", "{company: 0x\(company), data: \(quoted(Hexadecimal.text(data[2...])))}")
            }
            if let extended = advertising.extended {
                writer.line(
                    "extended",
                    "{primary: \(extended.primaryPHY.word), secondary: \(extended.secondaryPHY.word)}")
            }
            guard !advertising.serviceData.isEmpty else { return }
            writer.line("service-data")
            writer.nested {
                for data in advertising.serviceData {
                    $0.element(
                        "{service: \(quoted("\(data.service)")), data: \(quoted(Hexadecimal.text(data.octets)))}")
                }
            }
        }
    }

    private mutating func write(_ service: ServiceProfile, of profile: DeviceProfile) {
        uuid(service.uuid, AssignedNumbers.name(ofService: service.uuid))
        nested { writer in
            if !service.isPrimary { writer.line("primary", "false") }
            if !service.includes.isEmpty {
                writer.line("includes", list(service.includes.map { quoted("\(profile.services[$0].uuid)") }))
            }
            guard !service.characteristics.isEmpty else { return }
            writer.line("characteristics")
            writer.nested {
                for characteristic in service.characteristics { $0.write(characteristic, of: profile) }
            }
        }
    }

    private mutating func write(_ characteristic: CharacteristicProfile, of profile: DeviceProfile) {
        uuid(characteristic.uuid, AssignedNumbers.name(ofCharacteristic: characteristic.uuid))
        nested { writer in
            if let comment = characteristic.comment { writer.comment(comment) }
            let words = PropertySet.words.filter { characteristic.properties.contains($0.property) }.map(\.word)
            writer.line("properties", list(words))
            let security = SecurityProfile.words.filter { characteristic.security.contains($0.operation) }
            if !security.isEmpty {
                writer.line("security", "{" + security.map { "\($0.word): encrypted" }.joined(separator: ", ") + "}")
            }
            if characteristic.format != ValueFormat(.hexadecimal) { writer.line("format", characteristic.format.name) }
            writer.write(characteristic.value, characteristic.format)
            if let interval = characteristic.notifyInterval {
                writer.line("notify", "{every: \(YAMLReader.text(interval))}")
            }
            writer.write(characteristic.read)
            writer.write(characteristic.write, characteristic.format, profile)
            guard !characteristic.descriptors.isEmpty else { return }
            writer.line("descriptors")
            writer.nested {
                for descriptor in characteristic.descriptors { $0.write(descriptor) }
            }
        }
    }

    private mutating func write(_ descriptor: DescriptorProfile) {
        uuid(descriptor.uuid, AssignedNumbers.name(ofDescriptor: descriptor.uuid))
        nested { writer in
            if let comment = descriptor.comment { writer.comment(comment) }
            let usual = ValueFormat(descriptor.uuid.shortValue == 0x2901 ? .utf8 : .hexadecimal)
            if descriptor.format != usual { writer.line("format", descriptor.format.name) }
            writer.line("value", text(descriptor.value, descriptor.format))
        }
    }

    // MARK: Values

    private mutating func write(_ value: ValueSource, _ format: ValueFormat) {
        switch value {
        case .constant([]): break
        case .constant(let octets): line("value", text(octets, format))
        case .clock(let clock): line("value", "{clock: \(clock.rawValue)}")
        case .replay(let replay):
            line("value")
            nested { writer in
                writer.line("replay")
                writer.nested {
                    switch replay.origin {
                    case .inline: $0.line("values", list(replay.rows.map { text($0, format) }))
                    case .file(let name, let column):
                        $0.line("file", quoted(name))
                        $0.line("column", quoted(column))
                    }
                    $0.line("every", YAMLReader.text(replay.interval))
                    if !replay.repeats { $0.line("repeat", "false") }
                }
            }
        case .number(let number): write(number)
        }
    }

    private mutating func write(_ number: NumberSource) {
        line("value")
        nested { writer in
            let bounds = "minimum: \(number.bounds.lowerBound), maximum: \(number.bounds.upperBound)"
            switch number.shape {
            case .counter(let step, let interval):
                writer.line("counter", "{\(bounds), step: \(step), every: \(YAMLReader.text(interval))}")
            case .sine(let period): writer.line("sine", "{\(bounds), period: \(YAMLReader.text(period))}")
            case .randomWalk(let start, let step, let interval, let seed):
                let rest = "start: \(start), step: \(step), every: \(YAMLReader.text(interval)), seed: \(seed)"
                writer.line("random-walk", "{\(bounds), \(rest)}")
            }
            if number.factor != 1 { writer.line("factor", "\(number.factor)") }
            if !number.prefix.isEmpty { writer.line("prefix", quoted(Hexadecimal.text(number.prefix))) }
            if !number.suffix.isEmpty { writer.line("suffix", quoted(Hexadecimal.text(number.suffix))) }
        }
    }

    // MARK: Rules

    private mutating func write(_ rule: ReadRule) {
        guard rule != ReadRule() else { return }
        line("read")
        nested {
            if let error = rule.error { $0.line("error", error.word) }
            if let delay = rule.delay { $0.line("delay", YAMLReader.text(delay)) }
        }
    }

    private mutating func write(_ rule: WriteRule, _ format: ValueFormat, _ profile: DeviceProfile) {
        guard rule != WriteRule() else { return }
        line("write")
        nested { writer in
            if let length = rule.length {
                let single = length.lowerBound == length.upperBound
                writer.line("length", single ? "\(length.lowerBound)" : "\(length.lowerBound)-\(length.upperBound)")
            }
            if let range = rule.range {
                if range.lowerBound > -.greatestFiniteMagnitude { writer.line("minimum", "\(range.lowerBound)") }
                if range.upperBound < .greatestFiniteMagnitude { writer.line("maximum", "\(range.upperBound)") }
            }
            if !rule.allowed.isEmpty { writer.line("allowed", list(rule.allowed.map { text($0, format) })) }
            if let error = rule.error { writer.line("error", error.word) }
            guard !rule.effects.isEmpty else { return }
            writer.line("then")
            writer.nested {
                for effect in rule.effects { $0.write(effect, profile) }
            }
        }
    }

    private mutating func write(_ effect: WriteEffect, _ profile: DeviceProfile) {
        let service = profile.services[effect.target.service].uuid
        startsElement = true
        line("characteristic", quoted("\(service)/\(profile[effect.target].uuid)"))
        nested {
            switch effect.change {
            case .echo: $0.line("echo", "true")
            case .value(let octets): $0.line("value", text(octets, profile[effect.target].format))
            case .linear(let factor, let offset):
                $0.line("factor", "\(factor)")
                $0.line("offset", "\(offset)")
            }
        }
    }

    // MARK: Lines

    private var indentation: String { String(repeating: "  ", count: depth) }

    /// Starts an element of a list with its UUID, and the name that the SIG assigned as a comment.
    private mutating func uuid(_ uuid: BluetoothUUID, _ name: String?) {
        startsElement = true
        line("uuid", quoted("\(uuid.attributeForm)") + (name.map { "  # \($0)" } ?? ""))
    }

    private mutating func element(_ text: String) { lines.append("\(indentation)- \(text)") }

    private mutating func line(_ key: String, _ value: String? = nil) {
        let start = startsElement ? "\(indentation)- " : indentation
        startsElement = false
        lines.append(start + key + ":" + (value.map { " " + $0 } ?? ""))
    }

    private mutating func nested(_ body: (inout ProfileWriter) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }
}

/// A value in its format; quoted hexadecimal digits are safe in YAML, and so are numbers without quotes.
private func text(_ octets: [UInt8], _ format: ValueFormat) -> String {
    let text = format.text(octets) ?? ""
    return format.hasNumbers ? text : quoted(text)
}

private func list(_ parts: [String]) -> String { "[" + parts.joined(separator: ", ") + "]" }

private func quoted(_ text: String) -> String { YAMLText.quoted(text) }
