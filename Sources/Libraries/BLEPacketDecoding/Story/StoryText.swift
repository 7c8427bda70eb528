import BLEAssignedNumbers
import BLEWire

/// A line of a story.
package struct StoryLine: Hashable, Sendable {
    package enum Style: Hashable, Sendable {
        case heading, plain, note, problem
    }

    /// A piece of a line.
    package struct Part: Hashable, Sendable {
        /// It may contain text that a device sent.
        package var text: String
        /// The number of the packet that the piece names; nil if it names none.
        package var frame: Int?

        init(_ text: String, frame: Int? = nil) {
            self.text = text
            self.frame = frame
        }
    }

    package var style: Style
    package var parts: [Part]

    init(style: Style, parts: [Part]) {
        self.style = style
        self.parts = parts
    }

    init(style: Style, text: String) { self.init(style: style, parts: [Part(text)]) }

    /// The whole line. It may contain text that a device sent.
    package var text: String { parts.reduce(into: "") { $0 += $1.text } }
}

/// The story as lines in a language.
extension CaptureStory {
    /// The most devices that the text names. The others are counted.
    private static let shownAdvertisers = 12

    package func lines(in language: TextLanguage) -> [StoryLine] {
        var lines = [StoryLine(style: .heading, text: summary(language))]
        lines += packetLines(language)
        lines += advertiserLines(language)
        for link in links { lines += linkLines(link, language) }
        if leftOutLinks > 0 {
            lines.append(
                plain(
                    language("\(Self.count(leftOutLinks, "more link")), left out", "另有 \(leftOutLinks) 条链路，已略去")))
        }
        for finding in findings.all {
            lines.append(line(finding, text: LinkWords.text(finding.kind, language), language))
        }
        return lines
    }

    /// A finding of a link as sentences.
    package func text(of finding: CaptureFinding, on link: LinkStory, in language: TextLanguage) -> String {
        LinkWords(language: language, link: link).text(finding.kind)
    }

    /// A finding of no link as sentences.
    package func text(of finding: CaptureFinding, in language: TextLanguage) -> String {
        LinkWords.text(finding.kind, language)
    }

    package func text(of event: LinkEvent, on link: LinkStory, in language: TextLanguage) -> String {
        LinkWords(language: language, link: link).text(event.kind)
    }

    /// The time of a moment since the first packet that has a time, in seconds; 0 if the clock went back.
    package func seconds(_ moment: Moment) -> Double { Double(moment.shownTime) / 1e9 }

    private func plain(_ text: String) -> StoryLine { StoryLine(style: .plain, text: text) }

    // MARK: The capture

    private func summary(_ language: TextLanguage) -> String {
        let span = last.map { seconds($0) } ?? 0
        let problems = links.reduce(findings.problems) { $0 + $1.output.findings.problems }
        return language(
            "\(Self.count(counts.all, "packet")) in \(Self.decimal(span, 1)) s, \(Self.count(links.count, "link")), \(Self.count(advertisers.count, "advertising device")), \(Self.count(problems, "problem"))",
            "\(Self.decimal(span, 1)) 秒，\(counts.all) 个数据包，\(links.count) 条链路，\(advertisers.count) 个广播设备，\(problems) 个问题"
        )
    }

    private func packetLines(_ language: TextLanguage) -> [StoryLine] {
        let texts: [(Int, String)] = [
            (
                counts.other,
                language(Self.count(counts.other, "record") + " of other kinds", "\(counts.other) 条其他种类的记录")
            ),
            (
                counts.truncated,
                language(
                    Self.count(counts.truncated, "packet") + " cut short by the recorder",
                    "\(counts.truncated) 个被记录程序截短的数据包")
            ),
            (
                counts.damaged,
                language(
                    Self.count(counts.damaged, "packet") + " with a wrong CRC, left out",
                    "\(counts.damaged) 个 CRC 错误的数据包，已略去")
            ),
            (
                leftOutReports,
                language(
                    Self.count(leftOutReports, "packet") + " of further advertising devices",
                    "\(leftOutReports) 个其他广播设备的数据包")
            ),
            (
                counts.undecodable,
                language(
                    Self.count(counts.undecodable, "packet") + " that cannot be decoded",
                    "\(counts.undecodable) 个无法解码的数据包")
            ),
        ]
        return texts.filter { $0.0 > 0 }.map { plain("  " + $0.1) }
    }

    private func advertiserLines(_ language: TextLanguage) -> [StoryLine] {
        guard !advertisers.isEmpty else { return [] }
        var lines = [StoryLine(style: .heading, text: language("Advertising devices", "广播设备"))]
        let shown = advertisers.sorted { ($0.packets, $1.first.frame) > ($1.packets, $0.first.frame) }
        for advertiser in shown.prefix(Self.shownAdvertisers) {
            var parts = [device(advertiser.address, language)]
            parts.append(language(Self.count(advertiser.packets, "packet"), "\(advertiser.packets) 个数据包"))
            if let signal = advertiser.signal {
                let (weakest, strongest) = ("\(signal.lowerBound)", "\(signal.upperBound)")
                parts.append((weakest == strongest ? weakest : language.range(weakest, strongest)) + " dBm")
            }
            if advertiser.isConnectable { parts.append(language("connectable", "可连接")) }
            lines.append(plain("  " + parts.joined(separator: language.comma)))
        }
        let more = advertisers.count - Self.shownAdvertisers
        if more > 0 { lines.append(plain(language("  " + Self.count(more, "more device"), "  另有 \(more) 个设备"))) }
        return lines
    }

    private func device(_ address: DeviceAddress, _ language: TextLanguage) -> String {
        let kind =
            address.kind != .random
            ? language("public", "公共")
            : address.isIdentity
                ? language("static random", "静态随机")
                : address.isResolvable ? language("resolvable private", "可解析私有") : language("random", "随机")
        let name = name(of: address).map { " \"\($0)\"" } ?? ""
        return "\(address)\(name) (\(kind))"
    }

    // MARK: A link

    private func linkLines(_ link: LinkStory, _ language: TextLanguage) -> [StoryLine] {
        let words = LinkWords(language: language, link: link)
        var lines = [StoryLine(style: .heading, text: heading(link, language))]
        for event in link.output.events { lines.append(line(event, words)) }
        if link.output.leftOutEvents > 0 {
            let count = link.output.leftOutEvents
            lines.append(plain(language("  " + Self.count(count, "more event"), "  另有 \(count) 个事件")))
        }
        lines += trafficLines(link, words)
        for side in [LinkSide.central, .peripheral] { lines += serverLines(link.servers[side.rawValue], side, words) }
        for finding in link.output.findings.all {
            lines.append(line(finding, text: words.text(finding.kind), language))
        }
        if link.output.findings.leftOut > 0 {
            let count = link.output.findings.leftOut
            lines.append(plain(language("  " + Self.count(count, "more finding"), "  另有 \(count) 项发现")))
        }
        return lines
    }

    private func heading(_ link: LinkStory, _ language: TextLanguage) -> String {
        let roles = [language("central", "中心设备"), language("peripheral", "外设")]
        var parts: [String] = []
        for side in [LinkSide.central, .peripheral] {
            let address = link.addresses[side.rawValue].map { device($0, language) }
            guard link.isRoleKnown else { continue }
            if side == link.local {
                parts.append("\(roles[side.rawValue]) = " + language("this host", "本机"))
            } else if let address {
                parts.append("\(roles[side.rawValue]) = \(address)")
            }
        }
        let number = language("Link \(link.number)", "链路 \(link.number)")
        return parts.isEmpty ? number : number + language(": ", "：") + parts.joined(separator: language.comma)
    }

    private func line(_ event: LinkEvent, _ words: LinkWords) -> StoryLine {
        let frame = words.language("frame \(event.moment.frame)", "帧 \(event.moment.frame)")
        // The name of the packet is a link of the page, and the space after it is not.
        let space = Self.padded(frame, 13).dropFirst(frame.count)
        let time = Self.padded("\(Self.decimal(seconds(event.moment), 3)) s", 13)
        return StoryLine(
            style: .plain,
            parts: [
                StoryLine.Part("  "), StoryLine.Part(frame, frame: event.moment.frame),
                StoryLine.Part(space + time + words.text(event.kind)),
            ])
    }

    private func line(_ finding: CaptureFinding, text: String, _ language: TextLanguage) -> StoryLine {
        let more = finding.count > finding.frames.count ? language(" and more", "等") : ""
        let times = finding.count > 1 ? language(" (\(finding.count) times)", "（\(finding.count) 次）") : ""
        let noun = language(finding.frames.count == 1 ? " Frame " : " Frames ", " 帧 ")
        var parts = [StoryLine.Part("  ! " + text + times + noun)]
        for (index, frame) in finding.frames.enumerated() {
            if index > 0 { parts.append(StoryLine.Part(language.comma)) }
            parts.append(StoryLine.Part("\(frame)", frame: frame))
        }
        parts.append(StoryLine.Part(more + language(". ", "。") + "[\(finding.kind.specification)]"))
        return StoryLine(style: finding.isProblem ? .problem : .note, parts: parts)
    }

    private func trafficLines(_ link: LinkStory, _ words: LinkWords) -> [StoryLine] {
        let language = words.language
        var lines: [StoryLine] = []
        for side in [LinkSide.central, .peripheral] {
            let stream = link.streams[side.rawValue]
            guard stream.packets > 0 else { continue }
            let repeated =
                stream.retransmissions > 0
                ? language(", \(stream.retransmissions) retransmitted", "，重传 \(stream.retransmissions) 次") : ""
            lines.append(
                plain(
                    language(
                        "  \(words.name(side)) sent \(Self.count(stream.packets, "packet")) with \(Self.count(stream.octets, "octet"))",
                        "  \(words.name(side))发送 \(stream.packets) 个数据包，\(stream.octets) 字节") + repeated))
        }
        if link.encryption.hiddenPackets > 0 {
            let count = link.encryption.hiddenPackets
            lines.append(
                plain(
                    language(
                        "  " + Self.count(count, "encrypted packet")
                            + " without plaintext: use bluelab decrypt if you have the key",
                        "  \(count) 个加密的数据包没有明文：如果有密钥，请使用 bluelab decrypt")))
        }
        return lines
    }

    private func serverLines(_ server: ServerStory, _ side: LinkSide, _ words: LinkWords) -> [StoryLine] {
        let language = words.language
        var lines: [StoryLine] = []
        if !server.declared.isEmpty {
            lines.append(plain(language("  found at \(words.name(side)):", "  在\(words.name(side))发现：")))
            for declared in server.declared {
                let handle = hexadecimal(declared.handle, digits: 4)
                let name = ValueText.name(declared.uuid)
                lines.append(plain(declared.kind == .service ? "    \(handle)  \(name)" : "      \(handle)  \(name)"))
            }
        }
        let uses = server.uses.sorted { $0.key < $1.key }
        if !uses.isEmpty {
            lines.append(plain(language("  used at \(words.name(side)):", "  在\(words.name(side))使用：")))
            for (handle, use) in uses {
                lines.append(plain("    " + words.attribute(use.attribute?.uuid, handle) + "  " + text(use, language)))
            }
        }
        if !server.refusals.isEmpty {
            lines.append(plain(language("  errors from \(words.name(side)):", "  \(words.name(side))返回的错误：")))
        }
        for refusal in server.refusals {
            let times = refusal.count > 1 ? language(", \(refusal.count) times", "，\(refusal.count) 次") : ""
            let request =
                "    \(refusal.request.specificationName) \(words.attribute(refusal.attribute?.uuid, refusal.handle)): "
            lines.append(
                StoryLine(
                    style: .plain,
                    parts: [
                        StoryLine.Part(
                            request + language.error(refusal.code) + times + language(", first in ", "，首次在")),
                        StoryLine.Part(
                            language("frame \(refusal.first.frame)", "帧 \(refusal.first.frame)"),
                            frame: refusal.first.frame),
                    ]))
        }
        if server.leftOut > 0 {
            lines.append(
                plain(
                    language(
                        "  \(server.leftOut) uses of further attributes and errors, left out",
                        "  另有 \(server.leftOut) 次属性的使用和错误，已略去")))
        }
        return lines
    }

    private func text(_ use: ServerStory.Use, _ language: TextLanguage) -> String {
        var parts: [String] = []
        if use.reads > 0 { parts.append(language(Self.count(use.reads, "read"), "读取 \(use.reads) 次")) }
        if use.writes > 0 { parts.append(language(Self.count(use.writes, "write"), "写入 \(use.writes) 次")) }
        if use.commands > 0 {
            parts.append(language(Self.count(use.commands, "write") + " without response", "无响应写入 \(use.commands) 次"))
        }
        if use.notifications > 0 {
            parts.append(language(Self.count(use.notifications, "notification"), "通知 \(use.notifications) 次"))
        }
        if use.indications > 0 {
            parts.append(language(Self.count(use.indications, "indication"), "指示 \(use.indications) 次"))
        }
        if let rate = use.rate {
            parts.append(language("\(Self.decimal(rate, 1)) per second", "每秒 \(Self.decimal(rate, 1)) 次"))
        }
        if use.octets > 0 { parts.append(language(Self.count(use.octets, "octet"), language.octets(use.octets))) }
        return parts.isEmpty ? language("subscription only", "仅订阅") : parts.joined(separator: language.comma)
    }

    // MARK: Numbers

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// A number of at least 0 with a fixed number of decimals.
    static func decimal(_ value: Double, _ places: Int) -> String {
        guard value.isFinite, value >= 0, value < 1e12 else { return "0" }
        let scale = (0..<places).reduce(1) { value, _ in value * 10 }
        let units = Int((value * Double(scale)).rounded())
        let fraction = String(units % scale)
        return "\(units / scale)." + String(repeating: "0", count: places - fraction.count) + fraction
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        // A Chinese character has two columns.
        let columns = text.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x2E80 ? 2 : 1) }
        return text + String(repeating: " ", count: max(1, width - columns))
    }
}
