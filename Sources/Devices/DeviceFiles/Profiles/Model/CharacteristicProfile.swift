import BLEValues
import BLEWire

package struct CharacteristicProfile: Hashable, Sendable {
    package var uuid: BluetoothUUID
    package var properties: PropertySet
    package var security: SecurityProfile
    /// The format of the values in the file.
    package var format: ValueFormat
    package var value: ValueSource
    /// The interval of notifications or indications; nil sends only changes.
    package var notifyInterval: Duration?
    package var read: ReadRule
    package var write: WriteRule
    package var descriptors: [DescriptorProfile]
    /// A comment in the file, for example the reason why a cloned value is missing.
    package var comment: String?

    package init(
        uuid: BluetoothUUID, properties: PropertySet, security: SecurityProfile = SecurityProfile(),
        format: ValueFormat = ValueFormat(.hexadecimal), value: ValueSource = .constant([]),
        notifyInterval: Duration? = nil, read: ReadRule = ReadRule(), write: WriteRule = WriteRule(),
        descriptors: [DescriptorProfile] = [], comment: String? = nil
    ) {
        self.uuid = uuid
        self.properties = properties
        self.security = security
        self.format = format
        self.value = value
        self.notifyInterval = notifyInterval
        self.read = read
        self.write = write
        self.descriptors = descriptors
        self.comment = comment
    }

    /// The longest value (Vol 3, Part F, 3.2.9).
    package static let longestValue = 512
}

/// Characteristic properties with the bits of their declaration (Vol 3, Part G, 3.3.1.1).
package struct PropertySet: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let read = PropertySet(rawValue: 0x02)
    package static let writeWithoutResponse = PropertySet(rawValue: 0x04)
    package static let write = PropertySet(rawValue: 0x08)
    package static let notify = PropertySet(rawValue: 0x10)
    package static let indicate = PropertySet(rawValue: 0x20)
    package static let signedWrite = PropertySet(rawValue: 0x40)

    /// The words of the file, in the order of the bits.
    static let words: [(word: String, property: PropertySet)] = [
        ("read", .read), ("write-without-response", .writeWithoutResponse), ("write", .write), ("notify", .notify),
        ("indicate", .indicate), ("signed-write", .signedWrite),
    ]

    package var isWritable: Bool { !isDisjoint(with: [.write, .writeWithoutResponse, .signedWrite]) }
    package var allowsSubscriptions: Bool { !isDisjoint(with: [.notify, .indicate]) }
}

/// The operations that require an encrypted link.
package struct SecurityProfile: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let encryptedRead = SecurityProfile(rawValue: 1)
    package static let encryptedWrite = SecurityProfile(rawValue: 2)
    package static let encryptedNotify = SecurityProfile(rawValue: 4)

    static let words: [(word: String, operation: SecurityProfile)] = [
        ("read", .encryptedRead), ("write", .encryptedWrite), ("notify", .encryptedNotify),
    ]
}

package struct DescriptorProfile: Hashable, Sendable {
    package var uuid: BluetoothUUID
    package var format: ValueFormat
    package var value: [UInt8]
    package var comment: String?

    package init(uuid: BluetoothUUID, format: ValueFormat, value: [UInt8], comment: String? = nil) {
        self.uuid = uuid
        self.format = format
        self.value = value
        self.comment = comment
    }

    /// Descriptors of the host: extended properties, client and server configuration (Vol 3, Part G, 3.3.3.1, 3.3.3.3, 3.3.3.4).
    package static let hostDescriptors: Set<UInt16> = [0x2900, 0x2902, 0x2903]
}
