internal import CAppleNames
import Foundation

/// How an object holds an associated value.
public enum objc_AssociationPolicy: UInt, Sendable {
    /// Does not keep the value alive. On Linux, the association ends with the value; Apple's implementation leaves a dangling pointer.
    case OBJC_ASSOCIATION_ASSIGN = 0
    /// Keeps it alive.
    case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1
    /// Keeps a copy, if the value is `NSCopying`.
    case OBJC_ASSOCIATION_COPY_NONATOMIC = 3
    /// Keeps it alive. On Linux, every policy is thread-safe.
    case OBJC_ASSOCIATION_RETAIN = 769
    /// Keeps a copy, if the value is `NSCopying`.
    case OBJC_ASSOCIATION_COPY = 771
}

/// Associates a value with an object, for as long as the object lives.
///
/// - Parameters:
///   - object: The object. The call has no effect for a value that is not an object.
///   - key: The key of the association. Its address identifies it.
///   - value: The value; nil removes the association.
///   - policy: How the object holds the value.
public func objc_setAssociatedObject(
    _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
    guard let owner = identity(of: object) else { return }
    Associations.shared.set(value.map { Association($0, policy) }, key, of: owner)
}

/// The value that is associated with an object.
///
/// - Parameters:
///   - object: The object.
///   - key: The key of the association.
public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
    guard let owner = identity(of: object) else { return nil }
    return withExtendedLifetime(owner) { Associations.shared.get(key, of: owner) }
}

/// Removes all associations of an object.
///
/// - Parameter object: The object.
public func objc_removeAssociatedObjects(_ object: Any) {
    guard let owner = identity(of: object) else { return }
    Associations.shared.removeAll(of: owner)
}

/// The object in a value; nil for other values, which Linux would box anew each time.
func identity(of value: Any) -> AnyObject? {
    type(of: value) is AnyClass ? value as AnyObject : nil
}

/// One associated value.
private struct Association {
    private let strong: Any?
    private weak var weak: AnyObject?

    init(_ value: Any, _ policy: objc_AssociationPolicy) {
        switch policy {
        case .OBJC_ASSOCIATION_ASSIGN:
            weak = identity(of: value)
            strong = weak == nil ? value : nil
        case .OBJC_ASSOCIATION_COPY, .OBJC_ASSOCIATION_COPY_NONATOMIC:
            strong = (value as? any NSCopying)?.copy(with: nil) ?? value
        case .OBJC_ASSOCIATION_RETAIN, .OBJC_ASSOCIATION_RETAIN_NONATOMIC: strong = value
        }
    }

    var value: Any? { strong ?? weak }
}

/// The associations of all objects, by their addresses.
private final class Associations: @unchecked Sendable {
    static let shared = Associations()

    /// The associations of one object.
    private final class Entry {
        var values: [UnsafeRawPointer: Association] = [:]
        /// The thread that deallocates the object; its `deinit` can still read associations.
        var endsOn: pthread_t?
        /// Whether the class reports the deallocation of its objects. All Swift classes do.
        var isWatched = true
        /// The owner, if its class does not report deallocations.
        weak var owner: AnyObject?
    }

    private let lock = NSLock()
    private var entries: [UnsafeRawPointer: Entry] = [:]
    /// Classes that do not report deallocations.
    private var hasUnwatched = false

    func get(_ key: UnsafeRawPointer, of owner: AnyObject) -> Any? {
        lock.withLock { entry(Self.address(owner), owner)?.values[key]?.value }
    }

    @inline(never)
    func set(_ association: Association?, _ key: UnsafeRawPointer, of owner: AnyObject) {
        let address = Self.address(owner)
        let isWatched = Self.watch(type(of: owner))
        let old: (Association?, [Entry]) = lock.withLock {
            let dead = hasUnwatched ? removeDead() : []
            guard let association else { return (entry(address, owner)?.values.removeValue(forKey: key), dead) }
            let target = entry(address, owner) ?? Entry()
            if !isWatched {
                hasUnwatched = true
                target.isWatched = false
                target.owner = owner
            }
            entries[address] = target
            return (target.values.updateValue(association, forKey: key), dead)
        }
        // The deinit of a value may run code of the program, which must not run under the lock.
        withExtendedLifetime(old) {}
    }

    func removeAll(of owner: AnyObject) {
        let old = lock.withLock {
            let entry = entry(Self.address(owner), owner)
            defer { entry?.values = [:] }
            return entry?.values
        }
        withExtendedLifetime(old) {}
    }

    /// The entry at an address, unless it belongs to an earlier object there.
    private func entry(_ address: UnsafeRawPointer, _ owner: AnyObject) -> Entry? {
        guard let entry = entries[address] else { return nil }
        if let thread = entry.endsOn { return pthread_equal(thread, pthread_self()) != 0 ? entry : nil }
        return entry.isWatched || entry.owner === owner ? entry : nil
    }

    private func removeDead() -> [Entry] {
        let dead = entries.filter { !$0.value.isWatched && $0.value.owner == nil }
        for address in dead.keys { entries[address] = nil }
        return Array(dead.values)
    }

    private static func address(_ owner: AnyObject) -> UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque())
    }

    private static func watch(_ type: AnyClass) -> Bool {
        apple_names_watch_class(
            unsafeBitCast(type, to: UnsafeRawPointer.self),
            { object in Associations.shared.willEnd(object) },
            { object, held in Associations.shared.hasEnded(object, held) })
    }

    private func willEnd(_ address: UnsafeRawPointer) -> UnsafeMutableRawPointer? {
        lock.withLock {
            guard let entry = entries[address] else { return nil }
            entry.endsOn = pthread_self()
            return Unmanaged.passRetained(entry).toOpaque()
        }
    }

    private func hasEnded(_ address: UnsafeRawPointer, _ held: UnsafeMutableRawPointer) {
        let entry = Unmanaged<Entry>.fromOpaque(held).takeRetainedValue()
        lock.withLock { if entries[address] === entry { entries[address] = nil } }
    }
}
