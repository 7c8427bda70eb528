#if !canImport(Darwin)
import Foundation

/// How a Channel Sounding session is to be run.
///
/// Linux has no Channel Sounding: a session that is started completes with an error at once.
public final class CBChannelSoundingSessionConfiguration: NSObject {
    /// The role of this side.
    public typealias Role = CBChannelSoundingSessionConfigurationRole

    /// The role of this side.
    public let role: Role

    /// Makes a configuration.
    ///
    /// - Parameter role: The role of this side.
    public init(role: Role) {
        self.role = role
        super.init()
    }
}
#endif
