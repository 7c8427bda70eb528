import ArgumentParser
import BLETransport

struct AdaptersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adapters",
        abstract: "The Bluetooth adapters of this machine. Needs no rights.",
        discussion: """
            A program takes the first of them, unless BLUETOOTH_CONTROLLER names another:

              BLUETOOTH_CONTROLLER=hci1 swift run wristband

            STATE is down (free to be taken), up (the kernel and bluetoothd may use it), taken by a program that has it for itself, \
            unknown, or switched off, with what to do. With --json: name, address and product (null if unknown), bus, power \
            (down, up, taken, unknown) and radio (on, softBlocked, hardBlocked).

            It has its adapter for itself, which needs the right to do so: \
            sudo setcap 'cap_net_admin,cap_net_raw+eip' .build/debug/wristband
            """)

    @Flag(help: "One JSON object a line.")
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
