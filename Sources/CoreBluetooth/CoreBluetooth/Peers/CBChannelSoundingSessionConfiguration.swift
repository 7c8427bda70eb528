import Foundation

/// The parameters of a Channel Sounding session.
///
/// Linux does not support Channel Sounding: a started session completes with an error at once.
public final class CBChannelSoundingSessionConfiguration: NSObject {
    /// The role of the local device.
    public typealias Role = CBChannelSoundingSessionConfigurationRole

    /// The role of the local device.
    public let role: Role

    /// Creates a configuration.
    ///
    /// - Parameter role: The role of the local device.
    public init(role: Role) {
        self.role = role
        super.init()
    }
}
