extension LL {
    /// The type of a PDU with the advertising access address (Vol 6, Part B, 2.3). On the secondary channels, the two requests are named
    /// AUX_SCAN_REQ and AUX_CONNECT_REQ.
    package struct AdvertisingPDUType: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let advInd = AdvertisingPDUType(rawValue: 0x0)
        package static let advDirectInd = AdvertisingPDUType(rawValue: 0x1)
        package static let advNonconnInd = AdvertisingPDUType(rawValue: 0x2)
        package static let scanReq = AdvertisingPDUType(rawValue: 0x3)
        package static let scanRsp = AdvertisingPDUType(rawValue: 0x4)
        package static let connectInd = AdvertisingPDUType(rawValue: 0x5)
        package static let advScanInd = AdvertisingPDUType(rawValue: 0x6)
        /// ADV_EXT_IND, AUX_ADV_IND, AUX_SCAN_RSP, AUX_SYNC_IND and AUX_CHAIN_IND.
        package static let extended = AdvertisingPDUType(rawValue: 0x7)
        package static let auxConnectRsp = AdvertisingPDUType(rawValue: 0x8)
    }

    /// The two octets before each advertising PDU's payload (Vol 6, Part B, 2.3).
    package struct AdvertisingHeader: PDU, Hashable, Sendable {
        package var type: AdvertisingPDUType
        /// The sender supports channel selection algorithm #2 (ADV_IND, ADV_DIRECT_IND, CONNECT_IND).
        package var channelSelection2: Bool
        /// The sender's address is random.
        package var transmitterIsRandom: Bool
        /// The target's address is random.
        package var receiverIsRandom: Bool
        /// The number of octets that follow.
        package var length: UInt8

        package init(
            type: AdvertisingPDUType, channelSelection2: Bool = false, transmitterIsRandom: Bool = false,
            receiverIsRandom: Bool = false, length: UInt8 = 0
        ) {
            self.type = type
            self.channelSelection2 = channelSelection2
            self.transmitterIsRandom = transmitterIsRandom
            self.receiverIsRandom = receiverIsRandom
            self.length = length
        }

        /// The address of the sender, with its type from the header.
        ///
        /// - Parameter value: The address in the payload: AdvA of an advertiser, ScanA or InitA of a requester.
        package func transmitter(_ value: UInt64) -> DeviceAddress {
            DeviceAddress(kind: transmitterIsRandom ? .random : .public, value: value)
        }

        /// The address of the receiver, with its type from the header.
        ///
        /// - Parameter value: The address in the payload: TargetA, or AdvA of a request.
        package func receiver(_ value: UInt64) -> DeviceAddress {
            DeviceAddress(kind: receiverIsRandom ? .random : .public, value: value)
        }

        package static let encodedCount = 2
        package var encodedCount: Int { Self.encodedCount }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            let first = try bytes.readUInt8()
            length = try bytes.readUInt8()
            try bytes.finish()
            type = AdvertisingPDUType(rawValue: first & 0x0F)
            channelSelection2 = first & 0x20 != 0
            transmitterIsRandom = first & 0x40 != 0
            receiverIsRandom = first & 0x80 != 0
        }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            var first = type.rawValue & 0x0F
            if channelSelection2 { first |= 0x20 }
            if transmitterIsRandom { first |= 0x40 }
            if receiverIsRandom { first |= 0x80 }
            try output.write(first)
            try output.write(length)
        }
    }
}
