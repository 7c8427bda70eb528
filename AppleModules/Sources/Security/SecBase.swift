/// The result of a function; see ``errSecSuccess``.
public typealias OSStatus = Int32

/// No error.
public let errSecSuccess: OSStatus = 0
/// Linux has no implementation of the function or of a parameter.
public let errSecUnimplemented: OSStatus = -4
/// A parameter has no valid value.
public let errSecParam: OSStatus = -50
/// The memory is exhausted. On Linux, no function returns this.
public let errSecAllocate: OSStatus = -108
/// The item was not found. On Linux, no function returns this.
public let errSecItemNotFound: OSStatus = -25300
/// The data is no key of the type that the attributes name.
public let errSecDecode: OSStatus = -26275

/// A sentence about a result; nil for numbers that this module does not declare.
///
/// - Parameters:
///   - status: The result.
///   - reserved: Not used.
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    switch status {
    case errSecSuccess: "No error."
    case errSecUnimplemented: "Function or operation not implemented."
    case errSecParam: "One or more parameters passed to a function were not valid."
    case errSecAllocate: "Failed to allocate memory."
    case errSecItemNotFound: "The specified item could not be found."
    case errSecDecode: "Unable to decode the provided data."
    default: nil
    }
}

/// A source of random octets. The only one is ``kSecRandomDefault``.
public final class SecRandomRef: Sendable {}

/// The generator of the system.
public let kSecRandomDefault: SecRandomRef? = nil

/// Writes random octets for keys.
///
/// - Parameters:
///   - rnd: The source.
///   - count: The number of octets.
///   - bytes: The memory for them.
/// - Returns: ``errSecSuccess``; ``errSecParam`` if the number is negative.
public func SecRandomCopyBytes(_ rnd: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer) -> Int32 {
    guard count >= 0 else { return errSecParam }
    var generator = SystemRandomNumberGenerator()
    let size = MemoryLayout<UInt64>.size
    for start in stride(from: 0, to: count, by: size) {
        withUnsafeBytes(of: generator.next()) { word in
            (bytes + start).copyMemory(from: word.baseAddress!, byteCount: min(size, count - start))
        }
    }
    return errSecSuccess
}
