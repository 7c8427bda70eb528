internal import BLEAdapter
import Foundation

/// The end that sends a file.
final class SendingEndpoint: TransferEndpoint {
    private let source: any TransferSource
    private var machine: SenderMachine

    /// Reads the whole source for its digest.
    init(
        _ source: any TransferSource, timing: TransferTiming, clock: QueueClock, queue: DispatchQueue,
        _ report: @escaping @Sendable (TransferEvent) -> Void
    ) throws(TransferError) {
        let offer = try TransferOffer(
            name: source.name, size: source.size, digest: source.digest(ofFirst: source.size))
        self.source = source
        machine = SenderMachine(offer, timing: timing, at: clock.now)
        super.init(timing: timing, clock: clock, queue: queue, report)
    }

    override var deadline: Duration? { machine.deadline }
    override var isEnded: Bool { machine.isEnded }

    override func begin() { machine.begin(at: clock.now) }

    override func handleTimeout() {
        machine.handleTimeout(at: clock.now)
        work()
    }

    override func opened() {
        machine.linkOpened(at: clock.now)
        work()
    }

    override func closed() {
        let wasEnded = machine.isEnded
        machine.linkClosed(at: clock.now)
        if !wasEnded { emit(.linkLost) }
    }

    override func receive(_ message: TransferMessage) {
        machine.receive(message, at: clock.now)
        work()
    }

    override func receiveInvalidOctets() {
        machine.receivedInvalidOctets()
        work()
    }

    override func receiveData(at offset: Int, _ octets: Data) {}

    override func linkHasSpace() { work() }

    override func stop(_ reason: TransferReason) {
        machine.stop(reason)
        work()
    }

    override func fail(_ error: TransferError) {
        machine.finish(error)
        work()
    }

    /// Delivers what the machine wants, then sends as much as the link takes.
    private func work() {
        deliver()
        guard let link else { return }
        while let piece = machine.nextPiece(limit: link.maximumData), link.hasSpace {
            do {
                guard link.sendData(at: piece.lowerBound, try source.read(piece)) else { break }
                machine.sent(piece, at: clock.now)
            } catch {
                machine.stop(.storageFailed)
                deliver()
            }
        }
        link.flushData()
    }

    private func deliver() {
        while !machine.outgoing.isEmpty || !machine.events.isEmpty {
            let (messages, events) = (machine.outgoing, machine.events)
            machine.outgoing = []
            machine.events = []
            for message in messages { link?.send(message) }
            for event in events { handle(event) }
        }
    }

    private func handle(_ event: SenderMachine.Event) {
        switch event {
        case .checkPrefix(let count, let digest):
            do {
                machine.prefixChecked(isEqual: try source.digest(ofFirst: count) == digest, at: clock.now)
            } catch {
                machine.stop(.storageFailed)
            }
        case .started(let offset): emit(.started(machine.offer, offset: offset))
        case .progress(let stored): emit(.progress(machine.offer, stored: stored))
        case .ended(let error): emit(.ended(machine.offer, error))
        }
    }
}
