import ArgumentParser

struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print the completions of this tool for a shell.",
        discussion: """
              bluelab completions bash > ~/.local/share/bash-completion/completions/bluelab
              bluelab completions zsh > ~/.zfunc/_bluelab      # with fpath+=~/.zfunc before compinit
              bluelab completions fish > ~/.config/fish/completions/bluelab.fish

            The completions contain the commands, options and their values, and for DEVICE the devices to which this user was connected.
            """)

    enum Shell: String, CaseIterable, ExpressibleByArgument { case bash, zsh, fish }

    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: Shell

    func run() throws {
        let target: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        let script = Bluelab.completionScript(for: target)
        try emit(language == .english ? script : ChineseCompletions(shell).translated(script))
    }
}
