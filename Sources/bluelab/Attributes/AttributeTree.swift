import BLEValues
import CoreBluetooth

/// Formats services, characteristics and descriptors as a tree or as JSON lines.
struct AttributeTree {
    let terminal: Terminal
    private var nodes: [Node] = []

    private struct Node {
        let depth: Int
        let text: String
        let record: AttributeRecord
    }

    init(terminal: Terminal) { self.terminal = terminal }

    mutating func add(_ service: CBService) {
        let record = AttributeRecord(type: "service", uuid: service.uuid)
        nodes.append(Node(depth: 0, text: title(service.uuid), record: record))
    }

    mutating func add(_ characteristic: CBCharacteristic, _ value: Result<[UInt8], ToolFailure>?) {
        let properties = characteristic.properties.names
        var record = AttributeRecord(type: "characteristic", uuid: characteristic.uuid)
        record.service = characteristic.service?.uuid.uuidString
        record.properties = properties
        let words = properties.joined(separator: " ")
        var text = title(characteristic.uuid, width: Self.titleWidth) + " " + (value == nil ? words : filled(words, 20))
        switch value {
        case .success(let octets):
            let shown = ValueText.fitting(octets, of: characteristic.uuid)
            text += " " + terminal.styled(shown, .cyan)
            record.value = Hexadecimal.digits(octets)
            record.text = shown
        case .failure(let failure):
            let reason = failure.lines.first ?? "no value"
            text += " " + terminal.styled(reason, .yellow)
            record.error = reason
        case nil: break
        }
        nodes.append(Node(depth: 1, text: text, record: record))
    }

    mutating func add(_ descriptor: CBDescriptor) {
        var record = AttributeRecord(type: "descriptor", uuid: descriptor.uuid)
        record.characteristic = descriptor.characteristic?.uuid.uuidString
        var text = title(descriptor.uuid)
        if let value = descriptor.value {
            let shown = ValueText.printable("\(value)")
            record.text = shown
            text = title(descriptor.uuid, width: Self.titleWidth - 3) + " " + terminal.styled(shown, .cyan)
        }
        nodes.append(Node(depth: 2, text: text, record: record))
    }

    private static let titleWidth = 43

    /// The name and the UUID, padded to `width` characters.
    private func title(_ uuid: CBUUID, width: Int = 0) -> String {
        let name = displayName(uuid)
        let number = name == uuid.uuidString ? "" : " " + uuid.uuidString
        let space = String(repeating: " ", count: max(0, width - name.count - number.count))
        return name + (number.isEmpty ? "" : terminal.styled(number, .faint)) + space
    }

    var json: [String] { nodes.map { jsonLine($0.record) } }

    var lines: [String] {
        nodes.indices.map { index in
            let node = nodes[index]
            return (0...node.depth).map { branch(at: $0, of: index) }.joined() + node.text
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

/// A line of `bluelab explore --json`.
struct AttributeRecord: Encodable {
    let type: String
    let uuid: String
    let name: String?
    var service: String?
    var characteristic: String?
    var properties: [String]?
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

extension CBCharacteristicProperties {
    /// The names of the properties, in the order of the bits.
    var names: [String] {
        let words: [(CBCharacteristicProperties, String)] = [
            (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "write-without-response"),
            (.write, "write"), (.notify, "notify"), (.indicate, "indicate"),
            (.authenticatedSignedWrites, "signed-write"), (.extendedProperties, "extended"),
        ]
        return words.filter { contains($0.0) }.map(\.1)
    }
}
