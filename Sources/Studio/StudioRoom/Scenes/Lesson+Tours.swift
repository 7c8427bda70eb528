extension Lesson {
    static let tours = [
        LessonScene("tour-central", sources: ["WalkthroughCentral"]) { _ in tour(hasBurst: false) },
        LessonScene("tour-peripheral", sources: ["WristbandPeripheral"]) { _ in tour(hasBurst: true) },
    ]

    private static func tour(hasBurst: Bool) -> WorldFile {
        WorldFile(devices: [
            WorldFile.Device(running: "walkthrough", x: 0, y: 0, parameters: ["goal": 10_000, "notifications": 12]),
            WorldFile.Device(running: "wristband", x: 2, y: 0, parameters: ["burst": .bool(hasBurst)]),
        ])
    }
}
