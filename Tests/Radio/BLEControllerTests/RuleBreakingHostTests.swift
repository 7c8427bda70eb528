import BLEController
import BLEWire
import Testing

/// Event masks, flow control and advertising sets, under hosts that keep to no rule.
struct RuleBreakingHostTests {
    /// Events of a life that brings all that can be masked: the code, and for LE events the subevent.
    private func eventsOfALife(page: UInt64, le: UInt64) -> Set<[UInt8]> {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost { $0.aclBufferCount = 2 }, bench.addHost())
        central.send(HCI.SetEventMask(mask: HCI.EventMask(rawValue: page)))
        central.send(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: le)))
        bench.deliver()
        central.events.removeAll()
        peripheral.advertise(interval: 0x20)
        central.scan()
        bench.run(for: .milliseconds(200))
        central.connect(to: peripheral.address)
        bench.run(for: .milliseconds(400))
        // The first link of a controller; its event may be masked.
        let handle = UInt16(0x40)
        central.send(HCI.ReadRemoteVersionInformation(connectionHandle: handle))
        central.send(HCI.LEReadRemoteFeatures(connectionHandle: handle))
        central.send(HCI.LESetDataLength(connectionHandle: handle, txOctets: 251, txTime: 2120))
        bench.run(for: .milliseconds(300))
        central.send(HCI.LESetPHY(connectionHandle: handle, txPHYs: .le2M, rxPHYs: .le2M))
        bench.run(for: .seconds(1))
        peripheral.send(
            HCI.LEConnectionUpdate(
                connectionHandle: peripheral.connections.last?.connectionHandle ?? 0, intervalMinimum: 30,
                intervalMaximum: 30, maximumLatency: 0, supervisionTimeout: 100))
        bench.run(for: .milliseconds(300))
        central.send(
            HCI.LERemoteConnectionParameterRequestReply(
                connectionHandle: handle, intervalMinimum: 30, intervalMaximum: 30, maximumLatency: 0,
                supervisionTimeout: 100))
        bench.run(for: .seconds(2))
        for number in 0..<4 { central.send(raw: RawHost.packet([UInt8(number)], handle: handle)) }
        bench.run(for: .milliseconds(300))
        central.send(HCI.Disconnect(connectionHandle: handle))
        bench.run(for: .milliseconds(300))
        var kinds: Set<[UInt8]> = []
        for event in central.events where event[0] != 0x0E && event[0] != 0x0F {
            kinds.insert(event[0] == 0x3E ? [0x3E, event[2]] : [event[0]])
        }
        return kinds
    }

    private static let allOfPage = UInt64.max
    /// Without the enhanced form of the connection complete event, which would take the place of the plain one.
    private static let allOfLE = UInt64(0xFFFFF) & ~(1 << 9)
    private static let maskable: [(page: Int?, le: Int?, kind: [UInt8])] = [
        (4, nil, [0x05]), (11, nil, [0x0C]), (25, nil, [0x1A]),
        (nil, 0, [0x3E, 1]), (nil, 1, [0x3E, 2]), (nil, 2, [0x3E, 3]), (nil, 3, [0x3E, 4]), (nil, 5, [0x3E, 6]),
        (nil, 6, [0x3E, 7]), (nil, 11, [0x3E, 12]), (nil, 19, [0x3E, 20]),
    ]

    @Test func onlyTheMaskedEventIsSuppressed() {
        let all = eventsOfALife(page: Self.allOfPage, le: Self.allOfLE)
        for (_, _, kind) in Self.maskable { #expect(all.contains(kind), "\(kind)") }
        for (page, le, kind) in Self.maskable {
            let kinds = eventsOfALife(
                page: Self.allOfPage & ~(page.map { 1 << UInt64($0) } ?? 0),
                le: Self.allOfLE & ~(le.map { 1 << UInt64($0) } ?? 0))
            #expect(!kinds.contains(kind), "\(kind)")
            // A central whose host masks the event rejects requests for parameters (Vol 6, Part B, 5.1.7.1).
            let others: Set<[UInt8]> = le == 5 ? [kind, [0x3E, 3]] : [kind]
            #expect(kinds.union(others) == all, "\(kind)")
        }
    }

    @Test func withoutLEMetaNoLEEventIsSent() {
        let kinds = eventsOfALife(page: Self.allOfPage & ~(1 << 61), le: Self.allOfLE)
        #expect(kinds == [[0x05], [0x0C], [0x1A]])
    }

    @Test func afterAResetTheMasksAreTheDefaults() throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        central.send(HCI.Reset())
        central.send(HCI.LESetRandomAddress(address: central.address))
        bench.deliver()
        central.events.removeAll()
        peripheral.advertise(interval: 0x20)
        central.connect(to: peripheral.address)
        bench.run(for: .seconds(1))
        // LE Meta is not among the defaults of the first page (Vol 4, Part E, 7.3.1).
        #expect(!central.events.contains { $0[0] == 0x3E })
        #expect(!peripheral.connections.isEmpty)
    }

    @Test func commandsWithoutFlowControlAreAllAnswered() {
        let bench = Bench()
        let host = bench.addHost()
        host.events.removeAll()
        for _ in 0..<50 {
            host.send(raw: [1, 0x18, 0x20, 0])
            host.send(raw: [1, 0x09, 0x10, 0])
        }
        bench.deliver()
        #expect(host.events.count == 100)
        #expect(host.events.allSatisfy { $0[0] == 0x0E && $0[2] == 1 })
    }

    @Test func invalidDataTakesNoBuffer() throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost { $0.aclBufferCount = 4 }, bench.addHost())
        let link = try #require(bench.connect(central, peripheral))
        bench.run(for: .milliseconds(300))
        central.events.removeAll()
        // To links that are not there, in silence; longer than a buffer; with a header that lies; packets that no host sends.
        for handle in [UInt16(0x41), 0x0EFF, 0x0000] { central.send(raw: RawHost.packet([1, 2, 3], handle: handle)) }
        bench.deliver()
        #expect(central.events.isEmpty)
        central.send(raw: RawHost.packet([UInt8](repeating: 1, count: 252), handle: link.central))
        bench.deliver()
        #expect(central.events == [[0x1A, 1, 1]])
        central.send(raw: [2, UInt8(link.central), 0, 9, 0, 1, 2, 3])
        central.send(raw: [2, UInt8(link.central), 0, 1, 0, 1, 2, 3])
        central.send(raw: [2, UInt8(link.central)])
        central.send(raw: [4, 0x0E, 1, 1])
        central.send(raw: [3, 0x40, 0, 1, 1])
        central.send(raw: [9])
        central.send(raw: [])
        bench.run(for: .milliseconds(300))
        #expect(central.events == [[0x1A, 1, 1]])
        // All four buffers are still there.
        for number in 0..<5 { central.send(raw: RawHost.packet([UInt8(number)], handle: link.central)) }
        bench.run(for: .milliseconds(300))
        #expect(central.events.filter { $0[0] == 0x1A }.count == 2)
        #expect(peripheral.received[link.peripheral] == [0, 1, 2, 3])
    }

    @Test func aQueuedProcedureDisallowsAnotherOfItsKind() throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        peripheral.acceptsParameters = true
        let link = try #require(bench.connect(central, peripheral, interval: 3200, timeout: 3200))
        central.events = []
        for _ in 0..<1000 {
            central.send(
                HCI.LEConnectionUpdate(
                    connectionHandle: link.central, intervalMinimum: 3200, intervalMaximum: 3200, maximumLatency: 0,
                    supervisionTimeout: 3200))
            central.send(HCI.LESetPHY(connectionHandle: link.central, txPHYs: .le2M, rxPHYs: .le2M))
        }
        bench.deliver()
        let taken = central.events.filter { $0[0] == 0x0F && $0[2] == 0 }
        let refused = central.events.filter { $0[0] == 0x0F && $0[2] == 0x0C }
        #expect(taken.count <= 4 && taken.count + refused.count == 2000)
        // What was taken is carried out.
        bench.run(for: .seconds(200))
        #expect(
            central.all(HCI.LEConnectionUpdateComplete.self).count + central.all(HCI.LEPHYUpdateComplete.self).count
                == taken.count)
        #expect(central.disconnections.isEmpty)
        central.send(HCI.LESetPHY(connectionHandle: link.central, txPHYs: .le1M, rxPHYs: .le1M))
        #expect(central.status(of: .leSetPHY) != nil)
    }

    @Test(arguments: 1...8) func completedPacketsNeverExceedAcceptedOnes(seed: Int) throws {
        let bench = Bench(seed: UInt64(seed))
        let (central, peripheral) = (bench.addHost { $0.aclBufferCount = 6 }, bench.addHost())
        let other = bench.addHost()
        var random = SeededRandom(seed: UInt64(seed))
        let first = try #require(bench.connect(central, peripheral, interval: 12))
        let second = try #require(bench.connect(central, other, interval: 24))
        bench.run(for: .milliseconds(300))
        central.keepsEvents = true
        var (sent, refused) = (0, 0)
        /// Counts the events since the last time.
        func countRefused() {
            refused += central.events.count { $0[0] == 0x1A }
            central.events.removeAll()
        }
        central.events.removeAll()
        central.credits = 0
        for _ in 0..<200 {
            for _ in 0..<(random.next() % 8) {
                let handle = random.next() & 1 == 0 ? first.central : second.central
                let count = Int(random.next() % 300)
                central.send(raw: RawHost.packet([UInt8](repeating: 7, count: count), handle: handle))
                sent += 1
            }
            bench.run(for: .milliseconds(Int(random.next() % 40)))
            countRefused()
            // `credits` counts what was completed.
            #expect(central.credits <= sent - refused)
            #expect(sent - refused - central.credits <= 6)
        }
        bench.run(for: .seconds(2))
        countRefused()
        #expect(refused > 50 && central.credits > 50)
        #expect(central.credits == sent - refused)
    }

    @Test func theEndOfALinkFreesItsBuffersWithoutCompletions() throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost { $0.aclBufferCount = 4 }, bench.addHost())
        let link = try #require(bench.connect(central, peripheral, timeout: 50))
        bench.run(for: .milliseconds(300))
        peripheral.send(HCI.Reset())
        bench.run(for: .milliseconds(50))
        central.credits = 0
        for _ in 0..<4 { central.send(raw: RawHost.packet([1], handle: link.central)) }
        bench.run(for: .seconds(2))
        #expect(central.disconnections.count == 1)
        #expect(central.credits == 0)
        peripheral.send(HCI.LESetRandomAddress(address: peripheral.address))
        peripheral.send(HCI.SetEventMask(mask: HCI.EventMask(rawValue: .max)))
        let again = try #require(bench.connect(central, peripheral))
        bench.run(for: .milliseconds(300))
        central.events.removeAll()
        for _ in 0..<4 { central.send(raw: RawHost.packet([1], handle: again.central)) }
        bench.run(for: .milliseconds(300))
        #expect(central.credits == 4)
        #expect(!central.events.contains { $0[0] == 0x1A })
    }

    // MARK: Advertising sets

    /// All 256 handles: the first sets until the memory is full (Vol 4, Part E, 7.8.53), and those beyond 0xEF never.
    @Test func setsOfEachHandleAreRefusedBeyondTheLimits() {
        let bench = Bench()
        let host = bench.addHost()
        for handle in UInt8.min...UInt8.max {
            let expected: HCI.ErrorCode =
                handle > 0xEF
                ? .invalidHCICommandParameters : handle < 16 ? .success : .memoryCapacityExceeded
            let command = HCI.LESetExtendedAdvertisingParameters(
                advertisingHandle: handle, properties: [], intervalMinimum: 0xA0, intervalMaximum: 0xA0,
                ownAddressType: .random)
            #expect(host.status(bench, of: command) == expected, "\(handle)")
            let address = HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: handle, address: host.address)
            let known: HCI.ErrorCode =
                handle > 0xEF ? .invalidHCICommandParameters : handle < 16 ? .success : .unknownAdvertisingIdentifier
            #expect(host.status(bench, of: address) == known, "\(handle)")
        }
        #expect(host.enable(bench, Array(0..<16)) == .success)
        bench.run(for: .seconds(1))
        #expect(bench.radio.status(of: host.identifier)?.isAdvertising == true)
    }

    /// Num_Sets is at most 63 (Vol 4, Part E, 7.8.56): a command has no room for more, whatever it says. No set begins or ends.
    @Test(arguments: [false, true]) func anEnableCommandWithTooManySetsIsRefused(enable: Bool) {
        let bench = Bench()
        let host = bench.addHost()
        for handle: UInt8 in 0..<16 { host.advertiseExtended(bench, [], handle: handle, enables: !enable) }
        func status(count: Int, entries: Int) -> HCI.ErrorCode? {
            let sets = (0..<entries).flatMap { [UInt8($0), 0, 0, 0] as [UInt8] }
            host.send(raw: [1, 0x39, 0x20, UInt8(2 + sets.count), enable ? 1 : 0, UInt8(count)] + sets)
            bench.deliver()
            return host.status(of: .leSetExtendedAdvertisingEnable)
        }
        for count in 17...63 {
            // The sets of the other handles do not exist.
            #expect(status(count: count, entries: count) == .unknownAdvertisingIdentifier, "\(count)")
        }
        for count in 0...255 {
            for entries in [0, 1, 16, 63] where entries != count {
                #expect(status(count: count, entries: entries) == .invalidHCICommandParameters, "\(count) \(entries)")
            }
        }
        #expect(bench.radio.status(of: host.identifier)?.isAdvertising == !enable)
        #expect(status(count: 16, entries: 16) == .success)
        #expect(bench.radio.status(of: host.identifier)?.isAdvertising == enable)
    }
}
