import Foundation
import Phrases
import TerminalText

/// The language of the help, of messages and of tables. JSON, files, logs and the tools of `mcp` are English.
let language = PhraseLanguage(environment: ProcessInfo.processInfo.environment)

/// A text of this tool in the language of the user.
///
/// The sources have the English text, and `ToolWords` has it beside the Chinese one. A text that is in no book stays English; tests find it.
func say(_ english: String) -> String { language == .english ? english : ToolWords.phrase(english).inChinese }

/// Prints a line to the error stream, in the language of the user. The commands that it suggests get the option `--controller` of this run.
func printError(_ line: String) { TerminalText.printError(say(ControllerSelection.repeated(in: line))) }

/// `text` padded on the left to `width` columns.
func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - TextWidth.of(text))) + text
}

/// `text` padded on the right to `width` columns.
func filled(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - TextWidth.of(text)))
}
