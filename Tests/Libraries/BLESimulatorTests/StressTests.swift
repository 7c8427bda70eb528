import BLEAdapter
import BLEHostAdapter
import BLEWire
import Testing

@testable import BLESimulator

/// The selection of faults by a seed, and the smallest list that still fails.
struct StressTests {
    // MARK: Selection

    @Test func aSeedSelectsTheSameFaultsOnEachMachine() {
        let stress = Stress(seed: 3, devices: ["phone", "band"])
        #expect(
            stress.entries == [
                Stress.Entry("band", .slowPairing(.milliseconds(4_775))),
                Stress.Entry(
                    "phone", .stalledCompletions(after: .milliseconds(23_086), lasting: .milliseconds(12_531))),
                Stress.Entry("band", .earlyNotification), Stress.Entry("band", .shrinkingMTU(to: 65)),
            ])
        #expect(
            Stress(seed: 1, devices: ["phone", "band"]).description
                == "phone offers an ATT_MTU of 23 octets after its first link, band ignores requests for connection parameters, "
                + "phone sends packets of a pairing late by 0.331 s")
    }

    @Test func seedsSelectEachKindWithinTheLimits() {
        var kinds: Set<Fault.Kind> = []
        var counts: Set<Int> = []
        for seed in 0..<200 as Range<UInt64> {
            let entries = Stress(seed: seed, devices: ["phone", "band"], within: .seconds(10)).entries
            counts.insert(entries.count)
            kinds.formUnion(entries.map(\.fault.kind))
            for (index, entry) in entries.enumerated() {
                // No device has a kind of fault twice.
                #expect(
                    !entries[..<index].contains { $0.device == entry.device && $0.fault.kind == entry.fault.kind })
                #expect(entry.fault.beginning.map { (Duration.zero...(.seconds(10))).contains($0) } ?? true)
            }
        }
        #expect(kinds.count == Fault.Kind.allCases.count)
        #expect(counts == Set(1...Stress.pickLimit))
        #expect(Stress(seed: 1, devices: []).entries.isEmpty)
    }

    @Test func aWorldReportsTheFaultsOfItsSeed() async throws {
        let world = World(seed: 1)
        let devices = ["phone", "band"].map { world.addDevice($0) }
        let printed = Lock<[String]>([])
        let report = world.stress(seed: 1, on: devices) { line in printed.withLock { $0.append(line) } }
        await world.run(for: .seconds(1))
        #expect(
            report.lines == [
                "0.000 s  phone: offers an ATT_MTU of 23 octets after its first link",
                "0.000 s  band: ignores requests for connection parameters",
                "0.000 s  phone: sends packets of a pairing late by 0.331 s",
            ])
        #expect(printed.withLock { $0 } == report.lines)
        // A device that is not in the list gets nothing.
        let other = world.apply(Stress([Stress.Entry("nobody", .staleCache)]), to: devices)
        await world.run(for: .seconds(1))
        #expect(other.lines.isEmpty)
    }

    // MARK: The smallest list

    private static let entries = (0..<8).map { Stress.Entry("device \($0)", .staleCache) }

    /// Each set of causes within a list is found, and nothing is run twice.
    @Test func theSmallestListIsTheCause() async {
        for mask in 0..<(1 << Self.entries.count) {
            let cause = Self.entries.indices.filter { mask >> $0 & 1 == 1 }.map { Self.entries[$0] }
            var runs: [Stress] = []
            let smallest = await Stress(Self.entries).shrunk { stress in
                runs.append(stress)
                return cause.allSatisfy { stress.entries.contains($0) }
            }
            #expect(smallest?.entries == cause)
            #expect(Set(runs).count == runs.count)
        }
    }

    @Test func aRunThatDoesNotFailHasNoSmallestList() async {
        #expect(await Stress(Self.entries).shrunk { _ in false } == nil)
        #expect(await Stress([]).shrunk { _ in true } == Stress([]))
        // An error of a run ends the search.
        struct Failure: Error {}
        await #expect(throws: Failure.self) { _ = try await Stress(Self.entries).shrunk { _ in throw Failure() } }
    }

    /// A run with a defect: the app keeps the ATT_MTU of its first connection. It notices nothing until a slow answer makes it connect again, and a
    /// smaller ATT_MTU cuts its record.
    private func appFails(_ stress: Stress) async throws -> Bool {
        let pair = try await ConversationTests.Pair(World(seed: 4))
        let (peer, session) = (pair.peer, pair.central.session)
        let handle = try await pair.handles()[1].valueHandle
        let limit = try #require(session.maximumTransmissionUnit(of: peer)) - 3
        pair.world.apply(stress, to: [pair.phone, pair.band])
        await pair.world.run(for: .seconds(1))
        var start = pair.central.events.count
        session.submit(.read(handle: handle), to: peer)
        let central = pair.central
        let isRead = await pair.world.run(timeout: .milliseconds(1_500)) { [start] in
            central.events[start...].contains { if case .completed = $0 { true } else { false } }
        }
        if !isRead {
            start = central.events.count
            session.cancelConnection(peer)
            try await central.wait(from: start, "the end") { $0.isLoss ? true : nil }
            await pair.world.run(for: .seconds(1))
            try await central.connect(peer)
        }
        let record = [UInt8](repeating: 7, count: min(limit, 200))
        _ = session.writeCommand(record.span, handle: handle, to: peer)
        await pair.world.run(for: .seconds(10))
        return pair.peripheral.value != record
    }

    @Test func aDefectThatNeedsTwoFaultsIsReducedToThem() async throws {
        let cause = [
            Stress.Entry("phone", .shrinkingMTU(to: 100)), Stress.Entry("wristband", .slowAnswers(.seconds(2))),
        ]
        let stress = Stress([
            Stress.Entry("phone", .lateStart(by: .seconds(1))), Stress.Entry("phone", .earlyNotification), cause[0],
            Stress.Entry("phone", .lostServiceChanged), Stress.Entry("wristband", .forgottenBonds(after: .zero)),
            Stress.Entry("wristband", .staleCache), cause[1],
            Stress.Entry("phone", .stalledCompletions(after: .zero, lasting: .milliseconds(500))),
        ])
        #expect(try await appFails(Stress(cause)))
        for entry in cause { #expect(try await appFails(Stress([entry])) == false) }
        let smallest = try await stress.shrunk { try await appFails($0) }
        #expect(smallest?.entries == cause)
    }
}

extension Fault {
    /// The time after which the fault begins; nil if it has none.
    fileprivate var beginning: Duration? {
        switch self {
        case .stalledCompletions(let time, _), .forgottenBonds(let time): time
        default: nil
        }
    }
}
