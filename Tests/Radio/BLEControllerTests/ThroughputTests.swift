import BLEController
import BLEWire
import Testing

/// Data PDUs of 251 octets that arrive, against what fits an event: cycles of two packets and two inter frame spaces, the
/// last of which also keeps the distance from the next anchor.
private struct Measurement {
    enum Direction { case toPeripheral, toCentral, both }

    var interval: UInt16
    var phy = LL.PHY.oneM
    var direction = Direction.toCentral
    /// Each data PDU with a payload then carries a MIC.
    var isEncrypted = false
    var links = 1
    /// How many intervals to measure over.
    var events = 4

    var dataTime: TimeSpan { phy.airTime(pduLength: 2 + 251 + (isEncrypted ? 4 : 0)) }

    /// Data PDUs in one direction in one event.
    var limit: Int {
        let answer = direction == .both ? dataTime : phy.airTime(pduLength: 2)
        let cycle = dataTime + answer + LL.interFrameSpace * 2
        return Int((LL.slot * Int(interval)).nanoseconds / cycle.nanoseconds)
    }

    /// The shares of `limit` that are demanded.
    var share: Double { interval >= 320 ? 0.995 : interval >= 80 ? 0.99 : 0.975 }

    /// Sets links up, floods them, and returns the data PDUs received in each event, for each link and direction.
    func measure() throws -> [Double] {
        let bench = Bench()
        let central = bench.addHost(configure)
        var ends: [(receiver: RawHost, handle: UInt16)] = []
        var floods: [(RawHost, UInt16)] = []
        for _ in 0..<links {
            let peripheral = bench.addHost(configure)
            let link = try #require(bench.connect(central, peripheral, interval: interval, timeout: 2000))
            for (host, handle) in [(central, link.central), (peripheral, link.peripheral)] {
                host.send(HCI.LESetDataLength(connectionHandle: handle, txOctets: 251, txTime: 17040))
            }
            if phy != .oneM { usePHY(central, peripheral, link) }
            bench.run(for: LL.slot * Int(interval) * 12)
            if isEncrypted { #expect(bench.encrypt(central, link.central, with: peripheral)) }
            if direction != .toCentral {
                floods.append((central, link.central))
                ends.append((peripheral, link.peripheral))
            }
            if direction != .toPeripheral {
                floods.append((peripheral, link.peripheral))
                ends.append((central, link.central))
            }
        }
        for (host, handle) in floods {
            // L2CAP frames of 502 octets, as an ATT_MTU of 498 makes them: two data PDUs each.
            host.flood = RawHost.packet([UInt8](repeating: 5, count: 251), handle: handle)
            host.floodTail = RawHost.packet([UInt8](repeating: 6, count: 251), handle: handle, first: false)
            host.pump()
        }
        bench.run(for: LL.slot * Int(interval) * 2)
        for host in bench.hosts { host.received = [:] }
        bench.run(for: LL.slot * Int(interval) * events)
        for host in bench.hosts { #expect(host.disconnections.isEmpty) }
        return ends.map { Double($0.receiver.received[$0.handle]?.count ?? 0) / 251 / Double(events) }
    }

    private func configure(_ configuration: inout ControllerConfiguration) {
        configuration.aclBufferCount = 16
    }

    private func usePHY(_ central: RawHost, _ peripheral: RawHost, _ link: (central: UInt16, peripheral: UInt16)) {
        let mask: HCI.PHYMask = phy == .twoM ? .le2M : .leCoded
        let options: UInt16 = phy == .codedS2 ? 1 : phy == .codedS8 ? 2 : 0
        for (host, handle) in [(central, link.central), (peripheral, link.peripheral)] {
            host.send(HCI.LESetPHY(connectionHandle: handle, txPHYs: mask, rxPHYs: mask, options: options))
        }
    }
}

@Test func throughputLimitsFollowTheSpecification() {
    // Data PDUs in one event, with and without MIC, counted by hand from Vol 6, Part B, 2.1, 2.2 and 4.1.
    let expected: [(LL.PHY, UInt16, Int, Int)] = [
        (.oneM, 24, 12, 12), (.oneM, 80, 40, 40), (.oneM, 320, 162, 160), (.twoM, 24, 21, 21), (.twoM, 80, 71, 71),
        (.twoM, 320, 287, 284), (.codedS2, 80, 19, 18), (.codedS8, 80, 5, 5), (.codedS8, 320, 22, 22),
    ]
    for (phy, interval, plain, withMIC) in expected {
        #expect(Measurement(interval: interval, phy: phy).limit == plain, "\(phy) \(interval)")
        #expect(Measurement(interval: interval, phy: phy, isEncrypted: true).limit == withMIC, "\(phy) \(interval)")
    }
}

@Test(arguments: [UInt16(24), 80, 320], LL.PHY.allCases)
func eachDirectionReachesTheLimitOfTheEvent(interval: UInt16, phy: LL.PHY) throws {
    for isEncrypted in [false, true] {
        for direction in [Measurement.Direction.toPeripheral, .toCentral] {
            let measurement = Measurement(
                interval: interval, phy: phy, direction: direction, isEncrypted: isEncrypted,
                events: interval == 320 ? 2 : 6)
            let reached = try #require(measurement.measure().first)
            #expect(reached >= Double(measurement.limit) * measurement.share, "\(measurement): \(reached)")
            #expect(reached <= Double(measurement.limit) + 0.5, "\(measurement): \(reached)")
        }
    }
}

@Test(arguments: [UInt16(24), 80, 320], LL.PHY.allCases)
func bothDirectionsAtOnceFillTheEvent(interval: UInt16, phy: LL.PHY) throws {
    for isEncrypted in [false, true] {
        let measurement = Measurement(
            interval: interval, phy: phy, direction: .both, isEncrypted: isEncrypted, events: interval == 320 ? 2 : 6)
        for reached in try measurement.measure() {
            #expect(reached >= Double(measurement.limit) * measurement.share, "\(measurement): \(reached)")
            #expect(reached > 0.3)
        }
    }
}

/// Anchors lie on a grid of halves, and the times between them differ: at no time is a link ahead of another by more than one
/// and a half events carry, so over many events the shares are equal. The edges of the measurement add up to a quarter of an
/// event: it counts whole packets. `Benchmarks` has longer ones.
@Test(
    arguments: [
        (3, LL.PHY.twoM, UInt16(80), 20), (5, .twoM, 80, 80), (6, .twoM, 80, 20), (7, .twoM, 80, 20),
        (3, .twoM, 24, 150), (7, .twoM, 24, 280),
    ])
func linksOfOneCentralShareTheTimeEqually(links: Int, phy: LL.PHY, interval: UInt16, events: Int) throws {
    var measurement = Measurement(interval: interval, phy: phy, events: 2)
    let single = try #require(measurement.measure().first)
    measurement.links = links
    measurement.events = events
    let shares = try measurement.measure()
    let (least, most) = (shares.min() ?? 0, shares.max() ?? 0)
    #expect(least > 0 && most - least <= max(most * 0.03, single * 1.75 / Double(events)), "\(shares)")
    #expect(shares.reduce(0, +) >= single * 0.97, "\(shares) of \(single)")
}
