import BLEAdapter
import BLETransport

/// The list of adapters as a table and as JSON.
enum AdapterTable {
    /// - Parameter hasDaemon: Whether bluetoothd runs.
    static func lines(_ adapters: [LocalAdapter], hasDaemon: Bool) -> [String] {
        let rows =
            [["NAME", "ADDRESS", "BUS", "STATE", "CONTROLLER", "PRODUCT"].map(say)]
            + adapters.map { adapter in
                [
                    adapter.name, adapter.address?.description ?? say("unknown"), adapter.bus,
                    say(state(adapter)),
                    controller(adapter, hasDaemon), adapter.product ?? "",
                ]
            }
        let widths = rows[0].indices.map { column in rows.map { TextWidth.of($0[column]) }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (text, width) in zip(row, widths) {
                line += filled(text, width + 2)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    static func json(_ adapters: [LocalAdapter]) -> [String] { adapters.map { jsonLine(AdapterRecord($0)) } }

    /// The value of BLUETOOTH_CONTROLLER that fits an adapter.
    private static func controller(_ adapter: LocalAdapter, _ hasDaemon: Bool) -> String {
        hasDaemon && adapter.power != .taken ? "bluez:\(adapter.name)" : adapter.name
    }

    static func state(_ adapter: LocalAdapter) -> String {
        let power =
            switch adapter.power {
            case .unknown: "unknown"
            case .down: "down"
            case .up: "up"
            case .taken: "taken by a program"
            }
        return switch adapter.radio {
        case .on: power
        case .softBlocked: "switched off (sudo rfkill unblock bluetooth)"
        case .hardBlocked: "switched off by the machine's switch"
        }
    }

    static func advice(hasBluetooth: Bool) -> String {
        let other =
            "Without an adapter, run `bluelab demo`, or set BLUETOOTH_CONTROLLER to tcp:HOST:PORT, unix:PATH, serial:DEVICE@SPEED or "
            + "virtual."
        return hasBluetooth
            ? "This machine has no Bluetooth adapter: plug one in. If it is plugged in, look for its driver at the end of sudo dmesg. \(other)"
            : "This machine has no Bluetooth adapter, and its kernel has no Bluetooth support: try sudo modprobe bluetooth. In a "
                + "container, run on the host instead. \(other)"
    }
}

/// The output of `bluelab adapters --json`.
private struct AdapterRecord: Encodable {
    let type = "adapter"
    let name: String
    let address: String?
    let bus: String
    let power: String
    let radio: String
    let product: String?

    init(_ adapter: LocalAdapter) {
        name = adapter.name
        address = adapter.address?.description
        bus = adapter.bus
        power = "\(adapter.power)"
        radio = "\(adapter.radio)"
        product = adapter.product.map(ValueText.printable)
    }
}
