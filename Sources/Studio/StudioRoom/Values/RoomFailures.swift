import Phrases

/// The failures that several parts of the room have.
extension PhrasedError {
    package static let ended = PhrasedError(
        "ended", Phrase("The room has ended.", "房间已结束。"), next: Phrase("Start the studio again.", "请重新启动工作室。"))

    static func unknownDevice(_ identifier: String) -> PhrasedError {
        PhrasedError(
            "unknown-device",
            Phrase("The room has no device \(identifier.prefix(64)).", "房间里没有设备 \(identifier.prefix(64))。"),
            next: Phrase("Select another device.", "请选择另一台设备。"))
    }

    static let tooMuchText = PhrasedError(
        "room-full",
        Phrase("The profiles and parameters of this world have more than 4 MiB.", "这个世界的配置文件和参数超过 4 MiB。"),
        next: Phrase("Use bluelab test or bluelab radio for it.", "请用 bluelab test 或 bluelab radio 运行它。"))

    static func tooManyDevices(_ count: Int) -> PhrasedError {
        PhrasedError(
            "room-full",
            Phrase(
                "A room has at most \(RoomRun.deviceLimit) devices, and this world has \(count).",
                "房间最多有 \(RoomRun.deviceLimit) 台设备，而这个世界有 \(count) 台。"),
            next: Phrase("Use bluelab test or bluelab radio for it.", "请用 bluelab test 或 bluelab radio 运行它。"))
    }

    static let fullOfDevices = PhrasedError(
        "room-full",
        Phrase("The room has \(RoomRun.deviceLimit) devices already.", "房间里已有 \(RoomRun.deviceLimit) 台设备。"),
        next: Phrase("Remove a device first.", "请先移除一台设备。"))

    static let fullOfWalls = PhrasedError(
        "room-full",
        Phrase("The room has \(RoomRun.wallLimit) walls already.", "房间里已有 \(RoomRun.wallLimit) 堵墙。"),
        next: Phrase("Remove a wall first.", "请先拆除一堵墙。"))
}
