import BLEValues
import Foundation
import Testing

@testable import bluelab

@Suite struct ShellWordsTests {
    @Test func quotationMarksKeepSpaces() {
        #expect(
            ShellWords("read  \"heart rate\" 'a \\b' c\\ d \"\\\"\" \"\"").words == [
                "read", "heart rate", "a \\b", "c d", "\"", "",
            ])
        #expect(ShellWords("scan # read").words == ["scan"])
        #expect(ShellWords("read a#b").words == ["read", "a#b"])
        #expect(ShellWords("  ").words.isEmpty)
    }

    @Test func theLastWordHasItsLength() {
        let open = ShellWords("read \"heart r")
        #expect(open.words == ["read", "heart r"] && open.lastLength == 8 && open.openQuote == "\"")
        #expect(ShellWords("read ").lastLength == 0)
        #expect(ShellWords("read wr").lastLength == 2)
    }
}

@Suite struct ShellInstructionTests {
    private func parse(_ line: String) throws -> ShellInstruction? { try ShellInstruction(ShellWords(line).words) }

    private func complaint(_ line: String) -> [String] {
        do {
            _ = try parse(line)
            return []
        } catch { return (error as? ToolError)?.lines ?? [] }
    }

    @Test func everyCommandIsParsed() throws {
        let u16 = ValueFormat(.unsigned(bits: 16))
        #expect(try parse("") == nil)
        #expect(try parse("scan") == .scan(.seconds(3)) && parse("scan 0.5") == .scan(.milliseconds(500)))
        #expect(try parse("connect \"My Band\"") == .connect("My Band"))
        #expect(try parse("read 2A38 u16") == .read("2A38", u16) && parse("read 2A38") == .read("2A38", nil))
        #expect(try parse("write FFF1 \"01 ff\"") == .write("FFF1", "01 ff", nil, response: nil))
        #expect(try parse("write FFF1 5 u16 without-response") == .write("FFF1", "5", u16, response: false))
        #expect(try parse("notify 2A37") == .notify("2A37", isOn: true))
        #expect(try parse("notify 2A37 off") == .notify("2A37", isOn: false))
        #expect(try parse("pair") == .pair(.encrypted) && parse("pair authenticated") == .pair(.authenticated))
        #expect(try parse("format u16") == .format(u16) && parse("format auto") == .format(nil))
        #expect(try parse("sleep 500ms") == .sleep(.milliseconds(500)))
        #expect(try parse("record a.yaml") == .record("a.yaml") && parse("record stop") == .record(nil))
        for info in ShellCommandInfo.all where info.arguments.isEmpty { #expect(try parse(info.word) != nil) }
    }

    @Test func mistakesAreExplained() {
        #expect(complaint("reead 2A38") == ["\"reead\" is not a command.", "Did you mean \"read\"?"])
        #expect(complaint("xyzzy") == ["\"xyzzy\" is not a command.", "Try: help"])
        #expect(complaint("read") == ["read is used as: read CHARACTERISTIC [FORMAT]"])
        #expect(complaint("read 2A38 u17") == ["\"u17\" is not a format.", "Did you mean \"u16\"?"])
        #expect(complaint("notify 2A37 maybe").first?.hasPrefix("notify is used as:") == true)
        #expect(complaint("sleep -1").first == "\"-1\" is not a time: expected seconds, such as 0.5, or 500ms.")
    }
}

@Suite struct ShellCompleterTests {
    private let completer: ShellCompleter = {
        var completer = ShellCompleter()
        completer.devices = [
            .init(name: "Wristband", identifier: "23AEA93D-0000"), .init(name: "Lamp", identifier: "11111111-0000"),
            .init(name: "Lamp", identifier: "22222222-0000"), .init(name: nil, identifier: "33333333-0000"),
        ]
        completer.characteristics = [
            .init(service: "180D", serviceName: "Heart Rate", uuid: "2A37", name: "Heart Rate Measurement"),
            .init(service: "180D", serviceName: "Heart Rate", uuid: "2A38", name: "Body Sensor Location"),
            .init(service: "5B1D0000", serviceName: nil, uuid: "5B1D0001", name: nil),
        ]
        return completer
    }()

    /// The texts of the candidates.
    private func texts(_ head: String) -> [String] { completer.completion(of: head).candidates.map(\.text) }

    @Test func commandsComplete() {
        #expect(texts("di") == ["disconnect"])
        #expect(texts("").count == ShellCommandInfo.all.count)
        #expect(texts("help re") == ["read", "record"])
        #expect(texts("xyzzy a").isEmpty && texts("rssi ").isEmpty)
    }

    @Test func devicesComplete() {
        #expect(texts("connect wri") == ["Wristband"])
        // Devices with equal names differ in their identifiers.
        #expect(texts("connect la") == ["11111111", "22222222"])
        #expect(texts("connect 33") == ["33333333"])
        #expect(texts("connect ").count == 4)
    }

    @Test func characteristicsCompleteByNameNumberAndPath() {
        #expect(texts("read bo") == ["\"Body Sensor Location"])
        let open = completer.completion(of: "read \"Bo")
        #expect(
            open.length == 3
                && open.candidates == [
                    .init("\"Body Sensor Location", shown: "Body Sensor Location 2A38", ending: "\" ")
                ])
        #expect(texts("read 2A3") == ["2A37", "2A38"])
        #expect(texts("read 180") == ["180D/"])
        #expect(texts("read 180D/") == ["\"180D/Heart Rate Measurement", "\"180D/Body Sensor Location"])
        #expect(texts("read 180D/2A38") == ["180D/2A38"])
        #expect(texts("read hea") == ["\"Heart Rate Measurement", "\"Heart Rate/"])
        #expect(texts("notify 5B1D0001") == ["5B1D0001"])
    }

    @Test func formatsAndStatesComplete() {
        #expect(texts("read 2A38 u1") == ["u16", "u16be"])
        #expect(texts("format au") == ["auto"])
        #expect(texts("write FFF1 00 wi") == ["without-response"])
        #expect(texts("notify 2A37 o") == ["on", "off"])
        #expect(texts("pair se") == ["secure-connections"])
    }
}

@Suite struct HistoryFileTests {
    @Test func theFileIsTheOwnersAlone() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("history-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = try #require(HistoryFile(environment: ["XDG_STATE_HOME": folder]))
        file.append("scan")
        file.append("read \"heart rate\"")
        #expect(file.read().lines == ["scan", "read \"heart rate\""])
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(HistoryFile(environment: ["XDG_STATE_HOME": "relative"]) == nil)
    }

    @Test func aLongFileIsShortened() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("history-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = try #require(HistoryFile(environment: ["XDG_STATE_HOME": folder]))
        for number in 0..<LineHistory.limit + 3 { file.append("line \(number)") }
        #expect(file.read().lines.count == LineHistory.limit)
        let text = try String(contentsOfFile: file.path, encoding: .utf8)
        #expect(text.hasPrefix("line 3\n") && text.split(separator: "\n").count == LineHistory.limit)
    }
}
