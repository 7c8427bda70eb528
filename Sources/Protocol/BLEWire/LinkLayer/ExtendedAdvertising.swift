extension LL {
    /// The most octets of advertising data over all PDUs of an event (Vol 6, Part B, 2.3.4.9).
    package static let maximumExtendedAdvertisingData = 1650
    /// From the end of a PDU to the start of the one that its AuxPtr names: the least time, T_MAFS (Vol 6, Part B, 4.1.2).
    package static let minimumAuxiliaryFrameSpace = TimeSpan.microseconds(300)

    /// The space between a packet with AuxPtr and the packet that it names: at least T_MAFS, and such that the start of the second is a whole number of units
    /// of 30 us after that of the first. AUX Offset is rounded down and yet at least the length of the packet plus T_MAFS (Vol 6, Part B, 2.3.4.5).
    ///
    /// - Parameter airTime: The duration of the first.
    package static func auxiliaryFrameSpace(after airTime: TimeSpan) -> TimeSpan {
        let (time, unit) = ((airTime + minimumAuxiliaryFrameSpace).nanoseconds, Int64(30_000))
        return TimeSpan(nanoseconds: (time + unit - 1) / unit * unit) - airTime
    }

    /// Whether an advertiser accepts connections or scan requests on the secondary channel (Vol 6, Part B, 2.3.4). Both at once do not exist.
    package struct AdvertisingMode: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let none = AdvertisingMode(rawValue: 0)
        package static let connectable = AdvertisingMode(rawValue: 1)
        package static let scannable = AdvertisingMode(rawValue: 2)
    }

    /// Identifies the set and its data (Vol 6, Part B, 2.3.4.4).
    package struct AdvertisingDataInfo: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }
        /// Uses 12 bits of `dataID` and 4 bits of `setID`.
        package init(dataID: UInt16, setID: UInt8) { rawValue = dataID & 0x0FFF | UInt16(setID & 0x0F) << 12 }

        /// Changes with the data, 0 to 0xFFF.
        package var dataID: UInt16 { rawValue & 0x0FFF }
        /// The set, 0 to 15.
        package var setID: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 12) }
    }

    /// The time from one PDU to another in the 13 bits of AuxPtr and SyncInfo (Vol 6, Part B, 2.3.4.5 and 2.3.4.6). It is rounded down, so that the
    /// second PDU starts at most one unit after it.
    package struct PacketOffset: Hashable, Sendable {
        /// 0 to 0x1FFF.
        package let count: UInt16
        /// Whether the unit is 300 µs, otherwise 30 µs.
        package let usesLongUnits: Bool

        package init(count: UInt16, usesLongUnits: Bool) {
            self.count = count
            self.usesLongUnits = usesLongUnits
        }

        /// Nil if the field cannot hold the time: below 0, or 2.4576 s and more.
        ///
        /// - Parameter adjustment: The part of the time that another field says. The whole time determines the unit.
        package init?(_ time: TimeSpan, without adjustment: TimeSpan = .zero) {
            usesLongUnits = time >= .microseconds(245_700)
            let rest = time - adjustment
            let units = rest.nanoseconds / Self.unit(isLong: usesLongUnits).nanoseconds
            guard rest >= .zero, units <= 0x1FFF else { return nil }
            count = UInt16(units)
        }

        package var unit: TimeSpan { Self.unit(isLong: usesLongUnits) }
        /// The time, rounded down.
        package var span: TimeSpan { unit * Int(count) }

        private static func unit(isLong: Bool) -> TimeSpan { .microseconds(isLong ? 300 : 30) }
    }

    /// Where and when the next PDU of the event is (Vol 6, Part B, 2.3.4.5). Its start is at most one unit of the offset later than `offset`.
    package struct AuxiliaryPointer: Hashable, Sendable {
        /// A secondary channel, 0 to 36. Greater values are reserved.
        package var channel: UInt8
        /// Whether the sender's clock is accurate to 50 ppm, otherwise to 500 ppm.
        package var isClockAccurate: Bool
        /// In units of 30 µs, or of 300 µs with `usesLongUnits`, 0 to 0x1FFF. 0 means that no PDU follows.
        package var offset: UInt16
        package var usesLongUnits: Bool
        /// 0: 1M, 1: 2M, 2: Coded. Greater values are reserved.
        package var phyCode: UInt8

        package init(channel: UInt8, isClockAccurate: Bool, offset: UInt16, usesLongUnits: Bool, phyCode: UInt8) {
            self.channel = channel
            self.isClockAccurate = isClockAccurate
            self.offset = offset
            self.usesLongUnits = usesLongUnits
            self.phyCode = phyCode
        }

        /// - Parameters:
        ///   - time: From the start of the PDU with the pointer to the start of the PDU that it names. Zero, and a time that the field cannot
        ///     hold, say that no PDU follows.
        ///   - phy: That of the second PDU.
        package init(channel: UInt8, isClockAccurate: Bool = true, after time: TimeSpan, on phy: PHY) {
            let offset = PacketOffset(time) ?? PacketOffset(count: 0, usesLongUnits: false)
            let code: UInt8 =
                switch phy {
                case .oneM: 0
                case .twoM: 1
                case .codedS8, .codedS2: 2
                }
            self.init(
                channel: channel, isClockAccurate: isClockAccurate, offset: offset.count,
                usesLongUnits: offset.usesLongUnits, phyCode: code)
        }

        private var packetOffset: PacketOffset { PacketOffset(count: offset, usesLongUnits: usesLongUnits) }
        /// The duration of one unit of the offset.
        package var unit: TimeSpan { packetOffset.unit }
        /// From the start of the PDU with this pointer to the earliest start of the PDU that it names.
        package var span: TimeSpan { packetOffset.span }
        /// The PHY on which to listen; nil for a reserved one.
        package var phy: PHY? {
            switch phyCode {
            case 0: .oneM
            case 1: .twoM
            case 2: .codedS8
            default: nil
            }
        }

        fileprivate init(takingFrom bytes: inout Span<UInt8>) throws(DecodeError) {
            let first = try bytes.readUInt8()
            let rest = try bytes.readUInt16()
            channel = first & 0x3F
            isClockAccurate = first & 0x40 != 0
            usesLongUnits = first & 0x80 != 0
            offset = rest & 0x1FFF
            phyCode = UInt8(truncatingIfNeeded: rest >> 13)
        }

        fileprivate func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(channel & 0x3F | (isClockAccurate ? 0x40 : 0) | (usesLongUnits ? 0x80 : 0))
            try output.write(offset & 0x1FFF | UInt16(phyCode & 7) << 13)
        }
    }

    /// Where a train of periodic advertising is (Vol 6, Part B, 2.3.4.6).
    package struct SyncInfo: Hashable, Sendable {
        /// In units of 30 µs, or of 300 µs with `usesLongUnits`, 0 to 0x1FFF.
        package var offset: UInt16
        package var usesLongUnits: Bool
        /// Adds 2.4576 s to the offset.
        package var adjustsOffset: Bool
        /// In units of 1.25 ms.
        package var interval: UInt16
        package var channelMap: ChannelMap
        /// 0 (251 to 500 ppm) to 7 (0 to 20 ppm).
        package var sleepClockAccuracy: UInt8
        package var accessAddress: UInt32
        /// 24 bits.
        package var crcInit: UInt32
        package var eventCounter: UInt16

        package init(
            offset: UInt16, usesLongUnits: Bool, adjustsOffset: Bool, interval: UInt16, channelMap: ChannelMap,
            sleepClockAccuracy: UInt8, accessAddress: UInt32, crcInit: UInt32, eventCounter: UInt16
        ) {
            self.offset = offset
            self.usesLongUnits = usesLongUnits
            self.adjustsOffset = adjustsOffset
            self.interval = interval
            self.channelMap = channelMap
            self.sleepClockAccuracy = sleepClockAccuracy
            self.accessAddress = accessAddress
            self.crcInit = crcInit
            self.eventCounter = eventCounter
        }

        init(takingFrom bytes: inout Span<UInt8>) throws(DecodeError) {
            let first = try bytes.readUInt16()
            offset = first & 0x1FFF
            usesLongUnits = first & 0x2000 != 0
            adjustsOffset = first & 0x4000 != 0
            interval = try bytes.readUInt16()
            let map = try bytes.readUInt40()
            channelMap = ChannelMap(rawValue: map)
            sleepClockAccuracy = UInt8(truncatingIfNeeded: map >> 37)
            accessAddress = try bytes.readUInt32()
            crcInit = try bytes.readUInt24()
            eventCounter = try bytes.readUInt16()
        }

        func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(offset & 0x1FFF | (usesLongUnits ? 0x2000 : 0) | (adjustsOffset ? 0x4000 : 0))
            try output.write(interval)
            try output.writeLittleEndian(channelMap.rawValue | UInt64(sleepClockAccuracy & 7) << 37, 5)
            try output.write(accessAddress)
            try output.write24(crcInit)
            try output.write(eventCounter)
        }
    }

    /// The payload of ADV_EXT_IND and of all AUX PDUs that are no requests: an extended header, then data (Vol 6, Part B, 2.3.4).
    package struct ExtendedAdvertisement: PDU, ~Escapable {
        package var mode: AdvertisingMode
        /// AdvA. The PDU's header contains its type.
        package var advertiser: UInt64?
        /// TargetA. The PDU's header contains its type.
        package var target: UInt64?
        /// CTEInfo.
        package var toneExtension: UInt8?
        /// ADI.
        package var dataInfo: AdvertisingDataInfo?
        /// AuxPtr.
        package var pointer: AuxiliaryPointer?
        package var syncInfo: SyncInfo?
        /// In dBm.
        package var txPower: Int8?
        /// ACAD: AD structures for the controller.
        package var controllerData: Span<UInt8>
        /// The fragment of the advertising data in this PDU.
        package var data: Span<UInt8>

        @_lifetime(copy controllerData, copy data)
        package init(
            mode: AdvertisingMode, advertiser: UInt64? = nil, target: UInt64? = nil, toneExtension: UInt8? = nil,
            dataInfo: AdvertisingDataInfo? = nil, pointer: AuxiliaryPointer? = nil, syncInfo: SyncInfo? = nil,
            txPower: Int8? = nil, controllerData: Span<UInt8> = Span(), data: Span<UInt8> = Span()
        ) {
            self.mode = mode
            self.advertiser = advertiser
            self.target = target
            self.toneExtension = toneExtension
            self.dataInfo = dataInfo
            self.pointer = pointer
            self.syncInfo = syncInfo
            self.txPower = txPower
            self.controllerData = controllerData
            self.data = data
        }

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            // The length of a payload has one octet.
            guard bytes.count <= 255 else { throw .invalidLength }
            var bytes = bytes
            let first = try bytes.readUInt8()
            var header = try bytes.readBytes(Int(first & 0x3F))
            // Without flags the header is empty.
            let flags = header.isEmpty ? 0 : try header.readUInt8()
            mode = AdvertisingMode(rawValue: first >> 6)
            advertiser = flags & 0x01 != 0 ? try header.readUInt48() : nil
            target = flags & 0x02 != 0 ? try header.readUInt48() : nil
            toneExtension = flags & 0x04 != 0 ? try header.readUInt8() : nil
            dataInfo = flags & 0x08 != 0 ? AdvertisingDataInfo(rawValue: try header.readUInt16()) : nil
            pointer = flags & 0x10 != 0 ? try AuxiliaryPointer(takingFrom: &header) : nil
            syncInfo = flags & 0x20 != 0 ? try SyncInfo(takingFrom: &header) : nil
            txPower = flags & 0x40 != 0 ? try header.readInt8() : nil
            controllerData = header
            data = bytes
        }

        private var flags: UInt8 {
            (advertiser != nil ? 0x01 : 0) | (target != nil ? 0x02 : 0) | (toneExtension != nil ? 0x04 : 0)
                | (dataInfo != nil ? 0x08 : 0) | (pointer != nil ? 0x10 : 0) | (syncInfo != nil ? 0x20 : 0)
                | (txPower != nil ? 0x40 : 0)
        }

        /// The octets of the extended header after its length, 0 to 63.
        private var headerCount: Int {
            let flags = flags
            if flags == 0 && controllerData.isEmpty { return 0 }
            let fields = [6, 6, 1, 2, 3, 18, 1] as InlineArray<7, Int>
            var count = 1 + controllerData.count
            for index in fields.indices where flags >> UInt8(index) & 1 != 0 { count += fields[index] }
            return count
        }

        package var encodedCount: Int { 1 + headerCount + data.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            let count = headerCount
            guard count <= 63, 1 + count + data.count <= 255 else { throw .fieldTooLong }
            try output.write(UInt8(truncatingIfNeeded: count) | mode.rawValue << 6)
            if count > 0 {
                try output.write(flags)
                if let advertiser { try output.writeLittleEndian(advertiser, 6) }
                if let target { try output.writeLittleEndian(target, 6) }
                if let toneExtension { try output.write(toneExtension) }
                if let dataInfo { try output.write(dataInfo.rawValue) }
                if let pointer { try pointer.encode(into: &output) }
                if let syncInfo { try syncInfo.encode(into: &output) }
                if let txPower { try output.write(txPower) }
                try output.write(controllerData)
            }
            try output.write(data)
        }
    }
}
