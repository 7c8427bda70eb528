import Foundation

/// Detects changes of files by their inode, size and time of modification. This also notices files that an editor replaces.
struct FileWatch {
    private struct Stamp: Hashable {
        let inode: UInt64
        let size: Int64
        let seconds: Int
        let nanoseconds: Int
    }

    private struct Watched {
        /// The version that the program uses.
        var used: Stamp?
        /// The version at the last look.
        var seen: Stamp?
    }

    private var watched: [String: Watched] = [:]

    init(_ files: [String]) { watch(files) }

    /// Selects the files. A file that was not watched counts as unchanged.
    mutating func watch(_ files: [String]) {
        watched = Dictionary(
            files.map { file in
                let stamp = Self.stamp(of: file)
                return (file, watched[file] ?? Watched(used: stamp, seen: stamp))
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether a file has a new version that is equal at two looks in a row, because an editor may write it in steps. A file that
    /// is missing counts as unchanged until it exists again.
    mutating func takeChange() -> Bool {
        var isChanged = false
        for (file, old) in watched {
            let new = Self.stamp(of: file)
            watched[file]?.seen = new
            guard let new, new != old.used, new == old.seen else { continue }
            watched[file]?.used = new
            isChanged = true
        }
        return isChanged
    }

    private static func stamp(of file: String) -> Stamp? {
        var status = stat()
        // A pipe is read once.
        guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Stamp(
            inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }
}
