internal import BLEAdapter
import Crypto
import Foundation

/// The end that receives files.
final class ReceivingEndpoint: TransferEndpoint {
    private let store: any TransferStore
    private var machine: ReceiverMachine
    private var sink: (any TransferSink)?
    /// Whether this end takes no further file.
    private(set) var isOver = false
    private let endsAfterOneFile: Bool
    /// The time at which a central without a link, or without an offer, gives up.
    private var patience: Duration?

    init(
        _ store: any TransferStore, endsAfterOneFile: Bool, timing: TransferTiming, clock: QueueClock,
        queue: DispatchQueue, _ report: @escaping @Sendable (TransferEvent) -> Void
    ) {
        self.store = store
        self.endsAfterOneFile = endsAfterOneFile
        machine = ReceiverMachine(timing: timing)
        super.init(timing: timing, clock: clock, queue: queue, report)
    }

    override var deadline: Duration? { isOver ? nil : machine.deadline ?? patience }
    override var isEnded: Bool { isOver }

    override func begin() {
        if endsAfterOneFile { patience = clock.now + timing.linkLimit }
    }

    override func handleTimeout() {
        if machine.deadline != nil {
            machine.handleTimeout(at: clock.now)
            deliver()
        } else {
            fail(link == nil ? .noLink : .ended(.timeout))
        }
    }

    override func opened() {
        if endsAfterOneFile { patience = clock.now + timing.answerLimit }
    }

    override func closed() {
        let wasIdle = machine.isIdle
        machine.linkClosed()
        deliver()
        begin()
        if wasIdle, endsAfterOneFile, !isOver { emit(.linkLost) }
    }

    override func receive(_ message: TransferMessage) {
        guard !isOver else { return }
        machine.receive(message, at: clock.now)
        deliver()
    }

    override func receiveInvalidOctets() {
        machine.receivedInvalidOctets()
        deliver()
    }

    override func receiveData(at offset: Int, _ octets: Data) {
        if let range = machine.receiveData(at: offset, count: octets.count, at: clock.now) {
            let start = octets.startIndex
            let wanted = octets[start + range.lowerBound..<start + range.upperBound]
            do throws(TransferStoreError) {
                try sink?.append(wanted)
                machine.stored(wanted)
            } catch {
                refuse(error)
            }
        }
        deliver()
    }

    override func stop(_ reason: TransferReason) {
        if machine.isIdle {
            fail(.ended(reason))
        } else {
            machine.refuse(reason)
            deliver()
        }
    }

    override func fail(_ error: TransferError) {
        guard !isOver else { return }
        isOver = true
        sink = nil
        emit(.ended(machine.offer, error))
    }

    private func refuse(_ error: TransferStoreError) { machine.refuse(error.reason) }

    private func deliver() {
        while !machine.outgoing.isEmpty || !machine.events.isEmpty {
            let (messages, events) = (machine.outgoing, machine.events)
            machine.outgoing = []
            machine.events = []
            for message in messages { link?.send(message) }
            for event in events { handle(event) }
        }
    }

    private func handle(_ event: ReceiverMachine.Event) {
        switch event {
        case .offered(let offer): open(offer)
        case .discard:
            do throws(TransferStoreError) {
                try sink?.removeAll()
                machine.restarted()
                emit(.started(machine.offer!, offset: 0))
            } catch {
                refuse(error)
            }
        case .progress(let stored): if let offer = machine.offer { emit(.progress(offer, stored: stored)) }
        case .commit:
            do throws(TransferStoreError) {
                try sink?.commit()
                machine.committed()
            } catch {
                refuse(error)
            }
        case .suspended:
            sink = nil
            emit(.linkLost)
        case .ended(let error):
            // Octets with another digest are worth nothing.
            if error == .ended(.digestMismatch) { try? sink?.removeAll() }
            sink = nil
            if endsAfterOneFile { isOver = true }
            emit(.ended(machine.offer, error))
        }
    }

    private func open(_ offer: TransferOffer) {
        do throws(TransferStoreError) {
            // The end of an earlier file, before the same file is opened again.
            sink = nil
            let sink = try store.open(offer)
            // More octets than the file has are those of another one.
            if sink.count > offer.size { try sink.removeAll() }
            var hash = SHA256()
            try sink.readStored { hash.update(data: $0) }
            self.sink = sink
            let stored = sink.count
            machine.accept(received: stored, hash: hash)
            emit(.started(offer, offset: stored))
        } catch {
            refuse(error)
        }
    }
}
