import BLESimulator

// One scene for each of the practical questions of Documentation/Questions.md.
extension Lesson {
    static let questions = [
        LessonScene("q1", sources: ["HastyPhone.hasty", "ScanningPhone.scan"]) { _ in
            WorldFile(devices: [
                WorldFile.Device(running: "hasty-phone", x: 0, y: -1),
                WorldFile.Device(running: "scanning-phone", name: "Patient phone", x: 0, y: 1),
                WorldFile.Device(running: "gadget", x: 3, y: 0),
            ])
        },
        LessonScene(
            "q2", actions: [LessonScene.Action("rename", .press(device: "d2", button: "rename"))],
            sources: ["NamePhone.names", "Gadget.rename"]
        ) { _ in
            WorldFile(devices: [
                WorldFile.Device(running: "name-phone", x: 0, y: 0),
                WorldFile.Device(
                    running: "gadget", name: "Gadget 5F2A", x: 2, y: 0, parameters: ["advertised": "Gadget"]),
            ])
        },
        LessonScene(
            "q3",
            actions: [
                LessonScene.Action("cancel", .press(device: "d1", button: "cancel")),
                LessonScene.Action("connect", .press(device: "d1", button: "connect")),
                LessonScene.Action("off", .power(device: "d2", isOn: false)),
                LessonScene.Action("on", .power(device: "d2", isOn: true)),
            ],
            sources: ["KeepingPhone.keep"]
        ) { _ in pair("keeping-phone") },
        LessonScene(
            "q4",
            actions: [
                LessonScene.Action("hour", .pass(seconds: 3600)),
                LessonScene.Action("on", .power(device: "d2", isOn: true)),
            ],
            sources: ["ScanningPhone.scan"]
        ) { _ in
            WorldFile(devices: [
                WorldFile.Device(running: "scanning-phone", x: 0, y: 0),
                WorldFile.Device(running: "gadget", x: 2, y: 0, isOn: false),
            ])
        },
        LessonScene(
            "q5", choices: [LessonScene.Choice("exponent", [2.5, 2, 4], limits: 1...6)], sources: ["ScanningPhone.scan"]
        ) {
            parameters in
            let exponent = parameters["exponent"]?.clamped(to: 1...6) ?? 2.5
            return WorldFile(
                environment: RadioEnvironment(pathLossExponent: exponent),
                devices: [
                    WorldFile.Device(running: "scanning-phone", x: 0, y: 0),
                    WorldFile.Device(running: "gadget", name: "At 10 m", x: 10, y: 0),
                    WorldFile.Device(running: "gadget", name: "At 100 m", x: 100, y: 0),
                    WorldFile.Device(running: "gadget", name: "At 400 m", x: 400, y: 0),
                ])
        },
        LessonScene("q6", sources: ["TimingPhone.time"]) { _ in pair("timing-phone") },
        LessonScene("q7", sources: ["ManyPhone.many"]) { _ in
            var setup = WorldFile(devices: [WorldFile.Device(running: "many-phone", x: 0, y: 0)])
            for number in 0..<12 {
                let x = Double(number % 4) - 1.5
                let y = Double(number / 4) * 1.2 + 1
                setup.devices.append(WorldFile.Device(running: "gadget", name: "Gadget \(number + 1)", x: x, y: y))
            }
            return setup
        },
        LessonScene(
            "q8", choices: [LessonScene.Choice("loss", [0.2, 0, 0.5], limits: 0...0.9)],
            sources: ["CheckingGadget.check", "SendingPhone.send"]
        ) { parameters in
            WorldFile(
                environment: RadioEnvironment(packetLoss: parameters["loss"]?.clamped(to: 0...1) ?? 0.2),
                devices: [
                    WorldFile.Device(running: "sending-phone", x: 0, y: 0, parameters: ["checks": true]),
                    WorldFile.Device(running: "checking-gadget", x: 2, y: 0),
                ])
        },
        LessonScene(
            "q9",
            actions: [
                LessonScene.Action("cancel", .press(device: "d1", button: "cancel")),
                LessonScene.Action("scan", .press(device: "d1", button: "scan")),
                LessonScene.Action("connected", .press(device: "d1", button: "connected")),
                LessonScene.Action("known", .press(device: "d1", button: "known")),
            ],
            sources: ["ReturningPhone.return"]
        ) { _ in pair("returning-phone") },
        LessonScene("q10", sources: ["PairingPhone.pair"]) { _ in
            WorldFile(devices: [
                WorldFile.Device(running: "pairing-phone", x: 0, y: 0),
                WorldFile.Device(running: "gadget", x: 2, y: 0, parameters: ["isProtected": true]),
            ])
        },
        LessonScene("q11", sources: ["ScanningPhone.scan"]) { _ in
            WorldFile(devices: [
                WorldFile.Device(running: "scanning-phone", x: 0, y: 0),
                WorldFile.Device(running: "wristband", x: 2, y: 0),
                WorldFile.Device(running: "gadget", x: 1, y: 2),
                WorldFile.Device(running: "address-gadget", x: -1, y: 2),
            ])
        },
        LessonScene("q12", sources: ["AddressPhone.address", "AddressGadget.publish"]) { _ in
            WorldFile(devices: [
                WorldFile.Device(running: "address-phone", x: 0, y: 0),
                WorldFile.Device(running: "address-gadget", x: 2, y: 0),
            ])
        },
        LessonScene(
            "q13", actions: [LessonScene.Action("advertise", .press(device: "d1", button: "advertise"))],
            sources: ["ScanningPhone.scan", "TwoRolePhone.roles"]
        ) { _ in
            WorldFile(devices: [
                WorldFile.Device(running: "two-role-phone", name: "Phone 1", x: 0, y: 0),
                WorldFile.Device(running: "scanning-phone", name: "Phone 2", x: 2, y: 0),
            ])
        },
        LessonScene(
            "q14", choices: [LessonScene.Choice("way", ["pauses", "response", "flow", "careless"])],
            sources: ["SendingPhone.send"]
        ) { parameters in
            let way = parameters["way"] ?? "pauses"
            return WorldFile(devices: [
                WorldFile.Device(
                    running: "sending-phone", x: 0, y: 0,
                    parameters: ["way": way, "parts": way == "careless" ? 20_000 : 1200]),
                WorldFile.Device(running: "gadget", x: 2, y: 0, parameters: ["properties": "write commands"]),
            ])
        },
    ]

    /// A phone and a gadget, two metres apart.
    private static func pair(_ phone: String) -> WorldFile {
        WorldFile(devices: [
            WorldFile.Device(running: phone, x: 0, y: 0), WorldFile.Device(running: "gadget", x: 2, y: 0),
        ])
    }
}
