import Phrases

/// An opened device.
package struct DeviceState: Codable, Hashable, Sendable {
    package enum Link: String, Codable, Sendable { case connecting, connected, disconnecting, disconnected }

    package var id: String
    package var name: String?
    package var link: Link
    /// Why the link ended; nil if the user ended it.
    package var reason: Phrase?
    /// The last RSSI of the link in dBm.
    package var rssi: Int?
    /// The ATT_MTU of the link; nil without one.
    package var mtu: Int?
    package var isDiscovering: Bool
    package var isBonded: Bool
    /// Whether a pairing that this explorer began runs.
    package var isPairing: Bool
    /// The level of the last pairing, 1 to 4 (Vol 3, Part C, 10.2.1).
    package var securityLevel: Int?
    package var services: [ServiceState]
    /// The number of attributes beyond the limits of the tree.
    package var moreAttributes: Int
}

package struct ServiceState: Codable, Hashable, Sendable {
    package var id: String
    package var uuid: String
    package var name: String?
    package var isPrimary: Bool
    package var characteristics: [CharacteristicState]
}

package struct CharacteristicState: Codable, Hashable, Sendable {
    package var id: String
    package var uuid: String
    package var name: String?
    /// The cases of `CBCharacteristicProperties`.
    package var properties: [String]
    package var isNotifying: Bool
    /// The text of its user description (2901).
    package var label: String?
    /// The text of its presentation format (2904).
    package var presentation: String?
    /// Whether the format `sig` writes it.
    package var isEncodable: Bool
    package var value: ValueState?
    /// The numeric values with their times, oldest first: nanoseconds and numbers in turn.
    package var numbers: [Double]
    /// The number of values that arrived.
    package var count: Int
    /// The operations that wait for the device.
    package var pending: Int
    /// The reason why the last operation failed.
    package var error: AttributeFailure?
    package var descriptors: [DescriptorState]
}

package struct DescriptorState: Codable, Hashable, Sendable {
    package var id: String
    package var uuid: String
    package var name: String?
    package var value: ValueState?
    /// The reads that wait for the device.
    package var pending: Int
    package var error: AttributeFailure?
}

package struct ValueState: Codable, Hashable, Sendable {
    package enum Source: String, Codable, Sendable { case read, notification }

    /// Hexadecimal digits.
    package var octets: String
    /// In a fitting format.
    package var text: Phrase
    package var number: Double?
    package var unit: String?
    /// Nanoseconds.
    package var time: Int64
    package var source: Source
}

/// A value in one format.
package struct FormattedValue: Codable, Hashable, Sendable {
    package var format: String
    package var text: String
}

/// A value in all formats.
package struct ValueDetail: Codable, Hashable, Sendable {
    /// A field of the format that the SIG defines.
    package struct Field: Codable, Hashable, Sendable {
        package var name: Phrase
        /// With the unit.
        package var text: Phrase
    }

    package var octets: String
    package var fields: [Field]
    package var formats: [FormattedValue]
}

/// A prompt of a pairing.
package struct PromptState: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable { case accept, display, compare, enter }

    package var id: Int
    package var kind: Kind
    package var device: String
    package var name: String?
    /// The passkey to show, or the number to compare.
    package var digits: String?
}
