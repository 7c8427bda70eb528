/// The type of a record or of a question.
package struct DNSType: RawRepresentable, Hashable, Sendable, Comparable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let a = DNSType(rawValue: 1)
    package static let ptr = DNSType(rawValue: 12)
    package static let txt = DNSType(rawValue: 16)
    package static let aaaa = DNSType(rawValue: 28)
    package static let srv = DNSType(rawValue: 33)
    package static let nsec = DNSType(rawValue: 47)
    package static let any = DNSType(rawValue: 255)

    package static func < (left: DNSType, right: DNSType) -> Bool { left.rawValue < right.rawValue }
}

/// The data of a record.
package enum DNSData: Hashable, Sendable {
    case address(IPAddress)
    case pointer(DNSName)
    case service(priority: UInt16, weight: UInt16, port: UInt16, host: DNSName)
    /// The strings of a TXT record, each of at most 255 octets; empty strings are left out (RFC 6763, 6.1).
    case text([[UInt8]])
    /// The types that exist for the name, in ascending order (RFC 4034, 4.1; RFC 6762, 6.1).
    case existing(next: DNSName, [DNSType])
    case other([UInt8])
}

/// A resource record.
package struct DNSRecord: Hashable, Sendable {
    package static let internet: UInt16 = 1
    static let topBit: UInt16 = 0x8000

    package var name: DNSName
    package var type: DNSType
    package var `class`: UInt16
    /// The top bit of the class: the record belongs to one owner, and other records of this name, type and class are outdated
    /// (RFC 6762, 10.2).
    package var isUnique: Bool
    /// In seconds.
    package var timeToLive: UInt32
    package var data: DNSData

    package init(
        _ name: DNSName, _ type: DNSType, isUnique: Bool, timeToLive: UInt32, _ data: DNSData,
        class: UInt16 = Self.internet
    ) {
        self.name = name
        self.type = type
        self.class = `class`
        self.isUnique = isUnique
        self.timeToLive = timeToLive
        self.data = data
    }

    /// What identifies the record: all but the time to live and the uniqueness.
    package var identity: DNSRecordIdentity { DNSRecordIdentity(name: name, type: type, class: `class`, data: data) }
}

/// Two records with the same identity are the same record (RFC 6762, 1 and 7.1).
package struct DNSRecordIdentity: Hashable, Sendable {
    package var name: DNSName
    package var type: DNSType
    package var `class`: UInt16
    package var data: DNSData
}

/// A question.
package struct DNSQuestion: Hashable, Sendable {
    package var name: DNSName
    package var type: DNSType
    package var `class`: UInt16
    /// The top bit of the class: the questioner prefers a unicast response (RFC 6762, 5.4).
    package var wantsUnicast: Bool

    package init(_ name: DNSName, _ type: DNSType, wantsUnicast: Bool = false, class: UInt16 = DNSRecord.internet) {
        self.name = name
        self.type = type
        self.class = `class`
        self.wantsUnicast = wantsUnicast
    }

    func matches(_ record: DNSRecord) -> Bool {
        (type == record.type || type == .any) && (`class` == record.class || `class` == 255) && name == record.name
    }
}
