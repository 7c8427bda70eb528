import BLEController
import BLEWire
import Testing

/// A busy hour of a small office, in short: everything that draws random numbers.
private func run(seed: UInt64) -> [String] {
    var configuration = RadioConfiguration()
    configuration.fading = 4
    configuration.loss = 0.05
    let bench = Bench(seed: seed, configuration: configuration)
    bench.keepLog()
    for number in 0..<6 { bench.addHost(at: RadioPosition(x: Double(number) * 20)).advertise(interval: 0x40) }
    let scanner = bench.addHost(at: RadioPosition(y: 50))
    scanner.scan(.active, interval: 0x20, window: 0x18)
    let central = bench.addHost(at: RadioPosition(x: 30, y: 10))
    for number in 0..<3 {
        central.connect(to: bench.hosts[number].address, interval: 12)
        bench.run(for: .seconds(1))
    }
    for connection in central.connections {
        central.queue([UInt8](repeating: 1, count: 200), handle: connection.connectionHandle)
    }
    bench.radio.move(scanner.identifier, to: RadioPosition(x: 80))
    bench.run(for: .seconds(2))
    return bench.log + bench.hosts.map { "\($0.events)" }
}

@Test func aSeedDeterminesTheRun() {
    let first = run(seed: 42)
    #expect(first.count > 500)
    #expect(first == run(seed: 42))
    #expect(first != run(seed: 43))
}

@Test func randomDrawsOfADeviceDoNotAffectOthers() {
    func log(withStranger: Bool) -> [String] {
        let bench = Bench(seed: 5)
        bench.addHost().advertise()
        bench.addHost().scan()
        if withStranger { bench.addHost(at: RadioPosition(x: 100_000)).advertise(interval: 0x20) }
        bench.keepLog()
        bench.run(for: .seconds(1))
        return bench.log.filter { !$0.contains(" 2 ch") }
    }
    #expect(log(withStranger: true) == log(withStranger: false))
}
