import BLETransport
import BLEWire
import SystemBus

/// A mirror of bluetoothd's objects: what its ObjectManager reported, with the changes since. Values of characteristics and descriptors are left out.
struct BlueZObjects {
    /// What a report of bluetoothd changed.
    enum Change: Hashable {
        case added(path: String, interface: String)
        /// With the names of the changed properties.
        case changed(path: String, interface: String, Set<String>)
        case removed(path: String, interface: String)
    }

    /// The objects that are kept: some hundred devices with all their attributes.
    static let limit = 32_768
    /// The octets of a property that is kept.
    private static let longestProperty = 16_384
    private static let interfaces: Set<String> = [
        BlueZ.adapter, BlueZ.device, BlueZ.bearerLE, BlueZ.bearerClassic, BlueZ.gattService, BlueZ.characteristic,
        BlueZ.descriptor, BlueZ.gattManager,
        BlueZ.advertisingManager, BlueZ.agentManager,
    ]

    private var objects: [String: [String: BusProperties]] = [:]
    /// The links that the kernel has; nil if it does not tell.
    var links: RadioLinks?
    /// Whether objects were left out.
    private(set) var isFull = false

    /// Replaces everything with the result of GetManagedObjects.
    mutating func replace(_ all: [String: [String: BusProperties]]) {
        (objects, isFull) = ([:], false)
        for (path, interfaces) in all { _ = add(path, interfaces) }
    }

    mutating func removeAll() { (objects, isFull) = ([:], false) }

    mutating func apply(_ change: BusObjectChange) -> [Change] {
        switch change {
        case .added(let path, let interfaces): add(path, interfaces)
        case .removed(let path, let interfaces): remove(path, interfaces)
        case .changed(let path, let interface, let properties, let invalidated):
            update(path, interface, properties, invalidated)
        }
    }

    private mutating func add(_ path: String, _ interfaces: [String: BusProperties]) -> [Change] {
        let known = interfaces.filter { Self.interfaces.contains($0.key) }
        guard !known.isEmpty else { return [] }
        guard objects.count < Self.limit || objects[path] != nil else {
            isFull = true
            return []
        }
        var changes: [Change] = []
        for (interface, properties) in known.sorted(by: { $0.key < $1.key }) {
            objects[path, default: [:]][interface] = properties.filter { Self.isKept($0.key, $0.value) }
            changes.append(.added(path: path, interface: interface))
        }
        return changes
    }

    private mutating func remove(_ path: String, _ interfaces: [String]) -> [Change] {
        var changes: [Change] = []
        for interface in interfaces where objects[path]?.removeValue(forKey: interface) != nil {
            changes.append(.removed(path: path, interface: interface))
        }
        if objects[path]?.isEmpty == true { objects[path] = nil }
        return changes
    }

    private mutating func update(
        _ path: String, _ interface: String, _ properties: BusProperties, _ invalidated: [String]
    ) -> [Change] {
        guard objects[path]?[interface] != nil else { return [] }
        for (name, value) in properties where Self.isKept(name, value) { objects[path]?[interface]?[name] = value }
        for name in invalidated { objects[path]?[interface]?[name] = nil }
        return [.changed(path: path, interface: interface, Set(properties.keys).union(invalidated))]
    }

    private static func isKept(_ property: String, _ value: BusValue) -> Bool {
        property != "Value" && value.isBounded(by: longestProperty)
    }

    // MARK: Reading

    /// The properties of an interface of an object; nil if it does not have the interface.
    func properties(_ path: String, _ interface: String) -> BusProperties? { objects[path]?[interface] }

    /// Whether a property is there and true.
    func isTrue(_ name: String, _ path: String, _ interface: String) -> Bool {
        properties(path, interface)?[name]?.flag == true
    }

    /// The paths below `prefix` with an interface, sorted.
    func paths(with interface: String, below prefix: String = BlueZ.root) -> [String] {
        objects.filter { $0.value[interface] != nil && $0.key.isPath(below: prefix) }.keys.sorted()
    }

    /// The device that an object is, or belongs to.
    func device(_ path: String) -> BlueZDevice? { properties(path, BlueZ.device).flatMap { BlueZDevice(path, $0) } }

    /// The bearers of a device; nil if it is unknown.
    func bearers(_ path: String) -> DeviceBearers? { device(path).map { DeviceBearers($0, self) } }

    /// Whether a device has a link of LE.
    func isLinked(_ path: String) -> Bool { bearers(path)?.hasLE == true }

    /// The devices of an adapter.
    func devices(of adapter: String) -> [BlueZDevice] {
        paths(with: BlueZ.device, below: adapter).compactMap { device($0) }
    }
}

extension BusValue {
    /// Whether the content has at most so many octets, each value counted as 8 at least.
    fileprivate func isBounded(by limit: Int) -> Bool {
        var rest = limit
        take(from: &rest)
        return rest >= 0
    }

    private func take(from rest: inout Int) {
        rest -= 8
        guard rest >= 0 else { return }
        switch self {
        case .string(let text), .path(let text), .signature(let text): rest -= text.utf8.count
        case .octets(let octets): rest -= octets.count
        case .array(_, let values), .structure(let values):
            for value in values where rest >= 0 { value.take(from: &rest) }
        case .entry(let key, let value):
            key.take(from: &rest)
            value.take(from: &rest)
        case .variant(let value): value.take(from: &rest)
        default: break
        }
    }
}

extension String {
    /// Whether this path is below another one.
    func isPath(below prefix: String) -> Bool {
        utf8.count > prefix.utf8.count && utf8.starts(with: prefix.utf8)
            && utf8[utf8.index(utf8.startIndex, offsetBy: prefix.utf8.count)] == UInt8(ascii: "/")
    }
}
