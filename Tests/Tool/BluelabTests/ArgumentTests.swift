import ArgumentParser
import Testing

@testable import bluelab

struct ArgumentTests {
    private static var commands: String {
        Bluelab.configuration.subcommands.map { $0.configuration.commandName ?? "" }.joined(separator: ", ")
    }

    /// What the command line gives: nil if it is taken, else the first line of the message.
    private func refusal(_ line: String) -> String? {
        let arguments = Bluelab.completed(line.split(separator: " ").map(String.init))
        if let complaint = Bluelab.complaint(about: arguments) { return complaint }
        do {
            _ = try Bluelab.parseAsRoot(arguments)
            return nil
        } catch {
            guard Bluelab.exitCode(for: error) == .validationFailure else { return nil }
            return Bluelab.message(for: error)
        }
    }

    @Test(arguments: ["demo --seed", "radio --seed", "radio serve --seed"])
    func aSeedIsAWholeNumber(line: String) {
        for value in ["-1", "x", "1.5", "18446744073709551616"] {
            let text = refusal("\(line) \(value)")
            #expect(text?.contains("'\(value)'") == true)
            #expect(text?.contains("a seed must be a whole number from 0 to 18446744073709551615.") == true)
        }
        #expect(refusal("\(line) 18446744073709551615") == nil)
    }

    @Test func aPortIsBelow65536() {
        for value in ["99999", "-1", "x"] {
            let text = refusal("studio --port \(value)")
            #expect(text?.contains("a port must be a whole number from 0 to 65535.") == true, "\(text ?? "")")
        }
        #expect(refusal("studio --port 0") == nil)
    }

    @Test(arguments: [("scna", "scan"), ("radio lits", "list"), ("gateway serv", "serve")])
    func aMistypedCommandIsGuessed(line: String, guess: String) {
        let text = refusal(line)
        #expect(text?.contains(". Did you mean \(guess)? Its commands are ") == true, "\(text ?? "")")
    }

    @Test(arguments: [
        ("Try: bluelab scan", "Try: bluelab scan --controller radio"),
        (
            "No device is paired. Try: bluelab pair DEVICE",
            "No device is paired. Try: bluelab pair DEVICE --controller radio"
        ),
        (
            "Try: bluelab unpair x, then bluelab pair x",
            "Try: bluelab unpair x --controller radio, then bluelab pair x --controller radio"
        ),
        ("Try: bluelab doctor", "Try: bluelab doctor --controller radio"),
        ("Try: bluelab doctor --controller virtual", nil), ("Try: bluelab help scan", nil), ("Try: bluelab radio", nil),
        ("Try: bluelab serve --list", nil), ("Try: df -h /", nil), ("bluelab: it failed.", nil),
    ])
    func aSuggestedCommandRepeatsTheController(line: String, repeated: String?) {
        #expect(ControllerSelection.repeated(in: line, "radio") == repeated ?? line)
        #expect(ControllerSelection.repeated(in: line, nil) == line)
    }

    @Test func aCommandWithAnotherWord() {
        let words = ["notify", "heart", "heart rate"]
        #expect(
            CommandDescription.command(words, replacing: "heart rate", with: "180D/2A37")
                == "bluelab notify heart 180D/2A37")
        #expect(CommandDescription.command(words, replacing: "rate", with: "x") == nil)
        #expect(CommandDescription.command(["read", "x", "x"], replacing: "x", with: "y") == nil)
    }

    @Test(arguments: ["demo --distance", "radio --distance"])
    func aDistanceIsInMetres(line: String) {
        for value in ["-4", "x", "1001", "nan", "inf", "-inf"] {
            let text = refusal("\(line) \(value)")
            #expect(text?.contains("'\(value)'") == true, "\(text ?? "")")
            #expect(text?.contains("a distance must be a number of metres from 0 to 1000.") == true)
        }
        #expect(refusal("\(line) 0") == nil)
    }

    @Test(arguments: ["scan --duration", "explore x --timeout", "notify x y --duration", "beacon watch --every"])
    func aTimeIsAbove0(line: String) {
        for value in ["-1", "0", "x", "10s", "inf", "-0.5", "1000001"] {
            let text = refusal("\(line) \(value)")
            #expect(text?.contains("a time must be a number of seconds above 0") == true, "\(text ?? "")")
        }
        #expect(refusal("\(line) 0.5") == nil)
    }

    @Test(
        arguments: [
            ("--service zzzz", "no service is \"zzzz\""), ("--not-service 18", "no service is"),
            ("--service 180D", nil),
            ("--service 0x180d", nil), ("--service rate", nil), ("--service 0000180d-0000-1000-8000-00805f9b34fb", nil),
            ("--service 5b1d0000", nil), ("--company nobody,", "no company is"), ("--company apple", nil),
            ("--not-company 004C", nil), ("--minimum-rssi -128", "-127 to 20 dBm"),
            ("--maximum-rssi 21", "-127 to 20 dBm"),
            ("--minimum-rssi -50 --maximum-rssi -60", "no signal is"), ("--minimum-rssi -60 --maximum-rssi -50", nil),
        ] as [(String, String?)])
    func aFilterThatFitsNothingIsRefused(options: String, reason: String?) {
        let text = refusal("scan \(options)")
        if let reason {
            #expect(text?.contains(reason) == true, "\(text ?? "")")
        } else {
            #expect(text == nil, "\(text ?? "")")
        }
    }

    @Test(arguments: ["radio --listen nope", "radio --listen tcp:host", "radio loss all 101", "radio loss all nan"])
    func impossibleArgumentsAreRefusedAtOnce(line: String) {
        #expect(refusal(line) != nil)
    }

    @Test func aPaceIsAbove0() {
        for value in ["-1", "0", "x"] {
            #expect(refusal("radio --pace \(value)") == "--pace must be a number above 0, or unlimited, not \(value).")
        }
    }

    @Test func aTraceIsAirOrHCI() throws {
        #expect(refusal("demo --trace foo")?.contains("'foo'") == true)
        for line in ["demo --trace", "demo --trace --no-color", "demo --trace air"] {
            let demo = try Bluelab.parseAsRoot(Bluelab.completed(line.split(separator: " ").map(String.init)))
            #expect((demo as? WristbandDemoCommand)?.trace == .air)
        }
    }

    @Test(arguments: [
        (
            "nope",
            "\"nope\" is not a command of bluelab. Its commands are \(Self.commands); bluelab help describes them."
        ),
        (
            "help nope",
            "\"nope\" is not a command of bluelab. Its commands are \(Self.commands); bluelab help describes them."
        ),
        (
            "radio wall nope",
            "\"nope\" is not a command of bluelab radio wall. Its commands are add, remove, list; bluelab help radio wall describes them."
        ),
        (
            "help demo nope",
            "\"nope\" is not a command of bluelab demo. Its commands are wristband, lamp; bluelab help describes them."
        ),
        ("help demo lamp nope", "bluelab demo lamp has no commands, so there is no help for \"nope\"."),
    ])
    func anUnknownCommandIsNamed(line: String, sentence: String) { #expect(refusal(line) == sentence) }

    @Test func theCommandsOfTheRadioAreNamed() throws {
        for line in ["radio nope", "help radio nope"] {
            let sentence = try #require(refusal(line))
            #expect(sentence.hasPrefix("\"nope\" is not a command of bluelab radio. Its commands are serve, list, "))
            for command in RadioCommand.configuration.subcommands {
                #expect(sentence.contains(try #require(command.configuration.commandName)))
            }
        }
    }

    @Test(arguments: [
        "", "help", "help demo", "help radio", "help radio wall", "help radio wall add", "--help", "--version",
    ])
    func aKnownCommandIsAccepted(line: String) { #expect(refusal(line) == nil) }

    @Test func theVersionHasItsSourceAndItsCompiler() {
        #expect(toolVersionText.hasPrefix("\(toolVersion) ("))
        #expect(toolVersionText.contains(", Swift 6."))
        #expect(Bluelab.configuration.version == toolVersionText)
    }

    @Test func helpAfterACommandIsTheHelpOfThatCommand() {
        #expect(Bluelab.completed(["radio", "help"]) == ["help", "radio"])
        #expect(Bluelab.completed(["radio", "wall", "help", "add"]) == ["help", "radio", "wall", "add"])
        #expect(Bluelab.completed(["radio", "drop", "help"]) == ["radio", "drop", "help"])
    }

    @Test func optionsMayFollowNegativeCoordinates() throws {
        let arguments = Bluelab.completed(["radio", "move", "phone", "-1", "2", "--name", "lab", "-3"])
        let move = try #require(try Bluelab.parseAsRoot(arguments) as? RadioMoveCommand)
        #expect([move.x, move.y, move.z] == [-1, 2, -3])
        #expect(move.radio.name == "lab")
    }
}
