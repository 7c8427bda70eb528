import BLEAdapter
import ArgumentParser
import BLETransport

struct RadioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "radio",
        abstract: "A virtual radio in real time, on which programs meet.",
        discussion: """
            `bluelab radio` runs one. Every program that joins has a simulated controller of its own, which speaks HCI (H4), and \
            all of them hear each other. A program that uses CoreBluetooth joins without a change of its code:

              bluelab radio
              BLUETOOTH_CONTROLLER=radio swift run wristband
              BLUETOOTH_CONTROLLER=radio swift run walkthrough

            The other commands change a radio while it runs. BLUETOOTH_RADIO_NAME and BLUETOOTH_RADIO_POSITION (metres, as \
            1.5,0) in the environment of a program say how it is called there and where it stands. Its address follows from \
            its name and the radio's seed, or is BLUETOOTH_RADIO_ADDRESS.

            Options: `bluelab help radio serve`.
            """,
        subcommands: [
            RadioServeCommand.self, RadioListCommand.self, RadioMoveCommand.self, RadioLossCommand.self,
            RadioWallCommand.self, RadioBeaconCommand.self, RadioDropCommand.self,
        ],
        defaultSubcommand: RadioServeCommand.self)
}

/// Which of the user's radios is meant.
struct RadioNameOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Which radio, if there are several: programs join it with BLUETOOTH_CONTROLLER=radio:NAME.",
            valueName: "name"))
    var name: String?

    func validate() throws {
        do throws(SharedRadioEndpoint.Failure) {
            _ = try SharedRadioEndpoint(name: name)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func endpoint() throws(SharedRadioEndpoint.Failure) -> SharedRadioEndpoint { try SharedRadioEndpoint(name: name) }
}
