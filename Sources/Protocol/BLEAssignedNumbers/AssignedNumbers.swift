import BLEWire

/// The names that the Bluetooth SIG gives to its numbers (Assigned Numbers document). Made by
/// `Scripts/generate-assigned-numbers`; a number without a name there has none here.
package enum AssignedNumbers {
    /// The name of a service, characteristic, descriptor or declaration, looked for in this order.
    ///
    /// As Apple prints it: "Heart Rate", "Battery", "Battery Level", without the word "Service". The UUID may be given in
    /// any of its lengths.
    package static func name(of uuid: BluetoothUUID) -> String? {
        guard let short = uuid.shortValue else { return nil }
        return services.name(of: short) ?? characteristics.name(of: short) ?? descriptors.name(of: short)
            ?? declarations.name(of: short)
    }

    /// The name of a service (Assigned Numbers, 3.4), including services that a member publishes under its own 16-bit
    /// UUID.
    package static func name(ofService uuid: BluetoothUUID) -> String? { services.name(of: uuid) }

    /// The name of a characteristic or object type (Assigned Numbers, 3.8).
    package static func name(ofCharacteristic uuid: BluetoothUUID) -> String? { characteristics.name(of: uuid) }

    /// The name of a descriptor (Assigned Numbers, 3.7).
    package static func name(ofDescriptor uuid: BluetoothUUID) -> String? { descriptors.name(of: uuid) }

    /// The name of a declaration (Assigned Numbers, 3.6): "Primary Service", "Secondary Service", "Include" or
    /// "Characteristic".
    package static func name(ofDeclaration uuid: BluetoothUUID) -> String? { declarations.name(of: uuid) }

    /// The name of a unit (Assigned Numbers, 3.5), with what it measures: "pressure (pascal)".
    package static func name(ofUnit uuid: BluetoothUUID) -> String? { units.name(of: uuid) }

    /// The member or the standards body that holds a 16-bit UUID (Assigned Numbers, 3.10 and 3.11).
    package static func name(ofMember uuid: BluetoothUUID) -> String? { members.name(of: uuid) }

    /// The company of a company identifier, as in manufacturer specific data (Assigned Numbers, 7.1). FFFF, the
    /// identifier for tests, has no company.
    package static func company(_ identifier: UInt16) -> String? { companies.name(of: identifier) }

    /// The appearance of a device (Assigned Numbers, 2.6): the subcategory's name if there is one ("Heart Rate
    /// Belt"), otherwise the category's ("Heart Rate Sensor").
    package static func appearance(_ value: UInt16) -> String? {
        appearances.name(of: value) ?? appearanceCategory(value)
    }

    /// The category of an appearance, whatever its subcategory.
    package static func appearanceCategory(_ value: UInt16) -> String? { appearances.name(of: value & 0xFFC0) }

    /// The name of a type of AD structure (Assigned Numbers, 2.3).
    package static func name(ofAdvertisingType type: AD.StructureType) -> String? {
        advertisingTypes.name(of: UInt16(type.rawValue))
    }
}

extension NumberTable {
    /// The name of a UUID that has a 16-bit value, in whatever form it was given.
    fileprivate func name(of uuid: BluetoothUUID) -> String? {
        uuid.shortValue.flatMap { name(of: $0) }
    }
}
