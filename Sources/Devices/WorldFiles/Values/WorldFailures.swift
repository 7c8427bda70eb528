import Phrases

extension PhrasedError {
    package static func unknownAction(_ action: String) -> PhrasedError {
        PhrasedError(
            "unknown-action",
            Phrase(
                "The program of this device has no action \(action.prefix(64)).",
                "此设备的程序没有操作 \(action.prefix(64))。"))
    }
}
