import BLEWire
import Testing

@testable import BLEHost

/// The choice between the two kinds of commands (Vol 4, Part E, 3.1.1).
struct ExtendedStartUpTests {
    private let bench = Bench()
    private static let probes: [HCI.Opcode] = [
        .leReadMaximumAdvertisingDataLength, .leReadNumberOfSupportedAdvertisingSets, .leClearAdvertisingSets,
        .leSetExtendedScanParameters, .leSetExtendedScanEnable,
    ]

    /// Scans, advertises and connects; returns the kinds of commands since the last reset.
    private func kinds(of host: BenchHost) -> [CommandKind] {
        host.host.setScanning(ScanParameters(), at: bench.now)
        host.host.setAdvertising(AdvertisingParameters(data: [2, 1, 6], scanResponse: [2, 9, 65]), at: bench.now)
        bench.settle()
        host.host.connect(to: DeviceAddress(kind: .random, value: 7), at: bench.now)
        host.host.connect(to: DeviceAddress(kind: .random, value: 8), at: bench.now)
        bench.settle()
        host.host.setScanning(nil, at: bench.now)
        host.host.setAdvertising(nil, at: bench.now)
        for value in [7, 8] as [UInt64] {
            host.host.cancelConnect(to: DeviceAddress(kind: .random, value: value), at: bench.now)
        }
        bench.run(.seconds(3))
        let opcodes = host.controller.opcodes()
        let start = opcodes.lastIndex(of: .reset) ?? 0
        return opcodes[start...].compactMap { CommandKind($0) }
    }

    @Test func aControllerWithAllCommandsIsUsedByThem() {
        let host = bench.ready { $0.becomeExtended() }
        #expect(host.states == [.starting, .ready] && host.host.usesExtendedAdvertising)
        #expect(host.controller.opcodes().filter { CommandKind($0) != nil } == Self.probes)
        // Connection Complete, Advertising Report, Connection Update Complete, Read Remote Features Complete, Enhanced Connection Complete,
        // Extended Advertising Report, Advertising Set Terminated (Vol 4, Part E, 7.8.1).
        let mask = host.controller.log.last { $0.opcode == .leSetEventMask }?.parameters
        #expect(mask == [0x0F, 0x12, 0x02, 0, 0, 0, 0, 0])
        let kinds = kinds(of: host)
        #expect(kinds.count > 12 && kinds.allSatisfy { $0 == .extended })
        #expect(host.violations.isEmpty && host.failedConnections.isEmpty)
    }

    @Test func theConfigurationCanChooseTheLegacyCommands() {
        var configuration = HostConfiguration()
        configuration.usesExtendedAdvertising = false
        let host = bench.ready(configuration) { $0.becomeExtended() }
        #expect(host.host.usesExtendedAdvertising == false)
        #expect(kinds(of: host).allSatisfy { $0 == .legacy })
    }

    @Test(arguments: FakeController.extendedCommands) func eachCommandIsNeeded(missing: HCI.Opcode) {
        let host = bench.ready {
            $0.becomeExtended()
            $0.supported.remove(missing)
        }
        #expect(host.host.state == .ready && !host.host.usesExtendedAdvertising)
        let kinds = kinds(of: host)
        #expect(!kinds.isEmpty && kinds.allSatisfy { $0 == .legacy })
    }

    @Test func theFeatureIsNeeded() {
        let host = bench.ready {
            $0.becomeExtended()
            $0.features.remove(.extendedAdvertising)
        }
        #expect(host.host.state == .ready && kinds(of: host).allSatisfy { $0 == .legacy })
    }

    /// A controller that claims the feature and refuses a command is reset and used by the legacy commands, at every start.
    @Test(arguments: probes, [.unknownHCICommand, .commandDisallowed, .unspecifiedError] as [HCI.ErrorCode])
    func aRefusalAtTheStartUpLeadsToTheLegacyCommands(refused: HCI.Opcode, error: HCI.ErrorCode) {
        let host = bench.ready {
            $0.becomeExtended(.dataPacketLengthExtension)
            $0.refusals[refused] = error
        }
        for round in 1...3 {
            #expect(host.host.state == .ready && !host.host.usesExtendedAdvertising)
            #expect(host.controller.opcodes().count { $0 == .reset } == 2, "round \(round)")
            let mask = host.controller.log.last { $0.opcode == .leSetEventMask }?.parameters
            #expect(mask?[1] == 0 && mask?[2] == 0)
            let kinds = kinds(of: host)
            #expect(kinds.count > 8 && kinds.allSatisfy { $0 == .legacy })
            host.host.powerOff(at: bench.now)
            bench.settle()
            host.controller.clearLog()
            host.host.start(at: bench.now)
            bench.settle()
        }
        // A controller that is replaced gets its chance.
        host.controller.refusals = [:]
        host.host.powerOff(at: bench.now)
        bench.settle()
        host.host.start(at: bench.now)
        bench.settle()
        #expect(host.host.usesExtendedAdvertising && kinds(of: host).allSatisfy { $0 == .extended })
    }

    @Test(arguments: probes) func aProbeWithoutAnswerLeadsToTheLegacyCommands(silent: HCI.Opcode) {
        let host = bench.ready {
            $0.becomeExtended()
            $0.silent = [silent]
        }
        bench.run(.seconds(3))
        #expect(host.states == [.starting, .ready] && !host.host.usesExtendedAdvertising)
        #expect(kinds(of: host).allSatisfy { $0 == .legacy })
    }

    /// A command that the start-up does not try, without answer or unknown: the host goes on by the legacy commands until it is started again.
    @Test(
        arguments: [
            .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leSetExtendedAdvertisingParameters,
            .leExtendedCreateConnection,
        ] as [HCI.Opcode], [true, false])
    func aCommandThatFailsLaterLeadsToTheLegacyCommands(lost: HCI.Opcode, isSilent: Bool) {
        let host = bench.ready { $0.becomeExtended() }
        for round in 1...2 {
            #expect(host.host.state == .ready && host.host.usesExtendedAdvertising, "round \(round)")
            host.clearEvents()
            if isSilent { host.controller.silent = [lost] } else { host.controller.refusals[lost] = .unknownHCICommand }
            host.host.setScanning(ScanParameters(), at: bench.now)
            host.host.setAdvertising(AdvertisingParameters(data: [2, 1, 6]), at: bench.now)
            host.host.connect(to: DeviceAddress(kind: .random, value: 7), at: bench.now)
            bench.run(.seconds(5))
            #expect(host.host.state == .ready && !host.host.usesExtendedAdvertising)
            #expect(host.states.count == 2, "one reset")
            let kinds = kinds(of: host)
            #expect(kinds.count > 8 && kinds.allSatisfy { $0 == .legacy })
            host.controller.silent = []
            host.controller.refusals = [:]
            host.host.powerOff(at: bench.now)
            bench.settle()
            host.host.start(at: bench.now)
            bench.settle()
        }
    }

    @Test func aControllerWithoutSetsIsUsedByTheLegacyCommands() {
        let host = bench.ready {
            $0.becomeExtended()
            $0.sets.capacity = 0
        }
        #expect(host.host.state == .ready && !host.host.usesExtendedAdvertising)
    }

    /// After the loss of the controller the choice is made again.
    @Test func aRestartChoosesAgain() {
        let host = bench.ready { $0.becomeExtended() }
        host.controller.emit(HCI.HardwareError(hardwareCode: 1))
        host.controller.supported.remove(.leExtendedCreateConnection)
        bench.settle()
        #expect(host.host.state == .ready && !host.host.usesExtendedAdvertising)
        #expect(kinds(of: host).allSatisfy { $0 == .legacy })
    }
}
