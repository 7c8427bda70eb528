import Phrases

/// The failures that several parts of the room have.
extension PhrasedError {
    package static let ended = PhrasedError(
        "ended", Phrase("The room has ended.", "房间已结束。"), next: Phrase("Start the studio again.", "请重新启动工作室。"))
}
