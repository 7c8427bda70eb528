import Phrases
import StudioRoom

/// Checks of the arguments of commands. A run keeps the arguments of its commands, so all of them have bounds.
enum StudioArguments {
    /// The most text in the arguments of an action and in parameters, in octets: a profile and its other members.
    static let valueLimit = ProfileProgram.textLimit + 4096
    /// The longest name of an action in octets.
    static let actionLimit = 64
    /// The longest device name in octets of UTF-8 (Vol 3, Part C, 12.1).
    static let nameLimit = 248

    static func failure(_ subject: Phrase, _ range: Phrase) -> PhrasedError {
        PhrasedError(
            "arguments", Phrase("\(subject) is not possible.", "\(subject)不可用。"),
            next: Phrase("Use \(range).", "请使用\(range)。"))
    }

    static func checked(
        _ value: Double, _ range: ClosedRange<Double>, _ subject: Phrase, _ text: Phrase
    ) throws -> Double {
        guard value.isFinite, range.contains(value) else { throw failure(subject, text) }
        return value
    }

    static func coordinate(_ value: Double) throws -> Double {
        try checked(
            value, -10_000...10_000, Phrase("The position", "这个位置"),
            Phrase("coordinates from -10000 to 10000 m", " -10000 至 10000 m 的坐标"))
    }

    /// A share with the precision of a world file, so that a saved room repeats the run.
    static func share(_ value: Double, _ subject: Phrase) throws -> Double {
        WorldFile.share(try checked(value, 0...1, subject, Phrase("a share from 0 to 1", " 0 至 1 的比例")))
    }

    static func name(_ name: String) throws -> String {
        guard !name.isEmpty, name.utf8.count <= nameLimit, !name.utf8.contains(0) else {
            throw failure(
                Phrase("The name", "这个名称"),
                Phrase("1 to \(nameLimit) octets of UTF-8, without NUL", " 1 至 \(nameLimit) 字节的 UTF-8，不含 NUL"))
        }
        return name
    }

    static func bounded(_ value: RoomValue, _ subject: Phrase) throws -> RoomValue {
        guard value.textCount <= valueLimit else { throw failure(subject, .atMost(kibibytes: valueLimit / 1024)) }
        guard value.isWritable else {
            throw failure(
                subject,
                Phrase("at most 24 levels, keys of at most 100 octets, and no NUL", "最多 24 层、键最多 100 字节、不含 NUL 的值"))
        }
        return value
    }

    static func action(_ name: String) throws -> String {
        guard name.utf8.count <= actionLimit, !name.utf8.contains(0) else {
            throw failure(
                Phrase("The action", "这个操作"), Phrase("at most \(actionLimit) octets", "最多 \(actionLimit) 字节的名称"))
        }
        return name
    }

    static func check(profile: String) throws {
        guard profile.utf8.count <= ProfileProgram.textLimit else {
            throw failure(Phrase("The profile", "这个配置文件"), .atMost(kibibytes: ProfileProgram.textLimit / 1024))
        }
        guard !profile.utf8.contains(0) else {
            throw failure(Phrase("The profile", "这个配置文件"), Phrase("a text without NUL", "不含 NUL 的文本"))
        }
    }
}

extension Phrase {
    static func atMost(kibibytes limit: Int) -> Phrase { Phrase("at most \(limit) KiB", "最多 \(limit) KiB") }
}
