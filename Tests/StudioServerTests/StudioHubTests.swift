import Testing

@testable import StudioServer

@Suite struct StudioHubTests {
    @Test func aTopicHasANewVersionAfterATouch() async {
        let hub = StudioHub()
        hub.addTopic("time") { JSONText("1") }
        let before = hub.version(of: "time")
        hub.touch("time")
        #expect(hub.version(of: "time") != before)
        #expect(await hub.text(of: "time")?.text == JSONText("1"))
    }
}
