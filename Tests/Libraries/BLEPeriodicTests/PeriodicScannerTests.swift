import BLEAdapter
import BLEPeriodic
import BLEWire
import Foundation
import Testing

/// The reception of trains for programs, over an adapter that does what the test says.
struct PeriodicScannerTests {
    private let adapter = ScriptedAdapter()

    private static let identifier = UUID(
        uuid: (0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0xC0, 0x11, 0x22, 0x33, 0x44, 0x55))

    @Test func aTrainIsFoundByNameIdentifierOrAddress() async throws {
        let scanner = PeriodicScanner(adapter: adapter)
        adapter.heard = [
            ScriptedAdapter.advertisement(1, name: "other"),
            ScriptedAdapter.advertisement(0xC011_2233_4455, name: "lamp", sid: 0xFF, isLegacy: true),
            ScriptedAdapter.advertisement(0xC011_2233_4455, name: "lamp", sid: 1, interval: 0),
            ScriptedAdapter.advertisement(0xC011_2233_4455, name: "lamp", sid: 2),
            ScriptedAdapter.advertisement(0xC011_2233_4455, name: "lamp", sid: 3),
        ]
        for (target, sid) in [
            (try .named("lamp"), 2), (try .named("lamp", set: 3), 3), (try .device(Self.identifier), 2),
            (try .device(Self.identifier, set: 3), 3), (try .address("c0:11:22:33:44:55"), 2),
            (try .address("C0:11:22:33:44:55", set: 3), 3),
        ] as [(PeriodicTarget, UInt8)] {
            let sync = try await scanner.synchronize(with: target, .init(skip: 4, timeout: .seconds(2)))
            #expect(
                adapter.requests.last
                    == PeriodicSyncRequest(
                        address: DeviceAddress(kind: .random, value: 0xC011_2233_4455), sid: sid, skip: 4,
                        timeout: 200))
            #expect(sync.device == Self.identifier && sync.name == "lamp" && sync.set == Int(sid))
            #expect(sync.interval == .milliseconds(100) && sync.phy == .le2M && !adapter.isScanning)
        }
        // Each of them has ended with its object.
        #expect(adapter.ended.count == 6 && Set(adapter.ended).count == 6)
    }

    @Test func reportsArriveUntilTheTrainIsLost() async throws {
        let scanner = PeriodicScanner(adapter: adapter)
        adapter.heard = [ScriptedAdapter.advertisement(1, name: "lamp")]
        for failure in [PeriodicFailure.lost, .notPoweredOn] {
            adapter.synchronize = { observer, _, token in
                observer.syncEstablished(PeriodicSyncProperties(phy: .le1M, interval: 80), token: token)
                let octets: [UInt8] = [2, 1, 6]
                observer.periodicReport(
                    octets.span, .init(rssi: -50, transmitPower: 4, isTruncated: false), token: token)
                observer.periodicReport(Span(), .init(rssi: 127, transmitPower: 127, isTruncated: true), token: token)
                observer.syncEnded(failure, token: token)
                // What comes late.
                observer.periodicReport(octets.span, .init(rssi: 0, transmitPower: 0, isTruncated: false), token: token)
            }
            let sync = try await scanner.synchronize(with: .named("lamp"))
            var reports: [PeriodicReport] = []
            var error: PeriodicError?
            do throws(PeriodicError) {
                for try await report in sync { reports.append(report) }
            } catch let thrown {
                error = thrown
            }
            #expect(error == (failure == .lost ? .lost : .poweredOff))
            #expect(reports.map(\.data) == [Data([2, 1, 6]), Data()] && reports.map(\.number) == [0, 1])
            #expect(reports.map(\.rssi) == [-50, nil] && reports.map(\.transmitPower) == [4, nil])
            #expect(reports.map(\.isTruncated) == [false, true])
        }
    }

    /// Each call gets its own answer, and a choice that is refused leaves the earlier one.
    @Test(.timeLimit(.minutes(10))) func choicesThatCrossAreAnsweredInTheirOrder() async throws {
        let scanner = PeriodicScanner(adapter: adapter)
        adapter.heard = [ScriptedAdapter.advertisement(1, name: "lamp")]
        adapter.synchronize = { observer, _, token in
            let subevents = HCI.PeriodicSubevents(received: 3, interval: 16, slotDelay: 4, slotSpacing: 8)
            observer.syncEstablished(
                PeriodicSyncProperties(phy: .le1M, interval: 80, subevents: subevents), token: token)
        }
        let (choices, chosen) = AsyncStream.makeStream(of: (subevents: [UInt8], token: Int).self)
        adapter.choose = { chosen.yield(($0, $1)) }
        let sync = try await scanner.synchronize(with: .named("lamp"))
        var asked = choices.makeAsyncIterator()
        var token = -1
        func call(_ subevent: Int) async throws -> Task<PeriodicError?, Never> {
            let task = Task { () -> PeriodicError? in
                do throws(PeriodicError) {
                    try await sync.receive(subevents: [subevent]) { _ in nil }
                    return nil
                } catch {
                    return error
                }
            }
            let choice = try #require(await asked.next())
            #expect(choice.subevents == [UInt8(subevent)])
            token = choice.token
            return task
        }
        let calls = [try await call(0), try await call(1), try await call(2)]
        let observer = try #require(adapter.observer)
        observer.subeventsChosen(.limit, token: token)
        observer.subeventsChosen(nil, token: token)
        #expect(await calls[0].value == .limit)
        #expect(await calls[1].value == nil)
        // The end of the train answers the rest.
        sync.end()
        #expect(await calls[2].value == .cancelled)
    }

    /// The newest reports stay, and their numbers show the gap.
    @Test func aSlowProgramLosesTheOldestReports() async throws {
        let scanner = PeriodicScanner(adapter: adapter)
        adapter.heard = [ScriptedAdapter.advertisement(1, name: "lamp")]
        adapter.synchronize = { observer, _, token in
            observer.syncEstablished(PeriodicSyncProperties(phy: .le1M, interval: 80), token: token)
            for _ in 0..<PeriodicSync.bufferLimit + 10 {
                observer.periodicReport(Span(), .init(rssi: 0, transmitPower: 0, isTruncated: false), token: token)
            }
        }
        let sync = try await scanner.synchronize(with: .named("lamp"))
        sync.end()
        var numbers: [Int] = []
        for try await report in sync { numbers.append(report.number) }
        #expect(numbers == Array(10..<PeriodicSync.bufferLimit + 10))
    }

    @Test func failedSearchesThrow() async throws {
        let scanner = PeriodicScanner(adapter: adapter)
        adapter.heard = [ScriptedAdapter.advertisement(1, name: "lamp")]
        for (failure, error) in [
            (.notReceived, .notReceived), (.limit, .limit), (.controller(9), .controller(9)),
        ] as [(PeriodicFailure, PeriodicError)] {
            adapter.synchronize = { observer, _, token in observer.syncEnded(failure, token: token) }
            await #expect(throws: error) { try await scanner.synchronize(with: .named("lamp")) }
        }
        adapter.observer?.adapterStateChanged(.poweredOff)
        await #expect(throws: PeriodicError.poweredOff) { try await scanner.synchronize(with: .named("lamp")) }
        #expect(adapter.requests.count == 3)
    }

    /// A device tells of a train, once for each call; the program passes it on.
    @Test func aTrainIsReceivedFromADeviceAndPassedOn() async throws {
        let scanner = PeriodicScanner(adapter: adapter)
        for round in 1...2 {
            let sync = try await scanner.receiveTransfer(
                from: Self.identifier, .init(skip: 4, timeout: .seconds(2)))
            #expect(sync.device == Self.identifier && sync.name == "lamp" && sync.set == 5)
            #expect(sync.interval == .milliseconds(200) && sync.phy == .coded && sync.transferValue == 0xABCD)
            let accepted = try #require(adapter.acceptances.last)
            #expect(accepted.peer == PeerIdentifier(high: 7, low: 0xC011_2233_4455))
            #expect(accepted.skip == 4 && accepted.timeout == 200 && !adapter.isScanning)
            try await sync.transfer(to: Self.identifier, value: UInt16(round))
            #expect(adapter.transfers.last?.serviceData == UInt16(round) && adapter.transfers.count == round)
            guard case .sync? = adapter.transfers.last?.source else {
                Issue.record("another train")
                return
            }
        }
        #expect(adapter.ended.count == 2 && adapter.requests.isEmpty)
        // A scan says nothing with the train.
        adapter.heard = [ScriptedAdapter.advertisement(1, name: "lamp")]
        #expect(try await scanner.synchronize(with: .named("lamp")).transferValue == nil)
    }

    @Test func failedTransfersThrow() async throws {
        let scanner = PeriodicScanner(adapter: adapter)
        let sync = try await scanner.receiveTransfer(from: Self.identifier)
        for (failure, error) in [
            (.notConnected, .notConnected), (.noTrain, .noTrain), (.unsupportedByPeer, .unsupportedByDevice),
            (.unsupported, .unsupported), (.notPoweredOn, .poweredOff), (.controller(9), .controller(9)),
        ] as [(PeriodicFailure, PeriodicError)] {
            adapter.transfer = { observer, _, token in observer.transferEnded(failure, token: token) }
            await #expect(throws: error) { try await sync.transfer(to: Self.identifier) }
            adapter.accept = { observer, _, token in observer.syncEnded(failure, token: token) }
            await #expect(throws: error) { try await scanner.receiveTransfer(from: Self.identifier) }
        }
        // An answer that nobody waits for.
        adapter.observer?.transferEnded(nil, token: 99)
    }

    @Test func aCancelledWaitForATransferEnds() async throws {
        let scanner = PeriodicScanner(adapter: adapter)
        adapter.accept = { _, _, _ in }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await scanner.receiveTransfer(from: Self.identifier)
        }
        await #expect(throws: PeriodicError.cancelled) { try await task.value }
        #expect(adapter.acceptances.count == adapter.ended.count)
    }

    @Test func aCancelledSearchEnds() async throws {
        let scanner = PeriodicScanner(adapter: adapter)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await scanner.synchronize(with: .named("lamp"))
        }
        await #expect(throws: PeriodicError.cancelled) { try await task.value }
        #expect(!adapter.isScanning)
    }

    @Test func valuesOutOfTheirRangesAreRefused() {
        for skip in [-1, 500] {
            #expect(throws: PeriodicError.skip(skip)) { try PeriodicScanner.Options(skip: skip) }
        }
        for timeout in [Duration.milliseconds(99), .milliseconds(163_841)] {
            #expect(throws: PeriodicError.timeout(timeout)) { try PeriodicScanner.Options(timeout: timeout) }
        }
        for set in [-1, 16] { #expect(throws: PeriodicError.set(set)) { try PeriodicTarget.named("", set: set) } }
        for text in [
            "", "C0:11:22:33:44", "C0:11:22:33:44:5G", "C0-11-22-33-44-55", "C0:11:22:33:44:55:66", "+0:11:22:33:44:55",
        ] {
            #expect(throws: PeriodicError.address(text)) { try PeriodicTarget.address(text) }
        }
    }
}
