import BLEController
import BLEWire

/// Some peripherals that send one central as much as they can.
struct Sharing {
    var phy: LL.PHY
    var interval: UInt16
    var links: Int

    /// Octets that the central received a second, by link. Nil if a link broke.
    func measure(seconds: Int) -> [Double]? {
        let bench = Bench()
        let central = bench.addHost()
        central.keepsEvents = true
        var handles: [UInt16] = []
        for _ in 0..<links {
            let peripheral = bench.addHost()
            guard let link = bench.connect(central, peripheral, interval: interval, timeout: 2000) else { return nil }
            for (host, handle) in [(central, link.central), (peripheral, link.peripheral)] {
                host.send(HCI.LESetDataLength(connectionHandle: handle, txOctets: 251, txTime: 2120))
                guard phy == .twoM else { continue }
                host.send(HCI.LESetPHY(connectionHandle: handle, txPHYs: .le2M, rxPHYs: .le2M, options: 0))
            }
            bench.run(for: LL.slot * Int(interval) * 12)
            peripheral.flood = RawHost.packet([UInt8](repeating: 5, count: 251), handle: link.peripheral)
            handles.append(link.central)
        }
        for host in bench.hosts { host.pump() }
        bench.run(for: LL.slot * Int(interval) * 2)
        var octets: [UInt16: Int] = [:]
        for host in bench.hosts {
            host.keepsEvents = false
            host.received = [:]
        }
        central.onData = { handle, data in octets[handle, default: 0] += data.count }
        bench.run(for: .seconds(seconds))
        guard bench.hosts.allSatisfy(\.disconnections.isEmpty) else { return nil }
        return handles.map { Double(octets[$0] ?? 0) / Double(seconds) }
    }
}
