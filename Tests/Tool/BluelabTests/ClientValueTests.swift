import DeviceFiles
import BLEWire
import CoreBluetooth
import Foundation
import Testing

@testable import bluelab

struct ClientValueTests {
    @Test(arguments: [
        ("wristband", DeviceQuery.Fit.name), ("WRISTBAND", .name), ("wrist", .part), ("band", .part),
        ("lamp", .none),
        ("9e8fd353-8a3a-4f4d-a962-c41ca60a25ab", .identifier), ("9E8F", .part), ("9E8", .none), ("8FD3", .none),
        ("", .none),
    ])
    func aDeviceIsSelectedByNameOrIdentifier(wanted: String, fit: DeviceQuery.Fit) throws {
        let identifier = try #require(UUID(uuidString: "9E8FD353-8A3A-4F4D-A962-C41CA60A25AB"))
        #expect(DeviceQuery(wanted: wanted).fit(name: "Wristband", identifier: identifier) == fit)
    }

    @Test func aLossOfTheControllerIsSaidOnceAndMayBeFinal() throws {
        var loss = ControllerLoss("The beacon is sent")
        #expect(try loss.take(.poweredOn) == nil)
        #expect(try loss.take(.resetting)?.hasSuffix(" The beacon is sent again when the controller is back.") == true)
        #expect(try loss.take(.unsupported) == nil)
        #expect(try loss.take(.poweredOn) == nil)
        #expect(try loss.take(.poweredOff) != nil)
        let failure = #expect(throws: ToolError.self) { try loss.take(.unauthorized) }
        #expect(failure?.kind == .noAdapter)
    }

    private func services() -> [CBService] {
        let heart = CBMutableService(type: CBUUID(string: "180D"), primary: true)
        heart.characteristics = ["2A37", "2A38"].map(Self.characteristic)
        let battery = CBMutableService(type: CBUUID(string: "180F"), primary: true)
        battery.characteristics = ["2A19", "2A38"].map(Self.characteristic)
        return [heart, battery]
    }

    private static func characteristic(_ uuid: String) -> CBMutableCharacteristic {
        CBMutableCharacteristic(type: CBUUID(string: uuid), properties: .read, value: nil, permissions: .readable)
    }

    @Test(arguments: [
        ("2A37", "2A37"), ("heart rate measurement", "2A37"), ("battery level", "2A19"), ("Measurement", "2A37"),
        ("180D/2A38", "2A38"), ("heart/sensor", "2A38"), ("2a19", "2A19"),
    ])
    func aCharacteristicIsSelectedByUUIDNameOrPath(wanted: String, uuid: String) throws {
        #expect(try CharacteristicSearch(wanted: wanted).find(in: services()).uuid == CBUUID(string: uuid))
    }

    @Test(arguments: [
        (
            "2A38",
            "\"2A38\" matches several characteristics: 180D/2A38 (Body Sensor Location), 180F/2A38 (Body Sensor Location)."
        ),
        ("9999", "the device has no characteristic \"9999\"."),
        ("180F/2A37", "the device has no characteristic \"180F/2A37\"."),
    ])
    func anAmbiguousCharacteristicIsExplained(wanted: String, line: String) throws {
        let failure = #expect(throws: ToolError.self) {
            try CharacteristicSearch(wanted: wanted).find(in: services())
        }
        #expect(failure?.kind == .notFound && failure?.lines.first == line)
    }

    @Test(
        arguments: [
            ("2A37", [0, 72], "72 bpm"), ("2A19", [], "(empty)"), ("FF01", [0x41, 0x42], "\"AB\""),
            ("FF01", [7], "07  u8 7"),
            ("FF01", [0x40, 0x1F], "40 1f  u16 8000"), ("FF01", [1, 2, 3], "01 02 03"),
            ("2A00", [0x1B, 0x5B], "\u{FFFD}["),
            ("2A37", [1, 72], "01 48  u16 18433"),
        ] as [(String, [UInt8], String)])
    func aValueIsPrintedInItsBestFormat(uuid: String, octets: [UInt8], text: String) {
        #expect(ValueText.fitting(octets, of: CBUUID(string: uuid)) == text)
    }

    @Test func propertiesAreNamed() {
        let properties: CBCharacteristicProperties = [.read, .writeWithoutResponse, .indicate]
        #expect(properties.words == ["read", "write-without-response", "indicate"])
    }

    @Test(arguments: [
        "scan --duration 0", "scan --count -1", "scan --data 0", "read", "read band", "read band 2A37 --format u12",
        "write band 2A37", "write band 2A37 01 --file x", "write band 2A37 01 --with-response --without-response",
        "write band 2A37 01 --format u12", "notify band 2A37 --plot x.gif", "rssi band --interval 0", "notify band",
        "explore --all", "explore band --timeout x",
    ])
    func wrongArgumentsAreRefused(line: String) {
        let arguments = Bluelab.completed(line.split(separator: " ").map(String.init))
        let error = #expect(throws: (any Error).self) { try Bluelab.parseAsRoot(arguments) }
        #expect(error.map { Bluelab.exitCode(for: $0) } == .validationFailure)
    }
}

struct TextTests {
    @Test func jsonEscapesTerminalControlCharacters() {
        #expect(jsonLine(["name": "a\u{9B}2J\u{1B}\u{202E}ä"]) == #"{"name":"a\u009b2J\u001b\u202eä","v":1}"#)
        #expect(jsonLine(["x": 1], type: "point") == #"{"type":"point","v":1,"x":1}"#)
    }

    @Test(arguments: ["0x2A38", "00002A38-0000-1000-8000-00805F9B34FB", "2a38", "Body sensor location"])
    func aUUIDMayBeWrittenInItsUsualForms(text: String) {
        #expect(CharacteristicSearch.isExactly(CBUUID(string: "2A38"), text))
    }
}
