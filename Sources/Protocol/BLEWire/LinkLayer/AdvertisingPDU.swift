extension LL {
    /// A whole PDU with the advertising access address: header and payload.
    package enum AdvertisingPDU: PDU, ~Escapable {
        case advInd(AdvertisingHeader, AdvInd)
        case advDirectInd(AdvertisingHeader, AdvDirectInd)
        case advNonconnInd(AdvertisingHeader, AdvNonconnInd)
        case advScanInd(AdvertisingHeader, AdvScanInd)
        case scanReq(AdvertisingHeader, ScanReq)
        case scanRsp(AdvertisingHeader, ScanRsp)
        case connectInd(AdvertisingHeader, ConnectInd)
        case extended(AdvertisingHeader, ExtendedAdvertisement)
        case auxConnectRsp(AdvertisingHeader, ExtendedAdvertisement)
        /// A type that this version does not support.
        case unknown(AdvertisingHeader, Span<UInt8>)

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            let header = try AdvertisingHeader(decoding: bytes.readBytes(AdvertisingHeader.encodedCount))
            guard bytes.count == Int(header.length) else { throw .invalidLength }
            switch header.type {
            case .advInd: self = .advInd(header, try AdvInd(decoding: bytes))
            case .advDirectInd: self = .advDirectInd(header, try AdvDirectInd(decoding: bytes))
            case .advNonconnInd: self = .advNonconnInd(header, try AdvNonconnInd(decoding: bytes))
            case .advScanInd: self = .advScanInd(header, try AdvScanInd(decoding: bytes))
            case .scanReq: self = .scanReq(header, try ScanReq(decoding: bytes))
            case .scanRsp: self = .scanRsp(header, try ScanRsp(decoding: bytes))
            case .connectInd: self = .connectInd(header, try ConnectInd(decoding: bytes))
            case .extended: self = .extended(header, try ExtendedAdvertisement(decoding: bytes))
            case .auxConnectRsp: self = .auxConnectRsp(header, try ExtendedAdvertisement(decoding: bytes))
            default: self = .unknown(header, bytes)
            }
        }

        package var header: AdvertisingHeader {
            switch self {
            case .advInd(let header, _), .advDirectInd(let header, _), .advNonconnInd(let header, _),
                .advScanInd(let header, _), .scanReq(let header, _), .scanRsp(let header, _),
                .connectInd(let header, _), .extended(let header, _), .auxConnectRsp(let header, _),
                .unknown(let header, _):
                header
            }
        }

        private var payloadCount: Int {
            switch self {
            case .advInd(_, let payload): payload.encodedCount
            case .advDirectInd(_, let payload): payload.encodedCount
            case .advNonconnInd(_, let payload): payload.encodedCount
            case .advScanInd(_, let payload): payload.encodedCount
            case .scanReq(_, let payload): payload.encodedCount
            case .scanRsp(_, let payload): payload.encodedCount
            case .connectInd(_, let payload): payload.encodedCount
            case .extended(_, let payload), .auxConnectRsp(_, let payload): payload.encodedCount
            case .unknown(_, let payload): payload.count
            }
        }

        package var encodedCount: Int { AdvertisingHeader.encodedCount + payloadCount }

        /// Writes the header's length field from the payload.
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard let length = UInt8(exactly: payloadCount) else { throw .fieldTooLong }
            var header = header
            header.length = length
            try header.encode(into: &output)
            switch self {
            case .advInd(_, let payload): try payload.encode(into: &output)
            case .advDirectInd(_, let payload): try payload.encode(into: &output)
            case .advNonconnInd(_, let payload): try payload.encode(into: &output)
            case .advScanInd(_, let payload): try payload.encode(into: &output)
            case .scanReq(_, let payload): try payload.encode(into: &output)
            case .scanRsp(_, let payload): try payload.encode(into: &output)
            case .connectInd(_, let payload): try payload.encode(into: &output)
            case .extended(_, let payload), .auxConnectRsp(_, let payload): try payload.encode(into: &output)
            case .unknown(_, let payload): try output.write(payload)
            }
        }
    }
}
