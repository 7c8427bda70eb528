import Foundation

/// How a table holds its content.
open class NSPointerFunctions: NSObject {
    /// How a table holds its content.
    public struct Options: OptionSet, Sendable {
        /// Apple's number.
        public let rawValue: UInt
        /// Options by their number.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Keeps objects alive.
        public static let strongMemory: Options = []
        /// Does not keep objects alive; a deallocated object disappears from the table.
        public static let weakMemory = Options(rawValue: 5)
        /// Compares objects by `isEqual` and `hash`.
        public static let objectPersonality: Options = []
        /// Compares objects by their identity.
        public static let objectPointerPersonality = Options(rawValue: 2 << 8)
        /// Holds a copy.
        public static let copyIn = Options(rawValue: 1 << 16)
    }
}

/// A dictionary of objects that can hold its keys and its values without keeping them alive.
///
/// Keys are compared as `NSObject` compares them, objects of other classes by their identity. When a key or a value that the table
/// does not keep alive is deallocated, its pair disappears immediately. The table releases the rest of the pair at its next change or count.
open class NSMapTable<KeyType: AnyObject, ObjectType: AnyObject>: NSObject {
    private struct Pair {
        let key: Holder<KeyType>
        let value: Holder<ObjectType>
        var isAlive: Bool { key.object != nil && value.object != nil }
    }

    private let keyOptions: NSPointerFunctions.Options
    private let valueOptions: NSPointerFunctions.Options
    private var pairs: [Int: [Pair]] = [:]

    /// Makes an empty table.
    ///
    /// - Parameters:
    ///   - keyOptions: How keys are held and compared.
    ///   - valueOptions: How values are held.
    ///   - initialCapacity: Not used on Linux.
    public init(
        keyOptions: NSPointerFunctions.Options = [], valueOptions: NSPointerFunctions.Options = [],
        capacity initialCapacity: Int = 0
    ) {
        self.keyOptions = keyOptions
        self.valueOptions = valueOptions
    }

    /// A table that keeps keys and values alive.
    public class func strongToStrongObjects() -> NSMapTable<KeyType, ObjectType> { NSMapTable() }
    /// A table that keeps its values alive, as long as their keys are.
    public class func weakToStrongObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(keyOptions: .weakMemory, valueOptions: .strongMemory)
    }
    /// A table that keeps its keys alive.
    public class func strongToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(keyOptions: .strongMemory, valueOptions: .weakMemory)
    }
    /// A table that keeps nothing alive.
    public class func weakToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(keyOptions: .weakMemory, valueOptions: .weakMemory)
    }

    /// The value of a key.
    open func object(forKey aKey: KeyType?) -> ObjectType? {
        guard let aKey, let bucket = pairs[hash(aKey)] else { return nil }
        for pair in bucket {
            if let key = pair.key.object, isSame(key, aKey), let value = pair.value.object { return value }
        }
        return nil
    }

    /// Sets the value of a key. Nil removes the key.
    open func setObject(_ anObject: ObjectType?, forKey aKey: KeyType?) {
        guard let aKey else { return }
        let old = remove(aKey)
        let dead = removeDead()
        withExtendedLifetime((old, dead)) {}
        guard let anObject else { return }
        pairs[hash(aKey), default: []].append(
            Pair(key: Holder(aKey, keyOptions), value: Holder(anObject, valueOptions)))
    }

    /// Removes a key and its value.
    open func removeObject(forKey aKey: KeyType?) {
        guard let aKey else { return }
        withExtendedLifetime(remove(aKey)) {}
    }

    /// Removes everything.
    open func removeAllObjects() {
        let old = pairs
        pairs = [:]
        withExtendedLifetime(old) {}
    }

    /// The number of pairs.
    open var count: Int {
        withExtendedLifetime(removeDead()) {}
        return pairs.values.reduce(0) { $0 + $1.count }
    }

    /// Enumerates the keys.
    open func keyEnumerator() -> NSEnumerator { ArrayEnumerator(alive.map(\.0)) }

    /// Enumerates the values.
    open func objectEnumerator() -> NSEnumerator? { ArrayEnumerator(alive.map(\.1)) }

    private var alive: [(KeyType, ObjectType)] {
        pairs.values.joined().compactMap { pair in
            guard let key = pair.key.object, let value = pair.value.object else { return nil }
            return (key, value)
        }
    }

    private func remove(_ key: KeyType) -> [Pair] {
        let place = hash(key)
        guard let bucket = pairs[place] else { return [] }
        let rest = bucket.filter { pair in pair.key.object.map { !isSame($0, key) } ?? false }
        pairs[place] = rest.isEmpty ? nil : rest
        return bucket
    }

    /// Returns the removed objects, because their deinit may run code of the program.
    private func removeDead() -> [Pair] {
        guard keyOptions.contains(.weakMemory) || valueOptions.contains(.weakMemory) else { return [] }
        let old = pairs
        pairs = pairs.mapValues { $0.filter(\.isAlive) }.filter { !$0.value.isEmpty }
        return Array(old.values.joined())
    }

    private var comparesIdentity: Bool { keyOptions.contains(.objectPointerPersonality) }

    private func hash(_ key: KeyType) -> Int {
        if !comparesIdentity, let object = key as? NSObject { return object.hash }
        return ObjectIdentifier(key).hashValue
    }

    private func isSame(_ a: KeyType, _ b: KeyType) -> Bool {
        if a === b { return true }
        guard !comparesIdentity, let a = a as? NSObject else { return false }
        return a.isEqual(b)
    }
}

/// A set of objects that can hold them without keeping them alive.
open class NSHashTable<ObjectType: AnyObject>: NSObject {
    private let table: NSMapTable<ObjectType, ObjectType>

    /// Makes an empty set.
    ///
    /// - Parameters:
    ///   - options: How objects are held and compared.
    ///   - initialCapacity: Not used on Linux.
    public init(options: NSPointerFunctions.Options = [], capacity initialCapacity: Int = 0) {
        table = NSMapTable(keyOptions: options, valueOptions: options)
    }

    /// A set that does not keep its objects alive.
    public class func weakObjects() -> NSHashTable<ObjectType> { NSHashTable(options: .weakMemory) }

    /// Adds an object unless the set contains an equal one.
    open func add(_ object: ObjectType?) {
        if let object, !contains(object) { table.setObject(object, forKey: object) }
    }
    /// Removes an object.
    open func remove(_ object: ObjectType?) { table.removeObject(forKey: object) }
    /// Removes everything.
    open func removeAllObjects() { table.removeAllObjects() }
    /// Whether the set contains an equal object.
    open func contains(_ anObject: ObjectType?) -> Bool { member(anObject) != nil }
    /// The object in the set that is equal to an object.
    open func member(_ object: ObjectType?) -> ObjectType? { table.object(forKey: object) }
    /// The number of objects.
    open var count: Int { table.count }
    /// All objects.
    open var allObjects: [ObjectType] { table.objectEnumerator()?.allObjects as? [ObjectType] ?? [] }
    /// One of the objects.
    open var anyObject: ObjectType? { allObjects.first }
    /// Enumerates the objects.
    open func objectEnumerator() -> NSEnumerator { ArrayEnumerator(allObjects) }
}

/// An object in a table.
private final class Holder<Object: AnyObject> {
    private let strong: Object?
    private weak var weak: Object?

    init(_ object: Object, _ options: NSPointerFunctions.Options) {
        let held = options.contains(.copyIn) ? (object as? any NSCopying)?.copy(with: nil) as? Object ?? object : object
        strong = options.contains(.weakMemory) ? nil : held
        weak = held
    }

    var object: Object? { strong ?? weak }
}

private final class ArrayEnumerator: NSEnumerator {
    private var rest: ArraySlice<AnyObject>

    init(_ objects: [AnyObject]) { rest = objects[...] }

    override func nextObject() -> Any? { rest.popFirst() }
}
