// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

extension ManifestChecks {
    /// Rows 1 to 7 of the section "Channel Sounding (iOS 27)".
    func checkChannelSoundingIOS271(_ objects: ManifestObjects) {
        row(
            "Channel Sounding (iOS 27)", "class", "final class CBChannelSoundingSessionConfiguration : NSObject",
            of: "CBChannelSoundingSessionConfiguration"
        ) {
            let _: NSObject.Type = CBChannelSoundingSessionConfiguration.self
            return isNamed(CBChannelSoundingSessionConfiguration.self, "CBChannelSoundingSessionConfiguration")
        }
        row(
            "Channel Sounding (iOS 27)", "init", "init(role: CBChannelSoundingSessionConfiguration.Role)",
            of: "CBChannelSoundingSessionConfiguration"
        ) {
            let function: (CBChannelSoundingSessionConfiguration.Role) -> CBChannelSoundingSessionConfiguration =
                CBChannelSoundingSessionConfiguration.init(role:)
            return isPresent(function)
        }
        row(
            "Channel Sounding (iOS 27)", "property", "var role: CBChannelSoundingSessionConfiguration.Role { get }",
            of: "CBChannelSoundingSessionConfiguration"
        ) {
            let path: KeyPath<CBChannelSoundingSessionConfiguration, CBChannelSoundingSessionConfiguration.Role> =
                \CBChannelSoundingSessionConfiguration.role
            return isReadOnly(path)
        }
        row(
            "Channel Sounding (iOS 27)", "enum", "enum CBChannelSoundingSessionConfiguration.Role : Int",
            of: "CBChannelSoundingSessionConfiguration.Role"
        ) {
            return isOpenEnumeration(CBChannelSoundingSessionConfiguration.Role.self)
        }
        row(
            "Channel Sounding (iOS 27)", "enum case", "case initiator = 0",
            of: "CBChannelSoundingSessionConfiguration.Role"
        ) {
            return CBChannelSoundingSessionConfiguration.Role.initiator.rawValue == 0
        }
        row(
            "Channel Sounding (iOS 27)", "class", "final class CBChannelSoundingProcedureResults : NSObject",
            of: "CBChannelSoundingProcedureResults"
        ) {
            let _: NSObject.Type = CBChannelSoundingProcedureResults.self
            return isNamed(CBChannelSoundingProcedureResults.self, "CBChannelSoundingProcedureResults")
        }
        row(
            "Channel Sounding (iOS 27)", "property", "var distance: Double { get }",
            of: "CBChannelSoundingProcedureResults"
        ) {
            let path: KeyPath<CBChannelSoundingProcedureResults, Double> = \CBChannelSoundingProcedureResults.distance
            return isReadOnly(path)
        }
    }
}
