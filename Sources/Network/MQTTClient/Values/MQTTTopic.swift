/// Names of topics (MQTT 5.0, 4.7), within the limits of brokers in use: at most 256 octets and 7 slashes, as AWS IoT Core has them.
package enum MQTTTopic {
    package static let maximumOctets = 256
    package static let maximumSlashes = 7
    /// The most octets of a text in a packet (MQTT 5.0, 1.5.4).
    static let textLimit = 65_535

    /// Joins levels. A level comes from a configuration or from a device, so it can hold anything: characters with a meaning in a topic or
    /// a filter, and control characters, become `_`. An empty level becomes `_` as well.
    ///
    /// - Throws: If the topic exceeds the limits.
    package static func joined(_ levels: [String]) throws(MQTTClientError) -> String {
        let topic = levels.map(level).joined(separator: "/")
        try check(topic)
        return topic
    }

    /// - Throws: If a topic or a filter exceeds the limits.
    package static func check(_ topic: String) throws(MQTTClientError) {
        let slashes = topic.utf8.count { $0 == UInt8(ascii: "/") }
        guard topic.utf8.count <= maximumOctets, slashes <= maximumSlashes else {
            throw MQTTClientError(
                "The topic \(String(topic.prefix(40))) has \(topic.utf8.count) octets and \(slashes) slashes.",
                "Brokers take \(maximumOctets) octets and \(maximumSlashes) slashes.", "Choose a shorter prefix.")
        }
    }

    /// A text as one level of a topic.
    package static func level(_ text: String) -> String {
        let cleaned = text.unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "/", "+", "#", "$": "_"
            case _
            where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                || scalar.properties.isNoncharacterCodePoint:
                "_"
            default: Character(scalar)
            }
        }
        return cleaned.isEmpty ? "_" : String(cleaned)
    }

    /// Whether a text is a topic name: 1 to 65,535 octets without wildcards and U+0000 (4.7.1, 4.7.3).
    static func isName(_ text: String) -> Bool {
        (1...textLimit).contains(text.utf8.count)
            && !text.utf8.contains { $0 == 0 || "+#".utf8.contains($0) }
    }

    /// Whether a text is a topic filter: a wildcard takes a whole level, and `#` is in the last one (4.7.1).
    static func isFilter(_ text: String) -> Bool {
        guard (1...textLimit).contains(text.utf8.count), !text.utf8.contains(0) else { return false }
        let levels = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, level) in levels.enumerated() where level.contains(where: { "+#".utf8.contains($0) }) {
            guard level.count == 1 else { return false }
            if level.first == UInt8(ascii: "#"), index != levels.count - 1 { return false }
        }
        return true
    }

    /// Whether a filter with the wildcards `+` and `#` selects a topic (4.7.1). A wildcard at the beginning does not select `$SYS`. Levels are compared
    /// octet by octet, as brokers do: there is no normalization of characters (4.7.3).
    package static func matches(_ topic: String, filter: String) -> Bool {
        let slash = UInt8(ascii: "/")
        let topic = topic.utf8.split(separator: slash, omittingEmptySubsequences: false)
        let filter = filter.utf8.split(separator: slash, omittingEmptySubsequences: false)
        func isWildcard(_ level: Substring.UTF8View, _ wildcard: Unicode.Scalar) -> Bool {
            level.count == 1 && level.first == UInt8(ascii: wildcard)
        }
        if topic.first?.first == UInt8(ascii: "$"), let first = filter.first,
            isWildcard(first, "+") || isWildcard(first, "#")
        {
            return false
        }
        for (index, level) in filter.enumerated() {
            if isWildcard(level, "#") { return index == filter.count - 1 }
            guard index < topic.count, isWildcard(level, "+") || level.elementsEqual(topic[index]) else { return false }
        }
        return topic.count == filter.count
    }
}
