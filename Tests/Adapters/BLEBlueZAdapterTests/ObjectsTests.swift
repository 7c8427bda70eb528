import BLEWire
import SystemBus
import Testing

@testable import BLEBlueZAdapter

@Suite struct ObjectsTests {
    private let device: BusProperties = ["Address": .string("AA:BB:CC:DD:EE:01"), "AddressType": .string("random")]

    @Test func changesFollowTheReports() {
        var objects = BlueZObjects()
        objects.replace(["/org/bluez/hci0": [BlueZ.adapter: ["Powered": .bool(true)], "org.example.Other": [:]]])
        #expect(objects.paths(with: BlueZ.adapter) == ["/org/bluez/hci0"])
        let path = "/org/bluez/hci0/dev_AA_BB_CC_DD_EE_01"
        #expect(
            objects.apply(.added(path: path, interfaces: [BlueZ.device: device]))
                == [.added(path: path, interface: BlueZ.device)])
        #expect(objects.device(path)?.address == DeviceAddress(kind: .random, value: 0xAABB_CCDD_EE01))
        #expect(objects.device(path)?.isConnected == false)
        #expect(
            objects.apply(
                .changed(
                    path: path, interface: BlueZ.device, properties: ["Connected": .bool(true)], invalidated: ["RSSI"]))
                == [.changed(path: path, interface: BlueZ.device, ["Connected", "RSSI"])])
        #expect(objects.device(path)?.isConnected == true)
        #expect(objects.devices(of: "/org/bluez/hci0").map(\.path) == [path])
        #expect(objects.devices(of: "/org/bluez/hci").isEmpty && objects.devices(of: "/org/bluez/hci00").isEmpty)
        #expect(
            objects.apply(.removed(path: path, interfaces: [BlueZ.device])) == [
                .removed(path: path, interface: BlueZ.device)
            ]
        )
        #expect(objects.device(path) == nil)
        #expect(objects.apply(.removed(path: path, interfaces: [BlueZ.device])).isEmpty)
    }

    @Test func hostileObjectsAreBounded() {
        var objects = BlueZObjects()
        for number in 0..<BlueZObjects.limit + 10 {
            _ = objects.apply(.added(path: "/org/bluez/hci0/x\(number)", interfaces: [BlueZ.device: device]))
        }
        #expect(objects.isFull && objects.devices(of: "/org/bluez/hci0").count == BlueZObjects.limit)
        // Values are not kept, and neither are objects of other services.
        let path = "/org/bluez/hci0/x1"
        _ = objects.apply(
            .changed(
                path: path, interface: BlueZ.device, properties: ["Value": .octets([1, 2])], invalidated: []))
        #expect(objects.properties(path, BlueZ.device)?["Value"] == nil)
        #expect(objects.apply(.changed(path: "/x", interface: BlueZ.device, properties: [:], invalidated: [])).isEmpty)
    }

    @Test(arguments: [
        "", "AA:BB:CC:DD:EE", "AA:BB:CC:DD:EE:FF:00", "AA:BB:CC:DD:EE:G0", "AAA:BB:CC:DD:EE:F", "+1:BB:CC:DD:EE:FF",
        "AA:BB:CC:DD:EE:é",
    ])
    func aDeviceWithoutAnAddressIsNone(text: String) {
        #expect(BlueZDevice("/x", ["Address": .string(text)]) == nil)
    }
}
