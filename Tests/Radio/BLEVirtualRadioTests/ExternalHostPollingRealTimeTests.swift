import BLETransport
import Dispatch
import Glibc
import Testing

@testable import BLEVirtualRadio

struct ExternalHostPollingRealTimeTests {
    @Test func aHostThatIsSilentForAHundredTurnsIsNoLongerPolled() throws {
        var numbers: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) == 0)
        defer { close(numbers[1]) }
        let queue = DispatchQueue(label: "host")
        queue.sync {
            let stream = DispatchStream(TransportConnection(socket: numbers[0], name: "host"), queue: queue)
            let host = ExternalHost(stream, name: "host", requestedAddress: nil)
            #expect(host.noteRead())
            for _ in 0..<50 { #expect(host.poll()) }
            #expect(!host.noteRead())
            for _ in 0..<99 { #expect(host.poll()) }
            #expect(!host.poll())
            #expect(host.noteRead())
            host.end()
            #expect(!host.poll())
        }
    }
}
