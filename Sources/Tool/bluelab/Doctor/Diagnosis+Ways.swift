import BLERuntime
import BLETransport

extension Diagnosis {
    /// The way to the radio that fits this machine: bluetoothd, an adapter itself, or none.
    var way: Finding {
        if facts.isDaemonUsable {
            return daemonWay("bluetoothd runs and has an adapter.", fix: facts.usesDaemon ? nil : selectDaemon)
        }
        // Without an adapter, bluetoothd is of no help. Its other failures have commands.
        if facts.daemon != nil, let failure = facts.daemonFailure, failure.kind != .unavailable {
            return daemonWay("bluetoothd runs. \(failure.sentence)", fix: failure.command)
        }
        guard let adapter = facts.adapters.first(where: { needs($0.index) }) ?? facts.adapters.first else {
            let text = "This machine gives programs no radio: neither bluetoothd nor the kernel has an adapter."
            guard needs() || facts.usesDaemon else { return Finding(.way, .note, text) }
            return Finding(
                .way, .note,
                "\(text) They can use a virtual radio (virtual or radio), a gateway, or a controller that speaks H4.",
                fix: "bluelab help adapters")
        }
        return adapterWay(adapter)
    }

    /// The command that selects bluetoothd instead of the adapter that is selected.
    var selectDaemon: String {
        if case .adapter(let index) = facts.choice, facts.adapters.contains(where: { $0.index == index }) {
            return "export BLUETOOTH_CONTROLLER=bluez:hci\(index)"
        }
        return "export BLUETOOTH_CONTROLLER=bluez"
    }

    private func daemonWay(_ reason: String, fix: String?) -> Finding {
        Finding(
            .way, fix == nil ? .ok : .note,
            "bluez fits this machine: \(reason) Programs need no rights there, and work beside other programs.",
            fix: fix)
    }

    private func adapterWay(_ adapter: LocalAdapter) -> Finding {
        let reason =
            facts.daemon == nil ? "bluetoothd does not run." : "bluetoothd runs and has no adapter."
        let text =
            "\(adapter.name) fits this machine: \(reason) A program takes the adapter from the kernel and from other programs, which "
            + "needs rights."
        // bluetoothd would spare the rights.
        if facts.daemon == nil, facts.blueZ != nil, !facts.mayTakeAdapters {
            return Finding(
                .way, .note, "\(text) bluez needs none, as soon as bluetoothd runs.",
                fix: "sudo systemctl start bluetooth")
        }
        return Finding(
            .way, needs() ? .ok : .note, text,
            fix: needs() ? nil : "export BLUETOOTH_CONTROLLER=\(adapter.name)")
    }

    /// What the installed BlueZ lacks and users notice.
    var versionNotes: [Finding] {
        guard facts.usesDaemon, facts.isDaemonUsable, let version = facts.blueZ else { return [] }
        return BlueZLack.all(of: version).map { lack in
            Finding(.bluez, .note, "BlueZ \(version) \(lack.text)", fix: lack.fix)
        }
    }
}

/// What versions of BlueZ before one lack.
struct BlueZLack {
    /// The first version 5.x without the lack.
    let end: Int
    /// The rest of a sentence that begins with the version.
    let text: String
    /// A command.
    var fix: String?

    private static let table = [
        BlueZLack(
            end: 62,
            text:
                "does not tell the MTU: programs see 23 until the first write without response or subscription of a connection."
        ),
        BlueZLack(
            end: 67,
            text:
                "opens further channels for attributes (EATT), with which some devices end the link after 29 s. If that happens, write Channels=1 in "
                + "the section [GATT] of /etc/bluetooth/main.conf.",
            fix: "sudoedit /etc/bluetooth/main.conf && sudo systemctl restart bluetooth"),
        BlueZLack(end: 83, text: "does not tell why a link ended: a lost link looks as if the device had ended it."),
    ]

    /// The lacks of a version such as 5.66; none if the text is no version 5.x.
    static func all(of version: String) -> [BlueZLack] {
        let parts = version.split(separator: ".")
        guard parts.first == "5", parts.count > 1, let number = Int(parts[1]) else { return [] }
        return table.filter { number < $0.end }
    }
}
