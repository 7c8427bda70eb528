import BLEWire

/// A packet of a capture file, without the headers of the file and of its link type.
package struct CapturedPacket: Hashable, Sendable {
    /// A packet between a host and its controller.
    package struct Host: Hashable, Sendable {
        /// Whether the host sent the packet; nil if the file does not say it.
        package var isSent: Bool?
        /// The number of the controller, in a file of several controllers.
        package var controller: UInt16
        /// The H4 packet: its type octet and the octets after it.
        package var octets: [UInt8]

        package init(isSent: Bool?, controller: UInt16 = 0, octets: [UInt8]) {
            self.isSent = isSent
            self.controller = controller
            self.octets = octets
        }
    }

    /// A packet on the air.
    package struct Air: Hashable, Sendable {
        package var accessAddress: UInt32
        /// Header and payload, without the CRC. A decrypted payload may still have the MIC at its end.
        package var octets: [UInt8]
        /// The channel index, 0 to 39; nil if the file does not say it.
        package var channel: UInt8?
        package var phy: LL.PHY
        package var direction: LinkLayerFrame.Direction
        /// Whether the recorder received the packet without bit errors, as far as the file says it.
        package var isIntact: Bool
        /// Whether the payload was encrypted on the air, and the file has its plaintext.
        package var isDecrypted: Bool
        /// In dBm; nil if the file does not say it.
        package var signal: Int8?

        package init(
            accessAddress: UInt32, octets: [UInt8], channel: UInt8? = nil, phy: LL.PHY = .oneM,
            direction: LinkLayerFrame.Direction = .unspecified, isIntact: Bool = true, isDecrypted: Bool = false,
            signal: Int8? = nil
        ) {
            self.accessAddress = accessAddress
            self.octets = octets
            self.channel = channel
            self.phy = phy
            self.direction = direction
            self.isIntact = isIntact
            self.isDecrypted = isDecrypted
            self.signal = signal
        }
    }

    package enum Content: Hashable, Sendable {
        case host(Host)
        case air(Air)
        /// A record of another kind, such as a log line or a packet of another link type.
        case other
        /// A packet whose header is incomplete or contradicts itself.
        case undecodable
    }

    /// The number of the packet in the file, from 1, as Wireshark shows it.
    package var number: Int
    /// In nanoseconds since the beginning of 1970; nil if the file does not say it. The first packet of a file without dates may have the time 0.
    package var time: Int64?
    /// Whether the file has only the first octets of the packet.
    package var isTruncated: Bool
    package var content: Content

    package init(number: Int, time: Int64?, isTruncated: Bool = false, content: Content) {
        self.number = number
        self.time = time
        self.isTruncated = isTruncated
        self.content = content
    }
}
