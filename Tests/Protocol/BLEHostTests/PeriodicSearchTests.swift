import BLEWire
import Testing

@testable import BLEHost

/// Searches for trains whose addresses change, that cannot be received, or that pause (Vol 4, Part E, 7.8.67 to 7.8.71).
struct PeriodicSearchTests {
    private static let identity = DeviceAddress(kind: .random, value: 0xC011_2233_4455)
    private static let privates = [0x4000_0000_0001, 0x4000_0000_0002].map { DeviceAddress(kind: .random, value: $0) }

    /// 7.7.65.14: a controller that resolves addresses reports the identity of a train that was requested by its private address. The event is the
    /// answer to the only search, in a list as well.
    @Test(arguments: [false, true]) func aResolvedAddressAnswersTheRequest(inList: Bool) {
        var bench = SyncBench()
        let train = PeriodicTrainIdentifier(address: Self.privates[0], sid: 5)
        for round in 1...3 as ClosedRange<UInt16> {
            #expect(bench.syncs.request(train, .init()) == nil)
            if inList { _ = bench.request(2) }
            _ = bench.settle()
            if inList, round > 1 {
                // The search for the other train alone is cancelled.
                bench.establish(2, 0, .operationCancelledByHost)
                _ = bench.settle()
            }
            bench.establish(
                DeviceAddress(kind: .randomIdentity, value: Self.identity.value), of: Self.identity, 5, round)
            #expect(bench.takeEvents() == [.established(train, SyncBench.reception)])
            #expect(!bench.opcodes().contains(.lePeriodicAdvertisingTerminateSync) && bench.syncs[round] == train)
            bench.syncs.end(train)
            _ = bench.settle()
        }
    }

    /// Two trains of a list that only their addresses tell apart, under an address that none has: the search ends after a few.
    @Test func aForeignTrainDoesNotMakeAnEndlessLoop() {
        var bench = SyncBench()
        for value in [1, 2] as [UInt64] {
            let address = DeviceAddress(kind: .random, value: 0x4000_0000_0000 | value)
            #expect(bench.syncs.request(PeriodicTrainIdentifier(address: address, sid: 5), .init()) == nil)
        }
        _ = bench.request(3)
        for _ in 0..<PeriodicSyncs.maximumFailures {
            #expect(bench.opcodes().last == .lePeriodicAdvertisingCreateSync && bench.takeEvents() == [])
            bench.establish(Self.identity, 5, 1)
        }
        #expect(bench.takeEvents().count == 2)
        #expect(bench.opcodes().last == .lePeriodicAdvertisingCreateSync && bench.syncs.isSearching)
        bench.establish(3, 4)
        #expect(bench.takeEvents() == [.established(SyncBench.train(3), SyncBench.reception)])
    }

    /// A controller that does not resolve looks for the private address that was heard last, and for the next one when the device has it.
    @Test(arguments: [false, true]) func aPrivateAddressIsFollowed(inList: Bool) {
        var bench = SyncBench()
        let train = PeriodicTrainIdentifier(address: Self.identity, sid: 5)
        #expect(bench.syncs.request(train, .init()) == nil)
        if inList { _ = bench.request(2) }
        _ = bench.settle()
        for address in Self.privates {
            bench.onAir[Self.identity] = address
            #expect(bench.opcodes() == [.lePeriodicAdvertisingCreateSyncCancel])
            bench.establish(1, 0, .operationCancelledByHost)
            let log = bench.settle()
            #expect(
                log.map(\.opcode)
                    == (inList
                        ? [
                            .leRemoveDeviceFromPeriodicAdvertiserList, .leAddDeviceToPeriodicAdvertiserList,
                            .lePeriodicAdvertisingCreateSync,
                        ] : [.lePeriodicAdvertisingCreateSync]))
            let named = log.first { $0.opcode != .leRemoveDeviceFromPeriodicAdvertiserList }?.parameters
            #expect(named?[inList ? 1 : 3] == UInt8(truncatingIfNeeded: address.value))
        }
        bench.establish(Self.privates[1], of: Self.identity, 5, 7)
        #expect(bench.takeEvents() == [.established(train, SyncBench.reception)] && bench.syncs[7] == train)
    }

    /// Trains that a controller found for nothing are ended, as many as the host keeps.
    @Test func unwantedTrainsHaveALimit() {
        var bench = SyncBench()
        for handle in 0..<100 as Range<UInt16> { bench.establish(Self.identity, 5, handle) }
        #expect(bench.takeEvents() == [] && bench.syncs.received.count == 2 * PeriodicSyncs.limit)
        #expect(bench.opcodes().count == 2 * PeriodicSyncs.limit && bench.syncs.isUnused)
    }

    /// A train at the edge of the range ends only its own request.
    @Test func aTrainThatCannotBeReceivedFailsNoOther() {
        var bench = SyncBench()
        for number in 1...2 as ClosedRange<UInt8> { _ = bench.request(number) }
        for _ in 0..<10 {
            #expect(bench.opcodes().last == .lePeriodicAdvertisingCreateSync)
            bench.establish(1, 0, .connectionFailedToBeEstablished)
        }
        #expect(bench.takeEvents() == [])
        _ = bench.settle()
        bench.establish(2, 3)
        #expect(bench.takeEvents() == [.established(SyncBench.train(2), SyncBench.reception)])
        for _ in 0..<PeriodicSyncs.maximumFailures {
            #expect(bench.opcodes().last == .lePeriodicAdvertisingCreateSync)
            bench.establish(1, 0, .connectionFailedToBeEstablished)
        }
        #expect(bench.takeEvents() == [.failed(SyncBench.train(1), .connectionFailedToBeEstablished)])
        #expect(bench.opcodes() == [])
    }

    /// Some controllers end no train while they look for another one. The search goes on after that.
    @Test func aReceivedTrainEndsDuringASearch() {
        var bench = SyncBench()
        _ = bench.request(2)
        for round in 1...2 as ClosedRange<UInt16> {
            _ = bench.request(1)
            _ = bench.settle()
            if round == 2 { bench.establish(2, 0, .operationCancelledByHost) }
            _ = bench.settle()
            bench.establish(1, round)
            #expect(bench.opcodes().last == .lePeriodicAdvertisingCreateSync)
            bench.syncs.end(SyncBench.train(1))
            #expect(bench.opcodes() == [.lePeriodicAdvertisingCreateSyncCancel])
            bench.establish(2, 0, .operationCancelledByHost)
            #expect(bench.opcodes() == [.lePeriodicAdvertisingTerminateSync, .lePeriodicAdvertisingCreateSync])
            #expect(bench.syncs.received.isEmpty && bench.syncs.isSearching)
        }
    }

    /// Commands for an idle controller: the search pauses and goes on.
    @Test func aSuspendedSearchIsCancelled() {
        var bench = SyncBench()
        _ = bench.request(1)
        _ = bench.settle()
        for _ in 0..<2 {
            bench.syncs.isSuspended = true
            #expect(bench.opcodes() == [.lePeriodicAdvertisingCreateSyncCancel])
            bench.establish(1, 0, .operationCancelledByHost)
            #expect(bench.opcodes() == [] && bench.syncs.isIdle)
            bench.syncs.isSuspended = false
            #expect(bench.opcodes() == [.lePeriodicAdvertisingCreateSync])
        }
    }
}
