import BLEWire
import Testing

@testable import BLEController

/// A host that stops an activity in the middle of a PDU: the PDU ends there, and nothing answers it.
struct StoppedActivityTests {
    private let bench = Bench()
    private let host: RawHost
    private let other: RawHost

    init() {
        host = bench.addHost()
        other = bench.addHost()
    }

    private var isSending: Bool { bench.radio.medium.devices[Int(host.identifier.rawValue)].sending >= 0 }

    private var isSendingTrain: Bool {
        let index = Int(bench.radio.medium.devices[Int(host.identifier.rawValue)].sending)
        return index >= 0 && bench.radio.medium.transmissions[index].accessAddress != LL.advertisingAccessAddress
    }

    /// Runs until the host's device sends, after `skipped` PDUs.
    private func awaitPDU(skipping skipped: Int = 0) -> Bool {
        for _ in 0..<skipped {
            guard bench.run(atMost: .seconds(5), until: { isSending }),
                bench.run(atMost: .seconds(5), until: { !isSending })
            else { return false }
        }
        return bench.run(atMost: .seconds(5)) { isSending }
    }

    @Test(arguments: ["legacy", "extended", "reset"]) func anAdvertisementEnds(how: String) {
        if how == "extended" { other.scanExtended(.passive) } else { other.scan(.passive) }
        for round in 0..<4 {
            if how == "extended" {
                #expect(host.advertiseExtended(bench, [], data: [2, 1, 6]) == .success)
            } else {
                host.send(HCI.LESetRandomAddress(address: host.address))
                host.advertise(interval: 0x20)
            }
            // ADV_EXT_IND on three channels, then AUX_ADV_IND.
            #expect(awaitPDU(skipping: round))
            other.events.removeAll()
            switch how {
            case "legacy": host.send(HCI.LESetAdvertisingEnable(enable: false))
            case "extended": #expect(host.disable(bench, [0]) == .success)
            default:
                host.send(HCI.Reset())
                host.send(HCI.SetEventMask(mask: HCI.EventMask(rawValue: .max)))
            }
            bench.deliver()
            #expect(!isSending, "\(how), round \(round)")
            bench.run(for: .milliseconds(100))
            #expect(other.reports.isEmpty && other.extendedReports.allSatisfy { $0.data.isEmpty })
        }
    }

    /// A controller that leaves the radio takes its PDU with it.
    @Test func aRemovedControllerIsSilent() {
        other.scan(.passive)
        host.advertise(interval: 0x20)
        #expect(bench.run(atMost: .seconds(5)) { !other.reports.isEmpty })
        #expect(awaitPDU(skipping: 1))
        other.events.removeAll()
        bench.radio.removeController(host.identifier)
        #expect(!isSending)
        bench.run(for: .milliseconds(200))
        #expect(other.reports.isEmpty)
    }

    @Test func aTrainEnds() throws {
        #expect(host.advertisePeriodically(bench, data: [1, 2, 3], advertisingInterval: 0x4000) == .success)
        other.unmaskPeriodic()
        other.scanExtended()
        #expect(other.createSync(bench, with: host) == .success)
        #expect(bench.run(atMost: .seconds(40)) { !other.established.isEmpty })
        for _ in 0..<2 {
            let last = other.established.last
            bench.run(for: .milliseconds(250))
            #expect(!other.periodicReports.isEmpty)
            #expect(bench.run(atMost: .seconds(1)) { isSendingTrain })
            other.events.removeAll()
            #expect(host.enablePeriodic(bench, 1, []) == .success)
            #expect(!isSending)
            bench.run(for: .milliseconds(500))
            #expect(other.periodicReports.isEmpty)
            // A train that begins anew has another access address.
            #expect(host.enablePeriodic(bench) == .success)
            let sync = try #require(other.established.last ?? last)
            let end = HCI.LEPeriodicAdvertisingTerminateSync(syncHandle: sync.syncHandle)
            #expect(other.status(bench, of: end) == .success)
            #expect(host.disable(bench) == .success && host.enable(bench, [1]) == .success)
            #expect(other.createSync(bench, with: host) == .success)
            let before = other.established.count
            #expect(bench.run(atMost: .seconds(40)) { other.established.count > before })
        }
    }

    /// A scan that ends takes back its request, also while the controller goes on listening for a connection.
    @Test(arguments: [false, true]) func aScanRequestEnds(isInitiating: Bool) {
        let air = AirRecord(bench)
        let response: [UInt8] = [3, 9, 0x41, 0x42]
        #expect(other.advertiseExtended(bench, .scannable, response: response) == .success)
        for _ in 0..<3 {
            if isInitiating { host.connectExtended(to: DeviceAddress(kind: .random, value: 0xC000_0000_0077)) }
            host.scanExtended(.active)
            #expect(awaitPDU())
            host.send(HCI.LESetExtendedScanEnable(enable: false))
            bench.deliver()
            #expect(!isSending)
            air.removeAll()
            bench.run(for: .milliseconds(5))
            #expect(!air.secondary.contains { $0.sender == other.identifier })
            // The next scan gets its response.
            host.events.removeAll()
            host.scanExtended(.active)
            #expect(bench.run(atMost: .seconds(5)) { host.extendedReports.contains { $0.data == response } })
            host.send(HCI.LESetExtendedScanEnable(enable: false))
            if isInitiating { host.send(HCI.LECreateConnectionCancel()) }
            bench.deliver()
        }
    }

    /// Only a request and the wait for its response are an exchange.
    @Test func aPursuitKnowsItsExchange() throws {
        var pursuits = AuxiliaryPursuits()
        let pointer = LL.AuxiliaryPointer(
            channel: 3, isClockAccurate: true, offset: 100, usesLongUnits: false, phyCode: 0)
        let appointment = try #require(
            AuxiliaryPursuit.Appointment(pointer, from: .zero, now: .zero, supported: .oneM))
        let announcement = AuxiliaryPursuit.Announcement(
            LL.ExtendedAdvertisement(mode: .scannable), LL.AdvertisingHeader(type: .extended), phy: .oneM)
        #expect(!pursuits.isExchanging && pursuits.current == nil)
        for (isExchanging, change) in [
            (false, { _ in }), (false, { $0.follow(to: appointment) }), (true, { $0.request() }),
            (
                true,
                {
                    $0.request()
                    $0.requestSent()
                }
            ),
        ] as [(Bool, (inout AuxiliaryPursuit) -> Void)] {
            var pursuit = AuxiliaryPursuit(announcement, at: appointment)
            change(&pursuit)
            pursuits.begin(pursuit)
            #expect(pursuits.isExchanging == isExchanging && pursuits.current == appointment)
            let taken = pursuits.takeCurrent()
            #expect(taken?.stage == pursuit.stage && !pursuits.isExchanging && pursuits.current == nil)
        }
    }
}
