/// Properties by name, without their variants.
package typealias BusProperties = [String: BusValue]

extension BusValue {
    /// A dictionary of texts and variants: `a{sv}`.
    package static func properties(_ values: BusProperties) -> BusValue {
        dictionary(values.mapValues { .variant($0) }, of: "v")
    }

    /// A dictionary with texts as keys, sorted by them.
    package static func dictionary(_ values: [String: BusValue], of type: String) -> BusValue {
        .array("{s\(type)}", values.sorted { $0.key < $1.key }.map { .entry(.string($0.key), $0.value) })
    }

    /// The values of a dictionary of texts and variants. Of two values with one key the last counts.
    package var properties: BusProperties? {
        content { value in
            guard case .variant(let inner) = value else { return nil }
            return inner
        }
    }

    /// Interfaces with their properties: `a{sa{sv}}`.
    package var interfaces: [String: BusProperties]? { content { $0.properties } }

    /// The result of `org.freedesktop.DBus.ObjectManager.GetManagedObjects`: the interfaces of objects by path.
    package var managedObjects: [String: [String: BusProperties]]? { content { $0.interfaces } }

    /// A dictionary with texts or paths as keys. Texts that are longer than names are left out: no dictionary of the standard interfaces has them,
    /// and to hash a long text can take long. Nil for another value, or if `read` returns nil for one of the dictionary.
    private func content<T>(_ read: (BusValue) -> T?) -> [String: T]? {
        guard let elements else { return nil }
        var found: [String: T] = [:]
        found.reserveCapacity(elements.count)
        for element in elements {
            guard case .entry(let key, let value) = element, let name = key.text, let content = read(value) else {
                return nil
            }
            if case .string = key, name.utf8.count > BusNames.longest { continue }
            found[name] = content
        }
        return found
    }
}

/// What a standard signal reports about an object of its sender (D-Bus Specification, "Standard Interfaces").
package enum BusObjectChange: Hashable, Sendable {
    /// InterfacesAdded.
    case added(path: String, interfaces: [String: BusProperties])
    /// InterfacesRemoved.
    case removed(path: String, interfaces: [String])
    /// PropertiesChanged. The service did not send the values of the invalidated properties.
    case changed(path: String, interface: String, properties: BusProperties, invalidated: [String])

    /// Returns nil for another signal, or one with other arguments.
    package init?(_ message: BusMessage) {
        let body = message.body
        guard message.kind == .signal, body.count >= 2 else { return nil }
        switch (message.interface, message.member) {
        case ("org.freedesktop.DBus.ObjectManager", "InterfacesAdded"):
            guard case .path(let path) = body[0], let interfaces = body[1].interfaces else { return nil }
            self = .added(path: path, interfaces: interfaces)
        case ("org.freedesktop.DBus.ObjectManager", "InterfacesRemoved"):
            guard case .path(let path) = body[0], let names = body[1].elements else { return nil }
            self = .removed(path: path, interfaces: names.compactMap(\.text))
        case ("org.freedesktop.DBus.Properties", "PropertiesChanged"):
            guard let path = message.path, case .string(let interface) = body[0], let properties = body[1].properties,
                body.count >= 3, let invalidated = body[2].elements
            else { return nil }
            self = .changed(
                path: path, interface: interface, properties: properties,
                invalidated: invalidated.compactMap(\.text))
        default: return nil
        }
    }
}
