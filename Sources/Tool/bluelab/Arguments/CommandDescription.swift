import ArgumentParser
import BLERuntime
import Foundation

/// A command as the argument parser describes it.
struct CommandDescription: Decodable {
    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String
        }

        let kind: String
        let names: [Name]?
        let abstract: String?
        let isOptional: Bool?
        let isRepeating: Bool?
        let defaultValue: String?
        let valueName: String?
        let allValues: [String]?
        let shouldDisplay: Bool?
        /// The name of the flag that takes this one back; nil in a description.
        var inverse: String?
    }

    let commandName: String
    let abstract: String?
    let discussion: String?
    let shouldDisplay: Bool?
    let defaultSubcommand: String?
    let subcommands: [CommandDescription]?
    let arguments: [Argument]?

    private struct Dump: Decodable { let command: CommandDescription }

    /// `bluelab` with all its commands.
    static let all: CommandDescription? = {
        try? JSONDecoder().decode(Dump.self, from: Data(Bluelab._dumpHelp().utf8)).command
    }()

    /// The command of this process with another word in place of one; nil if that does not occur exactly once.
    static func ofProcess(replacing word: String, with other: String) -> String? {
        command(CommandLine.arguments.dropFirst(), replacing: word, with: other)
    }

    static func command(_ words: some Collection<String>, replacing word: String, with other: String) -> String? {
        guard words.count(where: { $0 == word }) == 1 else { return nil }
        return "bluelab " + words.map { ShellWord.quoted($0 == word ? other : $0) }.joined(separator: " ")
    }

    /// Whether the command that the words begin with has the option `--controller`.
    static func takesController(_ words: some Sequence<String>) -> Bool {
        var command = all
        for word in words {
            let next = command?.subcommands?.first { $0.commandName == word }
            guard let next else { break }
            command = next
        }
        if let name = command?.defaultSubcommand {
            command = command?.subcommands?.first { $0.commandName == name }
        }
        return command?.longNames(of: "option").contains("--controller") == true
    }

    /// The long names of all options with a value.
    static var valueOptions: Set<String> { Set(all?.longNames(of: "option") ?? []) }

    private func longNames(of kind: String) -> [String] {
        let own = (arguments ?? []).filter { $0.kind == kind }.flatMap { $0.names ?? [] }
        return own.filter { $0.kind == "long" }.map { "--" + $0.name }
            + (subcommands ?? []).flatMap { $0.longNames(of: kind) }
    }
}
