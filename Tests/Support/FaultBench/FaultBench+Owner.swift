import BLEHost
import BLEWire

/// The actions of the devices' owner that lead to working links, whatever the state of the hosts.
extension FaultBench {
    /// Ends all links, creates new ones and exchanges values on them. Repeats a failed attempt, for up to a minute
    /// each.
    package func freshLink(attempts: Int) -> Bool {
        for _ in 0..<attempts {
            complaint = "there are no links"
            for host in hosts where host.host.state == .off { host.host.start(at: now) }
            run(.seconds(20)) { hosts.allSatisfy { $0.host.state == .ready } }
            endEverything()
            run(.seconds(10)) { hosts.allSatisfy { $0.host.links.isEmpty } }
            if makeLinks(within: .seconds(10)), pairs.allSatisfy({ exchange(hosts[$0.central], hosts[$0.peripheral]) })
            {
                return true
            }
            guard problems.isEmpty else { return false }
        }
        return false
    }

    /// Powers every host off and on.
    package func powerCycle() {
        for host in hosts { host.host.powerOff(at: now) }
        run(.seconds(10)) { hosts.allSatisfy { $0.host.state == .off } }
        for host in hosts { host.host.start(at: now) }
    }

    /// Ends links, scans and attempts.
    package func endEverything() {
        for host in hosts {
            for link in host.host.links { host.host.disconnect(link.identifier, at: now) }
            host.host.setScanning(nil, at: now)
        }
        for pair in pairs {
            if let address = hosts[pair.peripheral].host.ownAddress {
                hosts[pair.central].host.cancelConnect(to: address, at: now)
            }
        }
    }

    /// Ends all activities and waits for the longest pending operation, an ATT transaction. Reports the state that
    /// remains.
    package func rest() {
        endEverything()
        for host in hosts { host.host.setAdvertising(nil, at: now) }
        run(.seconds(40))
        for host in hosts {
            host.checkQuiet()
            if !host.host.links.isEmpty { problem("a link remains") }
            if !host.host.output.packets.isEmpty { problem("octets remain in the host") }
            if host.openChannels > 0 { problem("\(host.openChannels) channels are left without a link") }
        }
    }

    /// Creates the link of the first pair.
    package func link(within span: TimeSpan) -> LinkIdentifier? {
        makeLinks(within: span) ? link(central, to: peripheral) : nil
    }

    /// Makes the links that are missing. Repeats a failed attempt after 100 ms, and each attempt after 2 s. Centrals whose attempts
    /// fail together repeat them at the same instant, so only their controllers can prevent that they collide each time.
    func makeLinks(within span: TimeSpan) -> Bool {
        let end = now + span
        while now < end {
            for pair in pairs {
                let (central, peripheral) = (hosts[pair.central], hosts[pair.peripheral])
                guard let address = peripheral.host.ownAddress, link(central, to: peripheral) == nil else { continue }
                peripheral.host.setAdvertising(
                    AdvertisingParameters(
                        data: [2, 1, 6], intervalMinimum: advertisingInterval, intervalMaximum: advertisingInterval),
                    at: now)
                central.host.connect(to: address, at: now)
            }
            let failures = failedAttempts
            run(min(.seconds(2), end - now)) { hasLinks || failedAttempts != failures }
            if run(min(.milliseconds(100), end - now), until: { hasLinks }) { return true }
        }
        return false
    }

    private var failedAttempts: Int { hosts.reduce(0) { $0 + $1.ledger.attemptsFailed } }

    /// Whether both ends of each pair have their link.
    package var hasLinks: Bool {
        pairs.allSatisfy {
            link(hosts[$0.central], to: hosts[$0.peripheral]) != nil
                && link(hosts[$0.peripheral], to: hosts[$0.central]) != nil
        }
    }

    /// The link of a host to another one.
    package func link(_ host: FaultyHost, to other: FaultyHost) -> LinkIdentifier? {
        other.host.ownAddress.flatMap { host.host.link(to: $0) }
    }

    /// The same for the first pair.
    package func exchange() -> Bool { exchange(central, peripheral) }

    /// Writes a value, reads it back and reads the RSSI. Returns false if that does not work within 20 s.
    package func exchange(_ central: FaultyHost, _ peripheral: FaultyHost) -> Bool {
        guard let link = link(central, to: peripheral) else { return false }
        exchanges &+= 1
        let value = octets(60)
        let write = central.submit(.write(handle: peripheral.valueHandle, value: value), on: link, at: now)
        let read = central.submit(.read(handle: peripheral.valueHandle), on: link, at: now)
        let signal = central.submit(.readRSSI, on: link, at: now)
        run(.seconds(20)) {
            [write, read, signal].allSatisfy { central.results[$0] != nil }
                || central.host.information(of: link) == nil
        }
        if central.results[signal] != nil, central.results[write] == .success(.done),
            central.results[read] == .success(.value(value))
        {
            return true
        }
        complaint = "a write of 60 octets, a read of them and of the signal did not all succeed within 20 s"
        return false
    }

    /// Octets that are different in each exchange.
    func octets(_ count: Int, _ salt: Int = 0) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ exchanges &* 31 &+ salt &* 13 &+ ($0 >> 5)) }
    }
}
