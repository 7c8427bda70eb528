import BLEWire

package struct ConnectionOptions: Hashable, Sendable {
    /// Wait this long before the attempt starts.
    package var startDelay: TimeSpan
    /// Connect again by itself when the link is lost.
    package var reconnectsAutomatically: Bool
    package init(startDelay: TimeSpan = .zero, reconnectsAutomatically: Bool = false) {
        self.startDelay = startDelay
        self.reconnectsAutomatically = reconnectsAutomatically
    }
}
