import BLEAdapter
import BLEController
import BLETransport
import Foundation
import Testing

@testable import BLERuntime

struct RadioPlaceTests {
    private func folder(_ name: String) -> String {
        let path = NSTemporaryDirectory() + "ocb-place-\(ProcessInfo.processInfo.processIdentifier)-\(name)"
        try? FileManager.default.removeItem(atPath: path)
        return path
    }

    @Test func theRuntimeDirectoryIsPreferredAndTheTemporaryOneIsTheUsersOwn() throws {
        let place = try RadioPlace(runtimeDirectory: "/run/user/1000")
        #expect(place.address == .unix(path: "/run/user/1000/opencorebluetooth/radio"))
        #expect(place.controlAddress == .unix(path: "/run/user/1000/opencorebluetooth/radio.control"))
        for useless in [nil, "", "relative"] {
            #expect(
                try RadioPlace(runtimeDirectory: useless).address
                    == .unix(path: "/tmp/opencorebluetooth-\(geteuid())/radio"))
        }
        let named = try RadioPlace(name: "lab_2", runtimeDirectory: "/run")
        #expect(named.address == .unix(path: "/run/opencorebluetooth/radio-lab_2"))
        #expect(named.command == "bluelab radio --name lab_2")
    }

    @Test(arguments: ["", "a b", "../x", "a/b", "ä", "a.control", String(repeating: "a", count: 33)])
    func whatIsNoNameIsRefusedInOneSentence(name: String) {
        let failure = #expect(throws: RadioPlace.Failure.self) { try RadioPlace(name: name) }
        #expect(failure?.description.hasSuffix(".") == true)
        guard case .none(let sentence) = ControllerChoice("radio:" + name) else {
            Issue.record("taken for a radio")
            return
        }
        #expect(sentence.hasPrefix("BLUETOOTH_CONTROLLER: "))
    }

    @Test func theChoiceLeadsToThePlace() throws {
        guard case .radio(let place) = ControllerChoice("radio"), case .radio(let named) = ControllerChoice("radio:lab")
        else {
            Issue.record("not chosen")
            return
        }
        #expect(try place == RadioPlace())
        #expect(try named == RadioPlace(name: "lab"))
    }

    @Test func aDirectoryOfOnesOwnIsMadePrivate() throws {
        let folder = folder("own")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let place = try RadioPlace(runtimeDirectory: folder)
        // Where there is nothing yet, nobody can be mistaken for a radio.
        try place.check()
        try place.prepare()
        try place.prepare()
        var status = stat()
        #expect(lstat(place.directory, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o700)
    }

    @Test func whereOthersCouldPutASocketNoneIsLookedFor() throws {
        let folder = folder("others")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder + "/elsewhere", withIntermediateDirectories: true)
        let place = try RadioPlace(runtimeDirectory: folder)
        func refusal() -> String? {
            do throws(RadioPlace.Failure) {
                try place.check()
                return nil
            } catch {
                return error.description
            }
        }
        try manager.createSymbolicLink(atPath: place.directory, withDestinationPath: folder + "/elsewhere")
        #expect(refusal()?.contains("is no directory") == true)
        try manager.removeItem(atPath: place.directory)
        try manager.createDirectory(atPath: place.directory, withIntermediateDirectories: false)
        chmod(place.directory, 0o777)
        #expect(refusal()?.contains("chmod 700") == true)
        chmod(place.directory, 0o700)
        #expect(refusal() == nil)
        // To give a directory away is the superuser's right.
        if geteuid() == 0 {
            #expect(chown(place.directory, 65_534, 65_534) == 0)
            #expect(refusal()?.contains("belongs to user 65534") == true)
        }
    }

    @Test func aProcessIntroducesItselfByItsEnvironment() {
        func introduction(_ environment: [String], _ commandLine: [String]) -> ProcessIntroduction {
            func octets(_ words: [String]) -> [UInt8] { words.flatMap { Array($0.utf8) + [0] } }
            return ProcessIntroduction(environment: octets(environment), commandLine: octets(commandLine))
        }
        let plain = introduction(["HOME=/root"], ["/usr/bin/walkthrough", "--fast"])
        #expect(plain.name == "walkthrough")
        #expect(plain.position == nil)
        let spoken = introduction(
            ["BLUETOOTH_RADIO_POSITION=1.5,-2", "BLUETOOTH_RADIO_NAME=left phone\u{7}"], ["phone"])
        #expect(spoken.name == "left-phone-")
        #expect(spoken.position == Position(x: 1.5, y: -2))
        #expect(introduction(["BLUETOOTH_RADIO_POSITION=1,2,3"], []).position == Position(x: 1, y: 2, z: 3))
        #expect(introduction(["BLUETOOTH_RADIO_NAME=all"], []).name == "program-all")
        #expect(introduction(["BLUETOOTH_RADIO_NAME=12"], []).name == "program-12")
        #expect(introduction([], []).name == nil)
        for useless in ["", "1", "1,2,3,4", "nan,0", "inf,0", "1e9,0", "1,,2", "x,y"] {
            #expect(introduction(["BLUETOOTH_RADIO_POSITION=" + useless], []).position == nil)
        }
        let endless = introduction([], [String(repeating: "x", count: 100_000)])
        #expect(endless.name?.count == 32)
    }

    @Test func theSystemTellsOfTheProcessItself() throws {
        let introduction = ProcessIntroduction(process: getpid())
        let name = try #require(introduction.name)
        #expect(!name.isEmpty)
        #expect(ProcessIntroduction(process: -1) == ProcessIntroduction(environment: [], commandLine: []))
    }

    @Test func textGoesIntoJSONUnharmed() throws {
        var text = JSONText()
        let odd = "a\"b\\c\n\u{1}\u{7F}ü😀"
        text.add("text", odd)
        text.add("whole", 3.0)
        text.add("part", -1.25)
        text.add("no", false)
        text.add("list", [JSONText(), JSONText()])
        let object = try JSONSerialization.jsonObject(with: Data(text.closed.utf8)) as? [String: Any]
        #expect(object?["text"] as? String == odd)
        #expect(object?["whole"] as? Int == 3)
        #expect(object?["part"] as? Double == -1.25)
        #expect(object?["no"] as? Bool == false)
        #expect((object?["list"] as? [Any])?.count == 2)
        #expect(!text.closed.contains("\n"))
    }

    @Test func aRuntimeDirectoryThatIsNotThereIsNamed() throws {
        let place = try RadioPlace(runtimeDirectory: "/no such directory")
        let failure = #expect(throws: RadioPlace.Failure.self) { try place.prepare() }
        #expect(
            failure?.description.hasPrefix(
                "/no such directory/opencorebluetooth cannot be made (No such file or directory): XDG_RUNTIME_DIR names no"
            ) == true)
    }

    @Test func whyARadioCannotBeReachedIsNotHidden() async throws {
        let place = try RadioPlace(runtimeDirectory: "/" + String(repeating: "long", count: 30))
        let failure = await #expect(throws: RadioPlace.Failure.self) {
            try await RadioControlClient.ask("list", at: place)
        }
        #expect(failure?.description.contains("(File name too long)") == true)
    }
}
