import BLEWire
import Testing

@testable import BLEHost

/// Knowledge of trains over links (Vol 4, Part E, 7.8.89 to 7.8.92).
struct PeriodicTransferTests {
    /// 7.8.89 to 7.8.91.
    @Test func knowledgeOfTrainsIsTransferred() {
        var bench = SyncBench()
        #expect(bench.tell(1, to: 0x40) == .unknownAdvertisingIdentifier)
        _ = bench.request(1)
        _ = bench.settle()
        bench.establish(1, 0x21)
        _ = bench.takeEvents()
        let parameters = PeriodicSyncParameters(skip: 2, timeout: 400, filtersDuplicates: true)
        let set = AdvertisingSet(handle: 3)
        #expect(bench.tell(1, to: 0x40, serviceData: 0x1234) == nil)
        #expect(bench.tell(set, to: 0x41, serviceData: 0x5678) == nil)
        #expect(bench.accept(parameters, from: 0x42) == nil && bench.accept(nil, from: 0x43) == nil)
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
                .transferEnded(.train(SyncBench.train(1)), SyncBench.link(0x40), nil),
                .transferEnded(.set(set), SyncBench.link(0x41), .unsupportedRemoteFeature),
                .transferEnded(.acceptance, SyncBench.link(0x42), nil),
                .transferEnded(.acceptance, SyncBench.link(0x43), nil),
            ])
        for _ in 0..<PeriodicSyncs.transferLimit { #expect(bench.accept(nil, from: 1) == nil) }
        #expect(bench.accept(nil, from: 1) == .memoryCapacityExceeded)
        #expect(bench.accept(.init(timeout: 9), from: 1) == .invalidHCICommandParameters)
    }

    /// Transfers that wait end with their link, and with the train of which they tell. One that is sent gets its answer.
    @Test func waitingTransfersEndWithTheirLinkAndTheirTrain() {
        var bench = SyncBench()
        _ = bench.request(1)
        _ = bench.settle()
        for round in 1...2 as ClosedRange<UInt16> {
            if round == 2 {
                _ = bench.request(1)
                _ = bench.settle()
            }
            bench.establish(1, round)
            _ = bench.takeEvents()
            for handle in [0x40, 0x41, 0x40, 0x42] as [UInt16] { #expect(bench.tell(1, to: handle) == nil) }
            let sent = bench.syncs.next(at: bench.now)
            let train = PeriodicTransfer.train(SyncBench.train(1))
            let ended = bench.syncs.linkEnded(SyncBench.link(0x40))
            #expect(ended == [.transferEnded(train, SyncBench.link(0x40), .unknownConnectionIdentifier)])
            let lost = bench.syncs.receive(HCI.LEPeriodicAdvertisingSyncLost(syncHandle: round))
            let remaining = [0x41, 0x42].map {
                PeriodicEvent.transferEnded(train, SyncBench.link($0), .unknownAdvertisingIdentifier)
            }
            #expect(lost == remaining + [.lost(SyncBench.train(1))])
            let parameters = sent.map { bench.send($0).parameters } ?? []
            #expect(parameters.prefix(2) == [0x40, 0])
            let answer = bench.syncs.completed(.unknownConnectionIdentifier, at: bench.now)
            #expect(answer == [.transferEnded(train, SyncBench.link(0x40), .unknownConnectionIdentifier)])
            #expect(bench.opcodes() == [] && bench.syncs.isUnused)
        }
    }

    private func received(
        _ status: HCI.ErrorCode, _ handle: UInt16, _ sid: UInt8
    ) -> HCI.LEPeriodicAdvertisingSyncTransferReceived {
        .init(
            status: status, connectionHandle: 0x40, serviceData: 9, syncHandle: handle, advertisingSID: sid,
            advertiserAddress: SyncBench.train(1).address, advertiserPHY: .le2M, interval: 80,
            advertiserClockAccuracy: .ppm50)
    }

    /// 7.7.65.24.
    @Test func aTrainOfWhichAPeerTellsIsReceived() {
        var bench = SyncBench()
        let link = SyncBench.link(0x40)
        #expect(bench.accept(.init(), from: 0x40) == nil)
        _ = bench.request(1)
        _ = bench.settle()
        let train = SyncBench.train(1)
        #expect(
            bench.syncs.receive(received(.connectionFailedToBeEstablished, 0, 1), from: train.address, on: link) == [])
        #expect(
            bench.syncs.receive(received(.success, 5, 1), from: train.address, on: link) == [
                .transferred(train, SyncBench.reception, from: link, serviceData: 9)
            ])
        // The search for it is not needed any more.
        #expect(bench.opcodes() == [.lePeriodicAdvertisingCreateSyncCancel] && bench.syncs[5] == train)
        // Trains beyond the limit end.
        for number in 0..<UInt16(PeriodicSyncs.limit) {
            _ = bench.syncs.receive(received(.success, 10 + number, 2), from: train.address, on: link)
        }
        bench.establish(1, 0, .operationCancelledByHost)
        #expect(bench.opcodes() == [.lePeriodicAdvertisingTerminateSync])
        #expect(bench.syncs.received.count == PeriodicSyncs.limit)
    }

    /// A requested train of which a peer tells does not count twice, at the limit.
    @Test func aRequestedTrainMayBeTold() {
        var bench = SyncBench()
        _ = bench.accept(.init(), from: 0x40)
        _ = bench.settle()
        for number in 1...UInt8(PeriodicSyncs.limit) { #expect(bench.request(number) == nil) }
        let told = bench.syncs.receive(
            received(.success, 5, 1), from: SyncBench.train(1).address, on: SyncBench.link(0x40))
        #expect(told.count == 1 && bench.syncs[5] == SyncBench.train(1))
        #expect(!bench.opcodes().contains(.lePeriodicAdvertisingTerminateSync))
    }

    /// A train that no one accepts, or whose link has ended, ends. The next link begins without acceptance.
    @Test func trainsThatAreNotAcceptedEnd() {
        var bench = SyncBench()
        let link = SyncBench.link(0x40)
        for round in 0..<4 {
            if round == 1 { _ = bench.accept(.init(), from: 0x40) }
            if round == 3 { #expect(bench.syncs.linkEnded(link) == []) }
            _ = bench.settle()
            let events = bench.syncs.receive(
                received(.success, 5, 1), from: SyncBench.train(1).address, on: round == 2 ? nil : link)
            #expect(events.isEmpty == (round != 1), "round \(round)")
            if round == 1 { bench.syncs.end(SyncBench.train(1)) }
            #expect(bench.opcodes() == [.lePeriodicAdvertisingTerminateSync] && bench.syncs.received.isEmpty)
        }
    }
}
