extension HCI {
    /// The report of one legacy advertising packet, alone in its event, as a view of the whole H4 packet.
    ///
    /// Most reports arrive like this, in the legacy form (Vol 4, Part E, 7.7.65.2) or in the extended form (7.7.65.13), and a scan receives more
    /// of them than of all other packets. This view checks the same as `EventPacket`, `LEMetaEvent`, and `LEAdvertisingReport` or
    /// `LEExtendedAdvertisingReport`, in one step.
    package struct SoleAdvertisingReport: ~Escapable {
        @usableFromInline let packet: Span<UInt8>
        /// The address type and the address, in the order of the wire.
        @usableFromInline let typedAddress: UInt64
        /// The first octet of the data.
        @usableFromInline let first: Int
        @usableFromInline let end: Int
        /// The type in the legacy form.
        package let eventType: UInt8
        /// In dBm, -127 to 20; 127 means not available.
        package let rssi: Int8

        /// Returns nil for another packet and for a malformed one.
        @inline(__always)
        @_lifetime(copy packet)
        package init?(_ packet: Span<UInt8>) {
            // The packet: type, event code, length; subevent code, number of reports; the report.
            let count = packet.count
            guard count >= 15, packet[0] == 0x04, packet[1] == 0x3E, packet[4] == 1, Int(packet[2]) == count - 3 else {
                return nil
            }
            let address: Int
            if packet[3] == 0x02 {
                // Event type, address type, address, length of the data, data, RSSI.
                guard packet[13] <= 31, Int(packet[13]) == count - 15 else { return nil }
                (eventType, rssi) = (packet[5], Int8(bitPattern: packet[count - 1]))
                (address, first, end) = (6, 14, count - 1)
            } else {
                // Event type (2), address type, address, PHYs (2), SID, transmit power, RSSI, interval (2), the target's address type and address,
                // length of the data, data.
                guard packet[3] == 0x0D, count >= 29, packet[28] <= 31, Int(packet[28]) == count - 29, packet[6] == 0,
                    packet[7] != 0xFF
                else { return nil }
                switch packet[5] {
                case 0x13: eventType = 0
                case 0x15: eventType = 1
                case 0x12: eventType = 2
                case 0x10: eventType = 3
                case 0x1A, 0x1B: eventType = 4
                default: return nil
                }
                rssi = Int8(bitPattern: packet[18])
                (address, first, end) = (7, 29, count)
            }
            self.packet = packet
            typedAddress = UInt64(
                littleEndian: packet.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: address, as: UInt64.self) })
        }

        /// The address of the advertiser, with the kind of a device address in place of an identity kind.
        @inline(__always)
        package var device: DeviceAddress {
            let kind = UInt8(truncatingIfNeeded: typedAddress)
            return DeviceAddress(
                kind: DeviceAddress.Kind(rawValue: kind == 2 || kind == 3 ? kind - 2 : kind), value: typedAddress >> 8)
        }

        /// 0 to 31 octets.
        @inline(__always)
        package var data: Span<UInt8> {
            @_lifetime(copy self)
            get { packet.extracting(first..<end) }
        }
    }
}
