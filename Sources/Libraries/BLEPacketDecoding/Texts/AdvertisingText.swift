import BLEWire

/// Describes the PDUs of the advertising channels (Vol 6, Part B, 2.3).
package enum AdvertisingText {
    package static func describe(
        _ pdu: Span<UInt8>, _ place: AdvertisingPlace = .primary, in language: TextLanguage = .english
    ) -> PDUText {
        guard let decoded = try? LL.AdvertisingPDU(decoding: pdu) else {
            let text = "\(language.undecodable)  \(octetText(pdu, in: language))"
            return PDUText(name(pdu, place), text, line: text)
        }
        let name = decoded.header.type.specificationName(place)
        switch decoded {
        case .advInd(_, let payload): return data(name, payload, language)
        case .advNonconnInd(_, let payload): return data(name, payload, language)
        case .advScanInd(_, let payload): return data(name, payload, language)
        case .scanRsp(_, let payload): return data(name, payload, language)
        case .advDirectInd(_, let payload):
            return PDUText(name, language.range(address(payload.advertiser), address(payload.target)))
        case .scanReq(_, let payload):
            return PDUText(name, language.range(address(payload.scanner), address(payload.advertiser)))
        case .connectInd(_, let payload):
            let ends = language.range(address(payload.initiator), address(payload.advertiser))
            let (interval, timeout) = (intervalText(payload.interval), Int(payload.timeout) * 10)
            let accessAddress = hexadecimal(payload.accessAddress, digits: 8)
            return PDUText(
                name,
                language(
                    "\(ends), interval \(interval), timeout \(timeout) ms, access address \(accessAddress)",
                    "\(ends)，间隔 \(interval)，超时 \(timeout) ms，接入地址 \(accessAddress)"))
        case .extended(_, let payload), .auxConnectRsp(_, let payload):
            return PDUText(name, extended(payload, place, language))
        case .unknown(let header, let payload):
            return PDUText(
                name, octetText(payload, in: language), line: "type \(header.type.rawValue)  \(octetText(payload))")
        }
    }

    /// The name of a PDU by its first octet.
    static func name(_ pdu: Span<UInt8>, _ place: AdvertisingPlace) -> String {
        pdu.isEmpty
            ? "Advertising PDU" : LL.AdvertisingPDUType(rawValue: pdu[0] & 0x0F).specificationName(place)
    }

    private static func data<P: AdvertisingDataPDU & ~Escapable>(
        _ name: String, _ pdu: borrowing P, _ language: TextLanguage
    ) -> PDUText {
        PDUText(name, "\(address(pdu.advertiser))\(structures(pdu.data, language))")
    }

    private static func extended(
        _ pdu: borrowing LL.ExtendedAdvertisement, _ place: AdvertisingPlace, _ language: TextLanguage
    ) -> String {
        var parts: [String] = []
        switch (pdu.advertiser, pdu.target) {
        case (let advertiser?, let target?): parts.append(language.range(address(advertiser), address(target)))
        case (let advertiser?, nil): parts.append(address(advertiser))
        case (nil, let target?): parts.append(language.range(language("anonymous", "匿名"), address(target)))
        case (nil, nil): break
        }
        if let info = pdu.dataInfo { parts.append("SID \(info.setID)\(language.comma)DID \(info.dataID)") }
        if let pointer = pdu.pointer, pointer.offset > 0 {
            let microseconds = pointer.span.nanoseconds / 1000
            parts.append(
                language(
                    "next on channel \(pointer.channel) after \(microseconds) µs",
                    "下一个在信道 \(pointer.channel)，\(microseconds) µs 后"))
        }
        if let sync = pdu.syncInfo {
            parts.append(language("periodic advertising every ", "周期广播，间隔 ") + intervalText(sync.interval))
        }
        if let power = pdu.txPower { parts.append("\(power) dBm") }
        if !pdu.data.isEmpty { parts.append(language.octets(pdu.data.count)) }
        // Data that continues in chained PDUs does not end with a structure, and continued data does not begin with one.
        let isWhole = place != .chain && pdu.pointer == nil
        return parts.joined(separator: language.comma) + (isWhole ? structures(pdu.data, language) : "")
    }

    static func address(_ value: UInt64) -> String { DeviceAddress(kind: .random, value: value).description }

    private static func structures(_ data: Span<UInt8>, _ language: TextLanguage) -> String {
        var parts: [String] = []
        var structures = AD.Structures(data)
        while let structure = structures.next() {
            var services: [String] = []
            structure.forEachServiceUUID { services.append($0.description) }
            if let flags = structure.content(as: AD.Flags.self) {
                parts.append("\(language("flags", "标志")) \(hexadecimal(flags.rawValue, digits: 2))")
            } else if let name = structure.content(as: AD.CompleteLocalName.self) {
                parts.append("\(language("name", "名称")) \"\(name.text)\"")
            } else if let name = structure.content(as: AD.ShortenedLocalName.self) {
                parts.append("\(language("name", "名称")) \"\(name.text)...\"")
            } else if !services.isEmpty {
                parts.append("\(language("services", "服务")) \(services.joined(separator: " "))")
            } else {
                let number = hexadecimal(structure.type.rawValue, digits: 2)
                parts.append("\(language.type) \(number) \(octetText(structure.data, in: language))")
            }
        }
        return parts.map { language.comma + $0 }.joined()
    }
}

extension LL.AdvertisingPDUType {
    /// The specification's name (Vol 6, Part B, 2.3, table 2.3).
    package func specificationName(_ place: AdvertisingPlace = .primary) -> String {
        let isPrimary = place == .primary
        return switch self {
        case .advInd: "ADV_IND"
        case .advDirectInd: "ADV_DIRECT_IND"
        case .advNonconnInd: "ADV_NONCONN_IND"
        case .scanReq: isPrimary ? "SCAN_REQ" : "AUX_SCAN_REQ"
        case .scanRsp: "SCAN_RSP"
        case .connectInd: isPrimary ? "CONNECT_IND" : "AUX_CONNECT_REQ"
        case .advScanInd: "ADV_SCAN_IND"
        case .extended:
            switch place {
            case .primary: "ADV_EXT_IND"
            case .auxiliary: "AUX_ADV_IND"
            case .chain: "AUX_CHAIN_IND"
            case .scanResponse: "AUX_SCAN_RSP"
            case .periodic: "AUX_SYNC_IND"
            case .subevent: "AUX_SYNC_SUBEVENT_IND"
            case .subeventResponse: "AUX_SYNC_SUBEVENT_RSP"
            }
        case .auxConnectRsp: "AUX_CONNECT_RSP"
        default: "Advertising type \(rawValue)"
        }
    }
}
