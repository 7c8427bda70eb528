import DeviceFiles
import Phrases

/// The programs that serve profiles.
package enum ProfilePrograms {
    /// `profile`, whose device is added with a YAML text, and `profile:NAME` for each shipped profile.
    package static let all: [RoomProgramKind] = [custom] + ShippedProfiles.all.map { shipped($0.name, $0.text) }

    private static let custom = RoomProgramKind("profile", kind: .sensor, defaultName: "Device") { context in
        guard let text = context.profile else {
            throw PhrasedError(
                "no-profile", Phrase("The program “profile” needs a profile.", "程序“profile”需要配置文件。"),
                next: Phrase("Write one in the maker.", "请在“制作”视图中编写一个。"))
        }
        return try ProfileProgram(context, profile: text)
    }

    private static func shipped(_ name: String, _ text: String) -> RoomProgramKind {
        let profile = try? DeviceProfile(text: text, file: name)
        return RoomProgramKind(
            "profile:\(name)", kind: kinds[name] ?? .sensor, defaultName: profile?.advertising.localName ?? name
        ) { try ProfileProgram($0, profile: $0.profile ?? text) }
    }

    private static let kinds: [String: RoomDevice.Kind] = [
        "heart-rate": .wearable, "pulse-band": .wearable, "ibeacon": .beacon, "battery": .other, "device01": .other,
        "mobike": .other, "streamer": .other, "uart": .other,
    ]
}
