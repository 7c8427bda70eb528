import BLEWire

/// Assigns consecutive handles to a service's attributes (Vol 3, Part G, 3). The caller ensures that there are enough
/// handles.
struct ServiceBuilder {
    /// The properties that a declaration can express (Vol 3, Part G, 3.3.1.1). Higher bits are specific to Apple's API.
    private static let unsignedWrites: UInt = 0x0C
    private static let notify: UInt = 0x10
    private static let indicate: UInt = 0x20
    private static let signedWrites: UInt = 0x40
    private static let notifyEncrypted: UInt = 0x100
    private static let indicateEncrypted: UInt = 0x200

    /// The next free handle.
    private(set) var next: Int
    private var attributes: [Attribute] = []

    init(first: Int) { next = first }

    /// The number of handles that a service takes.
    static func handleCount(of definition: ServiceDefinition, included: Int) -> Int {
        definition.characteristics.reduce(1 + included) { count, characteristic in
            count + 2 + characteristic.descriptors.count + (isSubscribable(characteristic.properties) ? 1 : 0)
        }
    }

    private static func isSubscribable(_ properties: UInt) -> Bool {
        properties & (notify | indicate | notifyEncrypted | indicateEncrypted) != 0
    }

    @discardableResult
    private mutating func append(
        _ type: BluetoothUUID, _ access: Attribute.Access, _ value: Attribute.Value
    ) -> UInt16 {
        let handle = UInt16(truncatingIfNeeded: next)
        next += 1
        attributes.append(
            Attribute(handle: handle, type: type.attributeForm, groupEnd: handle, access: access, value: value))
        return handle
    }

    /// Appends a service declaration (Vol 3, Part G, 3.1).
    mutating func declareService(_ uuid: BluetoothUUID, isPrimary: Bool) {
        var value: [UInt8] = []
        value.append(attributeType: uuid)
        append(isPrimary ? GATTType.primaryService : GATTType.secondaryService, .read, .fixed(value))
    }

    /// `uuid`: the octets of the included service's UUID in the declaration. A UUID of 128 bits is omitted (Vol 3, Part
    /// G, 3.2).
    mutating func include(_ range: HandleRange, uuid: [UInt8]) {
        var value: [UInt8] = []
        range.append(to: &value)
        if uuid.count == 2 { value += uuid }
        append(GATTType.include, .read, .fixed(value))
    }

    mutating func add(_ definition: CharacteristicDefinition) -> AddedCharacteristic {
        var properties = definition.properties
        if properties & Self.notifyEncrypted != 0 { properties |= Self.notify }
        if properties & Self.indicateEncrypted != 0 { properties |= Self.indicate }
        let valueHandle = addCharacteristic(
            definition.uuid, properties: UInt8(truncatingIfNeeded: properties),
            access: Self.access(of: definition),
            value: definition.value.map { .fixed($0) } ?? .dynamic)
        var configuration: UInt16?
        if Self.isSubscribable(properties) {
            let isEncrypted = properties & (Self.notifyEncrypted | Self.indicateEncrypted) != 0
            configuration = addClientConfiguration(valueHandle, properties, isEncrypted: isEncrypted)
        }
        let descriptors = definition.descriptors.map { append($0.uuid, .read, .fixed($0.value)) }
        return AddedCharacteristic(
            valueHandle: valueHandle, clientConfigurationHandle: configuration, descriptorHandles: descriptors)
    }

    /// The access to the value. With the property of signed writes (Vol 3, Part G, 3.3.1.1), and no other one of writes, a client without a signature
    /// needs an encrypted link. A value that requires encryption has no signed writes (Vol 3, Part C, 10.2.2).
    private static func access(of definition: CharacteristicDefinition) -> Attribute.Access {
        var access = Attribute.Access(rawValue: UInt8(truncatingIfNeeded: definition.permissions & 0x0F))
        guard definition.properties & signedWrites != 0, access.contains(.write), !access.contains(.writeEncrypted)
        else { return access }
        access.insert(.writeSigned)
        if definition.properties & unsignedWrites == 0 { access.insert(.writeEncrypted) }
        return access
    }

    /// A characteristic of the GAP or GATT service. Returns its value handle.
    mutating func addSystemCharacteristic(
        _ uuid: BluetoothUUID, properties: UInt8, access: Attribute.Access, value: Attribute.Value
    ) -> UInt16 {
        let handle = addCharacteristic(uuid, properties: properties, access: access, value: value)
        if Self.isSubscribable(UInt(properties)) {
            addClientConfiguration(handle, UInt(properties), isEncrypted: false)
        }
        return handle
    }

    private mutating func addCharacteristic(
        _ uuid: BluetoothUUID, properties: UInt8, access: Attribute.Access, value: Attribute.Value
    ) -> UInt16 {
        // Properties, value handle and UUID (Vol 3, Part G, 3.3.1). The value follows its declaration (3.3.2).
        var declaration: [UInt8] = [properties]
        declaration.append(littleEndian: UInt16(truncatingIfNeeded: next + 1))
        declaration.append(attributeType: uuid)
        append(GATTType.characteristic, .read, .fixed(declaration))
        return append(uuid, access, value)
    }

    @discardableResult
    private mutating func addClientConfiguration(_ valueHandle: UInt16, _ properties: UInt, isEncrypted: Bool) -> UInt16
    {
        // A client may set only the bits whose properties the characteristic has (Vol 3, Part G, 3.3.3.3).
        let allowed: UInt16 = (properties & Self.notify != 0 ? 1 : 0) | (properties & Self.indicate != 0 ? 2 : 0)
        return append(
            GATTType.clientConfiguration, isEncrypted ? [.read, .write, .writeEncrypted] : [.read, .write],
            .clientConfiguration(valueHandle: valueHandle, allowed: allowed))
    }

    /// Returns the attributes, with the ends of their groups (Vol 3, Part F, 3.2.3).
    consuming func finish() -> [Attribute] {
        var attributes = attributes
        guard let last = attributes.last?.handle else { return [] }
        attributes[0].groupEnd = last
        var end = last
        for index in attributes.indices.reversed() where attributes[index].type == GATTType.characteristic {
            attributes[index].groupEnd = end
            end = attributes[index].handle - 1
        }
        return attributes
    }
}
