extension LL {
    /// Creates a connection with an advertiser (Vol 6, Part B, 2.3.3.1).
    package struct ConnectInd: PDU, Hashable, Sendable {
        package static var type: AdvertisingPDUType { .connectInd }
        package var initiator: UInt64
        package var advertiser: UInt64
        package var accessAddress: UInt32
        /// The CRC's initial value, 24 bits.
        package var crcInit: UInt32
        /// Transmit window size in units of 1.25 ms.
        package var windowSize: UInt8
        /// Transmit window offset in units of 1.25 ms.
        package var windowOffset: UInt16
        /// Connection interval in units of 1.25 ms, 6 to 3200.
        package var interval: UInt16
        /// Events that the peripheral may skip, 0 to 499.
        package var latency: UInt16
        /// Supervision timeout in units of 10 ms, 10 to 3200.
        package var timeout: UInt16
        package var channelMap: ChannelMap
        /// Hop increment, 5 to 16.
        package var hop: UInt8
        /// The central's sleep clock accuracy, 0 (251 to 500 ppm) to 7 (0 to 20 ppm).
        package var sleepClockAccuracy: UInt8

        package init(
            initiator: UInt64, advertiser: UInt64, accessAddress: UInt32, crcInit: UInt32, windowSize: UInt8,
            windowOffset: UInt16, interval: UInt16, latency: UInt16, timeout: UInt16, channelMap: ChannelMap,
            hop: UInt8,
            sleepClockAccuracy: UInt8
        ) {
            self.initiator = initiator
            self.advertiser = advertiser
            self.accessAddress = accessAddress
            self.crcInit = crcInit
            self.windowSize = windowSize
            self.windowOffset = windowOffset
            self.interval = interval
            self.latency = latency
            self.timeout = timeout
            self.channelMap = channelMap
            self.hop = hop
            self.sleepClockAccuracy = sleepClockAccuracy
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            initiator = try bytes.readUInt48()
            advertiser = try bytes.readUInt48()
            accessAddress = try bytes.readUInt32()
            crcInit = try bytes.readUInt24()
            windowSize = try bytes.readUInt8()
            windowOffset = try bytes.readUInt16()
            interval = try bytes.readUInt16()
            latency = try bytes.readUInt16()
            timeout = try bytes.readUInt16()
            channelMap = ChannelMap(rawValue: try bytes.readUInt40())
            let last = try bytes.readUInt8()
            hop = last & 0x1F
            sleepClockAccuracy = last >> 5
            try bytes.finish()
        }

        package static let encodedCount = 34
        package var encodedCount: Int { Self.encodedCount }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.writeLittleEndian(initiator, 6)
            try output.writeLittleEndian(advertiser, 6)
            try output.write(accessAddress)
            try output.write24(crcInit)
            try output.write(windowSize)
            try output.write(windowOffset)
            try output.write(interval)
            try output.write(latency)
            try output.write(timeout)
            try output.writeLittleEndian(channelMap.rawValue, 5)
            try output.write(hop & 0x1F | sleepClockAccuracy << 5)
        }

        /// Whether the fields are valid for a peripheral (Vol 6, Part B, 2.3.3.1): all are in their ranges, at least
        /// two channels are used, and the supervision timeout is longer than the peripheral may stay silent.
        package var isValid: Bool {
            (6...3200).contains(interval) && latency <= 499 && (10...3200).contains(timeout)
                && channelMap.count >= 2 && (5...16).contains(hop)
                && windowSize >= 1 && UInt16(windowSize) <= min(8, interval - 1) && windowOffset <= interval
                && UInt32(timeout) * 8 > 2 * (1 + UInt32(latency)) * UInt32(interval)
        }
    }
}
