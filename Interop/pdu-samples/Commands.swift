import BLEWire

/// One of each HCI command, and of each kind of answer, from Vol 4, Part E, 7.1 to 7.8.
enum Commands {
    static func record(in recorder: inout Recorder) throws {
        try recorder.command(HCI.Disconnect.self, "40 00 13")
        try recorder.command(HCI.ReadRemoteVersionInformation.self, "40 00")
        try recorder.command(HCI.SetEventMask.self, "FF FF FF FF FF 1F 00 20")
        try recorder.command(HCI.Reset.self, "")
        try recorder.answer(
            HCI.ReadTransmitPowerLevel.self, "40 00 01",
            "00 40 00 F8")
        try recorder.command(HCI.SetControllerToHostFlowControl.self, "01")
        try recorder.command(HCI.HostBufferSize.self, "FB 00 FF 14 00 00 00")
        try recorder.command(HCI.SetEventMaskPage2.self, "00 00 80 00 00 00 00 00")
        try recorder.answer(
            HCI.ReadLEHostSupport.self, "",
            "00 01 00")
        try recorder.command(HCI.WriteLEHostSupport.self, "01 00")
        try recorder.answer(
            HCI.ReadAuthenticatedPayloadTimeout.self, "40 00",
            "00 40 00 B8 0B")
        try recorder.command(HCI.WriteAuthenticatedPayloadTimeout.self, "40 00 B8 0B")
        try recorder.answer(
            HCI.ReadLocalVersionInformation.self, "",
            "00 0D 34 12 0D FF FF 78 56")
        try recorder.answer(
            HCI.ReadLocalSupportedCommands.self, "",
            "00 20 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 F7 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5"
        )
        try recorder.answer(
            HCI.ReadLocalSupportedFeatures.self, "",
            "00 00 00 00 00 60 00 00 00")
        try recorder.answer(
            HCI.ReadLocalExtendedFeatures.self, "01",
            "00 01 02 02 00 00 00 00 00 00 00")
        try recorder.answer(
            HCI.ReadBufferSize.self, "",
            "00 FB 00 00 08 00 00 00")
        try recorder.answer(
            HCI.ReadBDADDR.self, "",
            "00 01 02 03 04 05 C6")
        try recorder.answer(
            HCI.ReadRSSI.self, "40 00",
            "00 40 00 C4")
        try recorder.command(HCI.LESetEventMask.self, "1F 00 00 00 00 00 00 00")
        try recorder.answer(
            HCI.LEReadBufferSize.self, "",
            "00 1B 00 40")
        try recorder.answer(
            HCI.LEReadBufferSizeV2.self, "",
            "00 FB 00 08 78 00 04")
        try recorder.answer(
            HCI.LEReadLocalSupportedFeatures.self, "",
            "00 20 41 00 00 00 00 00 00")
        try recorder.command(HCI.LESetRandomAddress.self, "01 02 03 04 05 C6")
        try recorder.answer(
            HCI.LEReadFilterAcceptListSize.self, "",
            "00 10")
        try recorder.command(HCI.LEClearFilterAcceptList.self, "")
        try recorder.command(HCI.LEAddDeviceToFilterAcceptList.self, "01 01 02 03 04 05 C6")
        try recorder.command(HCI.LERemoveDeviceFromFilterAcceptList.self, "FF 01 02 03 04 05 C6")
        try recorder.answer(
            HCI.LEEncrypt.self,
            "BF 01 FB 9D 4E F3 BC 36 D8 74 F5 39 41 38 68 4C 13 02 F1 E0 DF CE BD AC 79 68 57 46 35 24 13 02",
            "00 66 C6 C2 27 8E 3B 8E 05 3E 7E A3 26 52 1B AD 99")
        try recorder.answer(
            HCI.LERand.self, "",
            "00 01 02 03 04 05 06 07 08")
        try recorder.answer(
            HCI.LEReadSupportedStates.self, "",
            "00 FF FF FF FF FF 03 00 00")
        try recorder.command(
            HCI.LEAddDeviceToResolvingList.self,
            "01 01 02 03 04 05 C6 " + (1...32).map { String($0 + 16, radix: 16) }.joined(separator: " "))
        try recorder.command(HCI.LERemoveDeviceFromResolvingList.self, "00 01 02 03 04 05 06")
        try recorder.answer(
            HCI.LEReadPeerResolvableAddress.self, "01 01 02 03 04 05 C6",
            "00 AA FB 0D 94 81 70")
        try recorder.answer(
            HCI.LEReadLocalResolvableAddress.self, "00 01 02 03 04 05 06",
            "00 AA FB 0D 94 81 70")
        try recorder.command(HCI.LESetPrivacyMode.self, "01 01 02 03 04 05 C6 01")
        try recorder.command(HCI.LEClearResolvingList.self, "")
        try recorder.answer(
            HCI.LEReadResolvingListSize.self, "",
            "00 08")
        try recorder.command(HCI.LESetAddressResolutionEnable.self, "01")
        try recorder.command(HCI.LESetResolvablePrivateAddressTimeout.self, "84 03")
        try recorder.answer(
            HCI.LEReadTransmitPower.self, "",
            "00 EC 14")
        try recorder.command(HCI.LESetAdvertisingParameters.self, "20 00 30 00 04 01 01 01 02 03 04 05 C6 07 02")
        try recorder.answer(
            HCI.LEReadAdvertisingPhysicalChannelTxPower.self, "",
            "00 F4")
        try recorder.command(
            HCI.LESetAdvertisingData.self,
            "03 02 01 06 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00")
        try recorder.command(
            HCI.LESetScanResponseData.self,
            "06 05 09 41 42 43 44 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00")
        try recorder.command(HCI.LESetAdvertisingEnable.self, "01")
        try recorder.command(HCI.LESetScanParameters.self, "01 60 00 30 00 01 00")
        try recorder.command(HCI.LESetScanEnable.self, "01 00")
        try recorder.command(
            HCI.LECreateConnection.self, "60 00 30 00 00 01 01 02 03 04 05 C6 00 18 00 28 00 04 00 2A 00 02 00 06 00")
        try recorder.command(HCI.LECreateConnectionCancel.self, "")
        try recorder.command(HCI.LEConnectionUpdate.self, "40 00 06 00 0C 00 00 00 C8 00 00 00 00 00")
        try recorder.command(HCI.LESetHostChannelClassification.self, "FF FF FF FF 1F")
        try recorder.answer(
            HCI.LEReadChannelMap.self, "40 00",
            "00 40 00 FF FF FF FF 1F")
        try recorder.command(HCI.LEReadRemoteFeatures.self, "40 00")
        try recorder.command(
            HCI.LERemoteConnectionParameterRequestReply.self, "40 00 06 00 0C 00 00 00 C8 00 00 00 00 00")
        try recorder.command(HCI.LERemoteConnectionParameterRequestNegativeReply.self, "40 00 3B")
        try recorder.command(
            HCI.LEEnableEncryption.self,
            "40 00 11 22 33 44 55 66 77 88 34 12 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10")
        try recorder.command(
            HCI.LELongTermKeyRequestReply.self, "40 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10")
        try recorder.command(HCI.LELongTermKeyRequestNegativeReply.self, "40 00")
        let key = (16...79).map { String($0, radix: 16) }.joined(separator: " ")
        try recorder.command(HCI.LEReadLocalP256PublicKey.self, "")
        try recorder.command(HCI.LEGenerateDHKey.self, key)
        try recorder.command(HCI.LEGenerateDHKeyV2.self, key + " 01")
        try recorder.command(HCI.LESetDataLength.self, "40 00 FB 00 48 08")
        try recorder.answer(
            HCI.LEReadSuggestedDefaultDataLength.self, "",
            "00 1B 00 48 01")
        try recorder.command(HCI.LEWriteSuggestedDefaultDataLength.self, "FB 00 48 08")
        try recorder.answer(
            HCI.LEReadMaximumDataLength.self, "",
            "00 FB 00 48 08 FB 00 48 08")
        try recorder.answer(
            HCI.LEReadPHY.self, "40 00",
            "00 40 00 01 02")
        try recorder.command(HCI.LESetDefaultPHY.self, "00 03 02")
        try recorder.command(HCI.LESetPHY.self, "40 00 01 03 02 00 00")
        try recorder.answer(HCI.LESetScanEnable.self, "01 01", "0C")
        try recorder.answer(HCI.LESetDataLength.self, "41 00 FB 00 48 08", "02 41 00")
    }

    /// Extended advertising, scanning and connecting, and the timing of links.
    static func recordExtended(in recorder: inout Recorder) throws {
        try recorder.command(HCI.LESetAdvertisingSetRandomAddress.self, "02 01 02 03 04 05 C6")
        try recorder.answer(
            HCI.LESetExtendedAdvertisingParameters.self,
            "02 41 00 20 00 00 FF FF FF 07 01 01 11 12 13 14 15 D6 03 F4 01 05 03 0F 01", "00 F4")
        try recorder.answer(
            HCI.LESetExtendedAdvertisingParametersV2.self,
            "02 41 00 20 00 00 FF FF FF 07 01 01 11 12 13 14 15 D6 03 F4 03 05 03 0F 01 03 01", "00 F4")
        try recorder.command(
            "HCI.LESetExtendedAdvertisingData", .leSetExtendedAdvertisingData, "02 03 01 03 02 01 06",
            ["advertisingHandle": 2, "operation": 3, "preference": 1, "dataLength": 3])
        try recorder.command(
            "HCI.LESetExtendedScanResponseData", .leSetExtendedScanResponseData, "02 01 00 03 02 0A 04",
            ["advertisingHandle": 2, "operation": 1, "preference": 0, "dataLength": 3])
        try recorder.command(
            "HCI.LESetExtendedAdvertisingEnable", .leSetExtendedAdvertisingEnable, "01 01 02 E8 03 05",
            ["enable": 1, "count": 1, "advertisingHandle": 2, "duration": 1000, "maximumEvents": 5])
        try recorder.answer(HCI.LEReadMaximumAdvertisingDataLength.self, "", "00 72 06")
        try recorder.answer(HCI.LEReadNumberOfSupportedAdvertisingSets.self, "", "00 10")
        try recorder.command(HCI.LERemoveAdvertisingSet.self, "02")
        try recorder.command(HCI.LEClearAdvertisingSets.self, "")
        try recorder.command(
            "HCI.LESetExtendedScanParameters", .leSetExtendedScanParameters, "01 00 01 01 60 00 30 00",
            ["ownAddressType": 1, "filterPolicy": 0, "phys": 1, "scanType": 1, "interval": 0x60, "window": 0x30])
        try recorder.command(HCI.LESetExtendedScanEnable.self, "01 02 E8 03 05 00")
        try recorder.command(
            "HCI.LEExtendedCreateConnection", .leExtendedCreateConnection,
            "00 01 01 01 02 03 04 05 C6 01 60 00 30 00 18 00 28 00 04 00 2A 00 02 00 06 00",
            [
                "filterPolicy": 0, "ownAddressType": 1, "peerAddress.kind": 1, "peerAddress": "c6:05:04:03:02:01",
                "phys": 1,
                "scanInterval": 0x60, "scanWindow": 0x30, "intervalMinimum": 0x18, "intervalMaximum": 0x28,
                "maximumLatency": 4, "supervisionTimeout": 0x2A, "minimumConnectionEventLength": 2,
                "maximumConnectionEventLength": 6,
            ])
        try recorder.command(HCI.LERequestPeerSCA.self, "40 00")
        try recorder.command(HCI.LESetHostFeature.self, "26 01")
        try recorder.answer(HCI.LEEnhancedReadTransmitPowerLevel.self, "40 00 02", "00 40 00 02 F4 08")
        try recorder.command(HCI.LEReadRemoteTransmitPowerLevel.self, "40 00 04")
        try recorder.command(HCI.LESetPathLossReportingParameters.self, "40 00 4A 06 37 05 04 01")
        try recorder.command(HCI.LESetPathLossReportingEnable.self, "40 00 01")
        try recorder.command(HCI.LESetTransmitPowerReportingEnable.self, "40 00 01 00")
        try recorder.command(HCI.LESetDefaultSubrate.self, "05 00 0A 00 04 00 03 00 90 01")
        try recorder.command(HCI.LESubrateRequest.self, "40 00 05 00 0A 00 04 00 03 00 90 01")
    }

    /// Periodic advertising, and its transfer.
    static func recordPeriodic(in recorder: inout Recorder) throws {
        try recorder.command(HCI.LESetPeriodicAdvertisingParameters.self, "02 50 00 A0 00 40 00")
        try recorder.answer(
            HCI.LESetPeriodicAdvertisingParametersV2.self, "02 50 00 A0 00 40 00 05 08 04 10 06", "00 02")
        try recorder.command(
            "HCI.LESetPeriodicAdvertisingData", .leSetPeriodicAdvertisingData, "02 03 03 02 01 06",
            ["advertisingHandle": 2, "operation": 3, "dataLength": 3])
        try recorder.command(HCI.LESetPeriodicAdvertisingEnable.self, "03 02")
        try recorder.command(HCI.LEPeriodicAdvertisingCreateSync.self, "04 05 01 01 02 03 04 05 C6 03 00 90 01 02")
        try recorder.command(HCI.LEPeriodicAdvertisingCreateSyncCancel.self, "")
        try recorder.command(HCI.LEPeriodicAdvertisingTerminateSync.self, "21 00")
        try recorder.command(HCI.LEAddDeviceToPeriodicAdvertiserList.self, "01 01 02 03 04 05 C6 05")
        try recorder.command(HCI.LERemoveDeviceFromPeriodicAdvertiserList.self, "01 01 02 03 04 05 C6 05")
        try recorder.command(HCI.LEClearPeriodicAdvertiserList.self, "")
        try recorder.answer(HCI.LEReadPeriodicAdvertiserListSize.self, "", "00 08")
        try recorder.command(HCI.LESetPeriodicAdvertisingReceiveEnable.self, "21 00 01")
        try recorder.answer(HCI.LEPeriodicAdvertisingSyncTransfer.self, "40 00 34 12 21 00", "00 40 00")
        try recorder.answer(HCI.LEPeriodicAdvertisingSetInfoTransfer.self, "40 00 34 12 02", "00 40 00")
        try recorder.answer(
            HCI.LESetPeriodicAdvertisingSyncTransferParameters.self, "40 00 02 03 00 90 01 04", "00 40 00")
        try recorder.command(HCI.LESetDefaultPeriodicAdvertisingSyncTransferParameters.self, "02 03 00 90 01 04")
        try recorder.command(
            "HCI.LESetPeriodicAdvertisingSubeventData", .leSetPeriodicAdvertisingSubeventData,
            "02 01 03 01 04 02 AA BB",
            [
                "advertisingHandle": 2, "count": 1, "subevent": 3, "responseSlotStart": 1, "responseSlotCount": 4,
                "dataLength": 2,
            ])
        try recorder.command(
            "HCI.LESetPeriodicAdvertisingResponseData", .leSetPeriodicAdvertisingResponseData,
            "21 00 34 12 03 03 02 02 AA BB",
            [
                "syncHandle": 0x21, "requestEvent": 0x1234, "requestSubevent": 3, "responseSubevent": 3,
                "responseSlot": 2, "dataLength": 2,
            ])
        try recorder.command(
            "HCI.LESetPeriodicSyncSubevent", .leSetPeriodicSyncSubevent, "21 00 40 00 02 01 03",
            ["syncHandle": 0x21, "properties": 0x40, "count": 2])
    }
}
