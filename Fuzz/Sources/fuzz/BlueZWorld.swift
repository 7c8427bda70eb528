import BLEAdapter
import BLETransport
import BLEWire
import Glibc
import SystemBus

@testable import BLEBlueZAdapter

/// A scheduler in virtual time.
final class BlueZClock: SerialScheduler, @unchecked Sendable {
    // `@unchecked Sendable`: used on one thread.

    private(set) var now = Instant.zero
    /// In the order in which it runs, backwards.
    private var work: [(time: Instant, body: @Sendable () -> Void)] = []

    var count: Int { work.count }

    func submit(_ body: @escaping @Sendable () -> Void) { submit(after: .zero, body) }

    func submit(after delay: TimeSpan, _ body: @escaping @Sendable () -> Void) {
        let time = now + max(delay, .zero)
        var (low, high) = (0, work.count)
        while low < high {
            let middle = (low + high) / 2
            if work[middle].time > time { low = middle + 1 } else { high = middle }
        }
        work.insert((time, body), at: low)
    }

    func run(for span: TimeSpan = .zero) {
        let end = now + span
        var steps = 0
        while let next = work.last, next.time <= end {
            work.removeLast()
            steps = next.time > now ? 0 : steps + 1
            require(steps < 50_000, "the time stands still")
            now = max(now, next.time)
            next.body()
        }
        now = end
    }
}

/// A bus whose other side is the input of the fuzzer. Callbacks run on the clock, never within a method, as `Bus` requires.
final class BlueZBus: Bus, BusAnswering, @unchecked Sendable {
    // `@unchecked Sendable`: used on one thread.

    struct Call {
        let message: BusMessage
        let completion: Completion
    }

    static let service = ":1.1"

    var onReady: ((String) -> Void)?
    var onClose: ((BusCallError) -> Void)?
    var onDrain: (() -> Void)?
    var uniqueName: String? { ":1.2" }
    var isBusy = false
    private let clock: BlueZClock
    private var last = 0
    private(set) var calls: [Int: Call] = [:]
    private var subscribers: [Int: (match: BusMatch, receive: (BusMessage) -> Void)] = [:]
    private var watchers: [Int: (name: String, change: (String?) -> Void)] = [:]
    private(set) var exports: [String: (interfaces: [String: Set<String>], number: Int, handle: (BusCall) -> Void)] =
        [:]
    /// The calls of bluetoothd without an answer.
    private(set) var tokens: Set<UInt64> = []
    private var lastToken: UInt64 = 0
    private(set) var isClosed = false
    private(set) var owner: String? = BlueZBus.service

    init(_ clock: BlueZClock) {
        self.clock = clock
        later { $0.onReady?(":1.2") }
    }

    var subscriptionCount: Int { subscribers.count + watchers.count }

    private func later(_ body: @escaping @Sendable (BlueZBus) -> Void) {
        clock.submit { [weak self] in if let self, !isClosed { body(self) } }
    }

    private func number() -> Int {
        last += 1
        return last
    }

    // MARK: Bus

    func call(_ message: BusMessage, timeout: TimeSpan, completion: @escaping Completion) {
        let number = number()
        calls[number] = Call(message: message, completion: completion)
        guard !isClosed, Self.isValid(message) else {
            let failure: BusCallError = isClosed ? .closed : .invalid
            return clock.submit { [weak self] in self?.answer(number, .failure(failure)) }
        }
        clock.submit(after: timeout) { [weak self] in self?.answer(number, .failure(.timeout)) }
    }

    func answer(_ number: Int, _ result: Result<BusMessage, BusCallError>) {
        calls.removeValue(forKey: number)?.completion(result)
    }

    func emit(_ message: BusMessage) throws(BusCallError) {
        guard !isClosed else { throw .closed }
        guard Self.isValid(message) else { throw .invalid }
    }

    private static func isValid(_ message: BusMessage) -> Bool {
        var message = message
        message.serial = 1
        return (try? message.encoded()) != nil
    }

    @discardableResult
    func subscribe(
        _ match: BusMatch, completion: ((BusCallError?) -> Void)?, receive: @escaping (BusMessage) -> Void
    ) -> BusCancellable {
        let number = number()
        subscribers[number] = (match, receive)
        return BusCancellable { [weak self] in self?.subscribers[number] = nil }
    }

    @discardableResult
    func watchName(_ name: String, _ change: @escaping (String?) -> Void) -> BusCancellable {
        let number = number()
        watchers[number] = (name, change)
        later { bus in bus.watchers[number]?.change(bus.owner) }
        return BusCancellable { [weak self] in self?.watchers[number] = nil }
    }

    @discardableResult
    func export(
        _ path: String, _ interfaces: [String: Set<String>], _ handle: @escaping (BusCall) -> Void
    ) -> BusCancellable {
        let number = number()
        exports[path] = (interfaces, number, handle)
        return BusCancellable { [weak self] in
            if self?.exports[path]?.number == number { self?.exports[path] = nil }
        }
    }

    func close() { end(.closed) }

    func reply(_ token: UInt64, _ values: [BusValue], _ descriptors: [Descriptor]) {
        require(tokens.remove(token) != nil || isClosed, "a second answer to a call")
        var reply = BusMessage(.reply, serial: 1)
        (reply.replySerial, reply.body, reply.descriptors) = (1, values, descriptors)
        require((try? reply.encoded()) != nil, "an answer has no valid form")
    }

    func fail(_ token: UInt64, _ name: String, _ text: String) {
        require(tokens.remove(token) != nil || isClosed, "a second answer to a call")
    }

    func released(_ token: UInt64) { tokens.remove(token) }

    // MARK: The other side

    private func end(_ reason: BusCallError) {
        guard !isClosed else { return }
        isClosed = true
        let waiting = calls.sorted { $0.key < $1.key }
        (calls, subscribers, watchers, exports, tokens) = ([:], [:], [:], [:], [])
        let callback = reason == .closed ? nil : onClose
        (onReady, onClose, onDrain) = (nil, nil, nil)
        let ended = Ended(calls: waiting.map(\.value), reason: reason, callback: callback)
        clock.submit { ended.run() }
    }

    /// `@unchecked Sendable`: used on one thread.
    private struct Ended: @unchecked Sendable {
        let calls: [Call]
        let reason: BusCallError
        let callback: ((BusCallError) -> Void)?

        func run() {
            for call in calls { call.completion(.failure(reason)) }
            callback?(reason)
        }
    }

    func breakDown() { end(.broken("broke")) }

    func drain() {
        isBusy = false
        later { $0.onDrain?() }
    }

    func setOwner(_ name: String?) {
        owner = name
        later { bus in
            for watcher in bus.watchers.sorted(by: { $0.key < $1.key }) { watcher.value.change(name) }
        }
        guard name == nil else { return }
        for number in calls.keys.sorted() {
            later { $0.answer(number, .failure(.error("org.freedesktop.DBus.Error.NoReply", "gone"))) }
        }
    }

    func emit(signal: BusMessage) {
        var signal = signal
        signal.sender = owner
        for subscriber in subscribers.sorted(by: { $0.key < $1.key }) { subscriber.value.receive(signal) }
    }

    /// bluetoothd calls an object, if the call passes what `SystemBus` checks.
    func call(_ message: BusMessage) {
        guard let path = message.path, let export = exports[path], let interface = message.interface,
            export.interfaces[interface]?.contains(message.member ?? "") == true, tokens.count < 256
        else { return }
        guard message.isReplyExpected else { return export.handle(BusCall(message, nil, self)) }
        lastToken += 1
        tokens.insert(lastToken)
        export.handle(BusCall(message, lastToken, self))
    }
}

/// A socket of values.
final class BlueZSocket: ValueSocket, @unchecked Sendable {
    // `@unchecked Sendable`: used on one thread.

    var onValue: ((Span<UInt8>) -> Void)?
    var onEnd: (() -> Void)?
    var onRoom: (() -> Void)?
    private var descriptor: Descriptor?
    private(set) var isStarted = false
    var room = 3
    var isDrained = true
    var isClosed: Bool { descriptor == nil }

    init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    func start() { isStarted = true }

    func send(_ value: Span<UInt8>) -> ValueSocketResult {
        require(value.count > 0 && value.count <= 512, "a packet that ends the socket")
        guard !isClosed else { return .ended }
        guard room > 0 else { return .full }
        room -= 1
        return .sent
    }

    func close() { (descriptor, onValue, onEnd, onRoom) = (nil, nil, nil, nil) }

    // MARK: The other side

    func receive(_ value: [UInt8]) { if isStarted, !isClosed { onValue?(value.span) } }

    func end() {
        guard isStarted, !isClosed else { return }
        let end = onEnd
        close()
        end?()
    }

    func makeRoom() {
        guard isStarted, !isClosed else { return }
        room = 3
        onRoom?()
    }
}

/// The channels of the kernel.
final class BlueZKernel: ChannelSystem, @unchecked Sendable {
    // `@unchecked Sendable`: used on one thread.

    final class Socket: ChannelSocket {
        var onReadable: (() -> Void)?
        var onWritable: (() -> Void)?
        var progress: ChannelProgress
        var incoming: [[UInt8]] = []
        var end: Int32?
        var room = 2
        private(set) var isClosed = false
        private var watches = (reading: false, writing: false)

        init(_ progress: ChannelProgress) { self.progress = progress }

        func watch(reading: Bool, writing: Bool) { watches = (reading, writing) }

        func receive(into buffer: inout [UInt8]) -> ChannelRead {
            guard !incoming.isEmpty else { return end.map { .end($0) } ?? .nothing }
            let sdu = incoming.removeFirst()
            buffer.replaceSubrange(0..<sdu.count, with: sdu)
            return .octets(sdu.count)
        }

        func send(_ sdu: Span<UInt8>) -> Int32 {
            if let end { return end == 0 ? EPIPE : end }
            guard room > 0 else { return EAGAIN }
            room -= 1
            return 0
        }

        func close() { (isClosed, onReadable, onWritable) = (true, nil, nil) }

        func poll() {
            for _ in 0..<8 where !isClosed {
                if watches.reading, !incoming.isEmpty || end != nil { onReadable?() }
                if watches.writing, room > 0 { onWritable?() }
                if case .failed = progress { onReadable?() }
            }
        }
    }

    final class Listener: ChannelListener {
        let psm: UInt16
        var onAccept: ((any ChannelSocket, DeviceAddress) -> Void)?
        private(set) var isClosed = false

        init(_ psm: UInt16) { self.psm = psm }
        func close() { (isClosed, onAccept) = (true, nil) }
    }

    private struct Weak {
        weak var socket: Socket?
        weak var listener: Listener?
    }

    /// Releasing a socket closes it.
    private var opened: [Weak] = []
    private var psm: UInt16 = 0x80
    var sockets: [Socket] { opened.compactMap(\.socket).filter { !$0.isClosed } }
    private var listeners: [Listener] { opened.compactMap(\.listener).filter { !$0.isClosed } }

    private func add(_ socket: Socket?, _ listener: Listener?) {
        opened.removeAll { $0.socket?.isClosed != false && $0.listener?.isClosed != false }
        opened.append(Weak(socket: socket, listener: listener))
    }

    func connect(
        _ psm: UInt16, to peer: DeviceAddress, from local: DeviceAddress
    ) throws(ChannelSystemError) -> any ChannelSocket {
        guard psm & 1 == 0 else { throw ChannelSystemError(code: ECONNREFUSED) }
        let socket = Socket(.waiting)
        add(socket, nil)
        return socket
    }

    func listen(
        on local: DeviceAddress, requiresEncryption: Bool
    ) throws(ChannelSystemError) -> any ChannelListener {
        guard psm < 0xFF else { throw ChannelSystemError(code: EADDRINUSE) }
        psm += 1
        let listener = Listener(psm)
        add(nil, listener)
        return listener
    }

    func accept(_ mtu: Int, _ address: DeviceAddress) {
        guard let listener = listeners.last else { return }
        let socket = Socket(.connected(sendMTU: mtu))
        add(socket, nil)
        listener.onAccept?(socket, address)
    }

    var openCount: Int { sockets.count + listeners.count }
}
