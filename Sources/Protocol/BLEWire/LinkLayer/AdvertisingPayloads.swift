/// The format of the advertising PDUs with advertising data: the advertiser's address, then the data.
package protocol AdvertisingDataPDU: PDU, ~Escapable {
    @_lifetime(copy data)
    init(advertiser: UInt64, data: Span<UInt8>)
    var advertiser: UInt64 { get }
    var data: Span<UInt8> { @_lifetime(copy self) get }
}

extension AdvertisingDataPDU where Self: ~Escapable {
    @_lifetime(copy bytes)
    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        let advertiser = try bytes.readUInt48()
        guard bytes.count <= LL.maximumAdvertisingData else { throw .invalidLength }
        self.init(advertiser: advertiser, data: bytes)
    }

    package var encodedCount: Int { 6 + data.count }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        guard data.count <= LL.maximumAdvertisingData else { throw .fieldTooLong }
        try output.writeLittleEndian(advertiser, 6)
        try output.write(data)
    }
}

extension LL {
    /// The maximum advertising data of a legacy PDU, in octets.
    package static let maximumAdvertisingData = 31

    /// Connectable and scannable, undirected advertising (Vol 6, Part B, 2.3.1.1).
    package struct AdvInd: AdvertisingDataPDU, ~Escapable {
        package static var type: AdvertisingPDUType { .advInd }
        /// The sender's address. The header contains its type.
        package var advertiser: UInt64
        /// Advertising data structures, 0 to 31 octets.
        package var data: Span<UInt8>

        @_lifetime(copy data)
        package init(advertiser: UInt64, data: Span<UInt8>) {
            self.advertiser = advertiser
            self.data = data
        }
    }

    /// Advertising that accepts neither connections nor scan requests (Vol 6, Part B, 2.3.1.3).
    package struct AdvNonconnInd: AdvertisingDataPDU, ~Escapable {
        package static var type: AdvertisingPDUType { .advNonconnInd }
        /// The sender's address. The header contains its type.
        package var advertiser: UInt64
        /// Advertising data structures, 0 to 31 octets.
        package var data: Span<UInt8>

        @_lifetime(copy data)
        package init(advertiser: UInt64, data: Span<UInt8>) {
            self.advertiser = advertiser
            self.data = data
        }
    }

    /// Scannable advertising that accepts no connections (Vol 6, Part B, 2.3.1.4).
    package struct AdvScanInd: AdvertisingDataPDU, ~Escapable {
        package static var type: AdvertisingPDUType { .advScanInd }
        /// The sender's address. The header contains its type.
        package var advertiser: UInt64
        /// Advertising data structures, 0 to 31 octets.
        package var data: Span<UInt8>

        @_lifetime(copy data)
        package init(advertiser: UInt64, data: Span<UInt8>) {
            self.advertiser = advertiser
            self.data = data
        }
    }

    /// The answer to a scan request (Vol 6, Part B, 2.3.2.2).
    package struct ScanRsp: AdvertisingDataPDU, ~Escapable {
        package static var type: AdvertisingPDUType { .scanRsp }
        /// The sender's address. The header contains its type.
        package var advertiser: UInt64
        /// Advertising data structures, 0 to 31 octets.
        package var data: Span<UInt8>

        @_lifetime(copy data)
        package init(advertiser: UInt64, data: Span<UInt8>) {
            self.advertiser = advertiser
            self.data = data
        }
    }

    /// Connectable advertising for one device (Vol 6, Part B, 2.3.1.2).
    package struct AdvDirectInd: PDU, Hashable, Sendable {
        package static var type: AdvertisingPDUType { .advDirectInd }
        /// The sender's address.
        package var advertiser: UInt64
        /// The only device that may connect.
        package var target: UInt64

        package init(advertiser: UInt64, target: UInt64) {
            self.advertiser = advertiser
            self.target = target
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            advertiser = try bytes.readUInt48()
            target = try bytes.readUInt48()
            try bytes.finish()
        }

        package var encodedCount: Int { 12 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.writeLittleEndian(advertiser, 6)
            try output.writeLittleEndian(target, 6)
        }
    }

    /// Requests the scan response of an advertiser (Vol 6, Part B, 2.3.2.1).
    package struct ScanReq: PDU, Hashable, Sendable {
        package static var type: AdvertisingPDUType { .scanReq }
        /// The sender's address.
        package var scanner: UInt64
        /// The address of the requested advertiser.
        package var advertiser: UInt64

        package init(scanner: UInt64, advertiser: UInt64) {
            self.scanner = scanner
            self.advertiser = advertiser
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            scanner = try bytes.readUInt48()
            advertiser = try bytes.readUInt48()
            try bytes.finish()
        }

        package var encodedCount: Int { 12 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.writeLittleEndian(scanner, 6)
            try output.writeLittleEndian(advertiser, 6)
        }
    }
}
