import BLEAdapter
import BLESimulator
import CoreBluetooth
import Testing

@testable import DeviceLink
@testable import LocalDiscovery

/// A network without multicast: only queries to broadcast addresses have answers.
private final class BroadcastOnly: DeviceBrowsing, @unchecked Sendable {
    private let lock = NSLock()
    private let clock: QueueClock
    private let queue: DispatchQueue
    /// The answers to the queries, one after another.
    private var answers: [[FoundService]]
    private var log: [String] = []

    init(_ clock: VirtualClock, queue: DispatchQueue, answers: [[FoundService]]) {
        (self.clock, self.queue, self.answers) = (QueueClock(clock), queue, answers)
    }

    var events: [String] { lock.withLock { log } }

    private func add(_ event: String) { lock.withLock { log.append("\(clock.now / .seconds(1)) \(event)") } }

    func browse(_ onService: @escaping (FoundService) -> Void) -> () -> Void {
        add("browse")
        return { [weak self] in self?.add("end of browsing") }
    }

    func probe(_ onEnd: @escaping ([FoundService]) -> Void) -> () -> Void {
        add("probe")
        let services = lock.withLock { answers.isEmpty ? [] : answers.removeFirst() }
        nonisolated(unsafe) let report = onEnd
        // As `NetworkProbe`, which collects answers for three seconds.
        clock.schedule(at: clock.now + .seconds(3), on: queue) { report(services) }
        return { [weak self] in self?.add("end of probing") }
    }
}

/// The fallback of the way over the local network, with a device behind it.
@Suite(.timeLimit(.minutes(10)))
struct FinderRealTimeTests {
    private let queue = DispatchQueue(label: "link")

    private func service(_ identifier: String?, _ port: UInt16, _ addresses: [IPAddress]) -> FoundService {
        FoundService(
            name: "x", type: NetworkService.type, host: "x.local", port: port,
            text: identifier.map { [NetworkService.identifier: $0] } ?? [:],
            addresses: addresses.map { FoundService.Address(address: $0, interface: 1) })
    }

    @Test func aDeviceThatMulticastDoesNotFindAnswersABroadcast() async throws {
        let key = LinkKey.random()
        let (places, continuation) = AsyncStream.makeStream(of: String.self)
        let device = try LinkedDevice(
            "lamp",
            listeners: [NetworkListener("lamp", key: key, at: ("127.0.0.1", 0), announcedOn: nil, queue: queue)],
            queue: queue
        ) { event in
            if case .opened(_, let place) = event { continuation.yield(place) }
        } onRequest: { request in
            request.reply(.success([.text(request.operation), request.arguments]))
        }
        device.start()
        var found: UInt16?
        for await place in places {
            found = place.split(separator: ":").last.flatMap { UInt16($0) }
            break
        }
        let port = try #require(found)
        let loopback = IPAddress(127, 0, 0, 1)
        let world = World(seed: 1)
        let clock = world.clock
        // Nothing, then other devices and hostile answers, then the device.
        let search = BroadcastOnly(
            clock, queue: queue,
            answers: [
                [], [service("other", port, [loopback]), service(nil, port, [loopback]), service("lamp", port, [])],
                [service("other", 9, [loopback]), service("lamp", port, [loopback])],
            ])
        let way = NetworkTransport(to: "lamp", key: key, at: nil, search: search, queue: queue, clock: clock)
        // The time of the link stands still, so that the time of the search does not end its opening.
        let link = DeviceConnection(to: "lamp", over: [way], queue: queue, clock: World(seed: 2).clock)
        link.start()
        queue.sync {}
        #expect(search.events == ["0.0 browse"])
        for _ in 0..<110 {
            await world.run(for: .milliseconds(100))
            queue.sync {}
        }
        #expect(
            search.events == ["0.0 browse", "1.0 probe", "5.0 probe", "9.0 probe"], "the third query is under way")
        for _ in 0..<20 {
            await world.run(for: .milliseconds(100))
            queue.sync {}
        }
        #expect(try await link.request("set", 7) == ["set", 7])
        #expect(search.events.suffix(2) == ["12.0 end of browsing", "12.0 end of probing"])
        link.close()
        device.stop()
        queue.sync {}
    }
}
