import BLEWire
import Testing

@testable import BLEHost

/// The commands of periodic advertising (Vol 4, Part E, 7.8.61 to 7.8.63), against a controller that answers as its script says.
private struct AdvertiserBench {
    var advertiser = PeriodicAdvertiser()
    private(set) var log: [FakeController.Command] = []
    private(set) var reports: [Advertiser.Report] = []
    var refusals: [HCI.Opcode: HCI.ErrorCode] = [:]

    init() { setCreated() }

    mutating func setCreated() { advertiser.prepare(exists: true, isPossible: true) }
    mutating func setRemoved() { advertiser.prepare(exists: false, isPossible: false) }

    /// Sends commands and answers them until none is left. Returns the commands.
    mutating func settle() -> [FakeController.Command] {
        log = []
        while let action = advertiser.next() {
            #expect(advertiser.next() == nil, "one command at a time")
            log.append(send(action))
        }
        note(advertiser.takeReport())
        return log
    }

    /// Sends one command and answers it.
    mutating func send(_ action: PeriodicAdvertiser.Action) -> FakeController.Command {
        var pump = CommandPump(timeout: .seconds(1))
        advertiser.enqueue(action, of: AdvertisingSet(handle: 3), &pump)
        var packet: [UInt8] = []
        pump.pump(into: &packet, at: .zero)
        let opcode = HCI.Opcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
        note(advertiser.completed(refusals[opcode] ?? .success))
        return .init(opcode: opcode, parameters: Array(packet[4...]))
    }

    private mutating func note(_ report: Advertiser.Report) { if report != .none { reports.append(report) } }

    mutating func takeReports() -> [Advertiser.Report] {
        defer { reports = [] }
        return reports
    }
}

struct PeriodicAdvertiserTests {
    private let on: FakeController.Command = .init(opcode: .leSetPeriodicAdvertisingEnable, parameters: [1, 3])
    private let off: FakeController.Command = .init(opcode: .leSetPeriodicAdvertisingEnable, parameters: [0, 3])
    private let simple = PeriodicAdvertising(data: [2, 1, 6], intervalMinimum: 0x0123, intervalMaximum: 0x4567)

    /// A refused change brings the earlier train back, and nothing if that is refused as well.
    @Test func aFormerTrainThatIsRefusedTooEnds() {
        var bench = AdvertiserBench()
        for _ in 0..<2 {
            bench.advertiser.request(simple)
            _ = bench.settle()
            #expect(bench.takeReports() == [.applied])
            bench.refusals = [.leSetPeriodicAdvertisingParameters: .invalidHCICommandParameters]
            var other = simple
            other.intervalMinimum = 0x0200
            bench.advertiser.request(other)
            // Off, and one attempt for each train.
            let commands = bench.settle()
            #expect(commands.first == off && commands.count == 3 && !bench.advertiser.isOn)
            #expect(bench.advertiser.requested == nil && bench.takeReports().count == 2)
            bench.refusals = [:]
        }
    }

    @Test func theCommandsHaveTheirFieldsAndTheirOrder() {
        var bench = AdvertiserBench()
        var requested = simple
        for round in 0..<3 {
            bench.advertiser.request(requested)
            let expected: [FakeController.Command] = [
                .init(
                    opcode: .leSetPeriodicAdvertisingParameters,
                    parameters: [3, 0x23, 0x01, 0x67, 0x45, requested.includesTransmitPower ? 0x40 : 0, 0]),
                .init(opcode: .leSetPeriodicAdvertisingData, parameters: [3, 3, 3, 2, 1, 6]), on,
            ]
            #expect(bench.settle() == (round == 2 ? [on] : round == 1 ? [expected[0], on] : expected), "\(round)")
            #expect(bench.advertiser.isOn && bench.takeReports() == [.applied])
            #expect(bench.settle() == [])
            bench.advertiser.request(nil)
            #expect(bench.settle() == [off])
            #expect(!bench.advertiser.isOn && bench.advertiser.isIdle && bench.takeReports() == [.applied])
            // What the controller has already is not sent again.
            requested.includesTransmitPower = true
        }
    }

    /// A train belongs to its set, and ends with it (7.8.59).
    @Test func aTrainNeedsItsSet() {
        var bench = AdvertiserBench()
        bench.setRemoved()
        for _ in 0..<2 {
            bench.advertiser.request(simple)
            #expect(bench.settle() == [] && bench.takeReports() == [])
            bench.setCreated()
            bench.setCreated()
            #expect(bench.settle().map(\.opcode).count == 3 && bench.takeReports() == [.applied])
            bench.setRemoved()
            #expect(!bench.advertiser.isOn && bench.settle() == [])
        }
    }

    /// 7.8.62: data that does not fit into one command is sent in fragments, while the train is off.
    @Test(arguments: [0, 1, 251, 252, 502, 503, 1_650]) func dataIsSentInFragments(count: Int) {
        var bench = AdvertiserBench()
        bench.advertiser.request(simple)
        _ = bench.settle()
        for round in 1...2 as ClosedRange<UInt8> {
            var requested = simple
            requested.data = [UInt8](repeating: round, count: count)
            bench.advertiser.request(requested)
            let log = bench.settle()
            let fragments = log.filter { $0.opcode == .leSetPeriodicAdvertisingData }.map(\.parameters)
            let operations = fragments.map { $0[1] }
            let pieces = max(1, (count + 250) / 251)
            let isRepeated = count == 0 && round == 2
            #expect(
                operations
                    == (isRepeated
                        ? [] : pieces == 1 ? [3] : [1] + [UInt8](repeating: 0, count: pieces - 2) + [2]))
            #expect(isRepeated || fragments.flatMap { $0[3...] } == requested.data)
            #expect(log.contains(off) == (count > 251) && log.contains(on) == (count > 251))
            #expect(bench.advertiser.isOn)
        }
    }

    @Test func otherParametersInterruptTheTrain() {
        var bench = AdvertiserBench()
        bench.advertiser.request(simple)
        _ = bench.settle()
        var requested = simple
        requested.intervalMaximum = 0x5000
        bench.advertiser.request(requested)
        #expect(
            bench.settle().map(\.opcode) == [
                .leSetPeriodicAdvertisingEnable, .leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingEnable,
            ])
        requested.includesDataInfo = true
        bench.advertiser.request(requested)
        #expect(bench.settle() == [off, .init(opcode: .leSetPeriodicAdvertisingEnable, parameters: [3, 3])])
        #expect(bench.takeReports() == [.applied, .applied, .applied])
    }

    /// The controller refuses a command: the request fails, and a later one begins with what is not known to be applied.
    @Test(arguments: [
        HCI.Opcode.leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData, .leSetPeriodicAdvertisingEnable,
    ])
    func refusalsEndTheRequest(opcode: HCI.Opcode) {
        var bench = AdvertiserBench()
        for _ in 0..<2 {
            bench.refusals = [opcode: .packetTooLong]
            bench.advertiser.request(simple)
            #expect(bench.settle().last?.opcode == opcode)
            #expect(bench.takeReports() == [.failed(.packetTooLong)] && bench.advertiser.requested == nil)
            #expect(bench.advertiser.isIdle && bench.settle() == [])
            bench.refusals = [:]
            bench.advertiser.request(simple)
            #expect(bench.settle().contains { $0.opcode == opcode })
            #expect(bench.advertiser.isOn && bench.takeReports() == [.applied])
            bench.setRemoved()
            bench.setCreated()
        }
    }

    /// 7.8.62 (HCI/DDI/BI-51-C): data that does not fit into the interval. The train goes on with the data that it had, each time.
    @Test(arguments: [[UInt8](repeating: 7, count: 3), [UInt8](repeating: 7, count: 600)])
    func refusedDataLeavesTheTrain(data: [UInt8]) {
        var bench = AdvertiserBench()
        bench.advertiser.request(simple)
        _ = bench.settle()
        _ = bench.takeReports()
        var requested = simple
        requested.data = data
        for _ in 0..<3 {
            bench.refusals = [.leSetPeriodicAdvertisingData: .packetTooLong]
            bench.advertiser.request(requested)
            // The controller refuses the next command only.
            var log: [FakeController.Command] = []
            while let action = bench.advertiser.next() {
                log.append(bench.send(action))
                if action == .setData { bench.refusals = [:] }
            }
            #expect(log.last { $0.opcode == .leSetPeriodicAdvertisingData }?.parameters == [3, 3, 3, 2, 1, 6])
            #expect(bench.advertiser.isOn && bench.advertiser.requested == simple)
            #expect(bench.takeReports() == [.failed(.packetTooLong)])
        }
        // A controller that refuses the former data as well ends the request.
        bench.refusals = [.leSetPeriodicAdvertisingData: .packetTooLong]
        bench.advertiser.request(requested)
        _ = bench.settle()
        #expect(bench.takeReports() == [.failed(.packetTooLong), .failed(.packetTooLong)])
        #expect(!bench.advertiser.isOn && bench.advertiser.requested == nil)
    }

    /// A refusal of what is no longer requested does not end the request that replaced it.
    @Test func aLateRefusalDoesNotEndTheNextRequest() {
        for number in 0..<2 {
            var bench = AdvertiserBench()
            bench.advertiser.request(simple)
            _ = bench.settle()
            _ = bench.takeReports()
            var refused = simple
            if number == 0 { refused.data = [1, 0] } else { refused.intervalMaximum = 0x5000 }
            bench.advertiser.request(refused)
            var next = bench.advertiser.next()
            if number == 1 {
                #expect(next == .disable && bench.advertiser.completed(.success) == .none)
                next = bench.advertiser.next()
            }
            #expect(next != nil && next != .disable)
            var later = simple
            later.data = [2, 1, 5]
            bench.advertiser.request(later)
            #expect(bench.advertiser.completed(.packetTooLong) == .none)
            #expect(!bench.settle().isEmpty && bench.takeReports() == [.applied])
            #expect(bench.advertiser.isOn && bench.advertiser.requested == later)
        }
    }

    /// A request after the end of the train is not followed by the train before.
    @Test func nothingReturnsThatWasEnded() {
        var bench = AdvertiserBench()
        bench.advertiser.request(simple)
        _ = bench.settle()
        bench.advertiser.request(nil)
        _ = bench.settle()
        bench.refusals = [.leSetPeriodicAdvertisingEnable: .memoryCapacityExceeded]
        bench.advertiser.request(simple)
        _ = bench.settle()
        #expect(bench.advertiser.requested == nil && bench.settle() == [])
    }

    /// A request during a transfer takes effect; the fragments before it are given up.
    @Test func aRequestReplacesAnUnfinishedTransfer() {
        var advertiser = PeriodicAdvertiser()
        advertiser.prepare(exists: true, isPossible: true)
        advertiser.request(PeriodicAdvertising(data: [UInt8](repeating: 1, count: 600)))
        _ = advertiser.next()
        _ = advertiser.completed(.success)
        #expect(advertiser.next() == .setData && advertiser.transfer?.operation == .first)
        advertiser.request(PeriodicAdvertising(data: [UInt8](repeating: 2, count: 300)))
        _ = advertiser.completed(.success)
        #expect(advertiser.next() == .setData)
        #expect(advertiser.transfer?.operation == .first && advertiser.transfer?.octets.first == 2)
    }

    @Test func requestsNeedTheController() {
        var capabilities = ControllerCapabilities()
        capabilities.maximumAdvertisingData = 100
        #expect(simple.refusal(capabilities) == .unsupportedFeatureOrParameterValue)
        capabilities.usesExtendedAdvertising = true
        capabilities.commands = HCI.SupportedCommands([
            .leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData, .leSetPeriodicAdvertisingEnable,
        ])
        #expect(simple.refusal(capabilities) == .unsupportedFeatureOrParameterValue)
        capabilities.features = [.extendedAdvertising, .periodicAdvertising]
        #expect(simple.refusal(capabilities) == nil)
        var other = simple
        other.includesDataInfo = true
        #expect(other.refusal(capabilities) == .unsupportedFeatureOrParameterValue)
        capabilities.features.insert(.periodicAdvertisingADI)
        #expect(other.refusal(capabilities) == nil)
        other.data = [UInt8](repeating: 0, count: 101)
        #expect(other.refusal(capabilities) == .memoryCapacityExceeded)
        for (minimum, maximum) in [(5, 6), (7, 6)] as [(UInt16, UInt16)] {
            other = simple
            (other.intervalMinimum, other.intervalMaximum) = (minimum, maximum)
            #expect(other.refusal(capabilities) == .invalidHCICommandParameters)
        }
        capabilities.commands.remove(.leSetPeriodicAdvertisingData)
        #expect(simple.refusal(capabilities) == .unsupportedFeatureOrParameterValue)
    }
}
