import BLEWire
import Testing

/// The bits and numbers of the link layer, by hand from Vol 6, Part B.
struct LinkLayerCodeTests {
    /// 2.3: the type in the low four bits, bit 4 reserved, then ChSel, TxAdd and RxAdd.
    @Test func theAdvertisingHeaderHasItsBits() throws {
        for first in UInt8.min...UInt8.max {
            let header = try LL.AdvertisingHeader(decoding: [first, 37].span)
            #expect(header.type.rawValue == first & 0x0F && header.length == 37)
            #expect(header.channelSelection2 == (first & 1 << 5 != 0))
            #expect(header.transmitterIsRandom == (first & 1 << 6 != 0))
            #expect(header.receiverIsRandom == (first & 1 << 7 != 0))
            #expect(try encoded(header) == [first & ~(1 << 4), 37])
        }
        let types: [LL.AdvertisingPDUType] = [
            .advInd, .advDirectInd, .advNonconnInd, .scanReq, .scanRsp, .connectInd, .advScanInd, .extended,
            .auxConnectRsp,
        ]
        #expect(types.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 8])
        let flags: [(LL.AdvertisingHeader, UInt8)] = [
            (LL.AdvertisingHeader(type: .scanRsp), 0x04),
            (LL.AdvertisingHeader(type: .advInd, channelSelection2: true), 0x20),
            (LL.AdvertisingHeader(type: .advInd, transmitterIsRandom: true), 0x40),
            (LL.AdvertisingHeader(type: .advInd, receiverIsRandom: true), 0x80),
        ]
        for (header, first) in flags { #expect(try encoded(header) == [first, 0]) }
    }

    /// 2.4: LLID in two bits, then NESN, SN, MD, and CP; the others are reserved.
    @Test func theDataHeaderHasItsBits() throws {
        for first in UInt8.min...UInt8.max {
            let header = try LL.DataHeader(decoding: [first, 251].span)
            #expect(header.kind.rawValue == first & 3 && header.length == 251)
            #expect(header.nextExpected == (first & 1 << 2 != 0) && header.sequence == (first & 1 << 3 != 0))
            #expect(header.moreData == (first & 1 << 4 != 0) && header.extended == (first & 1 << 5 != 0))
            #expect(try encoded(header) == [first & 0x3F, 251])
        }
        let kinds: [LL.DataHeader.Kind] = [.reserved, .continuation, .start, .control]
        #expect(kinds.map(\.rawValue) == [0, 1, 2, 3])
        #expect(try encoded(LL.DataHeader(kind: .start)) == [2, 0])
    }

    /// 2.4.2, in the order of the numbers from 0x00.
    @Test func controlPDUsHaveTheirOpcodes() {
        let opcodes: [LL.ControlOpcode] = [
            .connectionUpdateInd, .channelMapInd, .terminateInd, .encReq, .encRsp, .startEncReq, .startEncRsp,
            .unknownRsp,
            .featureReq, .featureRsp, .pauseEncReq, .pauseEncRsp, .versionInd, .rejectInd, .peripheralFeatureReq,
            .connectionParamReq, .connectionParamRsp, .rejectExtInd, .pingReq, .pingRsp, .lengthReq, .lengthRsp,
            .phyReq,
            .phyRsp, .phyUpdateInd,
        ]
        for (number, opcode) in opcodes.enumerated() { #expect(opcode.rawValue == UInt8(number)) }
        #expect(opcodes.count == 0x19)
    }

    /// 37 data channels (1.4.1).
    @Test func aChannelMapHas37Channels() {
        let maps: [(UInt64, [UInt8])] = [
            (0, []), (1, [0]), (1 << 36, [36]), (0x1F_FFFF_FFFF, Array(0...36)), (.max, Array(0...36)),
            (0x15, [0, 2, 4]), (1 << 37, []), (0x10_0000_0001, [0, 36]),
        ]
        for (bits, channels) in maps {
            let map = LL.ChannelMap(rawValue: bits)
            let ofHCI = HCI.ChannelMap(rawValue: bits)
            #expect(map.count == channels.count && ofHCI.count == channels.count)
            for channel in UInt8(0)...64 {
                #expect(map.contains(channel) == channels.contains(channel), "\(bits), \(channel)")
                #expect(ofHCI.contains(Int(channel)) == channels.contains(channel))
            }
            #expect((0..<38).map { map.channel(at: $0) } == (0..<38).map { $0 < channels.count ? channels[$0] : nil })
            #expect(map.rawValue == bits & 0x1F_FFFF_FFFF && ofHCI.rawValue == map.rawValue)
        }
        #expect(LL.ChannelMap.all.rawValue == 0x1F_FFFF_FFFF && HCI.ChannelMap.all.rawValue == 0x1F_FFFF_FFFF)
        #expect(!HCI.ChannelMap.all.contains(-1))
    }

    /// The longest PDU within a time is the longest whose air time is not longer.
    @Test(arguments: LL.PHY.allCases) func theLongestPDUFillsItsTime(_ phy: LL.PHY) {
        for length in [2, 3, 27, 28, 29, 100, 253, 257] {
            let time = phy.airTime(pduLength: length)
            #expect(phy.pduLength(within: time) == length)
            #expect(phy.pduLength(within: time + .microseconds(1)) == length)
            #expect(phy.pduLength(within: time - .microseconds(1)) == length - 1)
        }
        #expect(phy.isCoded == (phy == .codedS8 || phy == .codedS2))
        for other in LL.PHY.allCases { #expect(phy.hears(other) == (phy == other || phy.isCoded && other.isCoded)) }
    }

    /// Preamble and access address (2.1 and 2.2): 8 + 32 us, 8 + 16 us, and 80 + 256 us.
    @Test func aReceiverSynchronisesAfterTheAccessAddress() {
        #expect(LL.PHY.oneM.synchronisationTime == .microseconds(40))
        #expect(LL.PHY.twoM.synchronisationTime == .microseconds(24))
        #expect(LL.PHY.codedS8.synchronisationTime == .microseconds(336))
        #expect(LL.PHY.codedS2.synchronisationTime == .microseconds(336))
        #expect([LL.PHY.oneM, .twoM, .codedS8, .codedS2].map(\.rawValue) == [1, 2, 3, 4])
    }

    /// The next PDU starts a whole number of 30 us after the start of this one, and at least T_MAFS of 300 us after its end (2.3.4.5 and 4.1.2).
    @Test func anAuxiliaryPacketStartsOnAUnit() {
        for (airTime, space) in [(300, 300), (301, 329), (329, 301), (330, 300), (1, 329), (2_120, 310)] {
            #expect(LL.auxiliaryFrameSpace(after: .microseconds(airTime)) == .microseconds(space), "\(airTime)")
        }
        #expect(LL.auxiliaryFrameSpace(after: .microseconds(300) + .nanoseconds(1)) == .nanoseconds(329_999))
        #expect(LL.auxiliaryFrameSpace(after: .microseconds(300) - .nanoseconds(1)) == .nanoseconds(300_001))
    }

    /// 13 bits of 30 us, and from 245.7 ms on of 300 us (2.3.4.5 and 2.3.4.6).
    @Test func offsetsHaveTheirUnits() throws {
        for (microseconds, count, isLong) in [
            (0, 0, false), (29, 0, false), (30, 1, false), (245_699, 8_189, false), (245_700, 819, true),
            (2_457_599, 8_191, true),
        ] as [(Int, UInt16, Bool)] {
            let offset = try #require(LL.PacketOffset(.microseconds(microseconds)))
            #expect(offset.count == count && offset.usesLongUnits == isLong, "\(microseconds)")
            #expect(offset.unit == .microseconds(isLong ? 300 : 30) && offset.span <= .microseconds(microseconds))
            #expect(offset.span + offset.unit > .microseconds(microseconds))
        }
        for microseconds in [-1, 2_457_600] {
            #expect(LL.PacketOffset(.microseconds(microseconds)) == nil)
        }
    }

    /// The codes of sleep clock accuracies (2.3.3.1), and the best code for an error.
    @Test func clockAccuraciesIncludeTheirErrors() {
        let limits = [500, 250, 150, 100, 75, 50, 30, 20]
        for (code, limit) in limits.enumerated() {
            let accuracy = HCI.ClockAccuracy(rawValue: UInt8(code))
            #expect(accuracy.partsPerMillion == limit && accuracy.isWithin50 == (limit <= 50))
            #expect(HCI.ClockAccuracy(rawValue: UInt8(code) | 0xF8).partsPerMillion == limit)
            #expect(HCI.ClockAccuracy(covering: limit) == accuracy)
            if code > 0 { #expect(HCI.ClockAccuracy(covering: limit + 1).rawValue == UInt8(code - 1)) }
        }
        #expect(HCI.ClockAccuracy(covering: 0) == .ppm20)
    }

    @Test func theConstantsOfTheLinkLayerAreThoseOfTheSpecification() {
        #expect(LL.advertisingAccessAddress == 0x8E89_BED6 && LL.advertisingCRCInit == 0x55_5555)
        #expect(LL.interFrameSpace == .microseconds(150) && LL.slot == .microseconds(1_250))
        #expect(LL.minimumDataLength == 27 && LL.maximumDataLength == 251 && LL.micLength == 4)
        #expect(LL.maximumAdvertisingData == 31)
    }

    /// Public and static random addresses identify a device; the two top bits tell random ones apart (1.3.2).
    @Test func addressesHaveTheirKinds() {
        let kinds: [DeviceAddress.Kind] = [.public, .random, .publicIdentity, .randomIdentity]
        #expect(kinds.map(\.rawValue) == [0, 1, 2, 3])
        for kind in kinds {
            for top in UInt64(0)...3 {
                let address = DeviceAddress(kind: kind, value: top << 46 | 5)
                #expect(address.isIdentity == (kind == .public || kind == .random && top == 3))
                #expect(address.isResolvable == (kind == .random && top == 1))
                #expect(address.isResolved == (kind.rawValue >= 2))
                #expect(address.asResolved.kind.rawValue == kind.rawValue % 2 + 2)
                #expect(address.asDevice.kind.rawValue == kind.rawValue % 2)
                #expect(address.asResolved.value == address.value && address.asDevice.value == address.value)
                #expect(address.key == UInt64(kind.rawValue) << 48 | address.value && !address.isZero)
            }
        }
        #expect(DeviceAddress(kind: .public, value: .max).value == 0xFFFF_FFFF_FFFF)
        #expect(DeviceAddress(kind: .random, value: 1 << 48).isZero)
        #expect(DeviceAddress(kind: .public, value: 0x0102_0304_0A0F).description == "01:02:03:04:0A:0F")
        var random = SeededRandom(seed: 3)
        for _ in 0..<100 {
            let address = DeviceAddress.randomStatic(using: &random)
            #expect(address.kind == .random && address.isIdentity && !address.isResolvable)
        }
    }
}
