import BLEValues
import BLEWire

/// The profile of a discovered device.
package struct DeviceClone: Sendable {
    package private(set) var profile = DeviceProfile()
    /// The UUIDs of the characteristics and descriptors whose values are missing.
    package private(set) var refused: [String] = []
    /// Lines for the head of the file.
    package let heading: [String]

    /// The host of the clone defines Generic Access, Generic Attribute and some descriptors itself, so the profile omits them.
    package init(_ device: DiscoveredDevice) {
        heading = ["A clone of \(Self.printable(device.name ?? "a device without a name"))."]
        profile.advertising = device.advertising
        // A profile lists included services before the services that include them.
        var order: [Int] = []
        var visited: Set<Int> = []
        for index in device.services.indices { Self.append(index, of: device, to: &order, &visited) }
        for (place, index) in order.enumerated() {
            let service = device.services[index]
            var copy = ServiceProfile(uuid: service.uuid.attributeForm, isPrimary: service.isPrimary)
            copy.includes = service.includes.compactMap { order.firstIndex(of: $0) }.filter { $0 < place }
            copy.characteristics = service.characteristics.map { characteristic($0) }
            profile.services.append(copy)
        }
    }

    private static func append(
        _ index: Int, of device: DiscoveredDevice, to order: inout [Int], _ visited: inout Set<Int>
    ) {
        guard device.services.indices.contains(index), visited.insert(index).inserted,
            !(device.services[index].uuid.shortValue.map { DeviceProfile.hostServices.contains($0) } ?? false)
        else { return }
        for included in device.services[index].includes { append(included, of: device, to: &order, &visited) }
        order.append(index)
    }

    private mutating func characteristic(_ original: DiscoveredDevice.Characteristic) -> CharacteristicProfile {
        var copy = CharacteristicProfile(uuid: original.uuid.attributeForm, properties: [])
        // The peripheral manager refuses broadcast and extended properties.
        copy.properties = PropertySet(rawValue: original.properties & 0x7E)
        var comments: [String] = []
        let omitted = [(0x01, "broadcast"), (0x80, "extended properties")].filter {
            Int(original.properties) & $0.0 != 0
        }
        if !omitted.isEmpty {
            comments.append("The device also has: \(omitted.map(\.1).joined(separator: ", ")).")
        }
        if copy.properties.contains(.read) {
            switch original.value {
            case .octets(let octets): (copy.format, copy.value) = (Self.format(of: octets), .constant(octets))
            case .refused(let reason, let needsEncryption):
                refused.append("\(original.uuid)")
                comments.append("The value could not be read: \(reason)")
                if needsEncryption { copy.security.insert(.encryptedRead) }
            case .unread:
                refused.append("\(original.uuid)")
                comments.append("The value was not read.")
            }
        }
        copy.descriptors = original.descriptors.compactMap { descriptor($0) }
        copy.comment = comments.isEmpty ? nil : Self.printable(comments.joined(separator: " "))
        return copy
    }

    /// Nil for descriptors that the host of the clone defines.
    private mutating func descriptor(_ original: DiscoveredDevice.Descriptor) -> DescriptorProfile? {
        let uuid = original.uuid.attributeForm
        if let short = uuid.shortValue, DescriptorProfile.hostDescriptors.contains(short) { return nil }
        // A user description is UTF-8 text (Vol 3, Part G, 3.3.3.2), and a peripheral manager accepts nothing else.
        let isText = uuid.shortValue == 0x2901
        var copy = DescriptorProfile(uuid: uuid, format: ValueFormat(isText ? .utf8 : .hexadecimal), value: [])
        switch original.value {
        case .octets(let octets) where isText && String(validating: octets, as: UTF8.self) == nil:
            refused.append("\(original.uuid)")
            copy.comment = "The value is not UTF-8 text: \(Hexadecimal.text(octets))"
        case .octets(let octets): copy.value = octets
        case .refused(let reason, _):
            refused.append("\(original.uuid)")
            copy.comment = Self.printable("The value could not be read: \(reason)")
        case .unread:
            refused.append("\(original.uuid)")
            copy.comment = "The value was not read."
        }
        return copy
    }

    /// Text that has only printable characters is readable in the file; other values are octets.
    package static func format(of octets: [UInt8]) -> ValueFormat {
        guard octets.count > 1, let text = String(validating: octets, as: UTF8.self), printable(text) == text,
            !text.contains("\u{FFFD}")
        else { return ValueFormat(.hexadecimal) }
        return ValueFormat(.utf8)
    }

    /// Replaces characters that move the cursor, or change the direction of a text.
    private static func printable(_ text: String) -> String {
        String(
            text.map { character in
                character.unicodeScalars.allSatisfy(\.isPrintable) ? character : "\u{FFFD}"
            })
    }
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
