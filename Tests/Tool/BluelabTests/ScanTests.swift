import AdvertisementScanning
import BLEAdapter
import BLEWire
import Foundation
import ScanReports
import Testing

@testable import bluelab

private let plain = Terminal(allowsColor: false, environment: ["LANG": "C.UTF-8"], isTerminal: false)

struct ScanTableTests {
    /// The identifier is what the next command takes.
    @Test(arguments: [17, 20, 30, 40, 50] + Array(60...200))
    func eachWidthHasTheIdentifier(width: Int) {
        let band = device(
            structures((9, Array("A wristband with a long name".utf8)), (3, [0x0D, 0x18]), (0xFF, [0x59, 0])))
        let table = ScanTable(terminal: plain, width: width)
        let row = table.row(band, at: .seconds(1))
        #expect(row.contains("5B1D7A10") && TextWidth.of(row) <= width, "\(row)")
        #expect(table.header.contains("ID"))
        // The columns of the header and of the rows are the same.
        let place = table.header.range(of: " ID")?.upperBound
        let column = place.map { TextWidth.of(table.header[..<$0]) - 2 }
        let start = row.range(of: "5B1D7A10")?.lowerBound
        #expect(column == start.map { TextWidth.of(row[..<$0]) })
    }
}

struct OctetPatternTests {
    @Test(arguments: [
        ("4c000215", true), ("4C 00 02 15", true), ("4c:00:??:15", true), ("4c00021?", true), ("?5", true),
        ("4c000216", false), ("4c0002??????", false), ("5?", false),
    ])
    func aPatternFitsOctetsWithWildcards(text: String, fits: Bool) throws {
        #expect(try #require(OctetPattern(text)).occurs(in: [1, 0x4C, 0, 2, 0x15, 0x20]) == fits)
    }

    @Test(arguments: ["", "4", "4c0", "4g", "*", "\u{FF14}c", "??x"])
    func otherTextIsNoPattern(text: String) { #expect(OctetPattern(text) == nil) }

    @Test func aPatternThatIsLongerThanTheDataDoesNotFit() throws {
        #expect(try !#require(OctetPattern("0102")).occurs(in: [1]))
        #expect(try !#require(OctetPattern("??")).occurs(in: []))
    }
}

struct ScanFilterTests {
    @Test func thePHYIsAWord() throws {
        for (word, phy) in [("1m", ScanPHY.oneM), ("coded", .coded)] {
            let arguments = Bluelab.completed(["scan", "--phy", word])
            let command = try #require(try Bluelab.parseAsRoot(arguments) as? ScanCommand)
            #expect(command.phy == phy)
        }
        #expect(throws: (any Error).self) { try Bluelab.parseAsRoot(Bluelab.completed(["scan", "--phy", "2m"])) }
    }

    private func accepts(_ line: String, _ device: ScannedDevice) throws -> Bool {
        var device = device
        let arguments = Bluelab.completed(["scan"] + line.split(separator: " ").map(String.init))
        let command = try #require(try Bluelab.parseAsRoot(arguments) as? ScanCommand)
        return command.filter.prepared.accepts(&device)
    }

    @Test(arguments: [
        ("--name pulse", true), ("--name x", false), ("--name x --name puls", true), ("--not-name PULSE", false),
        ("--service 180d", true), ("--service rate", true), ("--service 0x180D", true), ("--not-service 180D", false),
        ("--service 180F", false), ("--company nordic", true), ("--not-company Nordic", false),
        ("--company apple", false),
        ("--minimum-rssi -60", true), ("--minimum-rssi -59", false), ("--maximum-rssi -61", false),
        ("--connectable", true),
        ("--not-connectable", false), ("--data 5900??02", true), ("--not-data 5900", false), ("--data 5901", false),
        ("--name pulse --not-service 180F --connectable", true),
    ])
    func aDeviceIsSelectedAndExcluded(line: String, isAccepted: Bool) throws {
        let data = structures((3, [0x0D, 0x18]), (0xFF, [0x59, 0, 1, 2]))
        let pulse = device(data, response: structures((9, Array("Pulse".utf8))))
        #expect(try accepts(line, pulse) == isAccepted)
    }

    @Test func typedWordsFindTheFieldsOfABeacon() throws {
        let uuid: [UInt8] = [
            0xE2, 0xC5, 0x6D, 0xB5, 0xDF, 0xFB, 0x48, 0xD2, 0xB0, 0x60, 0xD0, 0xF5, 0xA7, 0x10, 0x96, 0xE0,
        ]
        let beacon = device(structures((0xFF, [0x4C, 0, 2, 0x15] + uuid + [0, 1, 0, 7, 0xC5])))
        for word in ["ibeacon", "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "apple", "1.7", "(no", "minor"] {
            #expect(try #require(FilterWords(word)).accept(beacon), "\(word)")
        }
        #expect(try !#require(FilterWords("eddystone")).accept(beacon))
    }

    @Test(arguments: [
        ("pulse", true), ("heart pul", true), ("pulse !nordic", false), ("!apple", true), ("-60", true), ("-50", false),
        ("c0:00", true), ("5b1d", true), ("lamp", false), ("static", true), ("!static", false), ("public", false),
        ("5b1d7a10-", true),
    ])
    func typedWordsAllHaveToOccur(text: String, isAccepted: Bool) throws {
        let pulse = device(structures((3, [0x0D, 0x18]), (0xFF, [0x59, 0])), name: "Pulse")
        #expect(try #require(FilterWords(text)).accept(pulse) == isAccepted)
    }

    @Test func noWordsAreNoFilter() {
        #expect(FilterWords("") == nil && FilterWords("  ") == nil && FilterWords("!") == nil)
    }
}

struct DeviceQueryTests {
    @Test(arguments: [
        ("C0:11:22:33:44:5F", DeviceQuery.Fit.identifier), ("c0-11-22-33-44-5f", .identifier),
        ("11:22:33:44:55:66", .identifier), ("c0:11", .part), ("C0:11:22:3", .part), ("11:22", .part), ("C0:12", .none),
        ("C0:11:22:33:44:5E", .none), ("pulse", .name), ("puls", .part), ("5b1d", .part), ("C0", .none),
        ("heart", .content), ("Heart Rate", .content), ("hearts", .none),
    ])
    func aDeviceIsSelectedByItsAddress(wanted: String, fit: DeviceQuery.Fit) {
        let address: [UInt8] = [0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0]
        let data = structures((0x1B, address), (9, Array("Pulse".utf8)), (3, [0x0D, 0x18]))
        #expect(DeviceQuery(wanted: wanted).fit(device(data, address: 0xC011_2233_445F)) == fit)
    }
}

struct AdvertisementDetailTests {
    @Test func anyOctetsHaveADetail() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<500 {
            let data = (0..<Int.random(in: 0...31, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
            }
            #expect(AdvertisementStructure.all(in: data).flatMap(\.octets) == data)
            let lines = AdvertisementDetail(terminal: plain).lines(device(data, response: data), at: .seconds(1))
            #expect(!lines.contains { $0.unicodeScalars.contains { $0.value < 0x20 } })
        }
    }
}

struct ScanScreenTests {
    private func screen(_ count: Int) -> (ScanScreen, DeviceTable) {
        var devices = DeviceTable()
        for number in 1...count { _ = devices.add(report(UInt64(number), rssi: Int8(-30 - number)), since: start) }
        var screen = ScanScreen()
        _ = draw(&screen, &devices)
        return (screen, devices)
    }

    private func draw(_ screen: inout ScanScreen, _ devices: inout DeviceTable, rows: Int = 6) -> [String] {
        screen.lines(
            &devices, devices.sorted(Array(devices.devices.indices)), terminal: plain,
            size: TerminalSize(rows: rows, columns: 80), now: .seconds(1))
    }

    @Test func theSelectionMovesAndStaysVisible() {
        var (screen, devices) = screen(10)
        #expect(screen.selection == nil)
        for _ in 0..<7 { screen.handle(.down) }
        #expect(screen.selection?.peer.high == 7 << 32)
        let lines = draw(&screen, &devices)
        #expect(lines.count == 6 && lines.count { $0.hasPrefix(">") } == 1)
        #expect(lines.contains { $0.hasPrefix(">") && $0.hasSuffix("00000007") })
        screen.handle(.home)
        screen.handle(.up)
        #expect(screen.selection?.peer.high == 1 << 32)
        screen.handle(.end)
        #expect(screen.selection?.peer.high == 10 << 32)
    }

    @Test func enterOpensADeviceAndTheListKeepsItsSelection() {
        var (screen, devices) = screen(3)
        screen.handle(.enter)
        #expect(screen.mode == .list && screen.openDevice == nil)
        screen.handle(.down)
        screen.handle(.enter)
        #expect(screen.openDevice == screen.selection && screen.selection?.peer.high == 1 << 32)
        // The page has the keys.
        screen.handle(.character("q"))
        #expect(!screen.isDone)
        screen.back()
        #expect(screen.mode == .list && draw(&screen, &devices).contains { $0.hasPrefix(">") })
        screen.handle(.character("q"))
        #expect(screen.isDone)
    }

    /// Each set has its row, and a key moves between them. The numbers count devices.
    @Test func eachSetHasARow() throws {
        var devices = DeviceTable(separatesSets: true)
        for set in [4, 11] as [UInt8] {
            _ = devices.add(report(1, data: structures((3, [0x0D, 0x18])), set: set), since: start)
        }
        _ = devices.add(report(2, rssi: -70, isConnectable: false), since: start)
        for index in devices.devices.indices { devices.decode(index) }
        var screen = ScanScreen()
        _ = draw(&screen, &devices)
        for set in [4, 11] as [UInt8] {
            screen.handle(.down)
            let lines = draw(&screen, &devices)
            let row = try #require(lines.first { $0.hasPrefix(">") })
            #expect(row.contains("set \(set) ") && row.hasSuffix("00000001"))
            #expect(screen.selection == ScannedDevice.Key(peer: devices.devices[0].peer, set: set))
            #expect(lines.count { $0.contains("set ") } == 2 && lines.last?.hasPrefix("2 devices in 1 s") == true)
        }
        let words = try #require(FilterWords("!set"))
        #expect(devices.devices.map { words.accept($0) } == [false, false, true])
        screen.handle(.enter)
        #expect(screen.openDevice?.set == 11)
        #expect(ScanTable.summary(devices.devices, after: .seconds(8)) == "2 devices in 8 s, 1 connectable")
        let records = devices.devices.map { AdvertisementEventRecord($0) }
        #expect(records.map(\.set) == [4, 11, nil] && records[0].identifier == records[1].identifier)
        #expect(records[0].address == records[1].address && records[0].address != records[2].address)
    }

    @Test func aFilterIsTyped() {
        var (screen, devices) = screen(2)
        for key in ScreenKey.decode(Array("/qx\u{7F}\u{7F}ab\r".utf8)) { screen.handle(key) }
        #expect(screen.filterText == "ab" && screen.words != nil && !screen.isDone)
        #expect(draw(&screen, &devices).last?.contains("/ab") == true)
        screen.handle(.escape)
        #expect(screen.words == nil)
        for _ in 0..<200 { screen.handle(.character(screen.mode == .filter ? "y" : "/")) }
        #expect(screen.filterText.count <= 60)
    }

    @Test func keysAreDecoded() {
        #expect(ScreenKey.decode([0x1B]) == [.escape])
        #expect(
            ScreenKey.decode(Array("\u{1B}[A\u{1B}OB\u{1B}[5~q\u{1B}[99~ü\r".utf8)) == [
                .up, .down, .pageUp, .character("q"), .character("ü"), .enter,
            ])
        #expect(ScreenKey.decode([0xFF, 0x1B, 0x5B]) == [.escape, .character("[")])
    }

    @Test(arguments: [78, 80, 90, 99, 100, 120, 132, 200])
    func aRowFitsTheTerminal(width: Int) {
        let table = ScanTable(terminal: plain, width: width)
        let wide = device(structures((9, Array("温度传感器温度传感器温度".utf8)), (3, [0x0D, 0x18, 0x0F, 0x18, 0x0A, 0x18])))
        #expect(TextWidth.of(table.row(wide, at: .seconds(7200))) <= width)
        #expect(TextWidth.of(table.header) <= width)
    }

    @Test(arguments: [20, 40, 60, 80, 200])
    func theLineOfKeysFitsTheTerminal(width: Int) throws {
        var (screen, devices) = screen(3)
        for key in ScreenKey.decode(Array("/x\r".utf8)) { screen.handle(key) }
        let lines = screen.lines(
            &devices, [], terminal: plain, size: TerminalSize(rows: 6, columns: width), now: .seconds(100))
        let keys = try #require(lines.last)
        #expect(TextWidth.of(keys) <= width && (width < 60 || keys.hasSuffix("/ filters")), "\(keys)")
    }

    @Test func textHasAWidthInColumns() {
        #expect(TextWidth.of("ab") == 2 && TextWidth.of("温度") == 4 && TextWidth.of("é") == 1)
        #expect(
            TextWidth.fitted("温度计", 5) == "温度…" && TextWidth.fitted("温度计", 4) == "温… "
                && TextWidth.fitted("a", 3) == "a  ")
    }

    @Test(arguments: [(95, "95ms"), (999, "999ms"), (1000, "1.0s"), (1049, "1.0s"), (10_240, "10.2s")])
    func intervalsArePrintedBriefly(milliseconds: Int, text: String) {
        #expect(ScanTable.text(.milliseconds(milliseconds)) == text)
    }

    @Test(arguments: [(0.44, "~0.4 m"), (9.99, "~9.9 m"), (12.4, "~12 m"), (1e9, ">1 km"), (Double.infinity, ">1 km")])
    func distancesArePrintedBriefly(metres: Double, text: String) { #expect(ScanTable.text(metres: metres) == text) }
}

struct SignalLogTests {
    @Test func aLineQuotesNames() {
        let line = SignalLog.line(report(1, rssi: -48).discovery, name: "a,\"b\"\n", time: .milliseconds(1500))
        #expect(line == "1.500,00000001-0000-0000-0000-000000000001,C0:00:00:00:00:01,\"a,\"\"b\"\"\u{FFFD}\",-48")
        let formula = SignalLog.line(report(1, rssi: -48).discovery, name: "=1+1", time: .zero)
        #expect(formula.hasSuffix(",\"'=1+1\",-48"))
        #expect(SignalLog.line(report(1, rssi: 127).discovery, name: nil, time: .zero).hasSuffix(",,"))
    }

    @Test func aChartKeepsABoundedNumberOfPoints() throws {
        var chart = SignalChart()
        for time in 0..<20_000 { chart.add(report(1, rssi: -50).discovery, at: .milliseconds(time)) }
        for number in 2..<2000 { chart.add(report(UInt64(number)).discovery, at: .zero) }
        let names = Dictionary(
            uniqueKeysWithValues: (1..<2000).map { (PeerIdentifier(high: UInt64($0) << 32, low: 1), "x") })
        let series = chart.chart(names).series
        #expect(series.count == SignalChart.seriesLimit)
        let first = try #require(series.first)
        #expect(
            (500...SignalChart.pointLimit).contains(first.points.count) && first.points.allSatisfy { $0.value == -50 })
    }
}
