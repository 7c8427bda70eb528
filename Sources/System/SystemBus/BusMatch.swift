/// Which signals a subscription wants (D-Bus Specification, "Match Rules"). Nil matches everything.
package struct BusMatch: Hashable, Sendable {
    /// The unique name of a connection, or the name of a service: then the signals of its owner of the time.
    package var sender: String?
    package var path: String?
    /// This path and everything below it.
    package var pathNamespace: String?
    package var interface: String?
    package var member: String?
    /// The first argument, a text.
    package var argument: String?

    package init(
        sender: String? = nil, path: String? = nil, pathNamespace: String? = nil, interface: String? = nil,
        member: String? = nil, argument: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.argument = argument
    }

    /// Changes of the owner of a name, which the bus reports.
    static func owner(of name: String) -> BusMatch {
        BusMatch(
            sender: BusSession.bus, path: BusSession.busPath, interface: BusSession.bus, member: "NameOwnerChanged",
            argument: name)
    }

    /// The sender, if it is the name of a service.
    var service: String? {
        sender.flatMap { $0 == BusSession.bus || BusNames.isUnique($0) ? nil : $0 }
    }

    /// The rule, as AddMatch takes it.
    package var rule: String {
        let parts = [
            ("sender", sender), ("path", path), ("path_namespace", pathNamespace), ("interface", interface),
            ("member", member), ("arg0", argument),
        ]
        return parts.reduce("type='signal'") { rule, part in
            guard let value = part.1 else { return rule }
            // An apostrophe ends the quotation, and is quoted by a backslash outside of it.
            let quoted = value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
            return "\(rule),\(part.0)='\(quoted)'"
        }
    }

    /// Whether it matches a signal.
    ///
    /// - Parameter owner: The unique name of the owner of `sender`; nil if the name has no owner.
    package func accepts(_ message: BusMessage, owner: String?) -> Bool {
        if sender != nil, owner == nil || message.sender != owner { return false }
        if let path, message.path != path { return false }
        if let pathNamespace, let path = message.path, pathNamespace != "/", path != pathNamespace {
            guard path.utf8.starts(with: pathNamespace.utf8) else { return false }
            guard path.utf8.dropFirst(pathNamespace.utf8.count).first == UInt8(ascii: "/") else { return false }
        }
        if let interface, message.interface != interface { return false }
        if let member, message.member != member { return false }
        if let argument {
            // By octets: texts of arguments have any form, and the comparison of characters can take long.
            guard case .string(let text)? = message.body.first, text.utf8.elementsEqual(argument.utf8) else {
                return false
            }
        }
        return true
    }
}
