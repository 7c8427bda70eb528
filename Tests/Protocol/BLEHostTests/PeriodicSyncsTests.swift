import BLEWire
import Testing

@testable import BLEHost

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
            #expect(bench.takeEvents() == [.established(SyncBench.train(1), SyncBench.reception)])
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
        #expect(bench.takeEvents() == [.established(SyncBench.train(2), SyncBench.reception)])
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
        #expect(bench.syncs.deadline == Instant.zero + PeriodicSyncs.eventTimeout)
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
        #expect(plain.accept(.init(), from: 1) == .unsupportedFeatureOrParameterValue)
        #expect(plain.tell(AdvertisingSet(handle: 1), to: 1) == .unsupportedFeatureOrParameterValue)
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
        // What the program has ended is not delivered, in the middle of an event as well.
        #expect(bench.report(2, 1, [9]) == nil)
        bench.syncs.end(SyncBench.train(2))
        #expect(bench.report(2, 0, [9]) == nil)
        // A controller can reach the limit, and not pass it.
        let piece = [UInt8](repeating: 7, count: 247)
        for _ in 0..<20 { #expect(bench.report(1, 1, piece) == nil) }
        let whole = bench.report(1, 0, piece)
        #expect(whole?.data.count == 1_650 && whole?.isTruncated == true)
        #expect(bench.report(1, 0, [4]) == .init(data: [4], isTruncated: false))
    }
}
