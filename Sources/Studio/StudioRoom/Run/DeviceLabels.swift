import Phrases

/// The names of devices that are labels of the room. A name that a device advertises is data, and has no label.
enum DeviceLabels {
    private static let labels: [Phrase] = [
        Phrase("Phone", "手机"), Phrase("Patient phone", "耐心的手机"), Phrase("Hasty phone", "心急的手机"),
        Phrase("Phone 1", "手机 1"), Phrase("Phone 2", "手机 2"), Phrase("Beacon", "信标"), Phrase("Device", "设备"),
        Phrase("Explorer", "探索器"), Phrase("At 10 m", "10 m 处"), Phrase("At 100 m", "100 m 处"),
        Phrase("At 400 m", "400 m 处"),
    ]

    static func label(of name: String, _ program: WorldProgramKind?) -> Phrase? {
        // The program advertises the name of its device.
        program?.id == WorldProgramKind.advertiser.id ? nil : labels.first { $0.description == name }
    }
}
