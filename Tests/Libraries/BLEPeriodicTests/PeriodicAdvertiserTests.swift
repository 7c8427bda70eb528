import BLEAdapter
import BLEWire
import Foundation
import Testing

@testable import BLEPeriodic

/// Periodic advertising for programs, over an adapter that does what the test says.
struct PeriodicAdvertiserTests {
    private let adapter = ScriptedAdapter()

    @Test func theTrainHasItsValues() async throws {
        let advertiser = try PeriodicAdvertiser(
            adapter: adapter, name: "lamp", set: 5, interval: .milliseconds(500), includesTransmitPower: true,
            phy: .coded)
        for round in 1...2 as ClosedRange<UInt8> {
            try await advertiser.start(Data([2, 1, round]))
            #expect(advertiser.isAdvertising)
            try await advertiser.update(Data([3, 1, round, 0]))
            advertiser.stop()
            #expect(!advertiser.isAdvertising && adapter.stops == Int(round))
            #expect(
                adapter.advertisements.suffix(2) == [
                    PeriodicAdvertisement(
                        announcement: [5, 9] + Array("lamp".utf8), data: [2, 1, round], sid: 5, interval: 400,
                        includesTransmitPower: true, phy: .leCoded),
                    PeriodicAdvertisement(
                        announcement: [5, 9] + Array("lamp".utf8), data: [3, 1, round, 0], sid: 5, interval: 400,
                        includesTransmitPower: true, phy: .leCoded),
                ])
        }
        let plain = try PeriodicAdvertiser(adapter: adapter)
        try await plain.start(Data())
        #expect(adapter.advertisements.last == PeriodicAdvertisement(data: []))
    }

    @Test func theTrainIsToldToADevice() async throws {
        let advertiser = try PeriodicAdvertiser(adapter: adapter)
        let device = UUID()
        try await advertiser.start(Data([1, 0]))
        for value in [0, 0xFFFF] as [UInt16] {
            try await advertiser.transfer(to: device, value: value)
            #expect(adapter.transfers.last?.source == .advertisement && adapter.transfers.last?.serviceData == value)
        }
        adapter.transfer = { observer, _, token in observer.transferEnded(.unsupportedByPeer, token: token) }
        await #expect(throws: PeriodicError.unsupportedByDevice) { try await advertiser.transfer(to: device) }
        // The train goes on.
        #expect(advertiser.isAdvertising)
    }

    /// A transfer that waits ends with the session.
    @Test func theEndOfTheAdvertiserEndsItsTransfers() async {
        let core = PeriodicAdvertiserCore()
        core.connect(adapter.openPeriodic(.advertiser, observer: core))
        adapter.transfer = { _, _, _ in core.close() }
        for _ in 0..<2 {
            await #expect(throws: PeriodicError.cancelled) { try await core.transfer(to: UUID(), 1) }
        }
        #expect(adapter.transfers.count == 1)
    }

    @Test func valuesOutOfTheirRangesAreRefused() throws {
        let name = String(repeating: "a", count: 249)
        #expect(throws: PeriodicError.name(name)) { try PeriodicAdvertiser(adapter: adapter, name: name) }
        for set in [-1, 16] {
            #expect(throws: PeriodicError.set(set)) { try PeriodicAdvertiser(adapter: adapter, set: set) }
        }
        for interval in [Duration.microseconds(7_499), .microseconds(81_918_751), .zero, .seconds(-1)] {
            #expect(throws: PeriodicError.interval(interval)) {
                try PeriodicAdvertiser(adapter: adapter, interval: interval)
            }
        }
        #expect(adapter.sessionCount == 0)
        for interval in [Duration.microseconds(7_500), .microseconds(81_918_750)] {
            _ = try PeriodicAdvertiser(adapter: adapter, set: 15, interval: interval)
        }
    }

    /// A refused update leaves the train, if the adapter says so.
    @Test(arguments: [true, false]) func refusalsAreThrown(isStillOn: Bool) async throws {
        let advertiser = try PeriodicAdvertiser(adapter: adapter)
        for _ in 0..<2 {
            try await advertiser.start(Data([1, 0]))
            adapter.advertise = { observer, _ in
                observer.periodicAdvertisingChanged(.dataTooLong, isAdvertising: isStillOn)
            }
            await #expect(throws: PeriodicError.dataTooLong) { try await advertiser.update(Data([2, 0, 0])) }
            #expect(advertiser.isAdvertising == isStillOn)
            adapter.advertise = { observer, _ in observer.periodicAdvertisingChanged(nil, isAdvertising: true) }
        }
    }

    @Test(
        arguments: [
            (.poweredOff, .poweredOff), (.unsupported, .unsupported), (.unauthorized, .unsupported),
        ] as [(AdapterState, PeriodicError)])
    func statesWithoutBluetoothAreErrors(state: AdapterState, error: PeriodicError) async throws {
        adapter.state = state
        let advertiser = try PeriodicAdvertiser(adapter: adapter)
        await #expect(throws: error) { try await advertiser.start(Data()) }
        #expect(adapter.advertisements.isEmpty)
        adapter.observer?.adapterStateChanged(.poweredOn)
        try await advertiser.start(Data())
        #expect(advertiser.isAdvertising)
    }

    /// An adapter that has no periodic advertising at all.
    @Test func otherAdaptersRefuse() async throws {
        let advertiser = try PeriodicAdvertiser(adapter: PlainAdapter())
        await #expect(throws: PeriodicError.unsupported) { try await advertiser.start(Data()) }
        let scanner = PeriodicScanner(adapter: PlainAdapter())
        await #expect(throws: PeriodicError.unsupported) { try await scanner.synchronize(with: .named("lamp")) }
    }

    /// The train ends with the last reference.
    @Test func theSessionEndsWithTheAdvertiser() async throws {
        var advertiser: PeriodicAdvertiser? = try PeriodicAdvertiser(adapter: adapter)
        try await advertiser?.start(Data())
        #expect(adapter.sessionCount == 1)
        advertiser = nil
        #expect(adapter.sessionCount == 0)
    }
}

/// An adapter without periodic advertising.
private final class PlainAdapter: BluetoothAdapter {
    func openCentral(observer: any CentralObserver) -> any CentralSession { UnavailableSession() }
    func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession { UnavailableSession() }
}
