import BLEHost
import BLEWire

/// The actions of the devices in the periods of a run.
extension FaultRun {
    // MARK: Many faults

    mutating func liveWithFaults() {
        let actions = plan.actions / 3 + below(plan.actions * 2 / 3)
        for _ in 0..<actions {
            let number = below(bench.hosts.count)
            act(on: number)
            if below(12) == 0 { bench.hosts[below(bench.hosts.count)].toHost.makeNoise(at: now) }
            if below(12) == 0 { bench.hosts[below(bench.hosts.count)].toController.makeNoise(at: now) }
            bench.run(.milliseconds(10 + below(below(8) == 0 ? 8_000 : 600)))
            guard bench.problems.isEmpty else { return }
        }
    }

    private mutating func act(on number: Int) {
        let host = bench.hosts[number]
        let links = host.host.links
        // Each host has partners in its pairs.
        let partners = bench.pairs.compactMap { pair in
            pair.central == number ? pair.peripheral : pair.peripheral == number ? pair.central : nil
        }
        let other = bench.hosts[partners[below(partners.count)]]
        let isPeripheral = bench.pairs.contains { $0.peripheral == number }
        // A host with a link occasionally creates another one.
        guard !links.isEmpty, below(5) > 0 else { return seek(host, other, isPeripheral: isPeripheral) }
        let link = links[below(links.count)].identifier
        let handle = other.valueHandle
        switch below(14) {
        case 0: _ = host.submit(.discoverServices(nil), on: link, at: now)
        case 1, 2: _ = host.submit(.read(handle: handle), on: link, at: now)
        case 3: _ = host.submit(.write(handle: handle, value: octets(below(300))), on: link, at: now)
        case 4: _ = host.submit(.readRSSI, on: link, at: now)
        case 5:
            _ = host.submit(
                .setNotify(valueHandle: handle, end: 0xFFFF, mode: below(2) == 0 ? .notification : .indication),
                on: link, at: now)
        case 6: _ = try? host.host.writeCommand(octets(20).span, handle: handle, on: link, at: now)
        case 7, 8:
            for _ in 0..<below(12) { host.host.notify(octets(18).span, handle: host.valueHandle, on: link, at: now) }
        case 9: host.host.indicate(octets(18).span, handle: host.valueHandle, on: link, at: now)
        case 10: requestParameters(of: link, at: host, interval: UInt16(6 + below(100)), timeout: 200)
        case 11: _ = host.host.connectChannel(spsm: FaultyHost.spsm, on: link, at: now)
        case 12:
            let keys = host.channels.keys.sorted { ($0.link.rawValue, $0.number) < ($1.link.rawValue, $1.number) }
            guard let key = keys.isEmpty ? nil : keys[below(keys.count)] else { return }
            if below(4) == 0 { return host.host.closeChannel(key.number, of: key.link, at: now) }
            for _ in 0..<below(20) {
                _ = host.host.send(octets(1 + below(300)).span, onChannel: key.number, of: key.link, at: now)
            }
        default: if below(4) == 0 { host.host.disconnect(link, at: now) }
        }
    }

    private mutating func seek(_ host: FaultyHost, _ other: FaultyHost, isPeripheral: Bool) {
        switch below(6) {
        case 0: host.host.setScanning(below(2) == 0 ? ScanParameters() : nil, at: now)
        case 1 where isPeripheral, 2 where isPeripheral, 3 where isPeripheral:
            host.host.setAdvertising(AdvertisingParameters(data: [2, 1, 6]), at: now)
        case 1, 2, 3: if let address = other.host.ownAddress { host.host.connect(to: address, at: now) }
        case 4: if let address = other.host.ownAddress { host.host.cancelConnect(to: address, at: now) }
        default:
            if below(10) == 0 {
                host.host.powerOff(at: now)
            } else {
                host.host.start(at: now)
            }
        }
    }

    mutating func octets(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    private func requestParameters(of link: LinkIdentifier, at host: FaultyHost, interval: UInt16, timeout: UInt16) {
        host.host.requestConnectionParameters(
            link,
            RequestedConnectionParameters(
                intervalMinimum: interval, intervalMaximum: interval, latency: 0, timeout: timeout),
            at: now)
    }

    // MARK: Rare faults

    /// Hours with rare faults and little traffic: the owner sometimes creates the missing links and uses them, and then
    /// leaves them idle at a long interval, or ends them.
    mutating func liveNoisyHours() {
        let end = now + plan.noisy
        while now < end {
            for host in bench.hosts where host.host.state == .off { host.host.start(at: now) }
            bench.run(.seconds(5)) { bench.hosts.allSatisfy { $0.host.state == .ready } }
            if below(3) > 0 { _ = bench.makeLinks(within: .seconds(5)) }
            for _ in 0..<10 + below(20) {
                act(on: below(bench.hosts.count))
                bench.run(.milliseconds(20 + below(300)))
                guard bench.problems.isEmpty else { return }
            }
            leaveAlone(endsLinks: below(3) == 0)
            bench.run(.seconds(60 * (2 + below(25))))
            guard bench.problems.isEmpty else { return }
        }
    }

    /// Ends scans, advertising and attempts, so that hours pass quickly. Sets links to an interval of 4 s or ends them.
    private func leaveAlone(endsLinks: Bool) {
        for (number, host) in bench.hosts.enumerated() {
            host.host.setScanning(nil, at: now)
            host.host.setAdvertising(nil, at: now)
            for pair in bench.pairs where pair.central == number {
                if let address = bench.hosts[pair.peripheral].host.ownAddress {
                    host.host.cancelConnect(to: address, at: now)
                }
            }
            for link in host.host.links where link.role == .central {
                if endsLinks {
                    host.host.disconnect(link.identifier, at: now)
                } else {
                    requestParameters(of: link.identifier, at: host, interval: 3_200, timeout: 3_200)
                }
            }
        }
    }

    // MARK: No faults

    /// Hours almost without traffic, with occasional noise on the line, with or without links.
    mutating func liveQuietHours() {
        let keepsLinks = below(2) == 0
        if keepsLinks, !bench.freshLink(attempts: 1) { return bench.problem("for quiet hours: \(bench.complaint)") }
        leaveAlone(endsLinks: !keepsLinks)
        let end = now + plan.quiet
        while now < end {
            bench.run(.seconds(60 * (5 + below(50))))
            let host = bench.hosts[below(bench.hosts.count)]
            if below(2) == 0 {
                host.toHost.makeNoise(at: now)
            } else {
                host.toController.makeNoise(at: now)
            }
            for pair in bench.pairs {
                let central = bench.hosts[pair.central]
                let peripheral = bench.hosts[pair.peripheral]
                if let link = bench.link(central, to: peripheral) {
                    _ = central.submit(.read(handle: peripheral.valueHandle), on: link, at: now)
                }
            }
            guard bench.problems.isEmpty else { return }
        }
        bench.rest()
        for host in bench.hosts { host.forget() }
    }
}
