extension HCI {
    /// The report of one received advertising packet or scan response (Vol 4, Part E, 7.7.65.2).
    package struct AdvertisingReport: PDU, ~Escapable {
        package var eventType: AdvertisingEventType
        package var address: DeviceAddress
        /// 0 to 31 octets.
        package var data: Span<UInt8>
        /// In dBm, -127 to 20; 127 means not available.
        package var rssi: Int8

        @_lifetime(copy data)
        package init(eventType: AdvertisingEventType, address: DeviceAddress, data: Span<UInt8>, rssi: Int8) {
            self.eventType = eventType
            self.address = address
            self.data = data
            self.rssi = rssi
        }

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            self = try AdvertisingReport(takingFrom: &bytes)
            try bytes.finish()
        }

        /// Removes one report from the front of `bytes`.
        @_lifetime(copy bytes)
        @_lifetime(bytes: copy bytes)
        fileprivate init(takingFrom bytes: inout Span<UInt8>) throws(DecodeError) {
            eventType = AdvertisingEventType(rawValue: try bytes.readUInt8())
            address = try bytes.readTypedAddress()
            let length = Int(try bytes.readUInt8())
            guard length <= HCI.AdvertisingData.maximumCount else { throw .invalidLength }
            data = try bytes.readBytes(length)
            rssi = try bytes.readInt8()
        }

        package var encodedCount: Int { 10 + data.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard data.count <= HCI.AdvertisingData.maximumCount else { throw .fieldTooLong }
            try output.write(eventType.rawValue)
            try output.write(typed: address)
            try output.write(UInt8(truncatingIfNeeded: data.count))
            try output.write(data)
            try output.write(rssi)
        }
    }

    /// One or more reports. `next()` removes the first one:
    ///
    ///     while let report = event.next() { ... }
    ///
    /// `append(advertisingReport:)` encodes a report.
    package struct LEAdvertisingReport: HCILEEvent, ~Escapable {
        package static var subeventCode: HCI.LESubeventCode { .advertisingReport }

        /// The number of remaining reports.
        package private(set) var count: UInt8
        private var reports: Span<UInt8>

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            count = try bytes.readUInt8()
            reports = bytes
            for _ in 0..<count { _ = try AdvertisingReport(takingFrom: &bytes) }
            try bytes.finish()
        }

        @_lifetime(copy self)
        @_lifetime(self: copy self)
        package mutating func next() -> AdvertisingReport? {
            guard count > 0 else { return nil }
            count -= 1
            return try? AdvertisingReport(takingFrom: &reports)
        }

        package var encodedCount: Int { 1 + reports.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(count)
            try output.write(reports)
        }
    }

    /// Reports directed advertising to a resolvable private address of this device (Vol 4, Part E, 7.7.65.11). Only
    /// reports of one device are decoded: no controller is known to send more.
    package struct LEDirectedAdvertisingReport: HCILEEvent, Hashable, Sendable {
        package static var subeventCode: HCI.LESubeventCode { .directedAdvertisingReport }

        package var address: DeviceAddress
        /// The target of the advertising.
        package var directAddress: DeviceAddress
        /// In dBm, -127 to 20; 127 means not available.
        package var rssi: Int8

        package init(address: DeviceAddress, directAddress: DeviceAddress, rssi: Int8) {
            self.address = address
            self.directAddress = directAddress
            self.rssi = rssi
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            guard try bytes.readUInt8() == 1 else { throw .invalidValue }
            guard try bytes.readUInt8() == AdvertisingEventType.connectableDirected.rawValue else {
                throw .invalidValue
            }
            address = try bytes.readTypedAddress()
            directAddress = try bytes.readTypedAddress()
            rssi = try bytes.readInt8()
            try bytes.finish()
        }

        package var encodedCount: Int { 17 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(1 as UInt8)
            try output.write(AdvertisingEventType.connectableDirected.rawValue)
            try output.write(typed: address)
            try output.write(typed: directAddress)
            try output.write(rssi)
        }
    }
}
