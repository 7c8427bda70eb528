import BLETransport
import Dispatch
import Glibc

/// The socket that carries the values of one characteristic to one subscriber. Used on the adapter's scheduler, where the callbacks run.
protocol UpdatePipe: AnyObject {
    /// - Parameter onRoom: Called when `send` has returned false and there is room again.
    /// - Parameter onEnd: Called once if bluetoothd closes its end: the client unsubscribed, or its link ended.
    func start(onRoom: @escaping @Sendable () -> Void, onEnd: @escaping @Sendable () -> Void)
    /// Returns false if there is no room: then nothing was sent. After the end it returns true, and drops the value.
    func send(_ value: [UInt8]) -> Bool
    func close()
}

/// A socket that keeps the boundaries of packets.
///
/// `@unchecked Sendable`: `watch` and `isOver` are used on `queue`, the rest does not change.
final class PacketPipe: UpdatePipe, @unchecked Sendable {
    private let descriptor: Descriptor
    private let scheduler: any SerialScheduler
    private let queue: DispatchQueue
    private var watch: DispatchWatch?
    private var isOver = false

    private init(_ descriptor: Descriptor, _ scheduler: any SerialScheduler, _ queue: DispatchQueue) {
        self.descriptor = descriptor
        self.scheduler = scheduler
        self.queue = queue
    }

    /// Opens a pipe, and the end for bluetoothd. Returns nil if the process has no descriptors left.
    static func open(_ scheduler: any SerialScheduler, _ queue: DispatchQueue) -> (PacketPipe, Descriptor)? {
        var numbers: [Int32] = [0, 0]
        let flags = SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(flags), 0, &numbers) == 0 else { return nil }
        let pipe = PacketPipe(Descriptor(numbers[0], kind: .packets), scheduler, queue)
        return (pipe, Descriptor(numbers[1], kind: .packets))
    }

    func start(onRoom: @escaping @Sendable () -> Void, onEnd: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            guard !isOver else { return }
            let watch = DispatchWatch(descriptor, queue: queue) { [weak self] in
                self?.read(onEnd)
            } onWritable: { [weak self] in
                guard let self else { return }
                self.watch?.watchWriting(false)
                scheduler.submit(onRoom)
            }
            watch.watchReading(true)
            self.watch = watch
        }
    }

    /// bluetoothd sends one octet for each indication that the client confirmed. Nothing waits for it.
    private func read(_ onEnd: @escaping @Sendable () -> Void) {
        var octets: [64 of UInt8] = .init(repeating: 0)
        for _ in 0..<16 {
            let count = withUnsafeMutableBytes(of: &octets) {
                recv(descriptor.number, $0.baseAddress, $0.count, 0)
            }
            if count > 0 || count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN { return }
            finish()
            return scheduler.submit(onEnd)
        }
    }

    private func finish() {
        isOver = true
        watch?.cancel()
        watch = nil
    }

    func send(_ value: [UInt8]) -> Bool {
        var count: Int
        repeat {
            count = value.withUnsafeBytes {
                Glibc.send(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
        } while count < 0 && errno == EINTR
        guard count < 0, errno == EAGAIN || errno == ENOBUFS else { return true }
        queue.async { [self] in watch?.watchWriting(true) }
        return false
    }

    func close() { queue.async { [self] in finish() } }
}
