import BLEValues
import CoreBluetooth

/// Values of attributes as text.
package enum AttributeText {
    /// The value of a characteristic: by the format of the SIG, else by the one that the device declares, else as text or octets.
    package static func text(
        _ octets: [UInt8], of characteristic: CBUUID, declared: PresentationFormat? = nil,
        _ words: FittingText.Words = .english
    ) -> String {
        let schema = characteristic.shortValue.flatMap(Schemas.schema)
        if schema == nil, let text = declared?.text(octets) { return FittingText.printable(text) }
        return FittingText.text(octets, schema, words)
    }

    /// The value of a descriptor.
    package static func text(
        _ octets: [UInt8], ofDescriptor descriptor: CBUUID, _ words: FittingText.Words = .english
    ) -> String {
        FittingText.text(octets, descriptor.shortValue.flatMap(Schemas.descriptorSchema), words)
    }
}

extension CBUUID {
    /// The 16-bit value of a short UUID; nil for other lengths.
    package var shortValue: UInt16? { data.count == 2 ? data.reduce(0) { $0 << 8 | UInt16($1) } : nil }

    /// The name that the Bluetooth SIG assigned; nil for other UUIDs.
    package var assignedName: String? {
        let name = description
        return name == uuidString ? nil : name
    }
}

extension CBCharacteristicProperties {
    private static let all: [(property: CBCharacteristicProperties, case: String, word: String)] = [
        (.broadcast, "broadcast", "broadcast"), (.read, "read", "read"),
        (.writeWithoutResponse, "writeWithoutResponse", "write-without-response"), (.write, "write", "write"),
        (.notify, "notify", "notify"), (.indicate, "indicate", "indicate"),
        (.authenticatedSignedWrites, "authenticatedSignedWrites", "signed-write"),
        (.extendedProperties, "extendedProperties", "extended"),
    ]

    /// The cases of `CBCharacteristicProperties`, in the order of the bits.
    package var caseNames: [String] { Self.all.filter { contains($0.property) }.map(\.case) }

    /// The words of profiles and of the tool's output, in the order of the bits.
    package var words: [String] { Self.all.filter { contains($0.property) }.map(\.word) }
}
