import BLEAdapter
import BLEHost
import BLEWire
import Testing

@testable import BLESessions

/// Periodic advertising of sessions, and trains that they share.
struct PeriodicSessionTests {
    private func bench(_ adjust: (ScriptedController) -> Void = { $0.isPeriodic = true }) -> SessionBench {
        let bench = SessionBench.ready(adjust)
        for session in 1...2 { bench.call { $0.openPeriodic(session, at: $1) } }
        bench.run(.milliseconds(5))
        return bench
    }

    /// Ready, with the states of the sessions taken.
    private func ready() -> SessionBench {
        let bench = bench()
        _ = bench.takeAll()
        return bench
    }

    /// The events for periodic sessions since the last call, without reports.
    private func notices(_ bench: SessionBench) -> [PeriodicNotice] {
        bench.settle()
        return bench.takeAll().compactMap { event -> PeriodicNotice? in
            guard case .periodic(let notice) = event else { return nil }
            if case .report = notice { return nil }
            return notice
        }
    }

    private func start(
        _ advertisement: PeriodicAdvertisement = PeriodicAdvertisement(data: [2, 1, 6]), _ session: Int = 1,
        on bench: SessionBench
    ) {
        bench.call { $0.startPeriodicAdvertising(advertisement, session: session, at: $1) }
    }

    /// The commands with an opcode since the last call.
    private func commands(_ opcode: UInt16, _ bench: SessionBench, since start: Int = 0) -> [[UInt8]] {
        bench.controller.commands[start...].filter { $0.opcode == opcode }.map(\.parameters)
    }

    private let applied = PeriodicNotice.advertisingChanged(nil, isAdvertising: true, session: 1)

    @Test func theStateIsReported() {
        #expect(
            bench().take() == [.adapterState(.poweredOn, session: 1), .adapterState(.poweredOn, session: 2)])
    }

    /// A set for each session, with announcements that lead to its train.
    @Test func eachSessionHasASet() {
        let bench = ready()
        for round in 1...2 {
            start(
                PeriodicAdvertisement(
                    announcement: [2, 9, 0x41], data: [2, 1, 6], sid: 7, interval: 400, includesTransmitPower: true,
                    phy: .leCoded), on: bench)
            start(PeriodicAdvertisement(data: [1, 0]), 2, on: bench)
            #expect(notices(bench) == [applied, .advertisingChanged(nil, isAdvertising: true, session: 2)])
            let sets = commands(0x2036, bench).suffix(2)
            #expect(sets.map { $0[0] } == [16, 17])
            // Not connectable, 100 ms, on Coded, with the SID.
            #expect(sets.first.map { Array($0[1...4]) } == [0, 0, 160, 0])
            #expect(sets.first.map { Array($0[20...]) } == [3, 0, 3, 7, 0] && sets.last.map { $0[23] } == 14)
            #expect(
                commands(0x203E, bench).suffix(2).map { $0 } == [
                    [16, 0x90, 1, 0x90, 1, 0x40, 0], [17, 80, 0, 80, 0, 0, 0],
                ])
            #expect(commands(0x203F, bench).suffix(2).map { $0 } == [[16, 3, 3, 2, 1, 6], [17, 3, 2, 1, 0]])
            bench.call { $0.stopPeriodicAdvertising(session: 1, at: $1) }
            bench.call { $0.closePeriodic(2, at: $1) }
            bench.call { $0.openPeriodic(2, at: $1) }
            #expect(commands(0x203C, bench).count == 2 * round && notices(bench) == [])
        }
    }

    /// There is nothing to tell, or nobody to tell it.
    @Test func aTransferNeedsATrainAndALink() {
        let bench = ready()
        for round in 0..<2 {
            func tell(_ source: PeriodicTransferSource) {
                bench.call {
                    $0.transferTrain(
                        source, serviceData: 7, to: SessionBench.peer(9), token: round, session: 1, at: $1)
                }
            }
            tell(.advertisement)
            tell(.sync(token: 5))
            #expect(
                notices(bench)
                    == [PeriodicNotice](
                        repeating: .transferEnded(.noTrain, token: round, session: 1), count: 2))
            start(on: bench)
            _ = notices(bench)
            tell(.advertisement)
            #expect(notices(bench) == [.transferEnded(.notConnected, token: round, session: 1)])
            bench.call {
                $0.acceptTrain(from: SessionBench.peer(9), skip: 0, timeout: 100, token: round, session: 2, at: $1)
            }
            #expect(notices(bench) == [.ended(.notConnected, token: round, session: 2)])
            // The train goes on.
            #expect(commands(0x2040, bench).last?.first == 1)
            bench.call { $0.stopPeriodicAdvertising(session: 1, at: $1) }
        }
    }

    /// Ready, with a link to `peer(9)`.
    private func linked() -> SessionBench {
        let bench = bench {
            $0.isPeriodic = true
            $0.transfersTrains = true
        }
        bench.call { $0.openCentral(3, at: $1) }
        bench.connect(9, session: 3)
        bench.run(.seconds(1))
        #expect(bench.sessions.context.links.first?.phase == .ready)
        _ = bench.takeAll()
        return bench
    }

    /// A call that is one too many fails at once, and not in the name of the first one that waits.
    @Test func eachTransferHasItsOwnAnswer() {
        let bench = linked()
        start(on: bench)
        _ = notices(bench)
        for _ in 0..<2 {
            // Before the controller answers, one is on its way, and 16 wait.
            bench.call { sessions, now in
                for token in 1...18 {
                    sessions.transferTrain(
                        .advertisement, serviceData: UInt16(token), to: SessionBench.peer(9), token: token, session: 1,
                        at: now)
                }
            }
            let failed = PeriodicNotice.transferEnded(.limit, token: 18, session: 1)
            #expect(notices(bench) == [failed] + (1...17).map { .transferEnded(nil, token: $0, session: 1) })
            let values = commands(0x205B, bench).suffix(17).map { $0[2] }
            #expect(values == (1...17).map { UInt8($0) })
        }
    }

    /// The error of a command that ends an acceptance, or of an older one, does not end the next one.
    @Test func eachAcceptanceHasItsOwnAnswer() {
        let bench = linked()
        func accept(_ token: Int, _ sessions: inout HostSessions, at now: Instant) {
            sessions.acceptTrain(
                from: SessionBench.peer(9), skip: 0, timeout: 100, token: token, session: 1, at: now)
        }
        for round in 0..<2 {
            // The mode 0 ignores trains.
            bench.controller.refuses = { $0 == 0x205C && $1[2] == 0 ? 0x02 : nil }
            bench.call {
                accept(1, &$0, at: $1)
                $0.endSync(token: 1, session: 1, at: $1)
                accept(2, &$0, at: $1)
            }
            #expect(notices(bench) == [], "round \(round)")
            #expect(commands(0x205C, bench).suffix(3).map { $0[2] != 0 } == [true, false, true])
            bench.controller.refuses = { _, _ in nil }
            bench.controller.refusals[0x205C] = 0x12
            bench.call { accept(3, &$0, at: $1) }
            #expect(notices(bench) == [.ended(PeriodicFailure(.invalidHCICommandParameters), token: 3, session: 1)])
            bench.controller.refusals = [:]
            bench.call { $0.endSync(token: 2, session: 1, at: $1) }
            #expect(notices(bench) == [])
        }
    }

    /// A link in either role is one over which a session tells of a train.
    @Test func aPeripheralTellsItsCentral() {
        let bench = bench {
            $0.isPeriodic = true
            $0.transfersTrains = true
        }
        bench.controller.acceptLink(from: 9)
        bench.run(.seconds(1))
        start(on: bench)
        _ = bench.takeAll()
        bench.call {
            $0.transferTrain(.advertisement, serviceData: 7, to: SessionBench.peer(9), token: 1, session: 1, at: $1)
        }
        #expect(notices(bench) == [.transferEnded(nil, token: 1, session: 1)])
    }

    @Test func acceptancesHaveALimit() {
        let bench = linked()
        func accept(_ token: Int) {
            bench.call {
                $0.acceptTrain(
                    from: SessionBench.peer(9), skip: 0, timeout: 100, token: token, session: 1, at: $1)
            }
        }
        for token in 1...PeriodicTransfers.limit { accept(token) }
        #expect(notices(bench) == [])
        accept(0)
        #expect(notices(bench) == [.ended(.limit, token: 0, session: 1)])
        bench.call { $0.endSync(token: 1, session: 1, at: $1) }
        accept(0)
        #expect(notices(bench) == [])
    }

    /// Sets from 16 to 30 have the SIDs from 15 down. Another session is refused without a command.
    @Test func trainsHaveALimit() {
        let bench = bench {
            $0.isPeriodic = true
            $0.advertisingSets = 20
        }
        _ = bench.takeAll()
        for session in 1...15 {
            start(session, on: bench)
            #expect(notices(bench) == [.advertisingChanged(nil, isAdvertising: true, session: session)])
        }
        #expect(commands(0x2036, bench).map { $0[0] } == Array(16...30))
        #expect(commands(0x2036, bench).map { $0[23] } == (1...15).reversed())
        let before = bench.controller.commands.count
        start(16, on: bench)
        #expect(notices(bench) == [.advertisingChanged(.limit, isAdvertising: false, session: 16)])
        #expect(bench.controller.commands.count == before)
        // The set that a session gives up is free for another one.
        bench.call { $0.stopPeriodicAdvertising(session: 4, at: $1) }
        start(16, on: bench)
        #expect(notices(bench) == [.advertisingChanged(nil, isAdvertising: true, session: 16)])
        #expect(commands(0x2036, bench).last?.first == 19)
    }

    /// New data is one command, and touches the set only if its announcements change.
    @Test func dataIsUpdated() {
        let bench = ready()
        start(on: bench)
        _ = notices(bench)
        for number in 1...3 as ClosedRange<UInt8> {
            let before = bench.controller.commands.count
            start(PeriodicAdvertisement(data: [2, 1, number]), on: bench)
            #expect(bench.controller.commands[before...].map(\.opcode) == [0x203F] && notices(bench) == [applied])
        }
        let before = bench.controller.commands.count
        start(PeriodicAdvertisement(announcement: [2, 9, 0x41], data: [2, 1, 3]), on: bench)
        #expect(bench.controller.commands[before...].contains { $0.opcode == 0x2037 } && notices(bench) == [applied])
    }

    /// A refused update leaves the train, also in later rounds; a refused start leaves nothing.
    @Test func refusalsAreTold() {
        let bench = ready()
        for _ in 0..<2 {
            bench.controller.refusals[0x2040] = 0x07
            start(on: bench)
            #expect(notices(bench) == [.advertisingChanged(.limit, isAdvertising: false, session: 1)])
            #expect(bench.controller.commands.last?.opcode == 0x203C)
            bench.controller.refusals = [:]
            start(on: bench)
            #expect(notices(bench) == [applied])
            // The controller refuses the parameters, but not those of before.
            bench.controller.refuses = { $0 == 0x203E && $1[1] == 6 ? 0x12 : nil }
            start(PeriodicAdvertisement(announcement: [1, 0], data: [2, 1, 6], interval: 6), on: bench)
            #expect(notices(bench) == [.advertisingChanged(.controller(0x12), isAdvertising: true, session: 1)])
            #expect(commands(0x2040, bench).last?.first == 1)
            bench.controller.refuses = { _, _ in nil }
            // It is the earlier train that returns with Bluetooth.
            bench.call { $0.powerOff(at: $1) }
            bench.run(.seconds(3))
            bench.call { $0.powerOn(at: $1) }
            bench.run(.seconds(3))
            #expect(commands(0x203E, bench).last?[1] == 80 && notices(bench) == [])
            bench.call { $0.stopPeriodicAdvertising(session: 1, at: $1) }
            #expect(notices(bench) == [])
        }
    }

    @Test func aControllerWithoutTheFeatureRefuses() {
        for isExtended in [true, false] {
            let bench = bench { $0.isExtended = isExtended }
            _ = bench.takeAll()
            for _ in 0..<2 {
                start(on: bench)
                bench.call { $0.synchronize(.init(address: Self.address, sid: 1), token: 1, session: 1, at: $1) }
                #expect(
                    notices(bench) == [
                        .advertisingChanged(.unsupported, isAdvertising: false, session: 1),
                        .ended(.unsupported, token: 1, session: 1),
                    ])
            }
        }
    }

    // MARK: Reception

    private static let address = DeviceAddress(kind: .random, value: 0xC000_0000_0009)
    private let properties = PeriodicSyncProperties(phy: .le2M, interval: 80)

    private func synchronize(_ token: Int, _ session: Int = 1, sid: UInt8 = 1, on bench: SessionBench) {
        bench.call { $0.synchronize(.init(address: Self.address, sid: sid), token: token, session: session, at: $1) }
    }

    /// Sessions with the same train share it; it ends with the last one.
    @Test func aTrainIsShared() {
        let bench = ready()
        for round in 1...3 as ClosedRange<UInt16> {
            let ends = bench.controller.count(of: 0x2046)
            synchronize(1, on: bench)
            synchronize(2, 2, on: bench)
            #expect(bench.controller.count(of: 0x2044) == Int(round) && notices(bench) == [])
            bench.controller.syncEnds(handle: round, address: Self.address.value, sid: 1)
            #expect(
                notices(bench) == [
                    .established(properties, token: 1, session: 1), .established(properties, token: 2, session: 2),
                ])
            synchronize(3, 2, on: bench)
            #expect(notices(bench) == [.established(properties, token: 3, session: 2)])
            bench.controller.periodicReport(round, [7, 8])
            let reports = bench.takeTrainReports()
            #expect(reports.map(\.session) == [1, 2, 2] && reports.allSatisfy { $0.data == [7, 8] })
            _ = notices(bench)
            bench.call { $0.endSync(token: 1, session: 1, at: $1) }
            bench.call { $0.endSync(token: 2, session: 2, at: $1) }
            #expect(bench.controller.count(of: 0x2046) == ends)
            if round == 2 {
                bench.call { $0.endSync(token: 3, session: 2, at: $1) }
                #expect(bench.controller.count(of: 0x2046) == ends + 1 && notices(bench) == [])
            } else {
                bench.controller.syncIsLost(round)
                #expect(notices(bench) == [.ended(.lost, token: 3, session: 2)])
            }
            bench.controller.periodicReport(round, [9])
            #expect(bench.takeTrainReports().isEmpty)
        }
    }

    /// A search ends with its session.
    @Test func aSearchIsCancelled() {
        let bench = ready()
        for round in 1...2 {
            synchronize(1, on: bench)
            #expect(bench.controller.isSynchronizing)
            if round == 1 {
                bench.call { $0.endSync(token: 1, session: 1, at: $1) }
            } else {
                bench.call { $0.closePeriodic(1, at: $1) }
            }
            #expect(!bench.controller.isSynchronizing && bench.controller.count(of: 0x2045) == round)
            #expect(notices(bench) == [])
        }
    }

    @Test func requestsHaveALimit() {
        let bench = ready()
        for token in 1...PeriodicRequests.limit { synchronize(token, on: bench) }
        #expect(notices(bench) == [])
        synchronize(0, on: bench)
        #expect(notices(bench) == [.ended(.limit, token: 0, session: 1)])
        // Other trains than the host takes.
        bench.call { $0.closePeriodic(1, at: $1) }
        for sid in 0..<16 as Range<UInt8> { synchronize(Int(sid), 2, sid: sid, on: bench) }
        bench.call {
            $0.synchronize(
                .init(address: DeviceAddress(kind: .random, value: 1), sid: 0), token: 99, session: 2, at: $1)
        }
        #expect(notices(bench) == [.ended(.limit, token: 99, session: 2)])
    }

    // MARK: Second rounds

    /// A train that ran begins again with Bluetooth; what waits for an answer, and what is received, ends.
    @Test(arguments: [true, false]) func bluetoothGoesOffAndOn(isPowerOff: Bool) {
        let bench = ready()
        start(on: bench)
        #expect(notices(bench) == [applied])
        for round in 1...3 {
            synchronize(round, on: bench)
            bench.controller.syncEnds(handle: 5, address: Self.address.value, sid: 1)
            #expect(notices(bench) == [.established(properties, token: round, session: 1)])
            bench.controller.ignored = [0x203F]
            start(2, on: bench)
            let trains = bench.controller.count(of: 0x2040)
            bench.controller.ignored = []
            if isPowerOff {
                bench.call { $0.powerOff(at: $1) }
            } else {
                bench.call { $0.detach(at: $1) }
            }
            bench.run(.seconds(3))
            #expect(
                notices(bench) == [
                    .advertisingChanged(.notPoweredOn, isAdvertising: false, session: 2),
                    .ended(.notPoweredOn, token: round, session: 1),
                ])
            start(on: bench)
            synchronize(0, on: bench)
            #expect(
                notices(bench) == [
                    .advertisingChanged(.notPoweredOn, isAdvertising: true, session: 1),
                    .ended(.notPoweredOn, token: 0, session: 1),
                ])
            bench.call { if isPowerOff { $0.powerOn(at: $1) } else { $0.attach(at: $1) } }
            bench.run(.seconds(3))
            #expect(bench.sessions.state == .poweredOn && notices(bench) == [], "round \(round)")
            #expect(bench.controller.commands.last { $0.opcode == 0x2040 }?.parameters == [1, 16])
            #expect(bench.controller.count(of: 0x2040) > trains)
        }
        bench.call { $0.stopPeriodicAdvertising(session: 1, at: $1) }
        #expect(bench.controller.commands.last?.opcode == 0x203C)
    }

    private func start(_ session: Int, on bench: SessionBench) {
        start(PeriodicAdvertisement(data: [2, 1, 6]), session, on: bench)
    }

    /// A train whose session ends it while Bluetooth is off does not begin again.
    @Test func aTrainThatEndsMeanwhileStaysOff() {
        let bench = ready()
        start(on: bench)
        bench.call { $0.powerOff(at: $1) }
        bench.call { $0.stopPeriodicAdvertising(session: 1, at: $1) }
        let before = bench.controller.commands.count
        bench.call { $0.powerOn(at: $1) }
        #expect(bench.sessions.state == .poweredOn)
        #expect(!bench.controller.commands[before...].contains { $0.opcode == 0x2040 || $0.opcode == 0x2036 })
    }
}
