import BLEController
import BLEWire
import Testing

@testable import BLEHost

/// Two or more hosts on one virtual radio: every layer below the façade at once.
struct RadioScenarioTests {
    @Test(arguments: 1...6) func twoHostsThatConnectToEachOtherGetOneLink(seed: UInt64) throws {
        let bench = RadioBench(seed: seed)
        let hosts = [bench.ready(), bench.ready(at: RadioPosition(x: 1))]
        for host in hosts { host.host.setAdvertising(AdvertisingParameters(data: [2, 1, 6]), at: bench.now) }
        for (host, peer) in zip(hosts, hosts.reversed()) {
            let address = try #require(peer.address)
            host.host.connect(to: address, at: bench.now)
        }
        bench.run(.seconds(20))
        for host in hosts {
            #expect(host.connected.count == 1 && host.host.links.count == 1)
            #expect(host.disconnected.isEmpty && host.violations.isEmpty)
        }
        // Who was called first no longer calls.
        let failures = hosts.flatMap(\.events).compactMap {
            if case .connectionFailed(_, let error) = $0.event { error } else { nil }
        }
        #expect(failures == [.connectionAlreadyExists])
    }

    @Test func scanConnectDiscoverReadWriteNotifyDisconnect() throws {
        let bench = RadioBench()
        let central = bench.ready()
        let peripheral = bench.ready(at: RadioPosition(x: 1))
        let added = try #require(peripheral.addService())
        let handle = try #require(added.characteristics.first?.valueHandle)
        peripheral.value = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
        peripheral.host.setAdvertising(
            AdvertisingParameters(data: [2, 1, 6, 3, 3, 0xE7, 0xFE], scanResponse: [5, 9, 66, 97, 110, 100]),
            at: bench.now)
        central.host.setScanning(ScanParameters(), at: bench.now)
        bench.run(.seconds(2))
        let reports = central.reports(from: peripheral.address)
        #expect(Set(reports.map(\.kind)) == [.connectable, .scanResponse])
        #expect(reports.allSatisfy { (-60 ... -30).contains($0.rssi) })
        central.host.setScanning(nil, at: bench.now)
        bench.settle()
        let heard = central.reports(from: peripheral.address).count
        bench.run(.seconds(1))
        #expect(central.reports(from: peripheral.address).count == heard)

        let (link, other) = try #require(bench.link(central, peripheral))
        func perform(_ operation: GATTOperation, _ id: UInt32) -> Result<GATTResult, GATTError>? {
            central.host.submit(operation, id: id, on: link, at: bench.now)
            bench.run(.seconds(20)) { central.result(id) != nil }
            return central.result(id)
        }
        guard case .success(.services(let services))? = perform(.discoverServices(nil), 1) else {
            Issue.record("no services")
            return
        }
        #expect(services.map(\.uuid) == [TestService.service])
        #expect(services.first?.range == added.range)
        #expect(perform(.read(handle: handle), 2) == .success(.value(peripheral.value)))
        let value = (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        #expect(perform(.write(handle: handle, value: value), 3) == .success(.done))
        #expect(peripheral.written == value)
        let subscribe = GATTOperation.setNotify(valueHandle: handle, end: added.range.end, mode: .notification)
        #expect(perform(subscribe, 4) == .success(.done))
        peripheral.host.notify([7, 8, 9].span, handle: handle, on: other, at: bench.now)
        bench.run(.seconds(1))
        #expect(central.values(on: link) == [[7, 8, 9]])
        guard case .success(.rssi(let rssi))? = perform(.readRSSI, 5) else {
            Issue.record("no RSSI")
            return
        }
        #expect((-60 ... -30).contains(rssi))
        #expect(central.host.information(of: link)?.dataLength == 251)
        #expect(central.host.information(of: link)?.transmitPHY == 2)

        central.host.disconnect(link, at: bench.now)
        bench.run(.seconds(2))
        #expect(central.disconnected == [.requested])
        #expect(peripheral.disconnected == [.controller(.remoteUserTerminatedConnection)])
        #expect(central.violations.isEmpty)
        #expect(peripheral.violations.isEmpty)
    }

    @Test func leavingTheRangeCausesASupervisionTimeout() throws {
        let bench = RadioBench()
        let central = bench.ready()
        let peripheral = bench.ready(at: RadioPosition(x: 1))
        _ = try #require(bench.link(central, peripheral))
        bench.run(.seconds(1))
        let left = bench.now
        bench.radio.move(peripheral.controller, to: RadioPosition(x: 1_000_000))
        bench.run(.seconds(5))
        #expect(central.disconnected == [.controller(.connectionTimeout)])
        #expect(peripheral.disconnected == [.controller(.connectionTimeout)])
        let end = central.events.last { if case .disconnected = $0.event { true } else { false } }
        let silence = try #require(end).at - left
        #expect((TimeSpan.milliseconds(1_900)...TimeSpan.milliseconds(2_100)).contains(silence))
    }

    @Test func oneCentralServesEightPeripheralsWithoutLoss() throws {
        let bench = RadioBench()
        let central = bench.ready()
        var links: [(RadioHost, LinkIdentifier)] = []
        for number in 0..<8 {
            let peripheral = bench.ready(at: RadioPosition(x: 1, y: Double(number)))
            let added = try #require(peripheral.addService())
            let handle = try #require(added.characteristics.first?.valueHandle)
            let (link, other) = try #require(bench.link(central, peripheral))
            let id = UInt32(number)
            central.host.submit(
                .setNotify(valueHandle: handle, end: added.range.end, mode: .notification), id: id, on: link,
                at: bench.now)
            bench.run(.seconds(10)) { central.result(id) != nil }
            #expect(central.result(id) == .success(.done))
            peripheral.floods = (handle, other, 100)
            links.append((peripheral, link))
        }
        // To count the values costs more than a step does.
        for _ in 0..<200 where !links.allSatisfy({ central.values(on: $0.1).count == 100 }) {
            bench.run(.milliseconds(100))
        }
        for (_, link) in links {
            let numbers = central.values(on: link).map { Int($0[0]) | Int($0[1]) << 8 }
            #expect(numbers == (1...100).reversed())
        }
        #expect(central.disconnected.isEmpty)
    }

    @Test func thirtyPercentPacketLossLosesAndRepeatsNoValue() throws {
        var configuration = RadioConfiguration()
        configuration.loss = 0.3
        let bench = RadioBench(seed: 5, configuration: configuration)
        let central = bench.ready()
        let peripheral = bench.ready(at: RadioPosition(x: 1))
        let added = try #require(peripheral.addService())
        let handle = try #require(added.characteristics.first?.valueHandle)
        // The host makes one attempt, and CONNECT_IND may be lost.
        var links: (LinkIdentifier, LinkIdentifier)?
        for _ in 0..<5 where links == nil { links = bench.link(central, peripheral) }
        let (link, other) = try #require(links)
        central.host.submit(
            .setNotify(valueHandle: handle, end: added.range.end, mode: .notification), id: 1, on: link, at: bench.now)
        bench.run(.seconds(10)) { central.result(1) != nil }
        peripheral.floods = (handle, other, 300)
        bench.run(.seconds(60)) { central.values(on: link).count >= 300 }
        let numbers = central.values(on: link).map { Int($0[0]) | Int($0[1]) << 8 }
        #expect(numbers == (1...300).reversed())
    }

    @Test func equalSeedsGiveEqualRuns() throws {
        func run(seed: UInt64) throws -> [String] {
            let bench = RadioBench(seed: seed)
            let central = bench.ready()
            let peripheral = bench.ready(at: RadioPosition(x: 1))
            central.host.setScanning(ScanParameters(), at: bench.now)
            _ = try #require(bench.link(central, peripheral))
            bench.run(.seconds(2))
            return bench.hosts.flatMap(\.events).map { "\($0.at.nanoseconds) \($0.event) \($0.bytes)" }
        }
        let first = try run(seed: 1)
        #expect(try run(seed: 1) == first)
        #expect(try run(seed: 2) != first)
    }

    @Test func transfersUseMostOfTheAirTime() throws {
        let bench = RadioBench()
        var configuration = HostConfiguration()
        configuration.connectionParameters = RequestedConnectionParameters(
            intervalMinimum: 24, intervalMaximum: 24, latency: 0, timeout: 200)
        let central = bench.ready(at: .origin, configuration)
        let peripheral = bench.ready(at: RadioPosition(x: 1))
        let added = try #require(peripheral.addService())
        let handle = try #require(added.characteristics.first?.valueHandle)
        let (link, other) = try #require(bench.link(central, peripheral))
        central.host.submit(
            .setNotify(valueHandle: handle, end: added.range.end, mode: .notification), id: 1, on: link, at: bench.now)
        bench.run(.seconds(2)) { central.result(1) != nil }
        bench.run(.seconds(1))
        peripheral.floods = (handle, other, Int.max)
        bench.run(.seconds(1))
        let before = central.values(on: link).count
        bench.run(.seconds(2))
        let octets = (central.values(on: link).count - before) * 495
        // 1,422 kbit/s is what 2M can carry at most.
        #expect(octets * 8 / 2 > 1_200_000)
    }
}
