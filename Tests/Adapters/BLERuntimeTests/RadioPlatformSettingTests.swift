import BLEHost
import BLEHostAdapter
import BLETransport
import Testing

@testable import BLERuntime

/// `BLUETOOTH_RADIO_PLATFORM` in a program on a shared radio.
struct RadioPlatformSettingTests {
    private func radio() throws -> ControllerChoice { .radio(try SharedRadioEndpoint(name: nil)) }

    @Test(arguments: HostPlatform.presets.keys.sorted()) func eachPresetIsFound(_ name: String) throws {
        let preset = try #require(HostPlatform.presets[name])
        #expect(try RadioPlatformSetting.platform(name, on: radio()) == preset)
        // A radio may listen at a Unix socket. It gives the controller of the platform, so the host has it, too.
        #expect(try RadioPlatformSetting.platform(name, on: .socket(.unix(path: "/run/radio"))) == preset)
        // Other controllers have values of their own.
        #expect(try RadioPlatformSetting.platform(name, on: .socket(.tcp(host: "::1", port: 6402))) == nil)
        #expect(try RadioPlatformSetting.platform(name, on: .socket(.serial(device: "/dev/ttyS0", speed: 9600))) == nil)
        #expect(try RadioPlatformSetting.platform(name, on: .virtual) == nil)
        #expect(try RadioPlatformSetting.platform(name, on: .adapter(0)) == nil)
    }

    @Test func withoutANameThereIsNoPlatform() throws {
        #expect(try RadioPlatformSetting.platform(nil, on: radio()) == nil)
        #expect(try RadioPlatformSetting.platform("", on: radio()) == nil)
        #expect(try RadioPlatformSetting.platform("nonsense", on: .virtual) == nil)
    }

    @Test(arguments: [
        ("iphon", "iphone"), ("Pixel", "pixel"), ("teapot", nil), ("none", nil),
        (String(repeating: "x", count: 500), nil),
    ])
    func anUnknownNameIsRefused(_ name: String, _ spelling: String?) throws {
        let radio = try radio()
        let failure = #expect(throws: ControllerError.self) { try RadioPlatformSetting.platform(name, on: radio) }
        #expect(failure?.kind == .unknownPlatform(spelling: spelling))
        #expect(failure?.isOfSpelling == true)
        let sentence = failure?.sentence ?? ""
        #expect(sentence.hasPrefix("radio: BLUETOOTH_RADIO_PLATFORM=\(name.prefix(40)) names no platform"))
        #expect(
            sentence.contains("write one of bluez, bluez-eatt, galaxy, iphone, iphone-ios-11, pixel, windows, xiaomi."))
        #expect(sentence.contains("did you mean") == (spelling != nil))
        #expect(
            failure?.command
                == (spelling.map { "export BLUETOOTH_RADIO_PLATFORM=\($0)" } ?? "unset BLUETOOTH_RADIO_PLATFORM"))
    }

    @Test func anUnknownNameIsRefusedAtAUnixSocket() {
        let failure = #expect(throws: ControllerError.self) {
            try RadioPlatformSetting.platform("pixle", on: .socket(.unix(path: "/run/radio")))
        }
        #expect(failure?.controller == "unix:/run/radio" && failure?.kind == .unknownPlatform(spelling: "pixel"))
    }

    @Test func theHostHasTheValuesOfThePlatform() {
        let plain = PrivacyConfiguration()
        func configuration(_ platform: HostPlatform?, chosen: Bool = false) -> HostConfiguration {
            RadioPlatformSetting.configuration(platform, privacy: plain, isPrivacyChosen: chosen)
        }
        let pixel = configuration(.android(links: 7))
        #expect(pixel.localMTU == 517 && !pixel.exchangesMTU && pixel.connectionParameters.timeout == 500)
        #expect(pixel.privacy.usesPrivateAddress && pixel.privacy.addressLifetime == .seconds(900))
        // The choice of the user precedes that of the platform.
        #expect(configuration(.android(links: 7), chosen: true).privacy == plain)
        #expect(configuration(.windows).privacy == plain)
        let none = configuration(nil)
        #expect(none.localMTU == HostConfiguration().localMTU && none.exchangesMTU && none.privacy == plain)
    }

    @Test func aPrivacyOfTheProgramAppliesToAPlatformWithoutOne() {
        var privacy = PrivacyConfiguration()
        privacy.usesPrivateAddress = true
        privacy.addressLifetime = .seconds(60)
        let windows = RadioPlatformSetting.configuration(.windows, privacy: privacy, isPrivacyChosen: true)
        #expect(windows.privacy == privacy && windows.localMTU == 517)
    }
}
