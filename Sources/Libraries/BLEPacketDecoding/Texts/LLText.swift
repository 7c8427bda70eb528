import BLEWire

/// Describes the control PDUs of the link layer (Vol 6, Part B, 2.4.2).
package enum LLText {
    package static func describe(_ payload: Span<UInt8>, in language: TextLanguage = .english) -> PDUText {
        guard let pdu = try? LL.ControlPDU(decoding: payload) else {
            return PDUText(name(payload), language.undecodable, line: "control, undecodable  \(octetText(payload))")
        }
        if case .unknown(let opcode, let rest) = pdu {
            let line = "control \(hexadecimal(opcode.rawValue, digits: 2))  \(octetText(rest))"
            return PDUText(name(payload), octetText(rest, in: language), line: line)
        }
        return PDUText(name(payload), detail(pdu, language))
    }

    /// The name of a PDU by its opcode.
    static func name(_ payload: Span<UInt8>) -> String {
        guard !payload.isEmpty else { return "LL control" }
        let opcode = LL.ControlOpcode(rawValue: payload[0])
        return opcode.specificationName ?? "LL control \(hexadecimal(opcode.rawValue, digits: 2))"
    }

    private static func detail(_ pdu: borrowing LL.ControlPDU, _ language: TextLanguage) -> String {
        switch pdu {
        case .connectionUpdateInd(let update):
            language(
                "interval \(intervalText(update.interval)), latency \(update.latency), timeout ",
                "间隔 \(intervalText(update.interval))，延迟 \(update.latency)，超时 ")
                + "\(Int(update.timeout) * 10) ms\(language.comma)\(language.atEvent(update.instant))"
        case .channelMapInd(let update):
            language("\(update.channelMap.count) channels", "\(update.channelMap.count) 个信道") + language.comma
                + language.atEvent(update.instant)
        case .terminateInd(let end): language("reason", "原因") + " \(hexadecimal(end.reason, digits: 2))"
        case .unknownRsp(let answer): language("to", "针对") + " \(hexadecimal(answer.unknownType.rawValue, digits: 2))"
        case .featureReq(let request): hexadecimal(request.features.rawValue, digits: 16)
        case .featureRsp(let answer): hexadecimal(answer.features.rawValue, digits: 16)
        case .versionInd(let version):
            language("version \(version.version), company ", "版本 \(version.version)，公司 ")
                + hexadecimal(version.company, digits: 4)
        case .rejectInd(let answer): language.error(hexadecimal(answer.errorCode, digits: 2))
        case .peripheralFeatureReq(let request): hexadecimal(request.features.rawValue, digits: 16)
        case .connectionParamReq(let request):
            language("interval", "间隔") + " "
                + language.range(intervalText(request.intervalMin), intervalText(request.intervalMax))
        case .connectionParamRsp(let answer):
            language("interval", "间隔") + " "
                + language.range(intervalText(answer.intervalMin), intervalText(answer.intervalMax))
        case .rejectExtInd(let answer):
            language("of", "针对") + " \(hexadecimal(answer.rejectOpcode.rawValue, digits: 2))\(language.comma)"
                + language.error(hexadecimal(answer.errorCode, digits: 2))
        case .lengthReq, .lengthRsp, .phyReq, .phyRsp, .phyUpdateInd: lengthOrPHY(pdu, language)
        case .encReq(let request):
            "EDIV \(hexadecimal(request.encryptedDiversifier, digits: 4)), Rand "
                + hexadecimal(request.randomNumber, digits: 16)
        case .minUsedChannelsInd(let ind):
            language("at least \(ind.minimum) channels on", "至少 \(ind.minimum) 个信道，") + " \(phys(ind.phys, language))"
        case .clockAccuracyReq(let request): FieldWords.clockAccuracy(UInt64(request.sleepClockAccuracy), language)
        case .clockAccuracyRsp(let answer): FieldWords.clockAccuracy(UInt64(answer.sleepClockAccuracy), language)
        case .subrateReq(let request):
            language("factor", "因子") + " " + language.range("\(request.factorMinimum)", "\(request.factorMaximum)")
        case .subrateInd(let change):
            language(
                "factor \(change.factor), latency \(change.latency), timeout ",
                "因子 \(change.factor)，延迟 \(change.latency)，超时 ")
                + "\(Int(change.timeout) * 10) ms\(language.comma)\(language.atEvent(change.baseEvent))"
        case .powerControlReq, .powerControlRsp, .powerChangeInd, .channelReportingInd, .channelStatusInd:
            power(pdu, language)
        case .periodicSyncInd(let sync):
            periodicSync(sync.advertiser, sync.advertiserInfo, sync.syncInfo, language)
        case .periodicSyncWRInd(let sync):
            periodicSync(sync.advertiser, sync.advertiserInfo, sync.syncInfo, language) + language.comma
                + language("\(sync.subeventCount) subevents", "\(sync.subeventCount) 个子事件")
        case .encRsp, .startEncReq, .startEncRsp, .pauseEncReq, .pauseEncRsp, .pingReq, .pingRsp, .unknown: ""
        }
    }

    /// The parameters of a PDU about the length of data or the PHYs.
    private static func lengthOrPHY(_ pdu: borrowing LL.ControlPDU, _ language: TextLanguage) -> String {
        switch pdu {
        case .lengthReq(let request):
            language(
                "receives \(request.maxRxOctets), sends \(request.maxTxOctets) octets",
                "接收 \(request.maxRxOctets)，发送 \(request.maxTxOctets) 字节")
        case .lengthRsp(let answer):
            language(
                "receives \(answer.maxRxOctets), sends \(answer.maxTxOctets) octets",
                "接收 \(answer.maxRxOctets)，发送 \(answer.maxTxOctets) 字节")
        case .phyReq(let request):
            language("sends", "发送") + " \(phys(request.txPHYs, language))\(language.comma)"
                + language("receives", "接收") + " \(phys(request.rxPHYs, language))"
        case .phyRsp(let answer):
            language("sends", "发送") + " \(phys(answer.txPHYs, language))\(language.comma)"
                + language("receives", "接收") + " \(phys(answer.rxPHYs, language))"
        case .phyUpdateInd(let update):
            language("to peripheral", "发往外设") + " \(phys(update.centralToPeripheral, language))\(language.comma)"
                + language("to central", "发往中心设备")
                + " \(phys(update.peripheralToCentral, language))\(language.comma)\(language.atEvent(update.instant))"
        default: ""
        }
    }

    /// The parameters of a PDU about power or channels.
    private static func power(_ pdu: borrowing LL.ControlPDU, _ language: TextLanguage) -> String {
        switch pdu {
        case .powerControlReq(let request):
            phys(request.phys, language) + language.comma + change(request.delta, request.power, language)
        case .powerControlRsp(let answer): change(answer.delta, answer.power, language)
        case .powerChangeInd(let change):
            phys(change.phys, language) + language.comma + Self.change(change.delta, change.power, language)
        case .channelReportingInd(let ind): ind.isOn ? language("on", "开启") : language("off", "关闭")
        case .channelStatusInd(let status): FieldWords.classification(status.classification, language)
        default: ""
        }
    }

    /// A change of power, and the power.
    private static func change(_ delta: Int8, _ power: Int8, _ language: TextLanguage) -> String {
        language("change", "变化") + " \(FieldWords.signed(delta, .decibels, language))\(language.comma)"
            + language("power", "功率") + " \(FieldWords.signed(power, .decibelMilliwatts, language))"
    }

    static func phys(_ set: LL.PowerPHYSet, _ language: TextLanguage = .english) -> String {
        let names = set.phys.map { phy in
            switch phy {
            case .oneM: "1M"
            case .twoM: "2M"
            case .codedS8: language("coded", "编码") + " S=8"
            case .codedS2: language("coded", "编码") + " S=2"
            }
        }
        return names.isEmpty ? language.none : names.joined(separator: "/")
    }

    /// The train that a peer is told of.
    private static func periodicSync(
        _ advertiser: UInt64, _ info: LL.PeriodicAdvertiserInfo, _ sync: LL.SyncInfo, _ language: TextLanguage
    ) -> String {
        language(
            "\(AdvertisingText.address(advertiser)), SID \(info.setID), interval \(intervalText(sync.interval)), access address ",
            "\(AdvertisingText.address(advertiser))，SID \(info.setID)，间隔 \(intervalText(sync.interval))，接入地址 ")
            + hexadecimal(sync.accessAddress, digits: 8)
    }

    static func phys(_ set: LL.PHYSet, _ language: TextLanguage = .english) -> String {
        var names: [String] = []
        if set.contains(.oneM) { names.append("1M") }
        if set.contains(.twoM) { names.append("2M") }
        if set.contains(.coded) { names.append(language("coded", "编码")) }
        return names.isEmpty ? language("unchanged", "不变") : names.joined(separator: "/")
    }
}

extension LL.ControlOpcode {
    private static let specificationNames: [String?] = [
        "LL_CONNECTION_UPDATE_IND", "LL_CHANNEL_MAP_IND", "LL_TERMINATE_IND", "LL_ENC_REQ", "LL_ENC_RSP",
        "LL_START_ENC_REQ", "LL_START_ENC_RSP", "LL_UNKNOWN_RSP", "LL_FEATURE_REQ", "LL_FEATURE_RSP",
        "LL_PAUSE_ENC_REQ", "LL_PAUSE_ENC_RSP", "LL_VERSION_IND", "LL_REJECT_IND", "LL_PERIPHERAL_FEATURE_REQ",
        "LL_CONNECTION_PARAM_REQ", "LL_CONNECTION_PARAM_RSP", "LL_REJECT_EXT_IND", "LL_PING_REQ", "LL_PING_RSP",
        "LL_LENGTH_REQ", "LL_LENGTH_RSP", "LL_PHY_REQ", "LL_PHY_RSP", "LL_PHY_UPDATE_IND",
        "LL_MIN_USED_CHANNELS_IND", nil, nil, "LL_PERIODIC_SYNC_IND", "LL_CLOCK_ACCURACY_REQ", "LL_CLOCK_ACCURACY_RSP",
        nil, nil, nil, nil,
        "LL_POWER_CONTROL_REQ", "LL_POWER_CONTROL_RSP", "LL_POWER_CHANGE_IND", "LL_SUBRATE_REQ", "LL_SUBRATE_IND",
        "LL_CHANNEL_REPORTING_IND", "LL_CHANNEL_STATUS_IND", "LL_PERIODIC_SYNC_WR_IND",
    ]

    /// The specification's name of the PDU; nil for an opcode that this version does not support (Vol 6, Part B, 2.4.2, table 2.18).
    package var specificationName: String? {
        Int(rawValue) < Self.specificationNames.count ? Self.specificationNames[Int(rawValue)] : nil
    }
}
