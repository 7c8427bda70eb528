/// LE commands of extended advertising: advertising sets. A host that has used one of these or of the extended scan and connection commands
/// must not use the legacy ones until a reset, and the reverse (Vol 4, Part E, 3.1.1).
extension HCI {
    /// Sets the random address of an advertising set (Vol 4, Part E, 7.8.52).
    package struct LESetAdvertisingSetRandomAddress: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetAdvertisingSetRandomAddress }

        /// 0x00 to 0xEF.
        package var advertisingHandle: UInt8
        package var address: HCI.RandomDeviceAddress
    }

    /// The properties of an advertising set's events (Vol 4, Part E, 7.8.53).
    package struct AdvertisingEventProperties: OptionSet, Hashable, Sendable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }
        package static let connectable = Self(rawValue: 1 << 0)
        package static let scannable = Self(rawValue: 1 << 1)
        package static let directed = Self(rawValue: 1 << 2)
        /// Legacy PDUs alone, at most 3.75 ms apart.
        package static let highDutyCycle = Self(rawValue: 1 << 3)
        package static let legacy = Self(rawValue: 1 << 4)
        /// Without the advertiser's address, in all PDUs of the event.
        package static let anonymous = Self(rawValue: 1 << 5)
        /// With the transmit power in the extended header of at least one PDU.
        package static let includesTxPower = Self(rawValue: 1 << 6)
    }

    /// Sets the parameters of an advertising set, which the command creates if it is new (Vol 4, Part E, 7.8.53).
    package struct LESetExtendedAdvertisingParameters: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetExtendedAdvertisingParameters }

        /// 0x00 to 0xEF.
        package var advertisingHandle: UInt8
        package var properties: HCI.AdvertisingEventProperties
        /// In units of 0.625 ms, 0x000020 to 0xFFFFFF.
        package var intervalMinimum: HCI.UInt24
        /// In units of 0.625 ms, 0x000020 to 0xFFFFFF.
        package var intervalMaximum: HCI.UInt24
        package var primaryChannelMap: HCI.AdvertisingChannelMap = .all
        package var ownAddressType: HCI.OwnAddressType = .public
        /// For directed advertising, and for the choice of a private address.
        package var peerAddress: DeviceAddress = DeviceAddress(kind: .public, value: 0)
        package var filterPolicy: HCI.AdvertisingFilterPolicy = .everyone
        /// In dBm, -127 to 20; 127 means no preference.
        package var txPower: Int8 = 127
        /// 1M or Coded.
        package var primaryPHY: HCI.PHY = .le1M
        /// Primary advertising events that may pass before AUX_ADV_IND is sent again; 0 means before the next one.
        package var secondaryMaximumSkip: UInt8 = 0
        /// 1M, 2M or Coded.
        package var secondaryPHY: HCI.PHY = .le1M
        /// 0x00 to 0x0F.
        package var advertisingSID: UInt8 = 0
        package var reportsScanRequests: Bool = false

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            /// In dBm.
            package var selectedTxPower: Int8
        }
    }

    /// The coding that the host prefers or requires on the Coded PHY (Vol 4, Part E, 7.8.53).
    package struct AdvertisingPHYOptions: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let noPreference = AdvertisingPHYOptions(rawValue: 0)
        package static let prefersS2 = AdvertisingPHYOptions(rawValue: 1)
        package static let prefersS8 = AdvertisingPHYOptions(rawValue: 2)
        package static let requiresS2 = AdvertisingPHYOptions(rawValue: 3)
        package static let requiresS8 = AdvertisingPHYOptions(rawValue: 4)
    }

    /// Sets the parameters of an advertising set, and its codings on the Coded PHY (Vol 4, Part E, 7.8.53).
    package struct LESetExtendedAdvertisingParametersV2: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetExtendedAdvertisingParametersV2 }
        package typealias ReturnParameters = LESetExtendedAdvertisingParameters.ReturnParameters

        /// The fields of version 1.
        package var parameters: HCI.LESetExtendedAdvertisingParameters
        package var primaryPHYOptions: HCI.AdvertisingPHYOptions = .noPreference
        package var secondaryPHYOptions: HCI.AdvertisingPHYOptions = .noPreference
    }

    /// The place of a fragment in the data of an advertising set (Vol 4, Part E, 7.8.54).
    package struct DataOperation: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let intermediate = DataOperation(rawValue: 0)
        package static let first = DataOperation(rawValue: 1)
        package static let last = DataOperation(rawValue: 2)
        package static let complete = DataOperation(rawValue: 3)
        /// The data stays; only the advertising DID changes.
        package static let unchanged = DataOperation(rawValue: 4)

        /// The most octets in a command.
        package static let longestFragment = 251

        /// The operation of the part `range` of data of `count` octets.
        package init(_ range: Range<Int>, of count: Int) {
            switch (range.lowerBound == 0, range.upperBound == count) {
            case (true, true): self = .complete
            case (true, false): self = .first
            case (false, true): self = .last
            case (false, false): self = .intermediate
            }
        }
    }

    /// The fields that the commands for long data share.
    package protocol AdvertisingDataFragment: HCICommand, ~Escapable {
        @_lifetime(copy data)
        init(advertisingHandle: UInt8, operation: DataOperation, mayFragment: Bool, data: Span<UInt8>)
        /// 0x00 to 0xEF.
        var advertisingHandle: UInt8 { get }
        var operation: DataOperation { get }
        /// Whether the controller may divide the data over PDUs as it likes. Otherwise it should use as few as it can.
        var mayFragment: Bool { get }
        /// 0 to 251 octets.
        var data: Span<UInt8> { @_lifetime(copy self) get }
    }

    /// Sets the data of an advertising set, in fragments (Vol 4, Part E, 7.8.54).
    package struct LESetExtendedAdvertisingData: AdvertisingDataFragment, ~Escapable {
        package static var opcode: HCI.Opcode { .leSetExtendedAdvertisingData }

        package var advertisingHandle: UInt8
        package var operation: DataOperation
        package var mayFragment: Bool
        package var data: Span<UInt8>

        @_lifetime(copy data)
        package init(advertisingHandle: UInt8, operation: DataOperation, mayFragment: Bool, data: Span<UInt8>) {
            self.advertisingHandle = advertisingHandle
            self.operation = operation
            self.mayFragment = mayFragment
            self.data = data
        }
    }

    /// Sets the scan response data of an advertising set, in fragments (Vol 4, Part E, 7.8.55).
    package struct LESetExtendedScanResponseData: AdvertisingDataFragment, ~Escapable {
        package static var opcode: HCI.Opcode { .leSetExtendedScanResponseData }

        package var advertisingHandle: UInt8
        package var operation: DataOperation
        package var mayFragment: Bool
        package var data: Span<UInt8>

        @_lifetime(copy data)
        package init(advertisingHandle: UInt8, operation: DataOperation, mayFragment: Bool, data: Span<UInt8>) {
            self.advertisingHandle = advertisingHandle
            self.operation = operation
            self.mayFragment = mayFragment
            self.data = data
        }
    }

    /// Starts or stops advertising sets (Vol 4, Part E, 7.8.56).
    package struct LESetExtendedAdvertisingEnable: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetExtendedAdvertisingEnable }

        package struct Entry: Hashable, Sendable {
            /// 0x00 to 0xEF.
            package var advertisingHandle: UInt8
            /// In units of 10 ms; 0 means until the host stops it.
            package var duration: UInt16
            /// The limit of extended advertising events; 0 means none.
            package var maximumEvents: UInt8

            package init(advertisingHandle: UInt8, duration: UInt16 = 0, maximumEvents: UInt8 = 0) {
                self.advertisingHandle = advertisingHandle
                self.duration = duration
                self.maximumEvents = maximumEvents
            }
        }

        package var enable: Bool
        /// At most 63. None, with `enable` false, stops all sets.
        package var sets: [Entry]

        package init(enable: Bool, sets: [Entry]) {
            self.enable = enable
            self.sets = sets
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            enable = try bytes.readFlag()
            sets = []
            for _ in 0..<(try bytes.readUInt8()) {
                sets.append(
                    Entry(
                        advertisingHandle: try bytes.readUInt8(), duration: try bytes.readUInt16(),
                        maximumEvents: try bytes.readUInt8()))
            }
            try bytes.finish()
        }

        package var encodedCount: Int { 2 + 4 * sets.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard sets.count <= 63 else { throw .fieldTooLong }
            try output.write(enable ? 1 : 0 as UInt8)
            try output.write(UInt8(truncatingIfNeeded: sets.count))
            for set in sets {
                try output.write(set.advertisingHandle)
                try output.write(set.duration)
                try output.write(set.maximumEvents)
            }
        }
    }

    /// Reads the most octets of data that an advertising set can have (Vol 4, Part E, 7.8.57).
    package struct LEReadMaximumAdvertisingDataLength: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadMaximumAdvertisingDataLength }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            /// In octets, 31 to 1650.
            package var maximumLength: UInt16
        }
    }

    /// Reads how many advertising sets can exist at a time; it may change (Vol 4, Part E, 7.8.58).
    package struct LEReadNumberOfSupportedAdvertisingSets: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadNumberOfSupportedAdvertisingSets }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            /// 1 to 240.
            package var count: UInt8
        }
    }

    /// Removes an advertising set that is off (Vol 4, Part E, 7.8.59).
    package struct LERemoveAdvertisingSet: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leRemoveAdvertisingSet }

        /// 0x00 to 0xEF.
        package var advertisingHandle: UInt8
    }

    /// Removes all advertising sets, which must be off (Vol 4, Part E, 7.8.60).
    package struct LEClearAdvertisingSets: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leClearAdvertisingSets }

        package init() {}
    }
}

extension HCI.AdvertisingDataFragment where Self: ~Escapable {
    /// The most octets of one fragment.
    package static var maximumCount: Int { 251 }

    @_lifetime(copy bytes)
    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        let handle = try bytes.readUInt8()
        let operation = HCI.DataOperation(rawValue: try bytes.readUInt8())
        let mayFragment = try !bytes.readFlag()
        guard try Int(bytes.readUInt8()) == bytes.count, bytes.count <= Self.maximumCount else { throw .invalidLength }
        self.init(advertisingHandle: handle, operation: operation, mayFragment: mayFragment, data: bytes)
    }

    package var encodedCount: Int { 4 + data.count }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        guard data.count <= Self.maximumCount else { throw .fieldTooLong }
        try output.write(advertisingHandle)
        try output.write(operation.rawValue)
        try output.write(mayFragment ? 0 : 1 as UInt8)
        try output.write(UInt8(truncatingIfNeeded: data.count))
        try output.write(data)
    }
}
