import BLEWire
import Foundation
import TestConditions
import Testing

@testable import BLETransport

/// Live captures: programs connect, read, and leave.
@Suite struct CaptureFeedRealTimeTests {
    private func append(_ octets: [UInt8], to sink: CaptureSink) -> Bool { sink.append(octets.span) }

    private func connect(to sink: CaptureSink) throws -> Int32 {
        guard case .tcp(_, let port)? = sink.address else { throw TransportError(.system, "no address") }
        let socket = Sockets.make(family: AF_INET)
        let number = try #require(socket.map { dup($0.number) })
        _ = fcntl(number, F_SETFL, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(result == 0)
        return number
    }

    private func wait(for count: Int, at sink: CaptureSink) async {
        #expect(await eventually { sink.readerCount == count })
    }

    private func read(_ number: Int32, _ count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        while octets.count < count {
            var buffer = [UInt8](repeating: 0, count: count - octets.count)
            let got = Glibc.read(number, &buffer, buffer.count)
            guard got > 0 else { break }
            octets += buffer.prefix(got)
        }
        return octets
    }

    @Test func eachReaderGetsTheHeaderAndWhatComesAfterIt() async throws {
        let sink = try CaptureSink(at: TransportAddress(parsing: "tcp:127.0.0.1:0"))
        #expect(append([0xAA, 0xBB], to: sink))
        #expect(append([1], to: sink))
        let first = try connect(to: sink)
        await wait(for: 1, at: sink)
        #expect(append([2], to: sink))
        let second = try connect(to: sink)
        await wait(for: 2, at: sink)
        #expect(append([3], to: sink))
        #expect(read(first, 4) == [0xAA, 0xBB, 2, 3])
        #expect(read(second, 3) == [0xAA, 0xBB, 3])
        // A reader that leaves is forgotten, and the other one goes on.
        close(first)
        var number: UInt8 = 4
        let isForgotten = await eventually {
            _ = append([number], to: sink)
            number &+= 1
            return sink.readerCount == 1
        }
        #expect(isForgotten)
        #expect(read(second, 1) == [4])
        sink.close()
        close(second)
    }

    @Test func furtherReadersAreRefused() async throws {
        let sink = try CaptureSink(at: TransportAddress(parsing: "tcp:127.0.0.1:0"))
        #expect(append([0xAA], to: sink))
        var readers: [Int32] = []
        for count in 1...CaptureFeed.readerLimit {
            readers.append(try connect(to: sink))
            await wait(for: count, at: sink)
        }
        let refused = try connect(to: sink)
        #expect(read(refused, 1) == [])
        #expect(sink.readerCount == CaptureFeed.readerLimit)
        for reader in readers { #expect(read(reader, 1) == [0xAA]) }
        sink.close()
        // The end of the capture is the end for its readers.
        for reader in readers {
            #expect(read(reader, 1) == [])
            close(reader)
        }
        close(refused)
    }

    @Test func anAddressThatCannotBeUsedHasAMessage() throws {
        let error = #expect(throws: TransportError.self) {
            _ = try CaptureSink(at: TransportAddress(parsing: "unix:/nowhere/feed"))
        }
        #expect(error?.description.contains("unix:/nowhere/feed") == true)
    }
}
