import Foundation
import TestConditions
import Testing

@testable import WorldFiles

/// Each mistake is one sentence with its place.
struct BadInputTests {
    private func lines(_ text: String) -> [String] {
        do {
            _ = try WorldFile(text: text, file: "w")
            return []
        } catch {
            return error.lines
        }
    }

    private static let mistakes: [(text: String, sentence: String)] = [
        ("", "w:1:1: expected a mapping, found an empty file."),
        ("devices: []", "w:1:1: expected the key \"world\" in a world, found none."),
        ("world: 2", "w:1:8: expected the version 1 of the format, found \"2\"."),
        ("world: 1\ndevice: []", "expected one of the keys"),
        ("world: 1\ndevice: []", "found \"device\" (did you mean \"devices\"?)."),
        ("world: 1\nseed: -1", "w:2:7: expected a seed from 0 to 18446744073709551615, found \"-1\"."),
        (
            "world: 1\nwalls: [{id: a, from: [0, 0], to: [1, 1], loss: 12 dBm}]",
            "w:2:49: expected a value from 0 dB to 200 dB, found \"12 dBm\"."
        ),
        (
            "world: 1\nwalls: [{id: a, from: [0, 0], to: [1, 1], loss: 12}]",
            "expected a value from 0 dB to 200 dB, found \"12\"."
        ),
        (
            "world: 1\nwalls: [{id: a, from: [0, 0], to: [1, 1], loss: nan dB}]",
            "expected a value from 0 dB to 200 dB, found \"nan dB\"."
        ),
        (
            "world: 1\ndevices: [{id: a, clock: 501 ppm}]",
            "w:2:26: expected a value from -500 ppm to 500 ppm, found \"501 ppm\"."
        ),
        ("world: 1\ndevices: [{id: a, clock: 200}]", "expected a value from -500 ppm to 500 ppm, found \"200\"."),
        ("world: 1\ndevices: [{id: a, clock: 1.5 ppm}]", "expected a whole number of ppm, found \"1.5 ppm\"."),
        ("world: 1\nenvironment: {packet-loss: 0.5}", "w:2:28: expected a value from 0 % to 100 %, found \"0.5\"."),
        (
            "world: 1\ndevices: [{id: a, at: [1, 2 m]}]",
            "w:2:27: expected a number of metres from -100000.0 to 100000.0, found \"2 m\"."
        ),
        (
            "world: 1\ndevices: [{id: a, platform: iphon}]",
            "w:2:29: expected bluez, bluez-eatt, galaxy, iphone, iphone-ios-11, pixel, windows or xiaomi, found \"iphon\" (did you mean \"iphone\"?)."
        ),
        (
            "world: 1\ndevices: [{id: a, beacon: {name: A}, platform: iphone}]",
            "w:2:48: expected no platform: this device has no host, found one."
        ),
        (
            "world: 1\ndevices: [{id: a, program: beacon, platform: iphone}]",
            "expected no platform: this device has no host, found one."
        ),
        ("world: 1\ndevices: [{id: a, at: [.inf, 2]}]", "found \".inf\"."),
        ("world: 1\ndevices: [{id: a, at: [inf, 2]}]", "found \"inf\"."),
        ("world: 1\ndevices: [{id: a, at: [nan, 2]}]", "found \"nan\"."),
        (
            "world: 1\ndevices: [{id: a, at: [1]}]",
            "expected a position in metres such as [1.5, 2] or [1.5, 2, 0.8], found a list."
        ),
        (
            "world: 1\ndevices: [{id: a b}]",
            "expected an id of at most 64 letters, digits, -, _ and . that begins with a letter or a digit, found \"a b\"."
        ),
        (
            "world: 1\ndevices: [{id: a}, {id: a}]",
            "w:2:20: expected an id that no other device has, found \"a\" again."
        ),
        (
            "world: 1\nwalls: [{id: a, from: [0, 0], to: [1, 1], loss: 1 dB}, {id: a, from: [0, 0], to: [1, 1], loss: 1 dB}]",
            "expected an id that no other wall has, found \"a\" again."
        ),
        ("world: 1\ndevices: [{id: a, program: wristbnd}]", "found \"wristbnd\" (did you mean \"wristband\"?)."),
        (
            "world: 1\ndevices: [{id: a, program: wristband, profile: battery}]",
            "expected one of program, profile, script, scripts and beacon, found program and profile."
        ),
        (
            "world: 1\ndevices: [{id: a, parameters: {}}]",
            "expected the key \"program\" beside \"parameters\", found none."
        ),
        (
            "world: 1\ndevices: [{id: a, program: beacon, parameters: {uuid: x}}]",
            "w:2:48: expected parameters of beacon: x is not a UUID"
        ),
        (
            "world: 1\ndevices: [{id: a, profile: hart-rate}]",
            "expected a path with the suffix .yaml, or a shipped profile (did you mean \"heart-rate\"?), found \"hart-rate\"."
        ),
        (
            "world: 1\ndevices: [{id: a, profile: {services: [{uuid: XYZ}]}}]",
            "w:2:47: expected a UUID such as 180D, or a name of the Bluetooth SIG, found \"XYZ\"."
        ),
        (
            "world: 1\ndevices: [{id: a, script: [{conect: Lamp}]}]",
            "expected an action, found \"conect\" (did you mean \"connect\"?)."
        ),
        (
            "world: 1\ndevices: [{id: a, profile: a/b.yaml}]",
            "expected a profile, found the path of a file: this world has no folder."
        ),
        (
            "world: 1\ndevices: [{id: a, grid: {columns: 2, spacing: 1}}]",
            "expected the key \"count\" beside \"grid\", found none."
        ),
        ("world: 1\ndevices: [{id: a, count: 10001}]", "w:2:11: expected at most 10000 devices, found 10001."),
        (
            "world: 1\ndevices: [{id: a, count: 6000}, {id: b, count: 6000}]",
            "expected at most 10000 devices, found 12000."
        ),
        ("world: 1\ndevices: [{id: a, count: 0}]", "expected a number of devices from 1 to"),
        (
            "world: 1\ndevices: [{id: a, beacon: {name: 1234567890123456789012345678901}}]",
            "expected at most 31 octets of advertising data, found 33."
        ),
        (
            "world: 1\ndevices: [{id: a, beacon: {interval: 1 ms}}]",
            "expected a duration from 20 ms to 10240 ms, found \"1 ms\"."
        ),
        (
            "world: 1\ndevices: [{id: a, beacon: {response: {name: A}}}]",
            "expected the type connectable or scannable beside \"response\", found nonconnectable."
        ),
        (
            "world: 1\ndevices: [{id: a, beacon: {name: A, extended: {primary: 2M}}}]",
            "expected 1M or coded, found \"2M\""
        ),
        (
            "world: 1\ndevices: [{id: a, beacon: {name: A, extended: {set: 16}}}]", "found \"16\"."
        ),
        (
            "world: 1\ndevices: [{id: a, beacon: {type: connectable, extended: {anonymous: true}}}]",
            "w:2:27: Only a non-connectable event can be anonymous."
        ),
        (
            "world: 1\ndevices: [{id: a, beacon: {type: scannable, name: A, extended: {}}}]",
            "w:2:27: The advertising data has 3 octets and the scan response 0: such an extended event has at most 0 and 1650."
        ),
        (
            "world: 1\ndevices: [{id: a, beacon: {data: \"\(String(repeating: "0", count: 3302))\", extended: {}}}]",
            "1650"
        ),
        (
            "world: 1\ndevices: [{id: a, beacon: {name: \(String(repeating: "n", count: 255)), extended: {}}}]",
            "expected at most 254 octets in a structure, found 255."
        ),
        (
            "world: 1\ndevices: [{id: a, beacon: {services: [\((0..<128).map { _ in "180D" }.joined(separator: ", "))], extended: {}}}]",
            "expected at most 254 octets in a structure, found 256."
        ),
        ("world: 1\nevents: [{at: 1 s, power: a, on: true}]", "w:2:27: expected a device of this world, found \"a\"."),
        (
            "world: 1\ndevices: [{id: phone}]\nevents: [{at: 1 s, power: phon, on: true}]",
            "expected a device of this world (did you mean \"phone\"?), found \"phon\"."
        ),
        (
            "world: 1\ndevices: [{id: a}]\nevents: [{at: 1 s, remove: a}, {at: 2 s, power: a, on: true}]",
            "expected a device that exists at this time, found \"a\"."
        ),
        (
            "world: 1\ndevices: [{id: a}]\nevents: [{at: -1 s, power: a, on: true}]",
            "expected a duration such as \"100 ms\", \"1.5 s\" or \"2 min\", found \"-1 s\"."
        ),
        ("world: 1\ndevices: [{id: a}]\nevents: [{at: 5, power: a, on: true}]", "found \"5\"."),
        (
            "world: 1\ndevices: [{id: a}]\nevents: [{at: 400 h, power: a, on: true}, {at: 9000 h, remove: a}]",
            "expected a duration from 0 s to 8760 h, found \"9000 h\"."
        ),
        ("world: 1\ndevices: [{id: a}]\nevents: [{at: 1 s, powr: a}]", "expected an event with one of the keys"),
        (
            "world: 1\ndevices: [{id: a}]\nevents: [{at: 1 s, move: a, power: a, to: [0, 0]}]",
            "expected one of the keys at, move, to and over, found \"power\""
        ),
        (
            "world: 1\ndevices: [{id: a, program: wristband}]\nevents: [{at: 1 s, press: a, action: tap}]",
            "expected a device whose program has actions, found \"a\"."
        ),
        (
            "world: 1\ndevices: [{id: a, program: walkthrough}]\nevents: [{at: 1 s, press: a, action: tap}]",
            "expected finish, stop or start, found \"tap\"."
        ),
        (
            "world: 1\ndevices: [{id: a, program: walkthrough, on: false}]\nevents: [{at: 1 s, press: a, action: stop}]",
            "expected a device that is on at this time, found \"a\", which is off."
        ),
        (
            "world: 1\ndevices: [{id: a, program: beacon}]\nevents: [{at: 1 s, restart: a}]",
            "expected a device with a Bluetooth host, found the beacon \"a\"."
        ),
        ("world: 1\nevents: [{at: 1 s, remove-wall: a}]", "expected a wall of this world, found \"a\"."),
        ("world: 1\nexpect: [{link: [a, b], within: 1 s}]", "w:2:18: expected a device of this world, found \"a\"."),
        (
            "world: 1\ndevices: [{id: a}]\nexpect: [{state: a, is: on, at: 1 s}]",
            "expected off, idle, advertising, scanning, connecting or connected, found \"on\"."
        ),
        (
            "world: 1\ndevices: [{id: a}]\nexpect: [{state: a, is: idle}]",
            "expected one of within, at and during, found none."
        ),
        (
            "world: 1\ndevices: [{id: a}]\nexpect: [{state: a, is: idle, during: [5 s, 1 s]}]",
            "expected the earlier time first, found the later one."
        ),
        (
            "world: 1\ndevices: [{id: a}]\nexpect: [{line: a, contains: x, at: 1 s}]",
            "expected the key \"within\" beside \"line\", found none."
        ),
        (
            "world: 1\ndevices: [{id: a}]\nexpect: [{state: a, is: idle, contains: x, at: 1 s}]",
            "expected the key \"line\" beside \"contains\", found state."
        ),
        ("world: 1\ndevices: &a [*a]", "w:2:14: expected YAML, found:"),
        ("world: 1\ndevices: [\"\u{1}\"]", "expected"),
    ]

    private static let prefix =
        "world: 1\ndevices: [{id: a}, {id: b, program: beacon}, {id: c, program: wristband, on: false}]\nevents: [{at: 1 s, "

    private static let wrongFaults: [(text: String, sentence: String)] = [
        ("world: 1\nstress: -1", "w:2:9: expected a seed from 0 to 18446744073709551615, found \"-1\"."),
        ("world: 1\nstress: many", "expected a seed from 0 to 18446744073709551615, found \"many\"."),
        (prefix + "fault: a}]", "w:3:10: expected the key \"kind\" in an event, found none."),
        (
            prefix + "fault: a, kind: slow-answer, by: 1 s}]",
            "expected late-start, stalled-completions, lost-service-changed, forgotten-bonds, stale-cache, early-notification, shrinking-mtu, slow-answers, slow-discovery, slow-writes, slow-at-first, late-updates, slow-pairing or ignored-parameter-requests, found \"slow-answer\" (did you mean \"slow-answers\"?)."
        ),
        (prefix + "fault: a, kind: slow-answers}]", "expected the key \"by\" in an event, found none."),
        (prefix + "fault: a, kind: slow-answers, by: 61 s}]", "expected a duration from 0 s to 1 min, found \"61 s\"."),
        (
            prefix + "fault: a, kind: slow-at-first, for: 61 s}]",
            "expected a duration from 0 s to 1 min, found \"61 s\"."
        ),
        (prefix + "fault: a, kind: slow-pairing, by: 61 s}]", "expected a duration from 0 s to 1 min, found \"61 s\"."),
        (prefix + "fault: a, kind: late-start, by: 2 s}]", "expected a duration from 0 s to 1900 ms, found \"2 s\"."),
        (prefix + "fault: a, kind: late-start, by: 1}]", "expected a duration such as"),
        (
            prefix + "fault: a, kind: stalled-completions, for: 41 s}]",
            "expected a duration from 0 s to 40 s, found \"41 s\"."
        ),
        (
            prefix + "fault: a, kind: forgotten-bonds, after: 25 h}]",
            "expected a duration from 0 s to 24 h, found \"25 h\"."
        ),
        (
            prefix + "fault: a, kind: shrinking-mtu, to: 22}]",
            "expected a number of octets from 23 to 517, found \"22\"."
        ),
        (
            prefix + "fault: a, kind: stale-cache, by: 1 s}]",
            "expected one of the keys at, fault and kind, found \"by\"."
        ),
        (prefix + "fault: b, kind: stale-cache}]", "expected a device with a Bluetooth host, found the beacon \"b\"."),
        (
            prefix + "fault: c, kind: stale-cache}]",
            "expected a device that is on at this time, found \"c\", which is off."
        ),
        (prefix + "remove-faults: c}]", "expected a device that is on at this time, found \"c\", which is off."),
        (prefix + "remove-faults: another}]", "expected a device of this world, found \"another\"."),
        (
            prefix + "platform: a, is: pixel}]",
            "w:3:30: expected a device with a program or a profile, found \"a\": the managers of its program would lose their host."
        ),
        (prefix + "platform: b, is: pixel}]", "expected a device with a Bluetooth host, found the beacon \"b\"."),
        (prefix + "platform: c}]", "expected the key \"is\" in an event, found none."),
        (
            prefix + "platform: c, is: iphon}]",
            "expected none, bluez, bluez-eatt, galaxy, iphone, iphone-ios-11, pixel, windows or xiaomi, found \"iphon\" (did you mean \"iphone\"?)."
        ),
    ]

    @Test(arguments: wrongFaults.indices) func eachWrongFaultIsOneSentence(index: Int) {
        expectOneSentence(Self.wrongFaults[index])
    }

    @Test(arguments: mistakes.indices) func eachMistakeIsOneSentence(index: Int) {
        expectOneSentence(Self.mistakes[index])
    }

    private func expectOneSentence(_ mistake: (text: String, sentence: String)) {
        let (text, sentence) = mistake
        let lines = lines(text)
        #expect(lines.count == 1, "\(text): \(lines)")
        #expect(lines.first?.contains(sentence) == true, "\(text): \(lines)")
        #expect(lines.first?.hasPrefix("w:") == true)
    }

    @Test func aFileWithTooMuchIsRefused() {
        let size = WorldFile.Limit.size + 1
        #expect(lines(String(repeating: "#", count: size)) == ["w: expected at most 4194304 octets, found \(size)."])
        let walls = (0...200).map { "  - {id: w\($0), from: [0, 0], to: [1, 1], loss: 1 dB}\n" }.joined()
        #expect(lines("world: 1\nwalls:\n" + walls) == ["w:203:5: expected at most 200 walls, found more."])
        let events = String(repeating: "  - {at: 1 s, power: a, on: true}\n", count: 50_001)
        #expect(
            lines("world: 1\ndevices: [{id: a}]\nevents:\n" + events)
                == ["w:4:3: expected at most 50000 events, found 50001."])
        let aliases = (1...9).map { "a\($0): &a\($0) [\(String(repeating: "*a\($0 - 1),", count: 9))]\n" }.joined()
        #expect(lines("world: 1\na0: &a0 [x]\n" + aliases).count == 1)
    }

    @Test func pathsThatLeadBackOrToNoFileAreRefused() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "worlds-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            let path = folder.appending(path: "a.world.yaml").path
            func lines(_ body: String) throws -> [String] {
                try "world: 1\ndevices: [{id: a, \(body)}]".write(toFile: path, atomically: false, encoding: .utf8)
                do {
                    _ = try WorldFile(path: path)
                    return []
                } catch {
                    return error.lines.map { $0.replacingOccurrences(of: folder.path + "/", with: "") }
                }
            }
            #expect(
                try lines("profile: ./a.world.yaml") == [
                    "a.world.yaml:2:28: expected a profile, found the path of this file."
                ])
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending(path: "b.yaml").path, withDestinationPath: "a.world.yaml")
            #expect(
                try lines("script: b.yaml") == ["a.world.yaml:2:27: expected a script, found the path of this file."])
            #expect(
                try lines("script: c.yaml")
                    == [
                        "a.world.yaml:2:27: expected the path of a script, found \"c.yaml\": No such file or directory."
                    ])
            #expect(mkfifo(folder.appending(path: "pipe.yaml").path, 0o600) == 0)
            #expect(try lines("profile: pipe.yaml").count == 1)
            #expect(
                try lines("profile: ../") == [
                    "a.world.yaml:2:28: expected the path of a profile, found \"../\": Not a file."
                ])
            try "services: [{uuid: 180D}]\nx: 1".write(
                to: folder.appending(path: "p.yaml"), atomically: true, encoding: .utf8)
            #expect(try lines("profile: p.yaml").first?.hasPrefix("p.yaml:2:1: expected one of the keys") == true)
        }
        #expect(throws: WorldFileError("/dev/null: the file cannot be opened: Not a file.")) {
            try WorldFile(path: "/dev/null")
        }
    }
}
