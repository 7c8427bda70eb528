import Phrases

extension PhrasedError {
    /// The log of the room's commands is full.
    static func logFull(_ limit: CommandLog.Limit, commandLimit: Int) -> PhrasedError {
        let kibibytes = CommandLog.textLimit >> 10
        return PhrasedError(
            "log-full",
            limit == .commands
                ? Phrase(
                    "The room keeps at most \(commandLimit) commands, so that it can go back in time.",
                    "房间最多保留 \(commandLimit) 条命令，以便回到过去。")
                : Phrase(
                    "The room keeps at most \(kibibytes) KiB of texts in its commands, so that it can go back in time.",
                    "房间最多保留命令中的 \(kibibytes) KiB 文本，以便回到过去。"),
            next: Phrase(
                "Go back in time and continue there, or begin the scene again.", "请回到过去并从那里继续，或重新开始这个场景。"))
    }
}
