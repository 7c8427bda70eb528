import CoreBluetooth
import Testing

@testable import bluelab

private let plain = Terminal(allowsColor: false, environment: ["LANG": "C.UTF-8"], isTerminal: false)

/// The page of a device in the live table.
@Suite struct DeviceViewTests {
    private func view(_ count: Int = 2) -> DeviceView {
        var view = DeviceView()
        view.begin()
        view.head = "Wristband  5B1D7A10  -48 dBm  MTU 498"
        view.add(service: "Heart Rate", "180D")
        for index in 0..<count {
            let properties: CBCharacteristicProperties = index == 0 ? [.notify] : [.read, .write]
            view.add(.init(title: "Value \(index)", number: "2A3\(index)", properties: properties))
        }
        view.state = .connected
        return view
    }

    private func lines(_ view: inout DeviceView, rows: Int = 24, columns: Int = 80) -> [String] {
        view.lines(["ADVERTISEMENT"], terminal: plain, size: TerminalSize(rows: rows, columns: columns))
    }

    @Test func keysAskForWhatACharacteristicCan() {
        var view = view()
        #expect(view.handle(.enter) == nil && view.note == "Value 0 cannot be read.")
        #expect(view.handle(.character("s")) == .subscribe(0, true))
        view.update(0) { $0.isNotifying = true }
        #expect(view.handle(.character("s")) == .subscribe(0, false))
        #expect(view.handle(.character("w")) == nil && view.note == "Value 0 cannot be written.")
        #expect(view.handle(.down) == nil && view.selection == 1)
        #expect(view.handle(.character("r")) == .read(1) && view.handle(.enter) == .read(1))
        #expect(view.handle(.character("s")) == nil && view.note.contains("neither notifications nor indications"))
        #expect(view.handle(.down) == nil && view.selection == 1)
        #expect(view.handle(.escape) == .close && view.handle(.character("q")) == .close)
    }

    @Test func aValueAndANameAreTyped() {
        var view = view()
        _ = view.handle(.down)
        for key in ScreenKey.decode(Array("w40\u{7F}1q".utf8)) { #expect(view.handle(key) == nil) }
        #expect(lines(&view).contains { $0 == "hex for Value 1: 41q_" })
        #expect(view.handle(.enter) == .write(1, "41q"))
        for key in ScreenKey.decode(Array("n厨房".utf8)) { #expect(view.handle(key) == nil) }
        #expect(view.handle(.enter) == .name("厨房"))
        // Escape ends the input, not the page.
        #expect(view.handle(.character("w")) == nil && view.handle(.escape) == nil && view.handle(.escape) == .close)
        _ = view.handle(.character("w"))
        for _ in 0..<5000 { _ = view.handle(.character("a")) }
        #expect(view.inputText.count <= 1100)
        #expect(lines(&view).allSatisfy { TextWidth.of($0) <= 80 })
    }

    @Test func aLostLinkIsConnectedAgain() {
        var view = view()
        view.state = .lost("The device disconnected: gone.")
        #expect(view.handle(.character("r")) == nil && view.handle(.character("s")) == nil)
        #expect(
            lines(&view).contains("The device disconnected: gone.") && lines(&view).contains { $0.contains("Value 0") })
        #expect(view.handle(.enter) == .connect)
        view.begin()
        #expect(view.state == .connecting && lines(&view)[0] == "ADVERTISEMENT")
    }

    @Test func aBeaconHasItsAdvertisement() {
        var view = DeviceView()
        view.state = .notConnectable
        #expect(lines(&view)[0] == "ADVERTISEMENT" && lines(&view).contains("This device accepts no connections."))
        #expect(view.handle(.enter) == nil && view.handle(.character("s")) == nil && view.handle(.escape) == .close)
    }

    @Test func theAdvertisementIsShownAndLeft() {
        var view = view()
        _ = view.handle(.character("a"))
        #expect(view.showsAdvertisement && lines(&view)[0] == "ADVERTISEMENT")
        #expect(view.handle(.escape) == nil && !view.showsAdvertisement)
    }

    @Test(arguments: [60, 80, 100, 120, 160, 200], [4, 8, 24, 50])
    func everySizeHasTheSelection(columns: Int, rows: Int) {
        var view = view(40)
        for index in 0..<40 {
            view.update(index) {
                ($0.octets, $0.text) = (Array(repeating: 7, count: 200), String(repeating: "温度", count: 60))
            }
        }
        for _ in 0..<25 {
            _ = view.handle(.down)
            let lines = lines(&view, rows: rows, columns: columns)
            #expect(lines.count <= rows && lines.allSatisfy { TextWidth.of($0) <= columns }, "\(lines)")
            // A screen of four rows has no room for the tree.
            #expect(rows < 8 || lines.contains { $0.hasPrefix("> Value \(view.selection ?? -1)") }, "\(lines)")
            #expect(rows < 8 || lines[0].contains("5B1D7A10"))
        }
    }
}
