import BLEWire

/// Writes HCI packets as btsnoop (version 1), which btmon and Wireshark read. Everything in it is big-endian.
package struct BtsnoopWriter: Sendable {
    /// The datalink of the file.
    package enum Format: UInt32, Hashable, Sendable {
        /// Datalink 1002, HCI UART: each record is an H4 packet with its type octet. For one controller.
        case h4 = 1002
        /// Datalink 2001, the Linux Monitor: each record says which of many controllers it belongs to.
        case monitor = 2001
    }

    /// The direction of a packet, seen from the host.
    package enum Direction: Hashable, Sendable {
        case sent
        case received
    }

    /// The start of the year 0, from which btsnoop counts, in microseconds before 1970.
    static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000

    package let format: Format
    /// The records that were dropped so far; each later record contains the number.
    package var droppedRecords: UInt32 = 0
    private var knownControllers: Set<UInt16> = []

    package init(format: Format) { self.format = format }

    /// Appends the header of the file.
    package func appendHeader(to output: inout [UInt8]) {
        output.append(contentsOf: "btsnoop\0".utf8)
        output.append(bigEndian: UInt32(1))
        output.append(bigEndian: format.rawValue)
    }

    /// Appends one H4 packet. A packet of a type that the format cannot hold is left out.
    ///
    /// - Parameters:
    ///   - time: nanoseconds since the beginning of 1970.
    ///   - controller: The number of the controller; only the Linux Monitor format contains it.
    package mutating func append(
        _ packet: Span<UInt8>, direction: Direction, time: Int64, controller: UInt16 = 0, to output: inout [UInt8]
    ) {
        guard !packet.isEmpty else { return }
        let type = H4.PacketType(rawValue: packet[0])
        switch format {
        case .h4:
            let isControl = type == .command || type == .event
            let flags: UInt32 = (direction == .received ? 1 : 0) | (isControl ? 2 : 0)
            appendRecord(packet, flags: flags, time: time, to: &output)
        case .monitor:
            guard let opcode = Self.monitorOpcode(type, direction) else { return }
            if knownControllers.insert(controller).inserted { announce(controller, time: time, to: &output) }
            appendRecord(
                packet.extracting(droppingFirst: 1), flags: UInt32(controller) << 16 | opcode, time: time, to: &output)
        }
    }

    /// Appends the removal of a controller, if the file has packets of it. The next packet with its number begins a new controller.
    package mutating func removeController(_ controller: UInt16, time: Int64, to output: inout [UInt8]) {
        guard format == .monitor, knownControllers.remove(controller) != nil else { return }
        // Opcode 1 of the Linux Monitor: Delete Index.
        appendRecord([UInt8]().span, flags: UInt32(controller) << 16 | 1, time: time, to: &output)
    }

    private static func monitorOpcode(_ type: H4.PacketType, _ direction: Direction) -> UInt32? {
        switch type {
        case .command: 2
        case .event: 3
        case .acl: direction == .sent ? 4 : 5
        case .synchronous: direction == .sent ? 6 : 7
        case .iso: direction == .sent ? 18 : 19
        default: nil
        }
    }

    /// Appends opcode 0 of the Linux Monitor, New Index: kind (primary), bus (virtual), address (not known yet), name.
    private func announce(_ controller: UInt16, time: Int64, to output: inout [UInt8]) {
        var content = [UInt8](repeating: 0, count: 8)
        content.append(contentsOf: "hci\(controller)".utf8)
        content.append(contentsOf: repeatElement(0, count: max(0, 16 - content.count)))
        appendRecord(content.span, flags: UInt32(controller) << 16, time: time, to: &output)
    }

    private func appendRecord(_ content: Span<UInt8>, flags: UInt32, time: Int64, to output: inout [UInt8]) {
        output.append(bigEndian: UInt32(clamping: content.count))
        output.append(bigEndian: UInt32(clamping: content.count))
        output.append(bigEndian: flags)
        output.append(bigEndian: droppedRecords)
        output.append(bigEndian: UInt64(bitPattern: time / 1000 &+ Self.epoch))
        output.append(content)
    }
}

extension [UInt8] {
    fileprivate mutating func append<T: FixedWidthInteger>(bigEndian value: T) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
