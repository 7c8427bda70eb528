import BLEAdapter
import BLEHost
import BLEWire

/// The advertising requests of all sessions. The set `.legacy` advertises the services of all sessions with legacy packets together, with the name from
/// the first session that supplies one. A request for extended packets has a set of its own.
struct AdvertisingRequests {
    struct Request {
        var session: Int
        var advertisement: Advertisement
        var set = AdvertisingSet.legacy
        /// Whether the session waits for the answer to its start request.
        var isNew = true
        /// The number of further start requests of the session. They are refused after the first is answered.
        var refusals = 0
    }

    var requests: [Request] = []
    /// Whether the programs are in the background of a phone: see `Advertisement.inBackground`.
    var isInBackground = false

    /// The union of all requests of a set; nil if there is none. It is connectable if one of them is, and has the shortest interval.
    func combined(_ set: AdvertisingSet) -> Advertisement? {
        let requests = requests.filter { $0.set == set }
        guard var combined = requests.first?.advertisement else { return nil }
        for request in requests.dropFirst() {
            combined.localName = combined.localName ?? request.advertisement.localName
            for service in request.advertisement.services where !combined.services.contains(service) {
                combined.services.append(service)
            }
            combined.structures += request.advertisement.structures
            combined.isConnectable = combined.isConnectable || request.advertisement.isConnectable
            combined.interval = Advertisement.shorter(combined.interval, request.advertisement.interval)
        }
        return isInBackground ? combined.inBackground : combined
    }
}

extension Advertisement {
    /// The advertisement of an app in the background of iOS: no name, and the services in the overflow area, manufacturer data of Apple with a mask
    /// of 128 bits. Apple does not publish which bit belongs to a service. Here the sum of its octets selects it.
    var inBackground: Advertisement {
        var mask = [UInt8](repeating: 0, count: 16)
        for service in services {
            var octets: [UInt8] = []
            // The array grows, so encoding cannot fail.
            try? octets.append(encoding: service)
            let bit = octets.reduce(0) { ($0 + Int($1)) % 128 }
            mask[bit / 8] |= 0x80 >> UInt8(bit % 8)
        }
        var advertisement = self
        advertisement.localName = nil
        advertisement.services = []
        advertisement.structures = [
            Structure(type: AD.StructureType.manufacturerData.rawValue, octets: [0x4C, 0x00, 0x01] + mask)
        ]
        return advertisement
    }

    /// The octets of a scan response that are available for a name.
    package static let scanResponseNameLength = 10

    /// Lays the advertisement out in 31 octets of advertising data and the scan response (Vol 3, Part C, 11), as Apple
    /// describes it: 28 octets beside the flags for services and name, and 10 octets of scan response for the name
    /// alone.
    ///
    /// Services come first: 16, 32 and 128 bits, each in the order given. Services that do not fit are left out, and
    /// the list is marked as incomplete (CSS, Part A, 1.1). The name follows if it fits whole. Otherwise it moves to
    /// the scan response, shortened at a character boundary if necessary (CSS, Part A, 1.2).
    ///
    /// Further structures always have room: they follow the services and precede the name.
    ///
    /// Extended packets have all in the advertising data, of which `capacity` octets fit.
    package func packed() -> (data: [UInt8], scanResponse: [UInt8]) {
        var data = AD.Builder(capacity: capacity)
        var response = AD.Builder()
        // General discoverable mode (Vol 3, Part C, 9.2.4) without BR/EDR (CSS, Part A, 1.3).
        try? data.append(AD.Flags([.generalDiscoverable, .classicNotSupported]))
        let structures = haveRoom(structures) ? structures : []
        let reserved = structures.reduce(0) { $0 + $1.octetCount }
        append(width: 2, .completeServiceUUIDs16, .incompleteServiceUUIDs16, to: &data, leaving: reserved)
        append(width: 4, .completeServiceUUIDs32, .incompleteServiceUUIDs32, to: &data, leaving: reserved)
        append(width: 16, .completeServiceUUIDs128, .incompleteServiceUUIDs128, to: &data, leaving: reserved)
        for structure in structures {
            try? data.append(structure.octets.span, type: AD.StructureType(rawValue: structure.type))
        }
        if let localName, !localName.isEmpty {
            do {
                try data.append(localName: localName)
            } catch {
                let room = extended == nil ? Self.scanResponseNameLength : max(0, data.freeCapacity - 2)
                let shortened = localName.prefix(octets: min(room, 254))
                let isWhole = shortened.count == localName.utf8.count
                let type: AD.StructureType = isWhole ? .completeLocalName : .shortenedLocalName
                if extended == nil {
                    try? response.append(shortened.span, type: type)
                } else if !shortened.isEmpty {
                    try? data.append(shortened.span, type: type)
                }
            }
        }
        return (data.bytes, response.bytes)
    }

    /// The shorter of two intervals. Without an interval, the host advertises every 30 ms.
    static func shorter(_ first: TimeSpan?, _ second: TimeSpan?) -> TimeSpan? {
        guard first != nil || second != nil else { return nil }
        let standard = TimeSpan.milliseconds(30)
        return min(first ?? standard, second ?? standard)
    }

    /// Whether structures have room beside the flags of 3 octets.
    func haveRoom(_ structures: [Structure]) -> Bool {
        structures.reduce(0) { $0 + $1.octetCount } <= structuresLimit
    }

    private func append(
        width: Int, _ complete: AD.StructureType, _ incomplete: AD.StructureType, to builder: inout AD.Builder,
        leaving reserved: Int
    ) {
        let all = services.filter { $0.octetCount == width }
        // A structure has at most 254 octets after its type.
        let count = min(all.count, min(254, max(0, builder.freeCapacity - reserved - 2)) / width)
        guard count > 0 else { return }
        try? builder.append(all.prefix(count), type: count == all.count ? complete : incomplete)
    }
}

extension String {
    /// The longest prefix of whole characters that fits into `limit` octets of UTF-8.
    fileprivate func prefix(octets limit: Int) -> [UInt8] {
        var octets: [UInt8] = []
        for character in self {
            let next = Array(character.utf8)
            guard octets.count + next.count <= limit else { break }
            octets += next
        }
        return octets
    }
}
