import BLEWire
import Foundation

/// Stores received files in a folder, or one file under a path.
///
/// The octets of an incomplete file are in a partial file beside it, whose name ends in a part of the digest and `.partial`. The
/// complete file gets its name in one step. Names with a path, a leading point or invisible characters are refused. A file that
/// exists with the offered content is complete at once; another file of the name is kept, unless ``replacesFiles`` is true.
public final class TransferFolder: TransferStore, Sendable {
    /// The folder, or the path of the file.
    public let path: String
    /// The largest accepted file in octets.
    public let largestSize: Int
    /// Whether a received file replaces another one of its name.
    public let replacesFiles: Bool
    /// Whether `path` names the file instead of a folder.
    private let isFile: Bool
    /// Called after each system call that completes a file, for tests.
    private let didCall: (@Sendable (Step) -> Void)?

    /// The system calls that complete a file.
    enum Step: Sendable { case synchronize, name, synchronizeFolder }

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - path: An existing folder, which gets the files under their own names; otherwise the path of the file.
    ///   - largestSize: The largest accepted file in octets.
    ///   - replacesFiles: Whether a received file replaces another one of its name.
    public convenience init(path: String, largestSize: Int = Int(UInt32.max), replacesFiles: Bool = false) {
        self.init(path: path, largestSize: largestSize, replacesFiles: replacesFiles, didCall: nil)
    }

    init(path: String, largestSize: Int, replacesFiles: Bool, didCall: (@Sendable (Step) -> Void)?) {
        self.didCall = didCall
        self.path = path
        self.largestSize = largestSize
        self.replacesFiles = replacesFiles
        var isFolder: ObjCBool = false
        isFile = !(FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue)
    }

    /// The path at which a received file appears.
    public func path(of offer: TransferOffer) -> String {
        isFile ? path : (path as NSString).appendingPathComponent(offer.name)
    }

    /// Opens the partial file of an offer, or a new one.
    ///
    /// - Throws: An error whose reason says whether the name, the size, the free space or the file system does not permit the file.
    public func open(_ offer: TransferOffer) throws(TransferStoreError) -> any TransferSink {
        guard isFile || FileName.isAllowed(offer.name) else { throw TransferStoreError(.nameNotAllowed) }
        guard offer.size <= largestSize else { throw TransferStoreError(.tooLarge) }
        let target = path(of: offer)
        var information = stat()
        guard stat(target, &information) == 0 else {
            return try PartialFile(target, offer, replaces: replacesFiles, didCall: didCall)
        }
        switch information.st_mode & S_IFMT {
        case S_IFREG:
            if Int(information.st_size) == offer.size,
                try readable({ () throws(TransferError) in try TransferFile(path: target).digest(ofFirst: offer.size) })
                    == offer.digest
            {
                return try ExistingFile(target)
            }
            guard replacesFiles else { throw TransferStoreError(.fileExists) }
            return try PartialFile(target, offer, replaces: true, didCall: didCall)
        case S_IFDIR: throw TransferStoreError(.fileExists)
        default:
            // A device or a pipe that the user named takes the octets directly; nothing of them can be continued. A sender
            // cannot choose one in a folder.
            guard isFile else { throw TransferStoreError(.fileExists) }
            return try PartialFile(direct: target)
        }
    }
}

/// A file that is complete already.
private final class ExistingFile: TransferSink {
    private let source: TransferFile

    init(_ path: String) throws(TransferStoreError) {
        source = try readable { () throws(TransferError) in try TransferFile(path: path) }
    }

    var count: Int { source.size }

    func readStored(_ body: (Data) -> Void) throws(TransferStoreError) {
        let source = source
        try readBlocks(
            count,
            { range throws(TransferStoreError) in
                try readable { () throws(TransferError) in try source.read(range) }
            }, body)
    }

    func append(_ octets: Data) throws(TransferStoreError) { throw TransferStoreError(.storageFailed) }

    func removeAll() throws(TransferStoreError) { throw TransferStoreError(.fileExists) }

    func commit() throws(TransferStoreError) {}
}

/// The partial file of a transfer.
private final class PartialFile: TransferSink {
    private let target: String
    /// Nil if the octets go to the target directly.
    private let partial: String?
    private let descriptor: Int32
    /// Whether the file replaces another one of its name.
    private let replaces: Bool
    private let didCall: (@Sendable (TransferFolder.Step) -> Void)?
    private(set) var count: Int
    private var isCommitted = false

    init(
        _ target: String, _ offer: TransferOffer, replaces: Bool, didCall: (@Sendable (TransferFolder.Step) -> Void)?
    ) throws(TransferStoreError) {
        self.target = target
        self.didCall = didCall
        self.replaces = replaces
        let digits = Hexadecimal.digits(offer.digest.prefix(8))
        let partial = "\(target).\(digits).partial"
        self.partial = partial
        descriptor = open(partial, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
        var information = stat()
        guard descriptor >= 0, fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            let number = errno
            count = 0
            throw Self.error(number)
        }
        count = Int(information.st_size)
        if count > offer.size { try removeAll() }
        try requireSpace((target as NSString).deletingLastPathComponent, offer.size - count)
    }

    init(direct target: String) throws(TransferStoreError) {
        self.target = target
        partial = nil
        replaces = true
        didCall = nil
        count = 0
        descriptor = open(target, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.error(errno) }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        // An empty partial file has nothing to continue.
        if let partial, count == 0, !isCommitted { unlink(partial) }
    }

    private func requireSpace(_ folder: String, _ octets: Int) throws(TransferStoreError) {
        var information = statvfs()
        guard statvfs(folder.isEmpty ? "." : folder, &information) == 0 else { return }
        let (free, overflow) = Int(clamping: information.f_bavail).multipliedReportingOverflow(
            by: Int(clamping: information.f_frsize))
        guard overflow || free >= octets else { throw TransferStoreError(.noSpace) }
    }

    private static func error(_ number: Int32) -> TransferStoreError {
        number == ENOSPC || number == EDQUOT
            ? TransferStoreError(.noSpace)
            : TransferStoreError(.storageFailed, text: "the received file cannot be written: \(errorText(number))")
    }

    func readStored(_ body: (Data) -> Void) throws(TransferStoreError) {
        guard partial != nil else { return }
        try readBlocks(count, read, body)
    }

    private func read(_ range: Range<Int>) throws(TransferStoreError) -> Data {
        var octets = Data(count: range.count)
        let result = octets.withUnsafeMutableBytes {
            pread(descriptor, $0.baseAddress, range.count, off_t(range.lowerBound))
        }
        guard result == range.count else { throw Self.error(result < 0 ? errno : EIO) }
        return octets
    }

    func append(_ octets: Data) throws(TransferStoreError) {
        var written = 0
        while written < octets.count {
            let result = octets.withUnsafeBytes { bytes in
                let (start, rest) = (bytes.baseAddress! + written, bytes.count - written)
                return partial == nil ? write(descriptor, start, rest) : pwrite(descriptor, start, rest, off_t(count))
            }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { throw Self.error(errno) }
            written += result
            count += result
        }
    }

    func removeAll() throws(TransferStoreError) {
        guard partial != nil else { throw TransferStoreError(.storageFailed) }
        guard ftruncate(descriptor, 0) == 0 else { throw Self.error(errno) }
        count = 0
    }

    func commit() throws(TransferStoreError) {
        guard let partial else { return }
        // The name appears after the content is on the disk.
        guard fsync(descriptor) == 0 else { throw Self.error(errno) }
        didCall?(.synchronize)
        if !replaces {
            // Unlike `rename`, `link` keeps a file that appeared meanwhile.
            if link(partial, target) == 0 {
                unlink(partial)
                return named()
            }
            if errno == EEXIST { throw TransferStoreError(.fileExists) }
            // Some file systems have no links.
        }
        guard rename(partial, target) == 0 else { throw Self.error(errno) }
        named()
    }

    /// The file has its name. Makes the name survive a power cut, where the file system synchronizes folders.
    private func named() {
        isCommitted = true
        didCall?(.name)
        let path = (target as NSString).deletingLastPathComponent
        let folder = open(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        if fsync(folder) == 0 { didCall?(.synchronizeFolder) }
        close(folder)
    }
}

/// Runs `body`. An error of a source becomes one of the store.
private func readable<Result>(_ body: () throws(TransferError) -> Result) throws(TransferStoreError) -> Result {
    do throws(TransferError) {
        return try body()
    } catch {
        throw TransferStoreError(.storageFailed, text: "\(error)")
    }
}

/// Calls `body` with octets from 0 to `count`, in blocks.
private func readBlocks(_ count: Int, _ read: (Range<Int>) throws(TransferStoreError) -> Data, _ body: (Data) -> Void)
    throws(TransferStoreError)
{
    var offset = 0
    while offset < count {
        let end = min(offset + (1 << 18), count)
        body(try read(offset..<end))
        offset = end
    }
}
