import BLEAdapter
import BLETransport
import CoreBluetooth
import LocalHTTP
import Testing

@testable import DeviceLink

/// The way over HTTP on the sockets of this machine.
@Suite(.timeLimit(.minutes(10)))
struct HTTPTransportRealTimeTests {
    private let queue = DispatchQueue(label: "link")
    private let key = LinkKey.random()

    private func device(
        _ entrance: HTTPListener, _ onRequest: @escaping @Sendable (LinkedDevice.Request) -> Void
    ) async throws -> (LinkedDevice, port: UInt16) {
        let (places, continuation) = AsyncStream.makeStream(of: String.self)
        let device = try LinkedDevice("lamp", listeners: [entrance], queue: queue) { event in
            if case .opened(_, let place) = event { continuation.yield(place) }
        } onRequest: {
            onRequest($0)
        }
        device.start()
        for await place in places {
            return (device, try #require(place.split(separator: ":").last.flatMap { UInt16($0) }))
        }
        throw CancellationError()
    }

    private func link(
        _ port: UInt16, timing: LinkTiming = LinkTiming(), key: LinkKey? = nil,
        onEvent: @escaping @Sendable (DeviceConnection.Event) -> Void = { _ in }
    ) -> DeviceConnection {
        let way = HTTPTransport(key: key ?? self.key, at: ("127.0.0.1", port), queue: queue)
        let link = DeviceConnection(to: "lamp", over: [way], timing: timing, queue: queue, onEvent: onEvent)
        link.start()
        return link
    }

    @Test func requestsAndLongOnesGoOverHTTP() async throws {
        let (device, port) = try await device(HTTPListener(key: key, at: ("127.0.0.1", 0), queue: queue)) { request in
            request.reply(.success([.text(request.operation), request.arguments]))
        }
        let link = link(port)
        for number in 0..<50 as Range<Int64> {
            #expect(try await link.request("set", .integer(number)) == ["set", .integer(number)])
        }
        let long = LinkValue.text(String(repeating: "x", count: 7800))
        #expect(try await link.request("long", long) == ["long", long])
        try await withThrowingTaskGroup(of: LinkValue.self) { group in
            for _ in 0..<10 { group.addTask { try await link.request("long", long) } }
            for try await result in group { #expect(result == ["long", long]) }
        }
        link.close()
        device.stop()
        queue.sync {}
    }

    /// The device speaks first: the request that waits carries it.
    @Test func eventsAndLateRepliesArriveWithoutARequestOfTheClient() async throws {
        let (requests, arrived) = AsyncStream.makeStream(of: LinkedDevice.Request.self)
        let (device, port) = try await device(HTTPListener(key: key, at: ("127.0.0.1", 0), queue: queue)) { request in
            if request.operation == "late" { arrived.yield(request) } else { request.reply(.success(nil)) }
        }
        let (events, continuation) = AsyncStream.makeStream(of: DeviceConnection.Event.self)
        let link = link(port) { continuation.yield($0) }
        // The device knows the client now.
        _ = try await link.request("hello")
        for number in 0..<5 as Range<Int64> { try device.send(event: "pressed", .integer(number)) }
        var numbers: [Int64] = []
        for await case .event(_, let args) in events {
            numbers.append(args.integer ?? -1)
            if numbers.count == 5 { break }
        }
        #expect(numbers == [0, 1, 2, 3, 4])
        async let reply = link.request("late")
        for await request in requests {
            request.reply(.success("later"))
            break
        }
        #expect(try await reply == "later")
        link.close()
        device.stop()
        queue.sync {}
    }

    /// A firmware with a plain HTTP server: one request a connection, and no response that waits.
    @Test func aDeviceThatHoldsNoRequestIsAskedAgain() async throws {
        let firmware = try queue.sync { try Firmware(key: key, queue: queue) }
        let (events, continuation) = AsyncStream.makeStream(of: DeviceConnection.Event.self)
        let link = link(firmware.port) { continuation.yield($0) }
        #expect(try await link.request("set", 7) == 7)
        queue.sync { firmware.send(event: "pressed") }
        for await case .event("pressed", _) in events { break }
        let connections = queue.sync { firmware.connections }
        #expect(connections > 3)
        link.close()
        queue.sync { firmware.stop() }
    }

    @Test func anotherKeyIsNamedAndAnotherServerToo() async throws {
        let (device, port) = try await device(HTTPListener(key: key, at: ("127.0.0.1", 0), queue: queue)) { _ in }
        var timing = LinkTiming()
        timing.request = .milliseconds(300)
        func reason(at port: UInt16, key: LinkKey? = nil) async -> String? {
            let (reasons, continuation) = AsyncStream.makeStream(of: String.self)
            let link = link(port, timing: timing, key: key) { event in
                if case .wayFailed("http", let reason) = event { continuation.yield(reason) }
            }
            defer { link.close() }
            await #expect(throws: DeviceRequestError.unanswered(LinkRequestError(.waiting, .timeLimit))) {
                try await link.request("set")
            }
            for await reason in reasons { return reason }
            return nil
        }
        #expect(await reason(at: port, key: .random())?.contains("Compare the keys") == true)
        device.stop()
        queue.sync {}
        #expect(await reason(at: port) != nil)
        let other = try queue.sync { try Firmware(key: key, queue: queue, status: .failed) }
        #expect(await reason(at: other.port)?.contains("500") == true)
        queue.sync { other.stop() }
    }

    /// After a restart the device does not know the channel. The way says so, and the next opening makes a new one.
    @Test func aDeviceThatStartsAgainIsReachedAgain() async throws {
        let answer: @Sendable (LinkedDevice.Request) -> Void = { $0.reply(.success(nil)) }
        let (first, port) = try await device(HTTPListener(key: key, at: ("127.0.0.1", 0), queue: queue), answer)
        var timing = LinkTiming()
        timing.firstRetry = .milliseconds(50)
        let (ways, continuation) = AsyncStream.makeStream(of: String?.self)
        let link = link(port, timing: timing) { event in
            if case .way(let way) = event { continuation.yield(way) }
        }
        _ = try await link.request("set")
        first.stop()
        queue.sync {}
        for await way in ways where way == nil { break }
        let carriedOut = Lock(0)
        let (second, _) = try await device(HTTPListener(key: key, at: ("127.0.0.1", port), queue: queue)) { request in
            carriedOut.withLock { $0 += 1 }
            answer(request)
        }
        for await way in ways where way == "http" { break }
        // A request that the client sends in the old session fails, because the client cannot know which run of the device received it. One that it
        // sends after the answer to its ping continues in the new session (Documentation/DeviceLink.md, Sessions).
        var replies = 0
        do throws(DeviceRequestError) {
            let reply = try await link.request("set")
            #expect(reply == .null)
            replies += 1
        } catch {
            #expect(error == .unanswered(LinkRequestError(.sent, .deviceRestarted)))
        }
        #expect(try await link.request("set") == .null)
        #expect(carriedOut.withLock { $0 } == replies + 1, "the request of the old session was not carried out")
        link.close()
        second.stop()
        queue.sync {}
    }
}

/// A device with the smallest HTTP server that Documentation/DeviceLink.md allows.
private final class Firmware: @unchecked Sendable {
    let port: UInt16
    private(set) var connections = 0
    private let listener: StreamListener
    private let server: HTTPServer
    private let device: Machine

    /// Calls of the queue alone.
    private final class Machine: @unchecked Sendable {
        var posted: PostedServer
        var device = LinkDevice<UInt64>(identifier: "lamp", run: 1)!
        init(_ key: LinkKey) { posted = PostedServer(key: key) }

        func work() {
            for request in device.takeRequests() { device.finish(request, with: .success(request.args)) }
            for message in device.takeOutgoing() { _ = posted.post(message.octets, to: message.route) }
        }
    }

    init(key: LinkKey, queue: DispatchQueue, status: HTTPStatus? = nil) throws {
        listener = try StreamListener(at: .tcp(host: "127.0.0.1", port: 0), queue: queue)
        guard case .tcp(_, let port) = listener.address else { throw CancellationError() }
        self.port = port
        let device = Machine(key)
        self.device = device
        var limits = HTTPLimits()
        (limits.body, limits.keepsConnections) = (16_384, false)
        server = HTTPServer(limits: limits, scheduler: QueueScheduler(queue)) { request, exchange in
            if let status { return exchange.answer(HTTPResponse(status: status)) }
            switch device.posted.receive(request.body, from: "", at: .zero) {
            case .malformed: exchange.answer(HTTPResponse(status: .badRequest))
            case .refused: exchange.answer(HTTPResponse(status: .forbidden))
            case .greeted(let body): exchange.answer(HTTPResponse(status: .ok, body: Data(body)))
            case .received(let envelopes, let client, _):
                for envelope in envelopes { device.device.receive(envelope, from: client, at: .zero) }
                device.work()
                exchange.answer(HTTPResponse(status: .ok, body: Data(device.posted.takeMail(for: client))))
            }
        }
        listener.onAccept = { [weak self] stream in
            self?.connections += 1
            self?.server.accept(stream, from: "")
        }
        listener.start()
    }

    func send(event op: String) {
        try? device.device.send(event: op, .null)
        device.work()
    }

    func stop() {
        listener.close()
        server.stop()
    }
}
