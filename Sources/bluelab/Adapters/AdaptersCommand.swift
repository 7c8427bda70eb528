import ArgumentParser
import BLETransport

struct AdaptersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adapters",
        abstract: "List the Bluetooth adapters of this machine. Needs no privileges.",
        discussion: """
            A program uses the first adapter, unless BLUETOOTH_CONTROLLER names another one:

              BLUETOOTH_CONTROLLER=hci1 swift run wristband

            STATE is down (available), up (in use by the kernel and bluetoothd), taken (in use by one program), unknown, or \
            switched off, with the command that switches it on. With --json: name, address and product (null if unknown), bus, \
            power (down, up, taken, unknown) and radio (on, softBlocked, hardBlocked).

            A program uses its adapter exclusively, which needs this privilege: \
            sudo setcap 'cap_net_admin,cap_net_raw+eip' .build/debug/wristband
            """)

    @Flag(help: "Print one JSON object per line.")
    var json = false

    func run() throws {
        let adapters = SystemBluetooth.current.localAdapters()
        guard !json else {
            for line in AdapterTable.json(adapters) { print(line) }
            return
        }
        guard !adapters.isEmpty else {
            printError(AdapterTable.advice(hasBluetooth: SystemBluetooth.current.hasBluetooth))
            throw ExitCode(ToolFailure.Kind.noAdapter.rawValue)
        }
        for line in AdapterTable.lines(adapters) { print(line) }
    }
}
