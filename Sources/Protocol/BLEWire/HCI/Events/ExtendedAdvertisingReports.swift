extension HCI {
    /// The type of the packet in an extended report (Vol 4, Part E, 7.7.65.13).
    package struct ExtendedAdvertisingEventType: OptionSet, Hashable, Sendable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }
        package static let connectable = Self(rawValue: 1 << 0)
        package static let scannable = Self(rawValue: 1 << 1)
        package static let directed = Self(rawValue: 1 << 2)
        package static let scanResponse = Self(rawValue: 1 << 3)
        package static let legacy = Self(rawValue: 1 << 4)

        /// What follows the data of a report.
        package struct DataStatus: RawRepresentable, Hashable, Sendable {
            package let rawValue: UInt8
            package init(rawValue: UInt8) { self.rawValue = rawValue }
            package static let complete = DataStatus(rawValue: 0)
            /// Another report with more data of the same packets follows.
            package static let moreToCome = DataStatus(rawValue: 1)
            /// The controller did not receive the rest.
            package static let truncated = DataStatus(rawValue: 2)
            /// The packet of a subevent or of a response slot was not received (7.7.65.15 and 7.7.65.37).
            package static let notReceived = DataStatus(rawValue: 0xFF)
        }

        package var dataStatus: DataStatus {
            get { DataStatus(rawValue: UInt8(truncatingIfNeeded: rawValue >> 5 & 3)) }
            set { self = Self(rawValue: rawValue & ~0x60 | UInt16(newValue.rawValue & 3) << 5) }
        }

        /// Whether this report contains all of the data.
        package var isComplete: Bool { dataStatus == .complete }

        /// The nearest kind of legacy packet.
        package var legacyKind: AdvertisingEventType {
            if contains(.scanResponse) { return .scanResponse }
            if contains(.connectable) { return contains(.directed) ? .connectableDirected : .connectableUndirected }
            return contains(.scannable) ? .scannableUndirected : .nonconnectableUndirected
        }
    }

    /// The report of one received advertising packet or scan response, legacy or extended (Vol 4, Part E, 7.7.65.13).
    package struct ExtendedAdvertisingReport: PDU, ~Escapable {
        package var eventType: ExtendedAdvertisingEventType
        /// Kind 0xFF: the packet is anonymous.
        package var address: DeviceAddress
        package var primaryPHY: UInt8
        /// 0 means none.
        package var secondaryPHY: UInt8
        /// 0xFF means none.
        package var advertisingSID: UInt8
        /// In dBm; 127 means not available.
        package var txPower: Int8
        /// In dBm, -127 to 20; 127 means not available.
        package var rssi: Int8
        /// In units of 1.25 ms; 0 means no periodic advertising.
        package var periodicAdvertisingInterval: UInt16
        package var directAddress: DeviceAddress
        /// 0 to 229 octets.
        package var data: Span<UInt8>

        /// Removes the bits of the type and the PHYs that are reserved for future use. Some controllers set them.
        package mutating func ignoreReservedBits() {
            eventType = ExtendedAdvertisingEventType(rawValue: eventType.rawValue & 0x007F)
            primaryPHY &= 0x1F
            secondaryPHY &= 0x1F
        }

        /// The most octets of data in one report.
        package static let maximumData = 229

        @_lifetime(copy data)
        package init(
            eventType: ExtendedAdvertisingEventType, address: DeviceAddress, primaryPHY: UInt8 = 1,
            secondaryPHY: UInt8 = 0, advertisingSID: UInt8 = 0xFF, txPower: Int8 = 127, rssi: Int8,
            periodicAdvertisingInterval: UInt16 = 0,
            directAddress: DeviceAddress = DeviceAddress(kind: .public, value: 0), data: Span<UInt8>
        ) {
            self.eventType = eventType
            self.address = address
            self.primaryPHY = primaryPHY
            self.secondaryPHY = secondaryPHY
            self.advertisingSID = advertisingSID
            self.txPower = txPower
            self.rssi = rssi
            self.periodicAdvertisingInterval = periodicAdvertisingInterval
            self.directAddress = directAddress
            self.data = data
        }

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            self = try ExtendedAdvertisingReport(takingFrom: &bytes)
            try bytes.finish()
        }

        /// Removes one report from the front of `bytes`.
        @_lifetime(copy bytes)
        @_lifetime(bytes: copy bytes)
        fileprivate init(takingFrom bytes: inout Span<UInt8>) throws(DecodeError) {
            eventType = ExtendedAdvertisingEventType(rawValue: try bytes.readUInt16())
            address = try bytes.readTypedAddress()
            primaryPHY = try bytes.readUInt8()
            secondaryPHY = try bytes.readUInt8()
            advertisingSID = try bytes.readUInt8()
            txPower = try bytes.readInt8()
            rssi = try bytes.readInt8()
            periodicAdvertisingInterval = try bytes.readUInt16()
            directAddress = try bytes.readTypedAddress()
            data = try bytes.readBytes(Int(try bytes.readUInt8()))
        }

        package var encodedCount: Int { 24 + data.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard let length = UInt8(exactly: data.count) else { throw .fieldTooLong }
            try output.write(eventType.rawValue)
            try output.write(typed: address)
            try output.write(primaryPHY)
            try output.write(secondaryPHY)
            try output.write(advertisingSID)
            try output.write(txPower)
            try output.write(rssi)
            try output.write(periodicAdvertisingInterval)
            try output.write(typed: directAddress)
            try output.write(length)
            try output.write(data)
        }
    }

    /// One or more extended reports. Some controllers send these although the legacy commands started the scan.
    /// `next()` removes the first report.
    package struct LEExtendedAdvertisingReport: HCILEEvent, ~Escapable {
        package static var subeventCode: HCI.LESubeventCode { .extendedAdvertisingReport }

        /// The number of remaining reports.
        package private(set) var count: UInt8
        private var reports: Span<UInt8>

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            count = try bytes.readUInt8()
            reports = bytes
            for _ in 0..<count { _ = try ExtendedAdvertisingReport(takingFrom: &bytes) }
            try bytes.finish()
        }

        @_lifetime(copy self)
        @_lifetime(self: copy self)
        package mutating func next() -> ExtendedAdvertisingReport? {
            guard count > 0 else { return nil }
            count -= 1
            return try? ExtendedAdvertisingReport(takingFrom: &reports)
        }

        package var encodedCount: Int { 1 + reports.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(count)
            try output.write(reports)
        }
    }
}
