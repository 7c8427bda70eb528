import TestConditions

@testable import DeviceLink

/// A client and a device with several bad ways between them, by seed, in virtual time.
struct Bench {
    struct Way {
        var isUp = true
        /// Percent of the messages.
        var loss = 0
        var duplicates = 0
        var longestDelay = 20
        /// Whether the client learns that the way is down. Otherwise it is silent.
        var tells = true
        var isOpen = false
    }

    private enum Flight {
        case toDevice([UInt8], way: Int)
        case toClient([UInt8], way: Int)
        case opened(Int)
        case broke(Int)
        case finish(LinkDevice<Int>.Request)
    }

    var random: Seeded
    var client: LinkClient
    var device: LinkDevice<Int>
    var ways: [Way]
    var now = Duration.zero
    var clientClock = Duration.zero
    var deviceClock = Duration.zero
    private var flights: [(time: Duration, number: Int, flight: Flight)] = []
    private var flightCount = 0
    /// The requests in the order in which the device carried them out, over all of its runs.
    var done: [Int] = []
    var events: [LinkClient.Event] = []
    var actions: [LinkClient.Action] = []
    /// All octets that went to the device.
    var recorded: [[UInt8]] = []
    /// The time that a request takes at the device, in milliseconds.
    var longestWork = 5
    var submitted: [Int] = []

    init(ways count: Int = 3, seed: UInt64, timing: LinkTiming = LinkTiming()) {
        random = Seeded(seed)
        client = LinkClient(target: "lamp", ways: count, seed: random.next(), timing: timing)
        device = LinkDevice(identifier: "lamp", run: random.next())!
        ways = Array(repeating: Way(), count: count)
        client.start(at: .zero)
        collect()
    }

    /// The device loses its memory.
    mutating func restart() {
        device = LinkDevice(identifier: "lamp", run: random.next())!
        flights.removeAll { if case .finish = $0.flight { true } else { false } }
    }

    mutating func submit(limit: Duration? = nil) {
        let number = Int64(submitted.count)
        guard let handle = try? client.submit("set", ["number": .integer(number)], at: now + clientClock, limit: limit)
        else { return }
        submitted.append(handle)
        collect()
    }

    mutating func cut(_ way: Int) {
        ways[way].isUp = false
        if ways[way].isOpen, ways[way].tells { fly(.broke(way), after: 10) }
    }

    mutating func mend(_ way: Int) { ways[way].isUp = true }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func fly(_ flight: Flight, after milliseconds: Int) {
        flightCount += 1
        flights.append((now + .milliseconds(milliseconds), flightCount, flight))
    }

    private mutating func fly(_ flight: Flight, over way: Int) {
        guard ways[way].isUp else { return }
        for _ in 0..<(chance(ways[way].duplicates) ? 2 : 1) where !chance(ways[way].loss) {
            let delay = Int.random(in: 1...ways[way].longestDelay, using: &random)
            // One of eight duplicates arrives very late.
            fly(flight, after: ways[way].duplicates > 0 && chance(12) ? delay + 20_000 : delay)
        }
    }

    mutating func collect() {
        while true {
            let actions = client.takeActions()
            let outgoing = device.takeOutgoing()
            let requests = device.takeRequests()
            if actions.isEmpty, outgoing.isEmpty, requests.isEmpty { break }
            self.actions += actions
            for action in actions {
                switch action {
                case .open(let way):
                    if ways[way].isUp {
                        fly(.opened(way), after: 30)
                    } else if ways[way].tells {
                        fly(.broke(way), after: 30)
                    }
                case .close(let way): ways[way].isOpen = false
                case .send(let octets, let way):
                    recorded.append(octets)
                    if ways[way].isOpen { fly(.toDevice(octets, way: way), over: way) }
                }
            }
            for message in outgoing { fly(.toClient(message.octets, way: message.route), over: message.route) }
            for request in requests {
                done.append(Int(request.args["number"]!.integer!))
                fly(.finish(request), after: Int.random(in: 0...longestWork, using: &random))
            }
        }
        events += client.takeEvents()
    }

    mutating func run(_ time: Duration, until condition: (Bench) -> Bool = { _ in false }) {
        let end = now + time
        while now < end, !condition(self) {
            let times = flights.map(\.time) + [client.deadline.map { $0 - clientClock } ?? end, end]
            // Deadlines that a clock has jumped over are due at once.
            now = max(now + .milliseconds(1), times.min()!)
            let due = flights.filter { $0.time <= now }.sorted { ($0.time, $0.number) < ($1.time, $1.number) }
            flights.removeAll { $0.time <= now }
            for entry in due { deliver(entry.flight) }
            if let deadline = client.deadline, deadline <= now + clientClock {
                client.handleTimeout(at: now + clientClock)
            }
            collect()
        }
    }

    private mutating func deliver(_ flight: Flight) {
        switch flight {
        // The device hears a late message also after the client has closed the way.
        case .toDevice(let octets, let way): device.receive(octets, from: way, at: now + deviceClock)
        case .toClient(let octets, let way):
            if ways[way].isOpen { client.receive(octets, from: way, at: now + clientClock) }
        case .opened(let way):
            ways[way].isOpen = ways[way].isUp
            if ways[way].isUp { client.opened(way, at: now + clientClock) }
        case .broke(let way):
            ways[way].isOpen = false
            client.broke(way, at: now + clientClock)
        case .finish(let request): device.finish(request, with: .success(request.args))
        }
        collect()
    }

    /// The number that the program gave each request with a reply, or with a failure.
    var replied: [Int] {
        events.compactMap { if case .replied(let handle, .success) = $0 { handle } else { nil } }
    }
    var failed: [(handle: Int, failure: LinkRequestError)] {
        events.compactMap { if case .failed(let handle, let failure) = $0 { (handle, failure) } else { nil } }
    }
    var wayChanges: [Int?] { events.compactMap { if case .way(let way) = $0 { .some(way) } else { nil } } }

    /// The program's number of the request with this handle.
    func number(of handle: Int) -> Int { submitted.firstIndex(of: handle)! }
    var isOver: Bool { replied.count + failed.count == submitted.count }
}
