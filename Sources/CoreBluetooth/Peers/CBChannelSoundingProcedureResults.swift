#if !canImport(Darwin)
import Foundation

/// What one Channel Sounding procedure measured. Never made on Linux.
public final class CBChannelSoundingProcedureResults: NSObject {
    /// The distance in metres; negative if the measurement is not valid.
    public let distance: Double

    init(distance: Double) {
        self.distance = distance
        super.init()
    }
}
#endif
