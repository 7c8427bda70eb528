import BLETransport
import Dispatch
import Glibc

/// A socket of bluetoothd's with one value in each packet (AcquireNotify, AcquireWrite). Used on the adapter's scheduler.
protocol ValueSocket: AnyObject {
    /// Receives each value.
    var onValue: ((Span<UInt8>) -> Void)? { get set }
    /// Called once when bluetoothd has closed its end.
    var onEnd: (() -> Void)? { get set }
    /// Called when there is room again after `full`.
    var onRoom: (() -> Void)? { get set }
    func start()
    func send(_ value: Span<UInt8>) -> ValueSocketResult
    /// Whether bluetoothd has read everything that was sent.
    var isDrained: Bool { get }
    /// Closes the socket. No callback follows.
    func close()
}

enum ValueSocketResult: Hashable { case sent, full, ended }

/// Such a socket of the system.
final class SystemValueSocket: ValueSocket {
    var onValue: ((Span<UInt8>) -> Void)?
    var onEnd: (() -> Void)?
    var onRoom: (() -> Void)?
    private let socket: PacketSocket
    private var watch: (any StreamWatch)?

    /// - Parameter group: Waits for the socket, on the same queue. Without one, dispatch sources do.
    init(_ descriptor: Descriptor, queue: DispatchQueue, group: PollingGroup? = nil) {
        socket = PacketSocket(descriptor)
        watch = group.watch(
            descriptor, queue: queue, onReadable: { [weak self] in self?.receive() },
            onWritable: { [weak self] in
                self?.watch?.watchWriting(false)
                self?.onRoom?()
            })
    }

    deinit { watch?.cancel() }

    func start() { watch?.watchReading(true) }

    func close() {
        (onValue, onEnd, onRoom) = (nil, nil, nil)
        watch?.cancel()
        watch = nil
    }

    var isDrained: Bool { socket.unreadCount == 0 }

    /// Reads to the end: a hang-up may be reported once.
    private func receive() {
        var buffer = [UInt8](repeating: 0, count: PacketSocket.longest)
        while watch != nil {
            switch socket.receive(into: &buffer) {
            case .value(let count): onValue?(buffer.span.extracting(first: count))
            case .nothing: return
            case .end: finish()
            }
        }
    }

    private func finish() {
        let end = onEnd
        close()
        end?()
    }

    func send(_ value: Span<UInt8>) -> ValueSocketResult {
        guard watch != nil else { return .ended }
        let result = socket.send(value)
        if result == .full { watch?.watchWriting(true) }
        return result
    }
}

/// The reads and writes of such a socket.
struct PacketSocket {
    enum Received: Equatable {
        /// A value of so many octets.
        case value(Int)
        /// Nothing is there now.
        case nothing
        case end
    }

    /// The longest attribute value (Vol 3, Part F, 3.2.9).
    static let longest = 512

    let descriptor: Descriptor

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
        Sockets.prepare(descriptor.number)
    }

    /// Reads the next packet.
    func receive(into buffer: inout [UInt8]) -> Received {
        let count = Sockets.read(descriptor, into: &buffer, limit: Self.longest)
        if count > 0 { return .value(count) }
        if count == -Int(EAGAIN) || count == -Int(EWOULDBLOCK) { return .nothing }
        // An empty value and the end look alike.
        return Sockets.hasHungUp(descriptor) ? .end : count == 0 ? .value(0) : .nothing
    }

    /// The octets that the other end has not read, with what the system adds for itself (unix(7), SIOCOUTQ).
    var unreadCount: Int {
        var count: Int32 = 0
        return ioctl(descriptor.number, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    func send(_ value: Span<UInt8>) -> ValueSocketResult {
        let count = Sockets.write(descriptor, value)
        guard count < 0 else { return .sent }
        return count == -Int(EAGAIN) ? .full : .ended
    }
}
