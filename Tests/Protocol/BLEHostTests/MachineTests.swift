import BLEWire
import Testing

@testable import BLEHost

struct ScannerTests {
    private let slow = ScanParameters(isActive: false, interval: 160, window: 16)
    private let fast = ScanParameters()

    @Test func parametersChangeOnlyWhileTheScanIsOff() {
        var scanner = Scanner()
        scanner.request(slow)
        #expect(scanner.next() == .setParameters(slow))
        #expect(scanner.next() == nil)
        #expect(scanner.completed(.success) == nil)
        #expect(scanner.next() == .enable(filtersDuplicates: false))
        _ = scanner.completed(.success)
        #expect(scanner.next() == nil)
        scanner.request(fast)
        #expect(scanner.next() == .disable)
        _ = scanner.completed(.success)
        #expect(scanner.next() == .setParameters(fast))
        _ = scanner.completed(.success)
        #expect(scanner.next() == .enable(filtersDuplicates: false))
    }

    @Test func theLastScanRequestTakesEffect() {
        var scanner = Scanner()
        scanner.request(slow)
        #expect(scanner.next() == .setParameters(slow))
        scanner.request(nil)
        _ = scanner.completed(.success)
        #expect(scanner.next() == nil)
        scanner.request(slow)
        #expect(scanner.next() == .enable(filtersDuplicates: false))
        scanner.request(nil)
        _ = scanner.completed(.success)
        #expect(scanner.next() == .disable)
    }

    @Test func aNewScanRequestEmptiesTheDuplicateFilter() {
        var scanner = Scanner()
        let filtered = ScanParameters(filtersDuplicates: true)
        scanner.request(filtered)
        _ = scanner.next()
        _ = scanner.completed(.success)
        _ = scanner.next()
        _ = scanner.completed(.success)
        scanner.request(filtered)
        #expect(scanner.next() == .disable)
        _ = scanner.completed(.success)
        #expect(scanner.next() == .enable(filtersDuplicates: true))
        _ = scanner.completed(.success)
        #expect(scanner.next() == nil)
    }

    @Test func aRefusedScanIsReportedOnceAndNotRepeated() {
        var scanner = Scanner()
        scanner.request(slow)
        _ = scanner.next()
        #expect(scanner.completed(.commandDisallowed) == .commandDisallowed)
        #expect(scanner.next() == nil)
        #expect(scanner.requested == nil)
    }

    /// Some controllers refuse to scan while they have a link. A scan that has run goes on after the link.
    @Test func aScanThatIsRefusedDuringALinkContinuesAfterIt() {
        var scanner = Scanner()
        scanner.request(slow)
        while scanner.next() != nil { #expect(scanner.completed(.success) == nil) }
        for _ in 0..<3 {
            scanner.isPaused = true
            #expect(scanner.next() == .disable)
            #expect(scanner.completed(.success) == nil)
            scanner.isPaused = false
            #expect(scanner.next() == .enable(filtersDuplicates: false))
            #expect(scanner.completed(.commandDisallowed) == nil)
            #expect(scanner.next() == nil && scanner.requested == slow)
            scanner.retry()
            #expect(scanner.next() == .enable(filtersDuplicates: false))
            #expect(scanner.completed(.success) == nil)
            #expect(scanner.next() == nil && scanner.isOn)
        }
        // Another error, and the refusal of a new scan, end the request.
        scanner.isPaused = true
        _ = scanner.next()
        _ = scanner.completed(.success)
        scanner.isPaused = false
        _ = scanner.next()
        #expect(scanner.completed(.unspecifiedError) == .unspecifiedError && scanner.requested == nil)
        scanner.request(slow)
        _ = scanner.next()
        #expect(scanner.completed(.commandDisallowed) == .commandDisallowed)
    }

    /// A background scan that is refused on Coded goes on on 1M.
    @Test func aBackgroundScanLeavesOutTheCodedPHYThatIsRefused() {
        var scanner = Scanner()
        let both = ScanParameters(isActive: false, phys: [.le1M, .leCoded])
        let uncoded = ScanParameters(isActive: false, phys: .le1M)
        for _ in 0..<2 {
            scanner.background = both
            #expect(scanner.next() == .setParameters(both))
            #expect(scanner.completed(.unsupportedFeatureOrParameterValue) == nil)
            #expect(scanner.next() == .setParameters(uncoded))
            #expect(scanner.completed(.success) == nil)
            #expect(scanner.next() == .enable(filtersDuplicates: false))
            #expect(scanner.completed(.success) == nil)
            // The end of an attempt does not interrupt it.
            scanner.retry()
            #expect(scanner.next() == nil && scanner.isOn)
            scanner.background = nil
            #expect(scanner.next() == .disable)
            #expect(scanner.completed(.success) == nil)
        }
    }

    @Test func aPauseStopsAndRestartsTheScan() {
        var scanner = Scanner()
        scanner.request(slow)
        _ = scanner.next()
        _ = scanner.completed(.success)
        _ = scanner.next()
        _ = scanner.completed(.success)
        scanner.isPaused = true
        #expect(scanner.next() == .disable)
        _ = scanner.completed(.success)
        #expect(scanner.next() == nil)
        scanner.isPaused = false
        #expect(scanner.next() == .enable(filtersDuplicates: false))
    }
}

struct AdvertiserTests {
    private let wish = AdvertisingParameters(data: [2, 1, 6], scanResponse: [3, 9, 65, 66])

    /// Carries actions out until nothing more is to be done.
    private func run(_ advertiser: inout Advertiser) -> [Advertiser.Action] {
        var actions: [Advertiser.Action] = []
        while actions.count < 100, let action = advertiser.next() {
            actions.append(action)
            _ = advertiser.completed(.success)
        }
        return actions
    }

    @Test func parametersAndDataPrecedeTheStartOfAdvertising() {
        var advertiser = Advertiser()
        advertiser.request(wish)
        #expect(advertiser.takeReport() == .none)
        let actions = run(&advertiser)
        #expect(actions.dropFirst() == [.setData, .setScanResponse, .enable])
        #expect(advertiser.takeReport() == .applied)
        #expect(advertiser.takeReport() == .none)
    }

    @Test func newDataDoesNotInterruptAdvertising() {
        var advertiser = Advertiser()
        advertiser.request(wish)
        _ = run(&advertiser)
        var other = wish
        other.data = [2, 1, 4]
        advertiser.request(other)
        #expect(run(&advertiser) == [.setData])
        other.isConnectable = false
        advertiser.request(other)
        #expect(run(&advertiser).first == .disable)
        #expect(advertiser.isOn)
    }

    @Test func advertisingRestartsAfterAConnection() {
        var advertiser = Advertiser()
        advertiser.request(wish)
        _ = run(&advertiser)
        _ = advertiser.takeReport()
        advertiser.connectionMade()
        #expect(advertiser.next() == .enable)
        #expect(advertiser.completed(.connectionLimitExceeded) == .none)
        #expect(advertiser.next() == nil)
        advertiser.linkEnded()
        #expect(advertiser.next() == .enable)
        #expect(advertiser.completed(.success) == .none)
    }

    @Test func aConnectionDuringARepeatedEnableRestartsAdvertisingLater() {
        var advertiser = Advertiser()
        advertiser.request(wish)
        _ = run(&advertiser)
        _ = advertiser.takeReport()
        advertiser.request(wish)
        #expect(advertiser.next() == .enable)
        advertiser.connectionMade()
        #expect(advertiser.completed(.commandDisallowed) == .none)
        #expect(!advertiser.isOn && advertiser.next() == nil)
        #expect(advertiser.takeReport() == .applied)
        advertiser.linkEnded()
        #expect(advertiser.next() == .enable)
    }

    /// A repeated request enables advertising once more, each time once.
    @Test func eachRepeatedRequestIsSentOnce() {
        var advertiser = Advertiser()
        advertiser.request(wish)
        _ = run(&advertiser)
        #expect(advertiser.takeReport() == .applied)
        for status in [.success, .commandDisallowed, .success, .commandDisallowed] as [HCI.ErrorCode] {
            advertiser.request(wish)
            #expect(advertiser.takeReport() == .none)
            #expect(advertiser.next() == .enable)
            #expect(advertiser.takeReport() == .none)
            #expect(advertiser.completed(status) == .none)
            #expect(advertiser.next() == nil && advertiser.isOn)
            #expect(advertiser.takeReport() == .applied && advertiser.takeReport() == .none)
            // A link that ends advertising needs one more, and no more than that.
            advertiser.connectionMade()
            #expect(advertiser.next() == .enable)
            #expect(advertiser.completed(.success) == .none)
            #expect(advertiser.next() == nil && advertiser.takeReport() == .none)
        }
        var other = wish
        other.data = [2, 1, 4]
        advertiser.request(other)
        #expect(run(&advertiser) == [.setData])
    }

    /// A pause for commands that need idle roles carries out a repeated request as well.
    @Test func aRequestThatEndsInAPauseIsAnswered() {
        for isRepeated in [true, false, true] {
            var advertiser = Advertiser()
            advertiser.request(wish)
            _ = run(&advertiser)
            #expect(advertiser.takeReport() == .applied)
            if isRepeated { advertiser.request(wish) }
            advertiser.isSuspended = true
            #expect(run(&advertiser) == [.disable])
            advertiser.request(nil)
            advertiser.isSuspended = false
            #expect(run(&advertiser) == [] && advertiser.takeReport() == .applied)
        }
    }

    @Test func refusedAdvertisingIsReported() {
        var advertiser = Advertiser()
        advertiser.request(wish)
        _ = advertiser.next()
        #expect(advertiser.completed(.invalidHCICommandParameters) == .failed(.invalidHCICommandParameters))
        #expect(advertiser.next() == nil)
    }
}

struct ConnectionInitiatorTests {
    private func address(_ value: UInt64) -> DeviceAddress { DeviceAddress(kind: .random, value: value) }

    /// A initiator that initiates to the first peer.
    private func initiating(capacity: Int) -> ConnectionInitiator {
        var initiator = ConnectionInitiator(capacity: capacity)
        initiator.connect(to: address(1))
        #expect(initiator.next(at: .zero) == .create(address(1)))
        _ = initiator.completed(.create(address(1)), .success, at: .zero)
        return initiator
    }

    @Test func peersBeyondAFullAcceptListGetTheirTurn() {
        var initiator = ConnectionInitiator(capacity: 2)
        var now = Instant.zero
        var tried: Set<DeviceAddress> = []
        var list: Set<DeviceAddress> = []
        func go() {
            while let action = initiator.next(at: now) {
                switch action {
                case .add(let address): list.insert(address)
                case .remove(let address): list.remove(address)
                case .create(let target): tried.formUnion(target.map { [$0] } ?? list)
                case .cancel: break
                }
                _ = initiator.completed(action, .success, at: now)
                if action == .cancel { _ = initiator.ended(.unknownConnectionIdentifier, address: address(0)) }
            }
        }
        for value in 1...2 { initiator.connect(to: address(UInt64(value))) }
        go()
        initiator.connect(to: address(3))
        go()
        for _ in 0..<3 {
            guard let deadline = initiator.deadline else { break }
            now = deadline
            initiator.handleTimeout(at: now)
            go()
        }
        #expect(tried == Set((1...3).map { address($0) }))
    }

    @Test func theAcceptListChangesOnlyBetweenAttempts() {
        var initiator = initiating(capacity: 4)
        #expect(initiator.next(at: .zero) == nil)
        initiator.connect(to: address(2))
        #expect(initiator.next(at: .zero) == .cancel)
        #expect(initiator.next(at: .zero) == nil)
        _ = initiator.completed(.cancel, .success, at: .zero)
        #expect(initiator.next(at: .zero) == nil)
        #expect(initiator.ended(.unknownConnectionIdentifier, address: address(0)) == .none)
        #expect(initiator.next(at: .zero) == .add(address(1)))
        _ = initiator.completed(.add(address(1)), .success, at: .zero)
        #expect(initiator.next(at: .zero) == .add(address(2)))
        _ = initiator.completed(.add(address(2)), .success, at: .zero)
        #expect(initiator.next(at: .zero) == .create(nil))
        _ = initiator.completed(.create(nil), .success, at: .zero)
        #expect(initiator.next(at: .zero) == nil)
        #expect(initiator.connected(to: address(2)) == true)
        #expect(initiator.next(at: .zero) == .create(address(1)))
    }

    @Test func aLinkConcurrentWithItsCancellationIsNotRequested() {
        var initiator = initiating(capacity: 4)
        initiator.cancel(address(1))
        #expect(initiator.next(at: .zero) == .cancel)
        #expect(initiator.connected(to: address(1)) == false)
        #expect(initiator.completed(.cancel, .commandDisallowed, at: .zero) == .none)
        #expect(initiator.isIdle)
        #expect(initiator.next(at: .zero) == nil)
    }

    @Test func aCancellationWithoutItsEventTimesOut() {
        var initiator = initiating(capacity: 1)
        initiator.cancel(address(1))
        _ = initiator.next(at: .zero)
        _ = initiator.completed(.cancel, .success, at: .zero)
        let deadline = initiator.deadline
        #expect(deadline == Instant.zero + ConnectionInitiator.eventTimeout)
        initiator.handleTimeout(at: .zero + ConnectionInitiator.eventTimeout)
        #expect(initiator.isIdle)
    }

    @Test func peersBeyondTheAcceptListTakeTurns() {
        var initiator = ConnectionInitiator(capacity: 2)
        for value in 1...3 { initiator.connect(to: address(UInt64(value))) }
        var now = Instant.zero
        var listed: Set<DeviceAddress> = []
        var seen: Set<DeviceAddress> = []
        for _ in 0..<4 {
            while let action = initiator.next(at: now) {
                switch action {
                case .add(let address): listed.insert(address)
                case .remove(let address): listed.remove(address)
                case .create, .cancel: break
                }
                #expect(listed.count <= 2)
                _ = initiator.completed(action, .success, at: now)
                if action == .cancel { _ = initiator.ended(.unknownConnectionIdentifier, address: address(0)) }
                if action == .create(nil) { break }
            }
            seen.formUnion(listed)
            now += ConnectionInitiator.turn
            initiator.handleTimeout(at: now)
        }
        #expect(seen.count == 3)
    }

    /// A controller that has the Coded PHY and does not initiate on it: the attempts on 1M go on.
    @Test(arguments: [1, 3] as [UInt64]) func aRefusalOfTheCodedPHYIsNoEndOfAnAttempt(peers: UInt64) {
        var initiator = ConnectionInitiator(capacity: 4)
        initiator.connect(to: address(1), onCodedPHY: true)
        for value in 1...peers { initiator.connect(to: address(value)) }
        for _ in 0..<2 {
            var creates: [Bool] = []
            while let action = initiator.next(at: .zero) {
                var status = HCI.ErrorCode.success
                if case .create = action {
                    creates.append(initiator.usesCodedPHY)
                    if initiator.usesCodedPHY { status = .unsupportedFeatureOrParameterValue }
                }
                #expect(initiator.completed(action, status, at: .zero) == .none)
            }
            #expect(creates == [true, false] || creates == [false])
            #expect(!initiator.usesCodedPHY && initiator.isInitiating && initiator.requested.count == Int(peers))
            // It is not asked for again.
            #expect(!initiator.heardOnCodedPHY(address(1)) && initiator.next(at: .zero) == nil)
            for value in 1...peers { initiator.cancel(address(value)) }
            #expect(initiator.next(at: .zero) == .cancel)
            _ = initiator.completed(.cancel, .success, at: .zero)
            _ = initiator.ended(.unknownConnectionIdentifier, address: address(0))
            initiator.connect(to: address(1), onCodedPHY: true)
            for value in 1...peers { initiator.connect(to: address(value)) }
        }
    }

    @Test func aRefusedAttemptStopsTheScanThenCancelsThenFails() {
        var initiator = ConnectionInitiator(capacity: 2)
        initiator.connect(to: address(1))
        let create = InitiatorCommand.create(address(1))
        #expect(initiator.next(at: .zero) == create)
        #expect(initiator.completed(create, .commandDisallowed, at: .zero) == .refused)
        #expect(initiator.next(at: .zero) == nil)
        initiator.retry()
        #expect(initiator.next(at: .zero) == create)
        #expect(initiator.completed(create, .commandDisallowed, at: .zero) == .none)
        #expect(initiator.next(at: .zero) == .cancel)
        _ = initiator.completed(.cancel, .success, at: .zero)
        #expect(initiator.next(at: .zero) == nil)
        _ = initiator.ended(.unknownConnectionIdentifier, address: address(0))
        #expect(initiator.next(at: .zero) == create)
        #expect(
            initiator.completed(create, .commandDisallowed, at: .zero)
                == .failed([address(1)], .commandDisallowed))
        #expect(initiator.requested.isEmpty)
    }
}
