import BLETransport
import BLEWire
import Foundation
import TestConditions
import Testing

@testable import BLESimulator

/// The packets on the air, for programs that connect to a socket.
final class LiveCaptureRealTimeTests {
    private let path = "/tmp/ocb-live-\(UUID().uuidString.prefix(8))"

    deinit { unlink(path) }

    /// A program that reads the capture, without blocking.
    private final class Reader {
        private let number: Int32
        private var capture = CaptureReader()
        private(set) var packets: [CapturedPacket] = []
        private(set) var isAtEnd = false

        init(_ address: TransportAddress) throws {
            var storage = sockaddr_storage()
            let length = try withUnsafeMutablePointer(to: &storage) { storage in
                switch address {
                case .unix(let path):
                    return storage.withMemoryRebound(to: sockaddr_un.self, capacity: 1) {
                        $0.pointee.sun_family = sa_family_t(AF_UNIX)
                        withUnsafeMutableBytes(of: &$0.pointee.sun_path) { $0.copyBytes(from: path.utf8) }
                        return MemoryLayout<sockaddr_un>.size
                    }
                case .tcp(_, let port):
                    return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                        $0.pointee.sin_family = sa_family_t(AF_INET)
                        $0.pointee.sin_port = port.bigEndian
                        $0.pointee.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                        return MemoryLayout<sockaddr_in>.size
                    }
                default: throw TransportError(.system, "\(address) is no address of this test")
                }
            }
            number = socket(Int32(storage.ss_family), Int32(SOCK_STREAM.rawValue), 0)
            try #require(number >= 0)
            let result = withUnsafePointer(to: &storage) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(number, $0, socklen_t(length)) }
            }
            try #require(result == 0)
            _ = fcntl(number, F_SETFL, O_NONBLOCK)
        }

        deinit { close(number) }

        /// Reads what is there.
        func read() throws {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while !isAtEnd {
                let count = Glibc.read(number, &buffer, buffer.count)
                if count < 0 { return }
                isAtEnd = count == 0
                capture.append(buffer.prefix(count))
                while let packet = try capture.next() { packets.append(packet) }
            }
        }

        var air: [CapturedPacket.Air] {
            packets.compactMap { if case .air(let air) = $0.content { air } else { nil } }
        }
    }

    /// Each reader gets the packets since its connection, and all decode.
    @Test(arguments: [false, true]) func aReaderOnASocketGetsThePacketsOnTheAir(isUnix: Bool) async throws {
        let world = World(seed: 8)
        let sign = RawAdvertisement(
            data: [4, 9] + Array("Sig".utf8), interval: .milliseconds(100), extended: .init(secondaryPHY: .twoM))
        let advertiser = try world.addAdvertiser("sign", sign)
        let capture = try world.captureAir(to: isUnix ? "unix:\(path)" : "tcp:127.0.0.1:0")
        await world.run(for: .seconds(1))
        let before = world.now
        let reader = try Reader(TransportAddress(parsing: try #require(capture.address)))
        let hasPackets = try await eventually {
            await world.run(for: .milliseconds(100))
            try reader.read()
            return reader.air.count >= 40
        }
        #expect(hasPackets)
        let air = reader.air
        #expect(air.count == reader.packets.count && air.allSatisfy { $0.isIntact && $0.accessAddress == 0x8E89_BED6 })
        #expect(Set(air.filter { ($0.channel ?? 0) >= 37 }.map(\.phy)) == [.oneM])
        let auxiliaries = air.filter { ($0.channel ?? 40) < 37 }
        #expect(auxiliaries.count >= 8 && auxiliaries.allSatisfy { $0.phy == .twoM })
        for packet in auxiliaries {
            guard case .extended(_, let payload) = try LL.AdvertisingPDU(decoding: packet.octets.span) else {
                Issue.record("\(packet.octets) is no AUX_ADV_IND")
                continue
            }
            #expect(payload.advertiser != nil && [UInt8](payload.data) == sign.data)
        }
        // The times are those of the world, and nothing is from before the connection.
        let times = reader.packets.compactMap(\.time)
        #expect(times == times.sorted() && times.count == air.count)
        #expect(try #require(times.first) >= before.components.seconds * 1_000_000_000)
        // The end of the capture is the end for its readers.
        advertiser.remove()
        try capture.finish()
        let hasEnded = try await eventually {
            try reader.read()
            return reader.isAtEnd
        }
        #expect(hasEnded)
    }
}
