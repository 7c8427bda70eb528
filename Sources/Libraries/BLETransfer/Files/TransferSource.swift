import Crypto
import Foundation

/// The octets that a sender sends. The sender calls the methods on its queue.
public protocol TransferSource: AnyObject {
    /// The name that the receiver gets.
    var name: String { get }
    /// The number of octets.
    var size: Int { get }
    /// Reads octets.
    ///
    /// - Parameter range: Offsets in octets, within ``size``.
    /// - Returns: Exactly these octets.
    /// - Throws: ``TransferError/file(_:)`` with the reason if they cannot be read.
    func read(_ range: Range<Int>) throws(TransferError) -> Data
}

extension TransferSource {
    /// The number of octets that the library reads at a time to compute a digest.
    private var blockSize: Int { 1 << 18 }

    /// The SHA-256 digest of the first `count` octets.
    func digest(ofFirst count: Int) throws(TransferError) -> [UInt8] {
        var hash = SHA256()
        var offset = 0
        while offset < count {
            let end = min(offset + blockSize, count)
            hash.update(data: try read(offset..<end))
            offset = end
        }
        return Array(hash.finalize())
    }
}

/// Octets in memory.
public final class TransferMemory: TransferSource, Sendable {
    /// The name that the receiver gets.
    public let name: String
    private let octets: Data

    /// The number of octets.
    public var size: Int { octets.count }

    /// Creates a source.
    public init(name: String, _ octets: Data) {
        self.name = name
        self.octets = Data(octets)
    }

    /// Reads octets.
    public func read(_ range: Range<Int>) -> Data { octets[range] }
}

/// A file of this machine.
public final class TransferFile: TransferSource, Sendable {
    /// The name that the receiver gets.
    public let name: String
    /// The number of octets when the file was opened.
    public let size: Int
    private let descriptor: Int32

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The path of a regular file of at most 4,294,967,295 octets.
    ///   - name: The name that the receiver gets; nil is the last part of the path.
    /// - Throws: ``TransferError/file(_:)``.
    public init(path: String, name: String? = nil) throws(TransferError) {
        self.name = name ?? (path as NSString).lastPathComponent
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        var information = stat()
        guard descriptor >= 0, fstat(descriptor, &information) == 0 else {
            let reason = errorText(errno)
            size = 0
            throw TransferError.file("\(path) cannot be read: \(reason)")
        }
        size = Int(information.st_size)
        guard information.st_mode & S_IFMT == S_IFREG else {
            throw TransferError.file("\(path) is not a regular file")
        }
        guard size <= TransferOffer.largestSize else {
            throw TransferError.file("\(path) has more than \(TransferOffer.largestSize) octets")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reads octets.
    public func read(_ range: Range<Int>) throws(TransferError) -> Data {
        var octets = Data(count: range.count)
        var filled = 0
        while filled < range.count {
            let count = octets.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress! + filled, range.count - filled, off_t(range.lowerBound + filled))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw TransferError.file(
                    "\(name) cannot be read: \(count < 0 ? errorText(errno) : "it is shorter than before")")
            }
            filled += count
        }
        return octets
    }
}

/// The system's text for an error number, with a small first letter.
func errorText(_ number: Int32) -> String {
    let text = String(cString: strerror(number))
    return text.prefix(1).lowercased() + text.dropFirst()
}
