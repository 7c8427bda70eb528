import AdvertisementScanning
import DeviceFiles
import BLERuntime
import BLEValues
import BLEWire
import CoreBluetooth

/// Formats services, characteristics and descriptors as a tree or as JSON lines.
struct AttributeTree {
    let terminal: Terminal
    private var nodes: [Node] = []
    /// What the hint needs.
    private var hints = Hints()

    fileprivate struct Node {
        let depth: Int
        /// The name and the UUID.
        let title: String
        /// The digits of the UUID at the end of `title`, if a name precedes them.
        let number: String
        var properties = ""
        var value = ""
        let record: AttributeRecord
    }

    private struct Hints {
        var notifying: String?
        var writable: String?
        /// The characteristics and descriptors that the device refused to read.
        var refused: [ToolError] = []
    }

    init(terminal: Terminal) { self.terminal = terminal }

    mutating func add(_ service: CBService) {
        var record = AttributeRecord(type: "service", uuid: service.uuid)
        record.primary = service.isPrimary
        var node = node(0, service.uuid, &record)
        var words: [String] = []
        if record.name == nil { words.append(say("(not assigned)")) }
        if !service.isPrimary { words.append(say("secondary")) }
        let included = service.includedServices ?? []
        if !included.isEmpty {
            words.append(say("includes \(included.map { displayName($0.uuid) }.joined(separator: ", "))"))
            record.included = included.map(\.uuid.uuidString)
        }
        node.properties = terminal.styled(words.joined(separator: " "), .faint)
        nodes.append(node.with(record))
    }

    /// - Parameters:
    ///   - value: The result of the read; nil if the characteristic was not read.
    ///   - showsAll: Whether each descriptor has a line of its own.
    mutating func add(
        _ characteristic: CBCharacteristic, _ value: Result<[UInt8], ToolError>?,
        _ descriptors: [DescriptorResult] = [], showsAll: Bool = false
    ) {
        var record = AttributeRecord(type: "characteristic", uuid: characteristic.uuid)
        record.service = characteristic.service?.uuid.uuidString
        record.properties = characteristic.properties.words
        record.description = descriptors.lazy.compactMap(\.userDescription).first
        var node = node(1, characteristic.uuid, &record)
        node.properties = characteristic.properties.words.joined(separator: " ")
        switch value {
        case .success(let octets):
            let format = descriptors.lazy.compactMap(\.descriptor.presentationFormat).first
            let shown = Self.text(octets, characteristic.uuid, format)
            node.value = terminal.styled(shown, .cyan)
            record.value = Hexadecimal.digits(octets)
            record.text = shown
        case .failure(let failure):
            record.error = failure.lines.first ?? "no value"
            node.value = terminal.styled(say(Self.reason(failure)), .yellow)
            hints.refused.append(failure)
        case nil: break
        }
        if let description = record.description, !showsAll {
            node.value += (node.value.isEmpty ? "" : " \u{00B7} ") + "\"\(description)\""
        }
        nodes.append(node.with(record))
        note(characteristic)
        for descriptor in descriptors where showsAll { add(descriptor) }
    }

    private mutating func add(_ result: DescriptorResult) {
        var record = AttributeRecord(type: "descriptor", uuid: result.descriptor.uuid)
        record.characteristic = result.descriptor.characteristic?.uuid.uuidString
        var node = node(2, result.descriptor.uuid, &record)
        if let failure = result.failure {
            record.error = failure.lines.first ?? "no value"
            node.value = terminal.styled(say(Self.reason(failure)), .yellow)
            hints.refused.append(failure)
        } else if let text = result.text {
            node.value = terminal.styled(say(text), .cyan)
            record.text = text
        }
        nodes.append(node.with(record))
    }

    /// The value by the format of the SIG, else by the one that the device declares, else as text or octets. A System ID that contains an
    /// address shows it.
    static func text(_ octets: [UInt8], _ uuid: CBUUID, _ format: PresentationFormat?) -> String {
        if uuid.uuidString == "2A23", let address = PublishedAddress.systemID(octets) {
            return "\(ValueText.fitting(octets, of: uuid))  address \(address.text)"
        }
        return AttributeText.text(octets, of: uuid, declared: format)
    }

    /// The reason of a refusal without the operation, which the tree shows already.
    static func reason(_ failure: ToolError) -> String {
        let text = failure.lines.first ?? "no value"
        let reason = text.range(of: ": ").map { String(text[$0.upperBound...]) } ?? text
        return "refused: " + (reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
    }

    /// Remembers the characteristic for the hint.
    private mutating func note(_ characteristic: CBCharacteristic) {
        let uuid = characteristic.uuid.uuidString
        let service = characteristic.service?.uuid.uuidString ?? ""
        let count = nodes.count { $0.record.type == "characteristic" && $0.record.uuid == uuid }
        // The second characteristic with a UUID needs its service.
        let path = count > 1 ? "\(service)/\(uuid)" : uuid
        if hints.notifying == nil, !characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
            hints.notifying = path
        }
        if hints.writable == nil, !characteristic.properties.isDisjoint(with: [.write, .writeWithoutResponse]) {
            hints.writable = path
        }
    }

    /// What the device refused, and the next command, for the error stream.
    ///
    /// - Parameter device: The device as the user wrote it.
    func notes(_ device: String) -> [String] {
        let device = ShellWord.quoted(device)
        let count = hints.refused.count
        var lines: [String] = []
        if count > 0 { lines.append("The device refused \(count) \(count == 1 ? "read" : "reads"); see the tree.") }
        if hints.refused.contains(where: { $0.kind == .security }) {
            lines.append("Try: bluelab pair \(device)")
        } else if let path = hints.notifying {
            lines.append("Try: bluelab notify \(device) \(path)")
        } else if let path = hints.writable {
            lines.append("Try: bluelab write \(device) \(path) 01")
        }
        return lines
    }

    private func node(_ depth: Int, _ uuid: CBUUID, _ record: inout AttributeRecord) -> Node {
        let title = record.name ?? uuid.uuidString
        return Node(depth: depth, title: title, number: record.name == nil ? "" : uuid.uuidString, record: record)
    }

    var json: [String] { nodes.map { jsonLine($0.record) } }

    /// The lines of the tree, with the properties and the values in columns.
    var lines: [String] {
        let titleWidth = nodes.map { $0.width }.max() ?? 0
        let propertiesWidth = nodes.filter { $0.depth > 0 }.map { TextWidth.of($0.properties) }.max() ?? 0
        return nodes.indices.map { index in
            let node = nodes[index]
            let branches = (0...node.depth).map { branch(at: $0, of: index) }.joined()
            var line = branches + node.title
            if !node.number.isEmpty { line += " " + terminal.styled(node.number, .faint) }
            guard !node.properties.isEmpty || !node.value.isEmpty else { return line }
            line += String(repeating: " ", count: titleWidth - node.width + 2)
            guard !node.value.isEmpty else { return line + node.properties }
            return line + TextWidth.fitted(node.properties, propertiesWidth) + "  " + node.value
        }
    }

    /// The prefix of a node in the column of `depth`: its own branch, or the line of an ancestor that continues below.
    private func branch(at depth: Int, of index: Int) -> String {
        let continues = nodes[(index + 1)...].first { $0.depth <= depth }?.depth == depth
        if depth == nodes[index].depth {
            return terminal.isUnicode ? (continues ? "├─ " : "└─ ") : (continues ? "|- " : "`- ")
        }
        return continues ? (terminal.isUnicode ? "│  " : "|  ") : "   "
    }
}

extension AttributeTree.Node {
    /// The columns of the branches, the name and the number.
    fileprivate var width: Int {
        3 * (depth + 1) + TextWidth.of(title) + (number.isEmpty ? 0 : number.count + 1)
    }

    fileprivate func with(_ record: AttributeRecord) -> Self {
        Self(depth: depth, title: title, number: number, properties: properties, value: value, record: record)
    }
}

/// A line of `bluelab explore --json`.
struct AttributeRecord: Encodable {
    let type: String
    let uuid: String
    let name: String?
    /// Services only.
    var primary: Bool?
    var included: [String]?
    var service: String?
    var characteristic: String?
    var properties: [String]?
    /// The text of the descriptor Characteristic User Description.
    var description: String?
    /// Hexadecimal digits.
    var value: String?
    /// The decoded value.
    var text: String?
    var error: String?

    init(type: String, uuid: CBUUID) {
        self.type = type
        self.uuid = uuid.uuidString
        let name = displayName(uuid)
        self.name = name == uuid.uuidString ? nil : name
    }
}
