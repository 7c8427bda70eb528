import BLEWire
import SystemBus

/// The calls of the bus itself (D-Bus Specification, "Message Bus Messages").
extension MemoryBroker {
    func answer(_ message: BusMessage, _ peer: MemoryPeer) {
        let text = message.body.first?.text
        switch (message.member, text) {
        case ("RequestName", let name?):
            // The replies: 1 primary owner, 3 exists, 4 already the owner.
            let code: UInt32 = owners[name].map { $0 === peer ? 4 : 3 } ?? 1
            reply(peer, message, [.uint32(code)])
            if code == 1 { setOwner(of: name, peer) }
        case ("ReleaseName", let name?):
            // The replies: 1 released, 2 no such name, 3 another owner.
            let code: UInt32 = owners[name].map { $0 === peer ? 1 : 3 } ?? 2
            reply(peer, message, [.uint32(code)])
            if code == 1 { setOwner(of: name, nil) }
        case ("GetNameOwner", let name?):
            if let owner = name == BusSession.bus ? name : owners[name]?.name {
                reply(peer, message, [.string(owner)])
            } else {
                fail(
                    peer, message, BusCallError.Name.nameHasNoOwner,
                    "Could not get owner of name '\(name)': no such name")
            }
        case ("NameHasOwner", let name?): reply(peer, message, [.bool(owners[name] != nil)])
        case ("ListNames", _):
            reply(peer, message, [.array("s", ([BusSession.bus] + owners.keys.sorted()).map { .string($0) })])
        case ("GetId", _): reply(peer, message, [.string("0123456789abcdef0123456789abcdef")])
        case ("Get", _): reply(peer, message, [.variant(.array("s", []))])
        case ("Ping", _): reply(peer, message)
        case ("StartServiceByName", let name?):
            // The replies: 1 started, 2 already running. The call comes back when the name has an owner.
            if owners[name] != nil {
                reply(peer, message, [.uint32(message.body.count > 2 ? 1 : 2)])
            } else {
                var message = message
                message.body.append(.bool(true))
                start(name, for: message, from: peer)
            }
        case ("AddMatch", let rule?): addRule(rule, message, peer)
        case ("RemoveMatch", let rule?): removeRule(rule, message, peer)
        default:
            fail(
                peer, message, BusCallError.Name.unknownMethod,
                "\(message.interface ?? "").\(message.member ?? "") is not known here")
        }
    }

    private func addRule(_ rule: String, _ message: BusMessage, _ peer: MemoryPeer) {
        guard let match = BusMatch(rule: rule) else {
            return fail(peer, message, "org.freedesktop.DBus.Error.MatchRuleInvalid", "\(rule) is no rule")
        }
        guard peer.rules.values.reduce(0, { $0 + $1.uses }) < Limit.rules else {
            return fail(
                peer, message, BusCallError.Name.limitsExceeded, "Connection \"\(peer.name ?? "")\" has too many rules")
        }
        peer.rules[rule] = (match, (peer.rules[rule]?.uses ?? 0) + 1)
        reply(peer, message)
    }

    private func removeRule(_ rule: String, _ message: BusMessage, _ peer: MemoryPeer) {
        guard let found = peer.rules[rule] else {
            return fail(
                peer, message, "org.freedesktop.DBus.Error.MatchRuleNotFound",
                "The given match rule wasn't found and can't be removed")
        }
        peer.rules[rule] = found.uses > 1 ? (found.match, found.uses - 1) : nil
        reply(peer, message)
    }
}

extension BusMatch {
    /// Reads a rule of the keys that `rule` writes; nil for others.
    init?(rule: String) {
        self.init()
        var rest = Substring(rule)
        while let equals = rest.firstIndex(of: "=") {
            let key = rest[..<equals]
            rest = rest[rest.index(after: equals)...]
            var value = ""
            var isQuoted = false
            while let character = rest.popFirst() {
                switch character {
                case "'": isQuoted.toggle()
                case "\\" where !isQuoted && rest.first == "'": value.append(rest.removeFirst())
                case "," where !isQuoted: break
                default: value.append(character)
                }
                if character == ",", !isQuoted { break }
            }
            guard !isQuoted else { return nil }
            switch key {
            case "type": guard value == "signal" else { return nil }
            case "sender": sender = value
            case "path": path = value
            case "path_namespace": pathNamespace = value
            case "interface": interface = value
            case "member": member = value
            case "arg0": argument = value
            default: return nil
            }
        }
        guard rest.isEmpty else { return nil }
    }
}
