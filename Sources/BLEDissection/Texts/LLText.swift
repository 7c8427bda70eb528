import BLEWire

/// Describes the control PDUs of the link layer (Vol 6, Part B, 2.4.2).
package enum LLText {
    package static func describe(_ payload: Span<UInt8>) -> PDUText {
        guard let pdu = try? LL.ControlPDU(decoding: payload) else {
            return PDUText(name(payload), "undecodable", line: "control, undecodable  \(octetText(payload))")
        }
        if case .unknown(let opcode, let rest) = pdu {
            let line = "control \(hexadecimal(opcode.rawValue, digits: 2))  \(octetText(rest))"
            return PDUText(name(payload), octetText(rest), line: line)
        }
        return PDUText(name(payload), detail(pdu))
    }

    /// The name of a PDU by its opcode.
    static func name(_ payload: Span<UInt8>) -> String {
        guard !payload.isEmpty else { return "LL control" }
        let opcode = LL.ControlOpcode(rawValue: payload[0])
        return opcode.specificationName ?? "LL control \(hexadecimal(opcode.rawValue, digits: 2))"
    }

    private static func detail(_ pdu: borrowing LL.ControlPDU) -> String {
        switch pdu {
        case .connectionUpdateInd(let update):
            "interval \(intervalText(update.interval)), latency \(update.latency), timeout "
                + "\(Int(update.timeout) * 10) ms, at event \(update.instant)"
        case .channelMapInd(let update): "\(update.channelMap.count) channels, at event \(update.instant)"
        case .terminateInd(let end): "reason \(hexadecimal(end.reason, digits: 2))"
        case .unknownRsp(let answer): "to \(hexadecimal(answer.unknownType.rawValue, digits: 2))"
        case .featureReq(let request): hexadecimal(request.features.rawValue, digits: 16)
        case .featureRsp(let answer): hexadecimal(answer.features.rawValue, digits: 16)
        case .versionInd(let version):
            "version \(version.version), company \(hexadecimal(version.company, digits: 4))"
        case .rejectInd(let answer): "error \(hexadecimal(answer.errorCode, digits: 2))"
        case .peripheralFeatureReq(let request): hexadecimal(request.features.rawValue, digits: 16)
        case .connectionParamReq(let request):
            "interval \(intervalText(request.intervalMin)) to \(intervalText(request.intervalMax))"
        case .connectionParamRsp(let answer):
            "interval \(intervalText(answer.intervalMin)) to \(intervalText(answer.intervalMax))"
        case .rejectExtInd(let answer):
            "of \(hexadecimal(answer.rejectOpcode.rawValue, digits: 2)), error "
                + hexadecimal(answer.errorCode, digits: 2)
        case .lengthReq(let request): "receives \(request.maxRxOctets), sends \(request.maxTxOctets) octets"
        case .lengthRsp(let answer): "receives \(answer.maxRxOctets), sends \(answer.maxTxOctets) octets"
        case .phyReq(let request): "sends \(phys(request.txPHYs)), receives \(phys(request.rxPHYs))"
        case .phyRsp(let answer): "sends \(phys(answer.txPHYs)), receives \(phys(answer.rxPHYs))"
        case .phyUpdateInd(let update):
            "to peripheral \(phys(update.centralToPeripheral)), to central "
                + "\(phys(update.peripheralToCentral)), at event \(update.instant)"
        case .encReq(let request):
            "EDIV \(hexadecimal(request.encryptedDiversifier, digits: 4)), Rand "
                + hexadecimal(request.randomNumber, digits: 16)
        case .encRsp, .startEncReq, .startEncRsp, .pauseEncReq, .pauseEncRsp, .pingReq, .pingRsp, .unknown: ""
        }
    }

    static func phys(_ set: LL.PHYSet) -> String {
        var names: [String] = []
        if set.contains(.oneM) { names.append("1M") }
        if set.contains(.twoM) { names.append("2M") }
        if set.contains(.coded) { names.append("coded") }
        return names.isEmpty ? "unchanged" : names.joined(separator: "/")
    }
}

extension LL.ControlOpcode {
    private static let specificationNames: [String] = [
        "LL_CONNECTION_UPDATE_IND", "LL_CHANNEL_MAP_IND", "LL_TERMINATE_IND", "LL_ENC_REQ", "LL_ENC_RSP",
        "LL_START_ENC_REQ", "LL_START_ENC_RSP", "LL_UNKNOWN_RSP", "LL_FEATURE_REQ", "LL_FEATURE_RSP",
        "LL_PAUSE_ENC_REQ", "LL_PAUSE_ENC_RSP", "LL_VERSION_IND", "LL_REJECT_IND", "LL_PERIPHERAL_FEATURE_REQ",
        "LL_CONNECTION_PARAM_REQ", "LL_CONNECTION_PARAM_RSP", "LL_REJECT_EXT_IND", "LL_PING_REQ", "LL_PING_RSP",
        "LL_LENGTH_REQ", "LL_LENGTH_RSP", "LL_PHY_REQ", "LL_PHY_RSP", "LL_PHY_UPDATE_IND",
    ]

    /// The specification's name of the PDU; nil for an opcode that this version does not support (Vol 6, Part B, 2.4.2, table 2.18).
    package var specificationName: String? {
        Int(rawValue) < Self.specificationNames.count ? Self.specificationNames[Int(rawValue)] : nil
    }
}
