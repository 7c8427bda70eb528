import Foundation

/// The results of one Channel Sounding procedure. Linux never creates one.
public final class CBChannelSoundingProcedureResults: NSObject {
    /// The distance in metres; negative if the measurement is not valid.
    public let distance: Double

    init(distance: Double) {
        self.distance = distance
        super.init()
    }
}
