import BLETransport
import BLEWire
import Dispatch

/// The socket of a connection to a bus, and its timer.
///
/// `@unchecked Sendable`: it is used on its queue.
final class BusSocketCarrier: BusCarrier, @unchecked Sendable {
    /// The time to connect the socket.
    private static let connecting = TimeSpan.seconds(5)
    /// The time to the next attempt if the system has no memory.
    private static let pause = TimeSpan.milliseconds(100)

    typealias Write = (BusSocket, BusOutput, Int) -> Int64

    private let addresses: [BusAddress]
    private let queue: DispatchQueue
    private let group: PollingGroup?
    private let clock = MachineClock()
    private let write: Write
    private weak var connection: BusConnection?
    private var connector: StreamConnector?
    private var socket: BusSocket?
    private var watch: (any StreamWatch)?
    private var timer: DeadlineTimer?
    /// What the system has not taken whole, and how much of it.
    private var writing: (output: BusOutput, written: Int)?
    private var isPausing = false
    private var isReading = false
    private var isClosed = false

    init(
        to addresses: [BusAddress], queue: DispatchQueue, group: PollingGroup? = nil,
        write: @escaping Write = { $0.write($1, from: $2) }
    ) {
        (self.addresses, self.queue, self.group, self.write) = (addresses, queue, group, write)
        timer = DeadlineTimer(on: queue) { [weak self] in
            self?.timer?.fired()
            self?.connection?.handleTimeout()
        }
    }

    deinit { release() }

    var now: Instant { clock.now }

    func submit(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    func start(_ connection: BusConnection) {
        self.connection = connection
        queue.async { [weak self] in
            guard let self else { return }
            connect(to: addresses[...], nil)
        }
    }

    func follow(_ session: inout BusSession) {
        flush(&session)
        guard session.end == nil else { return }
        watchReading(session.wantsInput)
        timer?.advance(to: session.deadline, at: now)
    }

    func close() {
        isClosed = true
        release()
        (connector, timer, watch, socket, writing) = (nil, nil, nil, nil, nil)
        isReading = false
    }

    private func release() {
        connector?.cancel()
        timer?.cancel()
        watch?.cancel()
        socket?.close()
    }

    // MARK: The socket

    private func connect(to addresses: ArraySlice<BusAddress>, _ problem: BusCallError?) {
        guard !isClosed else { return }
        guard let address = addresses.first else {
            connection?.carrierEnded(problem ?? .unreadableAddress(""))
            return
        }
        guard let transport = address.transport else {
            return connect(to: addresses.dropFirst(), .unreadableAddress(address.description))
        }
        connector = StreamConnector.connect(to: transport, queue: queue, timeout: Self.connecting) {
            [weak self] result in
            guard let self else { return }
            connector = nil
            switch result {
            case .success(let connection): open(connection.descriptor)
            case .failure(let error): connect(to: addresses.dropFirst(), Self.problem(address, error))
            }
        }
    }

    private static func problem(_ address: BusAddress, _ error: TransportError) -> BusCallError {
        let reason =
            switch error.kind {
            case .notFound: "there is no socket"
            case .refused: "no program listens there"
            case .permissionDenied: "this user may not connect"
            case .timedOut: "nothing answers"
            default: "the connection failed"
            }
        return .noBus(address.description, reason)
    }

    private func open(_ descriptor: Descriptor) {
        socket = BusSocket(descriptor)
        watch = group.watch(
            descriptor, queue: queue, onReadable: { [weak self] in self?.readAvailable() },
            onWritable: { [weak self] in self?.connection?.carrierTakesOutput() })
        connection?.carrierConnected()
    }

    /// Reads once, and to the end if the bus has hung up and the watch reports that once.
    private func readAvailable() {
        repeat {
            guard isReading, readOnce(), watch?.repeatsHangUps == false else { return }
        } while socket.map { Sockets.hasHungUp($0.descriptor) } ?? false
    }

    /// Returns whether more octets may be there.
    private func readOnce() -> Bool {
        guard var socket = self.socket else { return false }
        self.socket = nil
        let result = socket.read()
        self.socket = socket
        switch result {
        case .nothing: return false
        case .octets(let descriptors): connection?.receive(socket.octets, descriptors: descriptors)
        case .end(let reason): connection?.carrierEnded(reason)
        }
        return true
    }

    private func flush(_ session: inout BusSession) {
        guard let socket, !isPausing else { return }
        do throws(BusCallError) {
            while let (output, written) = writing ?? session.takeOutput().map({ ($0, 0) }) {
                writing = (output, written)
                switch try BusSocket.written(write(socket, output, written)) {
                case .octets(let count):
                    session.wrote(count)
                    writing = written + count == output.octets.count ? nil : (output, written + count)
                case .full:
                    watch?.watchWriting(true)
                    return
                case .later: return pause()
                }
            }
            watch?.watchWriting(false)
        } catch {
            session.close(error)
        }
    }

    private func pause() {
        isPausing = true
        watch?.watchWriting(false)
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(Self.pause.nanoseconds))) { [weak self] in
            self?.isPausing = false
            self?.connection?.carrierTakesOutput()
        }
    }

    private func watchReading(_ wantsInput: Bool) {
        guard let socket, isReading != wantsInput else { return }
        isReading = wantsInput
        watch?.watchReading(isReading)
        // libdispatch does not report a hang-up that was there before it began to watch.
        if isReading, Sockets.hasHungUp(socket.descriptor) {
            queue.async { [weak self] in self?.readAvailable() }
        }
    }
}
