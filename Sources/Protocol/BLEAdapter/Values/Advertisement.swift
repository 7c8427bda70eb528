import BLEWire

/// Advertising data as Apple's peripheral manager accepts it. The adapter decides about its layout in the packets.
package struct Advertisement: Hashable, Sendable {
    package var localName: String?
    package var services: [BluetoothUUID]
    /// Further AD structures, such as the manufacturer data of a beacon. Together at most `structuresLimit` octets.
    package var structures: [Structure]
    /// False for an advertiser that accepts no connection, as a beacon.
    package var isConnectable: Bool
    /// The advertising interval, 20 ms to 10.24 s (Vol 4, Part E, 7.8.5); nil is the default.
    package var interval: TimeSpan?
    /// Extended packets in a set of its own; nil for legacy ones, which all devices hear.
    package var extended: Extended?

    /// The PHYs of extended advertising (Vol 4, Part E, 7.8.53).
    package struct Extended: Hashable, Sendable {
        /// 1M or Coded.
        package var primaryPHY: HCI.PHY
        /// 1M, 2M or Coded.
        package var secondaryPHY: HCI.PHY

        package init(primaryPHY: HCI.PHY = .le1M, secondaryPHY: HCI.PHY = .le1M) {
            self.primaryPHY = primaryPHY
            self.secondaryPHY = secondaryPHY
        }
    }

    /// An AD structure (Vol 3, Part C, 11).
    package struct Structure: Hashable, Sendable {
        package var type: UInt8
        package var octets: [UInt8]

        package init(type: UInt8, octets: [UInt8]) {
            self.type = type
            self.octets = octets
        }

        /// The octets of the structure in an advertisement, with its length and its type.
        package var octetCount: Int { octets.count + 2 }
    }

    /// The octets of the advertising data. An extended event that is connectable has one packet of data (Vol 6, Part B, 2.3.4).
    package var capacity: Int {
        extended == nil ? AD.legacyCapacity : isConnectable ? 245 : LL.maximumExtendedAdvertisingData
    }
    /// The octets of the structures: those of the data beside the flags.
    package var structuresLimit: Int { capacity - 3 }

    package init(
        localName: String?, services: [BluetoothUUID], structures: [Structure] = [], isConnectable: Bool = true,
        interval: TimeSpan? = nil, extended: Extended? = nil
    ) {
        self.localName = localName
        self.services = services
        self.structures = structures
        self.isConnectable = isConnectable
        self.interval = interval
        self.extended = extended
    }
}

package enum AdvertisingError: Error, Hashable, Sendable {
    case alreadyAdvertising
    case notPoweredOn
    /// The controller refused, with its error code.
    case controller(UInt8)
}
