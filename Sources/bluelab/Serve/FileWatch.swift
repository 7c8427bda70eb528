import Foundation

/// Detects changes of files by their inode, size and time of modification. This also notices files that an editor replaces.
struct FileWatch {
    private struct Stamp: Hashable {
        let inode: UInt64
        let size: Int64
        let seconds: Int
        let nanoseconds: Int
    }

    private var stamps: [String: Stamp?] = [:]

    init(_ files: [String]) { watch(files) }

    /// Selects the files. A file that was not watched counts as unchanged.
    mutating func watch(_ files: [String]) {
        stamps = Dictionary(
            files.map { ($0, stamps[$0] ?? Self.stamp(of: $0)) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether a file changed since the last call. A file that is missing, as between the two steps of an editor, counts as
    /// unchanged until it exists again.
    mutating func takeChange() -> Bool {
        var isChanged = false
        for (file, old) in stamps {
            guard let new = Self.stamp(of: file), new != old else { continue }
            stamps[file] = new
            isChanged = true
        }
        return isChanged
    }

    private static func stamp(of file: String) -> Stamp? {
        var status = stat()
        guard stat(file, &status) == 0 else { return nil }
        return Stamp(
            inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }
}
