import DeviceFiles
import Phrases

/// The programs that serve profiles.
package enum ProfilePrograms {
    /// `profile`, whose device is added with a YAML text, and `profile:NAME` for each shipped profile.
    package static let all: [WorldProgramKind] = [custom] + ShippedProfiles.all.map { shipped($0.name, $0.text) }

    private static let custom = WorldProgramKind("profile", kind: .sensor, defaultName: "Device") { context in
        guard let text = context.profile else {
            throw PhrasedError(
                "no-profile", Phrase("The program “profile” needs a profile.", "程序“profile”需要配置文件。"),
                next: Phrase("Write one in the maker.", "请在“制作”视图中编写一个。"))
        }
        return try ProfileProgram(context, profile: text)
    }

    private static func shipped(_ name: String, _ text: String) -> WorldProgramKind {
        let profile = try? DeviceProfile(text: text, file: name)
        return WorldProgramKind(
            "profile:\(name)", kind: kinds[name] ?? .sensor, defaultName: profile?.advertising.localName ?? name
        ) { try ProfileProgram($0, profile: $0.profile ?? text) }
    }

    private static let kinds: [String: WorldDeviceKind] = [
        "heart-rate": .wearable, "pulse-band": .wearable, "ibeacon": .beacon, "battery": .other, "device01": .other,
        "mobike": .other, "streamer": .other, "uart": .other,
    ]
}
