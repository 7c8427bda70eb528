extension HCI {
    /// The report of one legacy advertising packet, alone in its event, as a view of the whole H4 packet.
    ///
    /// Most reports arrive like this (Vol 4, Part E, 7.7.65.2), and a scan receives more of them than of all other packets. This view
    /// checks the same as `EventPacket`, `LEMetaEvent` and `LEAdvertisingReport`, in one step.
    package struct SoleAdvertisingReport: ~Escapable {
        @usableFromInline let packet: Span<UInt8>
        /// The address type and the address, in the order of the wire.
        @usableFromInline let typedAddress: UInt64

        /// Returns nil for another packet and for a malformed one.
        @inline(__always)
        @_lifetime(copy packet)
        package init?(_ packet: Span<UInt8>) {
            // The packet: type, event code, length; subevent code, number of reports; event type, address type, address, length of the
            // data, data, RSSI.
            let count = packet.count
            guard count >= 15, packet[0] == 0x04, packet[1] == 0x3E, packet[3] == 0x02, packet[4] == 1,
                Int(packet[2]) == count - 3, packet[13] <= 31, Int(packet[13]) == count - 15
            else { return nil }
            self.packet = packet
            typedAddress = UInt64(
                littleEndian: packet.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 6, as: UInt64.self) })
        }

        @inline(__always)
        package var eventType: UInt8 { packet[5] }

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
            get { packet.extracting(14..<packet.count - 1) }
        }

        /// In dBm, -127 to 20; 127 means not available.
        @inline(__always)
        package var rssi: Int8 { Int8(bitPattern: packet[packet.count - 1]) }
    }
}
