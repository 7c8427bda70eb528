import Dispatch
import LocalDiscovery
import NoiseChannel
import Synchronization
import TestConditions
import Testing

@testable import DeviceLink

/// Both ends over the loopback interface, in real time.
@Suite(.timeLimit(.minutes(10)))
struct GroupSocketRealTimeTests {
    private final class Ends: @unchecked Sendable {
        var member: GroupMemberSocket?
        var controller: GroupControllerSocket?
    }

    @Test func commandsByBroadcastAreCarriedOutAndAnswered() async throws {
        let key = GroupKey(PreSharedKey(octets: [UInt8](repeating: 9, count: 32))!)
        var random = Seeded(1)
        let sessions = (GroupSession(using: &random), GroupSession(using: &random))
        let queue = DispatchQueue(label: "group")
        let ends = Ends()
        let (events, continuation) = AsyncStream<GroupController<Endpoint>.Event>.makeStream()
        try queue.sync {
            let member = GroupMember<Endpoint>(
                name: "lamp", key: key, session: sessions.0, replySpread: .milliseconds(1))!
            ends.member = try GroupMemberSocket(member, at: Endpoint(IPAddress(0, 0, 0, 0), 0), queue: queue) {
                body, completion in
                completion(Array(body.reversed()))
            }
            ends.controller = try GroupControllerSocket(
                GroupController(members: ["lamp"], key: key, session: sessions.1),
                group: [Endpoint(IPAddress(127, 255, 255, 255), ends.member!.port)], queue: queue
            ) { continuation.yield($0) }
            for number in 0..<5 as Range<UInt8> { _ = try ends.controller!.submit([number, 7]) }
        }
        var replies: [[UInt8]] = []
        for await event in events {
            if case .acknowledged(_, "lamp", let reply) = event { replies.append(reply) }
            if replies.count == 5 { break }
        }
        #expect(replies.sorted { $0[1] < $1[1] } == (0..<5).map { [7, $0] })
        queue.sync {
            ends.member = nil
            ends.controller = nil
        }
    }
}
