import Phrases
import Testing

@testable import StudioRoom

/// The settings of a lesson are those that it has, within their limits.
@Suite struct LessonParameterTests {
    @Test(
        arguments: [
            ("try-filter", ["filter": ""]), ("try-filter", ["filter": 12]), ("try-filter", ["filter": "FF00FF"]),
            ("try-filter", ["filter": .string(String(repeating: "A", count: 100_000))]),
            ("try-properties", ["properties": "fly"]), ("try-properties", ["properties": []]),
            ("try-mtu", ["mtu": 5]), ("try-mtu", ["mtu": 518]), ("try-mtu", ["mtu": 23.5]), ("try-mtu", ["mtu": "23"]),
            ("try-mtu", ["mtu": 1_000_000_000]), ("try-mtu", ["mtu": 23, "length": 1_000_000_000]),
            ("try-interval", ["latency": 0]), ("try-interval", ["latency": "none"]),
            ("q5", ["exponent": 0]), ("q5", ["exponent": .number(.nan)]), ("q8", ["loss": 1]), ("q8", ["loss": -0.1]),
            ("q14", ["way": "flow", "parts": 1_000_000_000]), ("q1", ["x": 1]), ("q1", 7),
            ("tour-central", ["goal": 1]),
        ] as [(String, RoomValue)])
    func aSettingThatTheLessonDoesNotHaveIsRefused(scene: String, parameters: RoomValue) throws {
        let scene = try #require(Lesson.scene(scene))
        let failure = #expect(throws: PhrasedError.self) { try scene.make(parameters) }
        let text = try #require(failure?.text.description)
        #expect(!text.isEmpty && text.utf8.count < 300, "\(text)")
    }

    @Test(
        arguments: [
            ("try-filter", ["filter": "0000180d-0000-1000-8000-00805f9b34fb"]), ("try-filter", .null),
            ("try-mtu", ["mtu": 100]),
            ("q5", ["exponent": 2.25]), ("q8", ["loss": 0.9]), ("q14", ["way": "careless"]), ("q1", [:]),
        ] as [(String, RoomValue)])
    func aSettingWithinTheLimitsIsPossible(scene: String, parameters: RoomValue) throws {
        let scene = try #require(Lesson.scene(scene))
        #expect(try scene.make(parameters).devices.count >= 2)
    }

    @Test func everyOfferedValueIsPossible() throws {
        for scene in Lesson.scenes {
            for choice in scene.choices {
                for value in choice.values { #expect(!(try scene.make(.object([choice.name: value])).devices.isEmpty)) }
            }
        }
    }
}
