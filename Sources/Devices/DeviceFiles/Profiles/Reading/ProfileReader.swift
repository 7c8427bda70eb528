import BLEAdapter
import BLEAssignedNumbers
import BLEValues
import BLEWire
import Foundation

extension DeviceProfile {
    /// A profile with the files that it was read from.
    package struct Source: Sendable {
        package let profile: DeviceProfile
        /// The profile and the CSV files that it names.
        package let files: [String]

        package init(profile: DeviceProfile, files: [String]) {
            self.profile = profile
            self.files = files
        }
    }

    /// Reads a profile and the CSV files that it names.
    package static func read(path: String) throws(YAMLError) -> Source {
        let document = try YAMLDocument(path: path)
        let folder = URL(filePath: path).deletingLastPathComponent()
        var reader = ProfileReader(file: path, folder: folder)
        let profile = try reader.read(document.root)
        return Source(profile: profile, files: [path] + reader.otherFiles)
    }

    /// Reads a profile that is a part of another file.
    ///
    /// - Parameter folder: The folder of that file, to which the paths of CSV files are relative.
    package init(_ node: YAMLNode, file: String, folder: URL?) throws(YAMLError) {
        var reader = ProfileReader(file: file, folder: folder)
        self = try reader.read(node)
    }

    /// Parses a profile. `file` is its name in errors. A text has no folder, so it cannot name CSV files.
    package init(text: String, file: String) throws(YAMLError) {
        let document = try YAMLDocument(text: text, file: file)
        var reader = ProfileReader(file: file, folder: nil)
        self = try reader.read(document.root)
    }
}

/// Reads a profile from the tree of its file.
struct ProfileReader {
    var yaml: YAMLReader
    let folder: URL?
    var otherFiles: [String] = []
    /// The schema for values in the format `adopted`, while the reader is in such a characteristic.
    private var schema: Schema?

    private enum Limit {
        static let services = 64
        static let characteristics = 64
        static let descriptors = 16
        /// Octets of a device name (Vol 3, Part C, 12.1).
        static let name = 248
    }

    init(file: String, folder: URL?) {
        yaml = YAMLReader(file: file)
        self.folder = folder
    }

    mutating func read(_ root: YAMLNode) throws(YAMLError) -> DeviceProfile {
        var profile = DeviceProfile()
        if let mapping = yaml.mapping(root, "a profile", keys: ["summary", "advertising", "services"]) {
            profile.summary = mapping["summary"].flatMap { yaml.string($0) }
            if let node = mapping["advertising"] { profile.advertising = advertising(node) }
            if let node = yaml.required("services", of: mapping) { services(node, into: &profile) }
        }
        try yaml.finish()
        return profile
    }

    // MARK: Advertising

    private mutating func advertising(_ node: YAMLNode) -> AdvertisingProfile {
        var advertising = AdvertisingProfile()
        let keys = ["name", "services", "manufacturer", "service-data", "extended"]
        guard let mapping = yaml.mapping(node, "an advertisement", keys: keys) else { return advertising }
        if let node = mapping["name"], let name = yaml.string(node) {
            if name.utf8.count > Limit.name {
                yaml.complain(
                    "expected a name of at most \(Limit.name) octets, found \(name.utf8.count).", at: node.position)
            }
            advertising.localName = name
        }
        if let node = mapping["services"] {
            let list = yaml.listOrOne(node, "a list of services") ?? []
            advertising.services = list.compactMap { uuid($0, in: .services) }
        }
        if let node = mapping["manufacturer"],
            let entry = yaml.mapping(node, "manufacturer data", keys: ["company", "data"])
        {
            let company = yaml.required("company", of: entry).flatMap { yaml.integer($0, in: 0...0xFFFF) }
            let data = entry["data"].flatMap { yaml.octets($0, count: 0...250) } ?? []
            if let company {
                advertising.manufacturerData = [UInt8(company & 0xFF), UInt8(company >> 8)] + data
            }
        }
        for node in mapping["service-data"].flatMap({ yaml.list($0, "a list of service data") }) ?? [] {
            guard let entry = yaml.mapping(node, "service data", keys: ["service", "data"]),
                let service = yaml.required("service", of: entry).flatMap({ uuid($0, in: .services) })
            else { continue }
            let data = entry["data"].flatMap { yaml.octets($0, count: 0...250) } ?? []
            advertising.serviceData.append(.init(service: service, octets: data))
        }
        if let node = mapping["extended"],
            let entry = yaml.mapping(node, "extended advertising", keys: ["primary", "secondary"])
        {
            var extended = Advertisement.Extended()
            if let phy = entry["primary"].flatMap({ yaml.phy($0, of: HCI.PHY.primary) }) { extended.primaryPHY = phy }
            if let phy = entry["secondary"].flatMap({ yaml.phy($0) }) { extended.secondaryPHY = phy }
            advertising.extended = extended
        }
        return advertising
    }

    // MARK: Services

    /// The parts of a service that refer to other parts of the profile, and are read after all of them.
    private struct Pending {
        var includes: YAMLNode?
        var effects: [(index: CharacteristicIndex, node: YAMLNode)] = []
    }

    private mutating func services(_ node: YAMLNode, into profile: inout DeviceProfile) {
        guard let list = yaml.list(node, "a list of services") else { return }
        limit(list.count, Limit.services, "services", node)
        var pending: [Pending] = []
        for node in list.prefix(Limit.services) {
            let keys = ["uuid", "primary", "includes", "characteristics"]
            guard let mapping = yaml.mapping(node, "a service", keys: keys) else { continue }
            var service = ServiceProfile(uuid: BluetoothUUID(UInt16(0)))
            if let node = yaml.required("uuid", of: mapping), let uuid = uuid(node, in: .services) {
                if let short = uuid.shortValue, DeviceProfile.hostServices.contains(short) {
                    yaml.complain(
                        "expected a service of the device, found \(uuid), which the host defines.", at: node.position)
                }
                service.uuid = uuid
            }
            service.isPrimary = mapping["primary"].flatMap { yaml.boolean($0) } ?? true
            var rest = Pending(includes: mapping["includes"])
            let characteristics =
                mapping["characteristics"].flatMap { yaml.list($0, "a list of characteristics") } ?? []
            limit(characteristics.count, Limit.characteristics, "characteristics", node)
            for node in characteristics.prefix(Limit.characteristics) {
                guard let (characteristic, effects) = characteristic(node) else { continue }
                let index = CharacteristicIndex(
                    service: profile.services.count, characteristic: service.characteristics.count)
                if let effects { rest.effects.append((index, effects)) }
                service.characteristics.append(characteristic)
            }
            profile.services.append(service)
            pending.append(rest)
        }
        for (index, rest) in pending.enumerated() {
            if let node = rest.includes { profile.services[index].includes = includes(node, of: index, in: profile) }
            for (index, node) in rest.effects {
                profile[index].write.effects = effects(node, of: index, in: profile)
            }
        }
    }

    /// Included services come before the services that include them, because a server publishes them first.
    private mutating func includes(_ node: YAMLNode, of index: Int, in profile: DeviceProfile) -> [Int] {
        (yaml.listOrOne(node, "a list of services") ?? []).compactMap { node in
            guard let wanted = uuid(node, in: .services) else { return nil }
            if let found = profile.services[..<index].firstIndex(where: { $0.uuid == wanted }) { return found }
            yaml.expected("a service that is listed before the service that includes it", found: node)
            return nil
        }
    }

    private mutating func characteristic(_ node: YAMLNode) -> (CharacteristicProfile, effects: YAMLNode?)? {
        let keys = [
            "uuid", "properties", "security", "format", "value", "notify", "read", "write", "descriptors",
        ]
        guard let mapping = yaml.mapping(node, "a characteristic", keys: keys) else { return nil }
        let uuid = yaml.required("uuid", of: mapping).flatMap { self.uuid($0, in: .characteristics) }
        var result = CharacteristicProfile(uuid: uuid ?? BluetoothUUID(UInt16(0)), properties: [])
        if let node = yaml.required("properties", of: mapping) { result.properties = properties(node) }
        if let node = mapping["security"] { result.security = security(node) }
        if let node = mapping["format"] {
            if node.text == "adopted" {
                schema = adopted(uuid, node)
            } else {
                result.format = format(node, orAdopted: true) ?? result.format
            }
        }
        defer { schema = nil }
        if let node = mapping["value"] {
            result.value = value(node, result.format) ?? result.value
        }
        if let node = mapping["notify"] {
            requires(result.properties.allowsSubscriptions, "the property notify or indicate for notifications", node)
            if let entry = yaml.mapping(node, "notifications", keys: ["every"]),
                let node = yaml.required("every", of: entry)
            {
                result.notifyInterval = yaml.duration(node, in: .milliseconds(1) ... .seconds(86_400))
            }
        }
        if let node = mapping["read"] {
            requires(result.properties.contains(.read), "the property read for rules of reads", node)
            result.read = readRule(node)
        }
        var effects: YAMLNode?
        if let node = mapping["write"] {
            requires(
                result.properties.isWritable, "the property write or write-without-response for rules of writes", node)
            (result.write, effects) = writeRule(node, result.format)
        }
        schema = nil
        let descriptors = mapping["descriptors"].flatMap { yaml.list($0, "a list of descriptors") } ?? []
        limit(descriptors.count, Limit.descriptors, "descriptors", node)
        result.descriptors = descriptors.prefix(Limit.descriptors).compactMap { descriptor($0) }
        return (result, effects)
    }

    private mutating func descriptor(_ node: YAMLNode) -> DescriptorProfile? {
        guard let mapping = yaml.mapping(node, "a descriptor", keys: ["uuid", "format", "value"]),
            let uuidNode = yaml.required("uuid", of: mapping), let uuid = uuid(uuidNode, in: .descriptors)
        else { return nil }
        if let short = uuid.shortValue, DescriptorProfile.hostDescriptors.contains(short) {
            yaml.complain(
                "expected a descriptor of the device, found \(uuid), which the host defines.", at: uuidNode.position)
        }
        // The user description is text (Vol 3, Part G, 3.3.3.2).
        var format = ValueFormat(uuid.shortValue == 0x2901 ? .utf8 : .hexadecimal)
        if let node = mapping["format"] { format = self.format(node) ?? format }
        let value = mapping["value"].flatMap { octets($0, format) } ?? []
        if uuid.shortValue == 0x2901, String(validating: value, as: UTF8.self) == nil, let node = mapping["value"] {
            yaml.expected("UTF-8 text for descriptor 2901", found: node)
        }
        return DescriptorProfile(uuid: uuid, format: format, value: value)
    }

    // MARK: Words

    private mutating func properties(_ node: YAMLNode) -> PropertySet {
        let words = PropertySet.words.map(\.word)
        let list = yaml.listOrOne(node, "a list of properties") ?? []
        return list.reduce(into: []) { result, node in
            guard let word = yaml.choice(node, of: words) else { return }
            if let entry = PropertySet.words.first(where: { $0.word == word }) { result.insert(entry.property) }
        }
    }

    /// `encrypted` for all operations, or a mapping of operations.
    private mutating func security(_ node: YAMLNode) -> SecurityProfile {
        if node.text != nil {
            let word = yaml.choice(node, of: ["none", "encrypted"])
            return word == "encrypted" ? [.encryptedRead, .encryptedWrite, .encryptedNotify] : []
        }
        guard let mapping = yaml.mapping(node, "security", keys: SecurityProfile.words.map(\.word)) else { return [] }
        return SecurityProfile.words.reduce(into: []) { result, entry in
            guard let node = mapping[entry.word] else { return }
            if yaml.choice(node, of: ["none", "encrypted"]) == "encrypted" { result.insert(entry.operation) }
        }
    }

    private mutating func format(_ node: YAMLNode, orAdopted: Bool = false) -> ValueFormat? {
        let words = (orAdopted ? ["adopted"] : []) + ValueFormat.all.map(\.name)
        return yaml.choice(node, of: words).flatMap(ValueFormat.init(name:))
    }

    /// The schema of a characteristic for the format `adopted`.
    private mutating func adopted(_ uuid: BluetoothUUID?, _ node: YAMLNode) -> Schema? {
        guard let uuid else { return nil }
        if let schema = uuid.shortValue.flatMap({ Schemas.schema(of: $0) }), schema.isEncodable { return schema }
        yaml.complain(
            "expected a format for \(uuid), which has no adopted format that text can express.", at: node.position)
        return nil
    }

    // MARK: Helpers

    /// A UUID as 4, 8 or 32 digits, or a name that the SIG assigned.
    mutating func uuid(_ node: YAMLNode, in table: AssignedNumbers.NameTable) -> BluetoothUUID? {
        guard let text = node.text else {
            yaml.expected("a UUID such as 180D, or a name such as \"Heart Rate\"", found: node)
            return nil
        }
        if let uuid = BluetoothUUID(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text) {
            return uuid.attributeForm
        }
        if let number = AssignedNumbers.number(named: text, in: table) { return BluetoothUUID(number) }
        let hint = Spelling.nearest(to: text, in: AssignedNumbers.names(in: table)).map {
            " (did you mean \"\($0)\"?)"
        }
        yaml.complain(
            "expected a UUID such as 180D, or a name of the Bluetooth SIG, found \(node.found)\(hint ?? "").",
            at: node.position)
        return nil
    }

    /// A value in a format.
    mutating func octets(_ node: YAMLNode, _ format: ValueFormat) -> [UInt8]? {
        let name = schema == nil ? format.name : "adopted"
        guard let text = yaml.string(node, "a value in the format \(name)") else { return nil }
        do throws(ValueError) {
            let octets: [UInt8]
            if let schema { octets = try schema.encode(text) } else { octets = try format.octets(text) }
            guard octets.count <= CharacteristicProfile.longestValue else {
                yaml.complain(
                    "expected at most \(CharacteristicProfile.longestValue) octets, found \(octets.count).",
                    at: node.position)
                return nil
            }
            return octets
        } catch {
            yaml.complain(
                "expected a value in the format \(name), found \(node.found): \(error)", at: node.position)
            return nil
        }
    }

    mutating func limit(_ count: Int, _ limit: Int, _ what: String, _ node: YAMLNode) {
        if count > limit { yaml.complain("expected at most \(limit) \(what), found \(count).", at: node.position) }
    }

    private mutating func requires(_ condition: Bool, _ what: String, _ node: YAMLNode) {
        if !condition { yaml.complain("expected \(what), found none.", at: node.position) }
    }
}
