import BLEWire

/// Describes the control PDUs of the link layer (Vol 6, Part B, 2.4.2).
package enum LLText {
    package static func describe(_ payload: Span<UInt8>) -> PDUText {
        guard let pdu = try? LL.ControlPDU(decoding: payload) else {
            return PDUText("LL control", "undecodable", line: "control, undecodable  \(octetText(payload))")
        }
        switch pdu {
        case .connectionUpdateInd(let update):
            return PDUText(
                "LL_CONNECTION_UPDATE_IND",
                "interval \(intervalText(update.interval)), latency \(update.latency), timeout "
                    + "\(Int(update.timeout) * 10) ms, at event \(update.instant)")
        case .channelMapInd(let update):
            return PDUText("LL_CHANNEL_MAP_IND", "\(update.channelMap.count) channels, at event \(update.instant)")
        case .terminateInd(let end): return PDUText("LL_TERMINATE_IND", "reason \(hexadecimal(end.reason, digits: 2))")
        case .unknownRsp(let answer):
            return PDUText("LL_UNKNOWN_RSP", "to \(hexadecimal(answer.unknownType.rawValue, digits: 2))")
        case .featureReq(let request): return features("LL_FEATURE_REQ", request.features)
        case .featureRsp(let answer): return features("LL_FEATURE_RSP", answer.features)
        case .versionInd(let version):
            return PDUText(
                "LL_VERSION_IND", "version \(version.version), company \(hexadecimal(version.company, digits: 4))")
        case .rejectInd(let answer):
            return PDUText("LL_REJECT_IND", "error \(hexadecimal(answer.errorCode, digits: 2))")
        case .peripheralFeatureReq(let request): return features("LL_PERIPHERAL_FEATURE_REQ", request.features)
        case .connectionParamReq(let request):
            return PDUText(
                "LL_CONNECTION_PARAM_REQ",
                "interval \(intervalText(request.intervalMin)) to \(intervalText(request.intervalMax))")
        case .connectionParamRsp(let answer):
            return PDUText(
                "LL_CONNECTION_PARAM_RSP",
                "interval \(intervalText(answer.intervalMin)) to \(intervalText(answer.intervalMax))")
        case .rejectExtInd(let answer):
            return PDUText(
                "LL_REJECT_EXT_IND",
                "of \(hexadecimal(answer.rejectOpcode.rawValue, digits: 2)), error "
                    + hexadecimal(answer.errorCode, digits: 2))
        case .pingReq: return PDUText("LL_PING_REQ")
        case .pingRsp: return PDUText("LL_PING_RSP")
        case .lengthReq(let request):
            return PDUText(
                "LL_LENGTH_REQ", "receives \(request.maxRxOctets), sends \(request.maxTxOctets) octets")
        case .lengthRsp(let answer):
            return PDUText("LL_LENGTH_RSP", "receives \(answer.maxRxOctets), sends \(answer.maxTxOctets) octets")
        case .phyReq(let request):
            return PDUText("LL_PHY_REQ", "sends \(phys(request.txPHYs)), receives \(phys(request.rxPHYs))")
        case .phyRsp(let answer):
            return PDUText("LL_PHY_RSP", "sends \(phys(answer.txPHYs)), receives \(phys(answer.rxPHYs))")
        case .phyUpdateInd(let update):
            return PDUText(
                "LL_PHY_UPDATE_IND",
                "to peripheral \(phys(update.centralToPeripheral)), to central "
                    + "\(phys(update.peripheralToCentral)), at event \(update.instant)")
        case .encReq(let request):
            return PDUText(
                "LL_ENC_REQ",
                "EDIV \(hexadecimal(request.encryptedDiversifier, digits: 4)), Rand "
                    + hexadecimal(request.randomNumber, digits: 16))
        case .encRsp: return PDUText("LL_ENC_RSP")
        case .startEncReq: return PDUText("LL_START_ENC_REQ")
        case .startEncRsp: return PDUText("LL_START_ENC_RSP")
        case .pauseEncReq: return PDUText("LL_PAUSE_ENC_REQ")
        case .pauseEncRsp: return PDUText("LL_PAUSE_ENC_RSP")
        case .unknown(let opcode, let rest):
            let name = "control \(hexadecimal(opcode.rawValue, digits: 2))"
            return PDUText("LL \(name)", octetText(rest), line: "\(name)  \(octetText(rest))")
        }
    }

    private static func features(_ name: String, _ features: LL.FeatureSet) -> PDUText {
        PDUText(name, hexadecimal(features.rawValue, digits: 16))
    }

    static func phys(_ set: LL.PHYSet) -> String {
        var names: [String] = []
        if set.contains(.oneM) { names.append("1M") }
        if set.contains(.twoM) { names.append("2M") }
        if set.contains(.coded) { names.append("coded") }
        return names.isEmpty ? "unchanged" : names.joined(separator: "/")
    }
}
