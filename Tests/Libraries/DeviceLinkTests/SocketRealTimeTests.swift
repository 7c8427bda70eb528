import CoreBluetooth
import DeviceLink
import TestConditions
import Testing

@testable import enum DeviceLink.IPv4Text

/// Ways over the sockets of this machine.
@Suite(.timeLimit(.minutes(10)))
struct SocketRealTimeTests {
    private let queue = DispatchQueue(label: "link")

    private func device(_ entrance: any DeviceListener) async throws -> (LinkedDevice, port: UInt16) {
        let (places, continuation) = AsyncStream.makeStream(of: String.self)
        let device = try LinkedDevice("lamp", listeners: [entrance], queue: queue) { event in
            if case .opened(_, let place) = event { continuation.yield(place) }
        } onRequest: { request in
            request.reply(.success([.text(request.operation), request.arguments]))
        }
        device.start()
        for await place in places {
            return (device, try #require(place.split(separator: ":").last.flatMap { UInt16($0) }))
        }
        throw CancellationError()
    }

    @Test func requestsGoOverTCP() async throws {
        let key = LinkKey.random()
        let (device, port) = try await device(
            NetworkListener("lamp", key: key, at: ("127.0.0.1", 0), announcedOn: nil, queue: queue))
        let link = DeviceConnection(
            to: "lamp", over: [NetworkTransport(to: "lamp", key: key, at: ("127.0.0.1", port), queue: queue)],
            queue: queue)
        link.start()
        for number in 0..<50 as Range<Int64> {
            #expect(try await link.request("set", .integer(number)) == ["set", .integer(number)])
        }
        let long = LinkValue.text(String(repeating: "x", count: 7800))
        #expect(try await link.request("long", long) == ["long", long])
        link.close()
        device.stop()
        queue.sync {}
    }

    @Test func requestsGoOverUDP() async throws {
        let key = LinkKey.random()
        let (device, port) = try await device(DirectListener(key: key, at: ("127.0.0.1", 0), queue: queue))
        let link = DeviceConnection(
            to: "lamp", over: [DirectTransport(key: key, at: ("127.0.0.1", port), queue: queue)], queue: queue)
        link.start()
        for number in 0..<50 as Range<Int64> {
            #expect(try await link.request("set", .integer(number)) == ["set", .integer(number)])
        }
        let long = LinkValue.text(String(repeating: "x", count: 7800))
        #expect(try await link.request("long", long) == ["long", long])
        link.close()
        device.stop()
        queue.sync {}
    }

    @Test func anotherKeyAndAClosedPortAreReported() async throws {
        let (device, port) = try await device(
            NetworkListener("lamp", key: .random(), at: ("127.0.0.1", 0), announcedOn: nil, queue: queue))
        let reasons = Collected<String>()
        func failure(at port: UInt16) async -> DeviceRequestError? {
            var timing = LinkTiming()
            timing.request = .milliseconds(300)
            let way = NetworkTransport(to: "lamp", key: .random(), at: ("127.0.0.1", port), queue: queue)
            let link = DeviceConnection(to: "lamp", over: [way], timing: timing, queue: queue) { event in
                if case .wayFailed(_, let reason) = event { reasons.add(reason) }
            }
            link.start()
            defer { link.close() }
            do throws(DeviceRequestError) {
                _ = try await link.request("set")
                return nil
            } catch {
                return error
            }
        }
        #expect(await failure(at: port) == .unanswered(LinkRequestError(.waiting, .timeLimit)))
        #expect(reasons.all.first?.contains("Compare the keys") == true)
        device.stop()
        queue.sync {}
        #expect(await failure(at: port) == .unanswered(LinkRequestError(.waiting, .timeLimit)))
        #expect(reasons.all.last?.contains("Compare the keys") == false)
    }

    /// Strangers do not take the places of clients with the key, also with a recorded greeting.
    @Test(arguments: [false, true]) func connectionsWithoutTheKeyDoNotShutAClientOut(haveGreeting: Bool) async throws {
        let key = LinkKey.random()
        let (device, port) = try await device(
            NetworkListener("lamp", key: key, at: ("127.0.0.1", 0), announcedOn: nil, queue: queue))
        var recording = SecureStream(isClient: true, key: key)
        recording.start()
        let greeting = recording.takeOutgoing()
        var strangers: [Int32] = []
        defer { for stranger in strangers { close(stranger) } }
        for _ in 0..<60 {
            let stranger = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(stranger, $0, size) }
            }
            #expect(result == 0)
            strangers.append(stranger)
            guard haveGreeting else { continue }
            #expect(write(stranger, greeting, greeting.count) == greeting.count)
            // The answer shows that the device has taken the greeting.
            var answer = [UInt8](repeating: 0, count: 64)
            #expect(read(stranger, &answer, answer.count) > 0)
        }
        let link = DeviceConnection(
            to: "lamp", over: [NetworkTransport(to: "lamp", key: key, at: ("127.0.0.1", port), queue: queue)],
            queue: queue)
        link.start()
        #expect(try await link.request("set") == ["set", nil])
        link.close()
        device.stop()
        queue.sync {}
    }

    @Test func theGatewayOfTheDefaultRouteIsRead() {
        let header = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
        func route(_ destination: String, _ gateway: String, _ metric: Int, _ mask: String) -> String {
            "wlan0\t\(destination)\t\(gateway)\t0003\t0\t0\t\(metric)\t\(mask)\t0\t0\t0\n"
        }
        let text =
            header + route("00000000", "FE01A8C0", 600, "00000000") + route("00000000", "0104A8C0", 100, "00000000")
            + route("0004A8C0", "00000000", 0, "00FFFFFF")
        #expect(IPv4Text.gateway(ofRoutes: text)?.description == "192.168.4.1")
        for text in ["", header, "x\ny", header + "a b c", header + route("00000000", "xyz", 1, "00000000")] {
            #expect(IPv4Text.gateway(ofRoutes: text) == nil)
        }
        #expect(IPv4Text.endpoint("192.0.2.7", 9)?.description == "192.0.2.7:9")
        for host in ["", "1.2.3", "1.2.3.4.5", "1.2.3.256", "a.b.c.d", "1..2.3"] {
            #expect(IPv4Text.endpoint(host, 9) == nil)
        }
    }
}
