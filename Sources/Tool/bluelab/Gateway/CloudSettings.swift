import BLEWire
import CloudGateway
import DeviceFiles

/// The settings of `bluelab gateway cloud`, from a file and from options.
struct CloudSettings: Equatable {
    var broker = BrokerSettings()
    var name: String?
    var allowsCommands = false
    var advertisementInterval = TimeSpan.seconds(1)
    var advertisementRate = 200
    var isRaw = true
    var isDecoded = true
    var queueFolder: String?
    /// In MiB.
    var queueLimit = 64
    var publicationRate: Int?
    var slots = 8
    var homeAssistantPrefix: String?
    var homeAssistantDevices: [UInt64] = []
    /// Where health and metrics are served; nil without them.
    var status: String?

    init() {}

    init(_ document: YAMLDocument) throws(YAMLError) {
        var yaml = YAMLReader(file: document.file)
        let keys =
            BrokerSettings.keys + ["name", "commands", "advertisements", "queue", "slots", "homeAssistant", "status"]
        if let root = yaml.mapping(document.root, "the settings of the gateway", keys: keys) { read(root, &yaml) }
        try yaml.finish()
    }

    private mutating func read(_ root: YAMLMapping, _ yaml: inout YAMLReader) {
        broker.read(root, &yaml)
        if let node = root["name"] { name = yaml.string(node) }
        if let node = root["commands"] { allowsCommands = yaml.boolean(node) ?? false }
        if let node = root["slots"] { slots = yaml.integer(node, in: 1...64) ?? slots }
        if let node = root["status"] { status = yaml.string(node, "an address such as tcp:127.0.0.1:9464") }
        readAdvertisements(root, &yaml)
        readQueue(root, &yaml)
        readHomeAssistant(root, &yaml)
    }

    private mutating func readAdvertisements(_ root: YAMLMapping, _ yaml: inout YAMLReader) {
        guard let node = root["advertisements"],
            let mapping = yaml.mapping(node, "the advertisements", keys: ["interval", "rate", "raw", "decoded"])
        else { return }
        if let node = mapping["interval"], let value = yaml.duration(node, in: .zero ... .seconds(86_400)) {
            advertisementInterval = .milliseconds(Int(value / .milliseconds(1)))
        }
        if let node = mapping["rate"] { advertisementRate = yaml.integer(node, in: 1...100_000) ?? advertisementRate }
        if let node = mapping["raw"] { isRaw = yaml.boolean(node) ?? isRaw }
        if let node = mapping["decoded"] { isDecoded = yaml.boolean(node) ?? isDecoded }
    }

    private mutating func readQueue(_ root: YAMLMapping, _ yaml: inout YAMLReader) {
        guard let node = root["queue"],
            let mapping = yaml.mapping(node, "the queue", keys: ["folder", "limit", "rate"])
        else {
            return
        }
        if let node = mapping["folder"] { queueFolder = yaml.string(node, "the name of a folder") }
        if let node = mapping["limit"] {
            queueLimit = yaml.integer(node, in: 1...65_536, "a number of MiB") ?? queueLimit
        }
        if let node = mapping["rate"] { publicationRate = yaml.integer(node, in: 1...100_000) }
    }

    private mutating func readHomeAssistant(_ root: YAMLMapping, _ yaml: inout YAMLReader) {
        guard let node = root["homeAssistant"],
            let mapping = yaml.mapping(node, "the settings for Home Assistant", keys: ["prefix", "devices"])
        else { return }
        homeAssistantPrefix = "homeassistant"
        if let node = mapping["prefix"] { homeAssistantPrefix = yaml.string(node) }
        guard let node = mapping["devices"], let list = yaml.list(node, "a list of addresses") else { return }
        if list.count > 256 { yaml.complain("expected at most 256 devices, found \(list.count).", at: node.position) }
        for node in list.prefix(256) {
            guard let text = node.text, let address = CloudConfiguration.address(text) else {
                yaml.expected("an address such as \"AC:BC:32:89:0E:A9\"", found: node)
                continue
            }
            homeAssistantDevices.append(address)
        }
    }
}
