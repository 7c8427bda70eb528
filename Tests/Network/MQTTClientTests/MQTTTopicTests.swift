import Testing

@testable import MQTTClient

@Suite struct MQTTTopicTests {
    @Test(arguments: [
        ("a/b", "a/b", true), ("a/b", "a/+", true), ("a/b", "#", true), ("a/b", "a/#", true), ("a", "a/#", true),
        ("a", "a/+", false),
        ("a/b/c", "a/+", false), ("a/b/c", "+/b/+", true), ("$SYS/x", "#", false), ("$SYS/x", "+/x", false),
        ("$SYS/x", "$SYS/#", true),
        ("/a", "+/a", true), ("a//b", "a/+/b", true), ("a/b", "a/b/#", true), ("a/b", "#/b", false),
        ("a/", "a", false), ("a", "a/", false), ("/a", "a", false),
        // A combining character after a slash, and two forms of one character.
        ("a/\u{301}", "a/+", true), ("\u{E9}", "e\u{301}", false), ("$\u{301}/x", "#", false), ("", "#", true),
    ]) func aFilterSelectsTopics(topic: String, filter: String, matches: Bool) {
        #expect(MQTTTopic.matches(topic, filter: filter) == matches)
    }

    @Test func aLevelHoldsNoCharacterWithAMeaning() throws {
        #expect(MQTTTopic.level("Bad/#+$\0\u{1B}\u{FFFF}名") == "Bad_______名")
        #expect(try MQTTTopic.joined(["ble", "gateway 1", ""]) == "ble/gateway 1/_")
    }

    @Test func aTopicStaysWithinTheLimitsOfBrokers() throws {
        #expect(throws: MQTTClientError.self) { try MQTTTopic.joined([String](repeating: "a", count: 9)) }
        #expect(throws: MQTTClientError.self) { try MQTTTopic.joined([String(repeating: "a", count: 257)]) }
        #expect(try MQTTTopic.joined([String](repeating: "a", count: 8)) == "a/a/a/a/a/a/a/a")
    }
}
