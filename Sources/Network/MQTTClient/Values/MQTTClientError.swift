/// The reason why an MQTT client cannot do what was asked, in sentences for people.
package struct MQTTClientError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ sentences: String...) { description = sentences.joined(separator: " ") }
}
