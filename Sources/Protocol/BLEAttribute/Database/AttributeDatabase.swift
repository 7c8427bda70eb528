import BLEWire

/// The local attributes for all clients: handles, permissions and static values. It initially holds the GAP service
/// (device name, appearance) and the GATT service (Service Changed; with cryptography also Client Supported Features and
/// Database Hash; with enhanced bearers also Server Supported Features).
package struct AttributeDatabase: Sendable {
    /// In the order of their handles.
    var attributes: [Attribute] = []
    /// The lowest handle that was never used. Handles are not reused before all have been used, so that a client with
    /// outdated knowledge of the database (Vol 3, Part G, 2.5.2) does not mistake one attribute for another.
    private var nextHandle = 1
    private let deviceNameHandle: UInt16
    private let lastSystemHandle: UInt16
    /// The handles of the GAP service.
    package let gapService: HandleRange
    /// The value handle of Service Changed (Vol 3, Part G, 7.1).
    package let serviceChangedHandle: UInt16
    /// The value handle of Database Hash; 0 without cryptography.
    let databaseHashHandle: UInt16
    let crypto: (any CryptoProvider)?
    /// The Database Hash (Vol 3, Part G, 7.3); nil without cryptography.
    package internal(set) var databaseHash: UInt128?
    /// What the permissions and properties with "encryption required" require of a link.
    package var encryptedAccess = SecurityRequirement.encryption

    /// The UTF-8 octets of the GAP device name, at most 248 (Vol 3, Part C, 12.1). Further octets are dropped.
    package var deviceName: [UInt8] {
        didSet {
            deviceName = Self.nameOctets(deviceName)
            if let index = index(of: deviceNameHandle) { attributes[index].value = .fixed(deviceName) }
        }
    }

    /// - Parameter crypto: Computes the Database Hash. If nil, the database has neither Database Hash nor Client Supported
    ///   Features.
    /// - Parameter hasEnhancedBearers: Whether the server accepts enhanced bearers. Has no effect without cryptography, because they
    ///   need encrypted links.
    package init(
        deviceName: [UInt8] = [], appearance: UInt16 = 0, crypto: (any CryptoProvider)? = nil,
        hasEnhancedBearers: Bool = false
    ) {
        self.crypto = crypto
        self.deviceName = Self.nameOctets(deviceName)
        let system =
            crypto == nil ? SystemServices.plain : hasEnhancedBearers ? .withEnhancedBearers : .withHash
        attributes = system.attributes
        deviceNameHandle = system.deviceName
        gapService = system.gapService
        serviceChangedHandle = system.serviceChanged
        databaseHashHandle = system.databaseHash
        nextHandle = system.next
        lastSystemHandle = UInt16(truncatingIfNeeded: system.next - 1)
        if let index = index(of: deviceNameHandle) { attributes[index].value = .fixed(self.deviceName) }
        if appearance != 0, let index = index(of: system.appearance) {
            var value: [UInt8] = []
            value.append(littleEndian: appearance)
            attributes[index].value = .fixed(value)
        }
        updateHash()
    }

    /// The GAP and GATT services. They are equal in all databases except for two values, so the databases share the octets of
    /// the others.
    private struct SystemServices {
        let attributes: [Attribute]
        let deviceName: UInt16
        let appearance: UInt16
        let gapService: HandleRange
        let serviceChanged: UInt16
        /// 0 without cryptography.
        let databaseHash: UInt16
        let next: Int

        static let plain = SystemServices(hasHash: false)
        static let withHash = SystemServices(hasHash: true)
        static let withEnhancedBearers = SystemServices(hasHash: true, hasEnhancedBearers: true)

        private init(hasHash: Bool, hasEnhancedBearers: Bool = false) {
            var builder = ServiceBuilder(first: 1)
            builder.declareService(GATTType.gapService, isPrimary: true)
            deviceName = builder.addSystemCharacteristic(
                GATTType.deviceName, properties: 0x02, access: .read, value: .fixed([]))
            appearance = builder.addSystemCharacteristic(
                GATTType.appearance, properties: 0x02, access: .read, value: .fixed([0, 0]))
            gapService = HandleRange(start: 1, end: UInt16(truncatingIfNeeded: builder.next - 1))
            let gap = builder.finish()
            builder = ServiceBuilder(first: Int(gapService.end) + 1)
            builder.declareService(GATTType.gattService, isPrimary: true)
            serviceChanged = builder.addSystemCharacteristic(
                GATTType.serviceChanged, properties: 0x20, access: [], value: .fixed([]))
            var hashHandle: UInt16 = 0
            if hasHash {
                _ = builder.addSystemCharacteristic(
                    GATTType.clientSupportedFeatures, properties: 0x0A, access: [.read, .write],
                    value: .clientSupportedFeatures)
                hashHandle = builder.addSystemCharacteristic(
                    GATTType.databaseHash, properties: 0x02, access: .read, value: .databaseHash([]))
            }
            if hasEnhancedBearers {
                // Bit 0 of the only octet (Vol 3, Part G, 7.4).
                _ = builder.addSystemCharacteristic(
                    GATTType.serverSupportedFeatures, properties: 0x02, access: .read, value: .fixed([1]))
            }
            databaseHash = hashHandle
            next = builder.next
            attributes = gap + builder.finish()
        }
    }

    /// Cuts a name of more than 248 octets at a character boundary.
    private static func nameOctets(_ name: [UInt8]) -> [UInt8] {
        guard name.count > 248 else { return name }
        var count = 248
        while count > 0, name[count] & 0xC0 == 0x80 { count -= 1 }
        return Array(name[..<count])
    }

    /// Adds a service. Returns nil if no handles are left, an included service does not exist, or a static value is
    /// longer than 512 octets. `included` are the ranges of the included services.
    package mutating func add(_ definition: ServiceDefinition, included: [HandleRange] = []) -> AddedService? {
        let count = ServiceBuilder.handleCount(of: definition, included: included.count)
        guard let first = allocate(count) else { return nil }
        var builder = ServiceBuilder(first: first)
        builder.declareService(definition.uuid, isPrimary: definition.isPrimary)
        for range in included {
            guard let index = index(of: range.start), attributes[index].groupEnd == range.end,
                GATTType.isServiceDeclaration(attributes[index].type),
                case .fixed(let uuid) = attributes[index].value
            else { return nil }
            builder.include(range, uuid: uuid)
        }
        var characteristics: [AddedCharacteristic] = []
        for characteristic in definition.characteristics {
            guard (characteristic.value?.count ?? 0) <= ATT.maximumValueLength,
                characteristic.descriptors.allSatisfy({ $0.value.count <= ATT.maximumValueLength })
            else { return nil }
            characteristics.append(builder.add(characteristic))
        }
        let range = HandleRange(start: UInt16(first), end: UInt16(builder.next - 1))
        let position = firstIndex(from: range.start)
        attributes.insert(contentsOf: builder.finish(), at: position)
        nextHandle = max(nextHandle, builder.next)
        updateHash()
        return AddedService(range: range, characteristics: characteristics)
    }

    /// Removes the service at `range`. Returns false if there is none. The GAP and GATT services cannot be removed.
    @discardableResult
    package mutating func remove(_ range: HandleRange) -> Bool {
        guard let first = index(of: range.start), attributes[first].groupEnd == range.end,
            GATTType.isServiceDeclaration(attributes[first].type), range.start > lastSystemHandle
        else { return false }
        attributes.removeSubrange(first..<firstIndex(after: range.end))
        updateHash()
        return true
    }

    /// Whether a characteristic has signed writes, which need the client's signature key (Vol 3, Part C, 10.4).
    package var hasSignedWrites: Bool { attributes.contains { $0.access.contains(.writeSigned) } }

    /// Whether the database has an attribute with a handle strictly between two handles.
    package func hasAttributes(after low: UInt16, before high: UInt16) -> Bool {
        let index = firstIndex(after: low)
        return index < attributes.count && attributes[index].handle < high
    }

    /// Returns the first of `count` consecutive free handles: after all used handles, otherwise in the first gap.
    private func allocate(_ count: Int) -> Int? {
        if nextHandle + count - 1 <= 0xFFFF { return nextHandle }
        var free = 1
        for attribute in attributes {
            if Int(attribute.handle) - free >= count { return free }
            free = Int(attribute.handle) + 1
        }
        return free + count - 1 <= 0xFFFF ? free : nil
    }
}

extension AttributeDatabase {
    /// The index of the first attribute whose handle is at least `handle`.
    func firstIndex(from handle: UInt16) -> Int {
        var low = 0
        var high = attributes.count
        while low < high {
            let middle = (low + high) / 2
            if attributes[middle].handle < handle { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The index after the last attribute whose handle is at most `handle`.
    func firstIndex(after handle: UInt16) -> Int {
        handle == 0xFFFF ? attributes.count : firstIndex(from: handle + 1)
    }

    func index(of handle: UInt16) -> Int? {
        let index = firstIndex(from: handle)
        return index < attributes.count && attributes[index].handle == handle ? index : nil
    }

    /// The attribute, if a client has the access `.read`, `.write` or `.writeSigned` to it on a link of this security.
    func attribute(
        _ handle: UInt16, for access: Attribute.Access, _ security: LinkSecurity
    ) throws(ATTRequestError) -> Attribute {
        guard let index = index(of: handle) else { throw ATTRequestError(.invalidHandle, handle) }
        let attribute = attributes[index]
        if let code = attribute.refusal(of: access, security, encryptedAccess) { throw ATTRequestError(code, handle) }
        return attribute
    }

    /// The indices of the attributes in a range of handles.
    func indices(in range: HandleRange) -> Range<Int> {
        let first = firstIndex(from: range.start)
        return first..<max(first, firstIndex(after: range.end))
    }
}

/// The handles of an added service. The characteristics have the order of the definition.
package struct AddedService: Hashable, Sendable {
    package var range: HandleRange
    package var characteristics: [AddedCharacteristic]
    package init(range: HandleRange, characteristics: [AddedCharacteristic]) {
        self.range = range
        self.characteristics = characteristics
    }
}

package struct AddedCharacteristic: Hashable, Sendable {
    package var valueHandle: UInt16
    /// The client characteristic configuration, if the characteristic has one.
    package var clientConfigurationHandle: UInt16?
    /// The static descriptors in the order of the definition.
    package var descriptorHandles: [UInt16]
    package init(valueHandle: UInt16, clientConfigurationHandle: UInt16?, descriptorHandles: [UInt16]) {
        self.valueHandle = valueHandle
        self.clientConfigurationHandle = clientConfigurationHandle
        self.descriptorHandles = descriptorHandles
    }
}
