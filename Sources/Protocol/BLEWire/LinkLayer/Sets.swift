extension LL {
    /// The used ones of the 37 data channels. Bit n stands for channel n (Vol 6, Part B, 1.4.1).
    package struct ChannelMap: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt64
        /// Drops the reserved bits above the 37th.
        package init(rawValue: UInt64) { self.rawValue = rawValue & 0x1F_FFFF_FFFF }

        package static let all = ChannelMap(rawValue: 0x1F_FFFF_FFFF)

        package var count: Int { rawValue.nonzeroBitCount }

        package func contains(_ channel: UInt8) -> Bool { channel < 37 && rawValue >> UInt64(channel) & 1 != 0 }

        /// The used channel at position `index`, in ascending order; nil beyond the last.
        package func channel(at index: Int) -> UInt8? {
            var left = rawValue
            for _ in 0..<max(0, index) { left &= left &- 1 }
            return left == 0 ? nil : UInt8(left.trailingZeroBitCount)
        }
    }

    /// A set of PHYs in the format of link layer and HCI: bit 0 is 1M, bit 1 is 2M, bit 2 is Coded.
    package struct PHYSet: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let oneM = PHYSet(rawValue: 1)
        package static let twoM = PHYSet(rawValue: 2)
        package static let coded = PHYSet(rawValue: 4)
    }

    /// The features of a link layer (Vol 6, Part B, 4.6).
    package struct FeatureSet: OptionSet, Hashable, Sendable {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        package static let encryption = FeatureSet(rawValue: 1 << 0)
        package static let connectionParametersRequest = FeatureSet(rawValue: 1 << 1)
        package static let extendedReject = FeatureSet(rawValue: 1 << 2)
        package static let peripheralInitiatedFeaturesExchange = FeatureSet(rawValue: 1 << 3)
        package static let ping = FeatureSet(rawValue: 1 << 4)
        package static let dataPacketLengthExtension = FeatureSet(rawValue: 1 << 5)
        package static let privacy = FeatureSet(rawValue: 1 << 6)
        package static let extendedScanFilterPolicies = FeatureSet(rawValue: 1 << 7)
        package static let twoM = FeatureSet(rawValue: 1 << 8)
        package static let coded = FeatureSet(rawValue: 1 << 11)
        package static let extendedAdvertising = FeatureSet(rawValue: 1 << 12)
        package static let periodicAdvertising = FeatureSet(rawValue: 1 << 13)
        package static let channelSelection2 = FeatureSet(rawValue: 1 << 14)
        package static let minimumUsedChannels = FeatureSet(rawValue: 1 << 16)
        package static let periodicSyncTransferSender = FeatureSet(rawValue: 1 << 24)
        package static let periodicSyncTransferRecipient = FeatureSet(rawValue: 1 << 25)
        package static let clockAccuracyUpdates = FeatureSet(rawValue: 1 << 26)
        /// Requests and answers about transmit power. The feature has two bits, which are equal.
        package static let powerControl = FeatureSet(rawValue: 3 << 33)
        package static let pathLossMonitoring = FeatureSet(rawValue: 1 << 35)
        package static let periodicAdvertisingADI = FeatureSet(rawValue: 1 << 36)
        package static let subrating = FeatureSet(rawValue: 1 << 37)
        /// The host accepts subrating.
        package static let subratingHostSupport = FeatureSet(rawValue: 1 << 38)
        package static let channelClassification = FeatureSet(rawValue: 1 << 39)
        package static let advertisingCodingSelection = FeatureSet(rawValue: 1 << 40)
        /// The host knows the codings in advertising reports.
        package static let advertisingCodingSelectionHostSupport = FeatureSet(rawValue: 1 << 41)
        package static let periodicAdvertisingWithResponsesAdvertiser = FeatureSet(rawValue: 1 << 43)
        package static let periodicAdvertisingWithResponsesScanner = FeatureSet(rawValue: 1 << 44)
    }
}
