import BLEAdapter
import ArgumentParser
import BLETransport

struct RadioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "radio",
        abstract: "Run a virtual radio in real time that several programs share.",
        discussion: """
            `bluelab radio` runs a radio. Each program on it has its own simulated controller with HCI (H4), and receives the \
            packets of the others. A program that uses CoreBluetooth needs no change:

              bluelab radio
              BLUETOOTH_CONTROLLER=radio bluelab serve heart-rate
              BLUETOOTH_CONTROLLER=radio PROGRAM

            The other commands change a running radio. The environment variables BLUETOOTH_RADIO_NAME and \
            BLUETOOTH_RADIO_POSITION (metres, such as 1.5,0) set a program's name and position on the radio. \
            BLUETOOTH_RADIO_ADDRESS sets its address; by default the address depends on the name and the radio's seed. \
            BLUETOOTH_RADIO_PLATFORM gives it the values of a phone or a computer, such as pixel.

            Options: `bluelab help radio serve`.
            """,
        subcommands: [
            RadioServeCommand.self, RadioListCommand.self, RadioMoveCommand.self, RadioLossCommand.self,
            RadioWallCommand.self, RadioBeaconCommand.self, RadioDropCommand.self,
        ],
        defaultSubcommand: RadioServeCommand.self)
}

/// Selects one of the user's radios.
struct RadioNameOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The name of the radio, if several run. Programs join it with BLUETOOTH_CONTROLLER=radio:NAME.",
            valueName: "name"))
    var name: String?

    func validate() throws {
        do throws(SharedRadioEndpoint.EndpointError) {
            _ = try SharedRadioEndpoint(name: name)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func endpoint() throws(SharedRadioEndpoint.EndpointError) -> SharedRadioEndpoint {
        try SharedRadioEndpoint(name: name)
    }
}
