import ArgumentParser

/// The option of the commands that print colours.
struct ColorOptions: ParsableArguments {
    @Flag(help: "Disable colours. The environment variable NO_COLOR has the same effect.")
    var noColor = false

    /// - Parameter usesErrorStream: Whether the text goes to the error stream.
    func terminal(usesErrorStream: Bool = false) -> Terminal {
        Terminal(allowsColor: !noColor, usesErrorStream: usesErrorStream)
    }
}
