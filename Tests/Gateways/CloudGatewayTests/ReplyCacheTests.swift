import Testing

@testable import CloudGateway

@Suite struct ReplyCacheTests {
    private func command(_ id: Int, _ client: String = "c") -> ReplyDestination {
        ReplyDestination(client: client, id: "\(id)")
    }

    @Test func theOldestReplyGivesWay() {
        var cache = ReplyCache(.init(commands: 4))
        for id in 0..<10 {
            #expect(cache.begin(command(id)) == true)
            cache.end(command(id), [1])
        }
        #expect(cache.count == 4)
        #expect(cache[command(5)] == nil)
        #expect(cache[command(6)] != nil)
        cache.end(command(0), [1])
        #expect(cache.count == 4 && cache.octets == 4)
    }

    @Test func aCommandThatIsBeingCarriedOutIsNeverForgotten() {
        var cache = ReplyCache(.init(commands: 4))
        for id in 0..<4 { #expect(cache.begin(command(id)) == true) }
        #expect(cache.begin(command(4)) == false)
        #expect(cache[command(0)] != nil && cache[command(4)] == nil)
        cache.end(command(2), [1])
        #expect(cache.begin(command(4)) == true)
        #expect(cache[command(2)] == nil)
    }

    @Test func aClientDisplacesItsOwnReplies() {
        var cache = ReplyCache(.init(commands: 8, commandsOfClient: 4))
        #expect(cache.begin(command(0, "quiet")) == true)
        cache.end(command(0, "quiet"), [1])
        for client in ["a", "b", "c"] {
            for id in 0..<20 {
                #expect(cache.begin(command(id, client)) == true)
                cache.end(command(id, client), [1])
            }
        }
        #expect(cache[command(0, "quiet")] != nil)
        #expect(cache.count == 8)
        for id in 0..<4 { #expect(cache.begin(command(id, "pending")) == true) }
        #expect(cache.begin(command(4, "pending")) == false)
    }

    @Test func theOctetsAreBounded() {
        var cache = ReplyCache(.init(octets: 100))
        #expect(cache.begin(command(0, "quiet")) == true)
        cache.end(command(0, "quiet"), [UInt8](repeating: 1, count: 10))
        for id in 0..<50 {
            #expect(cache.begin(command(id)) == true)
            cache.end(command(id), [UInt8](repeating: 1, count: 30))
            #expect(cache.octets <= 100)
        }
        #expect(cache[command(0, "quiet")] != nil)
        #expect(cache[command(49)] != nil)
        #expect(cache.count == 4)
    }

    @Test func aCommandThatIsForgottenCanComeAgain() {
        var cache = ReplyCache()
        #expect(cache.begin(command(1)) == true)
        cache.forget(command(1))
        #expect(cache[command(1)] == nil && cache.count == 0)
        #expect(cache.begin(command(1)) == true)
        cache.end(command(1), [1])
        cache.forget(command(1))
        #expect(cache[command(1)] != nil)
    }
}
