import Phrases

/// What the explorer shows, as a value for the page.
package struct ExplorerState: Codable, Hashable, Sendable {
    /// The name of the device on which the explorer runs.
    package var name: String
    /// The case of `CBManagerState`: unknown, resetting, unsupported, unauthorized, poweredOff or poweredOn.
    package var adapter: String
    package var isScanning: Bool
    /// The devices of the scan that the filter selects, the strongest signal first, at most `rowLimit`.
    package var rows: [ScanRow]
    /// The number of selected devices that are not in `rows`.
    package var moreRows: Int
    /// The number of devices that the scan knows.
    package var seen: Int
    package var filter: ScanSelection
    /// The opened devices, in the order of their opening.
    package var devices: [DeviceState]
    package var prompts: [PromptState]
    /// The number of the next entry of the log.
    package var logNext: Int
    /// The ATT_MTU that the explorer offers on later links; nil if the adapter has no choice.
    package var offeredMTU: Int?
    /// The present time in nanoseconds.
    package var time: Int64

    package static let rowLimit = 200
}

/// Selects devices of the scan. Fields that are nil do not apply.
package struct ScanSelection: Codable, Hashable, Sendable {
    /// A part of the name, the address or the company.
    package var name: String?
    /// A service by its UUID or a part of its SIG name.
    package var service: String?
    /// dBm.
    package var minimumRSSI: Int?
    package var connectable: Bool?

    package init(
        name: String? = nil, service: String? = nil, minimumRSSI: Int? = nil, connectable: Bool? = nil
    ) {
        self.name = name
        self.service = service
        self.minimumRSSI = minimumRSSI
        self.connectable = connectable
    }
}

/// A device of the scan.
package struct ScanRow: Codable, Hashable, Sendable {
    package var id: String
    package var name: String?
    package var address: String?
    /// public, static, resolvable, nonresolvable or reserved.
    package var addressType: String?
    /// dBm.
    package var rssi: Int?
    /// The last signal strengths, oldest first, at most 16.
    package var signals: [Int]
    /// The SIG names of services, or their UUIDs.
    package var services: [String]
    package var company: String?
    package var beacon: String?
    package var isConnectable: Bool
    /// The estimated advertising interval in ms.
    package var interval: Double?
    /// The number of received packets.
    package var count: Int
    /// Nanoseconds.
    package var lastSeen: Int64
}

/// All about one device of the scan.
package struct ScanDetail: Codable, Hashable, Sendable {
    package var row: ScanRow
    /// Nanoseconds.
    package var firstSeen: Int64
    package var lowestRSSI: Int?
    package var highestRSSI: Int?
    /// The estimated distance of a beacon in metres.
    package var distance: Double?
    /// An address that the device publishes in its advertisement, and where.
    package var publishedAddress: String?
    package var publishedIn: String?
    /// The last signal strengths with their times: nanoseconds and dBm in turn.
    package var track: [Double]
    package var data: AdvertisementPart
    /// Nil until a scan response arrives.
    package var scanResponse: AdvertisementPart?
}

/// Advertising data, or a scan response.
package struct AdvertisementPart: Codable, Hashable, Sendable {
    /// An AD structure: a length, a type and the content.
    package struct Structure: Codable, Hashable, Sendable {
        /// The number of octets, with the length and the type.
        package var count: Int
        /// The name of the type with the decoded content.
        package var text: Phrase
    }

    /// Hexadecimal digits.
    package var octets: String
    /// In the order of the octets, without gaps.
    package var structures: [Structure]
}
