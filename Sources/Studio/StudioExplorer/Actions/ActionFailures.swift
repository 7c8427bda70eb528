import StudioPhrases

extension StudioError {
    static let busyDevice = StudioError(
        "busy",
        Phrase(
            "\(ExploredDevice.pendingLimit) operations wait for the device.",
            "有 \(ExploredDevice.pendingLimit) 个操作正在等待设备。"),
        next: Phrase("Wait for its answers.", "请等待它的响应。"))
    static let actionArguments = StudioError(
        "arguments",
        Phrase("The action lacks an argument, or has one that is not valid.", "操作缺少参数，或有无效的参数。"))
}
