import BLEAdapter
import BLEWire

extension CentralRestoration: StoreCodable {
    init(from reader: inout StoreReader) throws(DecodeError) {
        let scan = try reader.optional { reader throws(DecodeError) in try ScanRequest(from: &reader) }
        let connections = try reader.list { reader throws(DecodeError) in
            Connection(peer: try PeerIdentifier(from: &reader), reconnectsAutomatically: try reader.flag())
        }
        self.init(scan: scan, connections: connections)
    }

    func write(to writer: inout StoreWriter) {
        writer.optional(scan) { $1.write(to: &$0) }
        writer.list(connections) { writer, connection in
            connection.peer.write(to: &writer)
            writer.flag(connection.reconnectsAutomatically)
        }
    }
}

extension PeripheralRestoration: StoreCodable {
    init(from reader: inout StoreReader) throws(DecodeError) {
        let services = try reader.list { reader throws(DecodeError) in
            Service(token: try reader.token(), definition: try ServiceDefinition(from: &reader))
        }
        let advertisement = try reader.optional { reader throws(DecodeError) in
            Advertisement(
                localName: try reader.optional { reader throws(DecodeError) in try reader.text() },
                services: try reader.uuids())
        }
        self.init(services: services, advertisement: advertisement)
    }

    func write(to writer: inout StoreWriter) {
        writer.list(services) { writer, service in
            writer.token(service.token)
            service.definition.write(to: &writer)
        }
        writer.optional(advertisement) { writer, advertisement in
            writer.optional(advertisement.localName) { $0.text($1) }
            writer.uuids(advertisement.services)
        }
    }
}

extension PeerIdentifier: StoreCodable {
    init(from reader: inout StoreReader) throws(DecodeError) {
        self.init(high: try reader.integer(8), low: try reader.integer(8))
    }

    func write(to writer: inout StoreWriter) {
        writer.integer(high, 8)
        writer.integer(low, 8)
    }
}

extension ScanRequest: StoreCodable {
    init(from reader: inout StoreReader) throws(DecodeError) {
        self.init(
            services: try reader.uuids(), solicitedServices: try reader.uuids(), allowDuplicates: try reader.flag())
    }

    func write(to writer: inout StoreWriter) {
        writer.uuids(services)
        writer.uuids(solicitedServices)
        writer.flag(allowDuplicates)
    }
}

extension ServiceDefinition: StoreCodable {
    init(from reader: inout StoreReader) throws(DecodeError) {
        self.init(
            uuid: try reader.uuid(), isPrimary: try reader.flag(),
            includedServices: try reader.list { reader throws(DecodeError) in try reader.token() },
            characteristics: try reader.list { reader throws(DecodeError) in
                try CharacteristicDefinition(from: &reader)
            })
    }

    func write(to writer: inout StoreWriter) {
        writer.uuid(uuid)
        writer.flag(isPrimary)
        writer.list(includedServices) { $0.token($1) }
        writer.list(characteristics) { $1.write(to: &$0) }
    }
}

extension CharacteristicDefinition: StoreCodable {
    init(from reader: inout StoreReader) throws(DecodeError) {
        self.init(
            uuid: try reader.uuid(), properties: UInt(truncatingIfNeeded: try reader.integer(4)),
            permissions: UInt(truncatingIfNeeded: try reader.integer(4)),
            value: try reader.optional { reader throws(DecodeError) in Array(try reader.block()) },
            descriptors: try reader.list { reader throws(DecodeError) in
                DescriptorDefinition(uuid: try reader.uuid(), value: Array(try reader.block()))
            })
    }

    func write(to writer: inout StoreWriter) {
        writer.uuid(uuid)
        writer.integer(UInt64(properties), 4)
        writer.integer(UInt64(permissions), 4)
        writer.optional(value) { $0.block($1) }
        writer.list(descriptors) { writer, descriptor in
            writer.uuid(descriptor.uuid)
            writer.block(descriptor.value)
        }
    }
}

extension StoreReader {
    /// A UUID in its original form, after its length.
    mutating func uuid() throws(DecodeError) -> BluetoothUUID {
        switch try octet() {
        case 2: BluetoothUUID(UInt16(truncatingIfNeeded: try integer(2)))
        case 4: BluetoothUUID(UInt32(truncatingIfNeeded: try integer(4)))
        case 16: BluetoothUUID(high: try integer(8), low: try integer(8))
        default: throw .invalidValue
        }
    }

    mutating func uuids() throws(DecodeError) -> [BluetoothUUID] {
        try list { reader throws(DecodeError) in try reader.uuid() }
    }

    mutating func token() throws(DecodeError) -> Int { Int(try integer(4)) }
}

extension StoreWriter {
    mutating func uuid(_ uuid: BluetoothUUID) {
        integer(UInt64(uuid.octetCount), 1)
        switch uuid.octetCount {
        case 2: integer(UInt64(uuid.high >> 32), 2)
        case 4: integer(UInt64(uuid.high >> 32), 4)
        default:
            integer(uuid.high, 8)
            integer(uuid.low, 8)
        }
    }

    mutating func uuids(_ uuids: [BluetoothUUID]) { list(uuids) { $0.uuid($1) } }

    mutating func token(_ token: Int) { integer(UInt64(UInt32(truncatingIfNeeded: token)), 4) }
}
