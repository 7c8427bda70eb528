import BLEWire
import CloudGateway
import MQTTClient

/// A fleet of gateways in one process.
package struct FleetConfiguration: Sendable {
    package var gateways = 1000
    /// The devices that each gateway hears, and no other one.
    package var devices = 100
    /// The name of a gateway is this and its number.
    package var name = "gateway"
    /// The number of the first gateway, for fleets of several processes.
    package var first = 0
    /// The time between two advertisements of one device.
    package var interval = TimeSpan.seconds(10)
    /// The gateways that begin to connect in a second.
    package var connectsPerSecond = 200
    /// The clients that receive the advertisements, each its part of them.
    package var subscribers = 1
    /// The limit of the queue of each gateway, in octets.
    package var queueLimit = 4 << 20
    /// The folder in which each gateway gets a folder for its queue.
    package var folder: String
    /// The settings of all gateways. Each gets its own name.
    package var gateway: CloudConfiguration
    /// The brokers of one cluster. Each gateway begins with another of them, and gets its own client identifier.
    package var broker: MQTTConfiguration

    /// More devices than the rate limit of a gateway remembers would not be limited.
    package static let deviceLimit = 4096
    package static let gatewayLimit = 100_000

    package init(folder: String, gateway: CloudConfiguration, broker: MQTTConfiguration) {
        (self.folder, self.gateway, self.broker) = (folder, gateway, broker)
    }

    /// Advertisements in a second, of all devices.
    package var rate: Double { Double(gateways * devices) / (Double(interval.nanoseconds) / 1e9) }

    package func name(of index: Int) -> String { "\(name)-\(first + index)" }

    /// The connection of a gateway, or of a subscriber.
    ///
    /// - Parameter name: The end of the client identifier.
    func broker(of index: Int, name: String) -> MQTTConfiguration {
        var broker = self.broker
        let start = index % broker.addresses.count
        broker.addresses = Array(broker.addresses[start...] + broker.addresses[..<start])
        broker.clientIdentifier = "opencorebluetooth-\(name)"
        return broker
    }

    /// The index of the gateway with a name; nil if it is not one of this fleet.
    package func index(of name: Substring.UTF8View) -> Int? {
        let prefix = self.name.utf8
        guard name.count > prefix.count + 1, name.count < prefix.count + 10, name.starts(with: prefix) else {
            return nil
        }
        let digits = name.dropFirst(prefix.count)
        guard digits.first == UInt8(ascii: "-") else { return nil }
        var number = 0
        for digit in digits.dropFirst() {
            guard (48...57).contains(digit) else { return nil }
            number = number * 10 + Int(digit - 48)
        }
        return (first..<first + gateways).contains(number) ? number - first : nil
    }

    /// The file descriptors that the fleet needs: for each gateway a socket, a second descriptor of it, the folder of the queue, a file that is
    /// written, and one that is read.
    package var descriptors: Int { 5 * gateways + 2 * subscribers + 64 }
}
