import BLEAdapter
import BLEHost
import BLEHostAdapter
import BLEVirtualRadio
import BLEWire

/// The platform that `BLUETOOTH_RADIO_PLATFORM` selects for this program on a radio. A radio reads that variable of each program at its Unix sockets, so the
/// host has the platform at all of them.
enum RadioPlatformSetting {
    /// The platform of a text; nil for none, or for a controller other than a shared radio and a Unix socket.
    ///
    /// - Throws: `ControllerError` for a text that names no platform.
    static func platform(
        _ text: String?, on choice: ControllerChoice
    ) throws(ControllerError) -> HostPlatform? {
        guard let text, !text.isEmpty else { return nil }
        switch choice {
        case .radio, .socket(.unix): break
        default: return nil
        }
        let presets = HostPlatform.presets
        guard let platform = presets[text] else {
            let name = String(text.prefix(40))
            let spelling = Spelling.nearest(to: name, in: presets.keys.sorted())
            throw ControllerError(
                choice, .unknownPlatform(spelling: spelling), RequestedPlatform.complaint(name, presets.keys))
        }
        return platform
    }

    /// The configuration of the host of a platform.
    ///
    /// - Parameters:
    ///   - privacy: That of the program.
    ///   - isPrivacyChosen: Whether the user has chosen it, so that it precedes that of the platform.
    static func configuration(
        _ platform: HostPlatform?, privacy: PrivacyConfiguration, isPrivacyChosen: Bool
    ) -> HostConfiguration {
        var configuration = platform?.hostConfiguration ?? HostConfiguration()
        if isPrivacyChosen || platform?.privateAddressInterval == nil { configuration.privacy = privacy }
        return configuration
    }
}
