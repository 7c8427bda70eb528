import BLEWire
import Testing

@testable import BLEController

/// Periodic advertising with hostile hosts and hostile devices: nothing traps, and memory is bounded.
struct HostilePeriodicTests {
    /// Any commands about sets, trains and syncs, in any order.
    @Test(arguments: [1, 2] as [UInt64]) func hostileHostsDoNotTrap(seed: UInt64) throws {
        let bench = Bench(seed: seed)
        let hosts = [bench.addHost(), bench.addHost(), bench.addHost()]
        for host in hosts { host.unmaskPeriodic() }
        hosts[1].advertisePeriodically(bench, interval: 40)
        hosts[2].advertiseExtended(bench, .connectable, handle: 0)
        hosts[0].connectExtended(to: hosts[2].address)
        bench.run(for: .seconds(1))
        var random = SeededRandom(seed: seed)
        let lengths: [(UInt16, Int)] = [
            (0x203E, 7), (0x203F, 8), (0x2040, 2), (0x2044, 14), (0x2045, 0), (0x2046, 2), (0x2047, 8), (0x2048, 8),
            (0x2049, 0), (0x204A, 0), (0x2059, 3), (0x205A, 6), (0x205B, 5), (0x205C, 8), (0x205D, 6), (0x2014, 5),
            (0x2039, 6), (0x2042, 6), (0x2036, 25), (0x203C, 1),
        ]
        for round in 0..<6_000 {
            let host = hosts[Int(random.next() % 3)]
            let (opcode, length) = lengths[Int(random.next() % UInt64(lengths.count))]
            var parameters = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next() >> 61) }
            // Now and then what another host's train has.
            if opcode == 0x2044 { parameters = [0, 1, 1, 1, 0, 0, 0, 0, 0xC0, 0, 0, 10, 0, 0] }
            if opcode == 0x203F { parameters[2] = UInt8(length - 3) }
            if [0x205A, 0x205B, 0x205C].contains(opcode) { (parameters[0], parameters[1]) = (0x40, 0) }
            if opcode == 0x2039 { parameters = [1, 1, parameters[0], 0, 0, 0] }
            if round % 11 == 0 { parameters.append(0) }
            host.send(raw: [1, UInt8(opcode & 0xFF), 0x20, UInt8(parameters.count)] + parameters)
            if round % 8 == 0 { bench.run(for: .milliseconds(7)) }
        }
        #expect(bench.radio.medium.subscribers.values.allSatisfy { $0.count <= 3 })
        for host in hosts { host.send(HCI.Reset()) }
        bench.run(for: .seconds(1))
        #expect(bench.radio.medium.subscribers.isEmpty && bench.radio.nextDeadline == nil)
    }

    /// PDUs with changed octets: SyncInfo, AUX_SYNC_IND, its chain, and LL_PERIODIC_SYNC_IND.
    @Test(arguments: 1...4 as ClosedRange<UInt64>) func changedPDUsDoNotTrap(seed: UInt64) {
        let bench = Bench(seed: seed)
        let (advertiser, receiver) = (bench.addHost(), bench.addHost())
        for host in [advertiser, receiver] { host.unmaskPeriodic() }
        receiver.status(
            bench,
            of: HCI.LESetDefaultPeriodicAdvertisingSyncTransferParameters(mode: .report, skip: 3, syncTimeout: 20))
        receiver.advertiseExtended(bench, .connectable, handle: 0)
        advertiser.connectExtended(to: receiver.address)
        bench.run(for: .seconds(1))
        for handle in 1...4 as ClosedRange<UInt8> {
            advertiser.advertisePeriodically(
                bench, handle: handle, interval: 24, data: [UInt8](repeating: 7, count: 600))
        }
        receiver.scanExtended()
        var random = SeededRandom(seed: seed)
        bench.radio.tamper = { pdu in
            guard random.next() % 3 == 0, pdu.count > 2 else { return }
            for _ in 0...Int(random.next() % 3) {
                let index = 2 + Int(random.next() % UInt64(min(40, pdu.count - 2)))
                pdu[index] = UInt8(truncatingIfNeeded: random.next())
            }
        }
        for round in 0..<400 {
            let handle = UInt8(1 + round % 4)
            receiver.createSync(bench, with: advertiser, setID: handle, timeout: 20)
            if let link = advertiser.connections.first {
                advertiser.status(
                    bench,
                    of: HCI.LEPeriodicAdvertisingSetInfoTransfer(
                        connectionHandle: link.connectionHandle, serviceData: 1, advertisingHandle: handle))
            }
            bench.run(for: .milliseconds(50))
            receiver.status(bench, of: HCI.LEPeriodicAdvertisingCreateSyncCancel())
            receiver.status(bench, of: HCI.LEPeriodicAdvertisingTerminateSync(syncHandle: UInt16(round % 16)))
        }
        #expect(!receiver.established.isEmpty)
        #expect(bench.radio.medium.subscribers.count <= 4 + 1 + 16)
        // Without the hostile device, all of that ends.
        bench.radio.tamper = nil
        advertiser.send(HCI.Reset())
        bench.run(for: .seconds(700))
        receiver.send(HCI.LESetExtendedScanEnable(enable: false))
        bench.run(for: .seconds(1))
        #expect(bench.radio.medium.subscribers.isEmpty)
    }

    /// A controller with a train is no beacon, whatever its enabled sets are.
    @Test func aControllerWithATrainIsNoBeacon() {
        let bench = Bench()
        let host = bench.addHost()
        bench.radio.medium.lane.minimumDevices = 1
        host.advertisePeriodically(bench)
        host.disable(bench)
        host.advertiseExtended(bench, .legacy, handle: 2, data: [1])
        let ear = AirEar(bench, of: host)
        var isInLane: Bool { bench.radio.medium.lane.beacon(of: Int32(host.identifier.rawValue)) != nil }
        for _ in 0..<2 {
            let before = ear.trains.values.map(\.count).reduce(0, +)
            bench.run(for: .seconds(2))
            #expect(!isInLane)
            #expect(ear.trains.values.map(\.count).reduce(0, +) - before >= 18)
            host.enablePeriodic(bench, 1, [])
            bench.run(for: .seconds(2))
            #expect(isInLane)
            host.advertiseExtended(bench, [], handle: 1, enables: false)
            host.enablePeriodic(bench)
            host.enable(bench, [1])
            bench.run(for: .milliseconds(200))
            host.disable(bench, [1])
        }
    }
}
