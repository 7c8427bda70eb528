/// What the owner wants to hear: signals, and the owners of names. It knows the rules that the bus needs for that.
struct BusSubscriptions {
    private struct Subscription {
        let number: UInt64
        let match: BusMatch
    }

    /// A rule that the bus has, or gets.
    private struct Rule {
        var uses = 0
        /// The call of AddMatch; nil after its answer.
        var call: UInt32?
        /// The subscriptions that wait for the answer.
        var waiting: [UInt64] = []
    }

    private struct Name {
        var uses = 0
        var watches: [UInt64] = []
        var isKnown = false
        var owner: String?
    }

    private var subscriptions: [Subscription] = []
    private var rules: [String: Rule] = [:]
    private var names: [String: Name] = [:]

    /// The subscriptions and the watches of names.
    var count: Int { subscriptions.count + names.values.reduce(0) { $0 + $1.watches.count } }

    /// The subscriptions whose rules the bus has not confirmed.
    var waiting: [UInt64] { rules.values.flatMap(\.waiting).sorted() }

    // MARK: Rules

    /// Adds a use. Returns whether the bus has to get the rule.
    mutating func addUse(of rule: String) -> Bool {
        rules[rule, default: Rule()].uses += 1
        return rules[rule]?.uses == 1
    }

    /// Removes a use. Returns whether the bus has to drop the rule.
    mutating func removeUse(of rule: String) -> Bool {
        guard let uses = rules[rule]?.uses else { return false }
        if uses > 1 {
            rules[rule]?.uses = uses - 1
            return false
        }
        rules[rule] = nil
        return true
    }

    mutating func sent(_ rule: String, in call: UInt32) { rules[rule]?.call = call }

    /// Returns the subscriptions that waited for the answer to AddMatch; nil if the rule was removed since, and perhaps added again.
    mutating func answered(_ rule: String, in call: UInt32) -> [UInt64]? {
        guard let found = rules[rule], found.call == call else { return nil }
        rules[rule]?.call = nil
        rules[rule]?.waiting = []
        return found.waiting
    }

    // MARK: Subscriptions

    /// Adds a subscription whose rule is in use. Returns whether the bus has confirmed the rule.
    mutating func add(_ number: UInt64, _ match: BusMatch) -> Bool {
        subscriptions.append(Subscription(number: number, match: match))
        guard rules[match.rule]?.call != nil else { return true }
        rules[match.rule]?.waiting.append(number)
        return false
    }

    mutating func remove(_ number: UInt64) -> BusMatch? {
        guard let index = subscriptions.firstIndex(where: { $0.number == number }) else { return nil }
        let match = subscriptions.remove(at: index).match
        rules[match.rule]?.waiting.removeAll { $0 == number }
        return match
    }

    /// The subscriptions that a signal is for, in their order.
    func recipients(of message: BusMessage) -> [UInt64] {
        subscriptions.filter { $0.match.accepts(message, owner: $0.match.sender.flatMap(owner)) }.map(\.number)
    }

    // MARK: Names

    /// The unique name that stands behind a sender of a rule.
    private func owner(of sender: String) -> String? {
        sender == BusSession.bus || BusNames.isUnique(sender) ? sender : names[sender]?.owner
    }

    /// Adds a use. Returns whether the owner has to be asked for.
    mutating func addUse(ofName name: String) -> Bool {
        names[name, default: Name()].uses += 1
        return names[name]?.uses == 1
    }

    /// Removes a use. Returns whether it was the last.
    mutating func removeUse(ofName name: String) -> Bool {
        guard let uses = names[name]?.uses else { return false }
        if uses > 1 {
            names[name]?.uses = uses - 1
            return false
        }
        names[name] = nil
        return true
    }

    /// Adds a watch of a name in use. Returns its owner, if the bus has told it.
    mutating func watch(_ name: String, _ number: UInt64) -> (isKnown: Bool, owner: String?) {
        names[name]?.watches.append(number)
        return (names[name]?.isKnown ?? false, names[name]?.owner)
    }

    /// Returns the name.
    mutating func unwatch(_ number: UInt64) -> String? {
        guard let name = names.first(where: { $0.value.watches.contains(number) })?.key else { return nil }
        names[name]?.watches.removeAll { $0 == number }
        return name
    }

    /// The bus told the owner of a name. Returns the watches that this is new for.
    mutating func owner(of name: String, is owner: String?) -> [UInt64] {
        guard let found = names[name], !found.isKnown || found.owner != owner else { return [] }
        names[name]?.isKnown = true
        names[name]?.owner = owner
        return found.watches
    }
}
