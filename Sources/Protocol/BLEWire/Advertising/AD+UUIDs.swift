extension AD {
    /// UUIDs of `width` octets each (2, 4 or 16): all or some of a device's services, or the services that it solicits
    /// (Core Specification Supplement, Part A, 1.1 and 1.10). The structure's type distinguishes them.
    package struct UUIDList<let width: Int>: PDU, ~Escapable {
        package let octets: Span<UInt8>

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            guard width == 2 || width == 4 || width == 16, bytes.count % width == 0 else { throw .invalidLength }
            octets = bytes
        }

        package var encodedCount: Int { octets.count }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) { try output.write(octets) }

        package var count: Int { octets.count / width }

        /// The UUID at `index`; nil outside 0 ..< count.
        package subscript(index: Int) -> BluetoothUUID? {
            guard index >= 0, index < count else { return nil }
            let start = index * width
            return try? BluetoothUUID(decoding: octets.extracting(start..<start + width))
        }
    }

    /// The data of a service, after its UUID of `width` octets (2, 4 or 16) (1.11).
    package struct ServiceData<let width: Int>: ADContent, ~Escapable {
        package static var type: StructureType {
            switch width {
            case 2: .serviceData16
            case 4: .serviceData32
            default: .serviceData128
            }
        }

        package let service: BluetoothUUID
        package let data: Span<UInt8>

        /// Returns nil if the UUID does not have the width of this type.
        @_lifetime(copy data)
        package init?(service: BluetoothUUID, data: Span<UInt8>) {
            guard service.octetCount == width else { return nil }
            self.service = service
            self.data = data
        }

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            service = try BluetoothUUID(decoding: try bytes.readBytes(width))
            data = bytes.readRest()
        }

        package var encodedCount: Int { width + data.count }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try service.encode(into: &output)
            try output.write(data)
        }
    }
}
