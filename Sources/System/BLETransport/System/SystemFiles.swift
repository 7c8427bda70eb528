/// Reads the small files of `/proc` and `/sys`.
enum SystemFiles {
    static func names(in directory: String) -> [String] {
        guard let handle = opendir(directory) else { return [] }
        defer { closedir(handle) }
        var result: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { result.append(name) }
        }
        return result.sorted()
    }

    static func text(_ path: String) -> String? {
        let number = systemOpen(path, O_RDONLY | O_CLOEXEC, 0)
        guard number >= 0 else { return nil }
        defer { _ = close(number) }
        var content: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while content.count < 1 << 20 {
            let count = part.withUnsafeMutableBytes { systemRead(number, $0.baseAddress, $0.count) }
            if count < 0 { return nil }
            if count == 0 { break }
            content += part[..<count]
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// The first line.
    static func line(_ path: String) -> String? {
        text(path).map { String($0.prefix { $0 != "\n" }) }
    }

    /// The target of a symbolic link.
    static func link(_ path: String) -> String? {
        var target = [CChar](repeating: 0, count: 4096)
        let count = readlink(path, &target, target.count)
        guard count >= 0, count < target.count else { return nil }
        return String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
