import BLETransport
import BLEWire
import Dispatch
import Glibc

/// A socket to bluetoothd with one value in each packet (AcquireNotify, AcquireWrite), of which either side is the server. Used on the adapter's
/// scheduler.
protocol ValueSocket: AnyObject {
    /// Receives each value. bluetoothd sends one octet for each indication of this program that a client confirmed.
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
    /// The values that are read in one turn of the queue.
    private static let turn = 64

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

    /// A hang-up may be reported once: everything is read then.
    private func receive() {
        var buffer = [UInt8](repeating: 0, count: ATT.maximumValueLength)
        var rest = Self.turn
        while watch != nil, rest > 0 || socket.isOver {
            switch socket.receive(into: &buffer) {
            case .value(let count): onValue?(buffer.span.extracting(first: count))
            case .nothing: return
            case .end: finish()
            }
            rest -= 1
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

    let descriptor: Descriptor

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
        Sockets.prepare(descriptor.number)
    }

    /// Opens a socket, and the end for bluetoothd. Returns nil if the process has no descriptors left.
    static func pair() -> (Descriptor, Descriptor)? {
        var numbers: [Int32] = [0, 0]
        let flags = SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(flags), 0, &numbers) == 0 else { return nil }
        return (Descriptor(numbers[0]), Descriptor(numbers[1]))
    }

    /// Reads the next packet.
    func receive(into buffer: inout [UInt8]) -> Received {
        let count = Sockets.read(descriptor, into: &buffer, limit: ATT.maximumValueLength)
        if count > 0 { return .value(count) }
        if count == -Int(EAGAIN) || count == -Int(EWOULDBLOCK) { return .nothing }
        // An empty value and the end look alike.
        return isOver ? .end : count == 0 ? .value(0) : .nothing
    }

    /// The octets that the other end has not read, with what the system adds for itself (unix(7), SIOCOUTQ).
    var unreadCount: Int {
        var count: Int32 = 0
        return ioctl(descriptor.number, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// Whether the other end is closed. What it sent before can still be read.
    var isOver: Bool { Sockets.hasHungUp(descriptor) }

    func send(_ value: Span<UInt8>) -> ValueSocketResult {
        switch Sockets.write(descriptor, value) {
        case 0...: .sent
        case -Int(EAGAIN), -Int(ENOBUFS): .full
        default: .ended
        }
    }
}
