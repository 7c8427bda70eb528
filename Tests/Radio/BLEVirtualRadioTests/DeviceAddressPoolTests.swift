import BLEWire
import Testing

@testable import BLEVirtualRadio

/// The addresses of the devices on a shared radio.
@Suite struct DeviceAddressPoolTests {
    @Test func anAddressFollowsFromTheSeedAndTheName() {
        var radio = DeviceAddressPool(seed: 1)
        var sameSeed = DeviceAddressPool(seed: 1)
        var otherSeed = DeviceAddressPool(seed: 2)
        let band = radio.allocate(for: "band", requested: nil, kind: .public)
        _ = sameSeed.allocate(for: "phone", requested: nil, kind: .public)
        #expect(sameSeed.allocate(for: "band", requested: nil, kind: .public) == band)
        #expect(otherSeed.allocate(for: "band", requested: nil, kind: .public) != band)
        #expect(radio.allocate(for: "phone", requested: nil, kind: .public) != band)
        // Locally administered, for one device.
        #expect(band.kind == .public && band.value >> 40 & 3 == 2)
    }

    @Test func aReturningDeviceGetsTheAddressOfItsName() {
        var radio = DeviceAddressPool(seed: 1)
        let first = radio.allocate(for: "band", requested: nil, kind: .public)
        let second = radio.allocate(for: "band", requested: nil, kind: .public)
        let third = radio.allocate(for: "band", requested: nil, kind: .public)
        #expect(Set([first, second, third]).count == 3)
        radio.release(first)
        #expect(radio.allocate(for: "band", requested: nil, kind: .public) == first)
        radio.release(second)
        #expect(radio.allocate(for: "band", requested: nil, kind: .public) == second)
    }

    @Test func aRequestedAddressIsUsedUnlessItIsAllocated() {
        var radio = DeviceAddressPool(seed: 1)
        func allocate(_ requested: UInt64, _ kind: DeviceAddress.Kind) -> UInt64 {
            radio.allocate(for: "a", requested: requested, kind: kind).value
        }
        #expect(allocate(0x0200_5E00_0001, .public) == 0x0200_5E00_0001)
        #expect(allocate(0x0200_5E00_0001, .public) == 0x0200_5E00_0002)
        #expect(allocate(0xFFFF_FFFF_FFFE, .public) == 0xFFFF_FFFF_FFFE)
        // No device has all ones or all zeros.
        #expect(allocate(0xFFFF_FFFF_FFFE, .public) == 1)
        // The type of a random address stays.
        #expect(allocate(0xFFFF_FFFF_FFFE, .random) == 0xFFFF_FFFF_FFFE)
        #expect(allocate(0xFFFF_FFFF_FFFE, .random) == 0xC000_0000_0001)
        #expect(allocate(0x3FFF_FFFF_FFFE, .random) == 0x3FFF_FFFF_FFFE)
        #expect(allocate(0x3FFF_FFFF_FFFE, .random) == 1)
    }

    @Test func devicesAndBeaconsHaveDifferentAddresses() {
        var radio = DeviceAddressPool(seed: 1)
        var other = DeviceAddressPool(seed: 1)
        let beacon = radio.allocate(for: "band", requested: nil, kind: .random)
        #expect(beacon.kind == .random && beacon.value >> 46 == 3)
        #expect(radio.allocate(for: "other", requested: beacon.value, kind: .random) != beacon)
        #expect(
            radio.allocate(for: "band", requested: nil, kind: .public)
                == other.allocate(for: "band", requested: nil, kind: .public))
        radio.release(beacon)
        #expect(radio.allocate(for: "band", requested: nil, kind: .random) == beacon)
    }

    @Test func anAddressIsSixPairsOfDigits() {
        #expect(DeviceAddress(text: "02:00:5E:00:00:a1")?.value == 0x0200_5E00_00A1)
        for useless in [
            "", "02", "02:00:5E:00:00", "02:00:5E:00:00:01:02", "2:00:5E:00:00:01", "02:00:5E:00:00:0g",
            "02-00-5E-00-00-01", "00:00:00:00:00:00", "FF:FF:FF:FF:FF:FF", "02:00:5E:00:00:+1",
            "02:00:5E:00:00:\u{FF11}", "01:00:5E:00:00:01",
        ] {
            #expect(DeviceAddress(text: useless) == nil, "\(useless)")
        }
        for (text, isOne) in [("80", false), ("BF", false), ("7F", true), ("C0", true), ("01", true)] {
            #expect((DeviceAddress(text: text + ":00:00:00:00:01", kind: .random) != nil) == isOne, "\(text)")
        }
    }

    @Test func aProcessMayRequestAnAddress() {
        func address(_ entry: String) -> UInt64? {
            ProcessIntroduction(environment: Array(entry.utf8) + [0], commandLine: []).requestedAddress
        }
        #expect(address("BLUETOOTH_RADIO_ADDRESS=02:00:5E:00:00:01") == 0x0200_5E00_0001)
        #expect(address("BLUETOOTH_RADIO_ADDRESS=nonsense") == nil)
        #expect(address("HOME=/root") == nil)
    }

    @Test func anInvalidAddressOfAProcessIsReported() {
        func complaint(_ value: String) -> String? {
            ProcessIntroduction(environment: Array("BLUETOOTH_RADIO_ADDRESS=\(value)".utf8) + [0], commandLine: [])
                .complaint
        }
        #expect(complaint("02:00:5E:00:00:01") == nil)
        for value in ["nonsense", "01:00:5E:00:00:01", ""] {
            let sentence = complaint(value)
            #expect(sentence?.contains("is ignored") == true && sentence?.contains("02:00:5E:00:00:01") == true)
        }
        #expect(complaint("\u{1B}[2J")?.contains("=?[2J ") == true)
    }
}
