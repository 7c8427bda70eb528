import BLERuntime
import BLETransport
import BLEWire
import Foundation
import Testing

@testable import bluelab

struct DoctorTests {
    private static let address = DeviceAddress(kind: .public, value: 0x0000_5E00_5301)

    private static let nothing = ControllerChoice(nil, system: SystemBluetooth(root: "/no machine"))

    private func adapter(
        _ index: UInt16 = 0, power: LocalAdapter.Power = .down, radio: LocalAdapter.Switch = .on
    ) -> LocalAdapter {
        LocalAdapter(
            index: index, product: "Radio", address: Self.address, bus: "usb", power: power, radio: radio)
    }

    /// A machine with an adapter that a program can use.
    private func machine(_ change: (inout MachineFacts) -> Void = { _ in }) -> Diagnosis {
        var facts = MachineFacts(selection: nil, choice: .adapter(0))
        facts.adapters = [adapter()]
        facts.drivers = [0: "btusb"]
        facts.capabilityCommand = "sudo setcap x bluelab"
        facts.kernel = "6.1.0"
        facts.distribution = "Debian"
        facts.blueZ = "5.66"
        facts.store = "/home/a/state"
        change(&facts)
        return Diagnosis(facts: facts)
    }

    /// The only finding of a topic.
    private func finding(_ topic: Finding.Topic, _ diagnosis: Diagnosis) throws -> Finding {
        let found = diagnosis.findings.filter { $0.topic == topic }
        try #require(found.count == 1, "\(diagnosis.findings)")
        return found[0]
    }

    @Test func aReadyMachineHasNoProblem() throws {
        let diagnosis = machine()
        #expect(diagnosis.isUsable)
        #expect(diagnosis.findings.allSatisfy { $0.state == .ok && $0.fix == nil })
        #expect(try finding(.controller, diagnosis).text == "BLUETOOTH_CONTROLLER is not set: programs use hci0.")
        #expect(try finding(.adapter, diagnosis).text == "hci0 (Radio): usb, driver btusb, 00:00:5E:00:53:01.")
        #expect(try finding(.versions, diagnosis).text.hasSuffix("Linux 6.1.0, Debian, BlueZ 5.66."))
    }

    @Test func aMissingAdapterNamesItsCause() throws {
        let none = machine {
            $0.adapters = []
            $0.choice = Self.nothing
        }
        #expect(!none.isUsable)
        #expect(try finding(.adapter, none).fix == "sudo dmesg | grep -i -e bluetooth -e firmware")
        #expect(try finding(.controller, none).fix?.hasPrefix("bluelab radio") == true)
        let blocked = machine {
            $0.adapters = []
            $0.isBlocked = true
            $0.choice = Self.nothing
        }
        #expect(try finding(.radio, blocked).fix == "sudo rfkill unblock bluetooth")
        let unloaded = machine {
            $0.adapters = []
            $0.hasBluetooth = false
            $0.choice = Self.nothing
        }
        #expect(try finding(.kernel, unloaded).fix == "sudo modprobe bluetooth")
        let container = machine {
            $0.adapters = []
            $0.hasBluetooth = false
            $0.isContainer = true
            $0.choice = Self.nothing
        }
        #expect(try finding(.kernel, container).text.contains("container"))
        let other = machine {
            $0.selection = "hci3"
            $0.choice = .adapter(3)
        }
        #expect(try finding(.controller, other).text == "BLUETOOTH_CONTROLLER is hci3, but this machine has no hci3.")
        #expect(!other.isUsable)
    }

    @Test func aRadioSwitchIsAProblemOfTheSelectedAdapter() throws {
        let soft = machine { $0.adapters = [adapter(radio: .softBlocked)] }
        #expect(try finding(.radio, soft).state == .problem)
        #expect(try finding(.radio, soft).fix == "sudo rfkill unblock bluetooth")
        let hard = machine { $0.adapters = [adapter(radio: .hardBlocked)] }
        #expect(try finding(.radio, hard).text.contains("the machine's own switch"))
        #expect(!hard.isUsable)
        let other = machine { $0.adapters = [adapter(), adapter(1, radio: .softBlocked)] }
        #expect(try finding(.radio, other).state == .note)
        #expect(other.isUsable)
    }

    @Test func missingRightsHaveTheirCommand() throws {
        let diagnosis = machine { $0.mayTakeAdapters = false }
        #expect(try finding(.rights, diagnosis).fix == "sudo setcap x bluelab")
        #expect(!diagnosis.isUsable)
    }

    @Test func theHolderOfAnAdapterIsNamed() throws {
        let held = machine {
            $0.adapters = [adapter(power: .taken)]
            $0.holders = [.init(name: "scanner", process: 71)]
        }
        #expect(try finding(.holder, held).text == "hci0 is in use by scanner (process 71).")
        #expect(try finding(.holder, held).fix == "kill 71")
        #expect(!held.isUsable)
        let hidden = machine { $0.adapters = [adapter(power: .taken)] }
        #expect(try finding(.holder, hidden).fix == "sudo lsof | grep 'protocol: HCI'")
    }

    @Test func theDaemonAndItsScansAreWarnings() throws {
        let diagnosis = machine {
            $0.adapters = [adapter(power: .up)]
            $0.holders = [.init(name: "bluetoothd", process: 9)]
            $0.scanning = [0]
        }
        #expect(try finding(.bluetoothd, diagnosis).state == .warning)
        #expect(try finding(.bluetoothd, diagnosis).fix == "sudo systemctl stop bluetooth")
        #expect(try finding(.scans, diagnosis).text == "Another program scans with hci0 through bluetoothd.")
        #expect(diagnosis.isUsable)
    }

    private static let daemon = SystemBluetooth.Holder(name: "bluetoothd", process: 9)

    @Test(arguments: [nil, "bluez", "bluez:hci0"])
    func bluetoothdNeedsNoRights(selection: String?) throws {
        let diagnosis = machine {
            $0.selection = selection
            $0.choice = selection.map { ControllerChoice($0) } ?? .bluez(nil)
            $0.adapters = [adapter(power: .up)]
            $0.holders = [Self.daemon]
            $0.scanning = [0]
            $0.mayTakeAdapters = false
            $0.blueZ = "5.87"
        }
        #expect(diagnosis.findings.allSatisfy { $0.state == .ok && $0.fix == nil }, "\(diagnosis.findings)")
        #expect(
            try finding(.way, diagnosis).text.hasPrefix("bluez fits this machine: bluetoothd runs and has an adapter."))
        #expect(try finding(.bluetoothd, diagnosis).text == "bluetoothd (process 9) runs and uses hci0.")
        let name = selection?.hasSuffix("hci0") == true ? "hci0" : "the first adapter"
        #expect(
            try finding(.controller, diagnosis).text
                == "BLUETOOTH_CONTROLLER is \(selection ?? "not set"): programs use \(name) of bluetoothd.")
    }

    @Test func bluetoothdIsNamedBeforeTheRights() throws {
        let diagnosis = machine {
            $0.selection = "hci1"
            $0.choice = .adapter(1)
            $0.adapters = [adapter(1, power: .up)]
            $0.holders = [Self.daemon]
            $0.mayTakeAdapters = false
        }
        #expect(try finding(.way, diagnosis).fix == "export BLUETOOTH_CONTROLLER=bluez:hci1")
        #expect(try finding(.rights, diagnosis).state == .problem)
        #expect(try finding(.rights, diagnosis).fix == "export BLUETOOTH_CONTROLLER=bluez:hci1")
        #expect(try finding(.rights, diagnosis).text.hasSuffix("sudo setcap x bluelab"))
        let virtual = machine {
            $0.selection = "virtual"
            $0.choice = .virtual
            $0.holders = [Self.daemon]
        }
        #expect(try finding(.way, virtual).fix == "export BLUETOOTH_CONTROLLER=bluez")
    }

    @Test func anAdapterItselfFitsWithoutBluetoothd() throws {
        let ready = machine()
        #expect(try finding(.way, ready).text.hasPrefix("hci0 fits this machine: bluetoothd does not run."))
        let installed = machine { $0.mayTakeAdapters = false }
        #expect(try finding(.way, installed).fix == "sudo systemctl start bluetooth")
        #expect(try finding(.rights, installed).fix == "sudo setcap x bluelab")
        let absent = machine {
            $0.mayTakeAdapters = false
            $0.blueZ = nil
        }
        #expect(try finding(.way, absent).state == .ok)
        // bluetoothd has given the adapter away.
        let idle = machine {
            $0.choice = .bluez(nil)
            $0.holders = [Self.daemon]
            $0.controllerFailure = ControllerError($0.choice, .noAdapter(nil))
            $0.daemonFailure = $0.controllerFailure
        }
        #expect(try finding(.way, idle).text.hasPrefix("hci0 fits this machine: bluetoothd runs and has no adapter."))
        #expect(try finding(.way, idle).fix == "export BLUETOOTH_CONTROLLER=hci0")
        #expect(try finding(.controller, idle).text == "BLUETOOTH_CONTROLLER is not set. bluetoothd has no adapter.")
        let elsewhere = machine {
            $0.selection = "virtual"
            $0.choice = .virtual
            $0.adapters = []
        }
        #expect(try finding(.way, elsewhere).fix == nil)
        let bare = machine { $0.adapters = [] }
        #expect(try finding(.way, bare).text.hasPrefix("This machine gives programs no radio:"))
        #expect(try finding(.way, bare).fix == "bluelab help adapters")
    }

    @Test func aFailureOfBluetoothdHasItsCommand() throws {
        let diagnosis = machine {
            $0.choice = .bluez(nil)
            $0.holders = [Self.daemon]
            $0.controllerFailure = ControllerError($0.choice, .off("hci0"))
            $0.daemonFailure = $0.controllerFailure
        }
        #expect(!diagnosis.isUsable)
        #expect(try finding(.controller, diagnosis).fix == "bluetoothctl power on")
        #expect(
            try finding(.way, diagnosis).text.hasPrefix(
                "bluez fits this machine: bluetoothd runs. The adapter hci0 is switched off."))
        #expect(try finding(.way, diagnosis).fix == "bluetoothctl power on")
        #expect(try finding(.rights, diagnosis).state == .ok)
    }

    /// An adapter of bluetoothd behind the bus of another machine, or of a container.
    @Test func anAdapterOfBluetoothdNeedsNoneOfTheKernel() throws {
        let diagnosis = machine {
            $0.selection = "bluez"
            $0.choice = .bluez(nil)
            $0.adapters = []
            $0.hasBluetooth = false
            $0.blueZ = nil
        }
        #expect(diagnosis.findings.allSatisfy { $0.state == .ok }, "\(diagnosis.findings)")
    }

    @Test func anotherAdapterOfBluetoothdKeepsItsWay() throws {
        let diagnosis = machine {
            $0.selection = "bluez:hci9"
            $0.choice = .bluez("hci9")
            $0.controllerFailure = ControllerError($0.choice, .noAdapter("hci9"))
            $0.isDaemonReached = true
        }
        #expect(try finding(.controller, diagnosis).fix == "bluelab adapters")
        #expect(try finding(.way, diagnosis).state == .ok)
    }

    /// A program does not choose bluetoothd by itself if it sees no adapter.
    @Test func bluetoothdIsNamedWhereTheAdapterIsNotSeen() throws {
        let diagnosis = machine {
            $0.choice = Self.nothing
            $0.adapters = []
            $0.holders = [Self.daemon]
        }
        #expect(try finding(.controller, diagnosis).fix == "export BLUETOOTH_CONTROLLER=bluez")
        #expect(try finding(.way, diagnosis).fix == "export BLUETOOTH_CONTROLLER=bluez")
        #expect(try finding(.bluetoothd, diagnosis).text == "bluetoothd (process 9) runs.")
        let absent = machine {
            $0.selection = "hci3"
            $0.choice = .adapter(3)
            $0.holders = [Self.daemon]
        }
        #expect(try finding(.way, absent).fix == "export BLUETOOTH_CONTROLLER=bluez")
    }

    @Test(arguments: [
        ("5.55", [62, 67, 83]), ("5.62", [67, 83]), ("5.66", [67, 83]), ("5.82", [83]), ("5.83", []), ("6.1", []),
        ("", []), ("5", []), ("5.x", []),
    ])
    func theLacksOfAVersionAreNotes(version: String, ends: [Int]) {
        #expect(BlueZLack.all(of: version).map(\.end) == ends)
        let diagnosis = machine {
            $0.choice = .bluez(nil)
            $0.holders = [Self.daemon]
            $0.blueZ = version
        }
        let notes = diagnosis.findings.filter { $0.topic == .bluez }
        #expect(notes.count == ends.count && notes.allSatisfy { $0.state == .note })
        #expect(notes.allSatisfy { $0.text.hasPrefix("BlueZ \(version) ") && $0.text.hasSuffix(".") })
        #expect(diagnosis.isUsable)
    }

    @Test func completionsBeginWithBluetoothd() {
        #expect(ControllerSelection.words.first == "bluez" && ControllerSelection.words.last == "gateway")
    }

    @Test func theTableOfAdaptersNamesTheController() {
        let adapters = [adapter(power: .up), adapter(1, power: .taken)]
        func controllers(_ hasDaemon: Bool) -> [String] {
            AdapterTable.lines(adapters, hasDaemon: hasDaemon).map { line in
                line.split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) }.dropLast().last ?? ""
            }
        }
        #expect(controllers(true) == ["CONTROLLER", "bluez:hci0", "hci1"])
        #expect(controllers(false) == ["CONTROLLER", "hci0", "hci1"])
    }

    @Test func adaptersCauseNotesWhileAnotherControllerIsSelected() throws {
        let diagnosis = machine {
            $0.selection = "virtual"
            $0.choice = .virtual
            $0.adapters = [adapter(power: .taken, radio: .softBlocked)]
            $0.mayTakeAdapters = false
        }
        #expect(diagnosis.isUsable)
        #expect(try finding(.controller, diagnosis).state == .ok)
    }

    @Test func aControllerThatCannotBeReachedIsAProblem() throws {
        let radio = try SharedRadioEndpoint(name: "lab", runtimeDirectory: "/run/user/1")
        let silent = machine {
            $0.selection = "radio:lab"
            $0.choice = .radio(radio)
            $0.controllerFailure = ControllerError($0.choice, .unavailable, "No virtual radio runs.")
        }
        #expect(try finding(.controller, silent).fix == "bluelab radio --name lab")
        #expect(!silent.isUsable)
        let serial = machine {
            $0.selection = "serial:/dev/ttyUSB0"
            $0.choice = .socket(.serial(device: "/dev/ttyUSB0", speed: 115_200))
            $0.controllerFailure = ControllerError($0.choice, .unavailable, "There is no /dev/ttyUSB0.")
        }
        #expect(try finding(.controller, serial).fix == "ls -l /dev/ttyUSB0")
        let word = machine {
            $0.selection = "VIRTUAL"
            $0.choice = ControllerChoice("VIRTUAL")
        }
        #expect(try finding(.controller, word).text.hasSuffix("Did you mean virtual? Case matters."))
        #expect(try finding(.controller, word).fix == "bluelab doctor --controller virtual")
        #expect(!word.isUsable)
    }

    @Test func aStoreThatCannotBeWrittenIsAWarning() throws {
        let refused = machine { $0.storeFailure = "Permission denied" }
        #expect(try finding(.store, refused).fix == "ls -ld /home/a/state")
        let homeless = machine { $0.store = nil }
        #expect(try finding(.store, homeless).state == .warning)
        #expect(refused.isUsable && homeless.isUsable)
        #expect(MachineProbe.storeFailure("/dev/null/state")?.isEmpty == false)
        #expect(MachineProbe.storeFailure("/proc/version/a/b") == "/proc/version is not a folder")
        #expect(MachineProbe.storeFailure(FileManager.default.temporaryDirectory.path + "/\(UUID())/b") == nil)
    }

    @Test func radiosAreListed() throws {
        let endpoint = try SharedRadioEndpoint(name: nil, runtimeDirectory: "/run/user/1")
        let running = machine { $0.radios = [.init(endpoint: endpoint, failure: nil)] }
        #expect(try finding(.virtualRadio, running).text.hasSuffix("BLUETOOTH_CONTROLLER=radio."))
        let ended = machine { $0.radios = [.init(endpoint: endpoint, failure: "No virtual radio runs.")] }
        #expect(try finding(.virtualRadio, ended).fix == "bluelab radio")
    }

    @Test func aFindingIsALineAndItsCommand() {
        let terminal = Terminal(environment: [:], isTerminal: false)
        let problem = Finding(.rights, .problem, "No\u{1B}rights.", fix: "sudo x")
        #expect(
            DoctorCommand.lines(problem, terminal) == ["problem  No\u{FFFD}rights.", "         Try: sudo x"])
        #expect(
            jsonLine(problem)
                == #"{"fix":"sudo x","state":"problem","text":"No\u001brights.","topic":"rights","type":"finding","v":1}"#
        )
        #expect(MachineProbe.version(of: "bluetoothctl: 5.66\n") == "5.66")
        #expect(MachineProbe.version(of: nil) == nil)
    }
}
