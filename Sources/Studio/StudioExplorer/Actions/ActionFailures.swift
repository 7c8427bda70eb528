import Phrases

extension PhrasedError {
    static let actionArguments = PhrasedError(
        "arguments",
        Phrase("The action lacks an argument, or has one that is not valid.", "操作缺少参数，或有无效的参数。"))
}
