import BLEController
import BLECrypto
import BLEWire
import Testing

@testable import BLEHost

struct PrivacyManagerTests {
    private var crypto = SwiftCryptoProvider(generator: SeededRandom(seed: 5))
    private let local = IdentityResolvingKey(value: 0xA1)
    private let now = Instant(nanoseconds: 0)

    private func peer(_ number: UInt64, key: UInt128? = nil, _ mode: PrivacyMode = .device) -> PrivacyManager.Peer {
        .init(
            identity: DeviceAddress(kind: .public, value: number),
            key: IdentityResolvingKey(value: key ?? UInt128(number)), mode: mode)
    }

    /// Answers all actions that are due, and returns them. Fails after 100 actions.
    private func settle(
        _ manager: inout PrivacyManager, _ answer: (PrivacyManager.Action) -> HCI.ErrorCode = { _ in .success }
    ) -> [PrivacyManager.Action] {
        var actions: [PrivacyManager.Action] = []
        while let action = manager.next(rolesAreIdle: true) {
            actions.append(action)
            guard actions.count < 100 else {
                Issue.record("the manager does not come to rest")
                return actions
            }
            manager.completed(answer(action))
        }
        // Without an applied address the roles wait, but no command does.
        #expect(!manager.needsIdleRoles || manager.usesPrivateAddress && manager.appliedAddress == nil)
        return actions
    }

    @Test mutating func aNewControllerGetsAddressListAndModes() throws {
        var manager = PrivacyManager(localKey: local, lifetime: .seconds(60), capacity: 2, setsModes: true)
        manager.begin(at: now, using: &crypto)
        manager.request([peer(1), peer(2), peer(3, .network)], using: &crypto)
        #expect(manager.ownAddressType == .resolvableOrRandom)
        // The timeout may be set at any time, the rest waits for idle roles.
        let first = manager.next(rolesAreIdle: false)
        #expect(first == .setTimeout(seconds: 60) && manager.next(rolesAreIdle: true) == nil)
        manager.completed(.success)
        #expect(manager.next(rolesAreIdle: false) == nil && manager.needsIdleRoles)
        let address = try #require(manager.privateAddress)
        #expect(crypto.resolves(address, local))
        // The list holds the latest bonds that fit. An entry begins in network privacy mode.
        let actions = settle(&manager)
        #expect(
            actions == [
                .setRandomAddress(address), .add(peer(2)), .add(peer(3, .network)), .setMode(peer(2).identity, .device),
                .setResolution(true),
            ])
        #expect(manager.isInController(peer(3).identity) && !manager.isInController(peer(1).identity))
    }

    @Test mutating func theAddressRotates() throws {
        var manager = PrivacyManager(localKey: local, lifetime: .seconds(10))
        manager.begin(at: now, using: &crypto)
        #expect(manager.ownAddressType == .random && manager.deadline == now + .seconds(10))
        let first = try #require(manager.privateAddress)
        let begun = settle(&manager)
        #expect(begun == [.setRandomAddress(first)])
        manager.handleTimeout(at: now + .seconds(9), using: &crypto)
        #expect(!manager.needsIdleRoles && manager.privateAddress == first)
        manager.handleTimeout(at: now + .seconds(11), using: &crypto)
        #expect(manager.needsIdleRoles && manager.deadline == now + .seconds(21))
        #expect(manager.next(rolesAreIdle: false) == nil && manager.appliedAddress == first)
        let second = try #require(manager.privateAddress)
        let rotated = settle(&manager)
        #expect(second != first && rotated == [.setRandomAddress(second)] && crypto.resolves(second, local))
        // The controller refuses the third one: the second one stays.
        manager.handleTimeout(at: now + .seconds(30), using: &crypto)
        let refused = settle(&manager) { _ in .commandDisallowed }
        #expect(refused.count == 1 && manager.privateAddress == second && manager.appliedAddress == second)
    }

    @Test mutating func theRolesStayIdleUntilAnAddressIsApplied() throws {
        var manager = PrivacyManager(localKey: local, lifetime: .seconds(10))
        manager.begin(at: now, using: &crypto)
        let first = manager.next(rolesAreIdle: true)
        #expect(first != nil)
        manager.completed(.commandDisallowed)
        // The roles would reveal the identity address.
        #expect(manager.needsIdleRoles && manager.next(rolesAreIdle: true) == nil)
        manager.handleTimeout(at: now + .seconds(10), using: &crypto)
        let second = settle(&manager)
        #expect(second.count == 1 && manager.appliedAddress != nil && !manager.needsIdleRoles)
    }

    @Test mutating func onlyDifferencesAreSent() {
        var manager = PrivacyManager(capacity: 8, setsModes: true)
        let steps: [([PrivacyManager.Peer], [PrivacyManager.Action])] = [
            ([], []),
            // Without an IRK on either side an entry has no use.
            ([peer(9, key: 0)], []),
            ([peer(1, .network)], [.add(peer(1, .network)), .setResolution(true)]),
            ([peer(1, .network)], []),
            ([peer(1)], [.setMode(peer(1).identity, .device)]),
            // A new IRK replaces the entry.
            (
                [peer(1, key: 7)],
                [.remove(peer(1).identity), .add(peer(1, key: 7)), .setMode(peer(1).identity, .device)]
            ),
            // The IRK of the first peer counts.
            ([peer(1, key: 7), peer(2, key: 7)], []),
            ([], [.remove(peer(1).identity), .setResolution(false)]),
        ]
        for (number, step) in steps.enumerated() {
            manager.request(step.0, using: &crypto)
            let actions = settle(&manager)
            #expect(actions == step.1, "step \(number)")
        }
    }

    @Test mutating func aSmallerListThanClaimedIsEnough() {
        var manager = PrivacyManager(capacity: 8)
        manager.request((1...8).map { peer($0) }, using: &crypto)
        var count = 0
        let actions = settle(&manager) { action in
            switch action {
            case .add where count == 3: return .memoryCapacityExceeded
            case .add: count += 1
            case .remove: count -= 1
            default: break
            }
            return .success
        }
        #expect(manager.capacity == 3 && manager.applied.count == 3)
        #expect(actions.last == .setResolution(true))
        // The host resolves the others.
        for number in 1...8 as ClosedRange<UInt64> {
            let address = crypto.makeResolvableAddress(peer(number).key)
            let resolved = manager.resolve(address, using: crypto)
            #expect(resolved == peer(number).identity)
        }
    }

    /// A controller that refuses one kind of command, or all of them, with any error.
    @Test(arguments: [HCI.ErrorCode.commandDisallowed, .unknownHCICommand, .memoryCapacityExceeded])
    mutating func aControllerThatRefusesDoesNotKeepTheHostBusy(status: HCI.ErrorCode) {
        for refusedKind in 0..<7 {
            var manager = PrivacyManager(localKey: local, capacity: 4, setsModes: true)
            manager.begin(at: now, using: &crypto)
            for peers in [[peer(1), peer(2)], [peer(2, key: 9), peer(3)], []] {
                manager.request(peers, using: &crypto)
                _ = settle(&manager) { action in
                    let kind =
                        switch action {
                        case .setRandomAddress: 1
                        case .setTimeout: 2
                        case .remove: 3
                        case .add: 4
                        case .setMode: 5
                        case .setResolution: 6
                        }
                    return refusedKind == 0 || refusedKind == kind ? status : .success
                }
            }
        }
    }

    @Test mutating func aHostResolvesForAControllerWithoutAList() throws {
        var manager = PrivacyManager()
        manager.request([peer(1), peer(2, .network), peer(3, key: 0)], using: &crypto)
        let due = settle(&manager)
        #expect(due.isEmpty)
        let (first, second) = (crypto.makeResolvableAddress(peer(1).key), crypto.makeResolvableAddress(peer(2).key))
        let stranger = crypto.makeResolvableAddress(IdentityResolvingKey(value: 99))
        // Nothing of the peer was heard yet.
        #expect(manager.connectionAddress(of: peer(1).identity) == peer(1).identity)
        for _ in 0..<3 {
            let resolved = [first, second, stranger, peer(1).identity, peer(3).identity].map {
                manager.resolve($0, using: crypto)
            }
            #expect(resolved == [peer(1).identity, peer(2).identity, stranger, peer(1).identity, peer(3).identity])
        }
        // In network privacy mode the identity address is not the peer's.
        let refused = manager.resolve(peer(2).identity, using: crypto)
        #expect(refused == nil)
        // What a controller resolved is taken over.
        let taken = manager.resolve(DeviceAddress(kind: .publicIdentity, value: 77), using: crypto)
        #expect(taken == DeviceAddress(kind: .public, value: 77))
        #expect(manager.connectionAddress(of: peer(1).identity) == first)
        #expect(manager.connectionAddress(of: stranger) == stranger)
    }

    /// The manager and a virtual controller, with bonds and roles that change at random. Every command is accepted, and
    /// the controller's list ends as the manager says.
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    mutating func aControllerAcceptsEveryCommand(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let port = ControllerPort(listSize: 4)
        var manager = PrivacyManager(localKey: local, lifetime: .seconds(5), capacity: 4, setsModes: true)
        manager.begin(at: port.radio.now, using: &crypto)
        var (isAdvertising, isScanning) = (false, false)
        for _ in 0..<300 {
            switch random.next() % 4 {
            case 0:
                let count = random.next() % 7
                let peers = (0..<count).map { _ in
                    peer(
                        1 + random.next() % 8, key: UInt128(random.next() % 6),
                        random.next() % 2 == 0 ? .device : .network)
                }
                var known: Set<DeviceAddress> = []
                manager.request(
                    peers.filter { known.insert($0.identity).inserted }, using: &crypto)
            case 1:
                port.radio.advance(to: port.radio.now + .seconds(Int(random.next() % 6)))
                manager.handleTimeout(at: port.radio.now, using: &crypto)
            default:
                // The owner of the roles pauses them while the manager needs that.
                let mayRun = !manager.needsIdleRoles
                let (wantsAdvertising, wantsScanning) = (
                    mayRun && random.next() % 2 == 0, mayRun && random.next() % 2 == 0
                )
                if wantsAdvertising != isAdvertising {
                    #expect(port.status(of: HCI.LESetAdvertisingEnable(enable: wantsAdvertising)) == .success)
                    isAdvertising = wantsAdvertising
                }
                if wantsScanning != isScanning {
                    #expect(
                        port.status(of: HCI.LESetScanEnable(enable: wantsScanning, filterDuplicates: false)) == .success
                    )
                    isScanning = wantsScanning
                }
            }
            while let action = manager.next(rolesAreIdle: !isAdvertising && !isScanning) {
                let status = port.status(of: action, localKey: local)
                #expect(status == .success, "\(action)")
                manager.completed(status)
            }
            guard !manager.needsIdleRoles else { continue }
            for number in 1...8 as ClosedRange<UInt64> {
                let identity = peer(number).identity
                let isThere = port.status(of: HCI.LEReadLocalResolvableAddress(identity: identity)) == .success
                #expect(isThere == manager.applied.contains { $0.identity == identity })
            }
        }
    }
}

/// A virtual controller whose answers a test reads one by one.
private final class ControllerPort {
    let radio = VirtualRadio(seed: 1, crypto: { SwiftCryptoProvider(generator: $0) })
    private let controller: ControllerIdentifier

    init(listSize: UInt8) {
        var configuration = ControllerConfiguration()
        configuration.resolvingListSize = listSize
        configuration.publicAddress = DeviceAddress(kind: .public, value: 0x1234)
        controller = radio.addController(configuration)
    }

    func status(of command: some HCICommand) -> HCI.ErrorCode {
        var octets: [UInt8] = []
        #expect(throws: Never.self) { try octets.append(command: command) }
        radio.drainOutput(of: controller) { _ in }
        radio.receive(octets.span, for: controller)
        var status = HCI.ErrorCode.unspecifiedError
        // Command Complete: the type, the event, its length, the number of commands, the opcode, the status.
        radio.drainOutput(of: controller) { if $0.count > 6, $0[1] == 0x0E { status = HCI.ErrorCode(rawValue: $0[6]) } }
        return status
    }

    func status(of action: PrivacyManager.Action, localKey: IdentityResolvingKey) -> HCI.ErrorCode {
        switch action {
        case .setRandomAddress(let address): status(of: HCI.LESetRandomAddress(address: address))
        case .setTimeout(let seconds): status(of: HCI.LESetResolvablePrivateAddressTimeout(timeout: seconds))
        case .remove(let identity): status(of: HCI.LERemoveDeviceFromResolvingList(identity: identity))
        case .add(let peer):
            status(
                of: HCI.LEAddDeviceToResolvingList(identity: peer.identity, peerKey: peer.key, localKey: localKey))
        case .setMode(let identity, let mode): status(of: HCI.LESetPrivacyMode(identity: identity, mode: mode))
        case .setResolution(let enable): status(of: HCI.LESetAddressResolutionEnable(enable: enable))
        }
    }
}
