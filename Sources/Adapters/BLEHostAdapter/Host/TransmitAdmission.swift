import BLEAdapter
import BLESessions
import BLEWire

/// Decides on any thread whether a value may be queued, and selects the sessions to call when there is room again. The
/// threads of programs and the executor share its counters. A value counts from the call until the host takes it.
final class TransmitAdmission: Sendable {
    /// The number of waiting values of one link from which on its queue counts as full.
    static let queueLimit = 16
    /// The number of waiting values above which Write Commands are dropped. ATT has no flow control for them (Vol 3,
    /// Part F, 3.3.2).
    static let queueBound = 4096
    /// The number of waiting values of a client above which its further ones are dropped, while other clients get them.
    static let updateBound = 1024

    enum Admission {
        case refused
        case accepted(hasRoom: Bool)
    }

    private struct Queue {
        let peer: PeerIdentifier
        /// The values that the host has not taken, and the unconfirmed indications (Vol 3, Part F, 3.4.7.3).
        var count = 0
        /// Set when `count` reaches the limit, until it is 0 again.
        var isFull = false
        /// The central sessions to call when `count` is 0 again.
        var waiting: [Int] = []
        /// Whether values were dropped since the queue was empty.
        var losesValues = false

        init(_ peer: PeerIdentifier) { self.peer = peer }

        mutating func add() {
            count += 1
            if count >= TransmitAdmission.queueLimit { isFull = true }
        }

        /// Returns true if the queue was full and no longer is. A value that was counted for an earlier link to the
        /// peer, and that reached the executor after this link came up, is not in `count`.
        mutating func remove(_ sent: Int) -> Bool {
            count = max(0, count - sent)
            guard count == 0, isFull else { return false }
            isFull = false
            losesValues = false
            return true
        }

        /// Returns true for the first value that is dropped.
        mutating func beginLoss() -> Bool {
            defer { losesValues = true }
            return !losesValues
        }

        mutating func wait(_ session: Int) { if !waiting.contains(session) { waiting.append(session) } }
    }

    /// A peripheral session whose update found no room. Each set of full clients has one entry.
    private struct UpdateWait {
        let session: Int
        /// The clients whose queues were full.
        let peers: [PeerIdentifier]
    }

    private struct Content {
        /// Write Commands, by the peer that acts as server.
        var commands: [Queue] = []
        /// Updates, by the peer that acts as client.
        var updates: [Queue] = []
        var waits: [UpdateWait] = []
        /// The Write Commands that the executor has not taken. Each batch has one call of `takeCommands` on its way.
        var batches: [WriteCommandBatch] = []
        /// The number of the order in which the last batch was begun; nil if no batch takes more commands.
        var order: Int?
        /// Buffers for a batch.
        var spare: WriteCommandBatch?

        init() {
            commands.prepareStorage()
        }

        /// Counts a Write Command.
        mutating func admitCommand(to peer: PeerIdentifier, session: Int) -> Admission {
            guard let index = commandIndex(peer), commands[index].count < TransmitAdmission.queueBound else {
                return .refused
            }
            commands[index].add()
            if commands[index].isFull { commands[index].wait(session) }
            return .accepted(hasRoom: !commands[index].isFull)
        }

        func commandIndex(_ peer: PeerIdentifier) -> Int? {
            for index in commands.indices where commands[index].peer == peer { return index }
            return nil
        }

        /// Removes and returns the sessions with room for one of the clients of an update that was refused.
        mutating func takeReady() -> [Int] {
            guard !waits.isEmpty else { return [] }
            let full = updates.filter(\.isFull).map(\.peer)
            var ready: [Int] = []
            for wait in waits where !wait.peers.allSatisfy(full.contains) && !ready.contains(wait.session) {
                ready.append(wait.session)
            }
            waits.removeAll { ready.contains($0.session) }
            return ready
        }
    }

    private let content = Lock(Content())
    /// Whether the Write Commands of a new link count as full until the first one has left.
    private let beginsFull: Bool

    init(beginsFull: Bool = false) { self.beginsFull = beginsFull }

    // MARK: Write Commands

    /// Counts a Write Command. If `hasRoom` is false, the queue is full now, and the session later gets
    /// `readyForWriteCommands`.
    func admitCommand(to peer: PeerIdentifier, session: Int) -> Admission {
        content.withLock { $0.admitCommand(to: peer, session: session) }
    }

    /// Counts a Write Command and keeps its value.
    ///
    /// Write Commands share one call on the executor, so that most of them allocate nothing.
    ///
    /// - Parameters:
    ///   - order: A number that changes with each other call of a session. It keeps a Write Command behind the calls before it.
    ///   - submit: Lets the executor call `takeCommands` once, after the calls before. It is called while no other thread can add a Write
    ///     Command, so that a thread whose Write Command joined the batch submits its next call behind the batch.
    func admitCommand(
        _ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier, session: Int, order: Int, submit: () -> Void
    ) -> Admission {
        content.withLock { content in
            let admission = content.admitCommand(to: peer, session: session)
            guard case .accepted = admission else { return admission }
            let isFirst = content.order != order
            if isFirst {
                content.batches.append(content.spare ?? WriteCommandBatch())
                content.spare = nil
                content.order = order
            }
            content.batches[content.batches.count - 1].append(value, handle: handle, to: peer, session: session)
            if isFirst { submit() }
            return admission
        }
    }

    /// Exchanges the oldest Write Commands with an empty batch.
    func takeCommands(into batch: inout WriteCommandBatch) {
        content.withLock { content in
            guard !content.batches.isEmpty else { return }
            swap(&batch, &content.batches[0])
            content.spare = content.batches.removeFirst()
            if content.batches.isEmpty { content.order = nil }
        }
    }

    func hasRoomForCommand(to peer: PeerIdentifier, session: Int) -> Bool {
        content.withLock { content in
            guard let index = content.commandIndex(peer) else { return false }
            if content.commands[index].isFull { content.commands[index].wait(session) }
            return !content.commands[index].isFull
        }
    }

    func addServer(_ peer: PeerIdentifier) {
        content.withLock { content in
            var queue = Queue(peer)
            queue.isFull = beginsFull
            content.commands.append(queue)
        }
    }

    func removeServer(_ peer: PeerIdentifier) {
        content.withLock { content in content.commands.removeAll { $0.peer == peer } }
    }

    /// Returns the sessions that wait for room, if there is room now.
    func commandsSent(_ count: Int, to peer: PeerIdentifier) -> [Int] {
        content.withLock { content in
            guard let index = content.commandIndex(peer), content.commands[index].remove(count) else { return [] }
            defer { content.commands[index].waiting.removeAll() }
            return content.commands[index].waiting
        }
    }

    // MARK: Updates

    /// Counts an update for each of `targets`. If all of their queues are full, nothing is counted, and the session later gets `readyToUpdate`.
    ///
    /// A client whose queue is full does not delay the others: its values wait, up to `updateBound` of them.
    ///
    /// - Returns: The clients that get the value; nil if it is refused.
    func admitUpdate(to targets: [PeerIdentifier], session: Int) -> (
        receivers: [PeerIdentifier], lost: [PeerIdentifier]
    )? {
        content.withLock { content in
            let present = content.updates.indices.filter { targets.contains(content.updates[$0].peer) }
            guard present.isEmpty || present.contains(where: { !content.updates[$0].isFull }) else {
                let full = present.map { content.updates[$0].peer }
                let isKnown = content.waits.contains { $0.session == session && $0.peers == full }
                if !isKnown { content.waits.append(UpdateWait(session: session, peers: full)) }
                return nil
            }
            var receivers = targets
            var lost: [PeerIdentifier] = []
            for index in present {
                if content.updates[index].count < Self.updateBound {
                    content.updates[index].add()
                } else {
                    receivers.removeAll { $0 == content.updates[index].peer }
                    if content.updates[index].beginLoss() { lost.append(content.updates[index].peer) }
                }
            }
            return (receivers, lost)
        }
    }

    func addClient(_ peer: PeerIdentifier) { content.withLock { $0.updates.append(Queue(peer)) } }

    /// Removes a client. Returns the sessions for which there is room now, as does `updatesSent`.
    func removeClient(_ peer: PeerIdentifier) -> [Int] {
        content.withLock { content in
            content.updates.removeAll { $0.peer == peer }
            return content.takeReady()
        }
    }

    func updatesSent(_ count: Int, to peer: PeerIdentifier) -> [Int] {
        content.withLock { content in
            guard let index = content.updates.firstIndex(where: { $0.peer == peer }),
                content.updates[index].remove(count)
            else { return [] }
            return content.takeReady()
        }
    }

    /// Removes a closed session.
    func forget(_ session: Int) { content.withLock { content in content.waits.removeAll { $0.session == session } } }
}
