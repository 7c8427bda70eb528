import BLEWire
import Testing

/// The fields of the PDUs for power and channels (Vol 6, Part B, 2.4.2.33 to 2.4.2.39).
struct PowerAndChannelTests {
    @Test func thePDUsHaveTheirOpcodes() {
        let opcodes: [LL.ControlOpcode] = [
            .powerControlReq, .powerControlRsp, .powerChangeInd, .channelReportingInd, .channelStatusInd,
        ]
        #expect(opcodes.map(\.rawValue) == [0x23, 0x24, 0x25, 0x28, 0x29])
    }

    @Test func powerFieldsHaveTheSpecifiedPositions() throws {
        let request = try LL.PowerControlReq(decoding: octets("08 F6 14").span)
        #expect(request == .init(phys: .codedS2, delta: -10, power: 20))
        let answer = try LL.PowerControlRsp(decoding: octets("02 05 EC FF").span)
        #expect(answer == .init(limits: .maximum, delta: 5, power: -20, acceptableReduction: 255))
        let change = try LL.PowerChangeInd(decoding: octets("05 01 FB 81").span)
        #expect(change == .init(phys: [.oneM, .codedS8], limits: .minimum, delta: -5, power: -127))
    }

    @Test func aSetOfPHYsKnowsItsOnlyOne() {
        for (phy, bit) in [(LL.PHY.oneM, 1), (.twoM, 2), (.codedS8, 4), (.codedS2, 8)] as [(LL.PHY, UInt8)] {
            #expect(LL.PowerPHYSet(phy).rawValue == bit && LL.PowerPHYSet(rawValue: bit).sole == phy)
        }
        for bits in [0, 3, 5, 9, 0x0F, 0x10, 0x11, 0x80, 0xFF] as [UInt8] {
            #expect(LL.PowerPHYSet(rawValue: bits).sole == nil, "\(bits)")
        }
        #expect(LL.PowerPHYSet(rawValue: 0xFA).phys == [.twoM, .codedS2])
        #expect(LL.PowerPHYSet(rawValue: 0xF0).phys.isEmpty)
    }

    @Test func reportingIsOnOrOff() throws {
        let report = try LL.ChannelReportingInd(decoding: octets("01 05 96").span)
        #expect(report == .init(isOn: true, minimumSpacing: 5, maximumDelay: 150))
        #expect(throws: DecodeError.invalidValue) {
            _ = try LL.ChannelReportingInd(decoding: octets("02 05 96").span)
        }
    }

    /// Two bits for each channel, and six reserved ones.
    @Test func eachChannelHasAStatus() throws {
        let pdu = try LL.ChannelStatusInd(decoding: octets("27 00 00 00 00 C0 00 00 00 FF").span)
        let classification = pdu.classification
        #expect(classification[0] == .bad && classification[1] == .good && classification[2] == .reserved)
        #expect(classification[3] == .unknown && classification[23] == .bad && classification[36] == .bad)
        #expect([37, 39, 40, 255].allSatisfy { classification[$0] == .unknown })
        #expect(classification.channels(.bad) == LL.ChannelMap(rawValue: 1 | 1 << 23 | 1 << 36))
        #expect(classification.channels(.good) == LL.ChannelMap(rawValue: 2))
        let bad = LL.ChannelMap(rawValue: 0x10_0000_0201)
        #expect(LL.ChannelClassification(bad: bad).channels(.bad) == bad)
        #expect(LL.ChannelClassification(bad: bad).channels(.unknown).count == 34)
        let (allBad, allBits): (UInt128, UInt128) = ((1 << 74) - 1, (1 << 80) - 1)
        #expect(LL.ChannelClassification(bad: .all).rawValue == allBad)
        #expect(LL.ChannelClassification(rawValue: .max).rawValue == allBits)
    }
}
