import BLETransport

/// The figures of a gateway in the text format of Prometheus, and its health as JSON.
extension CloudGateway {
    package var metrics: String {
        var text = ""
        func add(_ name: String, _ type: String, _ help: String, _ value: Int) {
            text += "# HELP bluetooth_cloud_\(name) \(help)\n# TYPE bluetooth_cloud_\(name) \(type)\n"
            text += "bluetooth_cloud_\(name) \(value)\n"
        }
        let counts = session.counts
        let losses = queueLosses
        add("broker_connected", "gauge", "1 while the broker is connected.", isBrokerConnected ? 1 : 0)
        add("adapter_on", "gauge", "1 while the Bluetooth adapter is on.", session.adapter == .poweredOn ? 1 : 0)
        add("advertisements_total", "counter", "Advertisements that were stored.", counts.advertisements)
        add(
            "advertisements_limited_total", "counter", "Advertisements beyond the rate limits.",
            counts.limitedAdvertisements)
        add("advertisements_dropped_total", "counter", "Advertisements that came too fast.", droppedAdvertisements)
        add("values_total", "counter", "Notifications and indications that were stored.", counts.values)
        add("values_dropped_total", "counter", "Notifications and indications that came too fast.", droppedValues)
        add("commands_total", "counter", "Commands that were carried out or refused.", counts.commands)
        add("commands_repeated_total", "counter", "Commands that came again.", counts.repeatedCommands)
        add("commands_invalid_total", "counter", "Commands that could not be read.", counts.invalidCommands)
        add(
            "replies_dropped_total", "counter", "Replies that waited for the broker and found no room.",
            counts.droppedReplies)
        add(
            "publications_dropped_total", "counter", "Publications from memory that found no room.",
            counts.droppedPublications)
        add("connections_total", "counter", "Connections to the broker.", counts.connections)
        add(
            "connections_failed_total", "counter", "Attempts to connect to the broker that failed.",
            counts.failedConnections)
        add(
            "messages_acknowledged_total", "counter", "Messages that the broker acknowledged.",
            outbox.counts.acknowledged)
        add("messages_refused_total", "counter", "Messages that the broker refused.", outbox.counts.refused)
        add(
            "messages_postponed_total", "counter", "Answers of the broker that it does not take a message now.",
            outbox.counts.postponed)
        add("messages_overflowed_total", "counter", "Messages that the limit of the queue removed.", losses.overflowed)
        add("messages_damaged_total", "counter", "Messages that the file system damaged.", losses.damaged)
        add("messages_unstored_total", "counter", "Messages that the queue did not take.", outbox.counts.unstored)
        add("queued_messages", "gauge", "Messages that the broker has not acknowledged.", outbox.count)
        add("queued_octets", "gauge", "The size of the queue on the disk.", queueOctets)
        add("devices", "gauge", "Devices that the rate limit remembers.", session.deviceCount)
        add("links", "gauge", "Bluetooth links.", session.linkCount)
        return text
    }

    package var isBrokerConnected: Bool {
        if case .connected = session.broker { return true }
        return false
    }

    /// Whether the gateway does its work: the broker is connected, the adapter is on, and the queue takes messages.
    package var isHealthy: Bool { session.isHealthy && outbox.isStoring }

    /// A JSON object.
    package var health: [UInt8] {
        JSONBuilder.object { json in
            json.add("healthy", isHealthy)
            json.add("broker", isBrokerConnected ? "connected" : "away")
            if let failure = session.brokerFailure { json.add("brokerFailure", failure) }
            if !outbox.isStoring, let failure = outbox.failure { json.add("queueFailure", "\(failure)") }
            json.add("adapter", session.adapter.word)
            json.add("queued", outbox.count)
        }
    }
}
