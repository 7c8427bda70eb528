// The paths of packets through wire, link, attribute and host, without sockets, threads or clocks: their allocations, and,
// under callgrind, their instructions.
// usage: host-paths [--short]
//        host-paths SCENARIO ROUNDS    that one alone
import BLEAdapter
import BLEHostAdapter
import BLEWire
import CAllocationCounter
import Figures
import Glibc

func fail(_ sentence: String) -> Never {
    print("host-paths: \(sentence)")
    exit(1)
}

let value = [UInt8](repeating: 7, count: 244)
let notification = [0x1B, 3, 0] + value
let known = (0..<8).map { Packets.report(from: UInt8($0)) }
let knownExtended = (0..<8).map { Packets.extendedReport(from: UInt8($0)) }
let unmatched = ScanRequest(services: [BluetoothUUID(UInt16(0xFEE7))])

/// The scenarios: name, description of a round, number of counted events in a round, and constructor.
let scenarios: [(name: String, title: String, count: Int, make: () -> any Scenario)] = [
    ("report", "advertising report, wire to host", 8, { Receiving(known) }),
    (
        "report-dropped", "advertising report dropped by a filter", 8,
        { RuntimeScenario(scan: unmatched, known) }
    ),
    (
        "report-delivered", "advertising report to a session", 8,
        { RuntimeScenario(scan: ScanRequest(allowDuplicates: true), known) }
    ),
    ("report-extended", "advertising report in the extended form, wire to host", 8, { Receiving(knownExtended) }),
    (
        "report-extended-delivered", "advertising report in the extended form, to a session", 8,
        { RuntimeScenario(scan: ScanRequest(allowDuplicates: true), knownExtended) }
    ),
    ("notification", "notification of 244 octets", 1, { Receiving(Packets.attribute(notification)) }),
    (
        "indication", "indication of 244 octets, confirmed", 1,
        { Confirming(value) }
    ),
    (
        "fragments-received", "notification of 244 octets in 10 fragments", 1,
        { Receiving(Packets.attribute(notification, fragment: 27), fragment: 27) }
    ),
    ("write-command", "write command of 244 octets", 1, { Sending(isNotification: false) }),
    (
        "fragments-sent", "write command of 244 octets in 10 fragments", 1,
        { Sending(isNotification: false, fragment: 27) }
    ),
    ("notification-sent", "notification of 244 octets, sent", 1, { Sending(isNotification: true) }),
    ("read", "read of 20 octets (its value is one)", 1, { Reading() }),
]

let rounds = 1000

@MainActor func measure() {
    for (name, title, count, make) in scenarios {
        let scenario = make()
        for _ in 0..<rounds { scenario.round() }
        let before = allocation_count()
        for _ in 0..<rounds { scenario.round() }
        let each = Double(allocation_count() - before) / Double(rounds * count)
        Figure("allocations.\(name)", each, "allocations", title: title).report()
        check(scenario, name)
    }
}

/// A path that does nothing would be the fastest.
@MainActor func check(_ scenario: any Scenario, _ name: String) {
    switch scenario {
    case let sending as Sending: if sending.octetsSent < 2 * rounds * 244 { fail("\(name) sends nothing") }
    case let host as HostScenario: if host.eventsSeen < 2 * rounds { fail("\(name) has no events") }
    case let runtime as RuntimeScenario:
        let expected = name.hasSuffix("delivered") ? 16 * rounds : 0
        if runtime.observer.calls != expected { fail("\(name): \(runtime.observer.calls) calls") }
    default: break
    }
}

let arguments = CommandLine.arguments.dropFirst().filter { $0 != "--short" }
if arguments.isEmpty {
    measure()
} else if arguments.count == 2, let rounds = Int(arguments[1]),
    let scenario = scenarios.first(where: { $0.name == arguments[0] })?.make()
{
    for _ in 0..<rounds { scenario.round() }
} else {
    fail("usage: host-paths [--short] | SCENARIO ROUNDS")
}
