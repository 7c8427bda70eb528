import DeviceFiles
import BLEValues
import BLEWire
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
    var value: ReceivedValue?
    /// The latest numeric values.
    var numbers = TimeSeries(limit: numberLimit)
    static let numberLimit = 400
    private(set) var history = ValueHistory()
    var pendingReads = 0
    var pendingWrites: [[UInt8]] = []
    var error: AttributeFailure?

    init(_ characteristic: CBCharacteristic) {
        self.characteristic = characteristic
        schema = characteristic.uuid.shortValue.flatMap(Schemas.schema)
    }

    /// The changes of the subscription that wait for the device.
    var pendingSubscriptions = 0

    var pending: Int { pendingReads + pendingWrites.count + pendingSubscriptions }

    /// Adds a value that arrived.
    mutating func add(_ octets: [UInt8], _ source: ValueState.Source, at time: Int64) {
        let quantity = quantity(octets)
        let value = ReceivedValue(octets: octets, time: time, source: source)
        self.value = value
        history.add(value)
        error = nil
        if let quantity { numbers.add(quantity.number, at: time) }
    }

    /// The value by the format of the SIG, else by the one that the device declares, else as text or octets.
    func text(_ octets: [UInt8], _ words: FittingText.Words = .english) -> String {
        AttributeText.text(octets, of: characteristic.uuid, declared: presentation, words)
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
            properties: characteristic.properties.caseNames, isNotifying: characteristic.isNotifying, label: label,
            presentation: presentation?.description, isEncodable: schema?.isEncodable ?? false,
            value: value.map { value in
                let quantity = quantity(value.octets)
                return ValueState(
                    octets: Hexadecimal.digits(value.octets),
                    text: ShownText.value { text(value.octets, $0) },
                    number: quantity?.number, unit: quantity?.unit, time: value.time, source: value.source)
            }, numbers: numbers.count > 1 ? numbers.points : [], count: history.count, pending: pending,
            error: error,
            descriptors: descriptors.enumerated().map { $1.state("\(id).\($0 + 1)") })
    }
}

struct DescriptorNode {
    let descriptor: CBDescriptor
    var value: ReceivedValue?
    var error: AttributeFailure?
    var pendingReads = 0

    init(_ descriptor: CBDescriptor) { self.descriptor = descriptor }

    func state(_ id: String) -> DescriptorState {
        DescriptorState(
            id: id, uuid: descriptor.uuid.uuidString, name: descriptor.uuid.assignedName,
            value: value.map { value in
                ValueState(
                    octets: Hexadecimal.digits(value.octets),
                    text: ShownText.value { text(value.octets, $0) }, number: nil, unit: nil, time: value.time,
                    source: .read)
            }, pending: pendingReads, error: error)
    }

    private func text(_ octets: [UInt8], _ words: FittingText.Words) -> String {
        descriptor.presentationFormat?.description
            ?? AttributeText.text(octets, ofDescriptor: descriptor.uuid, words)
    }
}

/// Octets that a device sent.
struct ReceivedValue {
    let octets: [UInt8]
    /// Nanoseconds.
    let time: Int64
    let source: ValueState.Source
}
