import BLEWire
import SystemBus

/// The sizes of all collections in an object and in what it holds, by their paths, so that tests find what is left in a table.
struct Census: Equatable, CustomStringConvertible {
    private(set) var sizes: [String: Int] = [:]
    private var seen: Set<ObjectIdentifier> = []

    /// - Parameter skipped: The names of properties that are left out.
    init(_ object: Any, skipped: Set<String> = []) { visit(object, "", skipped, 0) }

    private mutating func visit(_ value: Any, _ path: String, _ skipped: Set<String>, _ depth: Int) {
        // Octets and values of messages have no tables.
        guard depth < 24, !(value is [UInt8]), !(value is String), !(value is BusValue) else { return }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .class {
            guard seen.insert(ObjectIdentifier(value as AnyObject)).inserted else { return }
        }
        switch mirror.displayStyle {
        case .collection, .dictionary, .set:
            sizes[path] = max(sizes[path] ?? 0, mirror.children.count)
            for child in mirror.children { visit(child.value, path + "[]", skipped, depth + 1) }
        default:
            var next: Mirror? = mirror
            while let current = next {
                for child in current.children {
                    let label = child.label ?? ""
                    guard !skipped.contains(label) else { continue }
                    visit(child.value, "\(path).\(label)", skipped, depth + 1)
                }
                next = current.superclassMirror
            }
        }
    }

    /// What has another size in `other`.
    func differences(from other: Census) -> [String] {
        Set(sizes.keys).union(other.sizes.keys).sorted().compactMap { path in
            let (one, two) = (sizes[path] ?? 0, other.sizes[path] ?? 0)
            return one == two ? nil : "\(path): \(one), and \(two) in a session that nothing disturbs"
        }
    }

    var description: String { sizes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: "\n") }
}
