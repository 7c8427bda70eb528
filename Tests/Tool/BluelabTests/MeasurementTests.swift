import BLERuntime
import BLEValues
import CoreBluetooth
import Foundation
import Testing

@testable import bluelab

@MainActor struct MeasurementTests {
    @Test(
        arguments: [
            ("2A37", [0, 72], nil, nil, 72, "bpm"), ("2A37", [0x10, 72, 0, 4], nil, "rr", 1, "s"),
            ("2A37", [0x10, 72, 0, 4], nil, "energy", nil, nil), ("2A6E", [0, 0x80], nil, nil, nil, nil),
            ("FF01", [0x40, 0x1F], nil, nil, 8000, nil), ("FF01", [1, 2, 3], nil, nil, nil, nil),
            ("FF01", [0xFF, 0xFE], "i16be", nil, -2, nil), ("FF01", [1], "u16", nil, nil, nil),
            ("FF01", [0, 0, 0xC0, 0x7F], "f32", nil, nil, nil), ("FF01", [0x41], "utf8", nil, nil, nil),
        ] as [(String, [UInt8], String?, String?, Double?, String?)])
    func aValueHasANumber(
        uuid: String, octets: [UInt8], format: String?, field: String?, number: Double?, unit: String?
    ) {
        let quantity = Quantity(
            octets, of: CBUUID(string: uuid), format.flatMap { ValueFormat(name: $0) }, field: field)
        #expect(quantity?.number == number && quantity?.unit == unit)
    }

    @Test(
        arguments: [
            ([], ["2A37"], nil), (["--field", "rr"], ["2A37"], nil), (["--field", "rr"], ["2A6E", "2A37"], nil),
            (
                ["--field", "level"], ["2A37", "FF01"],
                "bluelab: --field level has no effect: the fields of FF01 are not known."
            ),
            (
                ["--field", "rr", "--format", "u16"], ["2A37"],
                "bluelab: --field rr has no effect on values in a format of --format."
            ),
        ] as [([String], [String], String?)])
    func aFieldThatMaySelectNothingIsNamed(options: [String], found: [String], line: String?) throws {
        let command = try NotifyCommand.parse(["band", "value"] + options)
        #expect(try command.fieldProblem(of: found.map { CBUUID(string: $0) }) == line)
    }

    @Test func aFieldThatNoFormatHasIsAMistake() throws {
        let command = try NotifyCommand.parse(["band", "value", "--field", "flags"])
        let failure = #expect(throws: ToolError.self) {
            try command.fieldProblem(of: [CBUUID(string: "2A37"), CBUUID(string: "2A6E")])
        }
        #expect(failure?.kind == .usage)
        #expect(failure?.lines.last?.contains("RR interval") == true)
    }

    @Test(arguments: [
        (["1", "a b"], "1,a b"), (["a,b", "c\"d", "e\nf"], "\"a,b\",\"c\"\"d\",\"e\nf\""), (["", ""], ","),
        (["\r\n"], "\"\r\n\""), (["=1+1", "+x", "-y", "@z"], "\"'=1+1\",\"'+x\",\"'-y\",\"'@z\""),
        (["-48", "+1.5e3", "-0.5", "-", "-inf"], "-48,+1.5e3,-0.5,\"'-\",\"'-inf\""),
        (["=\"a\",b"], "\"'=\"\"a\"\",b\""),
    ])
    func aLineOfAFileQuotesItsFields(fields: [String], line: String) { #expect(CSV.line(fields) == line) }

    @Test func aSeriesKeepsItsStatisticsAndBoundsItsPoints() {
        var series = MeasurementSeries(name: "pulse", unit: "bpm")
        for value in 0..<(MeasurementSeries.pointLimit + 10) { series.append(Double(value), Double(value % 100)) }
        series.append(1e6, .nan)
        #expect(series.points.count <= MeasurementSeries.pointLimit)
        #expect(series.count == MeasurementSeries.pointLimit + 10, "a gap is no value")
        #expect(series.lowest == 0 && series.highest == 99 && abs(series.mean - 49.5) < 0.1)
        #expect(series.points.last?.value.isNaN == true && series.points.first?.time == 0)
    }

    @Test(arguments: [(24, 80), (8, 40), (3, 20), (60, 200)])
    func aLiveChartFitsTheTerminal(rows: Int, columns: Int) {
        var series = [MeasurementSeries(name: "pulse", unit: "bpm"), MeasurementSeries(name: "speed", unit: "m/s")]
        for value in 0..<50 {
            series[0].append(Double(value), 60 + Double(value))
            series[1].append(Double(value), .nan)
        }
        for isUnicode in [true, false] {
            let lines = LiveChart.lines(series, rows: rows, columns: columns, isUnicode: isUnicode)
            #expect(lines.allSatisfy { $0.count < columns })
            #expect(lines.count < max(rows, 6), "\(lines.count) lines of \(rows)")
            #expect(lines[0].hasPrefix("pulse  109 bpm"))
        }
    }

    @Test func theChartNamesUnitsThatDiffer() throws {
        let recorder = MeasurementRecorder(title: "Band", live: nil)
        try recorder.add("pulse", Quantity(number: 70, unit: "bpm"), at: .seconds(1), row: "")
        #expect(recorder.chart.unit == "bpm" && recorder.chart.series.map(\.name) == ["pulse"])
        try recorder.add("speed", Quantity(number: 2, unit: "m/s"), at: .seconds(2), row: "")
        try recorder.add("text", nil, at: .seconds(2), row: "")
        recorder.gap(at: .seconds(3))
        #expect(recorder.chart.unit == "" && recorder.chart.series.map(\.name) == ["pulse (bpm)", "speed (m/s)"])
        #expect(recorder.chart.series[0].points.count == 2 && recorder.hasNumbers)
    }

    @Test(arguments: [
        ("Wristband", "Wristband"), ("C0:11:22", "C0:11:22"), ("my band", "'my band'"), ("a'b", "'a'\\''b'"),
        ("", "''"),
        ("$(x)", "'$(x)'"), ("#2", "'#2'"), ("2A19#2", "2A19#2"), ("serial:/dev/x@9600", "serial:/dev/x@9600"),
    ])
    func aSuggestedCommandQuotesItsWords(word: String, quoted: String) {
        #expect(ShellWord.quoted(word) == quoted)
        #expect(ToolError.noUser(for: word).lines.last == "Try: bluelab pair \(quoted) --yes")
        #expect(
            ToolError.output("/\(word)/x y", EISDIR).lines.last
                == "Try: ls -ld '/\(word.replacing("'", with: "'\\''"))/x y'")
    }

    @Test(
        arguments: [
            (CBATTError(.insufficientAuthorization), ToolError.Kind.security),
            (CBATTError(.writeNotPermitted), .refused),
            (CBError(.connectionTimeout), .timeout), (CBError(.peerRemovedPairingInformation), .security),
            (CBError(.encryptionTimedOut), .security), (CBError(.peripheralDisconnected), .failed),
        ] as [(any Error, ToolError.Kind)])
    func anErrorHasItsExitCode(error: any Error, kind: ToolError.Kind) {
        #expect(ToolError.refusal(of: "the read of X", error).kind == kind)
        if error is CBError {
            let lost = ToolError.lostLink("Band disconnected", error, nil)
            #expect(lost.kind == kind && lost.lines[0].hasPrefix("Band disconnected: ") && lost.lines[0].hasSuffix("."))
        }
    }
}

struct InstanceTests {
    @Test(
        arguments: [
            ("2A19", "2A19", nil), ("2A19#2", "2A19", 2), ("heart rate#10", "heart rate", 10), ("#2", "#2", nil),
            ("2A19#", "2A19#", nil), ("2A19#0", "2A19#0", nil), ("C#x", "C#x", nil),
        ] as [(String, String, Int?)])
    func aWordMayHaveANumber(word: String, text: String, number: Int?) {
        let parsed = InstanceWord(word)
        #expect(parsed.text == text && parsed.number == number)
    }

    private func battery(_ uuids: [String]) -> CBService {
        let service = CBMutableService(type: CBUUID(string: "180F"), primary: true)
        service.characteristics = uuids.map {
            CBMutableCharacteristic(type: CBUUID(string: $0), properties: .read, value: nil, permissions: .readable)
        }
        return service
    }

    @Test func aNumberSelectsAnInstance() throws {
        let services = [battery(["2A19"]), battery(["2A19", "2A19"])]
        let all = services.flatMap { $0.characteristics ?? [] }
        for (path, index) in [
            ("2A19#1", 0), ("2A19#2", 1), ("battery level#3", 2), ("180F#1/2A19", 0), ("180F#2/2A19#2", 2),
            ("battery#2/level#1", 1),
        ] {
            #expect(try CharacteristicSearch(wanted: path).find(in: services) === all[index], "\(path)")
        }
        for path in ["2A19#4", "180F#3/2A19", "180F#1/2A19#2", "2A19", "180F#2/2A19"] {
            let failure = #expect(throws: ToolError.self) {
                try CharacteristicSearch(wanted: path).find(in: services)
            }
            #expect(failure?.kind == .notFound)
        }
    }
}
