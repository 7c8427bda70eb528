import ArgumentParser
import BLEPacketDecoding
import BLERuntime
import BLETransport
import Foundation
import TerminalText

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain what happened in a capture: links, values, errors, and what is unusual.",
        discussion: """
              bluelab explain btsnoop_hci.log
              bluelab explain air.pcapng --json

            Reads captures of any devices: btsnoop of Android, of btmon and of `bluelab capture`; pcapng and pcap with packets of HCI, of \
            the Linux monitor, or of the air, as Wireshark, the nRF Sniffer and `bluelab radio --capture` write them.

            Names the links with their parameters and who asked for them, the services, what was read, written and notified, pairings, \
            errors, and why a link ended. What is unusual has a line with !, the numbers of the packets in Wireshark, and the place in \
            the Core Specification that speaks of it. `bluelab decrypt` shows the content of encrypted packets on the air.

            A file that is cut is read up to the cut. The name - reads the standard input.
            """)

    @Argument(
        help: "The capture (btsnoop, pcapng or pcap), or -.",
        completion: .file(extensions: ["btsnoop", "log", "pcapng", "pcap", "cfa"]))
    var capture: String

    @Flag(help: "Print the result as JSON, one object in each line.")
    var json = false

    @OptionGroup var color: ColorOptions

    func run() throws {
        let reading = try CaptureReading.read(capture)
        if json {
            for record in ExplainRecords(reading).lines { try emit(record) }
            return
        }
        let terminal = color.terminal()
        let language: TextLanguage = bluelab.language == .chinese ? .chinese : .english
        for (number, line) in reading.story.lines(in: language).enumerated() {
            if line.style == .heading, number > 0 { try emit("") }
            let text = ValueText.printable(line.text)
            try emit(line.style.terminalStyle.map { terminal.styled(text, $0) } ?? text)
            if number == 0, let start = reading.story.start {
                try emit("  " + say("The first packet is from \(start)."))
            }
        }
        if let sentence = reading.end.sentence { try emit(terminal.styled(say(sentence), .yellow)) }
        // The standard input cannot be read again.
        if capture != "-" {
            try emit(say("The packets in a browser: bluelab studio --capture \(ShellWord.quoted(capture))"))
        }
    }
}

/// A capture file that is read.
struct CaptureReading {
    /// How the file ended.
    enum End: Hashable {
        case whole
        /// Inside of a packet.
        case cut
        /// At a place that contradicts the format, in octets from its beginning.
        case damaged(offset: Int)

        /// Nil for a whole file.
        var sentence: String? {
            switch self {
            case .whole: nil
            case .cut: "The file ends inside a packet: the rest is missing."
            case .damaged(let offset):
                "The file is damaged from octet \(offset) on, which ends the reading."
            }
        }
    }

    var story: CaptureStory
    var end: End

    /// Reads a file in pieces, or the standard input for -, and calls `body` with its packets.
    static func read(_ path: String, _ body: (CapturedPacket) -> Void = { _ in }) throws -> CaptureReading {
        var reader = CaptureReader()
        var story = CaptureStory()
        var end = End.whole
        var isEmpty = true
        do {
            try InputFile.forEachPiece(path) { piece in
                isEmpty = false
                reader.append(piece)
                while let packet = try reader.next() {
                    story.add(packet)
                    body(packet)
                }
                return true
            }
            guard !isEmpty else {
                throw ToolError(
                    .failed, "\(name(of: path)) is empty.", "Try: bluelab capture trace.btsnoop -- bluelab scan")
            }
            if try !reader.finish() { end = .cut }
        } catch let fault as CaptureReader.Fault {
            end = try self.end(fault, path)
        }
        story.finish()
        return CaptureReading(story: story, end: end)
    }

    private static func name(of path: String) -> String {
        path == "-" ? "the standard input" : ValueText.printable(path)
    }

    /// What is known up to some damage is told. Without it, the file is of no use.
    private static func end(_ fault: CaptureReader.Fault, _ path: String) throws -> End {
        let name = name(of: path)
        switch fault {
        case .damaged(let offset): return .damaged(offset: offset)
        case .unknownFormat:
            throw ToolError(
                .failed, "\(name) is not a capture: it is neither btsnoop, pcapng nor pcap.",
                "Unpack it if it is compressed: an Android bug report has btsnoop_hci.log inside.")
        case .unsupportedLinkType(let number):
            throw ToolError(
                .failed, "\(name) has packets of another protocol (link type \(number)).",
                "Record HCI (187, 201, 254) or the air of Bluetooth LE (251, 256, 272).")
        }
    }
}

extension StoryLine.Style {
    fileprivate var terminalStyle: Terminal.Style? {
        switch self {
        case .heading: .bold
        case .plain: nil
        case .note: .yellow
        case .problem: .red
        }
    }
}
