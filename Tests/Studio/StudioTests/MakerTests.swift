import BLESimulator
import BLEWire
import DeviceFiles
import Foundation
import Phrases
import StudioRoom
import Phrases
import TestConditions
import Testing

@testable import Studio
@testable import StudioServer

/// The device maker as a page uses it.
struct MakerTests {
    private struct Report: Decodable {
        struct Problem: Decodable {
            var line: Int?
            var column: Int?
            var path: [String]?
            var text: Phrase
        }

        struct Layout: Decodable {
            struct Part: Decodable { var octets: String }
            var data: Part
        }

        struct Service: Decodable {
            struct Characteristic: Decodable {
                var name: String?
                var permissions: [String]
                var kind: String
                var octets: String
                var text: String?
                var preview: [Double]?
            }

            var uuid: String
            var name: String?
            var characteristics: [Characteristic]
        }

        var yaml: String?
        var profile: ProfileTree?
        var problems: [Problem]
        var services: [Service]
        var advertisement: Layout?
        var refused: [String]?
    }

    private let hub: StudioHub = {
        let hub = StudioHub()
        MakerCommands.register(on: hub, hasAdapter: false)
        return hub
    }()

    private func answer(_ command: String, _ arguments: some Encodable, on hub: StudioHub? = nil) async throws -> Data {
        let body = try #require((hub ?? self.hub).command(command))
        return Data(try await body(Data(#"{"with":\#(try JSONText(encoding: arguments).text)}"#.utf8)).text.utf8)
    }

    private func report(_ command: String, _ arguments: some Encodable) async throws -> Report {
        try JSONDecoder().decode(Report.self, from: try await answer(command, arguments))
    }

    private func check(_ yaml: String) async throws -> Report { try await report("maker.check", ["yaml": yaml]) }

    private func write(_ tree: ProfileTree) async throws -> Report {
        try await report("maker.write", ["profile": tree])
    }

    // MARK: Texts and trees

    @Test(arguments: ShippedProfiles.all.map(\.name))
    func shippedProfilesKeepTheirContentFromTextToTreeToText(name: String) async throws {
        let text = try #require(ShippedProfiles.text(named: name))
        let original = try DeviceProfile(text: text, file: name)
        let checked = try await check(text)
        #expect(checked.problems.isEmpty)
        #expect(checked.services.count == original.services.count)
        let first = try #require(checked.profile)
        let written = try await write(first)
        #expect(written.problems.isEmpty)
        let yaml = try #require(written.yaml)
        #expect(try DeviceProfile(text: yaml, file: name) == original)
        // The second round changes nothing.
        #expect(written.profile == checked.profile)
        let tree = try #require(written.profile)
        #expect(try await write(tree).yaml == yaml)
    }

    @Test func everyKeyOfAProfileSurvivesTheTree() async throws {
        let text = """
            summary: "quotes \\" and \\u202e marks"
            advertising:
              name: "  spaces: #1  "
              services: [FFE0]
              manufacturer: {company: 0xFFFF, data: 01 02}
              service-data: [{service: 180D, data: ff}, {service: FFE0}]
            services:
              - {uuid: 180F, primary: false}
              - uuid: 6E400001-B5A3-F393-E0A9-E50E24DCCA9E
                includes: [Battery]
                characteristics:
                  - uuid: FFE1
                    properties: [read, write, write-without-response, notify, indicate, signed-write]
                    security: {read: encrypted, notify: encrypted}
                    format: i16be
                    value: {counter: {minimum: -5, maximum: 7.5, step: -0.5, every: 1500 us}, factor: 3, prefix: 00 01, suffix: ff}
                    notify: {every: 90 s}
                    read: {error: 0x81, delay: 20 ms}
                    write: {length: 2-4, minimum: -7, maximum: 1e3, allowed: [1, -2], error: out-of-range, then: [{characteristic: FFE2, echo: true}, {characteristic: FFE3, value: 4}, {characteristic: FFE3, factor: 2, offset: -1}]}
                    descriptors: [{uuid: 2901, value: Text}, {uuid: FFFF, format: u16, value: 3}]
                  - {uuid: FFE2, properties: [notify], value: {clock: date-time}}
                  - {uuid: FFE3, properties: [read], format: u8, value: {random-walk: {minimum: 0, maximum: 9, start: 3, step: 2, every: 1 min, seed: 9}}}
                  - {uuid: FFE4, properties: [read], format: utf8, value: {replay: {values: ["a, b", ""], every: 1 h, repeat: false}}}
                  - {uuid: FFE5, properties: [read], format: f64, value: {sine: {minimum: 0.1, maximum: 0.2, period: 3 s}}}
            """
        let original = try DeviceProfile(text: text, file: "p")
        let checked = try await check(text)
        let tree = try #require(checked.profile)
        let yaml = try #require(try await write(tree).yaml)
        #expect(try DeviceProfile(text: yaml, file: "p") == original)
        let first = checked.services[1].characteristics[0]
        #expect(first.permissions == ["readEncryptionRequired", "writeable"])
        #expect(
            checked.services[1].characteristics.map(\.kind) == ["counter", "clock", "random-walk", "replay", "sine"])
    }

    @Test func aReportDescribesTheProfile() async throws {
        let text = try #require(ShippedProfiles.text(named: "heart-rate"))
        let report = try await check(text)
        #expect(report.services.map(\.name) == ["Heart Rate", "Battery", "Device Information"])
        let measurement = report.services[0].characteristics[0]
        #expect(measurement.name == "Heart Rate Measurement")
        #expect(measurement.octets == "004a")
        #expect(measurement.text == "74 bpm")
        #expect(measurement.preview?.min() == 62)
        #expect(measurement.preview?.max() == 86)
        #expect(report.services[0].characteristics[1].text == "Chest")
        #expect(report.advertisement?.data.octets == "02010603030d180609" + "50756c7365")
    }

    @Test func problemsOfATextHaveTheirPlace() async throws {
        let report = try await check(
            "services:\n  - uuid: FFE0\n    characteristics:\n      - {uuid: FFE1, properties: [notfy]}\n      - {uuid: Hart Rate Measurement, properties: [read]}\n"
        )
        #expect(report.profile == nil)
        #expect(report.problems.map(\.line) == [4, 5])
        #expect(report.problems.map(\.column) == [35, 16])
        #expect(report.problems[0].text.description.contains("did you mean \"notify\""))
        #expect(try await check("a: [").problems.first?.line != nil)
        #expect(try await check(String(repeating: "#", count: MakerReport.textLimit + 1)).problems.count == 1)
    }

    @Test func problemsOfATreeHaveTheirPath() async throws {
        let tree: ProfileTree = .mapping([
            "advertising": .mapping(["name": .text("Box")]),
            "services": .list([
                .mapping([
                    "uuid": .text("FFE0"),
                    "characteristics": .list([
                        .mapping([
                            "uuid": .text("FFE1"), "properties": .list([.text("read")]), "format": .text("u8"),
                            "value": .text("300"), "colour": .text("red"),
                        ]),
                        .mapping(["properties": .list([])]),
                    ]),
                ])
            ]),
        ])
        let report = try await write(tree)
        #expect(report.yaml == nil)
        let first = ["services", "0", "characteristics", "0"]
        #expect(report.problems.contains { $0.path == first + ["value"] })
        #expect(report.problems.contains { $0.path == first + ["colour"] })
        #expect(report.problems.contains { $0.path == ["services", "0", "characteristics", "1"] })
        // The octets count while other fields have errors.
        #expect(report.advertisement?.data.octets == "0201060409426f78")
    }

    @Test func numbersAndBooleansAreTexts() async throws {
        let data = Data(
            #"{"with":{"profile":{"summary":null,"services":[{"uuid":"FFE0","primary":false,"characteristics":[{"uuid":"FFE1","properties":["read"],"format":"u8","value":7}]}]}}}"#
                .utf8)
        let body = try #require(hub.command("maker.write"))
        let report = try JSONDecoder().decode(Report.self, from: Data(try await body(data).text.utf8))
        #expect(report.problems.isEmpty)
        #expect(report.services[0].characteristics[0].octets == "07")
    }

    // MARK: Hostile input

    @Test func damagedTextsAndTreesAreAnswered() async throws {
        var random = Seeded(11)
        var valid = 0
        for round in 0..<160 {
            let (name, text) = ShippedProfiles.all[round % ShippedProfiles.all.count]
            var octets = Array(text.utf8)
            for _ in 0..<1 + round % 4 {
                let place = Int(random.next() % UInt64(octets.count))
                switch random.next() % 3 {
                case 0: octets[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: octets.remove(at: place)
                default: octets.insert(contentsOf: "[{:-9e999 &a *a".utf8.prefix(Int(random.next() % 15)), at: place)
                }
            }
            let report = try await check(String(decoding: octets, as: UTF8.self))
            guard let tree = report.profile else {
                #expect(!report.problems.isEmpty, "\(name)")
                continue
            }
            valid += 1
            let written = try await write(tree)
            #expect(written.profile == tree, "\(name)")
        }
        #expect(valid > 8)
    }

    @Test func deepAndLargeTreesAreRefused() async throws {
        let deep = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
        let body = try #require(hub.command("maker.write"))
        await #expect(throws: PhrasedError.self) {
            try await body(Data(#"{"with":{"profile":{"services":\#(deep)}}}"#.utf8))
        }
        let large = ProfileTree.mapping(["services": .list(Array(repeating: .text(""), count: 30_000))])
        #expect(try await write(large).problems.count == 1)
        let long = ProfileTree.mapping([
            "summary": .text(String(repeating: "\u{7}", count: 60_000)), "services": .list([]),
        ])
        #expect(try await write(long).problems.first?.path == [])
    }

    // MARK: Clones

    @Test func aCloneHasTheValuesThatTheExplorerHasRead() async throws {
        let link = #""link":"connected","isDiscovering":false,"isBonded":false,"isPairing":false,"moreAttributes":0"#
        let state = #""isNotifying":false,"isEncodable":false,"numbers":[],"count":0,"pending":0"#
        let source = #""text":"","time":0,"source":"read""#
        let devices = """
            [{"id":"A","name":"Scale",\(link),"services":[{"id":"1","uuid":"FFE0","isPrimary":true,"characteristics":[
            {"id":"2","uuid":"FFE1","properties":["read","write"],\(state),"value":{"octets":"0102",\(source)},
            "descriptors":[{"id":"3","uuid":"2901","pending":0,"value":{"octets":"4869",\(source)}}]},
            {"id":"4","uuid":"FFE2","properties":["read"],\(state),
            "error":{"text":"Encryption is insufficient.","needsSecurity":true},"descriptors":[]},
            {"id":"5","uuid":"FFE3","properties":["notify"],\(state),"descriptors":[]}]}]},
            {"id":"B",\(link),"services":[]}]
            """
        hub.addTopic("explorer.d1.devices") { JSONText(devices) }
        let arguments = [
            "explorer": "d1", "peer": "A", "data": "0201060302e0ff04ff341207", "scanResponse": "06095363616c65",
        ]
        let report = try await report("maker.clone", arguments)
        #expect(report.refused == ["FFE2"])
        let yaml = try #require(report.yaml)
        let profile = try DeviceProfile(text: yaml, file: "p")
        #expect(profile.advertising.localName == "Scale")
        #expect(profile.advertising.services == [BluetoothUUID(0xFFE0 as UInt16)])
        #expect(profile.advertising.manufacturerData == [0x34, 0x12, 0x07])
        let characteristics = profile.services[0].characteristics
        #expect(characteristics[0].value == .constant([1, 2]))
        #expect(characteristics[0].properties == [.read, .write])
        #expect(characteristics[0].descriptors.map(\.value) == [Array("Hi".utf8)])
        #expect(characteristics[1].security == .encryptedRead)
        #expect(yaml.contains("# The value could not be read: Encryption is insufficient."))
        for (explorer, peer) in [("d2", "A"), ("d1", "C"), ("d1", "B")] {
            await #expect(throws: PhrasedError.self) {
                try await self.report("maker.clone", ["explorer": explorer, "peer": peer])
            }
        }
    }

    // MARK: The adapter

    private struct MakerTopic: Decodable, Sendable {
        struct Adapter: Decodable, Sendable {
            struct Event: Decodable, Sendable { var text: Phrase }
            var name: String?
            var bluetooth: String
            var isAdvertising: Bool
            var events: [Event]
        }

        var hasAdapter: Bool
        var adapter: Adapter?
    }

    @Test func aProfileRunsOnTheAdapter() async throws {
        let world = World(seed: 1)
        let device = world.addDevice("Machine")
        let hub = StudioHub()
        MakerCommands.register(on: hub, hasAdapter: true, bluetooth: device.adapter)
        func topic() async throws -> MakerTopic { try #require(await hub.value(of: "maker", as: MakerTopic.self)) }
        func wait(until condition: (MakerTopic) -> Bool) async throws -> MakerTopic {
            for _ in 0..<200 {
                let state = try await topic()
                if condition(state) { return state }
                _ = await world.run(timeout: .milliseconds(50)) { false }
            }
            return try await topic()
        }
        #expect(try await topic().adapter == nil)
        await #expect(throws: PhrasedError.self) {
            try await self.answer("maker.apply", ["yaml": "services: []"], on: hub)
        }
        _ = try await answer("maker.run", ["yaml": "advertising: {name: One}\nservices: [{uuid: FFE0}]"], on: hub)
        let first = try await wait { $0.adapter?.isAdvertising == true }
        #expect(first.adapter?.name == "One")
        #expect(first.adapter?.bluetooth == "poweredOn")
        _ = try await answer("maker.apply", ["yaml": "advertising: {name: Two}\nservices: []"], on: hub)
        let second = try await wait {
            $0.adapter?.events.contains { $0.text.description == "The device advertises as Two." } ?? false
        }
        #expect(second.adapter?.name == "Two")
        // An adapter that is removed is a state, and not a failure.
        device.powerOff()
        let off = try await wait { $0.adapter?.bluetooth != "poweredOn" }
        #expect(off.adapter?.isAdvertising == false)
        _ = try await answer("maker.stop", Nothing(), on: hub)
        #expect(try await topic().adapter == nil)
    }

    @Test func withoutAControllerNothingRunsOnTheAdapter() async throws {
        await #expect(throws: PhrasedError.self) { try await self.answer("maker.run", ["yaml": "services: []"]) }
    }

    @Test func theLibraryAndTheNamesAreComplete() async throws {
        struct Library: Decodable {
            struct Entry: Decodable { var name: String }
            var profiles: [Entry]
        }
        struct Names: Decodable {
            var services: [[String]]
            var characteristics: [[String]]
            var descriptors: [[String]]
        }
        let library = try JSONDecoder().decode(Library.self, from: try await answer("maker.library", Nothing()))
        #expect(library.profiles.map(\.name) == ShippedProfiles.all.map(\.name))
        let names = try JSONDecoder().decode(Names.self, from: try await answer("maker.names", Nothing()))
        #expect(names.services.contains(["180D", "Heart Rate"]))
        #expect(names.characteristics.contains(["2A37", "Heart Rate Measurement"]))
        #expect(names.descriptors.contains(["2901", "Characteristic User Description"]))
    }
}
