import CoreBluetooth
import Phrases

// The "try it" cells: rooms with one setting that the reader changes.
extension Lesson {
    static let cells = [
        LessonScene(
            "try-filter", choices: [LessonScene.Choice("filter", ["FF00", "180F", "FFF0", "none"], isText: true)],
            sources: ["ScanningPhone.scan"]
        ) { parameters in
            let filter = parameters["filter"]?.string ?? "FF00"
            guard filter == "none" || CBUUID(validating: filter) != nil else {
                throw PhrasedError(
                    "uuid",
                    filter.isEmpty
                        ? Phrase(
                            "An empty text is not a UUID: it needs 4, 8 or 32 hexadecimal digits.",
                            "空文本不是 UUID：UUID 需要 4、8 或 32 位十六进制数字。")
                        : Phrase(
                            "\(filter.prefix(64)) is not a UUID: it needs 4, 8 or 32 hexadecimal digits.",
                            "\(filter.prefix(64)) 不是 UUID：UUID 需要 4、8 或 32 位十六进制数字。"),
                    next: Phrase("Enter a UUID such as FF00.", "请输入 FF00 这样的 UUID。"))
            }
            return WorldFile(devices: [
                WorldFile.Device(running: "scanning-phone", x: 0, y: 0, parameters: ["filter": .string(filter)]),
                WorldFile.Device(running: "gadget", x: 2, y: 0),
            ])
        },
        LessonScene(
            "try-properties",
            choices: [
                LessonScene.Choice(
                    "properties", ["read", "read write", "read write notify", "write", "notify"])
            ],
            sources: ["TryingPhone.try"]
        ) { parameters in
            WorldFile(devices: [
                WorldFile.Device(running: "trying-phone", x: 0, y: 0),
                WorldFile.Device(
                    running: "gadget", x: 2, y: 0, parameters: ["properties": parameters["properties"] ?? "read"]),
            ])
        },
        LessonScene(
            "try-mtu", choices: [LessonScene.Choice("mtu", [23, 64, 185, 517], limits: 23...517, isWhole: true)],
            sources: ["LengthPhone.length"]
        ) { parameters in
            WorldFile(devices: [
                WorldFile.Device(running: "length-phone", x: 0, y: 0),
                WorldFile.Device(
                    running: "gadget", x: 2, y: 0,
                    parameters: ["mtu": parameters["mtu"] ?? 23, "length": 150]),
            ])
        },
        LessonScene(
            "try-interval", choices: [LessonScene.Choice("latency", ["low", "medium", "high"])],
            sources: ["Gadget.latency"]
        ) { parameters in
            WorldFile(devices: [
                WorldFile.Device(running: "length-phone", x: 0, y: 0),
                WorldFile.Device(
                    running: "gadget", x: 2, y: 0,
                    parameters: ["latency": parameters["latency"] ?? "low", "length": 20]),
            ])
        },
        LessonScene(
            "try-drop",
            actions: [
                LessonScene.Action("wall", .wall(x1: 2, y1: -4, x2: 2, y2: 4, attenuation: 60)),
                LessonScene.Action("walk", .move(device: "d1", x: -1500, y: 0)),
                LessonScene.Action("back", .move(device: "d1", x: 0, y: 0)),
                LessonScene.Action("off", .power(device: "d2", isOn: false)),
                LessonScene.Action("on", .power(device: "d2", isOn: true)),
                LessonScene.Action("cancel", .press(device: "d1", button: "cancel")),
            ],
            sources: ["KeepingPhone.keep"]
        ) { _ in
            WorldFile(devices: [
                WorldFile.Device(running: "keeping-phone", x: 0, y: 0), WorldFile.Device(running: "gadget", x: 4, y: 0),
            ])
        },
    ]
}
