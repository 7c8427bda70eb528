import BLERuntime
import BLETransport

/// Computes the findings from the facts. A problem is one that prevents the use of the selected controller, so the adapters of the
/// machine cause notes only while another controller is selected.
struct Diagnosis {
    let facts: MachineFacts

    var findings: [Finding] {
        [controller, way, versions] + versionNotes + kernel + adapters + rights + holders + [store] + radios
    }

    var isUsable: Bool { !findings.contains { $0.state == .problem } }

    /// Whether a program uses the adapter with this number; nil: any adapter.
    func needs(_ index: UInt16? = nil) -> Bool {
        switch facts.choice {
        case .adapter(let selected): index.map { $0 == selected } ?? true
        // Without a selection, a program uses the first adapter.
        case .none: facts.selection.map(\.isEmpty) ?? true
        default: false
        }
    }

    /// The adapter that a program uses.
    private var selected: LocalAdapter? {
        guard case .adapter(let index) = facts.choice else { return nil }
        return facts.adapters.first { $0.index == index }
    }

    // MARK: The controller

    private var controller: Finding {
        let origin =
            switch facts.selection {
            case .some(let text) where !text.isEmpty: "BLUETOOTH_CONTROLLER is \(text)"
            default: "BLUETOOTH_CONTROLLER is not set"
            }
        switch facts.choice {
        case .none(let failure):
            // The findings about adapters follow, so the sentence about them is not repeated.
            guard !needs() else {
                return Finding(
                    .controller, .problem, "\(origin), and this machine has no Bluetooth adapter.",
                    fix: facts.isDaemonUsable ? selectDaemon : radioCommand)
            }
            return Finding(.controller, .problem, failure.sentence, fix: failure.command)
        case .adapter(let index):
            let name = "hci\(index)"
            guard selected == nil else {
                return Finding(.controller, .ok, "\(origin): programs use \(name).")
            }
            return Finding(
                .controller, .problem, "\(origin), but this machine has no \(name).",
                fix: facts.adapters.isEmpty ? "unset BLUETOOTH_CONTROLLER" : "bluelab adapters")
        case .virtual: return reached("a virtual radio inside each program.", origin)
        case .radio(let endpoint): return reached("the virtual radio at \(endpoint.address).", origin)
        case .bluez(let name):
            return reached("programs use \(name ?? "the first adapter") of bluetoothd.", origin)
        case .gateway(let place): return reached("\(place) can be used.", origin)
        case .socket(let address): return reached("\(address) accepts a connection.", origin)
        }
    }

    /// The command that shows the devices of the radio that runs, or of a new one.
    private var radioCommand: String {
        facts.runningRadio.map { "bluelab scan --controller \($0)" }
            ?? "bluelab radio --world readme & BLUETOOTH_CONTROLLER=radio bluelab scan"
    }

    /// The finding about a controller that the probe has tried.
    private func reached(_ text: String, _ origin: String) -> Finding {
        guard let failure = facts.controllerFailure else {
            return Finding(.controller, .ok, "\(origin): \(text)")
        }
        return Finding(.controller, .problem, "\(origin). \(failure.sentence)", fix: failure.command)
    }

    private var versions: Finding {
        let parts = [
            "bluelab \(toolVersion)", facts.kernel.map { "Linux \($0)" }, facts.distribution,
            facts.blueZ.map { "BlueZ \($0)" } ?? "no BlueZ",
        ]
        return Finding(.versions, .ok, parts.compactMap(\.self).joined(separator: ", ") + ".")
    }

    // MARK: Adapters

    private var kernel: [Finding] {
        // An adapter of bluetoothd shows that there is Bluetooth, also behind the bus of another machine.
        guard !facts.hasBluetooth, !facts.isDaemonUsable else { return [] }
        let state: Finding.State = needs() ? .problem : .note
        return [
            facts.isContainer
                ? Finding(
                    .kernel, state, "This container has no access to Bluetooth: run bluelab on the host.",
                    fix: "docker run --net=host --privileged ...")
                : Finding(
                    .kernel, state, "The kernel has no Bluetooth, or its module is not loaded.",
                    fix: "sudo modprobe bluetooth")
        ]
    }

    private var adapters: [Finding] {
        guard !facts.adapters.isEmpty else {
            let state: Finding.State = needs() ? .problem : .note
            if facts.isBlocked {
                return [
                    Finding(
                        .radio, state, "The radio switch of this machine is off, which removes its adapter.",
                        fix: "sudo rfkill unblock bluetooth")
                ]
            }
            guard facts.hasBluetooth, !facts.isDaemonUsable else { return [] }
            return [
                Finding(
                    .adapter, state, "This machine has no Bluetooth adapter, or its driver did not find it.",
                    fix: "sudo dmesg | grep -i -e bluetooth -e firmware")
            ]
        }
        return facts.adapters.flatMap { adapter in
            let product = adapter.product.map { " (\(ValueText.printable($0)))" } ?? ""
            let driver = facts.drivers[adapter.index].map { ", driver \($0)" } ?? ""
            let text =
                "\(adapter.name)\(product): \(adapter.bus)\(driver), \(adapter.address?.description ?? "no address known")."
            return [Finding(.adapter, .ok, text)] + radioSwitch(adapter)
        }
    }

    private func radioSwitch(_ adapter: LocalAdapter) -> [Finding] {
        let state: Finding.State = needs(adapter.index) ? .problem : .note
        return switch adapter.radio {
        case .on: []
        case .softBlocked:
            [
                Finding(
                    .radio, state, "The radio of \(adapter.name) is switched off by software.",
                    fix: "sudo rfkill unblock bluetooth")
            ]
        case .hardBlocked:
            [
                Finding(
                    .radio, state,
                    "The radio of \(adapter.name) is switched off by the machine's own switch or its firmware settings.",
                    fix: "rfkill list bluetooth")
            ]
        }
    }

    private var rights: [Finding] {
        guard !facts.adapters.isEmpty else { return [] }
        guard !facts.mayTakeAdapters else {
            return [Finding(.rights, .ok, "This program may take an adapter from the kernel.")]
        }
        guard !facts.usesDaemon else {
            return [
                Finding(
                    .rights, .ok, "This program may not take an adapter from the kernel, and bluez does not need that.")
            ]
        }
        let lack =
            "This program lacks the capabilities cap_net_admin and cap_net_raw, which an adapter requires that is taken from the kernel."
        guard !facts.isDaemonUsable else {
            return [
                Finding(
                    .rights, needs() ? .problem : .note,
                    "\(lack) bluez needs none. For the adapter itself: \(facts.capabilityCommand)",
                    fix: selectDaemon)
            ]
        }
        return [
            Finding(
                .rights, needs() ? .problem : .note, "\(lack) A new build of it needs them again.",
                fix: facts.capabilityCommand)
        ]
    }

    private var holders: [Finding] {
        var findings: [Finding] = []
        let others = facts.holders.filter { $0.name != SystemBluetooth.daemon }
        for adapter in facts.adapters where adapter.power == .taken {
            let state: Finding.State = needs(adapter.index) ? .problem : .note
            if let holder = others.first {
                let name = ValueText.printable(holder.name)
                findings.append(
                    Finding(
                        .holder, state, "\(adapter.name) is in use by \(name) (process \(holder.process)).",
                        fix: "kill \(holder.process)"))
            } else {
                findings.append(
                    Finding(
                        .holder, state, "\(adapter.name) is in use by a program that this user may not see.",
                        fix: "sudo lsof | grep 'protocol: HCI'"))
            }
        }
        if let daemon = facts.daemon {
            let used = facts.adapters.filter { $0.power == .up }
            let text = "bluetoothd (process \(daemon.process)) runs"
            if facts.usesDaemon || (used.isEmpty && facts.isDaemonUsable) {
                let names = used.map(\.name).joined(separator: ", ")
                findings.append(Finding(.bluetoothd, .ok, used.isEmpty ? "\(text)." : "\(text) and uses \(names)."))
            } else if used.isEmpty {
                findings.append(Finding(.bluetoothd, .note, "\(text), and uses no adapter."))
            } else {
                let names = used.map(\.name).joined(separator: ", ")
                findings.append(
                    Finding(
                        .bluetoothd, used.contains { needs($0.index) } ? .warning : .note,
                        "\(text) and uses \(names). A program that takes the adapter ends the connections of keyboards, headphones and "
                            + "others, and bluetoothd can refuse to give it away.",
                        fix: "sudo systemctl stop bluetooth"))
            }
        } else {
            // With bluez, the controller's finding says it.
            if !facts.usesDaemon { findings.append(Finding(.bluetoothd, .ok, "bluetoothd does not run.")) }
        }
        for index in facts.scanning.sorted() {
            let text = "Another program scans with hci\(index) through bluetoothd."
            guard !facts.usesDaemon else {
                findings.append(Finding(.scans, .ok, text))
                continue
            }
            findings.append(
                Finding(
                    .scans, needs(index) ? .warning : .note, text, fix: "sudo systemctl restart bluetooth"))
        }
        return findings
    }

    // MARK: The store and the radios

    private var store: Finding {
        guard let path = facts.store else {
            return Finding(
                .store, .warning,
                "Neither XDG_STATE_HOME nor HOME names a folder: identifiers and bonds are lost when a program ends.",
                fix: "export HOME=/home/$(id -un)")
        }
        guard let failure = facts.storeFailure else {
            return Finding(.store, .ok, "Identifiers and bonds are kept in \(path).")
        }
        return Finding(
            .store, .warning, "Identifiers and bonds cannot be kept in \(path): \(failure).",
            fix: "ls -ld \(path)")
    }

    private var radios: [Finding] {
        facts.radios.map { radio in
            let choice = "BLUETOOTH_CONTROLLER=radio" + (radio.endpoint.name.map { ":\($0)" } ?? "")
            guard let failure = radio.failure else {
                return Finding(.virtualRadio, .note, "A virtual radio runs, which programs join with \(choice).")
            }
            return Finding(.virtualRadio, .note, failure, fix: radio.endpoint.command)
        }
    }
}
