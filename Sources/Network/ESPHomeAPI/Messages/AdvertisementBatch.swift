import BLEWire

/// An advertisement as it was received. Its coding copies nothing twice and allocates nothing in a warm buffer.
package enum AdvertisementBatch {
    /// The message that carries a batch.
    package static let batchType = APIMessageType(93)
    /// The longest advertising data of an advertiser, with extended advertising (Vol 4, Part E, 7.7.65.13).
    package static let dataLimit = 1650

    /// Appends an advertisement to a batch.
    ///
    /// - Parameters:
    ///   - rssi: In dBm.
    ///   - scanResponse: The octets of the scan response, which follow those of the advertisement on the wire.
    package static func append(
        address: DeviceAddress, rssi: Int8, data: Span<UInt8>, scanResponse: Span<UInt8>,
        to writer: inout ProtobufWriter
    ) {
        let (data, scanResponse) = (data.extracting(first: dataLimit), scanResponse.extracting(first: dataLimit))
        writer.message(1) { writer in
            writer.uint(1, address.value)
            writer.sint(2, Int32(rssi))
            writer.uint(3, UInt64(address.asDevice.kind.rawValue))
            guard data.count + scanResponse.count > 0 else { return }
            writer.header(4, count: data.count + scanResponse.count)
            data.withUnsafeBufferPointer { writer.octets.append(contentsOf: $0) }
            scanResponse.withUnsafeBufferPointer { writer.octets.append(contentsOf: $0) }
        }
    }

    /// Calls `body` with each advertisement of a batch. The octets are valid during the call.
    package static func forEach(
        in batch: Span<UInt8>, _ body: (DeviceAddress, _ rssi: Int8, Span<UInt8>) -> Void
    ) throws(ProtobufError) {
        var reader = ProtobufReader(batch)
        while try reader.next() {
            guard reader.number == 1 else { continue }
            var fields = ProtobufReader(reader.content)
            var (address, rssi, kind): (UInt64, UInt32, UInt64) = (0, 0, 0)
            var data = 0..<0
            while try fields.next() {
                switch fields.number {
                case 1: address = fields.varint
                case 2: rssi = UInt32(truncatingIfNeeded: fields.varint)
                case 3: kind = fields.varint
                case 4: data = fields.range
                default: break
                }
            }
            let strength = Int32(bitPattern: rssi >> 1) ^ -Int32(bitPattern: rssi & 1)
            // Kinds 2 and 3 are identities that a controller resolved.
            body(
                DeviceAddress(kind: .init(rawValue: UInt8(kind & 1)), value: address),
                Int8(clamping: strength), fields.octets.extracting(data))
        }
    }
}

/// A notification. Coded without a value of its own, because it is on the hot path.
package enum GATTNotifyData {
    package static func encode(
        address: UInt64, handle: UInt16, _ value: Span<UInt8>, into writer: inout ProtobufWriter
    ) {
        writer.uint(1, address)
        writer.uint(2, UInt64(handle))
        writer.bytes(3, value)
    }

    /// Calls `body` with the notification. The value is valid during the call.
    package static func decode(
        _ message: Span<UInt8>, _ body: (_ address: UInt64, _ handle: UInt32, _ value: Span<UInt8>) -> Void
    ) throws(ProtobufError) {
        var reader = ProtobufReader(message)
        var (address, handle): (UInt64, UInt32) = (0, 0)
        var value = 0..<0
        while try reader.next() {
            switch reader.number {
            case 1: address = reader.varint
            case 2: handle = UInt32(truncatingIfNeeded: reader.varint)
            case 3: value = reader.range
            default: break
            }
        }
        body(address, handle, reader.octets.extracting(value))
    }
}
