extension AD {
    /// One AD structure, as a view of the received octets.
    @usableFromInline
    package struct Structure: ~Escapable {
        @usableFromInline package let type: StructureType
        /// The octets after the type.
        @usableFromInline package let data: Span<UInt8>

        @inlinable
        @_lifetime(copy data)
        package init(type: StructureType, data: Span<UInt8>) {
            self.type = type
            self.data = data
        }
    }

    /// Iterates over the AD structures of advertising data, without allocating.
    ///
    /// A length of zero ends the significant part early (Vol 3, Part C, 11). So does a length beyond the end of the
    /// data. The structures before it are returned, and nothing after it.
    @usableFromInline
    package struct Structures: ~Escapable {
        @usableFromInline var rest: Span<UInt8>

        @inlinable
        @_lifetime(copy bytes)
        package init(_ bytes: Span<UInt8>) { rest = bytes }

        /// The next structure; nil at the end.
        @inlinable
        @_lifetime(self: copy self)
        @_lifetime(copy self)
        package mutating func next() -> Structure? {
            guard rest.count >= 2 else { return nil }
            let length = Int(rest[0])
            guard length >= 1, length < rest.count else {
                rest = rest.extracting(first: 0)
                return nil
            }
            let whole = rest.extracting(first: length + 1)
            rest = rest.extracting(droppingFirst: length + 1)
            return Structure(type: StructureType(rawValue: whole[1]), data: whole.extracting(droppingFirst: 2))
        }
    }
}

extension AD.Structure {
    /// The content as `Content`; nil if this structure has another type, or its octets do not decode.
    @_lifetime(copy self)
    package func content<Content: ADContent & ~Escapable>(as: Content.Type = Content.self) -> Content? {
        guard type == Content.type else { return nil }
        return try? Content(decoding: data)
    }

    /// Calls `body` with each UUID in a list of the device's services, of any width. A truncated UUID at the end of the
    /// list is left out. Has no effect for other types.
    package func forEachServiceUUID(_ body: (BluetoothUUID) -> Void) {
        forEachUUID(width: type.serviceUUIDWidth, body)
    }

    /// Calls `body` with each UUID in a list of the services that the device solicits.
    package func forEachSolicitedUUID(_ body: (BluetoothUUID) -> Void) {
        forEachUUID(width: type.solicitedUUIDWidth, body)
    }

    private func forEachUUID(width: Int, _ body: (BluetoothUUID) -> Void) {
        guard width > 0 else { return }
        var rest = data
        while rest.count >= width {
            if let uuid = try? BluetoothUUID(decoding: rest.extracting(first: width)) { body(uuid) }
            rest = rest.extracting(droppingFirst: width)
        }
    }

    /// The service UUID of service data, of any width; nil for other types.
    package var serviceDataUUID: BluetoothUUID? {
        let width = type.serviceDataUUIDWidth
        guard width > 0, data.count >= width else { return nil }
        return try? BluetoothUUID(decoding: data.extracting(first: width))
    }

    /// The octets of service data after the UUID; nil for other types.
    package var serviceDataValue: Span<UInt8>? {
        @_lifetime(copy self)
        get {
            let width = type.serviceDataUUIDWidth
            guard width > 0, data.count >= width else { return nil }
            return data.extracting(droppingFirst: width)
        }
    }
}

extension AD {
    /// Whether the advertising data `bytes` lists `service` among the device's services. Does not allocate.
    package static func contains(service: BluetoothUUID, in bytes: Span<UInt8>) -> Bool {
        var structures = Structures(bytes)
        var found = false
        while !found, let structure = structures.next() {
            structure.forEachServiceUUID { found = found || $0 == service }
        }
        return found
    }

    /// Whether advertising data or a scan response lists `service` among the device's services. Does not allocate.
    package static func contains(service: BluetoothUUID, in data: Span<UInt8>, scanResponse: Span<UInt8>) -> Bool {
        contains(service: service, in: data) || contains(service: service, in: scanResponse)
    }

    /// Whether advertising data or a scan response lists `service` among the solicited services. Does not allocate.
    package static func solicits(service: BluetoothUUID, in data: Span<UInt8>, scanResponse: Span<UInt8>) -> Bool {
        solicits(service: service, in: data) || solicits(service: service, in: scanResponse)
    }

    /// Whether the advertising data `bytes` lists `service` among the solicited services. Does not allocate.
    package static func solicits(service: BluetoothUUID, in bytes: Span<UInt8>) -> Bool {
        var structures = Structures(bytes)
        var found = false
        while !found, let structure = structures.next() {
            structure.forEachSolicitedUUID { found = found || $0 == service }
        }
        return found
    }

    /// Whether the advertising data `bytes` contains a local name, complete or shortened.
    package static func hasLocalName(in bytes: Span<UInt8>) -> Bool {
        var structures = Structures(bytes)
        while let structure = structures.next() {
            if structure.type == .completeLocalName || structure.type == .shortenedLocalName { return true }
        }
        return false
    }

    /// The local name; the complete one if the data has both; nil if it has none. Octets that are not UTF-8 are
    /// repaired.
    package static func localName(in bytes: Span<UInt8>) -> String? { name(in: bytes)?.text }

    /// The local name in advertising data and scan response, each parsed separately. A complete name in either has
    /// precedence over a shortened one.
    package static func localName(in data: Span<UInt8>, scanResponse: Span<UInt8>) -> String? {
        let first = name(in: data)
        if let first, first.isComplete { return first.text }
        let second = name(in: scanResponse)
        if let second, second.isComplete { return second.text }
        return (first ?? second)?.text
    }

    private static func name(in bytes: Span<UInt8>) -> (text: String, isComplete: Bool)? {
        var structures = Structures(bytes)
        var shortened: String?
        while let structure = structures.next() {
            if let complete = structure.content(as: CompleteLocalName.self) { return (complete.text, true) }
            if let name = structure.content(as: ShortenedLocalName.self) { shortened = name.text }
        }
        return shortened.map { ($0, false) }
    }
}
