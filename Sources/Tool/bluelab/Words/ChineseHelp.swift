import ArgumentParser
import Phrases

/// The help texts in Chinese. The argument parser writes only English ones, and breaks lines at spaces alone.
struct ChineseHelp {
    /// The columns of a line, as in the English help, and of the names of options.
    private static let width = 80
    private static let nameWidth = 26

    let command: CommandDescription
    /// The words that select the command: `bluelab radio wall`.
    let path: [String]
    /// The lines of the usage, after `USAGE: `.
    let usage: [String]

    /// Nil if a message of the argument parser is no help.
    init?(message: String) {
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0.hasPrefix("USAGE: ") }), let all = CommandDescription.all else {
            return nil
        }
        usage = lines[start...].prefix { !$0.isEmpty }.map { String($0.hasPrefix("USAGE: ") ? $0.dropFirst(7) : $0) }
        var command = all
        var path = [all.commandName]
        for word in usage[0].split(separator: " ").dropFirst() {
            guard let next = command.subcommands?.first(where: { $0.commandName == word }) else { break }
            command = next
            path.append(next.commandName)
        }
        (self.command, self.path) = (command, path)
    }

    var lines: [String] {
        var lines = Self.wrapped("概述：" + Self.chinese(command.abstract ?? ""), Self.width)
        if let discussion = command.discussion { lines += [""] + Self.paragraphs(discussion) }
        lines += [""] + usage.enumerated().map { ($0.offset == 0 ? "用法：" : "      ") + $0.element }
        let arguments = CommandDescription.Argument.joined(
            (command.arguments ?? []).filter { $0.shouldDisplay != false })
        lines += section("参数：", arguments.filter { $0.kind == "positional" }.map { ($0.label, $0.chinese) })
        lines += section("选项：", arguments.filter { $0.kind != "positional" }.map { ($0.label, $0.chinese) })
        let commands = (command.subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
        lines += section(
            "子命令：",
            commands.map {
                (
                    $0.commandName == command.defaultSubcommand ? "\($0.commandName) (default)" : $0.commandName,
                    Self.chinese($0.abstract ?? "")
                )
            })
        guard !commands.isEmpty else { return lines }
        let words = (["bluelab", "help"] + path.dropFirst() + ["<subcommand>"]).joined(separator: " ")
        return lines + ["", "  详细帮助见“\(words)”。"]
    }

    private func section(_ title: String, _ entries: [(String, String)]) -> [String] {
        guard !entries.isEmpty else { return [] }
        var lines = ["", title]
        for (name, text) in entries {
            let indent = String(repeating: " ", count: Self.nameWidth)
            let rest = Self.wrapped(text, Self.width - Self.nameWidth)
            let label = "  " + name
            // A long name has a line of its own.
            if TextWidth.of(label) > Self.nameWidth - 1 {
                lines.append(label)
                lines += rest.map { indent + $0 }
            } else {
                lines.append(filled(label, Self.nameWidth) + (rest.first ?? ""))
                lines += rest.dropFirst().map { indent + $0 }
            }
        }
        return lines
    }

    /// The lines of a discussion. Examples stay as they are.
    private static func paragraphs(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
            let line = String(line)
            if line.hasPrefix(exampleWord) { return ["示例：" + line.dropFirst(exampleWord.count)] }
            let translated = translation(ofParagraph: line)
            return line.hasPrefix(" ") ? [translated] : wrapped(translated, width)
        }
    }

    fileprivate static func chinese(_ text: String) -> String { ToolWords.phrase(text).inChinese }

    private static let exampleWord = "Example: "
    private static let exitCodeWord = "Exit codes: "

    /// The Chinese of a paragraph of a discussion.
    static func translation(ofParagraph line: String) -> String {
        guard line.hasPrefix(exitCodeWord) else { return ToolWords.phrase(line).inChinese }
        let codes = ToolError.Kind.allCases.sorted { $0.rawValue < $1.rawValue }
        return "退出码：" + codes.map { "\($0.rawValue) \(ToolWords.phrase($0.meaning).inChinese)" }.joined(separator: "，")
            + "。"
    }

    /// The lines of a help text that need a translation: no examples, no commands, and no default values.
    static func translated(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init).filter { line in
            let isCommand =
                line.hasPrefix("  ")
                && ["bluelab", "BLUETOOTH_CONTROLLER=", "pass ", "btmon "].contains { line.dropFirst(2).hasPrefix($0) }
                && !line.contains("#")
            return !line.hasPrefix(exampleWord) && !line.hasPrefix(exitCodeWord) && !line.hasPrefix("bluelab ")
                && !isCommand
        }.map { CommandDescription.Argument.split($0).text }
    }

    // MARK: Line breaks

    /// Breaks a text into lines of some columns: at spaces, and beside Chinese characters, but not before their punctuation.
    static func wrapped(_ text: String, _ width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for piece in pieces(text) {
            if TextWidth.of(line) + TextWidth.of(piece) > width, !line.isEmpty {
                lines.append(trimmed(line))
                line = piece == " " ? "" : piece
            } else {
                line += piece
            }
        }
        return lines + [trimmed(line)]
    }

    private static func trimmed(_ line: String) -> String {
        line.last == " " ? String(line.dropLast()) : line
    }

    /// What stays together: a word, a Chinese character with the punctuation around it, or a space.
    private static func pieces(_ text: String) -> [String] {
        var pieces: [String] = []
        var opens = false
        for character in text {
            let isWide = TextWidth.of(character) == 2
            let before = pieces.last?.last
            let joins: Bool =
                if "，。；：、）”！？…".contains(character) || opens {
                    true
                } else if isWide || character == " " || "“（".contains(character) {
                    false
                } else {
                    before.map { $0 != " " && TextWidth.of($0) < 2 && $0 != "”" } ?? false
                }
            if joins, !pieces.isEmpty {
                pieces[pieces.count - 1].append(character)
            } else {
                pieces.append(String(character))
            }
            opens = "“（".contains(character)
        }
        return pieces
    }
}

extension CommandDescription.Argument {
    /// The names with the value: `-f, --format <format>`.
    fileprivate var label: String {
        guard kind != "positional" else { return "<\(valueName ?? "")>" + (isRepeating == true ? " ..." : "") }
        let names = (names ?? []).map { ($0.kind == "short" ? "-" : "--") + $0.name }
        let inverse = inverse.map { "/--\($0)" } ?? ""
        return names.joined(separator: ", ") + inverse + (kind == "option" ? " <\(valueName ?? "")>" : "")
    }

    /// The arguments with each pair `--open` and `--no-open`, which share one text, as one argument.
    fileprivate static func joined(_ arguments: [Self]) -> [Self] {
        func name(_ argument: Self) -> String { argument.kind == "flag" ? argument.names?.last?.name ?? "" : "" }
        let names = Set(arguments.map(name))
        return arguments.compactMap { argument in
            let name = name(argument)
            if name.hasPrefix("no-"), names.contains(String(name.dropFirst(3))) { return nil }
            var argument = argument
            if names.contains("no-\(name)") { argument.inverse = "no-\(name)" }
            return argument
        }
    }

    fileprivate var chinese: String {
        let (text, shown) = Self.split(abstract ?? "")
        var notes: [String] = []
        if let allValues, !(valueName ?? "").contains("|") { notes.append("可选值：\(allValues.joined(separator: "、"))") }
        if let value = shown ?? defaultValue { notes.append("默认：\(value)") }
        return ChineseHelp.chinese(text) + (notes.isEmpty ? "" : "（\(notes.joined(separator: "；"))）")
    }

    /// A text without the default value that `Option.init(shown:)` adds, and that value.
    static func split(_ text: String) -> (text: String, value: String?) {
        let mark = " (default: "
        guard text.hasSuffix(")"), let range = text.ranges(of: mark).last else { return (text, nil) }
        return (String(text[..<range.lowerBound]), String(text[range.upperBound...].dropLast()))
    }
}
