import BLEWire

/// A part of the coded cache.
protocol CacheOctets: Hashable, Sendable {
    init(from octets: inout Span<UInt8>) throws(DecodeError)
    func append(to octets: inout [UInt8])
}

extension CacheOctets {
    /// The number of octets that `append` appends.
    var codedCount: Int {
        var octets: [UInt8] = []
        append(to: &octets)
        return octets.count
    }
}

extension AttributeCache {
    private static let version: UInt8 = 1

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let hasHash = Flags(rawValue: 1)
        static let hasServices = Flags(rawValue: 2)
        static let hasAnnouncedRobustCaching = Flags(rawValue: 4)
    }

    /// Version, flags, Database Hash, Service Changed, then six lists. Each number has its least significant octet first.
    var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(octetCount)
        var flags: Flags = []
        if databaseHash != nil { flags.insert(.hasHash) }
        if services != nil { flags.insert(.hasServices) }
        if hasAnnouncedRobustCaching { flags.insert(.hasAnnouncedRobustCaching) }
        octets.append(Self.version)
        octets.append(flags.rawValue)
        octets.append(littleEndian: databaseHash ?? 0)
        switch serviceChanged {
        case .unknown: octets.append(littleEndian: 0 as UInt16)
        case .absent: octets.append(littleEndian: 0xFFFF as UInt16)
        case .subscribed(let handle): octets.append(littleEndian: handle)
        }
        if let services { Self.append(services, to: &octets) }
        Self.append(servicesByUUID, to: &octets)
        Self.append(includedServices, to: &octets)
        Self.append(characteristics, to: &octets)
        Self.append(descriptors, to: &octets)
        octets.append(littleEndian: UInt16(truncatingIfNeeded: configurations.count))
        for (valueHandle, handle) in configurations.sorted(by: { $0.key < $1.key }) {
            octets.append(littleEndian: valueHandle)
            octets.append(littleEndian: handle)
        }
        return octets
    }

    /// Throws for another version, and for octets that `octets` does not produce.
    init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        guard bytes.count <= Self.capacity else { throw .invalidLength }
        var octets = bytes
        guard try octets.readUInt8() == Self.version else { throw .invalidValue }
        let flags = Flags(rawValue: try octets.readUInt8())
        guard flags.rawValue <= 7 else { throw .invalidValue }
        let hash = try octets.readUInt128()
        if flags.contains(.hasHash) { databaseHash = hash }
        hasAnnouncedRobustCaching = flags.contains(.hasAnnouncedRobustCaching)
        switch try octets.readUInt16() {
        case 0: serviceChanged = .unknown
        case 0xFFFF: serviceChanged = .absent
        case let handle: serviceChanged = .subscribed(handle)
        }
        if flags.contains(.hasServices) { services = try Self.list(from: &octets) }
        servicesByUUID = try Self.entries(from: &octets)
        includedServices = try Self.entries(from: &octets)
        characteristics = try Self.entries(from: &octets)
        descriptors = try Self.entries(from: &octets)
        for _ in 0..<(try octets.readUInt16()) {
            let valueHandle = try octets.readUInt16()
            configurations[valueHandle] = try octets.readUInt16()
        }
        try octets.finish()
        octetCount = bytes.count
    }

    private static func append(_ values: [some CacheOctets], to octets: inout [UInt8]) {
        octets.append(littleEndian: UInt16(truncatingIfNeeded: values.count))
        for value in values { value.append(to: &octets) }
    }

    private static func append<Key: CacheOctets, Value: CacheOctets>(
        _ entries: [Entry<Key, Value>], to octets: inout [UInt8]
    ) {
        octets.append(littleEndian: UInt16(truncatingIfNeeded: entries.count))
        for entry in entries {
            entry.key.append(to: &octets)
            append(entry.values, to: &octets)
        }
    }

    private static func list<Value: CacheOctets>(from octets: inout Span<UInt8>) throws(DecodeError) -> [Value] {
        var values: [Value] = []
        for _ in 0..<(try octets.readUInt16()) { values.append(try Value(from: &octets)) }
        return values
    }

    private static func entries<Key: CacheOctets, Value: CacheOctets>(
        from octets: inout Span<UInt8>
    ) throws(DecodeError) -> [Entry<Key, Value>] {
        var entries: [Entry<Key, Value>] = []
        for _ in 0..<(try octets.readUInt16()) {
            let key = try Key(from: &octets)
            entries.append(Entry(key: key, values: try list(from: &octets)))
        }
        return entries
    }
}

extension BluetoothUUID: CacheOctets {
    init(from octets: inout Span<UInt8>) throws(DecodeError) {
        let count = Int(try octets.readUInt8())
        self = try BluetoothUUID(decoding: try octets.readBytes(count))
    }

    func append(to octets: inout [UInt8]) {
        octets.append(UInt8(truncatingIfNeeded: octetCount))
        try? octets.append(encoding: self)
    }
}

extension HandleRange: CacheOctets {
    init(from octets: inout Span<UInt8>) throws(DecodeError) {
        let start = try octets.readUInt16()
        self.init(start: start, end: try octets.readUInt16())
    }
}

extension DiscoveredService: CacheOctets {
    init(from octets: inout Span<UInt8>) throws(DecodeError) {
        let uuid = try BluetoothUUID(from: &octets)
        let range = try HandleRange(from: &octets)
        let isPrimary = try octets.readUInt8()
        guard range.start >= 1, range.start <= range.end, isPrimary <= 1 else { throw .invalidValue }
        self.init(uuid: uuid, range: range, isPrimary: isPrimary == 1)
    }

    func append(to octets: inout [UInt8]) {
        uuid.append(to: &octets)
        range.append(to: &octets)
        octets.append(isPrimary ? 1 : 0)
    }
}

extension DiscoveredCharacteristic: CacheOctets {
    init(from octets: inout Span<UInt8>) throws(DecodeError) {
        let uuid = try BluetoothUUID(from: &octets)
        let properties = try octets.readUInt8()
        let declarationHandle = try octets.readUInt16()
        let valueHandle = try octets.readUInt16()
        let end = try octets.readUInt16()
        guard declarationHandle < valueHandle, valueHandle <= end else { throw .invalidValue }
        self.init(
            uuid: uuid, properties: properties, declarationHandle: declarationHandle, valueHandle: valueHandle,
            end: end)
    }

    func append(to octets: inout [UInt8]) {
        uuid.append(to: &octets)
        octets.append(properties)
        octets.append(littleEndian: declarationHandle)
        octets.append(littleEndian: valueHandle)
        octets.append(littleEndian: end)
    }
}

extension DiscoveredDescriptor: CacheOctets {
    init(from octets: inout Span<UInt8>) throws(DecodeError) {
        let uuid = try BluetoothUUID(from: &octets)
        self.init(uuid: uuid, handle: try octets.readUInt16())
    }

    func append(to octets: inout [UInt8]) {
        uuid.append(to: &octets)
        octets.append(littleEndian: handle)
    }
}
