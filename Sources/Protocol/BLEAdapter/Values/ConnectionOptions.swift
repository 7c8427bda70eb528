import BLEWire

package struct ConnectionOptions: Hashable, Sendable {
    /// The delay before the attempt starts.
    package var startDelay: TimeSpan
    /// Whether the adapter connects again after a loss of the link.
    package var reconnectsAutomatically: Bool
    package init(startDelay: TimeSpan = .zero, reconnectsAutomatically: Bool = false) {
        self.startDelay = startDelay
        self.reconnectsAutomatically = reconnectsAutomatically
    }
}
