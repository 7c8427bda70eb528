// The time from a notification's octets at the transport to the delegate, under load: percentiles.
// usage: latency [--short]
import BLEAdapter
import BLEHost
import BLEHostAdapter
import BLERuntime
import BLEStore
import BLETransport
import BLEWire
import CoreBluetooth
import Figures
import Histogram
import Logging

/// A load: so many notifications of 244 octets a second, and so many advertising reports between them.
struct Load {
    let name: String
    let notifications: Int
    let reports: Int
    let title: String
}

let loads = [
    Load(name: "quiet", notifications: 100, reports: 0, title: "100 notifications/s"),
    Load(name: "busy", notifications: 5_000, reports: 0, title: "5,000 notifications/s"),
    Load(name: "crowded", notifications: 5_000, reports: 5_000, title: "5,000 notifications/s among 5,000 reports/s"),
    Load(name: "heavy", notifications: 50_000, reports: 0, title: "50,000 notifications/s"),
]

// Each feeder ends before its adapter, which would be logged.
LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }

for load in loads {
    let path = "/tmp/opencorebluetooth-latency-\(getpid())"
    let feeder = Feeder(path: path)
    let store = DeviceStore(key: StoreKey(high: 1, low: 2))
    let listener = Listener(peer: store.identifier(for: DeviceAddress(kind: .random, value: 0xC000_0000_0001)))
    guard let address = try? TransportAddress(parsing: "unix:\(path).host") else { exit(2) }
    let adapter = try ControllerSupervisor.adapter(
        for: SocketControllerSource(address), seed: 1, configuration: HostConfiguration(), store: store)
    listener.start(adapter)
    listener.waitUntilSubscribed()
    let count = load.notifications * (isShort ? 1 : 10)
    listener.expect(count)
    feeder.feed(load, count: count)
    listener.waitUntilComplete()
    feeder.stop()
    for (name, percentile) in [("p50", 50.0), ("p99", 99.0), ("p99.9", 99.9)] {
        Figure(
            "latency.\(load.name).\(name)", Double(listener.histogram.valueAtPercentile(percentile)) / 1_000, "us",
            title: load.title, stack: name
        ).report()
    }
}
