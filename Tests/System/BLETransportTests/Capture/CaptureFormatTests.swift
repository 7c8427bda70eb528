import BLEWire
import Testing

@testable import BLETransport

@Suite struct CaptureFormatTests {
    private let reset: [UInt8] = [1, 3, 12, 0]
    private let complete: [UInt8] = [4, 14, 4, 1, 3, 12, 0]
    /// 1970 in btsnoop's count, and a microsecond.
    private let stamp: [UInt8] = [0x00, 0xDC, 0xDD, 0xB3, 0x0F, 0x2F, 0x80, 0x01]

    @Test func btsnoopContainsWholeH4Packets() {
        var writer = BtsnoopWriter(format: .h4)
        var output: [UInt8] = []
        writer.appendHeader(to: &output)
        #expect(output == Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA])
        output = []
        writer.append(reset.span, direction: .sent, time: 1999, to: &output)
        #expect(output == [0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 0] + stamp + reset)
        output = []
        writer.droppedRecords = 258
        writer.append(complete.span, direction: .received, time: 1000, to: &output)
        #expect(output == [0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0, 3, 0, 0, 1, 2] + stamp + complete)
        output = []
        writer.append([2, 0x40, 0, 0, 0].span, direction: .sent, time: 1000, to: &output)
        #expect(output[8..<12] == [0, 0, 0, 0])
    }

    @Test func btsnoopOfTheLinuxMonitorDistinguishesControllers() {
        var writer = BtsnoopWriter(format: .monitor)
        var output: [UInt8] = []
        writer.append(reset.span, direction: .sent, time: 1000, controller: 2, to: &output)
        let announcement: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0] + Array("hci2".utf8) + [0, 0, 0, 0]
        #expect(
            output == [0, 0, 0, 16, 0, 0, 0, 16, 0, 2, 0, 0, 0, 0, 0, 0] + stamp + announcement
                + [0, 0, 0, 3, 0, 0, 0, 3, 0, 2, 0, 2, 0, 0, 0, 0] + stamp + reset[1...])
        output = []
        writer.append(complete.span, direction: .received, time: 1000, controller: 2, to: &output)
        #expect(output == [0, 0, 0, 6, 0, 0, 0, 6, 0, 2, 0, 3, 0, 0, 0, 0] + stamp + complete[1...])
        output = []
        writer.append([9, 1, 2].span, direction: .received, time: 0, controller: 2, to: &output)
        #expect(output.isEmpty)
    }

    @Test func aControllerWithTheNumberOfARemovedOneIsAnnouncedAgain() {
        var writer = BtsnoopWriter(format: .monitor)
        var output: [UInt8] = []
        writer.append(reset.span, direction: .sent, time: 1000, controller: 2, to: &output)
        let beginning = output
        output = []
        writer.removeController(2, time: 1000, to: &output)
        #expect(output == [0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0, 0] + stamp)
        output = []
        writer.removeController(2, time: 1000, to: &output)
        writer.removeController(3, time: 1000, to: &output)
        #expect(output.isEmpty)
        writer.append(reset.span, direction: .sent, time: 1000, controller: 2, to: &output)
        #expect(output == beginning)
    }

    @Test func channelsAreCountedByFrequencyInACapture() {
        let channels = (0...39).map { frame(channel: $0).rfChannel }
        #expect(Set(channels) == Set(0...39))
        #expect(channels[37...] == [0, 12, 39])
        #expect(channels[0] == 1 && channels[10] == 11 && channels[11] == 13 && channels[36] == 38)
    }

    private func frame(
        channel: UInt8, phy: LL.PHY = .oneM, signal: Int8? = -60, direction: LinkLayerFrame.Direction = .unspecified
    ) -> LinkLayerFrame {
        LinkLayerFrame(
            channel: channel, phy: phy, signalPower: signal, accessAddress: 0x8E89_BED6, crcInit: 0x55_5555,
            direction: direction)
    }

    @Test func pcapngBlocksAreWholeAndAligned() {
        var writer = PcapngWriter()
        var output: [UInt8] = []
        writer.appendHeader(interface: "radio", to: &output)
        let pdu: [UInt8] = [0x42, 0x07, 6, 5, 4, 3, 2, 0xC1, 0xAA]
        writer.append(frame(channel: 37), pdu: pdu.span, time: 0x1_0000_0002, to: &output)
        writer.droppedPackets = 3
        writer.append(frame(channel: 38), pdu: pdu.span, time: 7, comment: "missed by Phone", to: &output)
        writer.append(frame(channel: 39), pdu: pdu.span, time: 8, to: &output)
        let blocks = blocks(output)
        #expect(blocks.map { $0[0] } == [0x0A, 1, 6, 6, 6])
        #expect(blocks.allSatisfy { $0.count % 4 == 0 })
        // Link type 256; time stamps in units of ten to the power of minus nine.
        #expect(blocks[1][8..<10] == [0, 1])
        #expect(blocks[1].count == 20 + 12 + 8 + 4)
        let crc = LL.crc(of: pdu.span, initial: 0x55_5555)
        let expected: [UInt8] =
            [0, 0xC4, 0, 0, 0xD6, 0xBE, 0x89, 0x8E, 0x33, 0x0C, 0xD6, 0xBE, 0x89, 0x8E] + pdu
            + [UInt8(crc & 0xFF), UInt8(crc >> 8 & 0xFF), UInt8(crc >> 16)]
        #expect(Array(blocks[2][12..<28]) == [1, 0, 0, 0, 2, 0, 0, 0, 26, 0, 0, 0, 26, 0, 0, 0])
        #expect(Array(blocks[2][28..<54]) == expected)
        #expect(blocks[2].count == 60)
        // The comment of fifteen octets, and the count of those before that were lost; which is not told twice.
        #expect(blocks[3].count == 60 + 20 + 12 + 4)
        #expect(Array(blocks[3][76..<88]) == [4, 0, 8, 0, 3, 0, 0, 0, 0, 0, 0, 0])
        #expect(blocks[4].count == 60)
    }

    @Test func aCaptureRecordsChannelAndPHY() {
        func flags(_ frame: LinkLayerFrame) -> UInt16 {
            var output: [UInt8] = []
            frame.append([1, 0].span, to: &output)
            let count = frame.encodedCount([1, 0].span)
            #expect(output.count == count)
            return UInt16(output[8]) | UInt16(output[9]) << 8
        }
        #expect(flags(frame(channel: 3, signal: nil)) == 0x0C31)
        #expect(flags(frame(channel: 3, direction: .centralToPeripheral)) == 0x0D33)
        #expect(flags(frame(channel: 3, phy: .twoM, direction: .peripheralToCentral)) == 0x4DB3)
        #expect(flags(frame(channel: 3, phy: .codedS2)) == 0x8C33)
    }

    /// Cuts at the lengths that the blocks give at their beginnings, which have to be those at their ends.
    private func blocks(_ octets: [UInt8]) -> [[UInt8]] {
        var result: [[UInt8]] = []
        var rest = octets[...]
        while rest.count >= 12 {
            let start = rest.startIndex
            let length = Int(rest[start + 4]) | Int(rest[start + 5]) << 8
            guard length >= 12, length <= rest.count else { break }
            let block = Array(rest.prefix(length))
            #expect(block[4..<8].elementsEqual(block.suffix(4)))
            result.append(block)
            rest = rest.dropFirst(length)
        }
        #expect(rest.isEmpty)
        return result
    }
}
