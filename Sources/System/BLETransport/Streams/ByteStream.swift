import BLEWire

/// A stream of octets in both directions: a connection of the system, or one inside this process.
///
/// Threads: all methods and callbacks run on one serial queue.
package protocol ByteStream: AnyObject {
    /// The other end, for messages.
    var name: String { get }
    /// The octets that wait for the other end.
    var queuedOctets: Int { get }

    /// Called with received octets, which are valid until it returns.
    var onReceive: ((Span<UInt8>) -> Void)? { get set }
    /// Called once if the stream ends without `close()`. Never called from within `send`.
    var onClose: ((StreamError) -> Void)? { get set }
    /// Called when `send` has returned `.full` and there is room again.
    var onDrain: (() -> Void)? { get set }
    /// Called when no octets wait any more.
    var onEmpty: (() -> Void)? { get set }

    /// Starts to read. Set the callbacks first.
    func start()
    /// Sends all of `bytes`, or refuses all of them.
    @discardableResult
    func send(_ bytes: Span<UInt8>) -> StreamSendResult
    /// Stops reading until `resume`, so that the other side has to wait.
    func pause()
    func resume()
    /// Ends the stream and drops the queued octets. No callback follows.
    func close()
}

extension DispatchStream: ByteStream {}
