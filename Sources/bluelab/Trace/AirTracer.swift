import BLEController
import BLEWire
import BLEAdapter

/// Formats packets on the air: one line for each, decoded up to ATT.
final class AirTracer: Sendable {
    /// The state of one direction of one connection.
    private struct Stream {
        var sequence: Bool?
        /// The start of an incomplete L2CAP frame.
        var frame: [UInt8] = []
    }

    private struct Key: Hashable {
        var accessAddress: UInt32
        var sender: ControllerIdentifier
    }

    private struct State {
        var streams: [Key: Stream] = [:]
        /// The access addresses of encrypted connections.
        var encrypted: Set<UInt32> = []

        /// Follows the encryption procedures (Vol 6, Part B, 5.1.3). Returns whether this payload is encrypted. An encrypted one is longer
        /// than its MIC.
        mutating func isEncrypted(_ octets: [UInt8], _ kind: LL.DataHeader.Kind, on accessAddress: UInt32) -> Bool {
            if kind == .control, octets == [LL.ControlOpcode.startEncReq.rawValue] {
                encrypted.insert(accessAddress)
            } else if kind == .control, octets == [LL.ControlOpcode.pauseEncRsp.rawValue] {
                encrypted.remove(accessAddress)
            }
            return octets.count > LL.micLength && encrypted.contains(accessAddress)
        }
    }

    private let names: [String]
    private static let streamLimit = 4096
    private let state = Lock(State())

    /// - Parameter names: The names of the devices, in the order of their creation.
    init(names: [String]) { self.names = names }

    /// One packet as one line: time, channel, PHY, sender, signal at the receiver, and content.
    func describe(_ packet: borrowing AirPacket) -> String {
        let content =
            packet.accessAddress == LL.advertisingAccessAddress ? advertising(packet.pdu) : data(packet)
        let head = [
            time(packet.start), padded("\(packet.channel)", 2), packet.phy == .twoM ? "2M" : "1M",
            filled(name(packet.sender), 9), padded(signal(packet), 7),
        ].joined(separator: "  ")
        return "\(head)  \(content)"
    }

    private func name(_ identifier: ControllerIdentifier) -> String {
        names.indices.contains(identifier.rawValue) ? names[identifier.rawValue] : "device \(identifier.rawValue)"
    }

    private func signal(_ packet: borrowing AirPacket) -> String {
        guard let reception = packet.receptions.first else { return "unheard" }
        switch reception.outcome {
        case .received: return "\(reception.rssi) dBm"
        case .corrupted: return "damaged"
        case .missed: return "missed"
        }
    }

    // MARK: Advertising channels

    private func advertising(_ pdu: Span<UInt8>) -> String {
        guard let decoded = try? LL.AdvertisingPDU(decoding: pdu) else { return "undecodable  \(hexadecimal(pdu))" }
        switch decoded {
        case .advInd(_, let payload): return "ADV_IND \(address(payload.advertiser))\(structures(payload.data))"
        case .advNonconnInd(_, let payload):
            return "ADV_NONCONN_IND \(address(payload.advertiser))\(structures(payload.data))"
        case .advScanInd(_, let payload):
            return "ADV_SCAN_IND \(address(payload.advertiser))\(structures(payload.data))"
        case .scanRsp(_, let payload): return "SCAN_RSP \(address(payload.advertiser))\(structures(payload.data))"
        case .advDirectInd(_, let payload):
            return "ADV_DIRECT_IND \(address(payload.advertiser)) to \(address(payload.target))"
        case .scanReq(_, let payload):
            return "SCAN_REQ \(address(payload.scanner)) to \(address(payload.advertiser))"
        case .connectInd(_, let payload):
            return "CONNECT_IND \(address(payload.initiator)) to \(address(payload.advertiser)), interval "
                + "\(interval(payload.interval)), timeout \(Int(payload.timeout) * 10) ms, access address "
                + hexadecimal(payload.accessAddress, digits: 8)
        case .unknown(let header, let payload):
            return "type \(header.type.rawValue)  \(hexadecimal(payload))"
        }
    }

    private func address(_ value: UInt64) -> String { DeviceAddress(kind: .random, value: value).description }

    private func structures(_ data: Span<UInt8>) -> String {
        var parts: [String] = []
        var structures = AD.Structures(data)
        while let structure = structures.next() {
            var services: [String] = []
            structure.forEachServiceUUID { services.append($0.description) }
            if let flags = structure.content(as: AD.Flags.self) {
                parts.append("flags \(hexadecimal(flags.rawValue, digits: 2))")
            } else if let name = structure.content(as: AD.CompleteLocalName.self) {
                parts.append("name \"\(name.text)\"")
            } else if let name = structure.content(as: AD.ShortenedLocalName.self) {
                parts.append("name \"\(name.text)...\"")
            } else if !services.isEmpty {
                parts.append("services \(services.joined(separator: " "))")
            } else {
                parts.append("type \(hexadecimal(structure.type.rawValue, digits: 2)) \(hexadecimal(structure.data))")
            }
        }
        return parts.map { ", \($0)" }.joined()
    }

    // MARK: Data channels

    private func data(_ packet: borrowing AirPacket) -> String {
        let pdu = packet.pdu
        guard pdu.count >= LL.DataHeader.encodedCount,
            let header = try? LL.DataHeader(decoding: pdu.extracting(first: LL.DataHeader.encodedCount))
        else { return "undecodable  \(hexadecimal(pdu))" }
        let payload = pdu.extracting(droppingFirst: LL.DataHeader.encodedCount)
        let key = Key(accessAddress: packet.accessAddress, sender: packet.sender)
        let isHeard = packet.receptions.contains { $0.outcome == .received }
        let octets = [UInt8](payload)
        return state.withLock { state in
            // The tracer does not see the ends of connections. Current ones are added again with their next packets.
            if state.streams.count >= Self.streamLimit {
                state.streams.removeAll()
                state.encrypted.removeAll()
            }
            var stream = state.streams[key] ?? Stream()
            defer { state.streams[key] = stream }
            let isRepeated = stream.sequence == header.sequence
            if isHeard { stream.sequence = header.sequence }
            let content =
                state.isEncrypted(octets, header.kind, on: key.accessAddress)
                ? "encrypted, \(octets.count) octets"
                : content(of: header, octets, isNew: isHeard && !isRepeated, frame: &stream.frame)
            return isRepeated ? "\(content), again" : content
        }
    }

    private func content(of header: LL.DataHeader, _ octets: [UInt8], isNew: Bool, frame: inout [UInt8]) -> String {
        if header.kind == .continuation, octets.isEmpty { return "empty" }
        if header.kind == .control { return LLText.describe(octets.span) }
        guard isNew else { return "data, \(octets.count) octets" }
        if header.kind == .start { frame = [] }
        frame += octets
        guard frame.count >= L2CAP.headerCount else { return "data, \(octets.count) octets, more follows" }
        let expected = L2CAP.headerCount + Int(frame[0]) + Int(frame[1]) << 8
        guard frame.count >= expected else { return "data, \(frame.count) of \(expected) octets" }
        return L2CAPText.describe(frame.span)
    }
}

/// Seconds with six decimals.
func time(_ instant: Instant) -> String {
    let microseconds = instant.nanoseconds / 1000
    let fraction = String(microseconds % 1_000_000)
    return padded("\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count) + fraction, 10)
}

/// A connection interval in milliseconds, from units of 1.25 ms.
func interval(_ units: UInt16) -> String {
    let hundredths = Int(units) * 125
    let fraction = String(hundredths % 100)
    return "\(hundredths / 100)." + String(repeating: "0", count: 2 - fraction.count) + fraction + " ms"
}
