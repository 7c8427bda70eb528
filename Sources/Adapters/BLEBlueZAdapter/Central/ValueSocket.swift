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

/// Such a socket with dispatch sources.
final class DispatchValueSocket: ValueSocket {
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
        while watch != nil {
            guard socket.receive({ onValue?($0) }) else { break }
        }
        if watch != nil, socket.isOver { finish() }
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
    /// The longest attribute value (Vol 3, Part F, 3.2.9).
    private static let longest = 512

    let descriptor: Descriptor

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
        Sockets.prepare(descriptor.number)
    }

    /// Passes the next packet to `body`. Returns false if there is none.
    func receive(_ body: (Span<UInt8>) -> Void) -> Bool {
        var buffer = [UInt8](repeating: 0, count: Self.longest)
        let count = Sockets.read(descriptor, into: &buffer, limit: Self.longest)
        guard count >= 0 else { return false }
        // An empty value and the end look alike.
        if count == 0, Sockets.hasHungUp(descriptor) { return false }
        body(buffer.span.extracting(first: count))
        return true
    }

    /// The octets that the other end has not read, with what the system adds for itself (unix(7), SIOCOUTQ).
    var unreadCount: Int {
        var count: Int32 = 0
        return ioctl(descriptor.number, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// Whether the other end is closed and everything is read.
    var isOver: Bool { Sockets.hasHungUp(descriptor) }

    func send(_ value: Span<UInt8>) -> ValueSocketResult {
        let count = Sockets.write(descriptor, value)
        guard count < 0 else { return .sent }
        return count == -Int(EAGAIN) ? .full : .ended
    }
}
