import BLEHost
import BLEWire
import FaultBench
import Testing

/// Each packet that a controller sends in the life of a link, each way to get it wrong.
struct RunningFaultTests {
    static let ofCentral: [Misbehaviour.Target] = [
        .answer(.leSetExtendedScanParameters), .answer(.leSetExtendedScanEnable), .answer(.leExtendedCreateConnection),
        .answer(.leCreateConnectionCancel), .answer(.leReadRemoteFeatures), .answer(.leSetDataLength),
        .answer(.leSetPHY), .answer(.leConnectionUpdate), .answer(.readRSSI), .answer(.disconnect),
    ]
    static let ofPeripheral: [Misbehaviour.Target] = [
        .answer(.leSetExtendedAdvertisingParameters), .answer(.leSetAdvertisingSetRandomAddress),
        .answer(.leSetExtendedAdvertisingData), .answer(.leSetExtendedAdvertisingEnable),
        .leEvent(.advertisingSetTerminated),
    ]
    static let eventsOfBoth: [Misbehaviour.Target] = [
        .leEvent(.enhancedConnectionComplete), .leEvent(.connectionUpdateComplete), .leEvent(.dataLengthChange),
        .leEvent(.phyUpdateComplete), .event(.disconnectionComplete), .event(.numberOfCompletedPackets), .data,
    ]
    static let events =
        eventsOfBoth + [.leEvent(.extendedAdvertisingReport), .leEvent(.readRemoteFeaturesComplete)]
    /// Of hosts that use the legacy commands.
    static let legacyOfCentral: [Misbehaviour.Target] = [
        .answer(.leSetScanParameters), .answer(.leSetScanEnable), .answer(.leCreateConnection),
        .leEvent(.connectionComplete), .leEvent(.advertisingReport),
    ]
    static let legacyOfPeripheral: [Misbehaviour.Target] = [
        .answer(.leSetAdvertisingParameters), .answer(.leSetAdvertisingData), .answer(.leSetScanResponseData),
        .answer(.leSetAdvertisingEnable), .leEvent(.connectionComplete),
    ]

    /// A scan, an attempt that is given up, a link with traffic both ways, other parameters, and the end.
    private func live(_ bench: FaultBench) {
        let (central, peripheral) = (bench.central, bench.peripheral)
        central.host.setScanning(ScanParameters(), at: bench.now)
        central.host.connect(to: DeviceAddress(kind: .random, value: 0xC000_0000_0001), at: bench.now)
        peripheral.host.setAdvertising(
            AdvertisingParameters(data: [2, 1, 6], intervalMinimum: 640, intervalMaximum: 640), at: bench.now)
        bench.run(.seconds(1))
        central.host.cancelConnect(to: DeviceAddress(kind: .random, value: 0xC000_0000_0001), at: bench.now)
        bench.run(.seconds(1))
        central.host.setScanning(nil, at: bench.now)
        guard let link = bench.link(within: .seconds(10)) else { return }
        _ = central.submit(
            .setNotify(valueHandle: peripheral.valueHandle, end: 0xFFFF, mode: .notification), on: link, at: bench.now)
        bench.run(.seconds(1))
        _ = bench.exchange()
        for _ in 0..<8 {
            for other in peripheral.host.links {
                peripheral.host.notify(
                    [1, 2, 3].span, handle: peripheral.valueHandle, on: other.identifier, at: bench.now)
            }
        }
        central.host.requestConnectionParameters(
            link, RequestedConnectionParameters(intervalMinimum: 60, intervalMaximum: 60, latency: 0, timeout: 400),
            at: bench.now)
        bench.run(.seconds(2))
        central.host.disconnect(link, at: bench.now)
        bench.run(.seconds(10)) { bench.hosts.allSatisfy { $0.host.links.isEmpty } }
        // What comes late comes within 2.5 s.
        bench.run(.seconds(3))
    }

    private func check(_ test: Case, atCentral: Bool, times: Int?) {
        // Fewer events of links and advertisers: a shorter test.
        let bench = FaultBench(seed: 5) { _, configuration in
            configuration.usesExtendedAdvertising = test.isExtended
            configuration.connectionParameters = RequestedConnectionParameters(
                intervalMinimum: 240, intervalMaximum: 240, latency: 0, timeout: 400)
        }
        bench.advertisingInterval = 640
        for host in bench.hosts { host.host.start(at: bench.now) }
        bench.run(.seconds(1))
        let host = atCentral ? bench.central : bench.peripheral
        host.misbehaviour = (test.how, test.target, times)
        live(bench)
        let wasWrong = host.misbehaved > 0
        host.misbehaviour = nil
        let start = bench.now
        #expect(bench.freshLink(attempts: 3), "\(bench.central.states) \(bench.peripheral.states)")
        #expect(bench.now - start < .seconds(120))
        bench.rest()
        #expect(bench.problems.isEmpty)
        // Else this shows nothing.
        #expect(wasWrong)
    }

    struct Case: Sendable {
        var target: Misbehaviour.Target
        var how: Misbehaviour
        var isExtended: Bool
    }

    private static func cases(_ targets: [Misbehaviour.Target], isExtended: Bool = true) -> [Case] {
        targets.flatMap { target in
            Misbehaviour.allCases.filter { $0.exists(for: target) }.map {
                Case(target: target, how: $0, isExtended: isExtended)
            }
        }
    }

    @Test(arguments: cases(ofCentral + events) + cases(legacyOfCentral, isExtended: false))
    func aCentralSurvivesItsController(_ test: Case) {
        check(test, atCentral: true, times: 1)
        check(test, atCentral: true, times: nil)
    }

    @Test(arguments: cases(ofPeripheral + eventsOfBoth) + cases(legacyOfPeripheral, isExtended: false))
    func aPeripheralSurvivesItsController(_ test: Case) {
        check(test, atCentral: false, times: 1)
        check(test, atCentral: false, times: nil)
    }
}
