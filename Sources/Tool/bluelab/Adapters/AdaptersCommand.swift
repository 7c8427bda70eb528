import ArgumentParser
import BLETransport

struct AdaptersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adapters",
        abstract: "List the Bluetooth adapters of this machine. Needs no privileges.",
        discussion: """
              bluelab adapters
              bluelab adapters --json

            A program uses the first adapter: through bluetoothd if that runs, otherwise directly. BLUETOOTH_CONTROLLER or the option \
            --controller names another controller:

              bluez                the first adapter of bluetoothd
              bluez:hci1           another adapter of bluetoothd
              hci1                 an adapter that the program takes from the kernel
              radio, radio:NAME    the virtual radio that `bluelab radio` runs
              virtual              a virtual radio inside the program
              gateway:HOST:PORT    the radio of a gateway; BLUETOOTH_GATEWAY_KEY has its key
              gateway              the only gateway of the local network
              tcp:HOST:PORT        a controller that speaks H4 there
              unix:PATH            the same over a Unix socket
              serial:DEVICE@SPEED  the same over a serial port

              BLUETOOTH_CONTROLLER=bluez:hci1 PROGRAM

            CONTROLLER is the choice that fits an adapter: bluetoothd's if that runs. STATE is down (available), up (in use by the kernel and bluetoothd), taken (in use by one program), unknown, or \
            switched off, with the command that switches it on. `bluelab doctor` checks everything that a program needs.

            With bluez, a program needs no privileges and works beside other programs. With hci1, a program uses the adapter \
            exclusively, which needs this privilege: \
            sudo setcap 'cap_net_admin,cap_net_raw+eip' PROGRAM
            """)

    @Flag(help: "Print one JSON object per line.")
    var json = false

    func run() throws {
        let adapters = SystemBluetooth.current.localAdapters()
        guard !json else {
            for line in AdapterTable.json(adapters) { try emit(line) }
            return
        }
        guard !adapters.isEmpty else {
            throw ToolError(
                .noAdapter, AdapterTable.advice(hasBluetooth: SystemBluetooth.current.hasBluetooth),
                "Try: bluelab doctor")
        }
        for line in AdapterTable.lines(adapters, hasDaemon: SystemBluetooth.current.isDaemonRunning) { try emit(line) }
    }
}
