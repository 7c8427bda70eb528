import BLEAdapter
import BLESimulator
import BLEWire
import DeviceFiles
import Foundation

extension WorldFileReader {
    // MARK: Profiles and scripts

    mutating func profile(_ node: YAMLNode) -> WorldFile.Profile? {
        guard let name = node.text else {
            do throws(YAMLError) {
                return .inline(try DeviceProfile(node, file: yaml.file, folder: folder))
            } catch {
                complain(error)
                return nil
            }
        }
        guard Self.isPath(name) else {
            let names = ShippedProfiles.all.map(\.name)
            guard names.contains(name) else {
                let hint = Spelling.nearest(to: name, in: names).map { " (did you mean \"\($0)\"?)" } ?? ""
                yaml.expected("a path with the suffix .yaml, or a shipped profile\(hint)", found: node)
                return nil
            }
            return .shipped(name)
        }
        if let known = profiles[name] { return known.map { .file(name, $0) } }
        profiles[name] = .some(nil)
        guard let path = path(name, "a profile", at: node) else { return nil }
        do throws(YAMLError) {
            let profile = try DeviceProfile.read(path: path).profile
            profiles[name] = profile
            return .file(name, profile)
        } catch {
            complain(error)
            return nil
        }
    }

    mutating func script(_ node: YAMLNode) -> WorldFile.Script? {
        do throws(YAMLError) {
            guard let name = node.text else {
                let steps = YAMLEntry(key: "steps", at: node.position, value: node)
                let root = node.elements == nil ? node : YAMLNode(.mapping([steps]), at: node.position)
                return .inline(try DeviceScript(YAMLDocument(file: yaml.file, root: root)))
            }
            guard let path = path(name, "a script", at: node) else { return nil }
            return .file(name, try DeviceScript(try YAMLDocument(path: path)))
        } catch {
            complain(error)
            return nil
        }
    }

    mutating func scripts(_ node: YAMLNode) -> [WorldFile.Script]? {
        guard let elements = yaml.list(node, "a list of scripts") else { return nil }
        guard (1...WorldFile.Limit.scripts).contains(elements.count) else {
            yaml.complain(
                "expected 1 to \(WorldFile.Limit.scripts) scripts, found \(elements.count).", at: node.position)
            return nil
        }
        var scripts: [WorldFile.Script] = []
        for element in elements { if let script = script(element) { scripts.append(script) } }
        return scripts.count == elements.count ? scripts : nil
    }

    private mutating func complain(_ error: YAMLError) {
        for problem in error.list { yaml.complain(problem) }
    }

    /// A name with a slash or a suffix is a path.
    private static func isPath(_ name: String) -> Bool {
        name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml")
    }

    /// The path of a file that this file names.
    private mutating func path(_ name: String, _ what: String, at node: YAMLNode) -> String? {
        guard let folder else {
            yaml.complain("expected \(what), found the path of a file: this world has no folder.", at: node.position)
            return nil
        }
        let path = URL(filePath: name, relativeTo: folder).path
        guard !SourceFile.areSame(path, yaml.file) else {
            yaml.complain("expected \(what), found the path of this file.", at: node.position)
            return nil
        }
        if let problem = SourceFile.problem(path) {
            yaml.complain("expected the path of \(what), found \(node.found): \(problem).", at: node.position)
            return nil
        }
        return path
    }

    // MARK: Beacons

    static let beaconKeys = ["type"] + structureKeys + ["response", "interval", "power", "extended"]
    static let extendedKeys = ["primary", "secondary", "set", "anonymous"]
    private static let structureKeys = [
        "flags", "services", "manufacturer", "service-data", "ibeacon", "name", "data",
    ]

    mutating func beacon(_ node: YAMLNode) -> WorldFile.Beacon? {
        guard let mapping = yaml.mapping(node, "a beacon", keys: Self.beaconKeys) else { return nil }
        var advertisement = RawAdvertisement()
        if let node = mapping["extended"] {
            guard let extended = extended(node) else { return nil }
            advertisement.extended = extended
        }
        let limit = advertisement.extended == nil ? 31 : 1650
        guard let data = advertisingData(mapping, limit) else { return nil }
        advertisement.data = data
        if let node = mapping["type"] {
            switch yaml.choice(node, of: ["connectable", "scannable", "nonconnectable"]) {
            case "connectable": advertisement.packet = .connectable
            case "scannable": advertisement.packet = .scannable
            case "nonconnectable": break
            default: return nil
            }
        }
        if let node = mapping["response"] {
            guard advertisement.packet != .nonConnectable else {
                yaml.complain(
                    "expected the type connectable or scannable beside \"response\", found nonconnectable.",
                    at: node.position)
                return nil
            }
            guard let response = response(node, limit) else { return nil }
            advertisement.scanResponse = response
        }
        if let node = mapping["interval"] {
            let limits = Duration.milliseconds(20) ... .milliseconds(10_240)
            guard let interval = yaml.duration(node, in: limits) else { return nil }
            advertisement.interval = .microseconds(Int64((interval / .microseconds(1)).rounded()))
        }
        if advertisement.extended != nil {
            do throws(RawAdvertisement.ParameterError) {
                try advertisement.check()
            } catch {
                yaml.complain(error.description, at: mapping.position)
                return nil
            }
        }
        var beacon = WorldFile.Beacon(advertisement)
        if let node = mapping["power"] {
            guard let power = quantity(node, "dBm", in: -127...20) else { return nil }
            beacon.power = Int(power)
        }
        return beacon
    }

    /// A scan response: octets, or structures.
    private mutating func response(_ node: YAMLNode, _ limit: Int) -> [UInt8]? {
        if node.text != nil { return yaml.octets(node, count: 0...limit) }
        return yaml.mapping(node, "a scan response", keys: Self.structureKeys).flatMap { advertisingData($0, limit) }
    }

    private mutating func extended(_ node: YAMLNode) -> RawAdvertisement.Extended? {
        guard let mapping = yaml.mapping(node, "extended advertising", keys: Self.extendedKeys) else { return nil }
        var extended = RawAdvertisement.Extended()
        if let node = mapping["primary"] {
            guard let phy = yaml.phy(node, of: HCI.PHY.primary) else { return nil }
            extended.primaryPHY = RadioPacket.PHY(phy)
        }
        if let node = mapping["secondary"] {
            guard let phy = yaml.phy(node) else { return nil }
            extended.secondaryPHY = RadioPacket.PHY(phy)
        }
        if let node = mapping["set"] {
            guard let sid = yaml.integer(node, in: 0...15) else { return nil }
            extended.sid = sid
        }
        if let node = mapping["anonymous"] {
            guard let isAnonymous = yaml.boolean(node) else { return nil }
            extended.isAnonymous = isAnonymous
        }
        return extended
    }

    /// The octets of `data` and of the structures, in the order of the keys in the list above with `data` first.
    private mutating func advertisingData(_ mapping: YAMLMapping, _ limit: Int) -> [UInt8]? {
        var structures: [AdvertisingStructure] = []
        var data: [UInt8] = []
        if let node = mapping["data"] {
            guard let octets = yaml.octets(node, count: 0...limit) else { return nil }
            data = octets
        }
        if let node = mapping["flags"] {
            guard let flags = yaml.integer(node, in: 0...255) else { return nil }
            structures.append(.flags(UInt8(flags)))
        }
        if let node = mapping["services"] {
            var services: [String] = []
            for element in yaml.listOrOne(node, "a list of services") ?? [] {
                guard let uuid = yaml.service(element) else { return nil }
                services.append("\(uuid)")
            }
            guard let structure = try? AdvertisingStructure.services(services) else {
                yaml.expected("services whose UUIDs have the same length", found: node)
                return nil
            }
            guard isWhole(structure, node) else { return nil }
            structures.append(structure)
        }
        for key in ["manufacturer", "service-data", "ibeacon", "name"] {
            guard let node = mapping[key] else { continue }
            guard let structure = structure(key, node, limit) else { return nil }
            guard isWhole(structure, node) else { return nil }
            structures.append(structure)
        }
        let octets = data + structures.flatMap(\.octets)
        guard octets.count <= limit else {
            yaml.complain(
                "expected at most \(limit) octets of advertising data, found \(octets.count).", at: mapping.position)
            return nil
        }
        return octets
    }

    /// Whether the length of a structure fits its octet.
    private mutating func isWhole(_ structure: AdvertisingStructure, _ node: YAMLNode) -> Bool {
        guard structure.value.count > 254 else { return true }
        yaml.complain(
            "expected at most 254 octets in a structure, found \(structure.value.count).", at: node.position)
        return false
    }

    private mutating func structure(_ key: String, _ node: YAMLNode, _ limit: Int) -> AdvertisingStructure? {
        // A structure has at most 254 octets after its type.
        let longest = min(limit, 256) - 4
        switch key {
        case "manufacturer":
            guard let mapping = yaml.mapping(node, "manufacturer data", keys: ["company", "data"]),
                let company = yaml.required("company", of: mapping).flatMap({ yaml.integer($0, in: 0...0xFFFF) }),
                let data = yaml.required("data", of: mapping).flatMap({ yaml.octets($0, count: 0...longest) })
            else { return nil }
            return .manufacturer(UInt16(company), data)
        case "service-data":
            guard let mapping = yaml.mapping(node, "service data", keys: ["service", "data"]),
                let service = yaml.required("service", of: mapping).flatMap({ yaml.service($0) }),
                let data = yaml.required("data", of: mapping).flatMap({ yaml.octets($0, count: 0...longest) })
            else { return nil }
            return try? .serviceData("\(service)", data)
        case "ibeacon": return iBeacon(node)
        default: return yaml.string(node, "a name").map { .localName($0) }
        }
    }

    private mutating func iBeacon(_ node: YAMLNode) -> AdvertisingStructure? {
        let keys = ["uuid", "major", "minor", "measured-power"]
        guard let mapping = yaml.mapping(node, "an iBeacon", keys: keys),
            let place = yaml.required("uuid", of: mapping),
            let major = yaml.required("major", of: mapping).flatMap({ yaml.integer($0, in: 0...0xFFFF) }),
            let minor = yaml.required("minor", of: mapping).flatMap({ yaml.integer($0, in: 0...0xFFFF) })
        else { return nil }
        guard let uuid = place.text.flatMap(UUID.init(uuidString:)) else {
            yaml.expected("a UUID of 32 digits", found: place)
            return nil
        }
        var power = -59.0
        if let node = mapping["measured-power"] {
            guard let measured = quantity(node, "dBm", in: -127...20) else { return nil }
            power = measured
        }
        return .iBeacon(uuid, major: UInt16(major), minor: UInt16(minor), measuredPower: Int8(power))
    }
}
