import StudioServer

/// The capture of the studio, which nothing changes.
///
/// - Topic `capture`: a `CaptureState`, or null without a capture.
/// - Command `capture.story {}` -> `CaptureLines`.
/// - `capture.packets.list` and `capture.packets.detail`: see `PacketViews`.
enum CaptureCommands {
    /// What the names of the commands begin with.
    static let prefix = "capture."

    static func register(_ capture: OpenedCapture?, on hub: StudioHub) {
        hub.addTopic("capture") {
            guard let capture, let text = try? JSONText(encoding: CaptureState(capture)) else {
                return JSONText("null")
            }
            return text
        }
        guard let capture else { return }
        let story = StoryText(capture)
        hub.on(prefix + "story") { (_: Nothing) in await story.lines }
        let packets = capture.air.packets
        PacketViews({ packets }, hci: nil).register(on: hub, prefix: prefix)
    }

    /// The lines of the story. They are made once, when a page first asks for them.
    private actor StoryText {
        private let capture: OpenedCapture
        private(set) lazy var lines = CaptureLines(capture)

        init(_ capture: OpenedCapture) { self.capture = capture }
    }
}
