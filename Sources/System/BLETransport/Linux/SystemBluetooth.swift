/// The system's Bluetooth data that is available without privileges: the adapters of this machine, and the programs
/// that use them.
package struct SystemBluetooth: Sendable {
    package static let daemon = "bluetoothd"
    /// Programs that monitor, or send requests to the daemon or the kernel: their sockets do not occupy an adapter.
    private static let observers: Set<String> = ["btmon", "hcidump", "btmgmt", "bluetoothctl"]

    /// A process with an HCI socket.
    package struct Holder: Hashable, Sendable {
        package var name: String
        package var process: Int32

        package init(name: String, process: Int32) {
            self.name = name
            self.process = process
        }
    }

    package static let current = SystemBluetooth()

    /// The directory that contains `/proc` and `/sys`; empty: the root.
    var root = ""
    /// The path of this program, for messages.
    var program: String { SystemFiles.link(root + "/proc/self/exe") ?? "/path/of/the/program" }

    package init(root: String = "") { self.root = root }

    /// The numbers of all adapters in ascending order, from `/sys/class/bluetooth`.
    package func adapters() -> [UInt16] {
        SystemFiles.names(in: root + "/sys/class/bluetooth").compactMap(Self.index).sorted()
    }

    /// The number of an adapter's name: 0 for `hci0`. Nil for a connection such as `hci0:11`.
    package static func index(_ name: String) -> UInt16? {
        guard name.hasPrefix("hci") else { return nil }
        let digits = name.dropFirst(3)
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return UInt16(digits)
    }

    /// The processes with an HCI socket that this user may see, except this one. The daemon comes first; its name is
    /// always readable.
    package func holders() -> [Holder] {
        let sockets = Self.inodes(ofTable: SystemFiles.text(root + "/proc/net/hci") ?? "")
        var result: [Holder] = []
        for entry in SystemFiles.names(in: root + "/proc") {
            guard let process = Int32(entry), process != getpid() else { continue }
            let directory = root + "/proc/\(entry)"
            guard let name = SystemFiles.line(directory + "/comm"), !Self.observers.contains(name) else { continue }
            if name == Self.daemon {
                result.insert(Holder(name: name, process: process), at: 0)
            } else if !sockets.isEmpty, has(directory + "/fd", oneOf: sockets) {
                result.append(Holder(name: name, process: process))
            }
        }
        return result
    }

    /// Whether bluetoothd runs.
    package var isDaemonRunning: Bool {
        SystemFiles.names(in: root + "/proc").contains { entry in
            Int32(entry) != nil && SystemFiles.line(root + "/proc/\(entry)/comm") == Self.daemon
        }
    }

    private func has(_ descriptors: String, oneOf sockets: Set<String>) -> Bool {
        SystemFiles.names(in: descriptors).contains { name in
            SystemFiles.link(descriptors + "/" + name).map { sockets.contains($0) } ?? false
        }
    }

    /// The sockets in `/proc/net/hci`, in the form of the links in `/proc/N/fd`.
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
