import BLEWire
import Testing

@testable import BLERuntime

/// Which addresses the guests of a radio get.
@Suite struct GuestAddressTests {
    @Test func anAddressFollowsFromTheSeedAndTheName() {
        var radio = GuestAddresses(seed: 1)
        var sameSeed = GuestAddresses(seed: 1)
        var otherSeed = GuestAddresses(seed: 2)
        let band = radio.take(for: "band", wish: nil)
        _ = sameSeed.take(for: "phone", wish: nil)
        #expect(sameSeed.take(for: "band", wish: nil) == band)
        #expect(otherSeed.take(for: "band", wish: nil) != band)
        #expect(radio.take(for: "phone", wish: nil) != band)
        // Locally administered, for one device.
        #expect(band >> 40 & 3 == 2 && band >> 48 == 0)
    }

    @Test func theFirstOfANameThatComesBackGetsItsOwnAddress() {
        var radio = GuestAddresses(seed: 1)
        let first = radio.take(for: "band", wish: nil)
        let second = radio.take(for: "band", wish: nil)
        let third = radio.take(for: "band", wish: nil)
        #expect(Set([first, second, third]).count == 3)
        radio.giveBack(first)
        #expect(radio.take(for: "band", wish: nil) == first)
        radio.giveBack(second)
        #expect(radio.take(for: "band", wish: nil) == second)
    }

    @Test func aWishIsMetUnlessTheAddressIsTaken() {
        var radio = GuestAddresses(seed: 1)
        #expect(radio.take(for: "a", wish: 0xFFFF_FFFF_FFFF) == 0xFFFF_FFFF_FFFF)
        #expect(radio.take(for: "b", wish: 0xFFFF_FFFF_FFFF) == 1)
        #expect(radio.take(for: "c", wish: 0x0200_5E00_0001) == 0x0200_5E00_0001)
        #expect(radio.take(for: "c", wish: 0x0200_5E00_0001) == 0x0200_5E00_0002)
    }

    @Test func anAddressIsSixPairsOfDigits() {
        #expect(DeviceAddress(text: "02:00:5E:00:00:a1")?.value == 0x0200_5E00_00A1)
        for useless in [
            "", "02", "02:00:5E:00:00", "02:00:5E:00:00:01:02", "2:00:5E:00:00:01", "02:00:5E:00:00:0g",
            "02-00-5E-00-00-01", "00:00:00:00:00:00", "FF:FF:FF:FF:FF:FF", "02:00:5E:00:00:+1",
            "02:00:5E:00:00:\u{FF11}",
        ] {
            #expect(DeviceAddress(text: useless) == nil, "\(useless)")
        }
    }

    @Test func aProcessMayWishForAnAddress() {
        func address(_ entry: String) -> UInt64? {
            ProcessIntroduction(environment: Array(entry.utf8) + [0], commandLine: []).address
        }
        #expect(address("BLUETOOTH_RADIO_ADDRESS=02:00:5E:00:00:01") == 0x0200_5E00_0001)
        #expect(address("BLUETOOTH_RADIO_ADDRESS=nonsense") == nil)
        #expect(address("HOME=/root") == nil)
    }
}
