import BLEPacketDecoding
import Phrases
import StudioRoom

/// A capture file that the studio shows: its packets and its story.
package struct OpenedCapture: Sendable {
    /// The name of the file.
    package var name: String
    package var story: CaptureStory
    package var air: CapturedAir
    /// How the file ended, if it is not whole.
    package var end: Phrase?

    package init(name: String, story: CaptureStory, air: CapturedAir, end: Phrase?) {
        self.name = name
        self.story = story
        self.air = air
        self.end = end
    }
}

/// The topic `capture`.
struct CaptureState: Encodable, Sendable {
    struct Device: Encodable, Sendable {
        var id: String
        /// The name that the device advertised, or its address.
        var name: Phrase
        /// Nil for a host, a controller and the recorder.
        var address: String?
    }

    var name: String
    /// The time of the first packet in milliseconds since 1970; nil if the file does not say it.
    var start: Int64?
    var devices: [Device]
    /// The layers that the packets have.
    var layers: [String]
    /// The packets of the file, and those that the list has.
    var packets: Int
    var kept: Int
    /// Sentences about missing packets: the file is cut, or has more packets than the limit.
    var notes: [Phrase]

    init(_ capture: OpenedCapture) {
        let air = capture.air
        name = String(capture.name.prefix(250))
        start = capture.story.origin.flatMap { $0 > 0 ? $0 / 1_000_000 : nil }
        devices = air.devices.map { device in
            Device(
                id: RoomDevice.identifier(device.number), name: device.name, address: device.address.map { "\($0)" })
        }
        layers = PacketLayer.allCases.filter(air.layers.contains).map(\.rawValue)
        packets = air.count
        kept = air.count - air.leftOut
        notes = [capture.end].compactMap(\.self)
        if air.leftOut > 0 {
            notes.append(
                Phrase(
                    "The list has the first \(kept) of \(packets) packets. The story is about all of them.",
                    "列表只有 \(packets) 个数据包中的前 \(kept) 个。旁边的说明涵盖全部数据包。"))
        }
    }
}

/// The lines of the story in both languages.
struct CaptureLines: Encodable, Sendable {
    struct Line: Encodable, Sendable {
        /// `heading`, `plain`, `note`, or `problem`.
        var style: String
        var parts: [Part]
    }

    struct Part: Encodable, Sendable {
        /// It may contain text that a device sent.
        var text: String
        /// The packet that the text names, if the list has it.
        var n: Int?
    }

    /// The most lines, and the most characters of a part. A story has at most 100,000 lines.
    static let limit = 3000
    private static let textLimit = 1000

    var en: [Line]
    var zh: [Line]
    /// The lines beyond the limit.
    var leftOut: Int

    init(_ capture: OpenedCapture) {
        let kept = capture.air.packets.ring.range
        func lines(_ language: TextLanguage) -> [StoryLine] { capture.story.lines(in: language) }
        func text(_ lines: some Sequence<StoryLine>) -> [Line] {
            lines.map { line in
                Line(
                    style: Self.word(line.style),
                    parts: line.parts.map { part in
                        Part(
                            text: String(part.text.prefix(Self.textLimit)),
                            n: part.frame.flatMap { kept.contains($0) ? $0 : nil })
                    })
            }
        }
        let english = lines(.english)
        en = text(english.prefix(Self.limit))
        zh = text(lines(.chinese).prefix(Self.limit))
        leftOut = max(0, english.count - Self.limit)
    }

    private static func word(_ style: StoryLine.Style) -> String {
        switch style {
        case .heading: "heading"
        case .plain: "plain"
        case .note: "note"
        case .problem: "problem"
        }
    }
}
