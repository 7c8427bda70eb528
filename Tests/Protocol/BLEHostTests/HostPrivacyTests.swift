import BLEController
import BLECrypto
import BLESecurity
import BLEWire
import Testing

@testable import BLEHost

/// Hosts with private addresses on the air. The controllers resolve addresses, or leave that to the hosts.
struct HostPrivacyTests {
    private let bench = RadioBench(seed: 3)
    /// Senders of advertising PDUs, by controller.
    private let air = AirSenders()

    private final class AirSenders {
        var addresses: [ControllerIdentifier: [DeviceAddress]] = [:]
    }

    init() {
        let air = air
        bench.radio.airObserver = { packet in
            guard packet.accessAddress == LL.advertisingAccessAddress, packet.pdu.count >= 8 else { return }
            var value: UInt64 = 0
            for index in 0..<6 { value |= UInt64(packet.pdu[2 + index]) << (8 * UInt64(index)) }
            let address = DeviceAddress(kind: packet.pdu[0] & 0x40 == 0 ? .public : .random, value: value)
            if air.addresses[packet.sender]?.last != address {
                air.addresses[packet.sender, default: []].append(address)
            }
        }
    }

    private static func address(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(kind: .random, value: 0xC0DE_0000_0000 | number)
    }

    private static func key(_ number: UInt64) -> IdentityResolvingKey {
        IdentityResolvingKey(value: UInt128(number) << 90 | 5)
    }

    private static func bond(with number: UInt64) -> Bond {
        Bond(
            peer: address(number),
            security: LinkSecurity(keySize: 16, isAuthenticated: false, isSecureConnections: true, isBonded: true),
            usesDebugKeys: false, localKey: nil, peerKey: nil, peerIdentityKey: key(number), localSignatureKey: nil,
            peerSignatureKey: nil, linkKey: nil)
    }

    /// A host with an identity, a private address that lasts 10 s, and bonds.
    private func device(
        _ number: UInt64, bonds: [UInt64] = [], listSize: UInt8 = 32, isPrivate: Bool = true,
        mode: PrivacyMode = .device
    ) -> RadioHost {
        var configuration = HostConfiguration()
        configuration.identityAddress = Self.address(number)
        configuration.privacy.usesPrivateAddress = isPrivate
        configuration.privacy.addressLifetime = .seconds(10)
        configuration.privacy.mode = mode
        var controller = ControllerConfiguration()
        controller.resolvingListSize = listSize
        return bench.ready(
            configuration, controller, crypto: SwiftCryptoProvider(generator: SeededRandom(seed: number))
        ) { host in
            host.host.pairingSettings.identityKey = Self.key(number)
            for bond in bonds { host.host.addBond(Self.bond(with: bond)) }
        }
    }

    private func owns(_ number: UInt64, _ address: DeviceAddress) -> Bool {
        SwiftCryptoProvider(generator: SeededRandom(seed: 0)).resolves(address, Self.key(number))
    }

    private func refusedCommands(_ host: RadioHost) -> [HCI.Opcode] {
        host.events.compactMap { if case .controllerError(let opcode, _) = $0.event { opcode } else { nil } }
    }

    private func reported(by host: RadioHost) -> [DeviceAddress] {
        host.events.compactMap { if case .advertisingReport(let report) = $0.event { report.address } else { nil } }
    }

    private func advertise(_ host: RadioHost) {
        host.host.setAdvertising(AdvertisingParameters(data: [2, 1, 6], scanResponse: [2, 9, 0x41]), at: bench.now)
    }

    /// Waits for a number of links, and repeats attempts that fail: CONNECT_IND may collide with another packet.
    private func connects(_ central: RadioHost, to number: UInt64, count: Int) -> Bool {
        var seen = 0
        return bench.run(.seconds(10)) {
            let failed = central.events.count { if case .connectionFailed = $0.event { true } else { false } }
            if failed > seen {
                seen = failed
                central.host.connect(to: Self.address(number), at: bench.now)
            }
            return central.connected.count == count
        }
    }

    // MARK: Addresses on the air

    /// The address changes while the host advertises, scans and initiates: the roles pause for each change.
    @Test(arguments: [32, 0] as [UInt8])
    func aStrangerSeesPrivateAddressesThatChange(listSize: UInt8) {
        let (device, stranger) = (device(1, listSize: listSize), device(2, isPrivate: false))
        advertise(device)
        device.host.setScanning(ScanParameters(), at: bench.now)
        device.host.connect(to: Self.address(99), at: bench.now)
        advertise(stranger)
        stranger.host.setScanning(ScanParameters(), at: bench.now)
        bench.run(.seconds(35))
        let seen = reported(by: stranger)
        #expect(seen.count > 100 && Set(seen).count == 4)
        // Every PDU counts, also the scan requests.
        let sent = air.addresses[device.controller] ?? []
        #expect(sent.count == 4 && sent.allSatisfy { owns(1, $0) })
        #expect(Set(seen) == Set(sent))
        #expect(Set(air.addresses[stranger.controller] ?? []) == [Self.address(2)])
        #expect(refusedCommands(device).isEmpty && device.violations.isEmpty)
        // The scan went on.
        #expect(reported(by: device).count > 100 && Set(reported(by: device)) == [Self.address(2)])
        #expect(device.address == Self.address(1), "the identity of the host stays")
    }

    @Test(arguments: [32, 0] as [UInt8])
    func reportsHaveTheIdentityOfABondedPeer(listSize: UInt8) {
        let (device, watcher) = (device(1, bonds: [2]), device(2, bonds: [1], listSize: listSize, isPrivate: false))
        advertise(device)
        watcher.host.setScanning(ScanParameters(), at: bench.now)
        bench.run(.seconds(25))
        #expect(Set(air.addresses[device.controller] ?? []).count == 3)
        #expect(reported(by: watcher).count > 100 && Set(reported(by: watcher)) == [Self.address(1)])
        // Without the bond the private address is all that the watcher gets.
        watcher.host.removeBond(Self.address(1))
        bench.run(.seconds(1))
        let before = watcher.events.count
        bench.run(.seconds(5))
        let later = watcher.events[before...].compactMap {
            if case .advertisingReport(let report) = $0.event { report.address } else { nil }
        }
        #expect(!later.isEmpty && later.allSatisfy { owns(1, $0) })
        #expect(refusedCommands(watcher).isEmpty)
    }

    /// A peer with an IRK may use its identity address in device privacy mode, not in network privacy mode.
    @Test(arguments: [32, 0] as [UInt8], [PrivacyMode.device, .network])
    func theModeDecidesAboutIdentityAddresses(listSize: UInt8, mode: PrivacyMode) {
        let peer = device(1, isPrivate: false)
        let watcher = device(2, bonds: [1], listSize: listSize, isPrivate: false, mode: mode)
        advertise(peer)
        watcher.host.setScanning(ScanParameters(), at: bench.now)
        bench.run(.seconds(2))
        #expect(reported(by: watcher).isEmpty == (mode == .network))
        #expect(refusedCommands(watcher).isEmpty)
    }

    // MARK: Links

    @Test(arguments: [32, 0] as [UInt8], [32, 0] as [UInt8])
    func bondedPeersConnectByIdentityAfterEachChange(centralList: UInt8, peripheralList: UInt8) throws {
        let central = device(1, bonds: [2], listSize: centralList)
        let peripheral = device(2, bonds: [1], listSize: peripheralList)
        var used: Set<DeviceAddress> = []
        for round in 1...3 {
            advertise(peripheral)
            central.host.connect(to: Self.address(2), at: bench.now)
            #expect(connects(central, to: 2, count: round))
            let (there, here) = (try #require(central.connected.last), try #require(peripheral.connected.last))
            #expect(central.host.information(of: there)?.peer == Self.address(2))
            #expect(peripheral.host.information(of: here)?.peer == Self.address(1))
            // Pairing uses the addresses of CONNECT_IND.
            let addresses = try #require(central.host.connections[there]?.onAir)
            #expect(owns(1, addresses.local) && owns(2, addresses.peer))
            let answered = try #require(peripheral.host.connections[here]?.onAir)
            #expect(answered.local == addresses.peer && answered.peer == addresses.local)
            used.formUnion([addresses.local, addresses.peer])
            central.host.disconnect(there, at: bench.now)
            peripheral.host.setAdvertising(nil, at: bench.now)
            bench.run(.seconds(11))
        }
        #expect(used.count == 6)
        #expect(refusedCommands(central).isEmpty && refusedCommands(peripheral).isEmpty)
        #expect(central.violations.isEmpty && peripheral.violations.isEmpty)
    }

    /// The attempts are older than the addresses that they find.
    @Test(arguments: [32, 0] as [UInt8], [1, 3])
    func waitingAttemptsFindPrivatePeers(listSize: UInt8, count: Int) {
        let numbers = (1...count).map { UInt64($0) + 1 }
        let central = device(1, bonds: numbers, listSize: listSize)
        let peers = numbers.map { device($0, bonds: [1]) }
        for number in numbers { central.host.connect(to: Self.address(number), at: bench.now) }
        bench.run(.seconds(12))
        #expect(central.connected.isEmpty)
        for (index, peer) in peers.enumerated() {
            advertise(peer)
            #expect(connects(central, to: numbers[index], count: index + 1))
        }
        #expect(Set(central.host.links.map(\.peer)) == Set(numbers.map(Self.address)))
        // The host's own scan is not the user's.
        #expect(reported(by: central).isEmpty)
        #expect(refusedCommands(central).isEmpty && central.violations.isEmpty)
    }

    @Test func aHostWithoutPrivacyKeepsItsAddress() {
        let device = device(1, isPrivate: false)
        advertise(device)
        bench.run(.seconds(20))
        #expect(air.addresses[device.controller] == [Self.address(1)] && device.host.nextTimeout == nil)
    }
}
