import BLEAttribute
import BLEWire
import Testing

@testable import BLEHost

/// The security of a link, and operations that wait for it.
struct HostSecurityTests {
    private let bench = Bench()
    private let central: BenchHost
    private let peripheral: BenchHost
    private let link: LinkIdentifier
    private let peripheralLink: LinkIdentifier
    private let handle: UInt16

    init() throws {
        var configuration = HostConfiguration()
        configuration.suspendsForSecurity = true
        central = bench.ready(configuration)
        peripheral = bench.ready()
        let added = try #require(
            peripheral.addService(
                ServiceDefinition(
                    uuid: TestService.service, isPrimary: true, includedServices: [],
                    characteristics: [
                        CharacteristicDefinition(
                            uuid: TestService.characteristic, properties: 0x0A, permissions: 0x0C, value: nil,
                            descriptors: [])
                    ])))
        (link, peripheralLink) = try #require(bench.link(central, peripheral))
        handle = try #require(added.characteristics.first?.valueHandle)
        peripheral.values[handle] = [1]
    }

    private var required: [ATT.ErrorCode] {
        central.events.compactMap { if case .securityRequired(link, _, let code) = $0.event { code } else { nil } }
    }

    private func read(id: UInt32) {
        central.host.submit(.read(handle: handle), id: id, on: link, at: bench.now)
        bench.settle()
    }

    @Test func aRefusedOperationWaitsForTheLinksSecurity() {
        read(id: 1)
        #expect(required == [.insufficientAuthentication] && central.completions.isEmpty)
        bench.run(.seconds(100))
        #expect(central.disconnected.isEmpty, "no transaction runs out of time")
        peripheral.host.setSecurity(.encrypted, of: peripheralLink)
        central.host.resumeOperation(repeating: true, on: link, at: bench.now)
        bench.settle()
        #expect(central.result(1) == .success(.value([1])))
    }

    @Test func theSecurityOfALinkDecidesAboutAttributes() {
        #expect(peripheral.host.security(of: peripheralLink) == LinkSecurity.none)
        peripheral.host.setSecurity(.encrypted, of: peripheralLink)
        read(id: 1)
        #expect(central.result(1) == .success(.value([1])))
        // The devices share a key and the link is not encrypted.
        peripheral.host.setSecurity(
            LinkSecurity(keySize: 0, isAuthenticated: false, isSecureConnections: false, isBonded: true),
            of: peripheralLink)
        read(id: 2)
        #expect(required == [.insufficientEncryption])
        central.host.resumeOperation(repeating: false, on: link, at: bench.now)
        bench.settle()
        #expect(central.result(2) == .failure(.attribute(0x0F)))
    }

    @Test func aSuspendedOperationCanBeCancelledAndEndsWithItsLink() {
        read(id: 1)
        let isTaken = central.host.cancelOperation(1, on: link, at: bench.now)
        #expect(isTaken)
        read(id: 2)
        #expect(required.count == 2)
        peripheral.host.disconnect(peripheralLink, at: bench.now)
        bench.settle()
        central.host.resumeOperation(repeating: true, on: link, at: bench.now)
        bench.settle()
        #expect(central.completions.isEmpty && central.disconnected.count == 1)
        #expect(central.host.security(of: link) == nil)
    }

    @Test func withoutExtendedAdvertisingOnlyTheLegacySetAdvertises() {
        let set = AdvertisingSet(handle: 1)
        peripheral.host.setAdvertising(nil, at: bench.now)
        bench.settle()
        peripheral.clearEvents()
        peripheral.host.setAdvertising(AdvertisingParameters(data: [2, 1, 6]), of: set, at: bench.now)
        bench.settle()
        guard case .advertisingChanged(set, .unsupportedFeatureOrParameterValue)? = peripheral.events.first?.event
        else {
            Issue.record("\(peripheral.events)")
            return
        }
        #expect(peripheral.events.count == 1 && peripheral.host.access.advertisers[set] == nil)
    }
}

extension LinkSecurity {
    static let encrypted = LinkSecurity(
        keySize: 16, isAuthenticated: false, isSecureConnections: true, isBonded: false)
}
