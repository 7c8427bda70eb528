internal import BLERuntime
import BLEAdapter
import Foundation

/// A stream of a channel. Foundation has no common class that could hold the overrides of both directions: each is one line that
/// calls the machine.
protocol ChannelStream: Stream {
    var machine: StreamMachine { get }
}

/// Receives octets from a channel's peer.
final class ChannelInputStream: InputStream, ChannelStream {
    let machine: StreamMachine

    init(pipe: ChannelPipe) {
        machine = StreamMachine(.input, pipe: pipe)
        super.init(data: Data())
        machine.attach(self)
    }

    deinit { machine.close() }

    override var delegate: (any StreamDelegate)? {
        get { machine.delegate }
        set { machine.delegate = newValue }
    }
    override var streamStatus: Stream.Status { machine.status }
    override var streamError: (any Error)? { machine.error }
    override func open() { machine.open() }
    override func close() { machine.close() }
    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        machine.schedule(in: aRunLoop, forMode: mode)
    }
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        machine.remove(from: aRunLoop, forMode: mode)
    }
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    override var hasBytesAvailable: Bool { machine.canTransfer }
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        machine.read(UnsafeMutableBufferPointer(start: buffer, count: len))
    }
    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }
}

/// Sends octets to a channel's peer.
final class ChannelOutputStream: OutputStream, ChannelStream {
    /// Nil in a stream of `init(toMemory:)`, which nothing calls.
    private let storedMachine: StreamMachine?
    var machine: StreamMachine { storedMachine! }

    init(pipe: ChannelPipe) {
        storedMachine = StreamMachine(.output, pipe: pipe)
        super.init(toMemory: ())
        machine.attach(self)
    }

    /// Required by the superclass.
    required init(toMemory: ()) {
        storedMachine = nil
        super.init(toMemory: ())
    }

    deinit { storedMachine?.close() }

    override var delegate: (any StreamDelegate)? {
        get { machine.delegate }
        set { machine.delegate = newValue }
    }
    override var streamStatus: Stream.Status { machine.status }
    override var streamError: (any Error)? { machine.error }
    override func open() { machine.open() }
    override func close() { machine.close() }
    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        machine.schedule(in: aRunLoop, forMode: mode)
    }
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        machine.remove(from: aRunLoop, forMode: mode)
    }
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    override var hasSpaceAvailable: Bool { machine.canTransfer }
    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        machine.write(UnsafeBufferPointer(start: buffer, count: len))
    }
}

/// CoreFoundation's name for an input stream, so that `stream as CFReadStream` compiles. On Linux both names mean the same class.
public typealias CFReadStream = InputStream

/// CoreFoundation's name for an output stream, so that `stream as CFWriteStream` compiles. On Linux both names mean the same class.
public typealias CFWriteStream = OutputStream

/// Delivers the events of a stream on a queue instead of a run loop, like CoreFoundation's function on Apple's systems.
///
/// On Linux this works for the streams of a ``CBL2CAPChannel`` only. For another stream the call has no effect but a line in the log.
///
/// - Parameters:
///   - stream: The stream.
///   - queue: The queue on which the stream calls its delegate; nil ends the delivery on a queue.
public func CFReadStreamSetDispatchQueue(_ stream: CFReadStream!, _ queue: DispatchQueue?) {
    setDispatchQueue(queue, of: stream, "CFReadStreamSetDispatchQueue")
}

/// Delivers the events of an output stream on a queue; see ``CFReadStreamSetDispatchQueue(_:_:)``.
///
/// - Parameters:
///   - stream: The stream.
///   - queue: The queue on which the stream calls its delegate; nil ends the delivery on a queue.
public func CFWriteStreamSetDispatchQueue(_ stream: CFWriteStream!, _ queue: DispatchQueue?) {
    setDispatchQueue(queue, of: stream, "CFWriteStreamSetDispatchQueue")
}

private func setDispatchQueue(_ queue: DispatchQueue?, of stream: Stream?, _ function: String) {
    guard let stream = stream as? any ChannelStream else {
        return APIMisuse.warn("\(function) works for the streams of an L2CAP channel only")
    }
    stream.machine.setQueue(queue)
}
