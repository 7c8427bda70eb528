import BLEWire
import DeviceFiles
import Testing

struct DeviceCloneTests {
    private func clone(_ services: [DiscoveredDevice.Service]) -> DeviceClone {
        DeviceClone(
            DiscoveredDevice(name: "Scale", advertising: AdvertisingProfile(localName: "Scale"), services: services))
    }

    @Test func aTextOfAClonedValueStaysText() {
        #expect(DeviceClone.format(of: Array("Hello".utf8)).name == "utf8")
        #expect(DeviceClone.format(of: [0x41]).name == "hex")
        #expect(DeviceClone.format(of: [0x41, 0x00]).name == "hex")
        #expect(DeviceClone.format(of: [0xFF, 0xFE]).name == "hex")
    }

    @Test func includedServicesComeBeforeTheServicesThatIncludeThem() throws {
        let outer = DiscoveredDevice.Service(
            uuid: BluetoothUUID(0xFFF0 as UInt16), isPrimary: true, includes: [2], characteristics: [])
        let host = DiscoveredDevice.Service(uuid: BluetoothUUID(0x1801 as UInt16), isPrimary: true, characteristics: [])
        let inner = DiscoveredDevice.Service(
            uuid: BluetoothUUID(0xFFE0 as UInt16), isPrimary: false, characteristics: [])
        let profile = clone([outer, host, inner]).profile
        #expect(profile.services.map { "\($0.uuid)" } == ["FFE0", "FFF0"])
        #expect(profile.services.map(\.includes) == [[], [0]])
        #expect(try DeviceProfile(text: profile.yaml(), file: "p") == profile)
    }

    @Test func servicesThatIncludeEachOtherEnd() {
        let services = (0..<3).map { index in
            DiscoveredDevice.Service(
                uuid: BluetoothUUID(UInt16(0xFFE0 + index)), isPrimary: true, includes: [(index + 1) % 3, 99],
                characteristics: [])
        }
        let profile = clone(services).profile
        #expect(profile.services.map { "\($0.uuid)" } == ["FFE2", "FFE1", "FFE0"])
        #expect(profile.services.map(\.includes) == [[], [0], [1]])
    }

    @Test func missingValuesBecomeComments() throws {
        let characteristics: [DiscoveredDevice.Characteristic] = [
            .init(
                uuid: BluetoothUUID(0xFFE1 as UInt16), properties: 0x82,
                value: .refused("not\nyet", needsEncryption: true), descriptors: []),
            .init(uuid: BluetoothUUID(0xFFE2 as UInt16), properties: 0x12, value: .unread, descriptors: []),
            .init(
                uuid: BluetoothUUID(0xFFE3 as UInt16), properties: 0x10, value: .unread,
                descriptors: [
                    .init(uuid: BluetoothUUID(0x2902 as UInt16), value: .octets([0, 0])),
                    .init(uuid: BluetoothUUID(0x2901 as UInt16), value: .octets([0xFF])),
                ]),
        ]
        let clone = clone([
            .init(uuid: BluetoothUUID(0xFFE0 as UInt16), isPrimary: true, characteristics: characteristics)
        ])
        #expect(clone.refused == ["FFE1", "FFE2", "2901"])
        let text = clone.profile.yaml(heading: clone.heading)
        #expect(text.hasPrefix("# A clone of Scale.\n"))
        #expect(
            text.contains("# The device also has: extended properties. The value could not be read: not\u{FFFD}yet"))
        #expect(text.contains("# The value was not read."))
        var expected = clone.profile
        for index in expected.characteristics {
            expected[index].comment = nil
            for place in expected[index].descriptors.indices { expected[index].descriptors[place].comment = nil }
        }
        #expect(try DeviceProfile(text: text, file: "p") == expected)
        #expect(expected.services[0].characteristics[0].security == .encryptedRead)
        #expect(expected.services[0].characteristics[2].descriptors.map(\.value) == [[]])
        #expect(text.contains("# The value is not UTF-8 text: ff"))
    }
}
