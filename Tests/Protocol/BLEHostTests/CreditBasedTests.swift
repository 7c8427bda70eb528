import BLEController
import BLELink
import BLEWire
import Testing

@testable import BLEHost

extension RadioHost {
    /// The channel events of a link, received octets left out.
    func channelEvents(on link: LinkIdentifier) -> [CreditBasedEvent] {
        events.compactMap {
            guard case .channel(link, let event) = $0.event else { return nil }
            if case .received = event { return nil }
            return event
        }
    }

    func received(on link: LinkIdentifier, _ number: UInt32) -> [UInt8] {
        events.flatMap { entry -> [UInt8] in
            guard case .channel(link, .received(number, let range)) = entry.event else { return [] }
            return Array(entry.bytes[range])
        }
    }

    func connectChannel(_ spsm: UInt16, on link: LinkIdentifier, at now: Instant) -> UInt32? {
        host.connectChannel(spsm: spsm, on: link, at: now)
    }

    func send(
        _ sdu: [UInt8], _ number: UInt32, on link: LinkIdentifier, at now: Instant
    ) -> CreditBasedChannels.SendResult { host.send(sdu.span, onChannel: number, of: link, at: now) }

    func opened(on link: LinkIdentifier) -> UInt32? {
        for case .opened(let number, _) in channelEvents(on: link).reversed() { return number }
        return nil
    }
}

/// Credit-based channels of two hosts on the virtual radio.
struct CreditBasedTests {
    private struct Pair {
        let bench = RadioBench()
        let central: RadioHost
        let peripheral: RadioHost
        let link: LinkIdentifier
        let other: LinkIdentifier

        init() throws {
            var configuration = HostConfiguration()
            configuration.creditBased.receiveWindow = 32_768
            central = bench.ready()
            peripheral = bench.ready(at: RadioPosition(x: 1), configuration)
            (link, other) = try #require(bench.link(central, peripheral))
            peripheral.host.channelListeners = [CreditBasedListener(spsm: 0x80, requiresEncryption: false)]
        }

        func open() throws -> (UInt32, UInt32) {
            let number = try #require(central.connectChannel(0x80, on: link, at: bench.now))
            let (central, peripheral, link, other) = (self.central, self.peripheral, self.link, self.other)
            bench.run(.seconds(5)) { central.opened(on: link) == number && peripheral.opened(on: other) != nil }
            return (number, try #require(peripheral.opened(on: other)))
        }

        /// Sends as much of `octets` as there is room for.
        func send(_ octets: inout ArraySlice<UInt8>, _ number: UInt32) {
            while !octets.isEmpty {
                let sdu = Array(octets.prefix(2_002))
                guard central.send(sdu, number, on: link, at: bench.now) == .queued else { return }
                octets = octets.dropFirst(sdu.count)
            }
        }
    }

    @Test func theReaderControlsTheFlowOfAChannel() throws {
        let pair = try Pair()
        let (number, far) = try pair.open()
        let data = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var rest = data[...]
        for _ in 0..<20 {
            pair.send(&rest, number)
            pair.bench.run(.milliseconds(500))
        }
        // The window of 32,768 octets, and not one K-frame more.
        let first = pair.peripheral.received(on: pair.other, far).count
        #expect((30_000...32_768).contains(first))
        var consumed = 0
        let end = pair.bench.now + .seconds(30)
        while pair.peripheral.received(on: pair.other, far).count < data.count, pair.bench.now < end {
            let received = pair.peripheral.received(on: pair.other, far).count
            pair.peripheral.host.consumed(received - consumed, onChannel: far, of: pair.other, at: pair.bench.now)
            consumed = received
            pair.send(&rest, number)
            pair.bench.run(.milliseconds(50))
        }
        #expect(pair.peripheral.received(on: pair.other, far) == data)
        #expect(pair.central.violations.isEmpty && pair.peripheral.violations.isEmpty)
    }

    @Test func attributesAndChannelsShareTheLink() throws {
        let pair = try Pair()
        let added = try #require(pair.peripheral.addService())
        let handle = try #require(added.characteristics.first?.valueHandle)
        let (_, far) = try pair.open()
        let subscribe = GATTOperation.setNotify(valueHandle: handle, end: added.range.end, mode: .notification)
        pair.central.host.submit(subscribe, id: 1, on: pair.link, at: pair.bench.now)
        pair.bench.run(.seconds(5)) { pair.central.result(1) != nil }
        // Both as fast as they can, from the same side.
        pair.peripheral.floods = (handle, pair.other, 10_000)
        let number = try #require(pair.central.opened(on: pair.link))
        let sdu = [UInt8](repeating: 7, count: 2_002)
        for _ in 0..<200 {
            while pair.peripheral.send(sdu, far, on: pair.other, at: pair.bench.now) == .queued {}
            pair.bench.run(.milliseconds(20))
            let received = pair.central.received(on: pair.link, number).count
            pair.central.host.consumed(received, onChannel: number, of: pair.link, at: pair.bench.now)
        }
        let bulk = pair.central.received(on: pair.link, number).count
        let values = pair.central.values(on: pair.link).map(\.count).reduce(0, +)
        #expect(bulk > 50_000 && values > 50_000, "\(bulk) \(values)")
        // A notification has two PDUs' worth of octets, a K-frame eight; octets count.
        #expect(Double(bulk) / Double(values) > 0.35 && Double(bulk) / Double(values) < 1.5, "\(bulk) \(values)")
    }

    @Test func everyChannelRefusalAndEndIsReported() throws {
        let pair = try Pair()
        pair.peripheral.host.channelListeners.append(CreditBasedListener(spsm: 0x81, requiresEncryption: true))
        let secure = try #require(pair.central.connectChannel(0x81, on: pair.link, at: pair.bench.now))
        let unknown = try #require(pair.central.connectChannel(0x99, on: pair.link, at: pair.bench.now))
        pair.bench.run(.seconds(2))
        #expect(
            pair.central.channelEvents(on: pair.link) == [
                .refused(secure, .result(.insufficientAuthentication)), .refused(unknown, .result(.spsmNotSupported)),
            ])
        pair.peripheral.host.setSecurity(.encrypted, of: pair.other)
        let allowed = try #require(pair.central.connectChannel(0x81, on: pair.link, at: pair.bench.now))
        pair.bench.run(.seconds(2))
        #expect(pair.central.opened(on: pair.link) == allowed, "the link's security counts")
        let (number, far) = try pair.open()
        pair.peripheral.host.closeChannel(far, of: pair.other, at: pair.bench.now)
        pair.bench.run(.seconds(2))
        #expect(pair.central.channelEvents(on: pair.link).last == .closed(number, .peer))
        #expect(pair.peripheral.channelEvents(on: pair.other).last == .closed(far, .local))
        let (second, _) = try pair.open()
        pair.bench.radio.removeController(pair.peripheral.controller)
        pair.bench.run(.seconds(10))
        #expect(pair.central.channelEvents(on: pair.link).last == .closed(second, .linkLost))
        #expect(pair.central.connectChannel(0x80, on: pair.link, at: pair.bench.now) == nil)
        #expect(pair.central.send([1], second, on: pair.link, at: pair.bench.now) == .notOpen)
    }

    @Test func theCentralMayServeAChannelOfThePeripheral() throws {
        let pair = try Pair()
        pair.central.host.channelListeners = [CreditBasedListener(spsm: 0x85, requiresEncryption: false)]
        let number = try #require(pair.peripheral.connectChannel(0x85, on: pair.other, at: pair.bench.now))
        pair.bench.run(.seconds(5)) { pair.peripheral.opened(on: pair.other) == number }
        #expect(pair.peripheral.send([1, 2, 3], number, on: pair.other, at: pair.bench.now) == .queued)
        pair.bench.run(.seconds(1))
        let far = try #require(pair.central.opened(on: pair.link))
        #expect(pair.central.received(on: pair.link, far) == [1, 2, 3])
    }
}

/// Channel data on a controller without radio.
struct ChannelDataTests {
    /// What the controller has room for leaves at once, however much that is.
    @Test(arguments: [(1_000, 251, 60), (2_048, 251, 60), (6_000, 251, 60), (3_000, 27, 255), (6_000, 100, 16)])
    func aChannelFillsTheController(count: Int, length: UInt16, buffers: UInt8) throws {
        var configuration = HostConfiguration()
        configuration.creditBased.receiveWindow = 65_000
        let bench = Bench()
        let central = bench.ready(configuration) {
            $0.bufferLength = length
            $0.bufferCount = buffers
        }
        let peripheral = bench.ready(configuration)
        let (link, other) = try #require(bench.link(central, peripheral))
        peripheral.host.channelListeners = [CreditBasedListener(spsm: 0x80, requiresEncryption: false)]
        let opened = central.host.connectChannel(spsm: 0x80, on: link, at: bench.now)
        let number = try #require(opened)
        bench.settle()
        let octets = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        for _ in 0..<3 {
            peripheral.clearEvents()
            var rest = octets[...]
            while !rest.isEmpty {
                let sdu = Array(rest.prefix(500))
                let result = central.host.send(sdu.span, onChannel: number, of: link, at: bench.now)
                try #require(result == .queued)
                rest = rest.dropFirst(500)
            }
            let packets = BenchHost.split(central.host.output.packets)
            if Int(buffers) * Int(length) > 2 * count {
                // The packets have the octets and the headers of their frames.
                #expect(packets.reduce(0) { $0 + $1.count - 5 } > count)
            } else {
                #expect(packets.count == Int(buffers))
            }
            bench.settle()
            let received = peripheral.events.flatMap { entry -> [UInt8] in
                guard case .channel(other, .received(_, let range)) = entry.event else { return [] }
                return Array(entry.bytes[range])
            }
            #expect(received == octets)
        }
        #expect(central.violations.isEmpty && peripheral.violations.isEmpty)
    }

    /// A controller that completes many packets at once gets as many at once.
    @Test(arguments: [1, 4, 12, 24]) func aFreedControllerIsFilledAgain(buffers: UInt8) throws {
        var configuration = HostConfiguration()
        configuration.creditBased.receiveWindow = 65_000
        let bench = Bench()
        let central = bench.ready(configuration) {
            $0.bufferLength = 251
            $0.bufferCount = buffers
        }
        let peripheral = bench.ready(configuration)
        let (link, _) = try #require(bench.link(central, peripheral))
        peripheral.host.channelListeners = [CreditBasedListener(spsm: 0x80, requiresEncryption: false)]
        let opened = central.host.connectChannel(spsm: 0x80, on: link, at: bench.now)
        let number = try #require(opened)
        bench.settle()
        let handle = try #require(central.controller.links.first?.handle)
        let sdu = [UInt8](repeating: 7, count: 500)
        central.controller.isStalled = true
        var count = 0
        while count < 60_000, central.host.send(sdu.span, onChannel: number, of: link, at: bench.now) == .queued {
            count += sdu.count
        }
        bench.settle()
        #expect(central.controller.stalledCount == Int(buffers))
        let rounds = buffers <= 12 ? 3 : 2
        try #require(count > rounds * Int(buffers) * 251)
        for round in 2...rounds {
            // Number Of Completed Packets.
            central.controller.emit([0x04, 0x13, 5, 1, UInt8(handle & 0xFF), UInt8(handle >> 8), buffers, 0])
            bench.settle()
            #expect(central.controller.stalledCount == round * Int(buffers), "round \(round)")
        }
        #expect(central.violations.isEmpty)
    }

    /// All buffers that the controller frees at once are used at once.
    @Test func aChannelFillsTheBuffersOfTheController() throws {
        let bench = Bench()
        var configuration = HostConfiguration()
        configuration.creditBased.sendQueueOctets = 65_536
        let central = bench.ready(configuration) {
            $0.bufferLength = 251
            $0.bufferCount = 40
        }
        let peripheral = bench.ready()
        let (link, _) = try #require(bench.link(central, peripheral))
        peripheral.host.channelListeners = [CreditBasedListener(spsm: 0x80, requiresEncryption: false)]
        let requested = central.host.connectChannel(spsm: 0x80, on: link, at: bench.now)
        let number = try #require(requested)
        bench.settle()
        let handle = try #require(central.controller.links.first?.handle)
        central.controller.isStalled = true
        let sdu = [UInt8](repeating: 7, count: 2_002)
        // 8 packets each.
        for _ in 0..<20 {
            let result = central.host.send(sdu.span, onChannel: number, of: link, at: bench.now)
            #expect(result == .queued)
        }
        bench.settle()
        for round in 1...3 {
            #expect(central.controller.stalledCount == 40 * round)
            var event: [UInt8] = []
            try event.append(completedPackets: HCI.CompletedPackets(connectionHandle: handle, count: 40))
            central.controller.emit(event)
            bench.settle()
        }
    }
}
