internal import BLEAdapter
import Foundation

/// One end of a transfer, whatever carries it: runs a machine, the file and the timer. The owner calls all methods on its queue.
class TransferEndpoint {
    let timing: TransferTiming
    let clock: QueueClock
    private let queue: DispatchQueue
    private let report: @Sendable (TransferEvent) -> Void
    private(set) var link: (any TransferLink)?
    private var scheduled: Duration?

    init(
        timing: TransferTiming, clock: QueueClock, queue: DispatchQueue,
        _ report: @escaping @Sendable (TransferEvent) -> Void
    ) {
        self.timing = timing
        self.clock = clock
        self.queue = queue
        self.report = report
    }

    /// Returns the end of a transfer. A source is read for its digest.
    ///
    /// - Parameter endsAfterOneFile: Whether a receiver takes one file only.
    static func make(
        _ transfer: Transfer, endsAfterOneFile: Bool, timing: TransferTiming, clock: QueueClock, queue: DispatchQueue,
        _ report: @escaping @Sendable (TransferEvent) -> Void
    ) throws(TransferError) -> TransferEndpoint {
        switch transfer {
        case .send(let source):
            try SendingEndpoint(source, timing: timing, clock: clock, queue: queue, report)
        case .receive(let store):
            ReceivingEndpoint(
                store, endsAfterOneFile: endsAfterOneFile, timing: timing, clock: clock, queue: queue, report)
        }
    }

    func emit(_ event: TransferEvent) { report(event) }

    // MARK: For subclasses

    /// The deadline of the machine.
    var deadline: Duration? { nil }
    func handleTimeout() {}
    /// The time limits count from now on.
    func begin() {}
    func opened() {}
    func closed() {}
    func receive(_ message: TransferMessage) {}
    func receiveInvalidOctets() {}
    func receiveData(at offset: Int, _ octets: Data) {}
    func linkHasSpace() {}
    /// Whether the transfer ended for good.
    var isEnded: Bool { false }
    /// Ends the transfer and tells the peer the reason.
    func stop(_ reason: TransferReason) {}
    /// Ends the transfer without the peer.
    func fail(_ error: TransferError) {}

    // MARK: For owners

    func start() {
        begin()
        schedule()
    }

    func linkOpened(_ link: any TransferLink, name: String?) {
        self.link = link
        report(.linked(name: name))
        opened()
        schedule()
    }

    func linkClosed() {
        guard link != nil else { return }
        link = nil
        closed()
        schedule()
    }

    func received(_ frame: TransferFrame) {
        switch frame {
        case .message(let message): receive(message)
        case .data(let offset, let octets): receiveData(at: offset, octets)
        case .invalid: receiveInvalidOctets()
        }
        schedule()
    }

    func hasSpace() {
        linkHasSpace()
        schedule()
    }

    func cancel(_ reason: TransferReason = .cancelled) {
        stop(reason)
        schedule()
    }

    /// Has one timer at most for each deadline: a later deadline waits for the timer that exists.
    func schedule() {
        guard let deadline, scheduled.map({ deadline < $0 }) ?? true else { return }
        scheduled = deadline
        let timed = TimedEndpoint(endpoint: self)
        clock.schedule(at: deadline, on: queue) { timed.endpoint?.reached(deadline) }
    }

    private func reached(_ deadline: Duration) {
        guard scheduled == deadline else { return }
        scheduled = nil
        if let due = self.deadline, due <= clock.now { handleTimeout() }
        schedule()
    }

    /// `@unchecked Sendable`: the timer runs on the queue of the end.
    private struct TimedEndpoint: @unchecked Sendable {
        weak let endpoint: TransferEndpoint?
    }
}
