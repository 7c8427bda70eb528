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

/// Such a socket with dispatch sources.
final class DispatchValueSocket: ValueSocket {
    /// The values that are read in one turn of the queue.
    private static let turn = 64

    var onValue: ((Span<UInt8>) -> Void)?
    var onEnd: (() -> Void)?
    var onRoom: (() -> Void)?
    private let socket: PacketSocket
    private var watch: DispatchWatch?

    init(_ descriptor: Descriptor, queue: DispatchQueue) {
        socket = PacketSocket(descriptor)
        watch = DispatchWatch(
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

    private func receive() {
        // A hang-up is reported once: everything has to be read then.
        let isOver = socket.isOver
        var rest = Self.turn
        while watch != nil, isOver || rest > 0, socket.receive({ onValue?($0) }) { rest -= 1 }
        guard watch != nil, isOver else { return }
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

    /// Passes the next packet to `body`. Returns false if there is none.
    func receive(_ body: (Span<UInt8>) -> Void) -> Bool {
        var buffer = [UInt8](repeating: 0, count: ATT.maximumValueLength)
        let count = Sockets.read(descriptor, into: &buffer, limit: buffer.count)
        guard count >= 0 else { return false }
        // An empty value and the end look alike.
        if count == 0, isOver { return false }
        body(buffer.span.extracting(first: count))
        return true
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
