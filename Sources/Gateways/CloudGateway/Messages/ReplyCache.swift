/// The replies of the last commands, so that a repeated command gets its reply again and is not carried out twice.
///
/// A command that is being carried out is never forgotten. The bounds of a client keep it from displacing the replies of the others: when all
/// clients together have too much, the client with the most loses its oldest reply.
struct ReplyCache: Sendable {
    enum Entry: Sendable {
        /// The command is being carried out.
        case pending
        case done([UInt8])
    }

    struct Limits: Sendable {
        var commands = 1024
        var commandsOfClient = 256
        var octets = 4 << 20
    }

    private struct Usage {
        var commands = 0
        var octets = 0
    }

    private let limits: Limits
    private var entries: [ReplyDestination: Entry] = [:]
    /// The commands with a reply, the oldest first.
    private var done: [ReplyDestination] = []
    private var usage: [String: Usage] = [:]
    private(set) var octets = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    subscript(_ command: ReplyDestination) -> Entry? { entries[command] }

    var count: Int { entries.count }
    /// The clients that have commands here.
    var clientCount: Int { usage.count }

    /// Begins a command that is not in the cache. Returns false if too many commands are being carried out.
    mutating func begin(_ command: ReplyDestination) -> Bool {
        let client = command.client
        if usage[client]?.commands ?? 0 >= limits.commandsOfClient, !removeOldest(where: { $0 == client }) {
            return false
        }
        if entries.count >= limits.commands, !removeOldest(ofMost: \.commands) { return false }
        entries[command] = .pending
        usage[client, default: Usage()].commands += 1
        return true
    }

    /// Keeps the reply of a command that is being carried out. For any other one there is no effect.
    mutating func end(_ command: ReplyDestination, _ reply: [UInt8]) {
        guard case .pending = entries[command] else { return }
        entries[command] = .done(reply)
        done.append(command)
        usage[command.client, default: Usage()].octets += reply.count
        octets += reply.count
        while octets > limits.octets, removeOldest(ofMost: \.octets) {}
    }

    /// Forgets a command that is being carried out. For any other one there is no effect.
    mutating func forget(_ command: ReplyDestination) {
        if case .pending = entries[command] { remove(command) }
    }

    /// Removes the oldest reply of the client that has the most and has a reply.
    private mutating func removeOldest(ofMost what: KeyPath<Usage, Int>) -> Bool {
        let clients = Set(done.map(\.client))
        let most = clients.map { usage[$0]?[keyPath: what] ?? 0 }.max()
        let richest = clients.filter { usage[$0]?[keyPath: what] == most }
        return removeOldest { richest.contains($0) }
    }

    private mutating func removeOldest(where matches: (String) -> Bool) -> Bool {
        guard let index = done.firstIndex(where: { matches($0.client) }) else { return false }
        remove(done.remove(at: index))
        return true
    }

    private mutating func remove(_ command: ReplyDestination) {
        guard let entry = entries.removeValue(forKey: command) else { return }
        usage[command.client]?.commands -= 1
        if case .done(let reply) = entry {
            octets -= reply.count
            usage[command.client]?.octets -= reply.count
        }
        if usage[command.client]?.commands == 0 { usage[command.client] = nil }
    }
}
