import BLEValues
import BLEWire
import DeviceFiles
import Foundation
import TestConditions
import Testing

private func problems(_ text: String) -> [String] {
    do {
        _ = try DeviceProfile(text: text, file: "p.yaml")
        return []
    } catch { return error.lines }
}

/// A profile with one characteristic that has these lines.
private func profile(_ lines: String) -> String {
    let indented = lines.split(separator: "\n").map { "        \($0)" }.joined(separator: "\n")
    return "services:\n  - uuid: FFE0\n    characteristics:\n      - uuid: FFE1\n\(indented)\n"
}

@Suite struct ProfileReaderTests {
    @Test func namesOfTheSIGAreUUIDs() throws {
        let profile = try DeviceProfile(
            text:
                "services:\n  - uuid: heart rate\n    characteristics:\n      - {uuid: Body Sensor Location, properties: read, value: '01'}\n",
            file: "p")
        #expect(profile.services[0].uuid.shortValue == 0x180D)
        #expect(profile.services[0].characteristics[0].uuid.shortValue == 0x2A38)
        #expect(profile.services[0].characteristics[0].value == .constant([1]))
        #expect(
            problems("services:\n  - uuid: Hart Rate\n") == [
                "p.yaml:2:11: expected a UUID such as 180D, or a name of the Bluetooth SIG, found \"Hart Rate\" (did you mean \"Heart Rate\"?)."
            ])
    }

    @Test func allErrorsComeAtOnce() {
        let text = """
            advertising: {nam: x}
            services:
              - uuid: 1800
              - uuid: FFE0
                characteristics:
                  - uuid: FFE1
                    properties: [read, notfy]
                    value: 3
                  - properties: [read]
                    notify: {every: 1 s}
            """
        #expect(
            problems(text) == [
                "p.yaml:1:15: expected one of the keys name, services, manufacturer, service-data and extended, found \"nam\" (did you mean \"name\"?).",
                "p.yaml:3:11: expected a service of the device, found 1800, which the host defines.",
                "p.yaml:7:28: expected read, write-without-response, write, notify, indicate or signed-write, found \"notfy\" (did you mean \"notify\"?).",
                "p.yaml:8:16: expected a value in the format hex, found \"3\": \"3\" is not hexadecimal: expected pairs of digits, such as \"01 ff\" or 01ff.",
                "p.yaml:9:9: expected the key \"uuid\" in a characteristic, found none.",
                "p.yaml:10:17: expected the property notify or indicate for notifications, found none.",
            ])
    }

    @Test(arguments: [
        ("properties: [read]\nvalue: {sine: {minimum: 0, maximum: 1, period: 1 s}}", "expected a format with numbers"),
        (
            "properties: [read]\nformat: u8\nvalue: {sine: {minimum: 0, maximum: 300, period: 1 s}}",
            "expected bounds that fit u8, found 300.0"
        ),
        (
            "properties: [read]\nformat: u8\nvalue: {counter: {minimum: 5, maximum: 5}}",
            "expected a minimum below the maximum"
        ),
        (
            "properties: [read]\nformat: u8\nvalue: {counter: {minimum: 0, maximum: 5, step: 0}}",
            "expected a step other than 0"
        ),
        ("properties: [read]\nformat: u8\nvalue: {sine: {}, counter: {}}", "expected one of the sources"),
        ("properties: [read]\nvalue: {clock: noon}", "expected current-time, date-time or unix"),
        ("properties: [read]\nvalue: {replay: {values: []}}", "expected at least one value, found none"),
        ("properties: [read]\nvalue: {replay: {file: x.csv}}", "a profile without a folder has no files"),
        ("properties: [read]\nwrite: {length: 2}", "expected the property write or write-without-response"),
        ("properties: [write]\nread: {error: 0x80}", "expected the property read"),
        ("properties: [write]\nwrite: {length: 513}", "expected a number of octets up to 512"),
        ("properties: [write]\nwrite: {minimum: 1}", "expected a format with numbers"),
        ("properties: [write]\nwrite: {error: 0}", "expected an ATT error"),
        ("properties: [write]\nwrite: {error: out-of-rnge}", "(did you mean \"out-of-range\"?)"),
        (
            "properties: [write]\nwrite: {then: [{characteristic: FFE9, echo: true}]}",
            "expected a characteristic of this profile"
        ),
        (
            "properties: [write]\nwrite: {then: [{characteristic: FFE1, echo: true}]}",
            "with the property notify or indicate"
        ),
        ("properties: [write]\nwrite: {then: [{characteristic: FFE1}]}", "expected exactly one of"),
        ("properties: [read]\ndescriptors: [{uuid: 2902}]", "found 2902, which the host defines"),
        ("properties: [read]\nsecurity: strong", "expected none or encrypted"),
        ("properties: [read]\nvalue: {sine: {minimum: 0, maximum: 1, period: 1 s}, prefix: zz}", "expected octets"),
    ])
    func mistakesAreExplained(_ lines: String, _ expected: String) {
        #expect(problems(profile(lines)).contains { $0.contains(expected) }, "\(problems(profile(lines)))")
    }

    @Test func adoptedValuesAreText() throws {
        func first(_ lines: String) throws -> CharacteristicProfile {
            let text = "services:\n  - {uuid: FFE0, characteristics: [{\(lines)}]}\n"
            return try DeviceProfile(text: text, file: "p").services[0].characteristics[0]
        }
        let chest = try first(
            "uuid: 2A38, properties: [read, write], format: adopted, value: Chest, write: {allowed: [Chest, Wrist]}")
        #expect(chest.value == .constant([1]) && chest.write.allowed == [[1], [2]])
        #expect(
            try first("uuid: 2A6E, properties: [read], format: adopted, value: 21.5").value == .constant([0x66, 0x08]))
        #expect(
            problems(
                "services:\n  - {uuid: FFE0, characteristics: [{uuid: FFE1, properties: [read], format: adopted}]}\n")
                == [
                    "p.yaml:2:77: expected a format for FFE1, which has no adopted format that text can express."
                ])
    }

    /// Damaged profiles give errors or other profiles, and never end the program.
    @Test func damagedProfilesNeverTrap() {
        var state: UInt64 = 11
        func next(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(limit))
        }
        let pieces = [
            "-1", "1e999", "nan", "0", "99999999999999999999", "null", "{}", "[]", "\"", "&a ", "*a", "? ", ": ", "\n",
            "  ", "\u{1F600}",
            "-9223372036854775808", "0x", "1 us", "minimum", "then: [{characteristic: FFE1, echo: true}]", "\t",
            "!!binary ", "| ",
        ]
        var refused = 0
        for round in 0..<1500 {
            var text = Array(ShippedProfiles.all[round % ShippedProfiles.all.count].text.unicodeScalars)
            for _ in 0...next(3) {
                let start = next(text.count)
                text.replaceSubrange(
                    start..<min(text.count, start + next(12)), with: Array(pieces[next(pieces.count)].unicodeScalars))
            }
            var view = String.UnicodeScalarView()
            view.append(contentsOf: text)
            do {
                let profile = try DeviceProfile(text: String(view), file: "p")
                var state = ProfileState(profile)
                for index in profile.characteristics {
                    _ = state.value(of: index, at: ProfileTime(elapsed: .seconds(3601), localSeconds: 1e9))
                    _ = state.write([(index, 0, [UInt8(round & 0xFF)])])
                }
                #expect(throws: Never.self) { try DeviceProfile(text: profile.yaml(), file: "again") }
            } catch { refused += 1 }
        }
        #expect((300..<1500).contains(refused))
    }

    @Test func includedServicesComeFirst() throws {
        let text = "services:\n  - {uuid: 180F, primary: false}\n  - {uuid: FFE0, includes: [Battery]}\n"
        let profile = try DeviceProfile(text: text, file: "p")
        #expect(profile.services[1].includes == [0])
        #expect(!profile.services[0].isPrimary)
        #expect(
            problems("services:\n  - {uuid: FFE0, includes: [180F]}\n  - {uuid: 180F}\n") == [
                "p.yaml:2:29: expected a service that is listed before the service that includes it, found \"180F\"."
            ])
    }

    @Test func aColumnOfACSVFileIsReplayed() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "profiles-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "p.yaml").path
        let replay = "properties: [read]\nformat: u8\nvalue: {replay: {file: pulse.csv, column: bpm, every: 1 s}}"
        try profile(replay).write(toFile: path, atomically: true, encoding: .utf8)
        let table = folder.appending(path: "pulse.csv").path
        try "time,bpm\n0,70\n1,71\n2,\n3,\"72\"\n".write(toFile: table, atomically: true, encoding: .utf8)
        let source = try DeviceProfile.read(path: path)
        #expect(source.files == [path, table])
        var state = ProfileState(source.profile)
        let index = CharacteristicIndex(service: 0, characteristic: 0)
        let values = (0..<4).map { state.value(of: index, at: ProfileTime(elapsed: .seconds($0), localSeconds: 0)) }
        #expect(values == [[70], [71], [72], [70]])

        try "time,bpm\n0,70\n1,fast\n".write(toFile: table, atomically: true, encoding: .utf8)
        do {
            _ = try DeviceProfile.read(path: path)
            Issue.record("no error")
        } catch { #expect(error.lines.first?.hasPrefix("\(table):3:1: expected a value in the format u8") == true) }
    }

    @Test(arguments: [
        ("/etc/hostname", "1", "expected a file in the folder of the profile, found /etc/hostname."),
        ("../p.csv", "1", "expected a file in the folder of the profile, found ../p.csv."),
        ("p.yaml", "-9223372036854775808", "expected the column -9223372036854775808"),
    ])
    func aTableIsAColumnOfAFileInTheFolder(file: String, column: String, problem: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "profiles-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "p.yaml").path
        try profile("properties: [read]\nformat: u8\nvalue: {replay: {file: \(file), column: \(column)}}")
            .write(toFile: path, atomically: true, encoding: .utf8)
        do {
            _ = try DeviceProfile.read(path: path)
            Issue.record("no error")
        } catch { #expect(error.lines.contains { $0.contains(problem) }, "\(error.lines)") }
    }

    @Test func shippedProfilesAreValidAndCompiledFromTheirFiles() throws {
        let folder = projectRoot.appending(path: "Profiles")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }
        #expect(files.sorted() == ShippedProfiles.all.map { "\($0.name).yaml" })
        for (name, text) in ShippedProfiles.all {
            let profile = try DeviceProfile(text: text, file: name)
            #expect(profile.summary != nil && !profile.services.isEmpty, "\(name)")
            #expect(try String(contentsOf: folder.appending(path: "\(name).yaml"), encoding: .utf8) == text, "\(name)")
        }
    }

    @Test func theExamplesOfTheDocumentationAreValid() throws {
        let page = projectRoot.appending(path: "Documentation/Profiles.md")
        let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```yaml\n")
            .dropFirst()
        #expect(blocks.count == 5)
        for block in blocks {
            let text = try #require(block.components(separatedBy: "```").first)
            let profile = try DeviceProfile(text: text, file: "Profiles.md")
            #expect(try DeviceProfile(text: profile.yaml(), file: "again") == profile)
        }
    }

    @Test func aWrittenProfileIsEqualWhenItIsReadAgain() throws {
        for (name, text) in ShippedProfiles.all {
            let profile = try DeviceProfile(text: text, file: name)
            #expect(
                try DeviceProfile(text: profile.yaml(heading: ["A copy"]), file: "\(name) again") == profile, "\(name)")
        }
    }

    @Test func aWrittenProfileKeepsAllRules() throws {
        let text = """
            summary: "quotes \\" and \\\\, a line\\nand \\u202E"
            advertising:
              name: "# x: y"
              services: [180F]
              manufacturer: {company: 76, data: 02 15}
              service-data: [{service: FEAA, data: "10"}]
              extended: {primary: coded, secondary: 2M}
            services:
              - uuid: 180F
                primary: false
              - uuid: FFE0
                includes: [180F]
                characteristics:
                  - uuid: FFE1
                    properties: [read, write, notify, indicate, signed-write, write-without-response]
                    security: {read: encrypted, notify: encrypted}
                    format: i16be
                    value: -5
                    notify: {every: 250 ms}
                    read: {error: 0x81, delay: 20 ms}
                    write:
                      length: 2
                      minimum: -10
                      allowed: [1, -2]
                      error: unlikely-error
                      then:
                        - {characteristic: FFE1, value: 7}
                        - {characteristic: FFE0/FFE1, factor: 2.5, offset: -1}
                        - {characteristic: FFE1, echo: true}
                    descriptors:
                      - {uuid: 2901, value: "yes"}
                      - {uuid: 2904, value: 04 00 AD 27 01 00 00}
                  - {uuid: FFE2, properties: [read], value: {clock: current-time}}
                  - {uuid: FFE3, properties: [read], format: utf8, value: {replay: {values: [a, "b: c"], every: 2 min, repeat: false}}}
                  - {uuid: FFE4, properties: [read], format: base64, value: AQI=}
            """
        let profile = try DeviceProfile(text: text, file: "p")
        let copy = profile.yaml()
        #expect(try DeviceProfile(text: copy, file: "copy") == profile, "\(copy)")
        #expect(profile.services[1].characteristics[0].write.effects.count == 3)
    }

    @Test func aCommentOfACharacteristicStaysAComment() throws {
        var profile = DeviceProfile(services: [ServiceProfile(uuid: BluetoothUUID(UInt16(0xFFE0)))])
        profile.services[0].characteristics = [
            CharacteristicProfile(uuid: BluetoothUUID(UInt16(0xFFE1)), properties: .read, comment: "not read:\nrefused")
        ]
        let text = profile.yaml()
        #expect(text.contains("        # not read:\n        # refused\n"))
        profile.services[0].characteristics[0].comment = nil
        #expect(try DeviceProfile(text: text, file: "p") == profile)
    }
}
