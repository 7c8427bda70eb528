extension AD {
    /// Builds advertising data from AD structures, up to a size. A structure that does not fit is refused, and the
    /// octets are unchanged.
    package struct Builder: Sendable {
        /// The advertising data so far.
        package private(set) var bytes: [UInt8] = []
        /// The maximum size of `bytes`, in octets.
        package let capacity: Int

        package init(capacity: Int = AD.legacyCapacity) { self.capacity = capacity }

        /// The free octets, including the two of the next structure's header.
        package var freeCapacity: Int { max(0, capacity - bytes.count) }

        /// Appends one structure.
        package mutating func append<Content: ADContent & ~Escapable>(_ content: Content) throws(EncodeError) {
            try append(content, type: Content.type)
        }

        /// Appends one structure with a type that its content does not determine.
        package mutating func append<Content: PDU & ~Escapable>(
            _ content: Content, type: StructureType
        ) throws(EncodeError) {
            try appendHeader(type, count: content.encodedCount)
            do throws(EncodeError) { try bytes.append(encoding: content) } catch {
                bytes.removeLast(2)
                throw error
            }
        }

        /// Appends one structure of raw octets.
        package mutating func append(_ data: Span<UInt8>, type: StructureType) throws(EncodeError) {
            try appendHeader(type, count: data.count)
            bytes.append(data)
        }

        /// Appends the whole `name`.
        package mutating func append(localName name: String) throws(EncodeError) {
            let octets = Array(name.utf8)
            try append(octets.span, type: .completeLocalName)
        }

        /// Appends a list of UUIDs. All must have the width of the list's type; otherwise throws `.fieldTooLong`.
        package mutating func append(_ uuids: some Collection<BluetoothUUID>, type: StructureType) throws(EncodeError) {
            let width = max(type.serviceUUIDWidth, type.solicitedUUIDWidth)
            guard uuids.allSatisfy({ $0.octetCount == width }) else { throw .fieldTooLong }
            try appendHeader(type, count: uuids.count * width)
            for uuid in uuids { try bytes.append(encoding: uuid) }
        }

        private mutating func appendHeader(_ type: StructureType, count: Int) throws(EncodeError) {
            guard count <= 254 else { throw .fieldTooLong }
            guard count + 2 <= freeCapacity else { throw .noSpace }
            bytes.append(UInt8(truncatingIfNeeded: count + 1))
            bytes.append(type.rawValue)
        }
    }
}
