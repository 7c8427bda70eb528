import BLEWire

/// Writes packets of the air as pcapng, which Wireshark and tshark read: one section, one interface with the link type
/// LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR, time stamps in nanoseconds. Everything in it is little-endian.
package struct PcapngWriter: Sendable {
    private enum BlockType {
        static let sectionHeader: UInt32 = 0x0A0D_0D0A
        static let interfaceDescription: UInt32 = 1
        static let enhancedPacket: UInt32 = 6
    }

    private enum Option {
        static let end: UInt16 = 0
        static let comment: UInt16 = 1
        static let interfaceName: UInt16 = 2
        static let application: UInt16 = 4
        static let dropCount: UInt16 = 4
        static let timeResolution: UInt16 = 9
    }

    private static let linkType: UInt16 = 256

    /// The number of packets dropped since the last written one. The next packet carries it.
    package var droppedPackets: UInt64 = 0

    package init() {}

    /// What the file begins with.
    package func appendHeader(interface name: String, to output: inout [UInt8]) {
        Self.appendBlock(BlockType.sectionHeader, to: &output) { output in
            output.append(littleEndian: 0x1A2B_3C4D as UInt32)
            output.append(littleEndian: 1 as UInt16)
            output.append(littleEndian: 0 as UInt16)
            // The length of the section is not known.
            output.append(littleEndian: UInt64.max)
            Self.appendOption(Option.application, Array("OpenCoreBluetooth".utf8).span, to: &output)
            Self.appendEndOfOptions(to: &output)
        }
        Self.appendBlock(BlockType.interfaceDescription, to: &output) { output in
            output.append(littleEndian: Self.linkType)
            output.append(littleEndian: 0 as UInt16)
            // No limit to a packet's length.
            output.append(littleEndian: 0 as UInt32)
            Self.appendOption(Option.interfaceName, Array(name.utf8).span, to: &output)
            Self.appendOption(Option.timeResolution, [9].span, to: &output)
            Self.appendEndOfOptions(to: &output)
        }
    }

    /// Appends one packet of the air.
    ///
    /// - Parameters:
    ///   - frame: The properties of the packet besides its octets.
    ///   - pdu: header and payload, without the CRC, which is computed.
    ///   - time: when its preamble began, in nanoseconds since the beginning of 1970.
    ///   - comment: shown with the packet; empty: none.
    package mutating func append(
        _ frame: LinkLayerFrame, pdu: Span<UInt8>, time: Int64, comment: String = "", to output: inout [UInt8]
    ) {
        let dropped = droppedPackets
        droppedPackets = 0
        let stamp = UInt64(clamping: time)
        Self.appendBlock(BlockType.enhancedPacket, to: &output) { output in
            output.append(littleEndian: 0 as UInt32)
            output.append(littleEndian: UInt32(truncatingIfNeeded: stamp >> 32))
            output.append(littleEndian: UInt32(truncatingIfNeeded: stamp))
            let length = UInt32(clamping: frame.encodedCount(pdu))
            output.append(littleEndian: length)
            output.append(littleEndian: length)
            let start = output.count
            frame.append(pdu, to: &output)
            Self.pad(from: start, &output)
            guard dropped > 0 || !comment.isEmpty else { return }
            if !comment.isEmpty { Self.appendOption(Option.comment, Array(comment.utf8).span, to: &output) }
            if dropped > 0 {
                let count = (0..<8).map { UInt8(truncatingIfNeeded: dropped >> UInt64(8 * $0)) }
                Self.appendOption(Option.dropCount, count.span, to: &output)
            }
            Self.appendEndOfOptions(to: &output)
        }
    }

    /// Type, length, content and length again; both lengths count the whole block.
    private static func appendBlock(_ type: UInt32, to output: inout [UInt8], _ content: (inout [UInt8]) -> Void) {
        let start = output.count
        output.append(littleEndian: type)
        output.append(littleEndian: 0 as UInt32)
        content(&output)
        let length = UInt32(clamping: output.count - start + 4)
        output.append(littleEndian: length)
        for index in 0..<4 { output[start + 4 + index] = UInt8(truncatingIfNeeded: length >> UInt32(8 * index)) }
    }

    private static func appendOption(_ code: UInt16, _ value: Span<UInt8>, to output: inout [UInt8]) {
        let value = value.extracting(first: Int(UInt16.max) & ~3)
        output.append(littleEndian: code)
        output.append(littleEndian: UInt16(clamping: value.count))
        let start = output.count
        output.append(value)
        pad(from: start, &output)
    }

    private static func appendEndOfOptions(to output: inout [UInt8]) {
        output.append(littleEndian: Option.end)
        output.append(littleEndian: 0 as UInt16)
    }

    private static func pad(from start: Int, _ output: inout [UInt8]) {
        while (output.count - start) % 4 != 0 { output.append(0) }
    }
}

extension [UInt8] {
    mutating func append<T: FixedWidthInteger>(littleEndian value: T) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
