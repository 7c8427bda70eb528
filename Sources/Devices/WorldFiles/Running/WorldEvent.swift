/// A line of a program, or a change that a world file describes.
public struct WorldEvent: Hashable, Sendable, CustomStringConvertible {
    /// The virtual time since the world began.
    public var time: Duration
    /// The identifier of the device; nil for a change of the world.
    public var device: String?
    /// What the program printed or heard, or what changed.
    public var text: String

    init(time: Duration, device: String?, text: String) {
        self.time = time
        self.device = device
        self.text = text
    }

    /// Time in seconds, device and text: `1.002 s phone: connect`.
    public var description: String {
        let milliseconds = (time / .milliseconds(1)).rounded() / 1000
        return "\(milliseconds) s \(device.map { $0 + ": " } ?? "")\(text)"
    }
}
