import BLECrypto
import BLEWire
import Testing

@testable import BLEController

/// Roles with an own address that the controller has or lacks.
@Suite struct OwnAddressTests {
    private let bench = Bench()

    /// A controller after a reset: without a random address.
    private func host(publicAddress: UInt64?) -> RawHost {
        let host = bench.addHost {
            $0.publicAddress = publicAddress.map { DeviceAddress(kind: .public, value: $0) }
        }
        host.send(HCI.Reset())
        bench.deliver()
        host.events.removeAll()
        return host
    }

    /// The status of the latest command.
    private func status(_ host: RawHost) -> HCI.ErrorCode? {
        bench.deliver()
        defer { host.events.removeAll() }
        guard let event = host.events.last else { return nil }
        // Command Complete has it behind the opcode, Command Status in front.
        return HCI.ErrorCode(rawValue: event[0] == 0x0E ? event[5] : event[2])
    }

    private func outcomes(_ host: RawHost, _ type: HCI.OwnAddressType) -> [HCI.ErrorCode?] {
        var outcomes: [HCI.ErrorCode?] = []
        host.send(HCI.LESetAdvertisingParameters(ownAddressType: type))
        #expect(status(host) == .success)
        host.send(HCI.LESetAdvertisingEnable(enable: true))
        outcomes.append(status(host))
        for kind in [HCI.ScanType.passive, .active] {
            host.send(
                HCI.LESetScanParameters(
                    scanType: kind, interval: 16, window: 16, ownAddressType: type, filterPolicy: .everyone))
            #expect(status(host) == .success)
            host.send(HCI.LESetScanEnable(enable: true, filterDuplicates: false))
            outcomes.append(status(host))
            host.send(HCI.LESetScanEnable(enable: false, filterDuplicates: false))
            #expect(status(host) == .success)
        }
        host.send(
            HCI.LECreateConnection(
                scanInterval: 16, scanWindow: 16, filterPolicy: .peerAddress,
                peerAddress: DeviceAddress(kind: .public, value: 9), ownAddressType: type, intervalMinimum: 24,
                intervalMaximum: 24, maximumLatency: 0, supervisionTimeout: 100))
        outcomes.append(status(host))
        return outcomes
    }

    @Test func aMissingAddressIsAnInvalidParameter() {
        let refused = [HCI.ErrorCode?](repeating: .invalidHCICommandParameters, count: 4)
        #expect(outcomes(host(publicAddress: nil), .public) == refused)
        #expect(outcomes(host(publicAddress: 5), .random) == refused)
    }

    @Test func anExistingAddressIsUsed() {
        let accepted = [HCI.ErrorCode?](repeating: .success, count: 4)
        #expect(outcomes(host(publicAddress: 5), .public) == accepted)
        let random = host(publicAddress: nil)
        random.send(HCI.LESetRandomAddress(address: random.address))
        #expect(status(random) == .success)
        #expect(outcomes(random, .random) == accepted)
    }

    @Test func theIdentifierOfAReusableControllerIsReused() {
        let radio = VirtualRadio(seed: 1, crypto: { SwiftCryptoProvider(generator: $0) })
        let first = radio.addController()
        let second = radio.addController()
        radio.removeController(first, isReusable: true)
        #expect(radio.status(of: first) == nil)
        let third = radio.addController()
        #expect(third == first && radio.status(of: third) != nil)
        radio.removeController(second)
        #expect(radio.addController() != second)
    }

    @Test func anIdentifierReleasedDuringAPacketCanBeReused() throws {
        let bench = Bench()
        let scanner = bench.addHost()
        let gone = bench.addHost()
        scanner.scan()
        gone.advertise(interval: 0x20)
        #expect(bench.run(atMost: .seconds(1)) { !scanner.reports.isEmpty })
        // In the middle of an event: the packet on the air is cut.
        bench.radio.advance(to: try #require(bench.radio.nextDeadline))
        bench.radio.removeController(gone.identifier, isReusable: true)
        bench.hosts.removeAll { $0 === gone }
        let next = bench.addHost()
        #expect(next.identifier == gone.identifier)
        scanner.events.removeAll()
        next.advertise(interval: 0x20, data: [2, 1, 4])
        bench.run(for: .seconds(1))
        #expect(scanner.reports.count > 10)
        #expect(scanner.reports.allSatisfy { $0.data != [2, 1, 6] })
        #expect(bench.connect(scanner, next) != nil)
    }
}
