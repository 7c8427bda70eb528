/// A packet of the Simple Management Protocol: a header of eight octets in network order, and a map in CBOR.
///
/// SMP 数据包：8 字节的头部和一个 CBOR 映射。
package struct SMPPacket: Hashable, Sendable {
    package enum Operation: UInt8, Sendable {
        case read = 0
        case readResponse = 1
        case write = 2
        case writeResponse = 3
    }

    package static let headerLength = 8

    /// 0, or 1 for the second version of the protocol, whose errors have a group.
    package var version: UInt8
    package var operation: Operation
    package var group: UInt16
    package var sequence: UInt8
    package var command: UInt8
    package var payload: [UInt8]

    package init(
        version: UInt8 = 1, _ operation: Operation, group: UInt16, command: UInt8, sequence: UInt8, _ payload: CBOR
    ) {
        self.version = version
        self.operation = operation
        self.group = group
        self.command = command
        self.sequence = sequence
        self.payload = payload.octets
    }

    /// Decodes a header and the octets after it. Returns nil for an operation that does not exist.
    package init?(header: ArraySlice<UInt8>, payload: ArraySlice<UInt8>) {
        guard header.count == Self.headerLength, let operation = Operation(rawValue: header[header.startIndex] & 7),
            let group = header.bigEndian(UInt16.self, at: 4)
        else { return nil }
        version = header[header.startIndex] >> 3 & 3
        self.operation = operation
        self.group = group
        sequence = header[header.startIndex + 6]
        command = header[header.startIndex + 7]
        self.payload = Array(payload)
    }

    package var octets: [UInt8] {
        [version << 3 | operation.rawValue, 0] + UInt16(truncatingIfNeeded: payload.count).bigEndianOctets
            + group.bigEndianOctets + [sequence, command] + payload
    }
}

/// The packets of one client. A packet may take several writes, and a write may have several packets.
///
/// 一个数据包可以分成多次写入。
package struct SMPReassembly: Sendable {
    package enum Outcome: Hashable, Sendable {
        case packet(SMPPacket)
        /// The header of a packet that does not fit into a buffer. The reassembly skips its octets.
        case tooLong(SMPPacket)
    }

    private let limit: Int
    private var buffer: [UInt8] = []
    private var octetsToSkip = 0

    /// - Parameter limit: The octets of a packet with its header.
    package init(limit: Int) { self.limit = limit }

    /// Adds the octets of one write, and returns the packets that end in it.
    package mutating func receive(_ octets: some Collection<UInt8>) -> [Outcome] {
        let skipped = min(octetsToSkip, octets.count)
        octetsToSkip -= skipped
        buffer += octets.dropFirst(skipped)
        var outcomes: [Outcome] = []
        while buffer.count >= SMPPacket.headerLength, let length = buffer.bigEndian(UInt16.self, at: 2) {
            let (header, end) = (buffer[..<SMPPacket.headerLength], SMPPacket.headerLength + Int(length))
            if end > limit {
                if let packet = SMPPacket(header: header, payload: []) { outcomes.append(.tooLong(packet)) }
                octetsToSkip = max(0, end - buffer.count)
                buffer.removeFirst(min(end, buffer.count))
                continue
            }
            guard buffer.count >= end else { break }
            if let packet = SMPPacket(header: header, payload: buffer[SMPPacket.headerLength..<end]) {
                outcomes.append(.packet(packet))
            }
            buffer.removeFirst(end)
        }
        return outcomes
    }
}
