import Phrases

/// The failures of the hub itself.
extension PhrasedError {
    static func unknownCommand(_ name: String) -> PhrasedError {
        PhrasedError(
            "unknown-command",
            Phrase("The studio has no command \(name.prefix(64)).", "工作室没有命令 \(name.prefix(64))。"),
            next: Phrase("Load the page again.", "请重新载入页面。"))
    }

    /// The failure for an error that is not a `PhrasedError`.
    static func unexpected(_ error: any Error, in name: String) -> PhrasedError {
        let reason = String(describing: error)
        return PhrasedError("failed", Phrase("\(name) failed: \(reason)", "\(name) 失败：\(reason)"))
    }
}
