import BLEWire
import DurableQueue
import Glibc

/// The name of a queue's folder: random, in a file of the folder. Receivers tell a new queue, whose sequence numbers begin again, from an
/// old one by it.
enum QueueName {
    static func load(_ folder: String) throws(DurableQueueError) -> String {
        let path = folder + "/name"
        if let name = read(path) { return name }
        let name = hexadecimal(UInt32.random(in: 0 ... .max), digits: 8).lowercased()
        // A file that was cut by the end of the process holds no name, and is replaced.
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(operation: "The creation of", path: temporary, errno) }
        defer { close(descriptor) }
        let octets = Array(name.utf8)
        guard write(descriptor, octets, octets.count) == octets.count, fsync(descriptor) == 0,
            rename(temporary, path) == 0
        else { throw .system(operation: "A write to", path: path, errno) }
        return name
    }

    private static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: 9)
        guard Glibc.read(descriptor, &octets, octets.count) == 8 else { return nil }
        let name = octets.prefix(8)
        let isName = name.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
        return isName ? String(decoding: name, as: UTF8.self) : nil
    }
}
