/// The descriptions in the completions for a shell, in Chinese. Those for bash have none.
struct ChineseCompletions {
    private let shell: CompletionsCommand.Shell
    /// The Chinese of each description, both as the shell reads them.
    private let texts: [String: String]

    init(_ shell: CompletionsCommand.Shell) {
        self.shell = shell
        var texts: [String: String] = [:]
        func add(_ command: CommandDescription) {
            for text in [command.abstract] + (command.arguments ?? []).map(\.abstract) {
                guard let text, !text.isEmpty else { continue }
                texts[Self.escaped(text, shell)] = Self.escaped(Self.chinese(text), shell)
                // The commands in a list for zsh keep their punctuation.
                guard shell == .zsh else { continue }
                texts[Self.escaped(text, .zsh, "")] = Self.escaped(Self.chinese(text), .zsh, "")
            }
            for subcommand in command.subcommands ?? [] { add(subcommand) }
        }
        if let all = CommandDescription.all { add(all) }
        self.texts = texts
    }

    /// A description with its default value.
    private static func chinese(_ text: String) -> String {
        let (text, value) = CommandDescription.Argument.split(text)
        return ToolWords.phrase(text).inChinese + (value.map { "（默认：\($0)）" } ?? "")
    }

    /// The text as the argument parser writes it between the quotes of a shell.
    ///
    /// - Parameter marks: The characters before which zsh needs a backslash.
    private static func escaped(
        _ text: String, _ shell: CompletionsCommand.Shell, _ marks: String = "[]:\\"
    ) -> String {
        switch shell {
        case .bash: text
        case .zsh:
            text.map { character in
                character == "'" ? "'\\''" : marks.contains(character) ? "\\\(character)" : String(character)
            }.joined()
        case .fish: text.map { "'\\".contains($0) ? "\\\($0)" : String($0) }.joined()
        }
    }

    /// The script with the descriptions in Chinese.
    func translated(_ script: String) -> String {
        switch shell {
        case .bash: script
        case .zsh: script.split(separator: "\n", omittingEmptySubsequences: false).map(zsh).joined(separator: "\n")
        case .fish: script.split(separator: "\n", omittingEmptySubsequences: false).map(fish).joined(separator: "\n")
        }
    }

    /// `'scan:List the devices.'`, and `'--seed[Determines all draws.]:number:'`.
    private func zsh(_ line: Substring) -> String {
        for (open, close) in [("[", "]"), (":", "'")] {
            guard let start = line.firstRange(of: open),
                let end = line[start.upperBound...].ranges(of: close).first(
                    where: { texts[String(line[start.upperBound..<$0.lowerBound])] != nil })
            else { continue }
            let text = texts[String(line[start.upperBound..<end.lowerBound])] ?? ""
            return String(line[..<start.upperBound]) + text + line[end.lowerBound...]
        }
        return String(line)
    }

    /// `complete ... -d 'List the devices.'`.
    private func fish(_ line: Substring) -> String {
        guard let start = line.firstRange(of: "-d '"),
            let end = line[start.upperBound...].ranges(of: "'").first(
                where: { texts[String(line[start.upperBound..<$0.lowerBound])] != nil })
        else { return String(line) }
        let text = texts[String(line[start.upperBound..<end.lowerBound])] ?? ""
        return String(line[..<start.upperBound]) + text + line[end.lowerBound...]
    }
}
