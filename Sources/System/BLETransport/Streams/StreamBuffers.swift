import BLEWire

/// The result of `send`.
package enum StreamSendResult: Hashable, Sendable {
    /// The system has taken all octets.
    case sent
    /// Some octets are queued. They are written when the system accepts more.
    case queued
    /// The stream accepted nothing because too many octets wait. A `DispatchStream` calls `onDrain` when there is room.
    case full
    /// The stream is closed and accepted nothing.
    case closed
}

/// The reason why a stream ended without a call of `close()`.
package enum StreamError: Error, Hashable, CustomStringConvertible {
    /// The other side closed it.
    case endOfStream
    case failed(TransportError)

    package var description: String {
        switch self {
        case .endOfStream: "the other side closed the connection"
        case .failed(let error): error.description
        }
    }
}

/// The state that both kinds of stream share: the descriptor, the read buffer, and the octets that wait for the system.
/// Each method makes one system call. The stream decides on the time of the call and handles its result.
struct StreamBuffers {
    /// Above this number of octets, written octets are removed from the front of the queue, and an empty queue releases
    /// its capacity.
    private static let compactionSize = 1 << 16

    let name: String
    /// Nil when closed, so that a stream that is still referenced does not keep the connection open.
    private(set) var descriptor: Descriptor?
    private let queueLimit: Int
    /// The octets of the last read, at its beginning. Used only between two reads.
    var input: [UInt8]
    /// The maximum number of octets of one read, from 1 to the size of `input`. Only for streams: a longer packet would
    /// be cut.
    var readLimit: Int { didSet { readLimit = min(max(1, readLimit), input.count) } }
    private var queued: [UInt8] = []
    private var queuedStart = 0

    init(_ connection: TransportConnection, queueLimit: Int, readSize: Int) {
        name = connection.name
        descriptor = connection.descriptor
        self.queueLimit = queueLimit
        input = [UInt8](repeating: 0, count: max(1, readSize))
        readLimit = input.count
    }

    /// The octets that wait for the system.
    var queuedOctets: Int { queued.count - queuedStart }
    /// Whether the queue is at most half full, so that a refused sender may continue.
    var isHalfEmpty: Bool { queuedOctets <= queueLimit / 2 }

    /// Writes `bytes` and queues the rest that the system does not accept, or refuses all of them. Throws the reason of the stream's
    /// end if the system reports an error.
    mutating func send(_ bytes: Span<UInt8>) throws(StreamError) -> StreamSendResult {
        guard let descriptor else { return .closed }
        guard queuedOctets == 0 else {
            guard queuedOctets + bytes.count <= queueLimit else { return .full }
            queued.append(bytes)
            return .queued
        }
        let written = bytes.isEmpty ? 0 : Sockets.write(descriptor, bytes)
        if written == bytes.count { return .sent }
        if written < 0, !Self.isTemporary(written) { throw closeReason(Int32(-written)) }
        queued.append(bytes.extracting(droppingFirst: max(0, written)))
        return .queued
    }

    /// Writes queued octets once. Returns false if the system accepts nothing now. Throws like `send`.
    mutating func writeQueued() throws(StreamError) -> Bool {
        guard let descriptor else { return false }
        if queuedOctets > 0 {
            let written = Sockets.write(descriptor, queued.span.extracting(droppingFirst: queuedStart))
            if written < 0 {
                guard Self.isTemporary(written) else { throw closeReason(Int32(-written)) }
                return false
            }
            queuedStart += written
        }
        if queuedOctets == 0 {
            queued.removeAll(keepingCapacity: queued.capacity <= Self.compactionSize)
            queuedStart = 0
        } else if queuedStart >= Self.compactionSize {
            queued.removeSubrange(..<queuedStart)
            queuedStart = 0
        }
        return true
    }

    /// Reads once into `input`. Returns the number of octets, 0 at the end of the stream, or the negative of an error
    /// number.
    mutating func read() -> Int {
        guard let descriptor else { return -Int(EAGAIN) }
        return Sockets.read(descriptor, into: &input, limit: readLimit)
    }

    /// The reason for the stream's end after a read with this result; nil if the stream does not end.
    func closeReason(afterRead result: Int) -> StreamError? {
        if result == 0 { return .endOfStream }
        return result > 0 || Self.isTemporary(result) ? nil : closeReason(Int32(-result))
    }

    private func closeReason(_ code: Int32) -> StreamError {
        .failed(
            TransportError(
                .connectionLost, "The connection to \(name) broke (\(systemText(code))): open it again."))
    }

    /// Closes the connection at once for the other side, and drops the queued octets.
    mutating func close() {
        queued = []
        queuedStart = 0
        if let descriptor, descriptor.kind == .socket { _ = shutdown(descriptor.number, Int32(SHUT_RDWR)) }
        descriptor = nil
    }

    private static func isTemporary(_ result: Int) -> Bool {
        result == -Int(EAGAIN) || result == -Int(EWOULDBLOCK) || result == -Int(ENOBUFS)
    }
}
