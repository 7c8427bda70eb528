/// A message that a client received.
package struct MQTTMessage: Equatable, Sendable {
    /// The largest payload that the client passes on, in octets.
    package static let payloadLimit = 256 << 10

    package let topic: String
    package let payload: [UInt8]
    /// Whether the broker had kept the message, and sends it because of the subscription.
    package let isRetained: Bool

    package init(topic: String, payload: [UInt8], isRetained: Bool = false) {
        (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
    }

    /// The octets that the message takes, about.
    var octetCount: Int { topic.utf8.count + payload.count + 64 }
}

/// A message to publish.
package struct MQTTPublication: Equatable, Sendable {
    package var topic: String
    package var payload: [UInt8]
    /// Quality of service 1: `published` follows the broker's acknowledgement. Otherwise it follows the write to the network.
    package var isAcknowledged: Bool
    package var isRetained: Bool

    package init(topic: String, payload: [UInt8], isAcknowledged: Bool = true, isRetained: Bool = false) {
        (self.topic, self.payload) = (topic, payload)
        (self.isAcknowledged, self.isRetained) = (isAcknowledged, isRetained)
    }
}

package enum MQTTEvent: Equatable, Sendable {
    /// The broker accepted the client. The broker has no subscriptions of it.
    case connected
    /// The connection ended, or was never established, for this reason.
    case disconnected(reason: String)
    case received(MQTTMessage)
    /// The end of a publication with the number that `publish` got; with the reason if it was refused.
    case published(UInt64, refusal: String?)
    /// The broker does not take this publication now, and may take it later. The owner keeps the message.
    case postponed(UInt64, reason: String)
    /// The broker's answer to a subscription; with the reason if it was refused.
    case subscribed(String, refusal: String?)
}
