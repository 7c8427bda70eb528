extension HCI {
    /// The data of AUX_SYNC_IND and its chain, or a part of it (Vol 4, Part E, 7.7.65.15).
    package struct LEPeriodicAdvertisingReport: HCILEEvent, ~Escapable {
        package static var subeventCode: HCI.LESubeventCode { .periodicAdvertisingReport }
        /// The most octets of data in one report.
        package static var maximumData: Int { 247 }

        package var syncHandle: UInt16
        /// In dBm; 127 means not available.
        package var txPower: Int8
        /// In dBm, -127 to 20; 127 means not available.
        package var rssi: Int8
        /// The type of the Constant Tone Extension; 0xFF means none.
        package var toneExtensionType: UInt8
        package var dataStatus: ExtendedAdvertisingEventType.DataStatus
        /// 0 to 247 octets.
        package var data: Span<UInt8>

        @_lifetime(copy data)
        package init(
            syncHandle: UInt16, txPower: Int8 = 127, rssi: Int8 = 127, toneExtensionType: UInt8 = 0xFF,
            dataStatus: ExtendedAdvertisingEventType.DataStatus, data: Span<UInt8>
        ) {
            self.syncHandle = syncHandle
            self.txPower = txPower
            self.rssi = rssi
            self.toneExtensionType = toneExtensionType
            self.dataStatus = dataStatus
            self.data = data
        }

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            syncHandle = try bytes.readConnectionHandle()
            txPower = try bytes.readInt8()
            rssi = try bytes.readInt8()
            toneExtensionType = try bytes.readUInt8()
            dataStatus = ExtendedAdvertisingEventType.DataStatus(rawValue: try bytes.readUInt8())
            guard try Int(bytes.readUInt8()) == bytes.count, bytes.count <= Self.maximumData else {
                throw .invalidLength
            }
            data = bytes
        }

        package var encodedCount: Int { 7 + data.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard data.count <= Self.maximumData else { throw .fieldTooLong }
            try output.write(syncHandle)
            try output.write(txPower)
            try output.write(rssi)
            try output.write(toneExtensionType)
            try output.write(dataStatus.rawValue)
            try output.write(UInt8(truncatingIfNeeded: data.count))
            try output.write(data)
        }
    }

    /// The same with the event and the subevent of the packet (Vol 4, Part E, 7.7.65.15).
    package struct LEPeriodicAdvertisingReportV2: HCILEEvent, ~Escapable {
        package static var subeventCode: HCI.LESubeventCode { .periodicAdvertisingReportV2 }
        /// The most octets of data in one report.
        package static var maximumData: Int { 244 }

        package var syncHandle: UInt16
        /// In dBm; 127 means not available.
        package var txPower: Int8
        /// In dBm, -127 to 20; 127 means not available.
        package var rssi: Int8
        /// The type of the Constant Tone Extension; 0xFF means none.
        package var toneExtensionType: UInt8
        package var eventCounter: UInt16
        package var subevent: UInt8
        package var dataStatus: ExtendedAdvertisingEventType.DataStatus
        /// 0 to 244 octets.
        package var data: Span<UInt8>

        @_lifetime(copy data)
        package init(
            syncHandle: UInt16, txPower: Int8 = 127, rssi: Int8 = 127, toneExtensionType: UInt8 = 0xFF,
            eventCounter: UInt16, subevent: UInt8, dataStatus: ExtendedAdvertisingEventType.DataStatus,
            data: Span<UInt8>
        ) {
            self.syncHandle = syncHandle
            self.txPower = txPower
            self.rssi = rssi
            self.toneExtensionType = toneExtensionType
            self.eventCounter = eventCounter
            self.subevent = subevent
            self.dataStatus = dataStatus
            self.data = data
        }

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            syncHandle = try bytes.readConnectionHandle()
            txPower = try bytes.readInt8()
            rssi = try bytes.readInt8()
            toneExtensionType = try bytes.readUInt8()
            eventCounter = try bytes.readUInt16()
            subevent = try bytes.readUInt8()
            dataStatus = ExtendedAdvertisingEventType.DataStatus(rawValue: try bytes.readUInt8())
            guard try Int(bytes.readUInt8()) == bytes.count, bytes.count <= Self.maximumData else {
                throw .invalidLength
            }
            data = bytes
        }

        package var encodedCount: Int { 10 + data.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard data.count <= Self.maximumData else { throw .fieldTooLong }
            try output.write(syncHandle)
            try output.write(txPower)
            try output.write(rssi)
            try output.write(toneExtensionType)
            try output.write(eventCounter)
            try output.write(subevent)
            try output.write(dataStatus.rawValue)
            try output.write(UInt8(truncatingIfNeeded: data.count))
            try output.write(data)
        }
    }

    /// The response in one slot of a subevent (Vol 4, Part E, 7.7.65.37).
    package struct PeriodicAdvertisingResponse: PDU, ~Escapable {
        /// In dBm; 127 means not available.
        package var txPower: Int8
        /// In dBm, -127 to 20; 127 means not available.
        package var rssi: Int8
        /// The type of the Constant Tone Extension; 0xFF means none.
        package var toneExtensionType: UInt8
        package var responseSlot: UInt8
        /// `.notReceived` for a slot without a response.
        package var dataStatus: ExtendedAdvertisingEventType.DataStatus
        package var data: Span<UInt8>

        @_lifetime(copy data)
        package init(
            txPower: Int8 = 127, rssi: Int8 = 127, toneExtensionType: UInt8 = 0xFF, responseSlot: UInt8,
            dataStatus: ExtendedAdvertisingEventType.DataStatus, data: Span<UInt8>
        ) {
            self.txPower = txPower
            self.rssi = rssi
            self.toneExtensionType = toneExtensionType
            self.responseSlot = responseSlot
            self.dataStatus = dataStatus
            self.data = data
        }

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            self = try PeriodicAdvertisingResponse(takingFrom: &bytes)
            try bytes.finish()
        }

        /// Removes one response from the front of `bytes`.
        @_lifetime(copy bytes)
        @_lifetime(bytes: copy bytes)
        fileprivate init(takingFrom bytes: inout Span<UInt8>) throws(DecodeError) {
            txPower = try bytes.readInt8()
            rssi = try bytes.readInt8()
            toneExtensionType = try bytes.readUInt8()
            responseSlot = try bytes.readUInt8()
            dataStatus = ExtendedAdvertisingEventType.DataStatus(rawValue: try bytes.readUInt8())
            data = try bytes.readBytes(Int(try bytes.readUInt8()))
        }

        package var encodedCount: Int { 6 + data.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard let length = UInt8(exactly: data.count) else { throw .fieldTooLong }
            try output.write(txPower)
            try output.write(rssi)
            try output.write(toneExtensionType)
            try output.write(responseSlot)
            try output.write(dataStatus.rawValue)
            try output.write(length)
            try output.write(data)
        }
    }

    /// The responses of one subevent (Vol 4, Part E, 7.7.65.37). `next()` removes the first one.
    package struct LEPeriodicAdvertisingResponseReport: HCILEEvent, ~Escapable {
        package static var subeventCode: HCI.LESubeventCode { .periodicAdvertisingResponseReport }

        package let advertisingHandle: UInt8
        package let subevent: UInt8
        /// Whether AUX_SYNC_SUBEVENT_IND was sent.
        package let wasSent: Bool
        /// The number of remaining responses.
        package private(set) var count: UInt8
        private var responses: Span<UInt8>

        /// The most responses of one event.
        package static var maximumResponses: Int { 25 }
        /// The most octets of the encoded responses of one event.
        package static var maximumOctets: Int { 250 }

        /// - Parameters:
        ///   - count: 0 to 25.
        ///   - responses: As many encoded `PeriodicAdvertisingResponse`s, at most 250 octets.
        @_lifetime(copy responses)
        package init(advertisingHandle: UInt8, subevent: UInt8, wasSent: Bool, count: UInt8, responses: Span<UInt8>) {
            self.advertisingHandle = advertisingHandle
            self.subevent = subevent
            self.wasSent = wasSent
            self.count = count
            self.responses = responses
        }

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            advertisingHandle = try bytes.readUInt8()
            subevent = try bytes.readUInt8()
            wasSent = try !bytes.readFlag()
            count = try bytes.readUInt8()
            responses = bytes
            for _ in 0..<count { _ = try PeriodicAdvertisingResponse(takingFrom: &bytes) }
            try bytes.finish()
        }

        @_lifetime(copy self)
        @_lifetime(self: copy self)
        package mutating func next() -> PeriodicAdvertisingResponse? {
            guard count > 0 else { return nil }
            count -= 1
            return try? PeriodicAdvertisingResponse(takingFrom: &responses)
        }

        package var encodedCount: Int { 4 + responses.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(advertisingHandle)
            try output.write(subevent)
            try output.write(wasSent ? 0 : 1 as UInt8)
            try output.write(count)
            try output.write(responses)
        }
    }
}
