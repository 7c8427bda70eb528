import BLEAdapter
import BLEWire

extension DeviceAddress {
    /// The type of the address (Vol 6, Part B, 1.3): public, or one of three kinds of random addresses by its two top bits.
    package enum TypeName: String, Encodable {
        case `public`
        case `static`
        case resolvable
        case nonresolvable
        /// The two top bits have no meaning.
        case reserved
    }

    package var typeName: TypeName {
        switch asDevice.kind {
        case .public: .public
        case .random:
            switch value >> 46 {
            case 0b11: .static
            case 0b01: .resolvable
            case 0b00: .nonresolvable
            default: .reserved
            }
        default: .reserved
        }
    }

    /// The type in words, with its consequence for a program that keeps the address.
    package var typeText: String {
        switch typeName {
        case .public: "public"
        case .static: "static random"
        case .resolvable: "resolvable private, changes every few minutes"
        case .nonresolvable: "non-resolvable private, changes every few minutes"
        case .reserved: "of a reserved type"
        }
    }
}

/// Text that may be an address: six octets as hexadecimal digits, the most significant first, with colons or hyphens between them.
package enum AddressDigits {
    /// The 48 bits of the address; nil if `text` is no address.
    package static func value(_ text: String) -> UInt64? {
        let parts = text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == ":" || $0 == "-" })
        guard parts.count == 6, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isHexDigit) }) else { return nil }
        return UInt64(parts.joined(), radix: 16)
    }
}

/// An address that a device publishes in its advertisement, or in its System ID. Apple's API hides the address of the packets, so
/// programs for those systems read this one.
package struct PublishedAddress: Hashable {
    package enum Source: String, Encodable {
        /// The AD structure LE Bluetooth Device Address (Core Specification Supplement, Part A, 1.16).
        case addressStructure = "LE Bluetooth Device Address"
        case manufacturerData = "manufacturer data"
        case serviceData = "service data"
        case systemID = "System ID"
    }

    /// 48 bits.
    package let value: UInt64
    package let source: Source

    /// The address in the usual notation.
    package var text: String { DeviceAddress(kind: .public, value: value).description }

    /// Finds the address in advertising data and a scan response.
    ///
    /// The AD structure for addresses is certain. In manufacturer and service data the address of the packets is searched for in both
    /// byte orders. Without that address, a value of exactly six octets after the company or the service counts, the most significant
    /// octet first.
    static func find(in octets: AdvertisingOctets, onAir: DeviceAddress?) -> PublishedAddress? {
        find(in: octets.data, onAir) ?? find(in: octets.scanResponse, onAir)
    }

    private static func find(in octets: Span<UInt8>, _ onAir: DeviceAddress?) -> PublishedAddress? {
        var structures = AD.Structures(octets)
        var guess: PublishedAddress?
        while let structure = structures.next() {
            // Six octets of the address, and one whose lowest bit is set for a random address.
            if structure.type.rawValue == 0x1B, structure.data.count == 7 {
                return PublishedAddress(
                    value: value(structure.data, from: 0, isReversed: true), source: .addressStructure)
            }
            guard guess == nil else { continue }
            if structure.type == .manufacturerData, structure.data.count >= 8 {
                guess = search(structure.data, from: 2, onAir, .manufacturerData)
            } else if let data = structure.serviceDataValue, data.count >= 6 {
                guess = search(data, from: 0, onAir, .serviceData)
            }
        }
        return guess
    }

    private static func search(
        _ data: Span<UInt8>, from start: Int, _ onAir: DeviceAddress?, _ source: Source
    ) -> PublishedAddress? {
        if let onAir, onAir.isIdentity {
            for index in start...(data.count - 6)
            where value(data, from: index, isReversed: false) == onAir.value
                || value(data, from: index, isReversed: true) == onAir.value
            { return PublishedAddress(value: onAir.value, source: source) }
        }
        guard data.count == start + 6 else { return nil }
        let value = value(data, from: start, isReversed: false)
        // Six zeros or a text such as "Sensor" is no address.
        guard value != 0, value != 0xFFFF_FFFF_FFFF, !isText(data, from: start) else { return nil }
        return PublishedAddress(value: value, source: source)
    }

    private static func isText(_ data: Span<UInt8>, from start: Int) -> Bool {
        for index in start..<data.count where !(0x20..<0x7F).contains(data[index]) { return false }
        return true
    }

    private static func value(_ data: Span<UInt8>, from start: Int, isReversed: Bool) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<6 { value = value << 8 | UInt64(data[isReversed ? start + 5 - index : start + index]) }
        return value
    }

    /// The address in the value of the characteristic System ID (2A23): three octets of the device, two of filling, three of the company
    /// (Device Information Service, 3.8). The specification fills with FE FF; devices also use FF FE and 00 00.
    package static func systemID(_ octets: [UInt8]) -> PublishedAddress? {
        guard octets.count == 8, [[0xFE, 0xFF], [0xFF, 0xFE], [0, 0]].contains(Array(octets[3...4])),
            octets[5...].contains(where: { $0 != 0 })
        else { return nil }
        let parts = [octets[7], octets[6], octets[5], octets[2], octets[1], octets[0]]
        return PublishedAddress(value: parts.reduce(0) { $0 << 8 | UInt64($1) }, source: .systemID)
    }
}
