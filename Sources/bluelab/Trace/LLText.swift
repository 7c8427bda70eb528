import BLEWire

/// Formats Link Layer control PDUs.
enum LLText {
    static func describe(_ payload: Span<UInt8>) -> String {
        guard let pdu = try? LL.ControlPDU(decoding: payload) else {
            return "control, undecodable  \(hexadecimal(payload))"
        }
        switch pdu {
        case .connectionUpdateInd(let update):
            return "LL_CONNECTION_UPDATE_IND interval \(interval(update.interval)), latency \(update.latency), timeout "
                + "\(Int(update.timeout) * 10) ms, at event \(update.instant)"
        case .channelMapInd(let update):
            return "LL_CHANNEL_MAP_IND \(update.channelMap.count) channels, at event \(update.instant)"
        case .terminateInd(let end): return "LL_TERMINATE_IND reason \(hexadecimal(end.reason, 2))"
        case .unknownRsp(let answer): return "LL_UNKNOWN_RSP to \(hexadecimal(answer.unknownType.rawValue, 2))"
        case .featureReq(let request): return "LL_FEATURE_REQ \(hexadecimal(request.features.rawValue, 16))"
        case .featureRsp(let answer): return "LL_FEATURE_RSP \(hexadecimal(answer.features.rawValue, 16))"
        case .versionInd(let version):
            return "LL_VERSION_IND version \(version.version), company \(hexadecimal(version.company, 4))"
        case .rejectInd(let answer): return "LL_REJECT_IND error \(hexadecimal(answer.errorCode, 2))"
        case .peripheralFeatureReq(let request):
            return "LL_PERIPHERAL_FEATURE_REQ \(hexadecimal(request.features.rawValue, 16))"
        case .connectionParamReq(let request):
            return
                "LL_CONNECTION_PARAM_REQ interval \(interval(request.intervalMin)) to \(interval(request.intervalMax))"
        case .connectionParamRsp(let answer):
            return "LL_CONNECTION_PARAM_RSP interval \(interval(answer.intervalMin)) to \(interval(answer.intervalMax))"
        case .rejectExtInd(let answer):
            return "LL_REJECT_EXT_IND of \(hexadecimal(answer.rejectOpcode.rawValue, 2)), error "
                + hexadecimal(answer.errorCode, 2)
        case .pingReq: return "LL_PING_REQ"
        case .pingRsp: return "LL_PING_RSP"
        case .lengthReq(let request):
            return "LL_LENGTH_REQ receives \(request.maxRxOctets), sends \(request.maxTxOctets) octets"
        case .lengthRsp(let answer):
            return "LL_LENGTH_RSP receives \(answer.maxRxOctets), sends \(answer.maxTxOctets) octets"
        case .phyReq(let request):
            return "LL_PHY_REQ sends \(phys(request.txPHYs)), receives \(phys(request.rxPHYs))"
        case .phyRsp(let answer): return "LL_PHY_RSP sends \(phys(answer.txPHYs)), receives \(phys(answer.rxPHYs))"
        case .phyUpdateInd(let update):
            return "LL_PHY_UPDATE_IND to peripheral \(phys(update.centralToPeripheral)), to central "
                + "\(phys(update.peripheralToCentral)), at event \(update.instant)"
        case .encReq(let request):
            return "LL_ENC_REQ EDIV \(hexadecimal(request.encryptedDiversifier, 4)), Rand "
                + hexadecimal(request.randomNumber, 16)
        case .encRsp: return "LL_ENC_RSP"
        case .startEncReq: return "LL_START_ENC_REQ"
        case .startEncRsp: return "LL_START_ENC_RSP"
        case .pauseEncReq: return "LL_PAUSE_ENC_REQ"
        case .pauseEncRsp: return "LL_PAUSE_ENC_RSP"
        case .unknown(let opcode, let rest):
            return "control \(hexadecimal(opcode.rawValue, 2))  \(hexadecimal(rest))"
        }
    }

    private static func phys(_ set: LL.PHYSet) -> String {
        var names: [String] = []
        if set.contains(.oneM) { names.append("1M") }
        if set.contains(.twoM) { names.append("2M") }
        if set.contains(.coded) { names.append("coded") }
        return names.isEmpty ? "unchanged" : names.joined(separator: "/")
    }
}
