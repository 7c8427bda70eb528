import BLEWire

/// One of each HCI event, from Vol 4, Part E, 7.7.
enum Events {
    static func record(in recorder: inout Recorder) throws {
        try recorder.event(HCI.DisconnectionComplete.self, "00 40 00 08")
        try recorder.event(HCI.EncryptionChange.self, "00 40 00 01")
        try recorder.event(HCI.ReadRemoteVersionInformationComplete.self, "00 40 00 0C 0F 00 34 12")
        try recorder.event(HCI.EncryptionKeyRefreshComplete.self, "00 40 00")
        try recorder.event(HCI.AuthenticatedPayloadTimeoutExpired.self, "40 00")
        try recorder.event(HCI.CommandStatus.self, "0C 02 0D 20")
        try recorder.event(HCI.HardwareError.self, "42")
        try recorder.event(HCI.DataBufferOverflow.self, "01")
        try recorder.leEvent(HCI.LEConnectionComplete.self, "00 40 00 01 01 01 02 03 04 05 C6 18 00 04 00 2A 00 07")
        try recorder.leEvent(
            HCI.LEEnhancedConnectionComplete.self,
            "00 40 00 00 01 01 02 03 04 05 C6 21 22 23 24 25 66 31 32 33 34 35 76 18 00 04 00 2A 00 07")
        try recorder.leEvent(HCI.LEConnectionUpdateComplete.self, "00 40 00 18 00 04 00 2A 00")
        try recorder.leEvent(HCI.LEReadRemoteFeaturesComplete.self, "00 40 00 20 41 00 00 00 00 00 00")
        try recorder.leEvent(HCI.LELongTermKeyRequest.self, "40 00 11 22 33 44 55 66 77 88 34 12")
        try recorder.leEvent(HCI.LERemoteConnectionParameterRequest.self, "40 00 06 00 0C 00 02 00 C8 00")
        try recorder.leEvent(HCI.LEDataLengthChange.self, "40 00 FB 00 48 08 1B 00 48 01")
        let key = (16...79).map { String($0, radix: 16) }.joined(separator: " ")
        try recorder.leEvent(HCI.LEReadLocalP256PublicKeyComplete.self, "00 " + key)
        let secret = (16...47).map { String($0, radix: 16) }.joined(separator: " ")
        try recorder.leEvent(HCI.LEGenerateDHKeyComplete.self, "00 " + secret)
        try recorder.leEvent(HCI.LEPHYUpdateComplete.self, "00 40 00 02 01")
        try recorder.leEvent(HCI.LEChannelSelectionAlgorithm.self, "40 00 01")
        try recorder.leEvent(HCI.LEDirectedAdvertisingReport.self, "01 01 00 11 12 13 14 15 16 01 01 02 03 04 05 46 C4")

        try recorder.leEvent(HCI.LEScanTimeout.self, "")
        try recorder.leEvent(HCI.LEAdvertisingSetTerminated.self, "43 02 40 00 05")
        try recorder.leEvent(HCI.LEScanRequestReceived.self, "02 01 01 02 03 04 05 C6")
        try recorder.leEvent(HCI.LERequestPeerSCAComplete.self, "00 40 00 05")
        try recorder.leEvent(HCI.LEPathLossThreshold.self, "40 00 3C 02")
        try recorder.leEvent(HCI.LETransmitPowerReporting.self, "00 40 00 02 03 EC 01 FC")
        try recorder.leEvent(HCI.LESubrateChange.self, "00 40 00 0A 00 04 00 03 00 90 01")
        try extendedReport(in: &recorder)
        try periodic(in: &recorder)

        let completed = Recorder.octets("04 13 05 01 40 00 07 00")
        let event = try HCI.NumberOfCompletedPackets(decoding: completed.span.extracting(droppingFirst: 3))
        var entries = event.entries
        if let entry = entries.next() {
            recorder.event(
                "HCI.NumberOfCompletedPackets", completed,
                ["count": 1, "connectionHandle": Int(entry.connectionHandle), "packets": Int(entry.count)])
        }
        let heard = Recorder.octets("04 3E 0F 02 01 00 01 01 02 03 04 05 C6 03 02 01 06 C4")
        var reports = try HCI.LEAdvertisingReport(decoding: heard.span.extracting(droppingFirst: 4))
        if let report = reports.next() {
            recorder.event(
                "HCI.LEAdvertisingReport", heard,
                [
                    "eventType": Int(report.eventType.rawValue), "address.kind": Int(report.address.kind.rawValue),
                    "address": report.address.description.lowercased(), "dataLength": report.data.count,
                    "rssi": Int(report.rssi),
                ])
        }
    }

    /// The first piece of a longer advertisement.
    private static func extendedReport(in recorder: inout Recorder) throws {
        let heard = Recorder.octets(
            "04 3E 1D 0D 01 21 00 01 01 02 03 04 05 C6 03 02 04 F4 C4 50 00 01 11 12 13 14 15 D6 03 02 01 06")
        var reports = try HCI.LEExtendedAdvertisingReport(decoding: heard.span.extracting(droppingFirst: 4))
        guard let report = reports.next() else { return }
        recorder.event(
            "HCI.LEExtendedAdvertisingReport", heard,
            [
                "eventType": Int(report.eventType.rawValue), "address.kind": Int(report.address.kind.rawValue),
                "address": report.address.description.lowercased(), "primaryPHY": Int(report.primaryPHY),
                "secondaryPHY": Int(report.secondaryPHY), "advertisingSID": Int(report.advertisingSID),
                "txPower": Int(report.txPower), "rssi": Int(report.rssi),
                "periodicAdvertisingInterval": Int(report.periodicAdvertisingInterval),
                "directAddress": report.directAddress.description.lowercased(), "dataLength": report.data.count,
            ])
    }

    /// The events of periodic advertising.
    private static func periodic(in recorder: inout Recorder) throws {
        let train = "05 01 01 02 03 04 05 C6 02 50 00 05"
        try recorder.leEvent(HCI.LEPeriodicAdvertisingSyncEstablished.self, "00 21 00 " + train)
        try recorder.leEvent(HCI.LEPeriodicAdvertisingSyncEstablishedV2.self, "00 21 00 " + train + "05 08 04 10")
        try recorder.leEvent(HCI.LEPeriodicAdvertisingSyncLost.self, "21 00")
        let transfer = "00 40 00 34 12 21 00 " + train
        try recorder.leEvent(HCI.LEPeriodicAdvertisingSyncTransferReceived.self, transfer)
        try recorder.leEvent(HCI.LEPeriodicAdvertisingSyncTransferReceivedV2.self, transfer + "05 08 04 10")
        try recorder.leEvent(HCI.LEPeriodicAdvertisingSubeventDataRequest.self, "02 03 04")

        let heard = Recorder.octets("04 3E 0B 0F 21 00 F4 C4 FF 00 03 02 01 06")
        let report = try HCI.LEPeriodicAdvertisingReport(decoding: heard.span.extracting(droppingFirst: 4))
        recorder.event(
            "HCI.LEPeriodicAdvertisingReport", heard,
            [
                "syncHandle": Int(report.syncHandle), "txPower": Int(report.txPower), "rssi": Int(report.rssi),
                "toneExtensionType": Int(report.toneExtensionType), "dataStatus": Int(report.dataStatus.rawValue),
                "dataLength": report.data.count,
            ])
        let second = Recorder.octets("04 3E 0E 25 21 00 F4 C4 FF 34 12 03 00 03 02 01 06")
        let reportV2 = try HCI.LEPeriodicAdvertisingReportV2(decoding: second.span.extracting(droppingFirst: 4))
        recorder.event(
            "HCI.LEPeriodicAdvertisingReportV2", second,
            [
                "packet.subevent": Int(HCI.LEPeriodicAdvertisingReportV2.subeventCode.rawValue),
                "syncHandle": Int(reportV2.syncHandle), "eventCounter": Int(reportV2.eventCounter),
                "subevent": Int(reportV2.subevent), "dataLength": reportV2.data.count,
            ])
        let answers = Recorder.octets("04 3E 0D 28 02 03 00 01 F4 C4 FF 02 00 02 AA BB")
        var responses = try HCI.LEPeriodicAdvertisingResponseReport(
            decoding: answers.span.extracting(droppingFirst: 4))
        guard let response = responses.next() else { return }
        recorder.event(
            "HCI.LEPeriodicAdvertisingResponseReport", answers,
            [
                "packet.subevent": Int(HCI.LEPeriodicAdvertisingResponseReport.subeventCode.rawValue),
                "responseSlot": Int(response.responseSlot), "dataLength": response.data.count,
            ])
    }
}
