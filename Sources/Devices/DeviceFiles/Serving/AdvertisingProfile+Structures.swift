import BLEAdapter
import CoreBluetooth

extension AdvertisingProfile {
    /// The manufacturer data and the service data as AD structures (CSS, Part A, 1.4 and 1.11), in the order of the profile: those
    /// that fit together, and those that do not.
    ///
    /// The public method of `CBPeripheralManager` advertises a name and services only, as on Apple's systems.
    package var structures: (sent: [Advertisement.Structure], omitted: [Advertisement.Structure]) {
        var all: [Advertisement.Structure] = []
        if let manufacturerData { all.append(.init(type: 0xFF, octets: manufacturerData)) }
        for data in serviceData {
            let uuid = CBUUID(string: "\(data.service)").data
            let type: UInt8 = uuid.count == 2 ? 0x16 : uuid.count == 4 ? 0x20 : 0x21
            all.append(.init(type: type, octets: uuid.reversed() + data.octets))
        }
        var sent: [Advertisement.Structure] = []
        var omitted: [Advertisement.Structure] = []
        var room = bare.structuresLimit
        for structure in all {
            if structure.octetCount <= room {
                sent.append(structure)
                room -= structure.octetCount
            } else {
                omitted.append(structure)
            }
        }
        return (sent, omitted)
    }

    /// The advertisement that a `ProfileServer` starts.
    var advertisement: Advertisement {
        var advertisement = bare
        advertisement.structures = structures.sent
        return advertisement
    }

    /// The advertisement without structures.
    package var bare: Advertisement { Advertisement(localName: localName, services: services, extended: extended) }
}
