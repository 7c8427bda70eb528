import CCallgrind
import Figures
import Foundation

/// What a client does against `hcistub`, which plays a controller with a scripted peer: the same as
/// `Drivers/client_bumble.py`. Each step is measured in processor time of the client's process, kernel included.
struct Script {
    var advertisements = 20_000
    var writes = 20_000
    var reads = 5_000
    var notifications = 20_000

    static let long = Script()
    static let short = Script(advertisements: 4_000, writes: 4_000, reads: 1_000, notifications: 4_000)

    init(advertisements: Int, writes: Int, reads: Int, notifications: Int) {
        self.advertisements = advertisements
        self.writes = writes
        self.reads = reads
        self.notifications = notifications
    }

    private init() {}

    /// As arguments of the process that carries it out.
    var arguments: [String] { [advertisements, writes, reads, notifications].map(String.init) }

    init?(_ arguments: ArraySlice<String>) {
        let numbers = arguments.compactMap { Int($0) }
        guard numbers.count == 4 else { return nil }
        self.init(advertisements: numbers[0], writes: numbers[1], reads: numbers[2], notifications: numbers[3])
    }

    static let services = 20
    static let characteristics = 100
    static let valueLength = 244
    /// How often everything is discovered; the median counts.
    static let discoveries = 11
    /// How often our clients connect again at the end.
    static let reconnections = 11
}

/// The steps, by their names in `client_bumble.py`.
enum Step: String, CaseIterable {
    case advertisement = "ads"
    case connection = "connect"
    case reconnection = "connect again"
    case discovery = "discover"
    case writeCommand = "wwr244"
    case read = "read20"
    case notification = "notif244"

    var title: String {
        switch self {
        case .advertisement: "advertising report"
        case .connection: "connect, the first of the process"
        case .reconnection: "connect, once more"
        case .discovery: "discovery of 20 services, 100 characteristics"
        case .writeCommand: "write command of 244 octets"
        case .read: "read of 20 octets"
        case .notification: "notification of 244 octets"
        }
    }

    var name: String {
        switch self {
        case .advertisement: "advertisement"
        case .connection: "connect"
        case .reconnection: "reconnect"
        case .discovery: "discovery"
        case .writeCommand: "write-command"
        case .read: "read"
        case .notification: "notification"
        }
    }
}

/// Takes the processor time of step after step and prints each as a line of JSON, in `client_bumble.py`'s form.
final class StepClock: @unchecked Sendable {
    private var started = 0.0

    func start() {
        callgrind_mark("between")
        started = processorSeconds()
    }

    func end(_ step: Step, _ count: Int) {
        callgrind_mark(step.rawValue)
        let each = (processorSeconds() - started) * 1e6 / Double(max(1, count))
        print("{\"what\":\"\(step.rawValue)\",\"n\":\(count),\"cpu_us_each\":\(each)}")
        fflush(nil)
    }
}

func fail(_ sentence: String) -> Never {
    print("host-client: \(sentence)")
    fflush(nil)
    exit(1)
}
