import BLETransport

/// The pages of a program and its libraries that a process has mapped.
package enum ProgramPages {
    /// Gives all pages of code and constants back to the system. A process that runs for weeks uses few of those that its start used: the
    /// search for protocol conformances alone reads all libraries. Pages that are used again come back from the system's cache of the files,
    /// which costs less than a microsecond each.
    ///
    /// Only mappings of files that are executable and not writable are concerned. Their pages equal the file, so nothing is lost.
    package static func release() {
        for range in ranges(text("/proc/self/maps")) {
            guard let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound) else { continue }
            _ = madvise(start, Int(range.upperBound - range.lowerBound), Int32(MADV_DONTNEED))
        }
    }

    /// The content of a file; empty if it cannot be read.
    static func text(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        var count = 0
        repeat {
            count = read(descriptor, &part, part.count)
            if count > 0 { content += part[..<count] }
        } while count > 0
        return String(decoding: content, as: UTF8.self)
    }

    /// The addresses of the mappings that `release` concerns, from the text of `/proc/self/maps` (proc_pid_maps(5)).
    static func ranges(_ maps: String) -> [Range<UInt>] {
        maps.split(separator: "\n").compactMap { line in
            // Addresses, permissions, offset, device, inode, path.
            let fields = line.split(separator: " ", maxSplits: 5)
            guard fields.count == 6, fields[1] == "r-xp", fields[5].drop(while: { $0 == " " }).hasPrefix("/") else {
                return nil
            }
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard ends.count == 2, ends[0] < ends[1] else { return nil }
            return ends[0]..<ends[1]
        }
    }
}
