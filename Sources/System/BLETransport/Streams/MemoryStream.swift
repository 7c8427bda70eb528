import BLEWire

/// One end of a stream inside this process, for programs and tests without a network.
///
/// Threads: everything runs on the scheduler.
package final class MemoryStream: ByteStream, @unchecked Sendable {
    package let name: String
    package var onReceive: ((Span<UInt8>) -> Void)?
    package var onClose: ((StreamError) -> Void)?
    package var onDrain: (() -> Void)?
    package var onEmpty: (() -> Void)?
    /// Whether octets of this end disappear, as in a network that fails without a word.
    package var losesOctets = false

    /// The octets that wait before `send` refuses more. It is the limit of `DispatchStream`.
    private static let queueLimit = 1 << 20

    private let scheduler: any SerialScheduler
    private weak var peer: MemoryStream?
    /// The octets for this end that it has not read.
    private var incoming: [UInt8] = []
    private var isStarted = false
    private var isPaused = false
    private var isClosed = false
    private var peerHasClosed = false
    private var isReadPlanned = false
    private var hasRefused = false

    private init(_ name: String, _ scheduler: any SerialScheduler) {
        self.name = name
        self.scheduler = scheduler
    }

    /// Two ends that are connected.
    package static func pair(
        _ names: (String, String), on scheduler: any SerialScheduler
    ) -> (MemoryStream, MemoryStream) {
        let one = MemoryStream(names.1, scheduler)
        let other = MemoryStream(names.0, scheduler)
        one.peer = other
        other.peer = one
        return (one, other)
    }

    deinit {
        guard !isClosed, let peer else { return }
        scheduler.submit { peer.endOfStream() }
    }

    package var queuedOctets: Int { peer?.incoming.count ?? 0 }

    package func start() {
        isStarted = true
        planReading()
    }

    package func send(_ bytes: Span<UInt8>) -> StreamSendResult {
        guard !isClosed, let peer, !peer.isClosed else { return .closed }
        if losesOctets { return .sent }
        guard peer.incoming.count + bytes.count <= Self.queueLimit else {
            hasRefused = true
            return .full
        }
        bytes.withUnsafeBufferPointer { peer.incoming.append(contentsOf: $0) }
        peer.planReading()
        return .queued
    }

    package func pause() { isPaused = true }

    package func resume() {
        isPaused = false
        planReading()
    }

    package func close() {
        guard !isClosed else { return }
        end()
        guard let peer, !losesOctets else { return }
        scheduler.submit { peer.endOfStream() }
    }

    /// Breaks the stream for both ends, as a network does that ends its connections.
    package func cut() {
        let reason = StreamError.failed(TransportError(.connectionLost, "The network is gone."))
        for end in [self, peer].compactMap({ $0 }) { scheduler.submit { end.finish(reason) } }
    }

    private func planReading() {
        guard isStarted, !isReadPlanned, !isPaused, !isClosed, !incoming.isEmpty || peerHasClosed else { return }
        isReadPlanned = true
        scheduler.submit { [weak self] in self?.read() }
    }

    private func read() {
        isReadPlanned = false
        guard !isPaused, !isClosed else { return }
        if !incoming.isEmpty {
            var octets: [UInt8] = []
            swap(&octets, &incoming)
            onReceive?(octets.span)
            peer?.hasRoom()
        }
        if peerHasClosed, incoming.isEmpty { finish(.endOfStream) } else { planReading() }
    }

    private func hasRoom() {
        guard !isClosed else { return }
        if hasRefused {
            hasRefused = false
            onDrain?()
        }
        if queuedOctets == 0 { onEmpty?() }
    }

    private func endOfStream() {
        peerHasClosed = true
        planReading()
    }

    private func finish(_ reason: StreamError) {
        guard !isClosed else { return }
        let callback = onClose
        end()
        callback?(reason)
    }

    private func end() {
        isClosed = true
        incoming = []
        onReceive = nil
        onClose = nil
        onDrain = nil
        onEmpty = nil
    }
}
