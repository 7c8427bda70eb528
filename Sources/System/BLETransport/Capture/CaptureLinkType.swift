import BLEWire

/// What the octets of a packet in a capture file are.
enum CaptureLinkType: Hashable, Sendable {
    /// Packets without a type octet. The flags of btsnoop say what they are (datalink 1001).
    case unencapsulated
    /// H4 packets (btsnoop's datalink 1002, LINKTYPE_BLUETOOTH_HCI_H4).
    case h4
    /// The direction in four octets, then an H4 packet (LINKTYPE_BLUETOOTH_HCI_H4_WITH_PHDR).
    case h4WithDirection
    /// The Linux Monitor: controller and kind of packet precede it (LINKTYPE_BLUETOOTH_LINUX_MONITOR).
    case monitor
    /// The access address, the PDU and the CRC (LINKTYPE_BLUETOOTH_LE_LL).
    case air
    /// The same after a header of ten octets (LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR).
    case airWithHeader
    /// The same after the header of the nRF Sniffer (LINKTYPE_NORDIC_BLE).
    case nordic

    /// The link type of a pcap or pcapng file; nil for other protocols.
    init?(pcap number: UInt32) {
        switch number {
        case 187: self = .h4
        case 201: self = .h4WithDirection
        case 251: self = .air
        case 254: self = .monitor
        case 256: self = .airWithHeader
        case 272: self = .nordic
        default: return nil
        }
    }

    /// The content of a packet. Its octets may be cut at any place.
    func content(_ octets: ArraySlice<UInt8>) -> CapturedPacket.Content {
        let start = octets.startIndex
        switch self {
        case .unencapsulated, .h4: return Self.host(Array(octets), isSent: nil)
        case .h4WithDirection:
            guard octets.count > 4 else { return .undecodable }
            return Self.host(Array(octets.dropFirst(4)), isSent: octets[start + 3] & 1 == 0)
        case .monitor:
            guard octets.count >= 4 else { return .undecodable }
            let controller = UInt16(octets[start]) << 8 | UInt16(octets[start + 1])
            let opcode = UInt16(octets[start + 2]) << 8 | UInt16(octets[start + 3])
            return Self.monitor(octets.dropFirst(4), controller: controller, opcode: opcode)
        case .air:
            return Self.air(octets, CapturedPacket.Air(accessAddress: 0, octets: []))
        case .airWithHeader: return Self.airWithHeader(octets)
        case .nordic: return Self.nordic(octets)
        }
    }

    // MARK: HCI

    /// A packet without a type octet, by the flags of its btsnoop record.
    static func unencapsulated(_ octets: ArraySlice<UInt8>, flags: UInt32) -> CapturedPacket.Content {
        let isSent = flags & 1 == 0
        let type: H4.PacketType = flags & 2 == 0 ? .acl : isSent ? .command : .event
        return host([type.rawValue] + octets, isSent: isSent)
    }

    static func host(_ packet: [UInt8], isSent: Bool?) -> CapturedPacket.Content {
        guard let first = packet.first else { return .undecodable }
        let known: Bool? =
            switch H4.PacketType(rawValue: first) {
            case .command: true
            case .event: false
            default: isSent
            }
        return .host(CapturedPacket.Host(isSent: known, octets: packet))
    }

    /// A record of the Linux Monitor.
    static func monitor(_ octets: ArraySlice<UInt8>, controller: UInt16, opcode: UInt16) -> CapturedPacket.Content {
        let (type, isSent): (H4.PacketType, Bool)
        switch opcode {
        case 2: (type, isSent) = (.command, true)
        case 3: (type, isSent) = (.event, false)
        case 4: (type, isSent) = (.acl, true)
        case 5: (type, isSent) = (.acl, false)
        case 6: (type, isSent) = (.synchronous, true)
        case 7: (type, isSent) = (.synchronous, false)
        case 18: (type, isSent) = (.iso, true)
        case 19: (type, isSent) = (.iso, false)
        default: return .other
        }
        return .host(CapturedPacket.Host(isSent: isSent, controller: controller, octets: [type.rawValue] + octets))
    }

    // MARK: The air

    /// The access address, a coding indicator on the Coded PHY, the PDU and the CRC.
    private static func air(_ octets: ArraySlice<UInt8>, _ packet: CapturedPacket.Air) -> CapturedPacket.Content {
        let header = 4 + (packet.phy.isCoded ? 1 : 0)
        let pdu = octets.dropFirst(header)
        guard pdu.count >= LL.DataHeader.encodedCount else { return .undecodable }
        let length = LL.DataHeader.encodedCount + Int(pdu[pdu.startIndex + 1])
        guard pdu.count >= length else { return .undecodable }
        var packet = packet
        packet.accessAddress = littleEndian(octets)
        // The coding indicator (Vol 6, Part B, 2.2.3).
        if packet.phy.isCoded, octets[octets.startIndex + 4] & 3 == 1 { packet.phy = .codedS2 }
        packet.octets = Array(pdu.prefix(length))
        return .air(packet)
    }

    private static func airWithHeader(_ octets: ArraySlice<UInt8>) -> CapturedPacket.Content {
        guard octets.count >= LinkLayerFrame.headerCount else { return .undecodable }
        let start = octets.startIndex
        let flags = UInt16(octets[start + 8]) | UInt16(octets[start + 9]) << 8
        var packet = CapturedPacket.Air(accessAddress: 0, octets: [])
        packet.channel = LinkLayerFrame.channel(ofRFChannel: octets[start])
        if flags & LinkLayerFrame.Flag.signalPowerIsValid != 0 { packet.signal = Int8(bitPattern: octets[start + 1]) }
        packet.isIntact =
            flags & LinkLayerFrame.Flag.dewhitened != 0
            && (flags & LinkLayerFrame.Flag.crcIsChecked == 0 || flags & LinkLayerFrame.Flag.crcIsValid != 0)
        packet.isDecrypted = flags & LinkLayerFrame.Flag.decrypted != 0
        switch flags & LinkLayerFrame.Flag.direction {
        case LinkLayerFrame.Flag.centralToPeripheral: packet.direction = .centralToPeripheral
        case LinkLayerFrame.Flag.peripheralToCentral: packet.direction = .peripheralToCentral
        default: break
        }
        packet.phy = phy(UInt8(flags >> 14))
        return air(octets.dropFirst(LinkLayerFrame.headerCount), packet)
    }

    /// The header of the nRF Sniffer for Bluetooth LE, protocol versions 1 to 3. Other packets than those of the air are left out.
    private static func nordic(_ octets: ArraySlice<UInt8>) -> CapturedPacket.Content {
        let start = octets.startIndex
        guard octets.count > 17, (1...3).contains(octets[start + 3]) else { return .undecodable }
        let (version, identifier) = (octets[start + 3], octets[start + 6])
        guard identifier == 6 || version == 3 && identifier == 2 else { return .other }
        // The length of the second header, which later versions may extend.
        let second = Int(octets[start + 7])
        guard second >= 10, octets.count > 7 + second + 4 else { return .undecodable }
        let flags = octets[start + 8]
        let content = octets.dropFirst(7 + second)
        var packet = CapturedPacket.Air(accessAddress: 0, octets: [])
        packet.isIntact = flags & 1 != 0
        packet.phy = phy(flags >> 4 & 7)
        packet.channel = octets[start + 9] < 40 ? octets[start + 9] : nil
        packet.signal = Int8(clamping: -Int(octets[start + 10]))
        if littleEndian(content) != LL.advertisingAccessAddress, identifier == 6 {
            packet.direction = flags & 2 != 0 ? .centralToPeripheral : .peripheralToCentral
            // Encrypted, and the MIC fits after the decryption.
            packet.isDecrypted = flags & 12 == 12
        }
        return air(content, packet)
    }

    private static func phy(_ number: UInt8) -> LL.PHY {
        switch number {
        case 1: .twoM
        case 2: .codedS8
        default: .oneM
        }
    }

    private static func littleEndian(_ octets: ArraySlice<UInt8>) -> UInt32 {
        octets.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
