/// LE commands that advertise periodically with an advertising set.
extension HCI {
    /// The properties of a set's periodic advertising (Vol 4, Part E, 7.8.61).
    package struct PeriodicAdvertisingProperties: OptionSet, Hashable, Sendable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }
        /// With the transmit power in the extended header.
        package static let includesTxPower = Self(rawValue: 1 << 6)
    }

    /// Sets the parameters of a set's periodic advertising (Vol 4, Part E, 7.8.61).
    package struct LESetPeriodicAdvertisingParameters: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetPeriodicAdvertisingParameters }

        /// 0x00 to 0xEF.
        package var advertisingHandle: UInt8
        /// In units of 1.25 ms, 0x0006 to 0xFFFF.
        package var intervalMinimum: UInt16
        /// In units of 1.25 ms, 0x0006 to 0xFFFF.
        package var intervalMaximum: UInt16
        package var properties: HCI.PeriodicAdvertisingProperties = []
    }

    /// The same, with subevents and slots for responses (Vol 4, Part E, 7.8.61).
    package struct LESetPeriodicAdvertisingParametersV2: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetPeriodicAdvertisingParametersV2 }

        /// 0x00 to 0xEF.
        package var advertisingHandle: UInt8
        /// In units of 1.25 ms, 0x0006 to 0xFFFF.
        package var intervalMinimum: UInt16
        /// In units of 1.25 ms, 0x0006 to 0xFFFF.
        package var intervalMaximum: UInt16
        package var properties: HCI.PeriodicAdvertisingProperties = []
        /// 0 to 128; 0 means periodic advertising without responses.
        package var subeventCount: UInt8 = 0
        /// In units of 1.25 ms, 0x06 to 0xFF.
        package var subeventInterval: UInt8 = 0
        /// From the start of a subevent to its first response slot, in units of 1.25 ms; 0 means no response slots.
        package var responseSlotDelay: UInt8 = 0
        /// In units of 0.125 ms, 0x02 to 0xFF; 0 means no response slots.
        package var responseSlotSpacing: UInt8 = 0
        package var responseSlotCount: UInt8 = 0

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var advertisingHandle: UInt8
        }
    }

    /// Sets the data of a set's periodic advertising, in fragments (Vol 4, Part E, 7.8.62).
    package struct LESetPeriodicAdvertisingData: HCICommand, ~Escapable {
        package static var opcode: HCI.Opcode { .leSetPeriodicAdvertisingData }
        /// The most octets of one fragment.
        package static var maximumCount: Int { 252 }

        /// 0x00 to 0xEF.
        package var advertisingHandle: UInt8
        package var operation: DataOperation
        /// 0 to 252 octets.
        package var data: Span<UInt8>

        @_lifetime(copy data)
        package init(advertisingHandle: UInt8, operation: DataOperation, data: Span<UInt8>) {
            self.advertisingHandle = advertisingHandle
            self.operation = operation
            self.data = data
        }

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            advertisingHandle = try bytes.readUInt8()
            operation = DataOperation(rawValue: try bytes.readUInt8())
            guard try Int(bytes.readUInt8()) == bytes.count, bytes.count <= Self.maximumCount else {
                throw .invalidLength
            }
            data = bytes
        }

        package var encodedCount: Int { 3 + data.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard data.count <= Self.maximumCount else { throw .fieldTooLong }
            try output.write(advertisingHandle)
            try output.write(operation.rawValue)
            try output.write(UInt8(truncatingIfNeeded: data.count))
            try output.write(data)
        }
    }

    /// Whether a set advertises periodically, and with which fields (Vol 4, Part E, 7.8.63).
    package struct PeriodicAdvertisingEnable: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let on = Self(rawValue: 1 << 0)
        /// AUX_SYNC_IND has the ADI field.
        package static let includesDataInfo = Self(rawValue: 1 << 1)
    }

    /// Starts or stops the periodic advertising of a set. It begins when the set advertises (Vol 4, Part E, 7.8.63).
    package struct LESetPeriodicAdvertisingEnable: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetPeriodicAdvertisingEnable }

        package var enable: HCI.PeriodicAdvertisingEnable
        /// 0x00 to 0xEF.
        package var advertisingHandle: UInt8
    }

    /// Sets the data of subevents that the controller has requested (Vol 4, Part E, 7.8.125).
    package struct LESetPeriodicAdvertisingSubeventData: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetPeriodicAdvertisingSubeventData }
        package typealias ReturnParameters = LESetPeriodicAdvertisingParametersV2.ReturnParameters
        /// The most subevents of one command.
        package static let maximumSubevents = 15

        package struct Entry: Hashable, Sendable {
            /// 0x00 to 0x7F.
            package var subevent: UInt8
            package var responseSlotStart: UInt8
            package var responseSlotCount: UInt8
            /// All entries together fit into one command.
            package var data: [UInt8]

            package init(subevent: UInt8, responseSlotStart: UInt8, responseSlotCount: UInt8, data: [UInt8]) {
                self.subevent = subevent
                self.responseSlotStart = responseSlotStart
                self.responseSlotCount = responseSlotCount
                self.data = data
            }
        }

        /// 0x00 to 0xEF.
        package var advertisingHandle: UInt8
        /// 1 to 15.
        package var subevents: [Entry]

        package init(advertisingHandle: UInt8, subevents: [Entry]) {
            self.advertisingHandle = advertisingHandle
            self.subevents = subevents
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            guard bytes.count <= CommandPacket.maximumParameters else { throw .invalidLength }
            advertisingHandle = try bytes.readUInt8()
            subevents = []
            let count = try bytes.readUInt8()
            guard count <= Self.maximumSubevents else { throw .invalidLength }
            for _ in 0..<count {
                let (subevent, start) = (try bytes.readUInt8(), try bytes.readUInt8())
                let slots = try bytes.readUInt8()
                let data = try bytes.readBytes(Int(try bytes.readUInt8()))
                subevents.append(
                    Entry(subevent: subevent, responseSlotStart: start, responseSlotCount: slots, data: [UInt8](data)))
            }
            try bytes.finish()
        }

        package var encodedCount: Int { subevents.reduce(2) { $0 + 4 + $1.data.count } }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard subevents.count <= Self.maximumSubevents, encodedCount <= CommandPacket.maximumParameters else {
                throw .fieldTooLong
            }
            try output.write(advertisingHandle)
            try output.write(UInt8(truncatingIfNeeded: subevents.count))
            for entry in subevents {
                try output.write(entry.subevent)
                try output.write(entry.responseSlotStart)
                try output.write(entry.responseSlotCount)
                try output.write(UInt8(truncatingIfNeeded: entry.data.count))
                try output.write(entry.data.span)
            }
        }
    }
}
