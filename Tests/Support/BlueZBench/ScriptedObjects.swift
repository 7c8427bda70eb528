import SystemBus

/// The objects of bluetoothd, and the signals about them that it has not sent. It collects changes until it is idle or sends another message, as
/// gdbus/object.c of BlueZ does.
struct ScriptedObjects {
    static let properties = "org.freedesktop.DBus.Properties"
    private static let standard: [String: BusProperties] = [
        properties: [:], "org.freedesktop.DBus.Introspectable": [:],
    ]

    private struct Pending {
        let path: String
        var added: Set<String> = []
        /// The names of properties, by interface in the order of the changes.
        var changed: [(interface: String, names: [String])] = []
        var removed: [String] = []
    }

    private(set) var all: [String: [String: BusProperties]] = [:]
    private var pending: [Pending] = []

    var hasPending: Bool { !pending.isEmpty }

    subscript(path: String, interface: String) -> BusProperties? { all[path]?[interface] }

    mutating func add(_ path: String, _ interfaces: [String: BusProperties]) {
        all[path, default: [:]].merge(interfaces) { $1 }
        change(path) { $0.added.formUnion(interfaces.keys) }
    }

    mutating func remove(_ path: String) {
        guard let interfaces = all.removeValue(forKey: path) else { return }
        // What was not announced has never been there.
        if let index = pending.firstIndex(where: { $0.path == path }), !pending[index].added.isEmpty {
            pending.remove(at: index)
        } else {
            change(path) {
                $0.changed = []
                $0.removed += interfaces.keys.sorted()
            }
        }
    }

    /// Sets properties; nil removes one. Properties of an unknown object are ignored.
    mutating func set(_ path: String, _ interface: String, _ values: [(String, BusValue?)]) {
        guard all[path]?[interface] != nil else { return }
        for (name, value) in values { all[path]?[interface]?[name] = value }
        change(path) { pending in
            guard !pending.added.contains(interface) else { return }
            if !pending.changed.contains(where: { $0.interface == interface }) {
                pending.changed.append((interface, []))
            }
            for index in pending.changed.indices where pending.changed[index].interface == interface {
                for (name, _) in values where !pending.changed[index].names.contains(name) {
                    pending.changed[index].names.append(name)
                }
            }
        }
    }

    private mutating func change(_ path: String, _ body: (inout Pending) -> Void) {
        let index = pending.firstIndex { $0.path == path } ?? pending.endIndex
        if index == pending.endIndex { pending.append(Pending(path: path)) }
        body(&pending[index])
    }

    // MARK: Signals

    mutating func takeSignals() -> [BusMessage] {
        defer { pending = [] }
        return pending.flatMap { signals($0) }
    }

    /// The changes of properties of one object alone.
    mutating func takeChanges(of path: String) -> [BusMessage] {
        guard let index = pending.firstIndex(where: { $0.path == path }), pending[index].added.isEmpty else {
            return []
        }
        defer { pending[index].changed = [] }
        return changes(pending[index])
    }

    private func signals(_ pending: Pending) -> [BusMessage] {
        var signals: [BusMessage] = []
        if !pending.added.isEmpty {
            let added = all[pending.path]?.filter { pending.added.contains($0.key) } ?? [:]
            signals.append(
                .signal(
                    "/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded",
                    [.path(pending.path), Self.interfaces(added)]))
        }
        signals += changes(pending)
        if !pending.removed.isEmpty {
            let names = pending.removed + Self.standard.keys.sorted()
            signals.append(
                .signal(
                    "/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved",
                    [.path(pending.path), .array("s", names.map { .string($0) })]))
        }
        return signals
    }

    private func changes(_ pending: Pending) -> [BusMessage] {
        pending.changed.map { interface, names in
            let values = all[pending.path]?[interface] ?? [:]
            return .signal(
                pending.path, Self.properties, "PropertiesChanged",
                [
                    .string(interface), .properties(values.filter { names.contains($0.key) }),
                    .array("s", names.filter { values[$0] == nil }.map { .string($0) }),
                ])
        }
    }

    static func interfaces(_ interfaces: [String: BusProperties]) -> BusValue {
        .dictionary(interfaces.merging(standard) { old, _ in old }.mapValues { .properties($0) }, of: "a{sv}")
    }

    /// The result of GetManagedObjects.
    var managed: BusValue {
        .array(
            "{oa{sa{sv}}}",
            all.sorted { $0.key < $1.key }.map { .entry(.path($0.key), Self.interfaces($0.value)) })
    }
}
