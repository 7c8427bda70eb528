import BLEStore
import Foundation
import Glibc
import Phrases
import StudioRoom

/// The file that keeps the room between two runs of the studio. Nothing else reads or writes it, or knows its format.
///
/// It is replaced as a whole (rename(2)): after a full disk or the end of the process it is the old one or the new one.
package struct RoomFile: Sendable {
    /// What it keeps.
    package struct Content: Hashable, Sendable {
        package var room: RoomRecord
        /// The room before the latest scene.
        package var former: RoomRecord?

        package init(room: RoomRecord, former: RoomRecord? = nil) {
            self.room = room
            self.former = former
        }
    }

    /// The longest file in octets: the limits of two logs of commands, and JSON around them.
    static let lengthLimit = 32 << 20

    package let path: String

    package init(path: String) { self.path = path }

    /// `studio-room` in the directory of the store. Nil without a home.
    package init?() {
        guard let directory = StoreDirectory.standard else { return nil }
        self.init(path: "\(directory.path)/studio-room")
    }

    private var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

    /// What the file keeps; nil if there is none.
    func read(_ programs: [WorldProgramKind], _ scenes: [RoomScene]) throws(PhrasedError) -> Content? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .unreadable(path, Phrase(data: Self.reason))
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw .unreadable(path, Phrase("it is not a file of this user", "它不是此用户的文件"))
        }
        guard let data = try? file.read(upToCount: Self.lengthLimit + 1), data.count <= Self.lengthLimit else {
            throw .unreadable(path, Phrase("it has more than 32 MiB", "它超过 32 MiB"))
        }
        do {
            switch try JSONDecoder().decode(KeptVersion.self, from: data).version {
            case KeptRooms.version: return try KeptRooms.decode(data, programs)
            case CommandRooms.version: return try CommandRooms.decode(data, programs, scenes)
            default: throw PhrasedError.unreadable(path, Phrase("its version is not known", "版本未知"))
            }
        } catch {
            throw unreadable(error)
        }
    }

    /// The reason why the content of the file cannot be used, with the place where it then is.
    func unreadable(_ error: any Error) -> PhrasedError {
        guard let error = error as? PhrasedError else { return .unreadable(path, Phrase("it is damaged", "它已损坏")) }
        return error.code == PhrasedError.unreadableCode ? error : .unreadable(path, error.text)
    }

    /// Replaces the file.
    func write(_ content: Content) throws(PhrasedError) {
        let draft = "\(path).new"
        do {
            try? FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let data = try KeptRooms.encode(content)
            // `read` refuses a longer file; the old one stays.
            guard data.count <= Self.lengthLimit else { throw PhrasedError.unwritable(path, "more than 32 MiB") }
            unlink(draft)
            let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw PhrasedError.unwritable(path, Self.reason) }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try file.write(contentsOf: data)
            guard fsync(descriptor) == 0, rename(draft, path) == 0 else {
                throw PhrasedError.unwritable(path, Self.reason)
            }
        } catch {
            unlink(draft)
            throw error as? PhrasedError ?? .unwritable(path, Self.reason)
        }
    }

    /// Renames a file that cannot be read, so that the next write does not replace it.
    func setAside() { rename(path, "\(path).unreadable") }

    /// Takes the lock that lets one studio of the user keep its room; it ends with the process. Nil if another studio has it.
    func lock() -> FileHandle? {
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let descriptor = open("\(path).lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? file : nil
    }

    private static var reason: String { String(cString: strerror(errno)) }
}

extension PhrasedError {
    fileprivate static let unreadableCode = "room-unreadable"

    fileprivate static func unreadable(_ path: String, _ reason: Phrase) -> PhrasedError {
        PhrasedError(
            unreadableCode,
            Phrase(
                "The kept room \(path) cannot be read: \(reason). It is now \(path).unreadable.",
                "无法读取保存的房间 \(path)：\(reason)。它已改名为 \(path).unreadable。"))
    }

    fileprivate static func unwritable(_ path: String, _ reason: String) -> PhrasedError {
        PhrasedError(
            "room-unwritable",
            Phrase(
                "The room is not kept at the moment: \(path) cannot be written (\(reason)).",
                "房间目前没有保存：无法写入 \(path)（\(reason)）。"))
    }

    static let keptElsewhere = PhrasedError(
        "room-elsewhere",
        Phrase(
            "Another studio of this user keeps its room. This room ends with its command.",
            "此用户的另一个工作室正在保存房间。这个房间会随命令一起结束。"))
}
