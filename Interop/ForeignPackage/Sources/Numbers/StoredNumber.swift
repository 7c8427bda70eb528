// A target without imports, as swift-atomics is: a name that Foundation's modules give a standard type must not be here, or it is ambiguous with this one.

/// A number with another type in memory.
public protocol StoredNumber {
    /// The type in memory.
    associatedtype AtomicRepresentation
}

extension Int: StoredNumber {
    /// The type in memory.
    public typealias AtomicRepresentation = UInt64
}

/// The octets of a stored number.
public let storedOctets = MemoryLayout<Int.AtomicRepresentation>.size
