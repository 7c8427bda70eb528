internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

/// A validated copy of a service at the call of `add(_:)`. Clients see this copy.
struct ServiceBlueprint {
    let definition: ServiceDefinition

    enum DefinitionError: Error {
        /// A programming error, for which Apple's framework raises an exception with this message.
        case exception(String)
        /// An error that didAdd reports.
        case error(CBError.Code)
    }

    /// Services that the system owns in their 16-bit form. Their 128-bit form is allowed, as on Apple's systems.
    private static let reservedServices: Set<UInt16> = [0x1800, 0x1801, 0x1805, 0x180A, 0x180F, 0x1812, 0x181E]
    /// Descriptors that the system owns: extended properties, client and server configuration (Vol 3, Part G, 3.3.3.1,
    /// 3.3.3.3 and 3.3.3.4).
    private static let reservedDescriptors: Set<UInt16> = [0x2900, 0x2902, 0x2903]

    /// - Parameter token: Returns the token of a published service; nil for other services.
    init(_ service: CBMutableService, token: (CBService) -> Int?) throws(DefinitionError) {
        guard token(service) == nil else { throw .exception("Services cannot be added more than once") }
        let uuid = service.uuid.value
        if uuid.octetCount == 2, let short = uuid.shortValue, Self.reservedServices.contains(short) {
            throw .error(.uuidNotAllowed)
        }
        var included: [Int] = []
        for other in service.includedServices ?? [] {
            guard let token = token(other) else { throw .error(.invalidParameters) }
            included.append(token)
        }
        var characteristics: [CharacteristicDefinition] = []
        for characteristic in service.characteristics ?? [] {
            characteristics.append(try Self.definition(of: characteristic))
        }
        definition = ServiceDefinition(
            uuid: uuid, isPrimary: service.isPrimary, includedServices: included, characteristics: characteristics)
    }

    private static func definition(
        of characteristic: CBCharacteristic
    ) throws(DefinitionError) -> CharacteristicDefinition {
        // A discovered characteristic belongs to a peer.
        guard let characteristic = characteristic as? CBMutableCharacteristic else {
            throw .error(.invalidParameters)
        }
        let properties = characteristic.properties
        let permissions = characteristic.permissions
        let value = characteristic.value
        if value != nil,
            !properties.isSubset(of: .read) || !permissions.isSubset(of: [.readable, .readEncryptionRequired])
        {
            throw .exception("Characteristics with cached values must be read-only")
        }
        guard properties.isDisjoint(with: [.broadcast, .extendedProperties]) else { throw .error(.invalidParameters) }
        var descriptors: [DescriptorDefinition] = []
        for descriptor in characteristic.descriptors ?? [] {
            descriptors.append(try definition(of: descriptor))
        }
        return CharacteristicDefinition(
            uuid: characteristic.uuid.value, properties: properties.rawValue, permissions: permissions.rawValue,
            value: value.map { [UInt8]($0) }, descriptors: descriptors)
    }

    private static func definition(of descriptor: CBDescriptor) throws(DefinitionError) -> DescriptorDefinition {
        if let short = descriptor.uuid.value.shortValue, reservedDescriptors.contains(short) {
            throw .error(.invalidParameters)
        }
        guard let octets = (descriptor as? CBMutableDescriptor)?.octets else { throw .error(.invalidParameters) }
        return DescriptorDefinition(uuid: descriptor.uuid.value, value: octets)
    }
}
