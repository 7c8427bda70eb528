import BLEWire

/// Describes the PDUs of the advertising channels (Vol 6, Part B, 2.3).
package enum AdvertisingText {
    package static func describe(_ pdu: Span<UInt8>) -> PDUText {
        guard let decoded = try? LL.AdvertisingPDU(decoding: pdu) else {
            let text = "undecodable  \(octetText(pdu))"
            return PDUText(name(pdu), text, line: text)
        }
        let name = decoded.header.type.specificationName
        switch decoded {
        case .advInd(_, let payload): return data(name, payload)
        case .advNonconnInd(_, let payload): return data(name, payload)
        case .advScanInd(_, let payload): return data(name, payload)
        case .scanRsp(_, let payload): return data(name, payload)
        case .advDirectInd(_, let payload):
            return PDUText(name, "\(address(payload.advertiser)) to \(address(payload.target))")
        case .scanReq(_, let payload):
            return PDUText(name, "\(address(payload.scanner)) to \(address(payload.advertiser))")
        case .connectInd(_, let payload):
            return PDUText(
                name,
                "\(address(payload.initiator)) to \(address(payload.advertiser)), interval "
                    + "\(intervalText(payload.interval)), timeout \(Int(payload.timeout) * 10) ms, access address "
                    + hexadecimal(payload.accessAddress, digits: 8))
        case .unknown(let header, let payload):
            return PDUText(name, octetText(payload), line: "type \(header.type.rawValue)  \(octetText(payload))")
        }
    }

    /// The name of a PDU by its first octet.
    static func name(_ pdu: Span<UInt8>) -> String {
        pdu.isEmpty
            ? "Advertising PDU" : LL.AdvertisingPDUType(rawValue: pdu[0] & 0x0F).specificationName
    }

    private static func data<P: AdvertisingDataPDU & ~Escapable>(_ name: String, _ pdu: borrowing P) -> PDUText {
        PDUText(name, "\(address(pdu.advertiser))\(structures(pdu.data))")
    }

    static func address(_ value: UInt64) -> String { DeviceAddress(kind: .random, value: value).description }

    private static func structures(_ data: Span<UInt8>) -> String {
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
                parts.append("type \(hexadecimal(structure.type.rawValue, digits: 2)) \(octetText(structure.data))")
            }
        }
        return parts.map { ", \($0)" }.joined()
    }
}

extension LL.AdvertisingPDUType {
    /// The specification's name (Vol 6, Part B, 2.3, table 2.3).
    package var specificationName: String {
        switch self {
        case .advInd: "ADV_IND"
        case .advDirectInd: "ADV_DIRECT_IND"
        case .advNonconnInd: "ADV_NONCONN_IND"
        case .scanReq: "SCAN_REQ"
        case .scanRsp: "SCAN_RSP"
        case .connectInd: "CONNECT_IND"
        case .advScanInd: "ADV_SCAN_IND"
        case .advExtInd: "ADV_EXT_IND"
        default: "Advertising type \(rawValue)"
        }
    }
}
