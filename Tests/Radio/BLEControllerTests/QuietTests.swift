import BLEController
import BLEWire
import Testing

/// The promise of `quietUntil`: until that time no host hears anything if nobody calls the radio.
@Suite struct QuietTests {
    /// Runs a radio that says it is quiet, and returns whether it kept its word.
    private func keepsQuiet(_ bench: Bench) throws -> Bool {
        let end = try #require(bench.radio.quietUntil)
        while let next = bench.radio.nextDeadline, next < min(end, bench.radio.now + .seconds(2)) {
            bench.radio.advance(to: next)
            guard bench.radio.controllersWithOutput.isEmpty else { return false }
        }
        return true
    }

    @Test(arguments: [0, 4] as [UInt16])
    func anIdleLinkIsQuietUntilItsSupervisionTimeout(latency: UInt16) throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        _ = try #require(bench.connect(central, peripheral, interval: 24, latency: latency, timeout: 100))
        bench.run(for: .seconds(1))
        let end = try #require(bench.radio.quietUntil)
        // The last packets of both sides are at most one awake event old.
        #expect(end <= bench.radio.now + .seconds(1))
        #expect(end > bench.radio.now + .seconds(1) - .milliseconds(30 * (Int(latency) + 1)))
        #expect(try keepsQuiet(bench))
    }

    @Test func dataOnALinkIsNotQuietUntilItHasArrivedAndIsReported() throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        let link = try #require(bench.connect(central, peripheral, interval: 24))
        bench.run(for: .seconds(1))
        central.queue([1, 2, 3], handle: link.central)
        #expect(bench.radio.quietUntil == nil)
        var packets = 0
        peripheral.onData = { _, _ in packets += 1 }
        #expect(bench.run(atMost: .seconds(1)) { bench.radio.quietUntil != nil })
        #expect(packets == 1)
        #expect(central.credits == 16)
    }

    @Test func aProcedureIsNotQuietUntilItsReport() throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        let link = try #require(bench.connect(central, peripheral, interval: 24))
        peripheral.acceptsParameters = true
        bench.run(for: .seconds(1))
        central.send(
            HCI.LEConnectionUpdate(
                connectionHandle: link.central, intervalMinimum: 40, intervalMaximum: 40, maximumLatency: 0,
                supervisionTimeout: 100))
        bench.deliver()
        let before = central.events.count
        #expect(bench.radio.quietUntil == nil)
        #expect(bench.run(atMost: .seconds(2)) { bench.radio.quietUntil != nil })
        #expect(central.events.count > before)
        #expect(try keepsQuiet(bench))
    }

    @Test func aLinkWithoutItsPeerIsNotQuiet() throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        _ = try #require(bench.connect(central, peripheral, interval: 24))
        bench.run(for: .seconds(1))
        bench.radio.setLoss(1, of: peripheral.identifier)
        // The radio keeps its word although the packets are lost from now on.
        #expect(try keepsQuiet(bench))
        #expect(bench.radio.quietUntil == nil)
        #expect(
            bench.run(atMost: .seconds(3)) { !central.disconnections.isEmpty && !peripheral.disconnections.isEmpty })
        #expect(bench.radio.quietUntil == Instant(nanoseconds: .max))
    }

    @Test func advertisersAreQuietUntilSomebodyListens() throws {
        let bench = Bench()
        let (scanner, advertiser) = (bench.addHost(), bench.addHost())
        advertiser.advertise(interval: 0x20)
        bench.run(for: .seconds(1))
        #expect(bench.radio.quietUntil != nil)
        scanner.scan()
        bench.deliver()
        #expect(bench.radio.quietUntil == nil)
    }

    /// It ends by itself, with an event for the host (Vol 6, Part B, 4.4.2.4.3).
    @Test func advertisingOfTheHighDutyCycleIsNotQuiet() throws {
        let bench = Bench()
        let advertiser = bench.addHost()
        advertiser.advertise(.connectableDirectedHighDutyCycle, peer: DeviceAddress(kind: .public, value: 7))
        bench.deliver()
        #expect(bench.radio.quietUntil == nil)
        bench.run(for: .seconds(2))
        #expect(bench.radio.quietUntil != nil)
    }

    /// The authenticated payload timeout may be shorter than the supervision timeout (Vol 6, Part B, 5.4).
    @Test func anEncryptedLinkIsQuietUntilItsPayloadTimeout() throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        let link = try #require(bench.connect(central, peripheral, interval: 24, timeout: 3000))
        bench.run(for: .seconds(1))
        #expect(bench.encrypt(central, link.central, with: peripheral))
        #expect(bench.run(atMost: .seconds(3)) { bench.radio.quietUntil != nil })
        let end = try #require(bench.radio.quietUntil)
        #expect(end > bench.radio.now)
        #expect(end <= bench.radio.now + .seconds(30))
        #expect(try keepsQuiet(bench))
    }
}
