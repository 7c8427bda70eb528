#if !canImport(Darwin)
internal import BLERuntime
import BLEAdapter
import Foundation

/// What comes from a channel's peer.
final class ChannelInputStream: InputStream {
    let machine: StreamMachine

    init(pipe: ChannelPipe) {
        machine = StreamMachine(.input, pipe: pipe)
        super.init(data: Data())
        machine.attach(self)
        pipe.attach(input: machine)
    }

    deinit { if machine.close() { machine.pipe.inputClosed() } }

    override var delegate: (any StreamDelegate)? {
        get { machine.delegate }
        set { machine.delegate = newValue }
    }
    override var streamStatus: Stream.Status { machine.status }
    override var streamError: (any Error)? { machine.error }

    override func open() { machine.open() }
    override func close() { if machine.close() { machine.pipe.inputClosed() } }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        machine.schedule(in: aRunLoop, forMode: mode)
    }
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        machine.remove(from: aRunLoop, forMode: mode)
    }

    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    /// Waits for the first octet, as streams over sockets do. In a callback for which virtual time stands still that would be
    /// for ever: there it gives -1 at once, and the stream stays open. Who asks `hasBytesAvailable` first never meets either.
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        switch machine.status {
        case .open: break
        case .atEnd: return 0
        default: return -1
        }
        guard len > 0 else { return 0 }
        let handle = machine.pipe.handle
        var count = 0
        var end: ChannelEnd?
        let isDone = machine.pipe.wait {
            // The end first: what came before it must not be missed.
            end = handle.status.end
            count = handle.read(into: UnsafeMutableBufferPointer(start: buffer, count: len))
            return count > 0 || end != nil || machine.status != .open
        }
        guard isDone else { return -1 }
        machine.rearm()
        if count > 0 { return count }
        return end == nil || end?.error != nil ? -1 : 0
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    override var hasBytesAvailable: Bool { machine.status == .open && machine.pipe.handle.status.readable > 0 }
}

/// What goes to a channel's peer.
final class ChannelOutputStream: OutputStream {
    private let storedMachine: StreamMachine?
    /// Only `init(pipe:)` makes these streams.
    var machine: StreamMachine { storedMachine! }

    init(pipe: ChannelPipe) {
        let machine = StreamMachine(.output, pipe: pipe)
        storedMachine = machine
        super.init(toMemory: ())
        machine.attach(self)
        pipe.attach(output: machine)
    }

    /// Required by the class above; such a stream has no channel and is not made.
    required init(toMemory: ()) {
        storedMachine = nil
        super.init(toMemory: ())
    }

    deinit { if let machine = storedMachine, machine.close() { machine.pipe.outputClosed() } }

    override var delegate: (any StreamDelegate)? {
        get { machine.delegate }
        set { machine.delegate = newValue }
    }
    override var streamStatus: Stream.Status { machine.status }
    override var streamError: (any Error)? { machine.error }

    override func open() { machine.open() }
    override func close() { if machine.close() { machine.pipe.outputClosed() } }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        machine.schedule(in: aRunLoop, forMode: mode)
    }
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        machine.remove(from: aRunLoop, forMode: mode)
    }

    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    /// Takes as much as there is space for, and waits where there is none, like ``ChannelInputStream/read(_:maxLength:)``.
    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        guard machine.status == .open else { return -1 }
        guard len > 0 else { return 0 }
        let handle = machine.pipe.handle
        var count = 0
        let isDone = machine.pipe.wait {
            count = handle.write(UnsafeBufferPointer(start: buffer, count: len))
            return count > 0 || handle.status.end != nil || machine.status != .open
        }
        guard isDone else { return -1 }
        machine.rearm()
        return count > 0 ? count : -1
    }

    override var hasSpaceAvailable: Bool {
        guard machine.status == .open else { return false }
        let status = machine.pipe.handle.status
        return status.hasSpace && status.end == nil
    }
}

/// CoreFoundation's name of a stream to read from, so that `stream as CFReadStream` compiles. On Linux both are the same class.
public typealias CFReadStream = InputStream

/// CoreFoundation's name of a stream to write to, so that `stream as CFWriteStream` compiles. On Linux both are the same class.
public typealias CFWriteStream = OutputStream

/// Has a stream's events delivered on a queue instead of a run loop, as the function of CoreFoundation does on Apple's systems.
/// On Linux for the streams of a ``CBL2CAPChannel`` only; other streams are left as they are, with a line in the log.
///
/// - Parameters:
///   - stream: The stream.
///   - queue: Where its delegate is called; nil ends that.
public func CFReadStreamSetDispatchQueue(_ stream: CFReadStream!, _ queue: DispatchQueue?) {
    guard let stream = stream as? ChannelInputStream else {
        return APIMisuse.warn("CFReadStreamSetDispatchQueue works for the streams of an L2CAP channel only")
    }
    stream.machine.setQueue(queue)
}

/// The same as ``CFReadStreamSetDispatchQueue(_:_:)`` for what goes out.
///
/// - Parameters:
///   - stream: The stream.
///   - queue: Where its delegate is called; nil ends that.
public func CFWriteStreamSetDispatchQueue(_ stream: CFWriteStream!, _ queue: DispatchQueue?) {
    guard let stream = stream as? ChannelOutputStream else {
        return APIMisuse.warn("CFWriteStreamSetDispatchQueue works for the streams of an L2CAP channel only")
    }
    stream.machine.setQueue(queue)
}
#endif
