/// LE commands that receive periodic advertising.
extension HCI {
    /// How LE Periodic Advertising Create Sync finds its advertiser and begins (Vol 4, Part E, 7.8.67).
    package struct PeriodicSyncOptions: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Any advertiser of the Periodic Advertiser List, instead of the one in the command.
        package static let usesList = Self(rawValue: 1 << 0)
        /// Without reports until LE Set Periodic Advertising Receive Enable.
        package static let reportsAreOff = Self(rawValue: 1 << 1)
        package static let filtersDuplicates = Self(rawValue: 1 << 2)
    }

    /// The packets with which a controller does not synchronize, by their Constant Tone Extension (Vol 4, Part E, 7.8.67).
    package struct ExcludedToneExtensions: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let angleOfArrival = Self(rawValue: 1 << 0)
        package static let angleOfDeparture1 = Self(rawValue: 1 << 1)
        package static let angleOfDeparture2 = Self(rawValue: 1 << 2)
        package static let type3 = Self(rawValue: 1 << 3)
        /// Packets without the extension.
        package static let withoutExtension = Self(rawValue: 1 << 4)
    }

    /// Synchronizes with a train of periodic advertising that the scanner hears (Vol 4, Part E, 7.8.67). LE Periodic Advertising Sync
    /// Established follows.
    package struct LEPeriodicAdvertisingCreateSync: HCIStatusCommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .lePeriodicAdvertisingCreateSync }

        package var options: HCI.PeriodicSyncOptions = []
        /// 0x00 to 0x0F.
        package var advertisingSID: UInt8
        package var advertiserAddress: DeviceAddress
        /// The periodic events that the receiver may skip after one that it received, 0 to 499.
        package var skip: UInt16 = 0
        /// In units of 10 ms, 0x000A to 0x4000.
        package var syncTimeout: UInt16
        package var excludedToneExtensions: HCI.ExcludedToneExtensions = []
    }

    /// Gives up LE Periodic Advertising Create Sync (Vol 4, Part E, 7.8.68).
    package struct LEPeriodicAdvertisingCreateSyncCancel: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .lePeriodicAdvertisingCreateSyncCancel }

        package init() {}
    }

    /// Ends the reception of a train (Vol 4, Part E, 7.8.69).
    package struct LEPeriodicAdvertisingTerminateSync: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .lePeriodicAdvertisingTerminateSync }

        package var syncHandle: HCI.ConnectionHandle
    }

    /// Adds an advertiser to the Periodic Advertiser List (Vol 4, Part E, 7.8.70).
    package struct LEAddDeviceToPeriodicAdvertiserList: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leAddDeviceToPeriodicAdvertiserList }

        package var advertiserAddress: DeviceAddress
        /// 0x00 to 0x0F.
        package var advertisingSID: UInt8
    }

    /// Removes an advertiser from the Periodic Advertiser List (Vol 4, Part E, 7.8.71).
    package struct LERemoveDeviceFromPeriodicAdvertiserList: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leRemoveDeviceFromPeriodicAdvertiserList }

        package var advertiserAddress: DeviceAddress
        /// 0x00 to 0x0F.
        package var advertisingSID: UInt8
    }

    /// Removes all advertisers from the Periodic Advertiser List (Vol 4, Part E, 7.8.72).
    package struct LEClearPeriodicAdvertiserList: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leClearPeriodicAdvertiserList }

        package init() {}
    }

    /// Reads the most entries of the Periodic Advertiser List (Vol 4, Part E, 7.8.73).
    package struct LEReadPeriodicAdvertiserListSize: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadPeriodicAdvertiserListSize }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            /// 1 or more.
            package var size: UInt8
        }
    }

    /// Which reports of a train the host gets (Vol 4, Part E, 7.8.88).
    package struct PeriodicReceiveEnable: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let reports = Self(rawValue: 1 << 0)
        package static let filtersDuplicates = Self(rawValue: 1 << 1)
    }

    /// Turns the reports of a train on or off (Vol 4, Part E, 7.8.88).
    package struct LESetPeriodicAdvertisingReceiveEnable: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetPeriodicAdvertisingReceiveEnable }

        package var syncHandle: HCI.ConnectionHandle
        package var enable: HCI.PeriodicReceiveEnable
    }

    /// Return parameters with a status and a sync handle.
    package struct SyncReturn: FieldPDU, Hashable {
        package var status: HCI.ErrorCode
        package var syncHandle: HCI.ConnectionHandle
    }

    /// Sets the data of one response slot (Vol 4, Part E, 7.8.126).
    package struct LESetPeriodicAdvertisingResponseData: HCICommand, ~Escapable {
        package typealias ReturnParameters = HCI.SyncReturn
        package static var opcode: HCI.Opcode { .leSetPeriodicAdvertisingResponseData }
        /// The most octets of a response in one command.
        package static var maximumCount: Int { 247 }

        package var syncHandle: UInt16
        /// The periodic event and the subevent of the packet that the response answers.
        package var requestEvent: UInt16
        package var requestSubevent: UInt8
        /// The subevent and the slot in which the response is sent.
        package var responseSubevent: UInt8
        package var responseSlot: UInt8
        /// 0 to 247 octets.
        package var data: Span<UInt8>

        @_lifetime(copy data)
        package init(
            syncHandle: UInt16, requestEvent: UInt16, requestSubevent: UInt8, responseSubevent: UInt8,
            responseSlot: UInt8, data: Span<UInt8>
        ) {
            self.syncHandle = syncHandle
            self.requestEvent = requestEvent
            self.requestSubevent = requestSubevent
            self.responseSubevent = responseSubevent
            self.responseSlot = responseSlot
            self.data = data
        }

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            syncHandle = try bytes.readConnectionHandle()
            requestEvent = try bytes.readUInt16()
            requestSubevent = try bytes.readUInt8()
            responseSubevent = try bytes.readUInt8()
            responseSlot = try bytes.readUInt8()
            guard try Int(bytes.readUInt8()) == bytes.count, bytes.count <= Self.maximumCount else {
                throw .invalidLength
            }
            data = bytes
        }

        package var encodedCount: Int { 8 + data.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard data.count <= Self.maximumCount else { throw .fieldTooLong }
            try output.write(syncHandle)
            try output.write(requestEvent)
            try output.write(requestSubevent)
            try output.write(responseSubevent)
            try output.write(responseSlot)
            try output.write(UInt8(truncatingIfNeeded: data.count))
            try output.write(data)
        }
    }

    /// Chooses the subevents that the controller receives (Vol 4, Part E, 7.8.127).
    package struct LESetPeriodicSyncSubevent: HCICommand, Hashable, Sendable {
        package typealias ReturnParameters = HCI.SyncReturn
        package static var opcode: HCI.Opcode { .leSetPeriodicSyncSubevent }
        /// The most subevents of a train.
        package static let maximumSubevents = 128

        package var syncHandle: UInt16
        /// For the responses.
        package var properties: HCI.PeriodicAdvertisingProperties
        /// 1 to 128 subevents, 0x00 to 0x7F.
        package var subevents: [UInt8]

        package init(syncHandle: UInt16, properties: HCI.PeriodicAdvertisingProperties = [], subevents: [UInt8]) {
            self.syncHandle = syncHandle
            self.properties = properties
            self.subevents = subevents
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            syncHandle = try bytes.readConnectionHandle()
            properties = HCI.PeriodicAdvertisingProperties(rawValue: try bytes.readUInt16())
            guard try Int(bytes.readUInt8()) == bytes.count, bytes.count <= Self.maximumSubevents else {
                throw .invalidLength
            }
            subevents = [UInt8](bytes)
        }

        package var encodedCount: Int { 5 + subevents.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard subevents.count <= Self.maximumSubevents else { throw .fieldTooLong }
            try output.write(syncHandle)
            try output.write(properties.rawValue)
            try output.write(UInt8(truncatingIfNeeded: subevents.count))
            try output.write(subevents.span)
        }
    }
}
