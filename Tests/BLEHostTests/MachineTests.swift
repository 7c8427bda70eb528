import BLEWire
import Testing

@testable import BLEHost

struct ScannerTests {
    private let slow = ScanParameters(isActive: false, interval: 160, window: 16)
    private let fast = ScanParameters()

    @Test func parametersChangeOnlyWhileTheScanIsOff() {
        var scanner = Scanner()
        scanner.want(slow)
        #expect(scanner.next() == .setParameters(slow))
        #expect(scanner.next() == nil)
        #expect(scanner.completed(.success) == nil)
        #expect(scanner.next() == .enable(filtersDuplicates: false))
        _ = scanner.completed(.success)
        #expect(scanner.next() == nil)
        scanner.want(fast)
        #expect(scanner.next() == .disable)
        _ = scanner.completed(.success)
        #expect(scanner.next() == .setParameters(fast))
        _ = scanner.completed(.success)
        #expect(scanner.next() == .enable(filtersDuplicates: false))
    }

    @Test func theLastWishCountsWhateverIsUnderWay() {
        var scanner = Scanner()
        scanner.want(slow)
        #expect(scanner.next() == .setParameters(slow))
        scanner.want(nil)
        _ = scanner.completed(.success)
        #expect(scanner.next() == nil)
        scanner.want(slow)
        #expect(scanner.next() == .enable(filtersDuplicates: false))
        scanner.want(nil)
        _ = scanner.completed(.success)
        #expect(scanner.next() == .disable)
    }

    @Test func aNewWishEmptiesTheControllersDuplicateFilter() {
        var scanner = Scanner()
        let filtered = ScanParameters(filtersDuplicates: true)
        scanner.want(filtered)
        _ = scanner.next()
        _ = scanner.completed(.success)
        _ = scanner.next()
        _ = scanner.completed(.success)
        scanner.want(filtered)
        #expect(scanner.next() == .disable)
        _ = scanner.completed(.success)
        #expect(scanner.next() == .enable(filtersDuplicates: true))
        _ = scanner.completed(.success)
        #expect(scanner.next() == nil)
    }

    @Test func aRefusalIsReportedOnceAndEndsTheWish() {
        var scanner = Scanner()
        scanner.want(slow)
        _ = scanner.next()
        #expect(scanner.completed(.commandDisallowed) == .commandDisallowed)
        #expect(scanner.next() == nil)
        #expect(scanner.wanted == nil)
    }

    @Test func aPauseSwitchesTheScanOffAndOnAgain() {
        var scanner = Scanner()
        scanner.want(slow)
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
        while let action = advertiser.next() {
            actions.append(action)
            _ = advertiser.completed(.success)
        }
        return actions
    }

    @Test func everythingIsSetBeforeItIsSwitchedOn() {
        var advertiser = Advertiser()
        advertiser.want(wish)
        #expect(advertiser.settle() == .none)
        let actions = run(&advertiser)
        #expect(actions.dropFirst() == [.setData, .setScanResponse, .enable])
        #expect(advertiser.settle() == .settled)
        #expect(advertiser.settle() == .none)
    }

    @Test func newDataAloneDoesNotInterruptIt() {
        var advertiser = Advertiser()
        advertiser.want(wish)
        _ = run(&advertiser)
        var other = wish
        other.data = [2, 1, 4]
        advertiser.want(other)
        #expect(run(&advertiser) == [.setData])
        other.isConnectable = false
        advertiser.want(other)
        #expect(run(&advertiser).first == .disable)
        #expect(advertiser.isOn)
    }

    @Test func aConnectionSwitchesItOnAgain() {
        var advertiser = Advertiser()
        advertiser.want(wish)
        _ = run(&advertiser)
        _ = advertiser.settle()
        advertiser.connectionMade()
        #expect(advertiser.next() == .enable)
        #expect(advertiser.completed(.connectionLimitExceeded) == .none)
        #expect(advertiser.next() == nil)
        advertiser.linkEnded()
        #expect(advertiser.next() == .enable)
        #expect(advertiser.completed(.success) == .none)
    }

    @Test func aConnectionWhileItIsToldOnceMoreSwitchesItOnAgainLater() {
        var advertiser = Advertiser()
        advertiser.want(wish)
        _ = run(&advertiser)
        _ = advertiser.settle()
        advertiser.want(wish)
        #expect(advertiser.next() == .enable)
        advertiser.connectionMade()
        #expect(advertiser.completed(.commandDisallowed) == .none)
        #expect(!advertiser.isOn && advertiser.next() == nil)
        #expect(advertiser.settle() == .settled)
        advertiser.linkEnded()
        #expect(advertiser.next() == .enable)
    }

    @Test func aRefusalIsReported() {
        var advertiser = Advertiser()
        advertiser.want(wish)
        _ = advertiser.next()
        #expect(advertiser.completed(.invalidHCICommandParameters) == .failed(.invalidHCICommandParameters))
        #expect(advertiser.next() == nil)
    }
}

struct ConnectorTests {
    private func address(_ value: UInt64) -> DeviceAddress { DeviceAddress(kind: .random, value: value) }

    /// A connector that initiates to the first peer.
    private func initiating(capacity: Int) -> Connector {
        var connector = Connector(capacity: capacity)
        connector.connect(to: address(1))
        #expect(connector.next(at: .zero) == .create(address(1)))
        _ = connector.completed(.create(address(1)), .success, at: .zero)
        return connector
    }

    @Test func aPeerThatComesWhenTheListIsFullGetsItsTurnToo() {
        var connector = Connector(capacity: 2)
        var now = Instant.zero
        var tried: Set<DeviceAddress> = []
        var list: Set<DeviceAddress> = []
        func go() {
            while let action = connector.next(at: now) {
                switch action {
                case .add(let address): list.insert(address)
                case .remove(let address): list.remove(address)
                case .create(let target): tried.formUnion(target.map { [$0] } ?? list)
                case .cancel: break
                }
                _ = connector.completed(action, .success, at: now)
                if action == .cancel { _ = connector.ended(.unknownConnectionIdentifier, address: address(0)) }
            }
        }
        for value in 1...2 { connector.connect(to: address(UInt64(value))) }
        go()
        connector.connect(to: address(3))
        go()
        for _ in 0..<3 {
            guard let deadline = connector.deadline else { break }
            now = deadline
            connector.handleTimeout(at: now)
            go()
        }
        #expect(tried == Set((1...3).map { address($0) }))
    }

    @Test func theListChangesOnlyWhileNothingIsInitiated() {
        var connector = initiating(capacity: 4)
        #expect(connector.next(at: .zero) == nil)
        connector.connect(to: address(2))
        #expect(connector.next(at: .zero) == .cancel)
        #expect(connector.next(at: .zero) == nil)
        _ = connector.completed(.cancel, .success, at: .zero)
        #expect(connector.next(at: .zero) == nil)
        #expect(connector.ended(.unknownConnectionIdentifier, address: address(0)) == .none)
        #expect(connector.next(at: .zero) == .add(address(1)))
        _ = connector.completed(.add(address(1)), .success, at: .zero)
        #expect(connector.next(at: .zero) == .add(address(2)))
        _ = connector.completed(.add(address(2)), .success, at: .zero)
        #expect(connector.next(at: .zero) == .create(nil))
        _ = connector.completed(.create(nil), .success, at: .zero)
        #expect(connector.next(at: .zero) == nil)
        #expect(connector.connected(to: address(2)) == true)
        #expect(connector.next(at: .zero) == .create(address(1)))
    }

    @Test func aLinkThatBeatsTheCancelIsKnownAsUnwanted() {
        var connector = initiating(capacity: 4)
        connector.cancel(address(1))
        #expect(connector.next(at: .zero) == .cancel)
        #expect(connector.connected(to: address(1)) == false)
        #expect(connector.completed(.cancel, .commandDisallowed, at: .zero) == .none)
        #expect(connector.isIdle)
        #expect(connector.next(at: .zero) == nil)
    }

    @Test func aCancelWithoutItsEventIsTakenAsDoneAfterAWhile() {
        var connector = initiating(capacity: 1)
        connector.cancel(address(1))
        _ = connector.next(at: .zero)
        _ = connector.completed(.cancel, .success, at: .zero)
        let deadline = connector.deadline
        #expect(deadline == Instant.zero + Connector.eventTimeout)
        connector.handleTimeout(at: .zero + Connector.eventTimeout)
        #expect(connector.isIdle)
    }

    @Test func peersBeyondTheListTakeTurns() {
        var connector = Connector(capacity: 2)
        for value in 1...3 { connector.connect(to: address(UInt64(value))) }
        var now = Instant.zero
        var listed: Set<DeviceAddress> = []
        var seen: Set<DeviceAddress> = []
        for _ in 0..<4 {
            while let action = connector.next(at: now) {
                switch action {
                case .add(let address): listed.insert(address)
                case .remove(let address): listed.remove(address)
                case .create, .cancel: break
                }
                #expect(listed.count <= 2)
                _ = connector.completed(action, .success, at: now)
                if action == .cancel { _ = connector.ended(.unknownConnectionIdentifier, address: address(0)) }
                if action == .create(nil) { break }
            }
            seen.formUnion(listed)
            now += Connector.turn
            connector.handleTimeout(at: now)
        }
        #expect(seen.count == 3)
    }

    @Test func aRefusalAsksToStopTheScanThenClearsThenGivesUp() {
        var connector = Connector(capacity: 2)
        connector.connect(to: address(1))
        let create = Connector.Action.create(address(1))
        #expect(connector.next(at: .zero) == create)
        #expect(connector.completed(create, .commandDisallowed, at: .zero) == .refused)
        #expect(connector.next(at: .zero) == nil)
        connector.retry()
        #expect(connector.next(at: .zero) == create)
        #expect(connector.completed(create, .commandDisallowed, at: .zero) == .none)
        #expect(connector.next(at: .zero) == .cancel)
        _ = connector.completed(.cancel, .success, at: .zero)
        _ = connector.ended(.unknownConnectionIdentifier, address: address(0))
        #expect(connector.next(at: .zero) == create)
        #expect(
            connector.completed(create, .commandDisallowed, at: .zero)
                == .failed([address(1)], .commandDisallowed))
        #expect(connector.wanted.isEmpty)
    }
}
