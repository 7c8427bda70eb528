import AdvertisementScanning
import BLEWire
import MQTTClient

package struct CloudConfiguration: Sendable {
    /// The name of the gateway, a level of its topics.
    package var name: String
    /// The first levels of all topics, at most four.
    package var prefix = "bluetooth"
    package var version: String
    /// The brokers of the cluster, which are tried in turn.
    package var brokerCount = 1
    /// Whether the gateway carries out commands that arrive from the broker.
    package var allowsCommands = false
    /// The least time between two advertisements of one device.
    package var advertisementInterval = TimeSpan.seconds(1)
    /// The advertisements of all devices in a second.
    package var advertisementRate = 200
    /// The most messages of the queue that are published in a second, also after a time without the broker; nil without a limit.
    package var publicationRate: Int?
    /// Whether advertisements carry their octets, and what the octets mean.
    package var isRaw = true
    package var isDecoded = true
    /// The most links at the same time.
    package var linkLimit = 8
    /// The topic prefix of Home Assistant's discovery; nil without it.
    package var homeAssistantPrefix: String?
    /// The addresses of devices that Home Assistant gets a sensor of.
    package var homeAssistantDevices: [UInt64] = []

    package init(name: String, version: String) { (self.name, self.version) = (name, version) }
}

extension CloudConfiguration {
    /// The 48 bits of an address with colons; nil if the text is no address.
    package static func address(_ text: String) -> UInt64? { AddressDigits.value(text) }

    /// Whether a text is the prefix of Home Assistant's discovery: one or two levels without wildcards.
    package static func isDiscoveryPrefix(_ text: String) -> Bool {
        let levels = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return (1...2).contains(levels.count) && text.utf8.count <= 64
            && levels.allSatisfy { !$0.isEmpty && MQTTTopic.level($0) == $0 }
    }
}
