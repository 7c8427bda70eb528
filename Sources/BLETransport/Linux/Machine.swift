import CLinuxBluetooth

/// What can be learned of this machine without rights: its adapters, and which programs have to do with them.
package struct Machine: Sendable {
    static let daemon = "bluetoothd"
    /// Programs that look on, or ask the daemon or the kernel: their sockets keep nobody away.
    private static let onlookers: Set<String> = ["btmon", "hcidump", "btmgmt", "bluetoothctl"]

    /// A process with a socket for HCI.
    struct Holder: Hashable, Sendable {
        var name: String
        var process: Int32
    }

    package static let this = Machine()

    /// Where `/proc` and `/sys` are.
    var root = ""
    /// The program that runs, for the sentence that tells how to give it rights.
    var program: String { SystemFiles.link(root + "/proc/self/exe") ?? "/path/of/the/program" }

    package init(root: String = "") { self.root = root }

    /// The numbers of all adapters, the lowest first.
    package func adapters() -> [UInt16] {
        SystemFiles.names(in: root + "/sys/class/bluetooth").compactMap(Self.index).sorted()
    }

    /// `hci0` is 0; a connection of it, `hci0:11`, is none.
    static func index(_ name: String) -> UInt16? {
        guard name.hasPrefix("hci") else { return nil }
        let digits = name.dropFirst(3)
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return UInt16(digits)
    }

    /// Those that have an HCI socket, as far as this user may see them; the daemon first, which everybody may. Not this process.
    func holders() -> [Holder] {
        let sockets = Self.inodes(ofTable: SystemFiles.text(root + "/proc/net/hci") ?? "")
        var result: [Holder] = []
        for entry in SystemFiles.names(in: root + "/proc") {
            guard let process = Int32(entry), process != getpid() else { continue }
            let directory = root + "/proc/\(entry)"
            guard let name = SystemFiles.line(directory + "/comm"), !Self.onlookers.contains(name) else { continue }
            if name == Self.daemon {
                result.insert(Holder(name: name, process: process), at: 0)
            } else if !sockets.isEmpty, has(directory + "/fd", oneOf: sockets) {
                result.append(Holder(name: name, process: process))
            }
        }
        return result
    }

    private func has(_ descriptors: String, oneOf sockets: Set<String>) -> Bool {
        SystemFiles.names(in: descriptors).contains { name in
            SystemFiles.link(descriptors + "/" + name).map { sockets.contains($0) } ?? false
        }
    }

    /// The sockets of `/proc/net/hci`, as the links in `/proc/N/fd` name them.
    static func inodes(ofTable table: String) -> Set<String> {
        var result: Set<String> = []
        let lines = table.split(separator: "\n")
        guard let header = lines.first?.split(separator: " "), let column = header.firstIndex(of: "Inode") else {
            return []
        }
        for line in lines.dropFirst() {
            let fields = line.split(separator: " ")
            if fields.indices.contains(column), fields[column] != "0" { result.insert("socket:[\(fields[column])]") }
        }
        return result
    }
}

/// The small files of `/proc` and `/sys`.
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

    /// Where a symbolic link leads.
    static func link(_ path: String) -> String? {
        var target = [CChar](repeating: 0, count: 4096)
        let count = readlink(path, &target, target.count)
        guard count >= 0, count < target.count else { return nil }
        return String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
