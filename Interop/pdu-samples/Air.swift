import BLEWire

/// One of each PDU of the advertising channels and of the control PDUs (Vol 6, Part B, 2.3 and 2.4.2).
enum Air {
    private static func address(_ value: UInt64) -> String {
        DeviceAddress(kind: .random, value: value).description.lowercased()
    }

    static func record(in recorder: inout Recorder) throws {
        try advertising(in: &recorder)
        try control(in: &recorder)
        // The PHYs by the numbers of the pseudo header, the coding indicator by Vol 6, Part B, 2.2.3.
        let opcode = Int(LL.PingReq.opcode.rawValue)
        recorder.ping(on: .twoM, "2M", ["phy": 1, "opcode": opcode])
        recorder.ping(on: .codedS8, "S8", ["phy": 2, "codingIndicator": 0, "opcode": opcode])
        recorder.ping(on: .codedS2, "S2", ["phy": 2, "codingIndicator": 1, "opcode": opcode])
    }

    private static func advertising(in recorder: inout Recorder) throws {
        let body = "01 02 03 04 05 C6 02 01 06"
        for (header, name) in [
            ("60 09", "AdvInd"), ("42 09", "AdvNonconnInd"), ("46 09", "AdvScanInd"), ("44 09", "ScanRsp"),
        ] {
            let octets = Recorder.octets(body)
            // These PDUs have one layout.
            let advertiser = try LL.AdvInd(decoding: octets.span).advertiser
            try recorder.advertising(header + body, name, ["advertiser": address(advertiser)])
        }
        let pair = Recorder.octets("01 02 03 04 05 C6 11 12 13 14 15 D6")
        let directed = try LL.AdvDirectInd(decoding: pair.span)
        try recorder.advertising(
            "E1 0C 01 02 03 04 05 C6 11 12 13 14 15 D6", "AdvDirectInd",
            ["advertiser": address(directed.advertiser), "target": address(directed.target)])
        let scan = try LL.ScanReq(decoding: pair.span)
        try recorder.advertising(
            "C3 0C 01 02 03 04 05 C6 11 12 13 14 15 D6", "ScanReq",
            ["scanner": address(scan.scanner), "advertiser": address(scan.advertiser)])
        let connect =
            "01 02 03 04 05 C6 11 12 13 14 15 D6 3A 5C 65 50 55 44 33 02 03 00 18 00 01 00 C8 00 FF FF FF FF 1F E9"
        let octets = Recorder.octets(connect)
        let request = try LL.ConnectInd(decoding: octets.span)
        var fields = Recorder.fields(request)
        fields["initiator"] = address(request.initiator)
        fields["advertiser"] = address(request.advertiser)
        try recorder.advertising("E5 22" + connect, "ConnectInd", fields)
        // ADI and AuxPtr on a primary channel; the auxiliary PDU with an address and data; all fields; the answer to a request.
        try extended("07 07 06 18 23 41 49 1E 20", on: 37, in: &recorder)
        try extended("47 10 0C 19 01 02 03 04 05 C6 23 41 54 14 20 02 01 06", on: 9, in: &recorder)
        try extended(
            "C7 27 26 7F 01 02 03 04 05 C6 11 12 13 14 15 D6 14 23 41 C9 1E 40"
                + " 64 60 50 00 FF FF FF FF BF 78 56 34 12 55 44 33 07 00 F4", on: 9, in: &recorder)
        try extended("C8 0E 0D 03 01 02 03 04 05 C6 11 12 13 14 15 D6", on: 9, in: &recorder)
    }

    private static func extended(_ text: String, on channel: UInt8, in recorder: inout Recorder) throws {
        let octets = Recorder.octets(text)
        let pdu = try LL.ExtendedAdvertisement(decoding: octets.span.extracting(droppingFirst: 2))
        var fields: [String: Any] = ["mode": Int(pdu.mode.rawValue)]
        if let advertiser = pdu.advertiser { fields["advertiser"] = address(advertiser) }
        if let target = pdu.target { fields["target"] = address(target) }
        if let tone = pdu.toneExtension { fields["toneExtension"] = Int(tone) }
        if let info = pdu.dataInfo {
            fields.merge(["dataID": Int(info.dataID), "setID": Int(info.setID)]) { first, _ in first }
        }
        if let pointer = pdu.pointer { fields.merge(Recorder.fields(pointer, "pointer")) { first, _ in first } }
        if let sync = pdu.syncInfo { fields.merge(Recorder.fields(sync, "sync")) { first, _ in first } }
        if let power = pdu.txPower { fields["txPower"] = Int(power) }
        let name = octets[0] & 0x0F == 8 ? "AuxConnectRsp" : "ExtendedAdvertisement"
        try recorder.advertising(text, name, fields, on: channel)
    }

    private static func control(in recorder: inout Recorder) throws {
        try recorder.control(LL.ConnectionUpdateInd.self, "02 03 00 18 00 01 00 C8 00 34 12")
        try recorder.control(LL.ChannelMapInd.self, "FF FF FF FF 1F 34 12")
        try recorder.control(LL.TerminateInd.self, "13")
        try recorder.control(
            LL.EncReq.self, "90 78 56 34 12 EF CD 2B 74 24 13 02 F1 E0 DF CE BD 2C 24 AB DC BA")
        try recorder.control(LL.EncRsp.self, "79 68 57 46 35 24 13 02 BE BA AF DE")
        try recorder.control(LL.StartEncReq.self, "")
        try recorder.control(LL.StartEncRsp.self, "")
        try recorder.control(LL.PauseEncReq.self, "")
        try recorder.control(LL.PauseEncRsp.self, "")
        try recorder.control(LL.UnknownRsp.self, "2A")
        try recorder.control(LL.FeatureReq.self, "FF 41 00 00 00 00 00 00")
        try recorder.control(LL.FeatureRsp.self, "FF 41 00 00 00 00 00 00")
        try recorder.control(LL.VersionInd.self, "0D FF FF 01 00")
        try recorder.control(LL.RejectInd.self, "23")
        try recorder.control(LL.PeripheralFeatureReq.self, "FF 41 00 00 00 00 00 00")
        let parameters = "18 00 28 00 01 00 C8 00 02 12 00 01 00 02 00 03 00 04 00 05 00 06 00"
        try recorder.control(LL.ConnectionParamReq.self, name: "ConnectionParamReq", parameters)
        try recorder.control(LL.ConnectionParamRsp.self, name: "ConnectionParamRsp", parameters)
        try recorder.control(LL.RejectExtInd.self, "16 2A")
        try recorder.control(LL.PingReq.self, "")
        try recorder.control(LL.PingRsp.self, "")
        try recorder.control(LL.LengthReq.self, "FB 00 48 08 EB 00 58 08")
        try recorder.control(LL.LengthRsp.self, "1B 00 48 01 2B 00 58 01")
        try recorder.control(LL.PHYReq.self, "03 02")
        try recorder.control(LL.PHYRsp.self, "02 03")
        try recorder.control(LL.PHYUpdateInd.self, "02 01 34 12")
        try recorder.control(LL.MinUsedChannelsInd.self, "03 0A")
        try recorder.control(LL.ClockAccuracyReq.self, "05")
        try recorder.control(LL.ClockAccuracyRsp.self, "06")
        try recorder.control(LL.PowerControlReq.self, "02 F6 08")
        try recorder.control(LL.PowerControlRsp.self, "01 F6 EC 0F")
        try recorder.control(LL.PowerChangeInd.self, "04 02 05 08")
        try recorder.control(LL.ChannelReportingInd.self, "01 05 96")
        try recorder.control(LL.ChannelStatusInd.self, "03 00 00 00 00 40 00 00 00 01")
        let sync =
            "34 12 64 60 50 00 FF FF FF FF BF 78 56 34 12 55 44 33 07 00 22 11 06 00 B5 02 01 02 03 04 05 C6 20 11"
        try recorder.control(LL.PeriodicSyncInd.self, sync)
        try recorder.control(LL.PeriodicSyncWRInd.self, sync + "EF BE AD DE 05 08 04 10")
        try recorder.control(LL.SubrateReq.self, "05 00 0A 00 04 00 03 00 90 01")
        try recorder.control(LL.SubrateInd.self, "0A 00 34 12 04 00 03 00 90 01")
    }
}
