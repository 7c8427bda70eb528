import BLEAdapter
import BLEStore
import BLETransport
import BLESessions
import BLEWire
import Testing

@testable import BLEHostAdapter
@testable import BLERuntime

struct DeviceNameTests {
    @Test(
        arguments: [
            (Array("Band".utf8), "Band"),
            (Array("手环 ⌚️".utf8), "手环 ⌚️"),
            ([UInt8](repeating: 0x41, count: 248), String(repeating: "A", count: 248)),
            ([], nil),
            ([UInt8](repeating: 0x41, count: 249), nil),
            ([0x42, 0xFF, 0x41], nil),
            // A character that is cut, an overlong form, and half of a surrogate pair.
            ([0x41, 0xE6, 0x89], nil), ([0xC0, 0xAF], nil), ([0xED, 0xA0, 0x80], nil),
            ([0], nil), ([0x42, 0x61, 0, 0], nil), ([0, 0x42], nil),
        ] as [([UInt8], String?)])
    func aPeersNameIsUTF8OfAtMost248Octets(_ octets: [UInt8], _ name: String?) {
        #expect(DeviceName.text(octets) == name)
    }

    /// The store keeps names by address: another program's device is another one.
    @Test func theDevicesOfTheVirtualRadioBelongToOneProgram() {
        let store = DeviceStore(key: StoreKey(high: 1, low: 2))
        let devices = ["central", "peripheral"].flatMap { device in
            ["lamp", "meter"].map { LoopbackAdapter.seed(of: device, named: $0, store) }
        }
        #expect(Set(devices).count == 4)
        #expect(LoopbackAdapter.seed(of: "central", named: "lamp", store.copy()) == devices[0], "also in the next run")
    }

    private func name(_ choice: ControllerChoice, _ environment: [String: String] = [:]) -> String {
        LocalDeviceName.text(
            on: choice, environment: { environment[$0] }, program: "/usr/local/bin/wristband", machine: "gateway")
    }

    @Test func aProgramsOwnNameFitsItsController() throws {
        let radio = ControllerChoice.radio(try SharedRadioEndpoint(runtimeDirectory: "/run/user/1"))
        let radioName = ["BLUETOOTH_RADIO_NAME": "band"]
        #expect(name(radio) == "wristband")
        #expect(name(radio, radioName) == "band")
        #expect(name(radio, ["BLUETOOTH_RADIO_NAME": ""]) == "wristband")
        #expect(name(.virtual, radioName) == "wristband")
        #expect(name(.adapter(0), radioName) == "gateway")
        #expect(name(.socket(.tcp(host: "127.0.0.1", port: 6402))) == "gateway")
        for choice in [radio, .virtual, .adapter(0), .socket(.unix(path: "/tmp/hci"))] {
            #expect(name(choice, ["BLUETOOTH_NAME": "My band", "BLUETOOTH_RADIO_NAME": "band"]) == "My band")
            #expect(name(choice, ["BLUETOOTH_NAME": ""]) == name(choice))
        }
    }

    @Test func theMachineHasAName() {
        let name = LocalDeviceName.text(on: .adapter(0), environment: { _ in nil })
        #expect(!name.isEmpty && name != "OpenCoreBluetooth" && !name.contains("\0"))
    }
}
