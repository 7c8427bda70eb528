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
    }
}
