// Written by Scripts/generate-pdus from the declarations in Sources/Protocol/BLEWire. Do not edit.

import BLEWire

extension FieldLayouts {
    static func control(_ opcode: LL.ControlOpcode) -> [FieldLayout]? {
        switch opcode {
        case LL.TerminateInd.opcode:
            [FieldLayout("Reason", 1, .number, .errorCode)]
        case LL.UnknownRsp.opcode:
            [FieldLayout("Unknown type", 1, .controlOpcode)]
        case LL.VersionInd.opcode:
            [
                FieldLayout("Version", 1, .number),
                FieldLayout("Company", 2, .number, .company),
                FieldLayout("Subversion", 2, .number),
            ]
        case LL.RejectInd.opcode:
            [FieldLayout("Error code", 1, .number, .errorCode)]
        case LL.RejectExtInd.opcode:
            [
                FieldLayout("Reject opcode", 1, .controlOpcode),
                FieldLayout("Error code", 1, .number, .errorCode),
            ]
        case LL.EncReq.opcode:
            [
                FieldLayout("Random number", 8, .number),
                FieldLayout("Encrypted diversifier", 2, .number),
                FieldLayout("Part", 12, .sessionPart),
            ]
        case LL.EncRsp.opcode:
            [FieldLayout("Part", 12, .sessionPart)]
        case LL.FeatureReq.opcode:
            [FieldLayout("Features", 8, .featureSet)]
        case LL.FeatureRsp.opcode:
            [FieldLayout("Features", 8, .featureSet)]
        case LL.PeripheralFeatureReq.opcode:
            [FieldLayout("Features", 8, .featureSet)]
        case LL.LengthReq.opcode:
            [
                FieldLayout("Max RX octets", 2, .number, .octets),
                FieldLayout("Max RX time", 2, .number, .microseconds),
                FieldLayout("Max TX octets", 2, .number, .octets),
                FieldLayout("Max TX time", 2, .number, .microseconds),
            ]
        case LL.LengthRsp.opcode:
            [
                FieldLayout("Max RX octets", 2, .number, .octets),
                FieldLayout("Max RX time", 2, .number, .microseconds),
                FieldLayout("Max TX octets", 2, .number, .octets),
                FieldLayout("Max TX time", 2, .number, .microseconds),
            ]
        case LL.PHYReq.opcode:
            [
                FieldLayout("TX PHYs", 1, .phySet),
                FieldLayout("RX PHYs", 1, .phySet),
            ]
        case LL.PHYRsp.opcode:
            [
                FieldLayout("TX PHYs", 1, .phySet),
                FieldLayout("RX PHYs", 1, .phySet),
            ]
        case LL.PeriodicSyncInd.opcode:
            [
                FieldLayout("Identifier", 2, .number),
                FieldLayout("Sync info", 18, .syncInfo),
                FieldLayout("Connection event", 2, .number),
                FieldLayout("Last periodic event", 2, .number),
                FieldLayout("Advertiser info", 1, .periodicAdvertiserInfo),
                FieldLayout("PHY", 1, .phySet),
                FieldLayout("Advertiser", 6, .advertiserAddress),
                FieldLayout("Sync connection event", 2, .number),
            ]
        case LL.PeriodicSyncWRInd.opcode:
            [
                FieldLayout("Identifier", 2, .number),
                FieldLayout("Sync info", 18, .syncInfo),
                FieldLayout("Connection event", 2, .number),
                FieldLayout("Last periodic event", 2, .number),
                FieldLayout("Advertiser info", 1, .periodicAdvertiserInfo),
                FieldLayout("PHY", 1, .phySet),
                FieldLayout("Advertiser", 6, .advertiserAddress),
                FieldLayout("Sync connection event", 2, .number),
                FieldLayout("Response access address", 4, .number),
                FieldLayout("Subevent count", 1, .number),
                FieldLayout("Subevent interval", 1, .number, .slots),
                FieldLayout("Response slot delay", 1, .number, .slots),
                FieldLayout("Response slot spacing", 1, .number, .eighthsOfMilliseconds),
            ]
        case LL.PowerControlReq.opcode:
            [
                FieldLayout("PHYs", 1, .powerPHYSet),
                FieldLayout("Delta", 1, .signed, .decibels),
                FieldLayout("Power", 1, .signed, .decibelMilliwatts),
            ]
        case LL.PowerControlRsp.opcode:
            [
                FieldLayout("Limits", 1, .powerLimits),
                FieldLayout("Delta", 1, .signed, .decibels),
                FieldLayout("Power", 1, .signed, .decibelMilliwatts),
                FieldLayout("Acceptable reduction", 1, .number, .decibels),
            ]
        case LL.PowerChangeInd.opcode:
            [
                FieldLayout("PHYs", 1, .powerPHYSet),
                FieldLayout("Limits", 1, .powerLimits),
                FieldLayout("Delta", 1, .signed, .decibels),
                FieldLayout("Power", 1, .signed, .decibelMilliwatts),
            ]
        case LL.ChannelReportingInd.opcode:
            [
                FieldLayout("Is on", 1, .bool),
                FieldLayout("Minimum spacing", 1, .number, .fifthsOfSecond),
                FieldLayout("Maximum delay", 1, .number, .fifthsOfSecond),
            ]
        case LL.ChannelStatusInd.opcode:
            [FieldLayout("Classification", 10, .channelClassification)]
        case LL.MinUsedChannelsInd.opcode:
            [
                FieldLayout("PHYs", 1, .phySet),
                FieldLayout("Minimum", 1, .number),
            ]
        case LL.ClockAccuracyReq.opcode:
            [FieldLayout("Sleep clock accuracy", 1, .number)]
        case LL.ClockAccuracyRsp.opcode:
            [FieldLayout("Sleep clock accuracy", 1, .number)]
        case LL.SubrateReq.opcode:
            [
                FieldLayout("Factor minimum", 2, .number),
                FieldLayout("Factor maximum", 2, .number),
                FieldLayout("Maximum latency", 2, .number),
                FieldLayout("Continuation number", 2, .number),
                FieldLayout("Timeout", 2, .number, .tensOfMilliseconds),
            ]
        case LL.SubrateInd.opcode:
            [
                FieldLayout("Factor", 2, .number),
                FieldLayout("Base event", 2, .number),
                FieldLayout("Latency", 2, .number),
                FieldLayout("Continuation number", 2, .number),
                FieldLayout("Timeout", 2, .number, .tensOfMilliseconds),
            ]
        case LL.ConnectionUpdateInd.opcode:
            [
                FieldLayout("Window size", 1, .number, .slots),
                FieldLayout("Window offset", 2, .number, .slots),
                FieldLayout("Interval", 2, .number, .slots),
                FieldLayout("Latency", 2, .number),
                FieldLayout("Timeout", 2, .number, .tensOfMilliseconds),
                FieldLayout("Instant", 2, .number),
            ]
        case LL.ChannelMapInd.opcode:
            [
                FieldLayout("Channel map", 5, .channelMap),
                FieldLayout("Instant", 2, .number),
            ]
        case LL.PHYUpdateInd.opcode:
            [
                FieldLayout("Central to peripheral", 1, .phySet),
                FieldLayout("Peripheral to central", 1, .phySet),
                FieldLayout("Instant", 2, .number),
            ]
        case LL.ConnectionParamReq.opcode, LL.ConnectionParamRsp.opcode:
            [
                FieldLayout("Interval min", 2, .number, .slots),
                FieldLayout("Interval max", 2, .number, .slots),
                FieldLayout("Latency", 2, .number),
                FieldLayout("Timeout", 2, .number, .tensOfMilliseconds),
                FieldLayout("Preferred periodicity", 1, .number, .slots),
                FieldLayout("Reference connection event", 2, .number),
                FieldLayout("Offset 0", 2, .number),
                FieldLayout("Offset 1", 2, .number),
                FieldLayout("Offset 2", 2, .number),
                FieldLayout("Offset 3", 2, .number),
                FieldLayout("Offset 4", 2, .number),
                FieldLayout("Offset 5", 2, .number),
            ]
        default: nil
        }
    }

    static func signal(_ code: L2CAP.SignalCode) -> [FieldLayout]? {
        switch code {
        case L2CAP.ConnectionParameterUpdateRequest.code:
            [
                FieldLayout("Interval minimum", 2, .number, .slots),
                FieldLayout("Interval maximum", 2, .number, .slots),
                FieldLayout("Latency", 2, .number),
                FieldLayout("Timeout", 2, .number, .tensOfMilliseconds),
            ]
        case L2CAP.ConnectionParameterUpdateResponse.code:
            [FieldLayout("Result", 2, .connectionParameterUpdateResponseResult)]
        case L2CAP.CreditBasedConnectionRequest.code:
            [
                FieldLayout("SPSM", 2, .number),
                FieldLayout("Source channel", 2, .channelIdentifier),
                FieldLayout("MTU", 2, .number, .octets),
                FieldLayout("MPS", 2, .number, .octets),
                FieldLayout("Initial credits", 2, .number),
            ]
        case L2CAP.CreditBasedConnectionResponse.code:
            [
                FieldLayout("Destination channel", 2, .channelIdentifier),
                FieldLayout("MTU", 2, .number),
                FieldLayout("MPS", 2, .number),
                FieldLayout("Initial credits", 2, .number),
                FieldLayout("Result", 2, .creditBasedConnectionResponseResult),
            ]
        case L2CAP.FlowControlCredit.code:
            [
                FieldLayout("Channel", 2, .channelIdentifier),
                FieldLayout("Credits", 2, .number),
            ]
        case L2CAP.DisconnectionRequest.code:
            [
                FieldLayout("Destination channel", 2, .channelIdentifier),
                FieldLayout("Source channel", 2, .channelIdentifier),
            ]
        case L2CAP.DisconnectionResponse.code:
            [
                FieldLayout("Destination channel", 2, .channelIdentifier),
                FieldLayout("Source channel", 2, .channelIdentifier),
            ]
        case L2CAP.EnhancedReconfigureResponse.code:
            [FieldLayout("Result", 2, .enhancedReconfigureResponseResult)]
        default: nil
        }
    }

    static func pairing(_ code: SMP.Code) -> [FieldLayout]? {
        switch code {
        case SMP.SecurityRequest.code:
            [FieldLayout("Requirements", 1, .authenticationRequirements)]
        case SMP.EncryptionInformation.code:
            [FieldLayout("Key", 16, .longTermKey)]
        case SMP.CentralIdentification.code:
            [
                FieldLayout("Diversifier", 2, .number),
                FieldLayout("Random", 8, .number),
            ]
        case SMP.IdentityInformation.code:
            [FieldLayout("Key", 16, .identityResolvingKey)]
        case SMP.SigningInformation.code:
            [FieldLayout("Key", 16, .signatureKey)]
        case SMP.PairingConfirm.code:
            [FieldLayout("Number", 16, .number)]
        case SMP.PairingRandom.code:
            [FieldLayout("Number", 16, .number)]
        case SMP.PairingFailed.code:
            [FieldLayout("Reason", 1, .failureReason)]
        case SMP.PairingDHKeyCheck.code:
            [FieldLayout("Number", 16, .number)]
        case SMP.KeypressNotification.code:
            [FieldLayout("Kind", 1, .keypressNotificationKind)]
        default: nil
        }
    }

    static var pairingFeatures: [FieldLayout] {
        [
            FieldLayout("IO capability", 1, .ioCapability),
            FieldLayout("Has out of band data", 1, .bool),
            FieldLayout("Requirements", 1, .authenticationRequirements),
            FieldLayout("Maximum key size", 1, .number, .octets),
            FieldLayout("Initiator keys", 1, .keyDistribution),
            FieldLayout("Responder keys", 1, .keyDistribution),
        ]
    }
}
