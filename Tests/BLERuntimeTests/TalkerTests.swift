import BLEAdapter
import BLETransport
import Dispatch
import Glibc
import Testing

@testable import BLERuntime

struct TalkerTests {
    @Test func whoSaysNothingForAHundredTurnsIsNoLongerLookedAt() throws {
        var numbers: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) == 0)
        defer { close(numbers[1]) }
        let queue = DispatchQueue(label: "talker")
        queue.sync {
            let stream = DispatchStream(TransportConnection(socket: numbers[0], name: "talker"), queue: queue)
            let host = ForeignHost(stream, name: "talker", wish: nil)
            #expect(host.noteRead())
            for _ in 0..<50 { #expect(host.look()) }
            #expect(!host.noteRead())
            for _ in 0..<99 { #expect(host.look()) }
            #expect(!host.look())
            #expect(host.noteRead())
            host.end()
            #expect(!host.look())
        }
    }
}
