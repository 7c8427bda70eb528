import BLEAdapter
import BLESessions
import BLEValues
import BLEWire

/// The octets that a `ProfileServer` advertises for a profile, and the parts of the profile that they leave out.
///
/// The host of the device packs the octets, so the layout is the one on the air.
package struct AdvertisementLayout: Hashable, Codable, Sendable {
    /// Advertising data or a scan response (Vol 4, Part E, 7.8.7 and 7.8.8).
    package struct Part: Hashable, Codable, Sendable {
        /// Hexadecimal digits.
        package let octets: String
        package let structures: [Structure]
    }

    /// An AD structure (Vol 3, Part C, 11) in its part.
    package struct Structure: Hashable, Codable, Sendable {
        /// The index of the length octet.
        package let start: Int
        /// Octets with the length and the type.
        package let count: Int
        /// The AD type.
        package let type: UInt8
    }

    package struct LocalName: Hashable, Codable, Sendable {
        package enum Place: String, Hashable, Codable, Sendable { case data, response }

        package let place: Place
        /// The name on the air.
        package let sent: String
        package let isWhole: Bool
        /// The octets of the whole name with the length and the type.
        package let count: Int
    }

    /// A part of the profile that is not sent.
    package struct Omission: Hashable, Codable, Sendable {
        package enum Kind: String, Hashable, Codable, Sendable {
            /// A UUID that does not fit beside the others.
            case service
            case manufacturer
            case serviceData = "service-data"
        }

        package let kind: Kind
        /// The UUID of the service, or the company identifier, in hexadecimal digits.
        package let identifier: String
        /// The octets that it needs, with the length and the type of a structure of its own.
        package let count: Int
    }

    /// The capacity of each part in octets: 31, or that of extended advertising data.
    package let capacity: Int
    /// The octets for manufacturer data and service data together.
    package let structuresLimit: Int
    /// The octets of the scan response for the text of the name.
    package let responseNameLimit: Int
    package let data: Part
    package let response: Part
    package let name: LocalName?
    package let omitted: [Omission]

    package init(_ profile: AdvertisingProfile) {
        let advertisement = profile.advertisement
        let (data, response) = advertisement.packed()
        capacity = advertisement.capacity
        structuresLimit = advertisement.structuresLimit
        responseNameLimit = Advertisement.scanResponseNameLength
        self.data = Part(data)
        self.response = Part(response)
        name = LocalName(profile.localName, data, response)
        var sent: Set<BluetoothUUID> = []
        var structures = AD.Structures(data.span)
        while let structure = structures.next() { structure.forEachServiceUUID { sent.insert($0) } }
        omitted =
            profile.services.filter { !sent.contains($0) }.map {
                Omission(kind: .service, identifier: "\($0)", count: $0.octetCount + 2)
            } + profile.structures.omitted.map { Omission($0) }
    }
}

extension AdvertisementLayout.Part {
    fileprivate init(_ octets: [UInt8]) {
        var structures: [AdvertisementLayout.Structure] = []
        var start = 0
        var rest = AD.Structures(octets.span)
        while let structure = rest.next() {
            let count = structure.data.count + 2
            structures.append(.init(start: start, count: count, type: structure.type.rawValue))
            start += count
        }
        self.init(octets: Hexadecimal.digits(octets), structures: structures)
    }
}

extension AdvertisementLayout.LocalName {
    /// Nil for a device that advertises no name.
    fileprivate init?(_ name: String?, _ data: [UInt8], _ response: [UInt8]) {
        guard let name, !name.isEmpty else { return nil }
        let count = name.utf8.count + 2
        if let sent = AD.localName(in: data.span) {
            self.init(place: .data, sent: sent, isWhole: sent == name, count: count)
        } else {
            let sent = AD.localName(in: response.span) ?? ""
            self.init(place: .response, sent: sent, isWhole: sent == name, count: count)
        }
    }
}

extension AdvertisementLayout.Omission {
    fileprivate init(_ structure: Advertisement.Structure) {
        let isManufacturer = structure.type == AD.StructureType.manufacturerData.rawValue
        let width = max(2, AD.StructureType(rawValue: structure.type).serviceDataUUIDWidth)
        let octets = structure.octets.prefix(isManufacturer ? 2 : width)
        let identifier = Hexadecimal.digits(octets.reversed()).uppercased()
        self.init(
            kind: isManufacturer ? .manufacturer : .serviceData, identifier: identifier, count: structure.octetCount)
    }
}
