extension HCI {
    /// A command's opcode: 6 bits of group (OGF) above 10 bits of command (OCF) (Vol 4, Part E, 5.4.1).
    package struct Opcode: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// Uses 6 bits of `group` and 10 bits of `command`.
        package init(group: UInt8, command: UInt16) {
            rawValue = UInt16(group & 0x3F) << 10 | command & 0x3FF
        }

        package var group: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 10) }
        package var command: UInt16 { rawValue & 0x3FF }

        /// No command: the opcode of events that only change the number of allowed commands.
        package static let none = Opcode(rawValue: 0)
    }
}

extension HCI.Opcode {
    package static let disconnect = Self(rawValue: 0x0406)
    package static let readRemoteVersionInformation = Self(rawValue: 0x041D)
    package static let setEventMask = Self(rawValue: 0x0C01)
    package static let reset = Self(rawValue: 0x0C03)
    package static let readTransmitPowerLevel = Self(rawValue: 0x0C2D)
    package static let setControllerToHostFlowControl = Self(rawValue: 0x0C31)
    package static let hostBufferSize = Self(rawValue: 0x0C33)
    package static let hostNumberOfCompletedPackets = Self(rawValue: 0x0C35)
    package static let setEventMaskPage2 = Self(rawValue: 0x0C63)
    package static let readLEHostSupport = Self(rawValue: 0x0C6C)
    package static let writeLEHostSupport = Self(rawValue: 0x0C6D)
    package static let readAuthenticatedPayloadTimeout = Self(rawValue: 0x0C7B)
    package static let writeAuthenticatedPayloadTimeout = Self(rawValue: 0x0C7C)
    package static let readLocalVersionInformation = Self(rawValue: 0x1001)
    package static let readLocalSupportedCommands = Self(rawValue: 0x1002)
    package static let readLocalSupportedFeatures = Self(rawValue: 0x1003)
    package static let readLocalExtendedFeatures = Self(rawValue: 0x1004)
    package static let readBufferSize = Self(rawValue: 0x1005)
    package static let readBDADDR = Self(rawValue: 0x1009)
    package static let readRSSI = Self(rawValue: 0x1405)
    package static let leSetEventMask = Self(rawValue: 0x2001)
    package static let leReadBufferSize = Self(rawValue: 0x2002)
    package static let leReadLocalSupportedFeatures = Self(rawValue: 0x2003)
    package static let leSetRandomAddress = Self(rawValue: 0x2005)
    package static let leSetAdvertisingParameters = Self(rawValue: 0x2006)
    package static let leReadAdvertisingPhysicalChannelTxPower = Self(rawValue: 0x2007)
    package static let leSetAdvertisingData = Self(rawValue: 0x2008)
    package static let leSetScanResponseData = Self(rawValue: 0x2009)
    package static let leSetAdvertisingEnable = Self(rawValue: 0x200A)
    package static let leSetScanParameters = Self(rawValue: 0x200B)
    package static let leSetScanEnable = Self(rawValue: 0x200C)
    package static let leCreateConnection = Self(rawValue: 0x200D)
    package static let leCreateConnectionCancel = Self(rawValue: 0x200E)
    package static let leReadFilterAcceptListSize = Self(rawValue: 0x200F)
    package static let leClearFilterAcceptList = Self(rawValue: 0x2010)
    package static let leAddDeviceToFilterAcceptList = Self(rawValue: 0x2011)
    package static let leRemoveDeviceFromFilterAcceptList = Self(rawValue: 0x2012)
    package static let leConnectionUpdate = Self(rawValue: 0x2013)
    package static let leSetHostChannelClassification = Self(rawValue: 0x2014)
    package static let leReadChannelMap = Self(rawValue: 0x2015)
    package static let leReadRemoteFeatures = Self(rawValue: 0x2016)
    package static let leEncrypt = Self(rawValue: 0x2017)
    package static let leRand = Self(rawValue: 0x2018)
    package static let leEnableEncryption = Self(rawValue: 0x2019)
    package static let leLongTermKeyRequestReply = Self(rawValue: 0x201A)
    package static let leLongTermKeyRequestNegativeReply = Self(rawValue: 0x201B)
    package static let leReadSupportedStates = Self(rawValue: 0x201C)
    package static let leRemoteConnectionParameterRequestReply = Self(rawValue: 0x2020)
    package static let leRemoteConnectionParameterRequestNegativeReply = Self(rawValue: 0x2021)
    package static let leSetDataLength = Self(rawValue: 0x2022)
    package static let leReadSuggestedDefaultDataLength = Self(rawValue: 0x2023)
    package static let leWriteSuggestedDefaultDataLength = Self(rawValue: 0x2024)
    package static let leReadLocalP256PublicKey = Self(rawValue: 0x2025)
    package static let leGenerateDHKey = Self(rawValue: 0x2026)
    package static let leAddDeviceToResolvingList = Self(rawValue: 0x2027)
    package static let leRemoveDeviceFromResolvingList = Self(rawValue: 0x2028)
    package static let leClearResolvingList = Self(rawValue: 0x2029)
    package static let leReadResolvingListSize = Self(rawValue: 0x202A)
    package static let leReadPeerResolvableAddress = Self(rawValue: 0x202B)
    package static let leReadLocalResolvableAddress = Self(rawValue: 0x202C)
    package static let leSetAddressResolutionEnable = Self(rawValue: 0x202D)
    package static let leSetResolvablePrivateAddressTimeout = Self(rawValue: 0x202E)
    package static let leReadMaximumDataLength = Self(rawValue: 0x202F)
    package static let leReadPHY = Self(rawValue: 0x2030)
    package static let leSetDefaultPHY = Self(rawValue: 0x2031)
    package static let leSetPHY = Self(rawValue: 0x2032)
    package static let leSetAdvertisingSetRandomAddress = Self(rawValue: 0x2035)
    package static let leSetExtendedAdvertisingParameters = Self(rawValue: 0x2036)
    package static let leSetExtendedAdvertisingData = Self(rawValue: 0x2037)
    package static let leSetExtendedScanResponseData = Self(rawValue: 0x2038)
    package static let leSetExtendedAdvertisingEnable = Self(rawValue: 0x2039)
    package static let leReadMaximumAdvertisingDataLength = Self(rawValue: 0x203A)
    package static let leReadNumberOfSupportedAdvertisingSets = Self(rawValue: 0x203B)
    package static let leRemoveAdvertisingSet = Self(rawValue: 0x203C)
    package static let leClearAdvertisingSets = Self(rawValue: 0x203D)
    package static let leSetPeriodicAdvertisingParameters = Self(rawValue: 0x203E)
    package static let leSetPeriodicAdvertisingData = Self(rawValue: 0x203F)
    package static let leSetPeriodicAdvertisingEnable = Self(rawValue: 0x2040)
    package static let leSetExtendedScanParameters = Self(rawValue: 0x2041)
    package static let leSetExtendedScanEnable = Self(rawValue: 0x2042)
    package static let leExtendedCreateConnection = Self(rawValue: 0x2043)
    package static let lePeriodicAdvertisingCreateSync = Self(rawValue: 0x2044)
    package static let lePeriodicAdvertisingCreateSyncCancel = Self(rawValue: 0x2045)
    package static let lePeriodicAdvertisingTerminateSync = Self(rawValue: 0x2046)
    package static let leAddDeviceToPeriodicAdvertiserList = Self(rawValue: 0x2047)
    package static let leRemoveDeviceFromPeriodicAdvertiserList = Self(rawValue: 0x2048)
    package static let leClearPeriodicAdvertiserList = Self(rawValue: 0x2049)
    package static let leReadPeriodicAdvertiserListSize = Self(rawValue: 0x204A)
    package static let leReadTransmitPower = Self(rawValue: 0x204B)
    package static let leSetPrivacyMode = Self(rawValue: 0x204E)
    package static let leSetPeriodicAdvertisingReceiveEnable = Self(rawValue: 0x2059)
    package static let lePeriodicAdvertisingSyncTransfer = Self(rawValue: 0x205A)
    package static let lePeriodicAdvertisingSetInfoTransfer = Self(rawValue: 0x205B)
    package static let leSetPeriodicAdvertisingSyncTransferParameters = Self(rawValue: 0x205C)
    package static let leSetDefaultPeriodicAdvertisingSyncTransferParameters = Self(rawValue: 0x205D)
    package static let leGenerateDHKeyV2 = Self(rawValue: 0x205E)
    package static let leReadBufferSizeV2 = Self(rawValue: 0x2060)
    package static let leRequestPeerSCA = Self(rawValue: 0x206D)
    package static let leSetHostFeature = Self(rawValue: 0x2074)
    package static let leEnhancedReadTransmitPowerLevel = Self(rawValue: 0x2076)
    package static let leReadRemoteTransmitPowerLevel = Self(rawValue: 0x2077)
    package static let leSetPathLossReportingParameters = Self(rawValue: 0x2078)
    package static let leSetPathLossReportingEnable = Self(rawValue: 0x2079)
    package static let leSetTransmitPowerReportingEnable = Self(rawValue: 0x207A)
    package static let leSetDefaultSubrate = Self(rawValue: 0x207D)
    package static let leSubrateRequest = Self(rawValue: 0x207E)
    package static let leSetExtendedAdvertisingParametersV2 = Self(rawValue: 0x207F)
    package static let leSetPeriodicAdvertisingSubeventData = Self(rawValue: 0x2082)
    package static let leSetPeriodicAdvertisingResponseData = Self(rawValue: 0x2083)
    package static let leSetPeriodicSyncSubevent = Self(rawValue: 0x2084)
    package static let leSetPeriodicAdvertisingParametersV2 = Self(rawValue: 0x2086)
    /// A vendor's command that Zephyr's controllers have too.
    package static let vendorWriteBDADDR = Self(rawValue: 0xFC06)
    /// A vendor's command that Zephyr's controllers have too.
    package static let vendorWriteTransmitPower = Self(rawValue: 0xFC0E)
    /// A command of this package's virtual controller only.
    package static let vendorWriteSleepClock = Self(rawValue: 0xFC80)
}

extension HCI.Opcode: CustomStringConvertible {
    /// The specification's name, or the number.
    package var description: String {
        switch self {
        case .disconnect: "Disconnect"
        case .readRemoteVersionInformation: "Read Remote Version Information"
        case .setEventMask: "Set Event Mask"
        case .reset: "Reset"
        case .readTransmitPowerLevel: "Read Transmit Power Level"
        case .setControllerToHostFlowControl: "Set Controller To Host Flow Control"
        case .hostBufferSize: "Host Buffer Size"
        case .hostNumberOfCompletedPackets: "Host Number Of Completed Packets"
        case .setEventMaskPage2: "Set Event Mask Page 2"
        case .readLEHostSupport: "Read LE Host Support"
        case .writeLEHostSupport: "Write LE Host Support"
        case .readAuthenticatedPayloadTimeout: "Read Authenticated Payload Timeout"
        case .writeAuthenticatedPayloadTimeout: "Write Authenticated Payload Timeout"
        case .readLocalVersionInformation: "Read Local Version Information"
        case .readLocalSupportedCommands: "Read Local Supported Commands"
        case .readLocalSupportedFeatures: "Read Local Supported Features"
        case .readLocalExtendedFeatures: "Read Local Extended Features"
        case .readBufferSize: "Read Buffer Size"
        case .readBDADDR: "Read BD_ADDR"
        case .readRSSI: "Read RSSI"
        case .leSetEventMask: "LE Set Event Mask"
        case .leReadBufferSize: "LE Read Buffer Size [v1]"
        case .leReadLocalSupportedFeatures: "LE Read Local Supported Features"
        case .leSetRandomAddress: "LE Set Random Address"
        case .leSetAdvertisingParameters: "LE Set Advertising Parameters"
        case .leReadAdvertisingPhysicalChannelTxPower: "LE Read Advertising Physical Channel Tx Power"
        case .leSetAdvertisingData: "LE Set Advertising Data"
        case .leSetScanResponseData: "LE Set Scan Response Data"
        case .leSetAdvertisingEnable: "LE Set Advertising Enable"
        case .leSetScanParameters: "LE Set Scan Parameters"
        case .leSetScanEnable: "LE Set Scan Enable"
        case .leCreateConnection: "LE Create Connection"
        case .leCreateConnectionCancel: "LE Create Connection Cancel"
        case .leReadFilterAcceptListSize: "LE Read Filter Accept List Size"
        case .leClearFilterAcceptList: "LE Clear Filter Accept List"
        case .leAddDeviceToFilterAcceptList: "LE Add Device To Filter Accept List"
        case .leRemoveDeviceFromFilterAcceptList: "LE Remove Device From Filter Accept List"
        case .leConnectionUpdate: "LE Connection Update"
        case .leSetHostChannelClassification: "LE Set Host Channel Classification"
        case .leReadChannelMap: "LE Read Channel Map"
        case .leReadRemoteFeatures: "LE Read Remote Features"
        case .leEncrypt: "LE Encrypt"
        case .leRand: "LE Rand"
        case .leEnableEncryption: "LE Enable Encryption"
        case .leLongTermKeyRequestReply: "LE Long Term Key Request Reply"
        case .leLongTermKeyRequestNegativeReply: "LE Long Term Key Request Negative Reply"
        case .leReadSupportedStates: "LE Read Supported States"
        case .leRemoteConnectionParameterRequestReply: "LE Remote Connection Parameter Request Reply"
        case .leRemoteConnectionParameterRequestNegativeReply: "LE Remote Connection Parameter Request Negative Reply"
        case .leSetDataLength: "LE Set Data Length"
        case .leReadSuggestedDefaultDataLength: "LE Read Suggested Default Data Length"
        case .leWriteSuggestedDefaultDataLength: "LE Write Suggested Default Data Length"
        case .leReadLocalP256PublicKey: "LE Read Local P-256 Public Key"
        case .leGenerateDHKey: "LE Generate DHKey [v1]"
        case .leAddDeviceToResolvingList: "LE Add Device To Resolving List"
        case .leRemoveDeviceFromResolvingList: "LE Remove Device From Resolving List"
        case .leClearResolvingList: "LE Clear Resolving List"
        case .leReadResolvingListSize: "LE Read Resolving List Size"
        case .leReadPeerResolvableAddress: "LE Read Peer Resolvable Address"
        case .leReadLocalResolvableAddress: "LE Read Local Resolvable Address"
        case .leSetAddressResolutionEnable: "LE Set Address Resolution Enable"
        case .leSetResolvablePrivateAddressTimeout: "LE Set Resolvable Private Address Timeout"
        case .leReadMaximumDataLength: "LE Read Maximum Data Length"
        case .leReadPHY: "LE Read PHY"
        case .leSetDefaultPHY: "LE Set Default PHY"
        case .leSetPHY: "LE Set PHY"
        case .leSetAdvertisingSetRandomAddress: "LE Set Advertising Set Random Address"
        case .leSetExtendedAdvertisingParameters: "LE Set Extended Advertising Parameters [v1]"
        case .leSetExtendedAdvertisingData: "LE Set Extended Advertising Data"
        case .leSetExtendedScanResponseData: "LE Set Extended Scan Response Data"
        case .leSetExtendedAdvertisingEnable: "LE Set Extended Advertising Enable"
        case .leReadMaximumAdvertisingDataLength: "LE Read Maximum Advertising Data Length"
        case .leReadNumberOfSupportedAdvertisingSets: "LE Read Number Of Supported Advertising Sets"
        case .leRemoveAdvertisingSet: "LE Remove Advertising Set"
        case .leClearAdvertisingSets: "LE Clear Advertising Sets"
        case .leSetPeriodicAdvertisingParameters: "LE Set Periodic Advertising Parameters [v1]"
        case .leSetPeriodicAdvertisingData: "LE Set Periodic Advertising Data"
        case .leSetPeriodicAdvertisingEnable: "LE Set Periodic Advertising Enable"
        case .leSetExtendedScanParameters: "LE Set Extended Scan Parameters"
        case .leSetExtendedScanEnable: "LE Set Extended Scan Enable"
        case .leExtendedCreateConnection: "LE Extended Create Connection [v1]"
        case .lePeriodicAdvertisingCreateSync: "LE Periodic Advertising Create Sync"
        case .lePeriodicAdvertisingCreateSyncCancel: "LE Periodic Advertising Create Sync Cancel"
        case .lePeriodicAdvertisingTerminateSync: "LE Periodic Advertising Terminate Sync"
        case .leAddDeviceToPeriodicAdvertiserList: "LE Add Device To Periodic Advertiser List"
        case .leRemoveDeviceFromPeriodicAdvertiserList: "LE Remove Device From Periodic Advertiser List"
        case .leClearPeriodicAdvertiserList: "LE Clear Periodic Advertiser List"
        case .leReadPeriodicAdvertiserListSize: "LE Read Periodic Advertiser List Size"
        case .leReadTransmitPower: "LE Read Transmit Power"
        case .leSetPrivacyMode: "LE Set Privacy Mode"
        case .leSetPeriodicAdvertisingReceiveEnable: "LE Set Periodic Advertising Receive Enable"
        case .lePeriodicAdvertisingSyncTransfer: "LE Periodic Advertising Sync Transfer"
        case .lePeriodicAdvertisingSetInfoTransfer: "LE Periodic Advertising Set Info Transfer"
        case .leSetPeriodicAdvertisingSyncTransferParameters: "LE Set Periodic Advertising Sync Transfer Parameters"
        case .leSetDefaultPeriodicAdvertisingSyncTransferParameters:
            "LE Set Default Periodic Advertising Sync Transfer Parameters"
        case .leGenerateDHKeyV2: "LE Generate DHKey [v2]"
        case .leReadBufferSizeV2: "LE Read Buffer Size [v2]"
        case .leRequestPeerSCA: "LE Request Peer SCA"
        case .leSetHostFeature: "LE Set Host Feature [v1]"
        case .leEnhancedReadTransmitPowerLevel: "LE Enhanced Read Transmit Power Level"
        case .leReadRemoteTransmitPowerLevel: "LE Read Remote Transmit Power Level"
        case .leSetPathLossReportingParameters: "LE Set Path Loss Reporting Parameters"
        case .leSetPathLossReportingEnable: "LE Set Path Loss Reporting Enable"
        case .leSetTransmitPowerReportingEnable: "LE Set Transmit Power Reporting Enable"
        case .leSetDefaultSubrate: "LE Set Default Subrate"
        case .leSubrateRequest: "LE Subrate Request"
        case .leSetExtendedAdvertisingParametersV2: "LE Set Extended Advertising Parameters [v2]"
        case .leSetPeriodicAdvertisingSubeventData: "LE Set Periodic Advertising Subevent Data"
        case .leSetPeriodicAdvertisingResponseData: "LE Set Periodic Advertising Response Data"
        case .leSetPeriodicSyncSubevent: "LE Set Periodic Sync Subevent"
        case .leSetPeriodicAdvertisingParametersV2: "LE Set Periodic Advertising Parameters [v2]"
        case .vendorWriteBDADDR: "Vendor Write BD_ADDR"
        case .vendorWriteTransmitPower: "Vendor Write Transmit Power"
        case .vendorWriteSleepClock: "Vendor Write Sleep Clock"
        default: "command 0x" + hexadecimal(rawValue, digits: 4)
        }
    }
}
