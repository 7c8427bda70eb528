import BLETransport
import BLEWire
import MQTTClient

/// The messages by which Home Assistant finds the gateway and its devices.
enum HomeAssistantDiscovery {
    /// The topic at which Home Assistant says that it has started.
    static func birthTopic(_ prefix: String) -> String { prefix + "/status" }

    static func messages(_ configuration: CloudConfiguration, _ topics: CloudTopics) -> [MQTTPublication] {
        guard let prefix = configuration.homeAssistantPrefix else { return [] }
        let gateway = identifier(configuration.name)
        func message(
            _ component: String, _ object: String, _ name: String, _ body: (inout JSONBuilder) -> Void
        ) -> MQTTPublication {
            let payload = JSONBuilder.object { json in
                json.add("name", name)
                json.add("unique_id", "opencorebluetooth_\(gateway)_\(object)")
                body(&json)
                json.add(
                    "device",
                    object: { json in
                        json.add("identifiers", list: { $0.addElement("opencorebluetooth_\(gateway)") })
                        json.add("name", configuration.name)
                        json.add("manufacturer", "OpenCoreBluetooth")
                        json.add("model", "Bluetooth gateway")
                        json.add("sw_version", configuration.version)
                    })
            }
            return MQTTPublication(
                topic: "\(prefix)/\(component)/\(gateway)/\(object)/config", payload: payload, isRetained: true)
        }
        var messages = [
            message("binary_sensor", "connection", "Connection") { json in
                json.add("state_topic", topics.status)
                json.add("value_template", "{{ 'ON' if value_json.state == 'online' else 'OFF' }}")
                json.add("device_class", "connectivity")
            },
            message("sensor", "advertisements", "Advertisements") { json in
                json.add("state_topic", topics.statistics)
                json.add("value_template", "{{ value_json.advertisements }}")
                json.add("state_class", "total_increasing")
                availability(topics, &json)
            },
            message("sensor", "queued", "Queued messages") { json in
                json.add("state_topic", topics.statistics)
                json.add("value_template", "{{ value_json.queued }}")
                json.add("state_class", "measurement")
                availability(topics, &json)
            },
        ]
        for address in configuration.homeAssistantDevices {
            let text = DeviceAddress(kind: .public, value: address).description
            messages.append(
                message("sensor", CloudTopics.level(address), text) { json in
                    json.add("state_topic", topics.advertisement(address))
                    json.add("value_template", "{{ value_json.rssi }}")
                    json.add("json_attributes_topic", topics.advertisement(address))
                    json.add("device_class", "signal_strength")
                    json.add("unit_of_measurement", "dBm")
                    json.add("expire_after", 300)
                    availability(topics, &json)
                })
        }
        return messages
    }

    private static func availability(_ topics: CloudTopics, _ json: inout JSONBuilder) {
        json.add("availability_topic", topics.status)
        json.add("availability_template", "{{ value_json.state }}")
    }

    /// Home Assistant accepts letters, digits, hyphens and underscores in an object identifier.
    private static func identifier(_ text: String) -> String {
        String(
            text.unicodeScalars.map {
                $0.isASCII && ($0.properties.isAlphabetic || (48...57).contains($0.value) || $0 == "-")
                    ? Character($0) : "_"
            })
    }
}
