import BLEAdapter
import BLEWire
import Glibc
import TestDoubles
import Testing

@testable import BLEBlueZAdapter

@Suite struct ChannelTests {
    private let scheduler = ManualScheduler()
    private let system = FakeChannels()
    private let channels: BlueZChannels
    private let local = DeviceAddress(kind: .public, value: 1)
    private let peer = DeviceAddress(kind: .random, value: 2)

    init() {
        channels = BlueZChannels(scheduler, system)
        channels.begin(local)
    }

    private final class Answers {
        var all: [Result<ChannelHandle, ChannelError>] = []
        var handle: ChannelHandle? { all.last.flatMap { try? $0.get() } }
        var failure: ChannelError? {
            if case .failure(let error)? = all.last { error } else { nil }
        }
    }

    private func open(_ psm: UInt16 = 0x80) -> Answers {
        let answers = Answers()
        channels.openChannel(psm, to: peer) { answers.all.append($0) }
        scheduler.run()
        return answers
    }

    /// A channel with its socket.
    private func connected(sendMTU: Int = 100) throws -> (ChannelHandle, FakeSocket) {
        let answers = open()
        let socket = try #require(system.sockets.last)
        socket.connect(sendMTU: sendMTU)
        return (try #require(answers.handle), socket)
    }

    // MARK: Opening

    @Test func aChannelOpensOverTheAdapter() throws {
        let answers = open(0x81)
        #expect(system.calls == ["connect 129 2 1"])
        let socket = system.sockets[0]
        #expect(socket.isReading && socket.isWriting && answers.all.isEmpty)
        socket.onWritable?()
        #expect(answers.all.isEmpty)
        socket.connect(sendMTU: 100)
        #expect(answers.handle?.psm == 0x81 && answers.all.count == 1)
        #expect(socket.isReading && !socket.isWriting)
    }

    @Test(arguments: [
        (ECONNREFUSED, ChannelError.refused), (EACCES, .insufficientAuthentication),
        (EPERM, .insufficientAuthentication),
        (EBADE, .insufficientEncryption), (EHOSTDOWN, .notConnected), (ENOTCONN, .notConnected),
        (ECONNRESET, .notConnected), (EHOSTUNREACH, .notConnected), (ENETDOWN, .notPoweredOn), (ETIMEDOUT, .noAnswer),
        (ENOMEM, .noResources), (EMFILE, .noResources), (EAFNOSUPPORT, .noResources), (12_345, .refused),
    ])
    func errorsOfTheKernelAreReasons(code: Int32, expected: ChannelError) throws {
        let answers = open()
        let socket = try #require(system.sockets.last)
        socket.fail(code)
        #expect(answers.failure == expected && socket.isClosed)
        // The same for one that is refused at once, but later than the call.
        system.failure = code
        var early: Result<ChannelHandle, ChannelError>?
        channels.openChannel(0x80, to: peer) { early = $0 }
        #expect(early == nil)
        scheduler.run()
        guard case .failure(expected)? = early else {
            Issue.record("\(String(describing: early))")
            return
        }
    }

    @Test func requestsThatCannotSucceedFailWithoutASocket() {
        #expect(open(0).failure == .unknownPSM)
        #expect(open(0x100).failure == .unknownPSM)
        channels.end(.poweredOff)
        #expect(open().failure == .notPoweredOn)
        #expect(system.sockets.isEmpty)
    }

    @Test func aChannelThatDoesNotOpenInTimeIsGivenUp() throws {
        let answers = open()
        scheduler.run(for: .seconds(59))
        #expect(answers.all.isEmpty)
        scheduler.run(for: .seconds(1))
        #expect(answers.failure == .noAnswer && system.sockets[0].isClosed)
        let (handle, socket) = try connected()
        scheduler.run(for: .seconds(100))
        #expect(handle.status.end == nil && !socket.isClosed)
    }

    @Test func theNumberOfChannelsHasALimit() {
        for _ in 0..<BlueZChannels.Limit.channels { #expect(open().all.isEmpty) }
        #expect(open().failure == .noResources)
    }

    // MARK: Data

    @Test func eachWriteThatFitsIsOneSDU() throws {
        let (handle, socket) = try connected(sendMTU: 4)
        handle.put([1, 2])
        handle.put([3, 4, 5, 6, 7])
        #expect(socket.sent.isEmpty)
        scheduler.run()
        #expect(socket.sent == [[1, 2], [3, 4, 5, 6], [7]])
    }

    @Test func aFullSocketStopsTheProgram() throws {
        let (handle, socket) = try connected(sendMTU: 1000)
        let changes = ChannelChanges()
        handle.observe(changes)
        socket.room = 2
        #expect(handle.put([UInt8](repeating: 7, count: 20_000)) == 17_000)
        scheduler.run()
        #expect(socket.sent.count == 2 && socket.isWriting && !handle.status.hasSpace)
        // Nothing more is tried until there is room.
        socket.room = 1
        #expect(handle.put([1]) == 1)
        scheduler.run()
        #expect(socket.sent.count == 2)
        socket.makeRoom(8)
        #expect(socket.sent.count == 10 && changes.count == 1 && handle.status.hasSpace)
        #expect(socket.isWriting)
        socket.makeRoom(nil)
        #expect(socket.sent.count == 18 && !socket.isWriting)
    }

    @Test func aProgramThatDoesNotReadStopsThePeer() throws {
        let (handle, socket) = try connected()
        let sdu = [UInt8](repeating: 5, count: 2000)
        for _ in 0..<40 { socket.deliver(sdu) }
        #expect(handle.status.readable == 34_000 && !socket.isReading)
        #expect(handle.take(1000).count == 1000)
        scheduler.run()
        #expect(!socket.isReading)
        #expect(handle.take(10_000).count == 10_000)
        scheduler.run()
        #expect(socket.isReading)
        socket.poll()
        #expect(handle.status.readable >= ChannelPump.receiveWindow && !socket.isReading)
        var total = 11_000
        while total < 80_000 {
            let count = handle.take().count
            guard count > 0 else { break }
            total += count
            scheduler.run()
            socket.poll()
        }
        #expect(total == 80_000)
    }

    @Test func aProgramThatEndsReadingDoesNotStopThePeer() throws {
        let (handle, socket) = try connected()
        handle.endReading()
        for _ in 0..<100 {
            socket.deliver([UInt8](repeating: 5, count: 2000))
            scheduler.run()
        }
        #expect(socket.isReading && handle.status.readable == 0)
    }

    // MARK: Ends

    @Test func theProgramClosesAfterItsDataIsSent() throws {
        let (handle, socket) = try connected(sendMTU: 10)
        socket.room = 1
        handle.put([UInt8](repeating: 1, count: 25))
        handle.close()
        scheduler.run()
        #expect(socket.sent.count == 1 && socket.isWriting && !socket.isClosed)
        // What arrives meanwhile is dropped.
        socket.deliver([9])
        #expect(handle.status.readable == 0)
        socket.makeRoom(2)
        #expect(socket.sent.count == 3 && socket.isClosed)
    }

    @Test func theKernelHasSentEverythingBeforeTheChannelCloses() throws {
        let (handle, socket) = try connected(sendMTU: 10)
        handle.put([1, 2, 3])
        handle.close()
        scheduler.run()
        // The peer has no credits for it, so that the socket is not writable.
        #expect(socket.sent == [[1, 2, 3]] && socket.isWriting && !socket.isClosed)
        socket.makeRoom(nil)
        #expect(socket.isClosed && handle.status.end == .local)
    }

    @Test func aPeerThatTakesNothingDoesNotKeepAClosedChannel() throws {
        let (handle, socket) = try connected(sendMTU: 10)
        socket.room = 0
        handle.put([1])
        handle.close()
        scheduler.run(for: .seconds(9))
        #expect(!socket.isClosed)
        scheduler.run(for: .seconds(1))
        #expect(socket.isClosed)
    }

    @Test(arguments: [
        (Int32(0), ChannelEnd.peer), (ECONNRESET, .peer), (ETIMEDOUT, .linkLost), (ECONNABORTED, .linkLost),
        (EPROTO, .violation),
    ])
    func theEndComesAfterTheDataBeforeIt(code: Int32, end: ChannelEnd) throws {
        let (handle, socket) = try connected()
        let changes = ChannelChanges()
        handle.observe(changes)
        socket.deliver([1])
        // The kernel reports the error first.
        socket.hangUp(code, after: [2, 3])
        #expect(handle.status.end == end && socket.isClosed && changes.count == 2)
        #expect(handle.take() == [1, 2, 3])
        #expect(handle.put([1]) == 0)
    }

    @Test func anEndWaitsForAProgramThatDoesNotRead() throws {
        let (handle, socket) = try connected()
        for _ in 0..<17 { socket.deliver([UInt8](repeating: 5, count: 2000)) }
        #expect(!socket.isReading)
        socket.hangUp(ETIMEDOUT, after: [1])
        #expect(handle.status.end == nil)
        #expect(handle.take().count == 34_000)
        scheduler.run()
        socket.poll()
        #expect(handle.status.end == .linkLost && handle.take() == [1])
    }

    @Test func aSocketThatTakesNothingAnyMoreIsReadToItsEnd() throws {
        let (handle, socket) = try connected()
        socket.sendError = EPIPE
        handle.put([1])
        scheduler.run()
        #expect(handle.status.end == nil && socket.isReading && !socket.isWriting)
        socket.hangUp(0, after: [8])
        #expect(handle.status.end == .peer && handle.take() == [8])
    }

    @Test func theEndOfTheAdapterEndsChannels() throws {
        let (handle, socket) = try connected()
        let opening = open()
        channels.end(.poweredOff)
        #expect(handle.status.end == .linkLost && socket.isClosed)
        #expect(opening.failure == .notPoweredOn)
        // A handle of an earlier time has no effect.
        handle.close()
        handle.endReading()
        scheduler.run()
    }

    // MARK: Services

    private func publish(
        requiresEncryption: Bool = false, onOpened: @escaping (ChannelHandle, DeviceAddress) -> Void = { _, _ in }
    ) -> Result<UInt16, ChannelError>? {
        var result: Result<UInt16, ChannelError>?
        channels.publish(
            requiresEncryption: requiresEncryption, completion: { result = $0 }, onOpened: onOpened)
        return result
    }

    @Test func aServiceAcceptsChannels() throws {
        var opened: [(ChannelHandle, DeviceAddress)] = []
        let published = publish(requiresEncryption: true) { opened.append(($0, $1)) }
        let psm = try #require(try published?.get())
        #expect(psm == 0x80 && system.calls == ["listen 1 true"])
        let socket = FakeSocket()
        socket.progress = .connected(sendMTU: 50)
        system.listeners[0].onAccept?(socket, peer)
        #expect(opened.count == 1 && opened[0].1 == peer && opened[0].0.psm == psm)
        socket.deliver([1])
        #expect(opened[0].0.take() == [1])
        // A channel that this side opened to the same number stays.
        let (other, _) = try connected()
        channels.unpublish(psm)
        channels.unpublish(psm)
        #expect(system.listeners[0].isClosed && socket.isClosed && opened[0].0.status.end == .local)
        #expect(other.status.end == nil)
    }

    @Test func channelsBeyondTheLimitsAreClosed() throws {
        var count = 0
        _ = publish { _, _ in count += 1 }
        // A channel that ended before it was accepted.
        let ended = FakeSocket()
        ended.progress = .failed(ChannelSystemError(code: ECONNRESET))
        system.listeners[0].onAccept?(ended, peer)
        #expect(ended.isClosed && count == 0)
        for _ in 0..<BlueZChannels.Limit.channels + 3 {
            let socket = FakeSocket()
            socket.progress = .connected(sendMTU: 50)
            system.listeners[0].onAccept?(socket, peer)
        }
        #expect(count == BlueZChannels.Limit.channels)
        for _ in 1..<BlueZChannels.Limit.services { _ = publish() }
        #expect(publish() == .failure(.noResources))
        system.failure = EADDRINUSE
        channels.begin(local)
        #expect(publish() == .failure(.noResources) && system.listeners.allSatisfy(\.isClosed))
        channels.end(.poweredOff)
        #expect(publish() == .failure(.notPoweredOn))
    }
}
