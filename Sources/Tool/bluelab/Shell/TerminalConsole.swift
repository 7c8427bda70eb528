import Foundation

/// A prompt on a terminal with line editing. Output appears above the line that the user types.
@MainActor
final class TerminalConsole: ShellConsole {
    let isInteractive = true
    /// The completion of the text before the cursor.
    var complete: @MainActor (String) -> LineCompletion = { _ in LineCompletion(length: 0, candidates: []) }
    /// Called for Ctrl-C while a command runs.
    var onInterrupt: @MainActor () -> Void = {}

    private let terminal: RawTerminal
    private let style: Terminal
    private let file: HistoryFile?
    private var decoder = KeyDecoder()
    private var editor: LineEditor
    private var screen: LineScreen
    private var prompt = ""
    /// Keys that were typed while a command ran.
    private var typed: [Key] = []
    private var waiter: CheckedContinuation<ShellInput, Never>?
    /// A question and its answer, in place of the prompt and its line.
    private var question: (text: String, editor: LineEditor, waiter: CheckedContinuation<String?, Never>)?
    private var count = 0
    private var isEnded = false
    private var keys: (any DispatchSourceRead)?
    private var resizes: (any DispatchSourceSignal)?

    private static let typedLimit = 4096

    /// - Parameter file: The file of the history.
    init(_ terminal: RawTerminal, style: Terminal, file: HistoryFile?) {
        self.terminal = terminal
        self.style = style
        self.file = file
        editor = LineEditor(history: file?.read() ?? LineHistory())
        screen = LineScreen(columns: TerminalSize.current.columns)
        let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
        keys.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.receive() } }
        keys.resume()
        self.keys = keys
        signal(SIGWINCH, SIG_IGN)
        let resizes = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: .main)
        resizes.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.resize() } }
        resizes.resume()
        self.resizes = resizes
    }

    func close() {
        keys?.cancel()
        resizes?.cancel()
        terminal.restore()
    }

    func end() {
        isEnded = true
        question.take()?.waiter.resume(returning: nil)
        finish(.end)
    }

    // MARK: Input

    func nextInput(prompt: String) async -> ShellInput {
        if isEnded { return .end }
        self.prompt = prompt
        return await withCheckedContinuation { continuation in
            waiter = continuation
            draw()
            process()
        }
    }

    func answer(_ text: String) async -> String? {
        if isEnded { return nil }
        return await withCheckedContinuation { continuation in
            var editor = LineEditor()
            editor.keepsHistory = false
            // Keys from before the question are no answer.
            typed = []
            question = (text, editor, continuation)
            draw()
        }
    }

    func dismissQuestion() {
        guard let question = question.take() else { return }
        terminal.write(screen.leave())
        question.waiter.resume(returning: nil)
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        guard count > 0 else {
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            keys?.cancel()
            return end()
        }
        for key in decoder.keys(from: buffer.prefix(count)) where typed.count < Self.typedLimit {
            if key == .interrupt, waiter == nil, question == nil {
                typed = []
                onInterrupt()
            } else {
                typed.append(key)
            }
        }
        process()
    }

    /// Handles typed keys while a prompt or a question is on display.
    private func process() {
        while !typed.isEmpty, waiter != nil || question != nil {
            let key = typed.removeFirst()
            if question != nil { handleInQuestion(key) } else { handle(key) }
        }
    }

    private func handle(_ key: Key) {
        switch editor.handle(key) {
        case .edited: draw()
        case .refused: terminal.write("\u{07}")
        case .entered(let line):
            terminal.write(screen.leave())
            if let added = editor.addedLine { file?.append(added) }
            count += 1
            finish(.line(line, number: count))
        case .interrupted:
            terminal.write(screen.leave())
            finish(.interrupted)
        case .endOfInput:
            terminal.write(screen.leave())
            finish(.end)
        case .completion:
            let list = editor.complete(complete(editor.head))
            if !list.isEmpty { show(list) }
            draw()
        case .suspended:
            terminal.write(screen.leave())
            terminal.suspend()
            screen.resize(columns: TerminalSize.current.columns)
            draw()
        case .clearScreen:
            terminal.write(screen.erase() + "\u{1B}[H\u{1B}[2J")
            draw()
        }
    }

    private func handleInQuestion(_ key: Key) {
        guard let result = question?.editor.handle(key) else { return }
        switch result {
        case .edited: draw()
        case .entered, .interrupted, .endOfInput:
            let waiter = question.take()?.waiter
            terminal.write(screen.leave())
            if case .entered(let line) = result {
                waiter?.resume(returning: line)
            } else {
                waiter?.resume(returning: nil)
            }
            if result == .interrupted { onInterrupt() }
        case .refused, .completion, .clearScreen, .suspended: terminal.write("\u{07}")
        }
    }

    private func finish(_ input: ShellInput) {
        let waiting = waiter.take()
        waiting?.resume(returning: input)
    }

    // MARK: Output

    func change(prompt: String) {
        self.prompt = prompt
        if waiter != nil { draw() }
    }

    func print(_ line: String) throws {
        terminal.write(screen.erase())
        try emit(line)
        draw()
    }

    func note(_ line: String) {
        terminal.write(screen.erase())
        printError(line)
        draw()
    }

    private func draw() {
        if let question {
            terminal.write(
                screen.draw(prompt: question.text, text: question.editor.text, cursor: question.editor.cursor))
        } else if waiter != nil {
            let style = style
            terminal.write(
                screen.draw(
                    prompt: editor.searchPrompt ?? prompt, text: editor.text, cursor: editor.cursor
                ) { style.styled($0, .cyan) })
        }
    }

    /// Shows candidates in columns above the line.
    private func show(_ list: [String]) {
        let shown = list.prefix(100)
        let width = (shown.map { TextWidth.of($0) }.max() ?? 0) + 2
        let columns = max(1, screen.columns / width)
        var lines: [String] = []
        for start in stride(from: 0, to: shown.count, by: columns) {
            let row = shown[start..<min(start + columns, shown.count)]
            lines.append(
                row.map { $0 + String(repeating: " ", count: width - TextWidth.of($0)) }.joined()
                    .trimmingCharacters(in: .whitespaces))
        }
        if list.count > shown.count { lines.append("and \(list.count - shown.count) more") }
        terminal.write(screen.erase() + lines.map { $0 + "\r\n" }.joined())
    }

    private func resize() {
        screen.resize(columns: TerminalSize.current.columns)
        draw()
    }
}
