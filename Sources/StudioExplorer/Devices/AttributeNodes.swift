import BLEValues
import CoreBluetooth
import Foundation

/// A service of an opened device.
struct ServiceNode {
    let service: CBService
    var characteristics: [CharacteristicNode] = []
}

/// A characteristic of an opened device, and what the explorer knows about its values.
struct CharacteristicNode {
    let characteristic: CBCharacteristic
    let schema: Schema?
    var descriptors: [DescriptorNode] = []
    /// The text of the user description.
    var label: String?
    var presentation: PresentationFormat?
    var value: ObservedOctets?
    var numbers = NumberHistory()
    var count = 0
    var pendingReads = 0
    var pendingWrites: [[UInt8]] = []
    var error: String?

    init(_ characteristic: CBCharacteristic) {
        self.characteristic = characteristic
        schema = characteristic.uuid.shortValue.flatMap(Schemas.schema)
    }

    var pending: Int { pendingReads + pendingWrites.count }

    /// Adds a value that arrived.
    mutating func add(_ octets: [UInt8], _ source: ValueState.Source, at time: Int64) {
        let quantity = quantity(octets)
        value = ObservedOctets(octets: octets, time: time, source: source)
        count += 1
        error = nil
        if let quantity { numbers.add(quantity.number, at: time) }
    }

    /// The value by the format of the SIG, else by the one that the device declares, else as text or octets.
    func text(_ octets: [UInt8]) -> String {
        if schema == nil, let text = presentation?.text(octets) { return text }
        return FittingText.text(octets, schema)
    }

    func quantity(_ octets: [UInt8]) -> Quantity? {
        if schema == nil, let presentation {
            return presentation.number(of: octets).flatMap { Quantity(number: $0, unit: presentation.unit) }
        }
        return Quantity(octets, schema, nil)
    }

    func state(_ id: String) -> CharacteristicState {
        CharacteristicState(
            id: id, uuid: characteristic.uuid.uuidString, name: characteristic.uuid.assignedName,
            properties: characteristic.properties.words, isNotifying: characteristic.isNotifying, label: label,
            presentation: presentation?.description, isEncodable: schema?.isEncodable ?? false,
            value: value.map { value in
                let quantity = quantity(value.octets)
                return ValueState(
                    octets: Hexadecimal.digits(value.octets), text: ShownText.value(text(value.octets)),
                    number: quantity?.number, unit: quantity?.unit, time: value.time, source: value.source)
            }, numbers: numbers.count > 1 ? numbers.points : [], count: count, pending: pending, error: error,
            descriptors: descriptors.enumerated().map { $1.state("\(id).\($0 + 1)") })
    }
}

struct DescriptorNode {
    let descriptor: CBDescriptor
    var value: ObservedOctets?
    var error: String?

    init(_ descriptor: CBDescriptor) { self.descriptor = descriptor }

    func state(_ id: String) -> DescriptorState {
        DescriptorState(
            id: id, uuid: descriptor.uuid.uuidString, name: descriptor.uuid.assignedName,
            value: value.map { value in
                ValueState(
                    octets: Hexadecimal.digits(value.octets), text: ShownText.value(text(value.octets)), number: nil,
                    unit: nil, time: value.time, source: .read)
            }, error: error)
    }

    private func text(_ octets: [UInt8]) -> String {
        if descriptor.uuid.shortValue == DescriptorNode.presentationFormat, let format = PresentationFormat(octets) {
            return format.description
        }
        return FittingText.text(octets, descriptor.uuid.shortValue.flatMap(Schemas.descriptorSchema))
    }

    /// Characteristic User Description and Characteristic Presentation Format (Vol 3, Part G, 3.3.3.2 and 3.3.3.5).
    static let userDescription: UInt16 = 0x2901
    static let presentationFormat: UInt16 = 0x2904
}

/// Octets that a device sent.
struct ObservedOctets {
    let octets: [UInt8]
    /// Nanoseconds.
    let time: Int64
    let source: ValueState.Source
}

/// The last numbers of a characteristic for a plot.
struct NumberHistory {
    static let limit = 400

    /// Nanoseconds and numbers in turn.
    private(set) var points: [Double] = []

    var count: Int { points.count / 2 }

    mutating func add(_ number: Double, at time: Int64) {
        if count >= Self.limit { points.removeFirst(Self.limit / 4 * 2) }
        points.append(Double(time))
        points.append(number)
    }
}

extension CBUUID {
    /// The 16-bit value of a short UUID; nil for other lengths.
    var shortValue: UInt16? { data.count == 2 ? data.reduce(0) { $0 << 8 | UInt16($1) } : nil }

    /// The name that the Bluetooth SIG assigned; nil for other UUIDs.
    var assignedName: String? {
        let name = description
        return name == uuidString ? nil : name
    }
}

extension CBCharacteristicProperties {
    /// The cases of `CBCharacteristicProperties`, in the order of the bits.
    var words: [String] {
        let words: [(CBCharacteristicProperties, String)] = [
            (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "writeWithoutResponse"),
            (.write, "write"), (.notify, "notify"), (.indicate, "indicate"),
            (.authenticatedSignedWrites, "authenticatedSignedWrites"), (.extendedProperties, "extendedProperties"),
        ]
        return words.filter { contains($0.0) }.map(\.1)
    }
}

extension CBDescriptor {
    /// The value as octets: the façade has numbers and text for some descriptors.
    var octets: [UInt8] {
        switch value {
        case let octets as Data: Array(octets)
        case let text as String: Array(text.utf8)
        // Extended Properties and both Configurations have 16 bits (Vol 3, Part G, 3.3.3).
        case let number as NSNumber: [UInt8(number.uint16Value & 0xFF), UInt8(number.uint16Value >> 8)]
        default: []
        }
    }
}
