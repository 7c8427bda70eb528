/// Attributes by their handles.
///
/// An array in the order of the handles: a look-up costs less than in a dictionary, and the first dictionary of a type costs the process
/// half a million instructions, in which the Swift runtime searches for a conformance.
struct AttributeTable {
    struct Entry {
        let handle: UInt16
        let attribute: CBAttribute
        /// That of the attribute: a comparison needs no reference to the object, which has weak ones and is expensive to retain.
        fileprivate let identity: ObjectIdentifier

        init(handle: UInt16, attribute: CBAttribute) {
            self.handle = handle
            self.attribute = attribute
            identity = ObjectIdentifier(attribute)
        }
    }

    /// In ascending order of the handles, each of which occurs once.
    private(set) var entries: [Entry] = []
    /// The index of the entry that was found last. The next look-up often asks for it again.
    private var recent = 0

    subscript(handle: UInt16) -> CBAttribute? {
        mutating get { find(handle) ? entries[recent].attribute : nil }
    }

    /// Whether `attribute` is the one at `handle`.
    mutating func contains(_ attribute: CBAttribute, at handle: UInt16) -> Bool {
        find(handle) && entries[recent].identity == ObjectIdentifier(attribute)
    }

    /// Sets `recent` to the entry at `handle`. Returns false if there is none.
    private mutating func find(_ handle: UInt16) -> Bool {
        if recent < entries.count, entries[recent].handle == handle { return true }
        let index = position(of: handle)
        guard index < entries.count, entries[index].handle == handle else { return false }
        recent = index
        return true
    }

    /// The index of the first entry at `handle` or above.
    private func position(of handle: UInt16) -> Int {
        // Without the checks of the array, which would be most of the cost.
        entries.withUnsafeBufferPointer { entries in
            var (low, high) = (0, entries.count)
            while low < high {
                let middle = (low &+ high) / 2
                if entries[middle].handle < handle { low = middle &+ 1 } else { high = middle }
            }
            return low
        }
    }

    /// Replaces an attribute and returns the one before.
    mutating func update(_ attribute: CBAttribute, at handle: UInt16) -> CBAttribute? {
        let index = position(of: handle)
        guard index < entries.count, entries[index].handle == handle else {
            entries.insert(Entry(handle: handle, attribute: attribute), at: index)
            return nil
        }
        let old = entries[index].attribute
        entries[index] = Entry(handle: handle, attribute: attribute)
        return old
    }

    /// Removes and returns the entries that satisfy a condition.
    mutating func removeAll(where isRemoved: (Entry) -> Bool) -> [Entry] {
        let removed = entries.filter(isRemoved)
        if !removed.isEmpty { entries.removeAll(where: isRemoved) }
        return removed
    }
}
