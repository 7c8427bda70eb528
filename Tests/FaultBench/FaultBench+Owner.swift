import BLEHost
import BLEWire

/// What the owner of two devices does who wants a link that works, whatever there is now.
extension FaultBench {
    /// Ends all links, makes a new one and exchanges values on it; tries again if it does not come about, up to a minute for
    /// each attempt.
    package func freshLink(attempts: Int) -> Bool {
        for _ in 0..<attempts {
            for host in hosts where host.host.state == .off { host.host.start(at: now) }
            run(.seconds(20)) { hosts.allSatisfy { $0.host.state == .ready } }
            for host in hosts {
                for link in host.host.links { host.host.disconnect(link.identifier, at: now) }
                host.host.setScanning(nil, at: now)
            }
            if let address = peripheral.host.ownAddress { central.host.cancelConnect(to: address, at: now) }
            run(.seconds(10)) { hosts.allSatisfy { $0.host.links.isEmpty } }
            if link(within: .seconds(10)) != nil, exchange() { return true }
            guard problems.isEmpty else { return false }
        }
        return false
    }

    /// Ends everything and waits for the longest that can be under way, an ATT transaction; then nothing may be left over.
    package func rest() {
        for host in hosts {
            for link in host.host.links { host.host.disconnect(link.identifier, at: now) }
            host.host.setAdvertising(nil, at: now)
        }
        run(.seconds(40))
        for host in hosts {
            host.checkQuiet()
            if !host.host.links.isEmpty { problem("a link is left") }
        }
    }

    /// The central's link to the peripheral, made now.
    package func link(within span: TimeSpan) -> LinkIdentifier? {
        guard let address = peripheral.host.ownAddress else { return nil }
        peripheral.host.setAdvertising(
            AdvertisingParameters(data: [2, 1, 6], intervalMinimum: 160, intervalMaximum: 160), at: now)
        central.host.connect(to: address, at: now)
        run(span) { central.host.link(to: address) != nil && !peripheral.host.links.isEmpty }
        return peripheral.host.links.isEmpty ? nil : central.host.link(to: address)
    }

    /// A write, a read of what was written, and the signal. False if that does not work within 20 s.
    package func exchange() -> Bool {
        guard let link = peripheral.host.ownAddress.flatMap({ central.host.link(to: $0) }) else { return false }
        exchanges &+= 1
        let value = (0..<60).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ exchanges) }
        let write = central.submit(.write(handle: peripheral.valueHandle, value: value), on: link, at: now)
        let read = central.submit(.read(handle: peripheral.valueHandle), on: link, at: now)
        let signal = central.submit(.readRSSI, on: link, at: now)
        run(.seconds(20)) {
            [write, read, signal].allSatisfy { central.results[$0] != nil }
                || central.host.information(of: link) == nil
        }
        return central.results[write] == .success(.done) && central.results[read] == .success(.value(value))
    }
}
