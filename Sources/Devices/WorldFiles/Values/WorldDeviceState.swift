import BLESimulator

/// What a device does at the moment.
package enum WorldDeviceState: String, Codable, Hashable, CaseIterable, Sendable {
    /// The device has no power.
    case off
    case idle, advertising, scanning, connecting, connected

    /// - Parameter activity: The activity of its controller; nil without power.
    package init(_ activity: RadioActivity?) {
        guard let activity else {
            self = .off
            return
        }
        self =
            if activity.linkCount > 0 { .connected } else if activity.isConnecting {
                .connecting
            } else if activity.isScanning { .scanning } else if activity.isAdvertising { .advertising } else { .idle }
    }
}
