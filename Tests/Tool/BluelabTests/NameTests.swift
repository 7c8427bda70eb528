import AdvertisementScanning
import BLEAdapter
import BLEStore
import Foundation
import ScanReports
import Testing

@testable import bluelab

private let plain = Terminal(allowsColor: false, environment: ["LANG": "C.UTF-8"], isTerminal: false)

/// The names that users give to devices.
@Suite struct NameTests {
    private let identifier = UUID(uuidString: "5B1D7A10-0000-4000-8000-000000000001")!
    private var names: DeviceNames {
        var names = DeviceNames()
        names[PeerIdentifier(identifier)] = "Kitchen 厨房"
        return names
    }

    @Test(arguments: [
        ("kitchen 厨房", DeviceQuery.Fit.identifier), ("厨房", .part), ("KITCH", .part), ("wristband", .name),
        ("bath", .none),
        ("", .none),
    ])
    func anOwnNameSelectsItsDevice(wanted: String, fit: DeviceQuery.Fit) {
        let search = DeviceQuery(wanted: wanted, ownNames: names)
        #expect(search.fit(name: "Wristband", identifier: identifier) == fit)
    }

    @Test func anOwnNamePrecedesTheNameOfAnotherDevice() {
        let search = DeviceQuery(wanted: "kitchen 厨房", ownNames: names)
        let other = UUID(uuidString: "5B1D7A10-0000-4000-8000-000000000002")!
        #expect(search.fit(name: "Kitchen 厨房", identifier: other) == .name)
        #expect(search.fit(name: nil, identifier: identifier) == .identifier)
    }

    @Test(arguments: [" kitchen ", "温度计", String(repeating: "x", count: 128)])
    func aNameIsText(text: String) throws {
        #expect(try OwnNames.checked(text) == text.trimmingCharacters(in: .whitespaces))
    }

    @Test(arguments: [
        "", "  ", "a\u{1B}[31m", "a\nb", String(repeating: "x", count: 129), "C0:11:22:33:44:55",
        "5B1D7A10-0000-4000-8000-000000000001",
    ])
    func otherTextIsRefused(text: String) {
        let failure = #expect(throws: ToolError.self) { try OwnNames.checked(text) }
        #expect(failure?.kind == .usage && failure?.lines.last?.hasPrefix("Try: ") == true)
    }

    @Test func theTableAndTheFilterHaveOwnNames() throws {
        let band = device(structures((9, Array("Wristband".utf8))))
        var names = DeviceNames()
        names[band.peer] = "厨房"
        let row = ScanTable(terminal: plain, width: 80, names: names).row(band, at: .zero)
        #expect(row.contains("厨房") && !row.contains("Wristband") && row.contains(band.peer.shortText))
        let lines = AdvertisementDetail(terminal: plain, names: names).lines(band, at: .zero)
        #expect(lines[0] == "厨房  Wristband")
        #expect(try #require(FilterWords("厨房")).accept(band, names[band.peer]))
        #expect(try #require(FilterWords("wrist")).accept(band, names[band.peer]))
        #expect(try !#require(FilterWords("厨房")).accept(band))
    }

    @Test(
        arguments: [
            ("name kitchen --remove", nil), ("name", nil), ("name x kitchen", nil),
            ("name --remove", "--remove needs the device."),
            ("name x y --remove", "--remove takes no name."),
        ] as [(String, String?)])
    func argumentsAreChecked(line: String, reason: String?) {
        do {
            _ = try Bluelab.parseAsRoot(line.split(separator: " ").map(String.init))
            #expect(reason == nil)
        } catch {
            #expect(Bluelab.message(for: error) == reason)
        }
    }
}
