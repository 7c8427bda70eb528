/// The objects that the owner offers, and the calls that it has not answered.
struct BusExports {
    struct Caller {
        let name: String?
        let serial: UInt32

        init(_ call: BusMessage) { (name, serial) = (call.sender, call.serial) }
    }

    enum Decision {
        /// An empty reply.
        case answer
        /// The name of an error, and its text.
        case refuse(String, String)
        /// The owner answers. The message has an interface.
        case deliver(BusMessage)
    }

    private static let peer = "org.freedesktop.DBus.Peer"

    /// The members of each interface of each path.
    private var objects: [String: [String: Set<String>]] = [:]
    private var unanswered: [UInt64: Caller] = [:]

    mutating func add(_ path: String, _ interfaces: [String: Set<String>]) { objects[path] = interfaces }
    mutating func remove(_ path: String) { objects[path] = nil }
    mutating func wait(for token: UInt64, _ caller: Caller) { unanswered[token] = caller }
    /// The caller that waits for an answer, once.
    mutating func answer(_ token: UInt64) -> Caller? { unanswered.removeValue(forKey: token) }

    func decision(on message: BusMessage) -> Decision {
        let (path, member) = (message.path ?? "", message.member ?? "")
        // Every connection has this interface, at all paths.
        if message.interface == Self.peer, member == "Ping" { return .answer }
        guard message.interface != Self.peer else {
            return .refuse(BusCallError.Name.unknownMethod, "There is no \(Self.peer).\(member).")
        }
        guard let interfaces = objects[path] else {
            return .refuse(BusCallError.Name.unknownObject, "There is no object \(path).")
        }
        var call = message
        // Without an interface, one that has the member.
        call.interface = message.interface ?? interfaces.filter { $0.value.contains(member) }.keys.min()
        guard let interface = call.interface else {
            return .refuse(BusCallError.Name.unknownMethod, "No interface of \(path) has \(member).")
        }
        guard let members = interfaces[interface] else {
            return .refuse(BusCallError.Name.unknownInterface, "\(path) has no interface \(interface).")
        }
        guard members.contains(member) else {
            return .refuse(BusCallError.Name.unknownMethod, "There is no \(interface).\(member).")
        }
        guard unanswered.count < BusSession.Limit.unanswered || !message.isReplyExpected else {
            return .refuse(BusCallError.Name.limitsExceeded, "Too many calls wait for answers.")
        }
        return .deliver(call)
    }
}
