import BLEAdapter
import BLEAssignedNumbers
import BLEWire
import DeviceFiles
import Foundation
import Phrases
import StudioRoom
import StudioServer

/// The device maker: checks and writes profiles, and serves one on the machine's adapter.
///
/// A profile runs in the room as the program `profile`: the page adds the device with `room.add` and changes it with the action `apply`, so the
/// log of the room's commands repeats both.
///
/// Topic `maker`: `{"hasAdapter", "adapter": {"name", "bluetooth", "isAdvertising", "subscriptions", "events"} or null}`. Commands:
/// - `maker.check {"yaml"}`, `maker.write {"profile"}`, `maker.clone {"explorer", "peer"}` -> `MakerReport`
/// - `maker.advertisement {"advertising"}` -> `{"advertisement", "problems"}`
/// - `maker.library {}` -> the shipped profiles, and `maker.names {}` -> the names that the SIG assigned
/// - `maker.run {"yaml"}`, `maker.apply {"yaml"}`, `maker.stop {}`: on the machine's adapter
package enum MakerCommands {
    /// Registers the commands and the topic.
    ///
    /// - Parameters:
    ///   - hasAdapter: Whether the user selected a controller of the machine.
    ///   - bluetooth: The adapter to serve on; nil selects the one of the process.
    package static func register(
        on hub: StudioHub, hasAdapter: Bool, bluetooth: (any BluetoothAdapter)? = nil
    ) {
        let adapter = AdapterServer(on: bluetooth) { [weak hub] in hub?.touch("maker") }
        hub.addTopic("maker") {
            let state = MakerState(hasAdapter: hasAdapter, adapter: await adapter.state)
            return (try? JSONText(encoding: state)) ?? JSONText("null")
        }
        hub.on("maker.check") { (arguments: MakerTextArguments) in MakerReport(checking: arguments.yaml) }
        hub.on("maker.write") { (arguments: MakerTreeArguments) in MakerReport(writing: arguments.profile) }
        hub.on("maker.advertisement") { (arguments: MakerAdvertisementArguments) in
            MakerAdvertisementReply(arguments.advertising)
        }
        hub.on("maker.library") { (_: Nothing) in MakerLibraryReply() }
        hub.on("maker.names") { (_: Nothing) in MakerNamesReply() }
        hub.on("maker.clone") { [weak hub] (arguments: MakerCloneArguments) in
            try await MakerReport(cloning: arguments, from: hub)
        }
        hub.on("maker.run") { (arguments: MakerTextArguments) in
            guard hasAdapter else {
                throw PhrasedError(
                    "no-adapter", Phrase("The studio has no adapter.", "工作室没有适配器。"),
                    next: Phrase(
                        "Start it with bluelab studio --controller bluez.", "请用 bluelab studio --controller bluez 启动。"))
            }
            await adapter.serve(try profile(arguments.yaml))
            return Nothing()
        }
        hub.on("maker.apply") { (arguments: MakerTextArguments) in
            guard await adapter.apply(try profile(arguments.yaml)) else {
                throw PhrasedError(
                    "not-running", Phrase("No profile runs on the adapter.", "适配器上没有运行配置文件。"),
                    next: Phrase("Run it first.", "请先运行它。"))
            }
            return Nothing()
        }
        hub.on("maker.stop") { (_: Nothing) in
            await adapter.stop()
            return Nothing()
        }
    }

    private static func profile(_ text: String) throws -> DeviceProfile {
        guard text.utf8.count <= MakerReport.textLimit else {
            throw PhrasedError(
                "profile-too-long",
                Phrase(
                    "The profile has more than \(MakerReport.textLimit) octets.",
                    "配置文件超过 \(MakerReport.textLimit) 字节。"),
                next: Phrase("Remove a part of it.", "请删去一部分。"))
        }
        do throws(YAMLError) {
            return try DeviceProfile(text: text, file: "profile")
        } catch {
            throw PhrasedError(profile: error)
        }
    }
}

private struct MakerState: Encodable {
    let hasAdapter: Bool
    let adapter: AdapterServer.State?
}

private struct MakerTextArguments: Decodable, Sendable {
    let yaml: String
}

private struct MakerTreeArguments: Decodable, Sendable {
    let profile: ProfileTree
}

private struct MakerAdvertisementArguments: Decodable, Sendable {
    let advertising: ProfileTree
}

/// The octets of an advertisement whose profile may have errors elsewhere.
struct MakerAdvertisementReply: Encodable, Sendable {
    var advertisement: AdvertisementLayout?
    var problems: [MakerReport.Problem] = []

    init(_ tree: ProfileTree) {
        do throws(ProfileTreeError) {
            let profile = try DeviceProfile(tree: .mapping(["advertising": tree, "services": .list([])]))
            advertisement = AdvertisementLayout(profile.advertising)
        } catch {
            problems = error.list.map { .init(path: $0.path, text: ProfileProblems.phrase($0.message)) }
        }
    }
}

/// The shipped profiles.
private struct MakerLibraryReply: Encodable, Sendable {
    struct Entry: Encodable, Sendable {
        let name: String
        let summary: String?
        let yaml: String
    }

    let profiles = ShippedProfiles.all.map { name, text in
        Entry(name: name, summary: (try? DeviceProfile(text: text, file: name))?.summary, yaml: text)
    }
}

/// The names of the SIG with their UUIDs.
private struct MakerNamesReply: Encodable, Sendable {
    let services = entries(.services)
    let characteristics = entries(.characteristics)
    let descriptors = entries(.descriptors)

    private static func entries(_ table: AssignedNumbers.NameTable) -> [[String]] {
        AssignedNumbers.entries(of: table).map { [hexadecimal($0, digits: 4), $1] }
    }
}
