import BLEWire
import Testing

@testable import BLEHost

/// A host's syncs, and a controller that answers as its script says.
private struct SyncBench {
    var syncs: PeriodicSyncs
    private var queue = CommandQueue<Int>()
    var refusals: [HCI.Opcode: HCI.ErrorCode] = [:]
    private(set) var events: [PeriodicSyncs.Event] = []
    var now = Instant.zero

    static let capabilities: ControllerCapabilities = {
        var capabilities = ControllerCapabilities()
        capabilities.usesExtendedAdvertising = true
        capabilities.features = [
            .periodicAdvertising, .periodicAdvertisingADI, .periodicSyncTransferSender, .periodicSyncTransferRecipient,
        ]
        capabilities.commands = HCI.SupportedCommands([
            .lePeriodicAdvertisingCreateSync, .lePeriodicAdvertisingCreateSyncCancel,
            .lePeriodicAdvertisingTerminateSync, .leAddDeviceToPeriodicAdvertiserList,
            .leRemoveDeviceFromPeriodicAdvertiserList, .leReadPeriodicAdvertiserListSize,
            .leSetPeriodicAdvertisingReceiveEnable, .lePeriodicAdvertisingSyncTransfer,
            .lePeriodicAdvertisingSetInfoTransfer, .leSetPeriodicAdvertisingSyncTransferParameters,
        ])
        return capabilities
    }()

    init(_ capabilities: ControllerCapabilities = Self.capabilities, listSize: Int = 4) {
        syncs = PeriodicSyncs(capabilities, listSize: listSize)
    }

    /// Sends commands and answers them until none is left. Returns the commands.
    mutating func settle() -> [FakeController.Command] {
        var log: [FakeController.Command] = []
        while let command = syncs.next(at: now), log.count < 100 {
            #expect(syncs.next(at: now) == nil, "one command at a time")
            let sent = send(command)
            log.append(sent)
            events += syncs.completed(refusals[sent.opcode] ?? .success, at: now)
        }
        return log
    }

    /// What is sent for a command.
    mutating func send(_ command: PeriodicSyncs.Command) -> FakeController.Command {
        PeriodicSyncs.enqueue(command, for: 0, timeout: .seconds(1), &queue)
        var packet: [UInt8] = []
        queue.pump(into: &packet, at: now)
        let opcode = HCI.Opcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
        _ = queue.answered(opcode: opcode, credits: 1)
        return .init(opcode: opcode, parameters: Array(packet[4...]))
    }

    mutating func opcodes() -> [HCI.Opcode] { settle().map(\.opcode) }

    mutating func takeEvents() -> [PeriodicSyncs.Event] {
        defer { events = [] }
        return events
    }

    static func train(_ number: UInt8) -> PeriodicTrainIdentifier {
        PeriodicTrainIdentifier(
            address: DeviceAddress(kind: .random, value: 0xC605_0403_0200 | UInt64(number)), sid: number & 0x0F)
    }

    static func reception(_ handle: UInt16) -> PeriodicSyncs.Reception {
        .init(handle: handle, phy: .le2M, interval: 80, clockAccuracy: .ppm50)
    }

    mutating func request(_ number: UInt8, _ parameters: PeriodicSyncParameters = .init()) -> HCI.ErrorCode? {
        syncs.request(Self.train(number), parameters)
    }

    mutating func establish(_ number: UInt8, _ handle: UInt16, _ status: HCI.ErrorCode = .success) {
        let train = Self.train(number)
        events += syncs.receive(
            HCI.LEPeriodicAdvertisingSyncEstablished(
                status: status, syncHandle: handle, advertisingSID: train.sid, advertiserAddress: train.address,
                advertiserPHY: .le2M, interval: 80, advertiserClockAccuracy: .ppm50))
    }

    mutating func report(_ handle: UInt16, _ status: UInt8, _ data: [UInt8]) -> PeriodicReportAssembler.Whole? {
        syncs.receive(
            HCI.LEPeriodicAdvertisingReport(syncHandle: handle, dataStatus: .init(rawValue: status), data: data.span))
    }
}

/// Synchronization with trains (Vol 4, Part E, 7.8.67 to 7.8.73, 7.8.88 to 7.8.92).
struct PeriodicSyncsTests {
    @Test func oneTrainIsFoundByItsAddress() {
        var bench = SyncBench()
        for round in 1...3 as ClosedRange<UInt16> {
            #expect(bench.request(1, .init(skip: 3, timeout: 400, reports: false, filtersDuplicates: true)) == nil)
            #expect(bench.request(1) == .connectionAlreadyExists && bench.syncs.isSearching)
            #expect(
                bench.settle() == [
                    .init(
                        opcode: .lePeriodicAdvertisingCreateSync,
                        parameters: [6, 1, 1, 1, 2, 3, 4, 5, 0xC6, 3, 0, 0x90, 1, 0])
                ])
            bench.establish(1, round)
            #expect(bench.takeEvents() == [.established(SyncBench.train(1), SyncBench.reception(round))])
            #expect(!bench.syncs.isSearching && bench.syncs.isIdle && bench.opcodes() == [])
            #expect(bench.syncs[round] == SyncBench.train(1) && bench.request(1) == .connectionAlreadyExists)
            bench.syncs.end(SyncBench.train(1))
            #expect(
                bench.settle() == [
                    .init(opcode: .lePeriodicAdvertisingTerminateSync, parameters: [UInt8(round), 0])
                ])
            #expect(bench.syncs.received.isEmpty)
        }
    }

    /// The list has the trains of a search; one that is left is found by its address.
    @Test func severalTrainsAreFoundByTheList() {
        var bench = SyncBench()
        for number in 1...3 as ClosedRange<UInt8> { #expect(bench.request(number) == nil) }
        let first = bench.settle()
        #expect(first.prefix(3).map(\.opcode) == .init(repeating: .leAddDeviceToPeriodicAdvertiserList, count: 3))
        #expect(first[1].parameters == [1, 2, 2, 3, 4, 5, 0xC6, 2])
        #expect(first[3].opcode == .lePeriodicAdvertisingCreateSync && first[3].parameters[0] == 1 && first.count == 4)
        bench.establish(2, 7)
        #expect(bench.takeEvents() == [.established(SyncBench.train(2), SyncBench.reception(7))])
        let second = bench.settle()
        #expect(
            second.map(\.opcode) == [
                .leRemoveDeviceFromPeriodicAdvertiserList, .lePeriodicAdvertisingCreateSync,
            ])
        #expect(second[0].parameters == [1, 2, 2, 3, 4, 5, 0xC6, 2])
        bench.establish(1, 8)
        let third = bench.settle()
        #expect(third.map(\.opcode) == [.lePeriodicAdvertisingCreateSync] && third[0].parameters.prefix(2) == [0, 3])
        bench.establish(3, 9)
        #expect(bench.syncs.received.count == 3 && bench.opcodes() == [])
    }

    /// A search is cancelled when its targets change; the next one waits for the event of the old one (7.8.68).
    @Test func aChangedSearchIsCancelled() {
        var bench = SyncBench()
        _ = bench.request(1)
        _ = bench.settle()
        for number in 2...4 as ClosedRange<UInt8> {
            _ = bench.request(number)
            #expect(bench.opcodes() == [.lePeriodicAdvertisingCreateSyncCancel])
            #expect(bench.opcodes() == [] && !bench.syncs.isIdle)
            bench.establish(1, 0, .operationCancelledByHost)
            #expect(bench.opcodes().last == .lePeriodicAdvertisingCreateSync && bench.takeEvents() == [])
        }
        // The last request ends: nothing is left to search for.
        for number in 1...4 as ClosedRange<UInt8> { bench.syncs.end(SyncBench.train(number)) }
        #expect(bench.opcodes() == [.lePeriodicAdvertisingCreateSyncCancel])
        bench.establish(1, 0, .operationCancelledByHost)
        #expect(bench.opcodes() == [] && bench.syncs.isIdle)
    }

    /// The train is found while the cancel command is on its way: the controller has nothing to cancel, and the sync ends.
    @Test(arguments: [true, false]) func aTrainIsFoundWhileTheSearchIsCancelled(isBefore: Bool) {
        var bench = SyncBench()
        for round in 1...2 as ClosedRange<UInt16> {
            _ = bench.request(1)
            _ = bench.settle()
            bench.syncs.end(SyncBench.train(1))
            #expect(bench.syncs.next(at: bench.now) == .cancel)
            if isBefore { bench.establish(1, round) }
            #expect(bench.syncs.completed(.commandDisallowed, at: bench.now) == [])
            if !isBefore { bench.establish(1, round) }
            #expect(bench.takeEvents() == [])
            #expect(
                bench.settle() == [
                    .init(opcode: .lePeriodicAdvertisingTerminateSync, parameters: [UInt8(round), 0])
                ])
            #expect(bench.syncs.isIdle && bench.syncs.received.isEmpty)
        }
    }

    @Test func aControllerWithoutTheLastEventIsNotWaitedForWithoutEnd() {
        var bench = SyncBench()
        _ = bench.request(1)
        _ = bench.settle()
        _ = bench.request(2)
        #expect(bench.opcodes() == [.lePeriodicAdvertisingCreateSyncCancel])
        #expect(bench.syncs.deadline == .zero + PeriodicSyncs.eventTimeout)
        bench.now = .zero + PeriodicSyncs.eventTimeout - .nanoseconds(1)
        #expect(bench.opcodes() == [])
        bench.now = .zero + PeriodicSyncs.eventTimeout
        #expect(bench.opcodes().last == .lePeriodicAdvertisingCreateSync && bench.syncs.deadline == nil)
    }

    /// Vol 6, Part B, 4.4.5: a train that was heard and then not received. The search is repeated a few times.
    @Test func aSearchThatFailsIsRepeated() {
        var bench = SyncBench()
        for _ in 0..<2 {
            _ = bench.request(1)
            for _ in 0..<PeriodicSyncs.maximumFailures {
                #expect(bench.opcodes() == [.lePeriodicAdvertisingCreateSync] && bench.takeEvents() == [])
                bench.establish(1, 0, .connectionFailedToBeEstablished)
            }
            #expect(bench.takeEvents() == [.failed(SyncBench.train(1), .connectionFailedToBeEstablished)])
            #expect(bench.opcodes() == [] && bench.syncs.isIdle)
        }
    }

    @Test func refusedCommandsEndTheirRequests() {
        var bench = SyncBench()
        bench.refusals[.lePeriodicAdvertisingCreateSync] = .memoryCapacityExceeded
        for numbers in [[1], [1, 2]] as [[UInt8]] {
            for number in numbers { _ = bench.request(number) }
            #expect(bench.opcodes().last == .lePeriodicAdvertisingCreateSync)
            #expect(bench.takeEvents() == numbers.map { .failed(SyncBench.train($0), .memoryCapacityExceeded) })
            #expect(bench.syncs.isIdle && !bench.syncs.isSearching)
        }
        bench.refusals = [.leAddDeviceToPeriodicAdvertiserList: .unspecifiedError]
        _ = bench.request(3)
        _ = bench.request(4)
        #expect(bench.opcodes().last == .lePeriodicAdvertisingCreateSync)
        #expect(bench.takeEvents() == [.failed(SyncBench.train(3), .unspecifiedError)])
    }

    /// A list that is shorter than the host believes, or that the controller does not have.
    @Test func trainsBeyondTheListWait() {
        var bench = SyncBench(listSize: 2)
        for number in 1...3 as ClosedRange<UInt8> { _ = bench.request(number) }
        #expect(bench.opcodes().count(where: { $0 == .leAddDeviceToPeriodicAdvertiserList }) == 2)
        bench.establish(1, 1)
        #expect(
            bench.opcodes() == [
                .leRemoveDeviceFromPeriodicAdvertiserList, .leAddDeviceToPeriodicAdvertiserList,
                .lePeriodicAdvertisingCreateSync,
            ])
        var full = SyncBench()
        full.refusals[.leAddDeviceToPeriodicAdvertiserList] = .memoryCapacityExceeded
        for number in 1...3 as ClosedRange<UInt8> { _ = full.request(number) }
        let log = full.settle()
        #expect(log.last?.parameters.prefix(2) == [0, 1] && log.count == 2 && full.takeEvents() == [])
        var capabilities = SyncBench.capabilities
        capabilities.commands.remove(.leAddDeviceToPeriodicAdvertiserList)
        var without = SyncBench(capabilities, listSize: 8)
        for number in 1...3 as ClosedRange<UInt8> { _ = without.request(number) }
        #expect(without.opcodes() == [.lePeriodicAdvertisingCreateSync])
    }

    /// One command has one skip and one timeout.
    @Test func trainsWithOtherParametersWait() {
        var bench = SyncBench()
        _ = bench.request(1, .init(timeout: 100))
        _ = bench.request(2, .init(timeout: 200))
        let first = bench.settle()
        #expect(first.map(\.opcode) == [.lePeriodicAdvertisingCreateSync] && first[0].parameters[11] == 100)
        bench.establish(1, 1)
        #expect(bench.settle().last?.parameters[11] == 200)
    }

    /// 7.7.65.16: the program hears of the loss, unless it has ended the sync, and may request the train again.
    @Test func syncsAreLost() {
        var bench = SyncBench()
        for round in 1...3 as ClosedRange<UInt16> {
            _ = bench.request(1)
            _ = bench.settle()
            bench.establish(1, round)
            _ = bench.takeEvents()
            if round == 3 { bench.syncs.end(SyncBench.train(1)) }
            let lost = bench.syncs.receive(HCI.LEPeriodicAdvertisingSyncLost(syncHandle: round))
            #expect(lost == (round == 3 ? [] : [.lost(SyncBench.train(1))]))
            #expect(bench.opcodes() == [] && bench.syncs.received.isEmpty)
            #expect(bench.syncs.receive(HCI.LEPeriodicAdvertisingSyncLost(syncHandle: round)) == [])
        }
    }

    /// 7.8.88.
    @Test func reportsAreTurnedOnAndOff() {
        var bench = SyncBench()
        let train = SyncBench.train(1)
        #expect(
            bench.syncs.setReception(train, reports: true, filtersDuplicates: false) == .unknownAdvertisingIdentifier)
        _ = bench.request(1)
        _ = bench.settle()
        bench.establish(1, 0x21)
        for (reports, filters, octet) in [(true, true, 3), (false, false, 0), (true, false, 1)] as [(Bool, Bool, UInt8)]
        {
            #expect(bench.syncs.setReception(train, reports: reports, filtersDuplicates: filters) == nil)
            #expect(
                bench.settle() == [
                    .init(opcode: .leSetPeriodicAdvertisingReceiveEnable, parameters: [0x21, 0, octet])
                ])
        }
        // A refusal is not repeated.
        bench.refusals[.leSetPeriodicAdvertisingReceiveEnable] = .commandDisallowed
        _ = bench.syncs.setReception(train, reports: false, filtersDuplicates: false)
        #expect(bench.opcodes().count == 1)
    }

    /// 7.8.89 to 7.8.91.
    @Test func knowledgeOfTrainsIsTransferred() {
        var bench = SyncBench()
        #expect(
            bench.syncs.transfer(SyncBench.train(1), to: 0x40, serviceData: 1) == .unknownAdvertisingIdentifier)
        _ = bench.request(1)
        _ = bench.settle()
        bench.establish(1, 0x21)
        _ = bench.takeEvents()
        let parameters = PeriodicSyncParameters(skip: 2, timeout: 400, filtersDuplicates: true)
        #expect(bench.syncs.transfer(SyncBench.train(1), to: 0x40, serviceData: 0x1234) == nil)
        #expect(bench.syncs.transfer(AdvertisingSet(handle: 3), to: 0x41, serviceData: 0x5678) == nil)
        #expect(bench.syncs.accept(parameters, from: 0x42) == nil && bench.syncs.accept(nil, from: 0x43) == nil)
        bench.refusals[.lePeriodicAdvertisingSetInfoTransfer] = .unsupportedRemoteFeature
        #expect(
            bench.settle() == [
                .init(opcode: .lePeriodicAdvertisingSyncTransfer, parameters: [0x40, 0, 0x34, 0x12, 0x21, 0]),
                .init(opcode: .lePeriodicAdvertisingSetInfoTransfer, parameters: [0x41, 0, 0x78, 0x56, 3]),
                .init(
                    opcode: .leSetPeriodicAdvertisingSyncTransferParameters,
                    parameters: [0x42, 0, 3, 2, 0, 0x90, 1, 0]),
                .init(
                    opcode: .leSetPeriodicAdvertisingSyncTransferParameters,
                    parameters: [0x43, 0, 0, 0, 0, 0xE8, 3, 0]),
            ])
        #expect(
            bench.takeEvents() == [
                .transferEnded(.sync(0x21, to: 0x40, serviceData: 0x1234), .success),
                .transferEnded(
                    .set(AdvertisingSet(handle: 3), to: 0x41, serviceData: 0x5678), .unsupportedRemoteFeature),
                .transferEnded(.accept(parameters, from: 0x42), .success),
                .transferEnded(.accept(nil, from: 0x43), .success),
            ])
        for _ in 0..<PeriodicSyncs.transferLimit { #expect(bench.syncs.accept(nil, from: 1) == nil) }
        #expect(bench.syncs.accept(nil, from: 1) == .memoryCapacityExceeded)
        #expect(bench.syncs.accept(.init(timeout: 9), from: 1) == .invalidHCICommandParameters)
    }

    /// 7.7.65.24.
    @Test func aTrainOfWhichAPeerTellsIsReceived() {
        var bench = SyncBench()
        _ = bench.request(1)
        _ = bench.settle()
        let train = SyncBench.train(1)
        func received(_ status: HCI.ErrorCode, _ handle: UInt16, _ sid: UInt8)
            -> HCI.LEPeriodicAdvertisingSyncTransferReceived
        {
            .init(
                status: status, connectionHandle: 0x40, serviceData: 9, syncHandle: handle, advertisingSID: sid,
                advertiserAddress: train.address, advertiserPHY: .le2M, interval: 80, advertiserClockAccuracy: .ppm50)
        }
        #expect(bench.syncs.receive(received(.connectionFailedToBeEstablished, 0, 1), .init()) == [])
        #expect(
            bench.syncs.receive(received(.success, 5, 1), .init()) == [
                .transferred(train, SyncBench.reception(5), from: 0x40, serviceData: 9)
            ])
        // The search for it is not needed any more.
        #expect(bench.opcodes() == [.lePeriodicAdvertisingCreateSyncCancel] && bench.syncs[5] == train)
        // Trains beyond the limit end.
        for number in 0..<UInt16(PeriodicSyncs.limit) {
            _ = bench.syncs.receive(received(.success, 10 + number, 2), .init())
        }
        bench.establish(1, 0, .operationCancelledByHost)
        #expect(bench.opcodes() == [.lePeriodicAdvertisingTerminateSync])
        #expect(bench.syncs.received.count == PeriodicSyncs.limit)
    }

    @Test func requestsAreChecked() {
        var bench = SyncBench()
        #expect(bench.request(1, .init(skip: 500)) == .invalidHCICommandParameters)
        #expect(bench.request(1, .init(timeout: 9)) == .invalidHCICommandParameters)
        #expect(bench.request(1, .init(timeout: 0x4001)) == .invalidHCICommandParameters)
        let wrong = PeriodicTrainIdentifier(address: SyncBench.train(1).address, sid: 16)
        #expect(bench.syncs.request(wrong, .init()) == .invalidHCICommandParameters)
        for number in 0..<UInt8(PeriodicSyncs.limit) { #expect(bench.request(number) == nil) }
        #expect(bench.request(200) == .memoryCapacityExceeded)
        var capabilities = SyncBench.capabilities
        capabilities.features = [.periodicAdvertising]
        var plain = SyncBench(capabilities)
        #expect(plain.request(1, .init(filtersDuplicates: true)) == .unsupportedFeatureOrParameterValue)
        #expect(plain.request(1) == nil)
        #expect(plain.syncs.accept(.init(), from: 1) == .unsupportedFeatureOrParameterValue)
        #expect(
            plain.syncs.transfer(AdvertisingSet(handle: 1), to: 1, serviceData: 0)
                == .unsupportedFeatureOrParameterValue)
        capabilities.features = .extendedAdvertising
        var legacy = SyncBench(capabilities)
        #expect(legacy.request(1) == .unsupportedFeatureOrParameterValue)
    }

    /// 7.7.65.15: pieces are joined until the last one.
    @Test func piecesOfReportsAreJoined() {
        var bench = SyncBench()
        for number in 1...2 as ClosedRange<UInt8> {
            _ = bench.request(number)
            _ = bench.settle()
            bench.establish(number, UInt16(number))
        }
        for _ in 0..<2 {
            #expect(bench.report(1, 1, [1, 2]) == nil && bench.report(2, 1, [9]) == nil)
            #expect(bench.report(1, 0, [3])?.data == [1, 2, 3])
            #expect(bench.report(2, 2, [8]) == .init(data: [9, 8], isTruncated: true))
            #expect(bench.report(1, 0, []) == .init(data: [], isTruncated: false))
        }
        #expect(bench.report(3, 0, [1]) == nil)
        // A controller can reach the limit, and not pass it.
        let piece = [UInt8](repeating: 7, count: 247)
        for _ in 0..<20 { #expect(bench.report(1, 1, piece) == nil) }
        let whole = bench.report(1, 0, piece)
        #expect(whole?.data.count == 1_650 && whole?.isTruncated == true)
        #expect(bench.report(1, 0, [4]) == .init(data: [4], isTruncated: false))
    }
}
