internal import BLEWire
import Foundation

/// Attributes by their handles.
struct AttributeTable {
    /// A handle with a hash of its own: `Hasher` would cost more than the rest of the path of a value through this module.
    private struct Key: Hashable {
        let handle: UInt16

        func _rawHashValue(seed: Int) -> Int { mixedHash(UInt64(handle), seed: seed) }
    }

    private var attributes: [Key: CBAttribute] = [:]

    subscript(handle: UInt16) -> CBAttribute? {
        get { attributes[Key(handle: handle)] }
        set { attributes[Key(handle: handle)] = newValue }
    }

    /// Replaces an attribute and returns the one before.
    mutating func update(_ attribute: CBAttribute, at handle: UInt16) -> CBAttribute? {
        attributes.updateValue(attribute, forKey: Key(handle: handle))
    }

    var values: some Collection<CBAttribute> { attributes.values }

    var all: [UInt16: CBAttribute] {
        Dictionary(uniqueKeysWithValues: attributes.lazy.map { ($0.key.handle, $0.value) })
    }
}
