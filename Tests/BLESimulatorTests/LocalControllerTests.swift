import BLEAdapter
import BLEController
import BLEHost
import BLETransport
import BLEWire
import Dispatch
import Glibc
import Testing

@testable import BLERuntime

/// An adapter of the machine that is opened as a packet socket, with a simulated controller behind it.
private final class TestAdapter: MachineAdapter {
    struct Content {
        var error: TransportError.Kind?
        var isBlocked = false
        var changed: (queue: DispatchQueue, call: UncheckedCall)?
        var controller: TestController?
        var openings = 0
        var makesPauses = false
    }

    struct UncheckedCall: @unchecked Sendable {
        let body: () -> Void
    }

    let name = "hci9"
    let content = Lock(Content())

    func open(on queue: DispatchQueue, _ completion: @escaping (Result<ByteStream, TransportError>) -> Void) {
        let done = UncheckedResult(body: completion)
        queue.async { [self] in
            let error = content.withLock { content in
                content.openings += 1
                return content.isBlocked ? .blocked : content.error
            }
            if let error { return done.body(.failure(TransportError(error, "Not now."))) }
            let makesPauses = content.withLock { $0.makesPauses }
            let type = makesPauses ? SOCK_STREAM : SOCK_SEQPACKET
            var numbers: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(type.rawValue), 0, &numbers) == 0 else { return }
            let controller = TestController(numbers[1], makesPauses: makesPauses)
            content.withLock { $0.controller = controller }
            done.body(
                .success(
                    makesPauses
                        ? ByteStream(descriptor: numbers[0], name: name, queue: queue)
                        : ByteStream(packetSocket: numbers[0], name: name, queue: queue)))
        }
    }

    struct UncheckedResult: @unchecked Sendable {
        let body: (Result<ByteStream, TransportError>) -> Void
    }

    func isBlocked() -> Bool { content.withLock { $0.isBlocked } }

    func watch(on queue: DispatchQueue, _ changed: @escaping () -> Void) -> AnyObject? {
        let call = UncheckedCall(body: changed)
        content.withLock { $0.changed = (queue, call) }
        return nil
    }

    /// The kernel tells of a change.
    func change(_ body: (inout Content) -> Void) {
        let changed = content.withLock { content in
            body(&content)
            return content.changed
        }
        changed?.queue.async { changed?.call.body() }
    }

    /// The adapter is pulled out, and the kernel tells nobody but the one who has it.
    func unplug(_ error: TransportError.Kind?) {
        let controller = content.withLock { content in
            content.error = error
            return content.controller
        }
        controller?.close()
    }
}

/// Reads packets from a socket into a simulated controller, and back. Confined to its queue.
private final class TestController: @unchecked Sendable {
    private let queue = DispatchQueue(label: "controller")
    private let radio = VirtualRadio(seed: 1)
    private let identifier: ControllerIdentifier
    private let stream: ByteStream
    private var isMute = false
    private let closed = Lock(false)

    /// - Parameter makesPauses: between the first octet of its first answer and the rest over a second goes by.
    init(_ number: Int32, makesPauses: Bool) {
        identifier = radio.addController(
            ControllerConfiguration(publicAddress: DeviceAddress(kind: .public, value: 0xA1)))
        stream =
            makesPauses
            ? ByteStream(descriptor: number, name: "controller", queue: queue)
            : ByteStream(packetSocket: number, name: "controller", queue: queue)
        queue.async { [self] in
            var framer = H4Framer(reader: .controller)
            var isFirst = makesPauses
            stream.onReceive = { [unowned self] octets in
                guard !isMute else { return }
                framer.receive(octets) { radio.receive($0, for: identifier) }
                radio.advance(to: radio.now + .milliseconds(1))
                radio.drainOutput(of: identifier) { packet in
                    if isFirst {
                        stream.send(packet.extracting(first: 1))
                        usleep(1_200_000)
                        stream.send(packet.extracting(droppingFirst: 1))
                        isFirst = false
                    } else {
                        stream.send(packet)
                    }
                }
            }
            stream.onClose = { [unowned self] _ in closed.withLock { $0 = true } }
            stream.start()
        }
    }

    func close() { queue.async { [self] in stream.close() } }

    /// Answers nothing more.
    func fallSilent() { queue.sync { isMute = true } }

    /// Whether the other side has closed the socket, in the end or after more than a minute.
    func isLetGo() async throws -> Bool {
        for _ in 0..<7000 where !closed.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(10)) }
        return closed.withLock { $0 }
    }
}

private final class StateObserver: CentralObserver {
    let states = Lock<[AdapterState]>([])

    /// The states, as soon as there are so many; all there are after more than a minute. On a busy machine attempts may have
    /// failed so often that the next one is 30 s away.
    func states(_ count: Int) async throws -> [AdapterState] {
        for _ in 0..<7000 {
            let seen = states.withLock { $0 }
            if seen.count >= count { return seen }
            try await Task.sleep(for: .milliseconds(10))
        }
        return states.withLock { $0 }
    }

    func adapterStateChanged(_ state: AdapterState) { states.withLock { $0.append(state) } }
    func discovered(_ discovery: Discovery) {}
    func connected(_ peer: PeerRecord) {}
    func connectionFailed(_ peer: PeerIdentifier, _ failure: LinkFailure) {}
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {}
    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTFailure>) {}
    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {}
    func readyForWriteCommands(to peer: PeerIdentifier) {}
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {}
    func nameChanged(_ name: String?, of peer: PeerIdentifier) {}
    func channelOpened(_ result: Result<ChannelHandle, ChannelFailure>, psm: UInt16, of peer: PeerIdentifier) {}
}

@Suite(.timeLimit(.minutes(10))) struct LocalControllerTests {
    private func start(_ adapter: TestAdapter) throws -> (StateObserver, any CentralSession) {
        var configuration = HostConfiguration()
        // So that no deadline does what something else should.
        configuration.commandTimeout = .seconds(3600)
        let controlled = try LocalController.adapter(
            adapter, seed: 1, configuration: configuration, store: DeviceStore(key: StoreKey(high: 1, low: 2)))
        let observer = StateObserver()
        return (observer, controlled.openCentral(observer: observer))
    }

    @Test func anAdapterThatIsUnpluggedAndPluggedInAgainComesBack() async throws {
        let adapter = TestAdapter()
        let (observer, session) = try start(adapter)
        #expect(try await observer.states(1) == [.poweredOn])
        adapter.unplug(.notFound)
        #expect(try await observer.states(2) == [.poweredOn, .resetting])
        adapter.change { $0.error = nil }
        #expect(try await observer.states(3) == [.poweredOn, .resetting, .poweredOn])
        withExtendedLifetime(session) {}
    }

    @Test func anAdapterThatIsResetComesBackWithoutAnybodyTelling() async throws {
        let adapter = TestAdapter()
        let (observer, session) = try start(adapter)
        #expect(try await observer.states(1) == [.poweredOn])
        adapter.unplug(nil)
        #expect(try await observer.states(3) == [.poweredOn, .resetting, .poweredOn])
        withExtendedLifetime(session) {}
    }

    @Test func theRadioSwitchPowersOffAndOn() async throws {
        let adapter = TestAdapter()
        let (observer, session) = try start(adapter)
        #expect(try await observer.states(1) == [.poweredOn])
        adapter.change { $0.isBlocked = true }
        #expect(try await observer.states(2) == [.poweredOn, .poweredOff])
        adapter.change { $0.isBlocked = false }
        #expect(try await observer.states(3) == [.poweredOn, .poweredOff, .poweredOn])
        withExtendedLifetime(session) {}
    }

    @Test func aSwitchThatTakesTheAdapterAwayIsAPowerOffAndNoReset() async throws {
        let adapter = TestAdapter()
        let (observer, session) = try start(adapter)
        #expect(try await observer.states(1) == [.poweredOn])
        adapter.content.withLock { $0.isBlocked = true }
        adapter.unplug(.notFound)
        #expect(try await observer.states(2) == [.poweredOn, .poweredOff])
        adapter.change {
            $0.isBlocked = false
            $0.error = nil
        }
        #expect(try await observer.states(3) == [.poweredOn, .poweredOff, .poweredOn])
        withExtendedLifetime(session) {}
    }

    @Test func withoutRightsItIsUnauthorizedAndNotTriedAgain() async throws {
        let adapter = TestAdapter()
        adapter.content.withLock { $0.error = .permissionDenied }
        let (observer, session) = try start(adapter)
        #expect(try await observer.states(1) == [.unauthorized])
        adapter.change { $0.error = nil }
        // What the change leads to is on the queue by then, or done.
        let queue = try #require(adapter.content.withLock { $0.changed?.queue })
        for _ in 0..<3 { queue.sync {} }
        #expect(adapter.content.withLock { $0.openings } == 1)
        withExtendedLifetime(session) {}
    }

    @Test func anAdapterInUseIsUnsupportedUntilItIsFree() async throws {
        let adapter = TestAdapter()
        adapter.content.withLock { $0.error = .addressInUse }
        let (observer, session) = try start(adapter)
        #expect(try await observer.states(1) == [.unsupported])
        adapter.content.withLock { $0.error = nil }
        #expect(try await observer.states(2) == [.unsupported, .poweredOn])
        withExtendedLifetime(session) {}
    }

    @Test func aChannelIsClosedAtOnceThoughItsControllerIsSilent() async throws {
        let adapter = TestAdapter()
        let (observer, session) = try start(adapter)
        #expect(try await observer.states(1) == [.poweredOn])
        let controller = try #require(adapter.content.withLock { $0.controller })
        controller.fallSilent()
        adapter.change { $0.isBlocked = true }
        #expect(try await controller.isLetGo())
        #expect(try await observer.states(2) == [.poweredOn, .poweredOff])
        withExtendedLifetime(session) {}
    }

    @Test func whatNobodyHoldsAnyMoreClosesItsChannelAndEndsItsThread() async throws {
        let adapter = TestAdapter()
        do {
            let (observer, session) = try start(adapter)
            #expect(try await observer.states(1) == [.poweredOn])
            withExtendedLifetime(session) {}
        }
        let controller = try #require(adapter.content.withLock { $0.controller })
        #expect(try await controller.isLetGo())
    }

    @Test func aPauseWithinAPacketIsNoLossOnASocket() async throws {
        let adapter = TestAdapter()
        adapter.content.withLock { $0.makesPauses = true }
        let (observer, session) = try start(adapter)
        #expect(try await observer.states(1) == [.poweredOn])
        withExtendedLifetime(session) {}
    }
}
