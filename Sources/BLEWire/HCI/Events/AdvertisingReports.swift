extension HCI {
    /// An event with advertising reports, in the legacy or the extended form.
    package protocol AdvertisingReportEvent: ~Escapable {
        /// Takes the next report of a packet that a legacy scan can hear off the front, in the legacy form; nil at the end.
        @_lifetime(copy self)
        @_lifetime(self: copy self)
        mutating func nextLegacyReport() -> AdvertisingReport?
    }

    /// One advertising packet or scan response that was heard (Vol 4, Part E, 7.7.65.2).
    package struct AdvertisingReport: PDU, ~Escapable {
        package var eventType: AdvertisingEventType
        package var address: DeviceAddress
        /// 0 to 31 octets.
        package var data: Span<UInt8>
        /// dBm, -127 to 20; 127: not available.
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

        /// Takes one report off the front of `bytes`.
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

    /// One or more reports. `next()` takes one off the front:
    ///
    ///     while let report = event.next() { ... }
    ///
    /// To write one, see `append(advertisingReport:)`.
    package struct LEAdvertisingReport: HCILEEvent, AdvertisingReportEvent, ~Escapable {
        package static var subeventCode: HCI.LESubeventCode { .advertisingReport }

        /// How many reports are left.
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

        @_lifetime(copy self)
        @_lifetime(self: copy self)
        package mutating func nextLegacyReport() -> AdvertisingReport? { next() }

        package var encodedCount: Int { 1 + reports.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(count)
            try output.write(reports)
        }
    }

    /// Directed advertising to a resolvable private address of ours was heard (Vol 4, Part E, 7.7.65.11). Only reports
    /// of one device are decoded: no controller is known to send more.
    package struct LEDirectedAdvertisingReport: HCILEEvent, Hashable, Sendable {
        package static var subeventCode: HCI.LESubeventCode { .directedAdvertisingReport }

        package var address: DeviceAddress
        /// The target of the advertising.
        package var directAddress: DeviceAddress
        /// dBm, -127 to 20; 127: not available.
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
