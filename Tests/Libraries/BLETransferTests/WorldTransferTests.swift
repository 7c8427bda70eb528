import BLESimulator
import BLETransfer
import CoreBluetooth
import TestConditions
import Testing

/// Both ends over the hosts and the link layer, in virtual time.
@Suite(.timeLimit(.minutes(10)))
struct WorldTransferTests {
    @Test(arguments: TransferBench.Direction.allCases, [TransferCarrier.attributes, .channel])
    func aFileArrivesOverEachCarrierInEachDirection(_ direction: TransferBench.Direction, _ carrier: TransferCarrier)
        async throws
    {
        let data = pattern(200 * 1024)
        let bench = try TransferBench(TransferMemory(name: "firmware.bin", data), direction, carrier: carrier)
        await bench.runToTheEnd()
        #expect(bench.centralLog.ends == [nil])
        #expect(bench.peripheralLog.ends == [nil])
        #expect(bench.store.files == ["firmware.bin": data])
        #expect(bench.store.appended == data.count, "no octet was stored twice")
    }

    @Test(arguments: [0, 1, 490, 491, 492])
    func filesOfAnySizeArrive(_ size: Int) async throws {
        let bench = try TransferBench(TransferMemory(name: "small", pattern(size)))
        await bench.runToTheEnd()
        #expect(bench.centralLog.ends == [nil])
        #expect(bench.store.files == ["small": pattern(size)])
    }

    /// The limit of write commands and notifications of 244 octets is 1,385.9 kbit/s, that of a channel 1,421.4 kbit/s
    /// (Documentation/Performance.md).
    @Test(arguments: TransferBench.Direction.allCases, [TransferCarrier.attributes, .channel])
    func theRateIsThatOfTheLink(_ direction: TransferBench.Direction, _ carrier: TransferCarrier) async throws {
        let data = pattern(1 << 20)
        let bench = try TransferBench(TransferMemory(name: "large", data), direction, carrier: carrier)
        let (log, world) = (bench.centralLog, bench.world)
        await bench.run(.seconds(20)) { !log.starts.isEmpty }
        let start = world.now
        await bench.runToTheEnd()
        let rate = Double(data.count * 8) / ((world.now - start) / .milliseconds(1))
        #expect(log.ends == [nil])
        let limit = carrier == .channel ? 1421.4 : 1385.9
        #expect(rate >= 0.95 * limit, "\(rate) kbit/s")
        print("transfer \(carrier) \(direction): \(Int(rate)) kbit/s")
    }

    @Test(arguments: TransferBench.Direction.allCases, [TransferCarrier.attributes, .channel])
    func allOctetsArriveWithTenPercentPacketLoss(_ direction: TransferBench.Direction, _ carrier: TransferCarrier)
        async throws
    {
        let data = pattern(200 * 1024)
        let bench = try TransferBench(
            TransferMemory(name: "f", data), direction, carrier: carrier, seed: 3, loss: 0.1)
        await bench.runToTheEnd()
        #expect(bench.centralLog.ends == [nil])
        #expect(bench.store.files == ["f": data])
    }

    /// The link ends at random moments: a device loses its power, or the air is silent for longer than the supervision timeout.
    @Test(arguments: [
        (TransferBench.Direction.toPeripheral, TransferCarrier.attributes, 100), (.toCentral, .attributes, 25),
        (.toPeripheral, .channel, 25), (.toCentral, .channel, 25),
    ])
    func aLinkThatIsCutManyTimesBringsTheWholeFile(
        _ direction: TransferBench.Direction, _ carrier: TransferCarrier, count: Int
    ) async throws {
        // Long enough for all cuts.
        let data = pattern(count * 10_486)
        let bench = try TransferBench(
            TransferMemory(name: "f", data), direction, carrier: carrier, seed: 5,
            timing: TransferTiming(linkLimit: .seconds(600)))
        var random = Seeded(direction == .toCentral ? 17 : 18)
        let log = bench.centralLog
        var cuts = 0
        while cuts < count, log.ends.isEmpty {
            let links = log.all.count { if case .linked = $0 { true } else { false } }
            if links == 0 { await bench.run(.seconds(30)) { log.isLinked } }
            let lost = log.lostLinks
            // Most cuts fall into the exchange before the octets, others into the octets.
            let moment = Duration.microseconds(Int64.random(in: 0..<120_000, using: &random))
            let end = bench.world.now + moment
            await bench.run(moment) { !log.ends.isEmpty || bench.world.now >= end }
            guard log.ends.isEmpty else { break }
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                bench.world.setEnvironment(RadioEnvironment(packetLoss: 1))
                await bench.run(.seconds(60)) { log.lostLinks > lost }
                bench.world.setEnvironment(RadioEnvironment())
            case 1...4:
                bench.phone.powerOff()
                await bench.run(.seconds(60)) { log.lostLinks > lost }
                bench.phone.powerOn()
            default:
                bench.device.powerOff()
                await bench.run(.seconds(60)) { log.lostLinks > lost }
                bench.device.powerOn()
            }
            cuts += 1
            let linked = links
            await bench.run(.seconds(60)) {
                log.all.count { if case .linked = $0 { true } else { false } } > linked || !log.ends.isEmpty
            }
        }
        await bench.runToTheEnd()
        #expect(cuts == count)
        #expect(log.ends == [nil])
        #expect(bench.store.files == ["f": data])
        #expect(bench.store.appended < data.count + count * 2_622, "the transfer continues instead of beginning again")
    }

    @Test(arguments: TransferBench.Direction.allCases, TransferBench.Direction.allCases)
    func bothEndsCanCancel(_ direction: TransferBench.Direction, _ canceller: TransferBench.Direction) async throws {
        let bench = try TransferBench(TransferMemory(name: "f", pattern(400_000)), direction)
        let log = bench.centralLog
        await bench.run(.seconds(20)) { log.starts == [0] }
        await bench.world.run(for: .milliseconds(300))
        bench.cancel(canceller)
        await bench.runToTheEnd(.seconds(10))
        let (near, far) = canceller == .toPeripheral ? (log, bench.peripheralLog) : (bench.peripheralLog, log)
        #expect(near.ends == [.ended(.cancelled)])
        #expect(far.ends == [.endedByPeer(.cancelled)])
        #expect(bench.store.files.isEmpty)
        #expect(bench.store.partial.count == 1, "another run can continue")
    }

    @Test(
        arguments: [TransferReason.tooLarge, .noSpace, .nameNotAllowed, .fileExists],
        [TransferCarrier.attributes, .channel])
    func aRefusalReachesTheSender(_ reason: TransferReason, _ carrier: TransferCarrier) async throws {
        let bench = try TransferBench(TransferMemory(name: "f", pattern(10)), carrier: carrier)
        bench.store.refusal = reason
        await bench.runToTheEnd()
        #expect(bench.centralLog.ends == [.endedByPeer(reason)])
        #expect(bench.peripheralLog.ends == [.ended(reason)])
    }

    @Test func aFullStoreEndsTheTransferAndKeepsNothingUnderTheName() async throws {
        let bench = try TransferBench(TransferMemory(name: "f", pattern(100_000)))
        bench.store.space = 50_000
        await bench.runToTheEnd()
        #expect(bench.centralLog.ends == [.endedByPeer(.noSpace)])
        #expect(bench.store.files.isEmpty)
    }

    @Test func aDeviceThatDoesNotComeBackEndsTheTransferAtTheLimit() async throws {
        let bench = try TransferBench(
            TransferMemory(name: "f", pattern(400_000)), timing: TransferTiming(linkLimit: .seconds(20)))
        let log = bench.centralLog
        await bench.run(.seconds(20)) { log.starts == [0] }
        bench.device.remove()
        await bench.run(.seconds(60)) { !log.ends.isEmpty }
        #expect(log.ends == [.noLink])
        #expect(log.lostLinks == 1)
    }

    @Test func aReceiverTakesSeveralFiles() async throws {
        let bench = try TransferBench(TransferMemory(name: "first", pattern(1000)))
        await bench.runToTheEnd()
        let log = EventLog()
        let phone = bench.world.addDevice("Other", at: Position(x: 2))
        let second = try phone.run {
            let central = try TransferCentral(
                .send(TransferMemory(name: "second", pattern(2000))), peer: .any, queue: DispatchQueue(label: "second"),
                clock: bench.world.clock, onEvent: log.report)
            central.start()
            return central
        }
        await bench.run(.seconds(30)) { !log.ends.isEmpty }
        #expect(log.ends == [nil])
        #expect(bench.store.files.keys.sorted() == ["first", "second"])
        #expect(await bench.stopPeripheral())
        withExtendedLifetime(second) {}
    }

    /// Starts the central in a task that waits for the end.
    private func runCentral(_ bench: TransferBench) -> Task<Result<TransferOffer, TransferError>, Never> {
        let (phone, central) = (bench.phone, bench.central!)
        return Task {
            await phone.run {
                do throws(TransferError) { return .success(try await central.run()) } catch { return .failure(error) }
            }
        }
    }

    @Test func aTaskWaitsForItsTransfer() async throws {
        let bench = try TransferBench(TransferMemory(name: "f", pattern(5000)), startsCentral: false)
        let (centralEvents, peripheralEvents) = (bench.central.events, bench.peripheral.events)
        let end = runCentral(bench)
        while bench.centralLog.ends.isEmpty { await bench.runToTheEnd(.seconds(1)) }
        #expect(try await end.value.get().size == 5000)
        #expect(await bench.stopPeripheral())
        for events in [centralEvents, peripheralEvents] {
            var ends: [TransferError?] = []
            for await case .ended(_, let error) in events { ends.append(error) }
            #expect(ends == [nil])
        }
        for await _ in bench.central.events { Issue.record("an event after the end") }
    }

    /// The world goes on for as long as the thread of the program is busy with other things.
    @Test(arguments: TransferBench.Direction.allCases)
    func aTransferThatStartsLongAfterItWasPreparedHasItsWholeTime(_ direction: TransferBench.Direction) async throws {
        let bench = try TransferBench(TransferMemory(name: "f", pattern(500)), direction, startsCentral: false)
        await bench.world.run(for: .seconds(600))
        bench.phone.run { bench.central.start() }
        await bench.runToTheEnd()
        #expect(bench.centralLog.ends == [nil])
    }

    @Test func theCancellationOfATaskCancelsItsTransfer() async throws {
        let bench = try TransferBench(TransferMemory(name: "f", pattern(500_000)), startsCentral: false)
        let end = runCentral(bench)
        let log = bench.centralLog
        while log.starts.isEmpty, log.ends.isEmpty { await bench.run(.seconds(1)) { !log.starts.isEmpty } }
        end.cancel()
        while log.ends.isEmpty { await bench.runToTheEnd(.seconds(1)) }
        #expect(await end.value == .failure(.ended(.cancelled)))
        #expect(bench.peripheralLog.ends == [.endedByPeer(.cancelled)])
    }

    @Test func aDeviceWithoutTheServiceIsReported() async throws {
        let world = World(seed: 2)
        let log = EventLog()
        let phone = world.addDevice("Phone")
        let central = try phone.run {
            let central = try TransferCentral(
                .send(TransferMemory(name: "f", pattern(10))), peer: .named("nobody"),
                timing: TransferTiming(linkLimit: .seconds(5)), queue: DispatchQueue(label: "central"),
                clock: world.clock,
                onEvent: log.report)
            central.start()
            return central
        }
        await world.run(timeout: .seconds(30)) { !log.ends.isEmpty }
        #expect(log.ends == [.noLink])
        withExtendedLifetime(central) {}
    }
}
