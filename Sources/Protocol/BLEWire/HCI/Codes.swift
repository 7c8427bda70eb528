/// The small code spaces of commands and events. Reserved values survive a round trip.
extension HCI {
    /// A version of the Core Specification, in the numbers of HCI_Version and the LL version (Assigned Numbers, 2.1).
    package struct CoreVersion: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let v4_0 = CoreVersion(rawValue: 6)
        package static let v4_1 = CoreVersion(rawValue: 7)
        package static let v4_2 = CoreVersion(rawValue: 8)
        package static let v5_0 = CoreVersion(rawValue: 9)
        package static let v5_1 = CoreVersion(rawValue: 10)
        package static let v5_2 = CoreVersion(rawValue: 11)
        package static let v5_3 = CoreVersion(rawValue: 12)
        package static let v5_4 = CoreVersion(rawValue: 13)
        package static let v6_0 = CoreVersion(rawValue: 14)
    }

    /// The type of address that a device uses itself (Vol 4, Part E, 7.8.5).
    package struct OwnAddressType: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let `public` = OwnAddressType(rawValue: 0)
        package static let random = OwnAddressType(rawValue: 1)
        /// A resolvable address from the local IRK of the resolving list, otherwise public.
        package static let resolvableOrPublic = OwnAddressType(rawValue: 2)
        /// A resolvable address from the local IRK of the resolving list, otherwise random.
        package static let resolvableOrRandom = OwnAddressType(rawValue: 3)
    }

    /// The type of legacy advertising (Vol 4, Part E, 7.8.5).
    package struct AdvertisingType: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// ADV_IND.
        package static let connectableUndirected = AdvertisingType(rawValue: 0)
        /// ADV_DIRECT_IND, high duty cycle.
        package static let connectableDirectedHighDutyCycle = AdvertisingType(rawValue: 1)
        /// ADV_SCAN_IND.
        package static let scannableUndirected = AdvertisingType(rawValue: 2)
        /// ADV_NONCONN_IND.
        package static let nonconnectableUndirected = AdvertisingType(rawValue: 3)
        /// ADV_DIRECT_IND, low duty cycle.
        package static let connectableDirectedLowDutyCycle = AdvertisingType(rawValue: 4)
    }

    /// The type of the reported packet (Vol 4, Part E, 7.7.65.2).
    package struct AdvertisingEventType: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// ADV_IND.
        package static let connectableUndirected = AdvertisingEventType(rawValue: 0)
        /// ADV_DIRECT_IND.
        package static let connectableDirected = AdvertisingEventType(rawValue: 1)
        /// ADV_SCAN_IND.
        package static let scannableUndirected = AdvertisingEventType(rawValue: 2)
        /// ADV_NONCONN_IND.
        package static let nonconnectableUndirected = AdvertisingEventType(rawValue: 3)
        /// SCAN_RSP.
        package static let scanResponse = AdvertisingEventType(rawValue: 4)
    }

    /// The advertising channels to use.
    package struct AdvertisingChannelMap: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let channel37 = AdvertisingChannelMap(rawValue: 1)
        package static let channel38 = AdvertisingChannelMap(rawValue: 2)
        package static let channel39 = AdvertisingChannelMap(rawValue: 4)
        package static let all: AdvertisingChannelMap = [.channel37, .channel38, .channel39]
    }

    /// The devices whose scan and connection requests an advertiser accepts.
    package struct AdvertisingFilterPolicy: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let everyone = AdvertisingFilterPolicy(rawValue: 0)
        package static let scanFromAcceptList = AdvertisingFilterPolicy(rawValue: 1)
        package static let connectFromAcceptList = AdvertisingFilterPolicy(rawValue: 2)
        package static let bothFromAcceptList = AdvertisingFilterPolicy(rawValue: 3)
    }

    /// Whether a scanner requests scan responses.
    package struct ScanType: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let passive = ScanType(rawValue: 0)
        package static let active = ScanType(rawValue: 1)
    }

    /// The devices whose advertising a scanner reports.
    package struct ScanFilterPolicy: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let everyone = ScanFilterPolicy(rawValue: 0)
        package static let acceptList = ScanFilterPolicy(rawValue: 1)
        /// All devices, and directed advertising whose target is a resolvable private address.
        package static let everyoneExtended = ScanFilterPolicy(rawValue: 2)
        package static let acceptListExtended = ScanFilterPolicy(rawValue: 3)
    }

    /// The devices to which an initiator connects.
    package struct InitiatorFilterPolicy: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let peerAddress = InitiatorFilterPolicy(rawValue: 0)
        package static let acceptList = InitiatorFilterPolicy(rawValue: 1)
    }

    /// The role of the local device in a connection.
    package struct Role: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let central = Role(rawValue: 0)
        package static let peripheral = Role(rawValue: 1)
    }

    /// The accuracy of a sleep clock: the worst case of a range.
    package struct ClockAccuracy: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let ppm500 = ClockAccuracy(rawValue: 0)
        package static let ppm250 = ClockAccuracy(rawValue: 1)
        package static let ppm150 = ClockAccuracy(rawValue: 2)
        package static let ppm100 = ClockAccuracy(rawValue: 3)
        package static let ppm75 = ClockAccuracy(rawValue: 4)
        package static let ppm50 = ClockAccuracy(rawValue: 5)
        package static let ppm30 = ClockAccuracy(rawValue: 6)
        package static let ppm20 = ClockAccuracy(rawValue: 7)

        /// The best accuracy that includes an error.
        ///
        /// - Parameter error: In parts per million, 0 to 500.
        package init(covering error: Int) {
            var code: UInt8 = 7
            while code > 0, ClockAccuracy(rawValue: code).partsPerMillion < error { code -= 1 }
            self.init(rawValue: code)
        }

        /// Whether the field CA of a pointer is set (Vol 6, Part B, 2.3.4.5).
        package var isWithin50: Bool { partsPerMillion <= 50 }

        /// The greatest error of such a clock, in parts per million. Link layer PDUs use three bits of the value (Vol 6, Part B, 2.3.3.1).
        package var partsPerMillion: Int {
            switch rawValue & 7 {
            case 0: 500
            case 1: 250
            case 2: 150
            case 3: 100
            case 4: 75
            case 5: 50
            case 6: 30
            default: 20
            }
        }
    }

    /// One PHY.
    package struct PHY: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let le1M = PHY(rawValue: 1)
        package static let le2M = PHY(rawValue: 2)
        package static let leCoded = PHY(rawValue: 3)

        /// The PHYs that have words.
        package static let all = [le1M, le2M, leCoded]
        /// Those of the primary advertising channels (Vol 6, Part B, 2.3.1.5).
        package static let primary = [le1M, leCoded]

        /// The word in files: `1M`, `2M` or `coded`.
        package var word: String { self == .leCoded ? "coded" : name }
        /// The word in the options of a command: `1m`, `2m` or `coded`.
        package var option: String { word.lowercased() }

        /// - Parameter word: A word of a file or an option; nil for another one.
        package init?(word: String) {
            guard let phy = Self.all.first(where: { $0.word == word || $0.option == word }) else { return nil }
            self = phy
        }

        /// The name for people.
        package var name: String {
            switch self {
            case .le1M: "1M"
            case .le2M: "2M"
            case .leCoded: "Coded"
            default: "PHY \(rawValue)"
            }
        }
    }

    /// Any of the PHYs.
    package struct PHYMask: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let le1M = PHYMask(rawValue: 1)
        package static let le2M = PHYMask(rawValue: 2)
        package static let leCoded = PHYMask(rawValue: 4)
    }

    /// The directions in which the host has no PHY preference (the field ALL_PHYs).
    package struct PHYPreference: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let noTxPreference = PHYPreference(rawValue: 1)
        package static let noRxPreference = PHYPreference(rawValue: 2)
    }

    /// The transmit power level to read.
    package struct TransmitPowerLevelKind: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let current = TransmitPowerLevelKind(rawValue: 0)
        package static let maximum = TransmitPowerLevelKind(rawValue: 1)
    }
}
