import BLEAdapter
import BLEController
import BLECrypto
import BLEHost
import BLEStore
import BLETransport
import BLEWire
import Dispatch
import Glibc
import TestConditions
import Testing

@testable import BLEHostAdapter
@testable import BLERuntime

/// A stand-in for a controller: a packet socket with a simulated controller behind it.
private final class StandInSource: ControllerSource {
    struct Content {
        var reason: ControllerOpeningError.Reason?
        var isBlocked = false
        var changed: (queue: DispatchQueue, call: UncheckedCall)?
        var controller: TestController?
        var openings = 0
        var makesPauses = false
    }

    struct UncheckedCall: @unchecked Sendable {
        let body: () -> Void
    }

    struct UncheckedCompletion: @unchecked Sendable {
        let body: OpeningCompletion
    }

    /// The policies of real controllers with delays that do not make a test wait.
    static let systemAdapter = RecoveryPolicy(
        firstDelay: .milliseconds(1), longestDelay: .milliseconds(10), stateOfFailure: .unsupported,
        resettingPeriod: .seconds(3600), requiresLoss: false)
    static let socket = RecoveryPolicy(
        firstDelay: .milliseconds(1), longestDelay: .milliseconds(10), stateOfFailure: .unsupported,
        resettingPeriod: nil, requiresLoss: true)
    static let sharedRadio = RecoveryPolicy(
        firstDelay: .milliseconds(1), longestDelay: .milliseconds(1), stateOfFailure: .poweredOff,
        resettingPeriod: .seconds(0), requiresLoss: false)

    let name = "hci9"
    let recoveryPolicy: RecoveryPolicy
    let content = Lock(Content())
    private let openings = AsyncStream<Int>.makeStream()

    init(_ policy: RecoveryPolicy = StandInSource.systemAdapter) { recoveryPolicy = policy }

    func open(on queue: DispatchQueue, _ completion: @escaping OpeningCompletion) {
        dispatchPrecondition(condition: .onQueue(queue))
        let done = UncheckedCompletion(body: completion)
        queue.async { [self] in
            let (reason, makesPauses) = content.withLock { content in
                content.openings += 1
                openings.continuation.yield(content.openings)
                return (content.isBlocked ? .blocked : content.reason, content.makesPauses)
            }
            if let reason { return done.body(.failure(ControllerOpeningError(reason, "Not now."))) }
            let type = makesPauses ? SOCK_STREAM : SOCK_SEQPACKET
            var numbers: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(type.rawValue), 0, &numbers) == 0 else { return }
            let controller = TestController(numbers[1], makesPauses: makesPauses)
            content.withLock { $0.controller = controller }
            done.body(
                .success(
                    makesPauses
                        ? TransportConnection(socket: numbers[0], name: name)
                        : TransportConnection(packetSocket: numbers[0], name: name)))
        }
    }

    /// Waits for the attempt of this number.
    func opening(_ number: Int) async {
        for await opening in openings.stream where opening >= number { return }
    }

    func isBlocked() -> Bool { content.withLock { $0.isBlocked } }

    func watch(on queue: DispatchQueue, _ changed: @escaping () -> Void) -> AnyObject? {
        let call = UncheckedCall(body: changed)
        content.withLock { $0.changed = (queue, call) }
        return nil
    }

    /// Changes something, and reports it as the kernel does.
    func change(_ body: (inout Content) -> Void) {
        let changed = content.withLock { content in
            body(&content)
            return content.changed
        }
        changed?.queue.async { changed?.call.body() }
    }

    /// Ends the connection; only its owner notices. Later attempts fail for `reason`.
    func unplug(_ reason: ControllerOpeningError.Reason?) {
        let controller = content.withLock { content in
            content.reason = reason
            return content.controller
        }
        controller?.close()
    }
}

/// Reads packets from a socket into a simulated controller, and back. ExecutorIsolated to its queue.
private final class TestController: @unchecked Sendable {
    private let queue = DispatchQueue(label: "controller")
    private let radio = VirtualRadio(seed: 1, crypto: { SwiftCryptoProvider(generator: $0) })
    private let identifier: ControllerIdentifier
    private let stream: DispatchStream
    private var isMute = false
    private let ending = AsyncStream<Void>.makeStream()

    /// - Parameter makesPauses: the first octet of its first answer comes 1.2 s before the rest.
    init(_ number: Int32, makesPauses: Bool) {
        identifier = radio.addController(
            ControllerConfiguration(publicAddress: DeviceAddress(kind: .public, value: 0xA1)))
        stream =
            makesPauses
            ? DispatchStream(TransportConnection(socket: number, name: "controller"), queue: queue)
            : DispatchStream(TransportConnection(packetSocket: number, name: "controller"), queue: queue)
        queue.async { [self] in
            var framer = H4Framer(reader: .controller)
            var isFirst = makesPauses
            stream.onReceive = { [weak self] octets in
                // The source may release this controller while its stream is being read.
                guard let self, !isMute else { return }
                framer.receive(octets) { radio.receive($0, for: identifier) }
                radio.advance(to: radio.now + .milliseconds(1))
                radio.drainOutput(of: identifier) { packet in
                    if isFirst {
                        isFirst = false
                        stream.send(packet.extracting(first: 1))
                        let rest = [UInt8](packet.extracting(droppingFirst: 1))
                        // check-tests: wait: the pause is what the host has to tolerate.
                        queue.asyncAfter(deadline: .now() + .milliseconds(1200)) { [self] in stream.send(rest.span) }
                    } else {
                        stream.send(packet)
                    }
                }
            }
            let ending = ending.continuation
            stream.onClose = { _ in ending.finish() }
            stream.start()
        }
    }

    func close() { queue.async { [self] in stream.close() } }

    /// Sends a Hardware Error event (Vol 4, Part E, 7.7.16).
    func reportError() { queue.async { [self] in stream.send([0x04, 0x10, 0x01, 0x42].span) } }

    /// Answers nothing more.
    func fallSilent() { queue.sync { isMute = true } }

    /// Waits until the other side has closed the socket.
    func end() async { for await _ in ending.stream {} }
}

@Suite(.timeLimit(.minutes(10))) struct ControllerSupervisorRealTimeTests {
    private func start(_ source: StandInSource, _ report: ControllerReport? = nil) throws -> StateObserver {
        var configuration = HostConfiguration()
        // So that no deadline does what something else should.
        configuration.commandTimeout = .seconds(3600)
        let controlled = try ControllerSupervisor.adapter(
            for: source, seed: 1, configuration: configuration, store: DeviceStore(key: StoreKey(high: 1, low: 2)),
            onPower: { report?.clear() }, report: { report?.add(ControllerError(.adapter(9), $0, $1)) })
        return StateObserver(controlled)
    }

    @Test func aReconnectedAdapterRecovers() async throws {
        let source = StandInSource()
        let observer = try start(source)
        #expect(await observer.states(1) == [.poweredOn])
        source.unplug(.unavailable)
        #expect(await observer.states(2) == [.poweredOn, .resetting])
        source.change { $0.reason = nil }
        #expect(await observer.states(3) == [.poweredOn, .resetting, .poweredOn])
        withExtendedLifetime(observer) {}
    }

    /// Each state has its reason, and the state that has none ends the reason before it.
    @Test func aReasonLastsUntilTheAdapterIsPoweredOn() async throws {
        let source = StandInSource()
        source.content.withLock { $0.reason = .unavailable }
        let report = ControllerReport()
        report.takeOver()
        let observer = try start(source, report)
        #expect(await observer.states(1) == [.unsupported])
        #expect(report.latest?.kind == .unavailable)
        source.change { $0.reason = nil }
        #expect(await observer.states(2) == [.unsupported, .poweredOn])
        #expect(report.latest == nil)
        source.unplug(.unavailable)
        #expect(await observer.states(3) == [.unsupported, .poweredOn, .resetting])
        #expect(report.latest != nil)
    }

    @Test func aResetByTheHostIsReportedBeforeItsState() async throws {
        let source = StandInSource()
        let kinds = AsyncStream<ControllerError.Kind>.makeStream()
        let adapter = try ControllerSupervisor.adapter(
            for: source, seed: 1, configuration: HostConfiguration(),
            store: DeviceStore(key: StoreKey(high: 1, low: 2)), report: { kind, _ in kinds.continuation.yield(kind) })
        let observer = StateObserver(adapter)
        #expect(await observer.states(1) == [.poweredOn])
        let controller = try #require(source.content.withLock { $0.controller })
        controller.reportError()
        #expect(await observer.states(3) == [.poweredOn, .resetting, .poweredOn])
        kinds.continuation.finish()
        var reported: [ControllerError.Kind] = []
        for await kind in kinds.stream { reported.append(kind) }
        #expect(reported == [.beingReset])
        withExtendedLifetime(observer) {}
    }

    @Test func aResetAdapterRecoversWithoutAKernelEvent() async throws {
        let source = StandInSource()
        let observer = try start(source)
        #expect(await observer.states(1) == [.poweredOn])
        source.unplug(nil)
        #expect(await observer.states(3) == [.poweredOn, .resetting, .poweredOn])
        withExtendedLifetime(observer) {}
    }

    @Test func theRadioSwitchPowersOffAndOn() async throws {
        let source = StandInSource()
        let observer = try start(source)
        #expect(await observer.states(1) == [.poweredOn])
        source.change { $0.isBlocked = true }
        #expect(await observer.states(2) == [.poweredOn, .poweredOff])
        source.change { $0.isBlocked = false }
        #expect(await observer.states(3) == [.poweredOn, .poweredOff, .poweredOn])
        withExtendedLifetime(observer) {}
    }

    @Test func aSwitchThatRemovesTheAdapterPowersItOff() async throws {
        let source = StandInSource()
        let observer = try start(source)
        #expect(await observer.states(1) == [.poweredOn])
        source.content.withLock { $0.isBlocked = true }
        source.unplug(.unavailable)
        #expect(await observer.states(2) == [.poweredOn, .poweredOff])
        source.change {
            $0.isBlocked = false
            $0.reason = nil
        }
        #expect(await observer.states(3) == [.poweredOn, .poweredOff, .poweredOn])
        withExtendedLifetime(observer) {}
    }

    @Test func withoutPermissionTheAdapterIsUnauthorizedAndNotReopened() async throws {
        let source = StandInSource()
        source.content.withLock { $0.reason = .notPermitted }
        let observer = try start(source)
        #expect(await observer.states(1) == [.unauthorized])
        source.change { $0.reason = nil }
        // What the change leads to is on the queue by then, or done.
        let queue = try #require(source.content.withLock { $0.changed?.queue })
        for _ in 0..<3 { queue.sync {} }
        #expect(source.content.withLock { $0.openings } == 1)
        withExtendedLifetime(observer) {}
    }

    @Test func anAdapterInUseIsUnsupportedUntilItIsReleased() async throws {
        let source = StandInSource()
        source.content.withLock { $0.reason = .unavailable }
        let observer = try start(source)
        #expect(await observer.states(1) == [.unsupported])
        source.content.withLock { $0.reason = nil }
        #expect(await observer.states(2) == [.unsupported, .poweredOn])
        withExtendedLifetime(observer) {}
    }

    @Test func aChannelClosesAtOnceWithASilentController() async throws {
        let source = StandInSource()
        let observer = try start(source)
        #expect(await observer.states(1) == [.poweredOn])
        let controller = try #require(source.content.withLock { $0.controller })
        controller.fallSilent()
        source.change { $0.isBlocked = true }
        await controller.end()
        #expect(await observer.states(2) == [.poweredOn, .poweredOff])
        withExtendedLifetime(observer) {}
    }

    @Test func aReleasedAdapterClosesItsConnection() async throws {
        let source = StandInSource()
        do {
            let observer = try start(source)
            #expect(await observer.states(1) == [.poweredOn])
            withExtendedLifetime(observer) {}
        }
        let controller = try #require(source.content.withLock { $0.controller })
        await controller.end()
    }

    /// The next attempt is due in an hour.
    @Test func aReleasedAdapterLeavesNoExecutorUntilTheNextAttempt() async throws {
        var policy = StandInSource.systemAdapter
        policy.firstDelay = .seconds(3600)
        policy.longestDelay = .seconds(3600)
        let source = StandInSource(policy)
        source.content.withLock { $0.reason = .unavailable }
        weak var executor: AnyObject?
        do {
            let adapter = try ControllerSupervisor.adapter(
                for: source, seed: 1, configuration: HostConfiguration(),
                store: DeviceStore(key: StoreKey(high: 1, low: 2)))
            executor = adapter.executor
            let observer = StateObserver(adapter)
            #expect(await observer.states(1) == [.unsupported])
            withExtendedLifetime(observer) {}
        }
        #expect(await eventually { executor == nil })
    }

    @Test func aPauseWithinAPacketIsToleratedOnASocket() async throws {
        let source = StandInSource()
        source.content.withLock { $0.makesPauses = true }
        let observer = try start(source)
        #expect(await observer.states(1) == [.poweredOn])
        withExtendedLifetime(observer) {}
    }

    @Test func aSocketThatIsRefusedAtFirstIsUnsupported() async throws {
        let source = StandInSource(StandInSource.socket)
        source.content.withLock { $0.reason = .unavailable }
        let observer = try start(source)
        #expect(await observer.states(1) == [.unsupported])
        withExtendedLifetime(observer) {}
    }

    @Test func aLostSocketIsResettingUntilItIsOpenedAgain() async throws {
        let source = StandInSource(StandInSource.socket)
        let observer = try start(source)
        #expect(await observer.states(1) == [.poweredOn])
        source.unplug(.unavailable)
        // Three attempts in vain.
        await source.opening(4)
        source.content.withLock { $0.reason = nil }
        #expect(await observer.states(3) == [.poweredOn, .resetting, .poweredOn])
        withExtendedLifetime(observer) {}
    }

    @Test func anAbsentSharedRadioIsPoweredOffUntilItStarts() async throws {
        let source = StandInSource(StandInSource.sharedRadio)
        source.content.withLock { $0.reason = .unavailable }
        let observer = try start(source)
        #expect(await observer.states(1) == [.poweredOff])
        source.content.withLock { $0.reason = nil }
        #expect(await observer.states(2) == [.poweredOff, .poweredOn])
        source.unplug(.unavailable)
        #expect(await observer.states(4) == [.poweredOff, .poweredOn, .resetting, .poweredOff])
        source.content.withLock { $0.reason = nil }
        #expect(await observer.states(5) == [.poweredOff, .poweredOn, .resetting, .poweredOff, .poweredOn])
        withExtendedLifetime(observer) {}
    }
}
